/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts for tests of the flow table: headers as far as the table looks, metadata as the parser's.
 */
#ifndef TEST_FLOW_TEST_H
#define TEST_FLOW_TEST_H

#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "eal.h"
#include "flow/key_inl.h"
#include "pkt/flow_inl.h"

struct flow_burst {
	struct burst b;
	uint8_t head[BURST_MAX][40];
};

/* What a test says of a flow. */
struct who {
	uint32_t src, dst; /* IPv4; of IPv6 the last word of each */
	uint32_t qp;       /* 0: no RoCE */
	uint32_t ports;
	bool ip6;
};

static inline void
burst_add(struct flow_burst *fb, const struct who *who)
{
	struct pkt_meta *m = &fb->b.meta[fb->b.n];
	uint8_t *head = fb->head[fb->b.n];
	uint32_t src = __builtin_bswap32(who->src), dst = __builtin_bswap32(who->dst), crc;

	memset(head, 0, 40);
	memset(m, 0, sizeof(*m));
	memcpy(head + (who->ip6 ? 8 + 12 : 12), &src, 4);
	memcpy(head + (who->ip6 ? 24 + 12 : 16), &dst, 4);
	m->l3 = head;
	m->flags = (uint8_t)((who->ip6 ? PKT_IP6 : 0) | (who->qp != 0 ? PKT_ROCE : 0));
	m->proto = IP_PROTO_UDP;
	m->l4_ports = who->ports;
	m->dest_qp = who->qp;
	crc = flow_crc_l4(flow_crc_addrs4((uint64_t)who->src << 32 | who->dst), who->ports, 17);
	m->flow[0] = crc;
	m->flow[1] = who->qp != 0 ? flow_crc_qp(crc, who->qp) : crc;
	fb->b.n++;
}

static inline struct flow_table *
table_up(uint32_t max, uint64_t age_ps, size_t beside_len)
{
	struct flow_table_config c = {
		.name = "flow_test",
		.max = max,
		.age_ps = age_ps,
		.seed = {1, 2},
		.socket = -1,
		.beside_len = beside_len,
	};
	struct flow_table *t;

	cr_assert_eq(flow_table_create(&c, &t), 0);
	return t;
}

/* One packet of the flow: its entry's index, or FLOW_NONE. */
static inline uint32_t
meet_one(struct flow_table *t, const struct who *who, uint64_t now_ps)
{
	static struct flow_burst fb;

	fb.b.n = 0;
	burst_add(&fb, who);
	flow_table_lookup_bulk(t, &fb.b, true, now_ps);
	return fb.b.meta[0].flow_idx;
}

#endif
