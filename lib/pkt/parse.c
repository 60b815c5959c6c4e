/* SPDX-License-Identifier: BSD-3-Clause */
/* The parser behind a function; the pipeline's own copy is inlined in dp/stage_parse.c. */
#include "pkt/parse_inl.h"

const uint8_t pkt_ip4_special[256] = {[0] = 1, [127] = 1, [169] = 1, [224 ... 255] = 1};

uint8_t
pkt_parse(struct rte_mbuf *m, const struct parse_policy *policy, struct pkt_meta *meta)
{
	return parse_packet(m, policy, meta);
}
