/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the frames, the input port's policy, the class map.
 * Sets:  all of the metadata that headers tell, and the class; counts CE on arrival.
 * Next:  stage_ingress.
 * Drops: runt to segments of pkt/drop.h: all that a header shows to be wrong.
 */
#include "dp/classify_inl.h"
#include "dp/stage.h"
#include "pkt/parse_inl.h"

void
stage_parse(struct worker *w, struct burst *b)
{
	/* copies: stores to metadata could alias what pointers lead to, and each would be read
	 * again */
	const struct parse_policy policy = w->snapshot->port[b->in_port_idx];
	const uint8_t(*dscp_class)[64] = w->snapshot->dscp_class[b->in_port_idx];
	unsigned int verdicts = 0, ce = 0, n = b->n;

	for (unsigned int i = 0; i < n; i++) {
		struct pkt_meta *meta = &b->meta[i];
		uint8_t verdict = parse_packet(b->mbuf[i], &policy, meta);

		/* the parser begins with 0 there */
		if (unlikely(verdict != 0)) {
			meta->verdict = verdict;
			verdicts = 1;
			continue;
		}
		meta->class = classify(dscp_class, meta);
		ce += (meta->tos & 3) == IP_ECN_CE;
	}
	w->counters->ce_in += ce;
	if (unlikely(verdicts != 0))
		burst_split(b);
}
