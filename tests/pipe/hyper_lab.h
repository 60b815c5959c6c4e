/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the hyper port tests share: node 1 (east) with hosts at `in`, node 2 (west) with hosts at
 * `out`, and a hyper port hp0 of long lines between them. Packets carry their number and come out
 * at `out` to be looked at. Time is virtual.
 */
#ifndef TESTS_PIPE_HYPER_LAB_H
#define TESTS_PIPE_HYPER_LAB_H

#include "expect.h"
#include "wires.h"

#define US UINT64_C(1000) /* ticks */
#define MS UINT64_C(1000000)

/* Payload of each third packet; the others have 1024 bytes. */
static uint32_t hyper_lab_short = 64;

struct hyper_lab_conf {
	unsigned int n_members;   /* 2..8 */
	unsigned int n_workers;   /* of each node; 0: one. Worker w polls each member w mod n */
	const char *member;       /* keys of every member, `a: 1, b: 2`; NULL: none */
	unsigned int mtu;         /* 0: 4200 */
	const char *west;         /* keys of the west's host port; NULL: none */
	const char *hyper;        /* keys of the hyper port; NULL: none */
	const char *head;         /* sections of the file besides; NULL: none */
	const uint64_t *delay_ns; /* of the wires; NULL: 0, 100 us, 200 us .. */
};

struct hyper_lab {
	struct wires w;
	struct node_test east, west;
	uint32_t sent, next; /* the number that is sent next; that is to come out next */
	uint32_t missing;    /* numbers that did not come out before a later one */
};

static inline void
hyper_lab_workers(FILE *f, const struct hyper_lab_conf *c)
{
	fprintf(f, "runtime:\n  mbufs: 12288\n  memory: 1GB\n  workers:\n");
	for (unsigned int w = 0; w < RTE_MAX(c->n_workers, 1u); w++) {
		fprintf(f, "    - {lcore: %u, rx: [host", w + 1);
		for (unsigned int i = 0; i < c->n_members; i++)
			if (i % RTE_MAX(c->n_workers, 1u) == w)
				fprintf(f, ", lh%u", i);
		fprintf(f, "]}\n");
	}
}

/* Node 1 or 2; the other one's first member has MAC 02:00:00:00:0<other>:00. */
static inline void
hyper_lab_node(struct node_test *t, unsigned int number, const struct hyper_lab_conf *c)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "version: 1\nnode: {name: n%u, id: %u}\n", number, number);
	hyper_lab_workers(f, c);
	fprintf(f,
		"ports:\n  - {name: host, device: host, role: nsf, mtu: %u, promiscuous: true, "
		"mac: \"02:00:00:00:0%u:99\"%s%s}\n",
		c->mtu != 0 ? c->mtu : 4200, number, number == 2 && c->west != NULL ? ", " : "",
		number == 2 && c->west != NULL ? c->west : "");
	for (unsigned int i = 0; i < c->n_members; i++)
		fprintf(f,
			"  - {name: lh%u, device: lh%u, role: longhaul, mtu: %u, mac: "
			"\"02:00:00:00:0%u:0%u\"%s%s}\n",
			i, i, c->mtu != 0 ? c->mtu : 4200, number, i, c->member != NULL ? ", " : "",
			c->member != NULL ? c->member : "");
	fprintf(f, "hyperports:\n  - {name: hp0, members: [");
	for (unsigned int i = 0; i < c->n_members; i++)
		fprintf(f, "%slh%u", i != 0 ? ", " : "", i);
	fprintf(f, "]%s%s}\n%s", c->hyper != NULL ? ", " : "", c->hyper != NULL ? c->hyper : "",
		c->head != NULL ? c->head : "");
	fprintf(f,
		"groups:\n  - {name: over, members: [{port: hp0, mac: \"02:00:00:00:0%u:00\"}]}\n"
		"  - {name: hosts, members: [{port: host, mac: \"02:aa:00:00:00:0%u\"}]}\n"
		"routes:\n  static: [{prefix: 10.%u.0.0/16, group: over}, {prefix: 10.%u.0.0/16, "
		"group: hosts}]\n",
		3 - number, number, 3 - number, number);
	fclose(f);
	node_test_open(t, 512, "%s", text);
	free(text);
}

static inline void
hyper_lab_open(struct hyper_lab *l, const struct hyper_lab_conf *c)
{
	char name[16];

	memset(l, 0, sizeof(*l));
	rng_init(&l->w.rng, 1);
	hyper_lab_node(&l->east, 1, c);
	hyper_lab_node(&l->west, 2, c);
	l->w.node[l->w.n_nodes++] = &l->east;
	l->w.node[l->w.n_nodes++] = &l->west;
	for (unsigned int i = 0; i < c->n_members; i++) {
		snprintf(name, sizeof(name), "lh%u", i);
		wires_add(&l->w, &l->east, name, &l->west, name,
			c->delay_ns != NULL ? c->delay_ns[i] : i * 100 * US);
	}
	for (unsigned int i = 0; i < 2; i++)
		for (uint16_t p = 0; p < l->w.node[i]->node->n_ports; p++)
			node_set_link(l->w.node[i]->node, p, true);
}

/* The hyper port as a node has it. */
static inline struct dp_hyper *
hyper_lab_of(const struct node_test *t)
{
	return &t->node->shared.hyper[0];
}

static inline const struct reseq_stats *
hyper_lab_stats(const struct node_test *t)
{
	return reseq_stats(hyper_lab_of(t)->reseq);
}

/* A RoCE WRITE middle from east to west whose payload begins with the number; DSCP as given. */
static inline size_t
hyper_lab_frame(uint32_t number, uint8_t dscp, uint8_t *frame)
{
	static uint8_t payload[1024];
	struct packet p = packet_roce(4);

	memcpy(payload, &number, sizeof(number));
	p.opcode = 7;
	p.psn = number & 0xffffff;
	p.tos = (uint8_t)(dscp << 2 | 2);
	p.payload = payload;
	p.payload_len = number % 3 == 0 ? hyper_lab_short : 1024;
	return packet_write(&p, frame, PACKET_MAX, NULL);
}

/* The number in a frame that came out. */
static inline uint32_t
hyper_lab_number(const struct rte_mbuf *m)
{
	uint32_t number;

	memcpy(&number, rte_pktmbuf_mtod_offset(m, const uint8_t *, 14 + 20 + 8 + 12), 4);
	return number;
}

static inline void
hyper_lab_send(struct hyper_lab *l, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];

	for (; n != 0; n--) {
		size_t len = hyper_lab_frame(l->sent++, 26, frame);
		struct rte_mbuf *m = packet_mbuf(l->east.node->pool, frame, len);

		cr_assert_not_null(m);
		cr_assert(node_test_put_mbuf(&l->east, node_test_port(&l->east, "host"), 0, m));
	}
}

/* What came out at the west: whole, in order, none twice. */
static inline void
hyper_lab_look(struct hyper_lab *l)
{
	static const uint8_t to[6] = {0x02, 0xaa, 0, 0, 0, 2}, from[6] = {0x02, 0, 0, 0, 2, 0x99};
	static uint8_t want[PACKET_MAX];
	uint16_t port_idx = node_test_port(&l->west, "host");
	struct rte_mbuf *m;

	while ((m = node_test_take_mbuf(&l->west, port_idx)) != NULL) {
		uint32_t number = hyper_lab_number(m);
		size_t len = hyper_lab_frame(number, 26, want);

		cr_assert_geq(number, l->next, "%u after %u", number, l->next);
		l->missing += number - l->next;
		l->next = number + 1;
		expect_forwarded(want, to, from);
		expect_forwarded(want, to, from);
		cr_assert_eq(rte_pktmbuf_pkt_len(m), len);
		cr_assert_arr_eq(rte_pktmbuf_mtod(m, const uint8_t *), want, len, "%u", number);
		rte_pktmbuf_free(m);
	}
}

/* `n` packets, `each` in a step of 10 us, and what comes out. */
static inline void
hyper_lab_run(struct hyper_lab *l, unsigned int n, unsigned int each)
{
	for (; n != 0; n -= RTE_MIN(n, each)) {
		hyper_lab_send(l, RTE_MIN(n, each));
		wires_step(&l->w, 10 * US);
		hyper_lab_look(l);
	}
}

/* Until nothing is on its way any more. */
static inline void
hyper_lab_settle(struct hyper_lab *l, uint64_t ns)
{
	for (uint64_t end = l->w.now_ns + ns; l->w.now_ns < end;) {
		wires_step(&l->w, 50 * US);
		hyper_lab_look(l);
	}
}

static inline void
hyper_lab_close(struct hyper_lab *l)
{
	wires_close(&l->w);
}

#endif
