/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the frames, the input port's policy.
 * Sets:  all of the metadata that headers tell.
 * Next:  stage_ingress.
 * Drops: runt to segments of pkt/drop.h: all that a header shows to be wrong.
 */
#include "dp/stage.h"
#include "pkt/parse_inl.h"

void
stage_parse(struct worker *w, struct burst *b)
{
	/* copies: stores to metadata could alias what pointers lead to, and each would be read
	 * again */
	const struct parse_policy policy = w->snapshot->port[b->in_port_idx];
	unsigned int verdicts = 0, n = b->n;

	for (unsigned int i = 0; i < n; i++) {
		uint8_t verdict = parse_packet(b->mbuf[i], &policy, &b->meta[i]);

		/* the parser begins with 0 there */
		if (unlikely(verdict != 0)) {
			b->meta[i].verdict = verdict;
			verdicts = 1;
		}
	}
	if (unlikely(verdicts != 0))
		burst_split(b);
}
