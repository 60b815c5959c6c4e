/* SPDX-License-Identifier: BSD-3-Clause */
/* The parser behind a function; the pipeline's own copy is inlined in dp/stage_parse.c. */
#include "pkt/parse_inl.h"

uint8_t
pkt_parse(struct rte_mbuf *m, const struct parse_policy *policy, struct pkt_meta *meta)
{
	return parse_packet(m, policy, meta);
}
