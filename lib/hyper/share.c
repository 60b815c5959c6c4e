/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights of the members of a hyper port, as costs of a byte. What uses them is in the header. */
#include "hyper/share.h"

#include <string.h>

#define UNIT (UINT64_C(1) << 16)

void
hyper_share_init(struct hyper_share *s, const uint64_t *weight, unsigned int n)
{
	uint64_t most = 1;

	memset(s, 0, sizeof(*s));
	s->n = n;
	for (unsigned int i = 0; i < n; i++)
		most = weight[i] > most ? weight[i] : most;
	for (unsigned int i = 0; i < n; i++) {
		unsigned __int128 scaled = (unsigned __int128)most * UNIT;
		uint64_t cost = weight[i] == 0 ? UINT32_MAX : (uint64_t)(scaled / weight[i]);

		s->cost[i] = cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost;
	}
}
