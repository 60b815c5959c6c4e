/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fan: one port in and N out, for the tests that ask by which port flows leave. Packets are told
 * apart at the far end by their bytes.
 */
#ifndef TESTS_PIPE_FAN_H
#define TESTS_PIPE_FAN_H

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "expect.h"

#define FAN_PORTS_MAX 16u

/* "version" to "ports": `in` is port 0, member i of each group is port 1 + i. */
static inline void
fan_head(FILE *f, unsigned int id, unsigned int n_out)
{
	fprintf(f, "version: 1\nnode: {name: fan, id: %u}\nruntime: {mbufs: 16384, memory: 64MB}\n",
		id);
	fputs("ports:\n  - {name: in, device: in, role: nsf, promiscuous: true}\n", f);
	for (unsigned int i = 0; i < n_out; i++)
		fprintf(f,
			"  - {name: o%u, device: o%u, role: nsf, mac: \"02:00:00:00:01:%02x\"}\n",
			i, i, i);
}

/* A group over the first `n` ports out; weights NULL: 1 each. `extra`: more keys, or "". */
static inline void
fan_group(FILE *f, const char *name, unsigned int n, const uint32_t *weight, const char *extra)
{
	fprintf(f, "  - name: %s\n%s    members:\n", name, extra);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "      - {port: o%u, mac: \"02:aa:00:00:00:%02x\", weight: %u}\n", i, i,
			weight != NULL ? weight[i] : 1);
}

/* A whole file with one group, and all there is routed to it. */
static inline char *
fan_yaml(unsigned int id, unsigned int n, const uint32_t *weight, const char *extra)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fan_head(f, id, n);
	fputs("groups:\n", f);
	fan_group(f, "g", n, weight, extra);
	fputs("routes:\n  static: [{prefix: 0.0.0.0/0, group: g}, {prefix: \"::/0\", group: g}]\n",
		f);
	fclose(f);
	return text;
}

static inline void
fan_open(struct node_test *t, unsigned int id, unsigned int n, const uint32_t *weight)
{
	char *yaml = fan_yaml(id, n, weight, "");

	node_test_open(t, 256, "%s", yaml);
	free(yaml);
}

/* A UDP packet of random flow; small, so that many are cheap. */
static inline struct packet
fan_flow(struct rng *r, unsigned int version)
{
	struct packet p = packet_udp(version);

	p.src4 = 0x0a000000 | (uint32_t)rng_below(r, 1 << 24);
	p.dst4 = 0x0b000000 | (uint32_t)rng_below(r, 1 << 24);
	for (unsigned int i = 8; i < 16; i++) {
		p.src6[i] = (uint8_t)rng_next(r);
		p.dst6[i] = (uint8_t)rng_next(r);
	}
	p.sport = (uint16_t)rng_next(r);
	p.dport = (uint16_t)rng_next(r);
	p.udp_checksum = false;
	p.payload_len = 8;
	return p;
}

/* One packet in, and the member (from 0) that it left by. */
static inline unsigned int
fan_member(struct node_test *t, const struct packet *p)
{
	static uint8_t in[PACKET_MAX], out[PACKET_MAX];
	size_t len = packet_write(p, in, sizeof(in), NULL), out_len;
	int port = node_test_pass(t, 0, in, len, out, &out_len);

	cr_assert_gt(port, 0, "the packet did not leave");
	return (unsigned int)port - 1;
}

/* `count` of `n` draws with probability `share` is within 4 sigma of what chance makes. */
static inline void
fan_expect_binomial(uint64_t count, double n, double share, const char *what)
{
	double off = (double)count - n * share;

	cr_assert_leq(off * off, 16 * n * share * (1 - share), "%s: %lu, want %.0f by chance", what,
		count, n * share);
}

#endif
