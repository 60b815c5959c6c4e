/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the stages. */
#include "dp/counters.h"

const char *
dp_stage_name(enum dp_stage stage)
{
	static const char *const names[DP_STAGES_N] = {
#define X(name) [DP_STAGE_##name] = #name,
		DP_STAGES(X)
#undef X
	};

	return names[stage];
}
