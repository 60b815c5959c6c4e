/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch between the main road and the exits; called by the stages that set verdicts. */
#include "pkt/burst.h"

void
burst_split(struct burst *b)
{
	uint16_t kept = 0;

	for (uint16_t i = 0; i < b->n; i++) {
		if (b->meta[i].verdict != 0) {
			b->out_mbuf[b->n_out] = b->mbuf[i];
			b->out_verdict[b->n_out++] = b->meta[i].verdict;
			continue;
		}
		if (kept != i) {
			b->mbuf[kept] = b->mbuf[i];
			b->meta[kept] = b->meta[i];
		}
		kept++;
	}
	b->n = kept;
}
