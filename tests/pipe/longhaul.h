/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the long-haul tests share: a node with one way in and one way out whose queues, delay line
 * and impairments a test writes as YAML keys, and a line that puts packets in and reads them again
 * at the far end with the turn that they came out in. Time is virtual: the test moves the clock.
 */
#ifndef TESTS_PIPE_LONGHAUL_H
#define TESTS_PIPE_LONGHAUL_H

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "expect.h"

#define LONGHAUL_IN  0u /* port indexes */
#define LONGHAUL_OUT 1u

#define LONGHAUL_US UINT64_C(1000) /* ticks */
#define LONGHAUL_MS UINT64_C(1000000)

struct longhaul_conf {
	const char *in, *out;   /* keys of the ports, `a: 1, b: 2`; NULL: none */
	const char *classes;    /* items of `classes`, each "  - {...}\n"; NULL: none */
	unsigned int n_workers; /* 0: one; each polls a queue of `in` */
	bool both;              /* and of `out` */
	uint16_t mtu;           /* 0: 1500 */
	uint32_t mbufs;         /* 0: 16384 */
};

/* The node's YAML; the caller's to free. */
static inline char *
longhaul_yaml(const struct longhaul_conf *c)
{
	unsigned int n_workers = c->n_workers == 0 ? 1 : c->n_workers, mtu = c->mtu;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	mtu = mtu == 0 ? 1500 : mtu;
	fprintf(f,
		"version: 1\nnode: {name: lh, id: 7}\n"
		"runtime:\n  mbufs: %u\n  memory: 2GB\n  workers:\n",
		c->mbufs == 0 ? 16384 : c->mbufs);
	for (unsigned int w = 0; w < n_workers; w++)
		fprintf(f, "    - {lcore: %u, rx: [in%s]}\n", w + 1, c->both ? ", out" : "");
	fprintf(f,
		"ports:\n"
		"  - {name: in, device: in, role: nsf, mac: \"02:00:00:00:00:01\", mtu: %u%s%s}\n"
		"  - {name: out, device: out, role: longhaul, mac: \"02:00:00:00:00:02\", mtu: "
		"%u%s%s}\n",
		mtu, c->in != NULL ? ", " : "", c->in != NULL ? c->in : "", mtu,
		c->out != NULL ? ", " : "", c->out != NULL ? c->out : "");
	if (c->classes != NULL)
		fprintf(f, "classes:\n%s", c->classes);
	fputs("groups:\n  - {name: g, members: [{port: out, mac: \"02:aa:00:00:00:01\"}]}\n"
	      "routes:\n  static: [{prefix: 0.0.0.0/0, group: g}, {prefix: \"::/0\", group: g}]\n",
		f);
	fclose(f);
	return text;
}

static inline void
longhaul_open(struct node_test *t, unsigned int mb, const struct longhaul_conf *c)
{
	char *text = longhaul_yaml(c);

	node_test_open(t, mb, "%s", text);
	free(text);
	cr_assert_eq(t->node->n_workers, c->n_workers == 0 ? 1 : c->n_workers);
}

/* A frame as it leaves. */
static inline void
longhaul_forwarded(uint8_t *frame)
{
	static const uint8_t to[6] = {0x02, 0xaa, 0, 0, 0, 1}, from[6] = {0x02, 0, 0, 0, 0, 2};

	expect_forwarded(frame, to, from);
}

/* UDP of class 0 and DSCP 0 whose frame has `frame_len` bytes; 60 at least. */
static inline struct packet
longhaul_udp(size_t frame_len)
{
	struct packet p = packet_udp(4);

	p.udp_checksum = false;
	p.payload_len = (uint32_t)frame_len - 42;
	return p;
}

/* RoCE data of class 3 with DSCP 26 and ECT(0); frame_len a multiple of 4, plus 2; 62 at least. */
static inline struct packet
longhaul_roce(size_t frame_len)
{
	struct packet p = packet_roce(4);

	p.payload_len = (uint32_t)frame_len - 58;
	return p;
}

static inline void
longhaul_put_frame(struct node_test *t, uint16_t queue, const uint8_t *frame, size_t len)
{
	struct rte_mbuf *m = packet_mbuf(t->node->pool, frame, len);

	cr_assert_not_null(
		m, "the node's pool is empty, %lu packets wait in the node", node_waiting(t->node));
	cr_assert(node_test_put_mbuf(t, LONGHAUL_IN, queue, m), "the ring is full");
}

static inline void
longhaul_put(struct node_test *t, const struct packet *p, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];
	size_t len = packet_write(p, frame, sizeof(frame), NULL);

	while (n-- > 0)
		longhaul_put_frame(t, 0, frame, len);
}

/* A packet of longhaul_udp() with its number in the payload: see longhaul_number(). */
static inline void
longhaul_put_number(struct node_test *t, struct packet p, uint32_t number)
{
	static uint8_t payload[16384];

	memcpy(payload, &number, sizeof(number));
	p.payload = payload;
	longhaul_put(t, &p, 1);
}

/* The number of a UDP packet that longhaul_put_number() put in. */
static inline uint32_t
longhaul_number(const struct rte_mbuf *m)
{
	uint32_t number;

	memcpy(&number, rte_pktmbuf_mtod_offset(m, const uint8_t *, 42), sizeof(number));
	return number;
}

/* Counters of all workers. */
static inline struct counters
longhaul_counters(const struct node_test *t)
{
	struct counters sum;

	node_counters(t->node, &sum, NULL);
	return sum;
}

static inline struct egress_commons *
longhaul_commons(const struct node_test *t)
{
	return &t->node->shared.commons[LONGHAUL_OUT];
}

/* `count` of `n` draws with chance `share` lies within 3 sigma of what chance makes. */
static inline void
longhaul_expect_3_sigma(uint64_t count, double n, double share, const char *what)
{
	double off = (double)count - n * share;

	cr_assert_leq(off * off, 9 * n * share * (1 - share), "%s: %lu of %.0f, want %.1f", what,
		count, n, n * share);
}

#endif
