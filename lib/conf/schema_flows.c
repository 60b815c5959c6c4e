/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of `flows`: the table of flows that a worker keeps where something needs it. */
#include "conf/schema.h"

#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

static const struct field flows_fields[] = {
	{.key = "max",
		.type = FIELD_INT,
		AS_INT(conf_flows, max),
		.min = 64,
		.max = 4194304,
		.pow2 = true,
		.def = 16384,
		.help = "Flows that each worker remembers at most; packets of others go on by "
			"hash."},
	{.key = "age",
		AMOUNT(TIME),
		AS_INT(conf_flows, age_ns),
		.min = 100 * MS,
		.max = 3600 * SECOND,
		.def = 30 * SECOND,
		.help = "How long a flow is remembered without a packet."},
	{.key = "qp_view",
		.type = FIELD_BOOL,
		AT(conf_flows, qp_view),
		.help = "Watch every RoCE queue pair: `show qp`."},
};

const struct schema schema_flows = {TABLE(flows_fields), .title = "flows"};
