/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric for tests: edges with a host each, spines between them, on the wires of wires.h. Edge
 * `id` has its host in 10.<id>.0.0/16 as system port 4, and sends all else to edge LAB_SINK.
 */
#ifndef TEST_PIPE_FABRIC_LAB_H
#define TEST_PIPE_FABRIC_LAB_H

#include <stdio.h>

#include "expect.h"
#include "wires.h"

#define LAB_SINK  20u
#define LAB_SPINE 100u /* device of the first spine */

struct lab {
	struct node_test node[NODES_MAX];
	struct wires w;
	unsigned int mb;
};

struct lab_edge {
	unsigned int id, n_links, n_workers;
	const char *rate; /* of the host's port; NULL: none */
	const char *dsf;  /* more keys of dsf, a line each */
};

static char lab_text[16384];
static size_t lab_len;

static inline void __attribute__((format(printf, 1, 2))) lab_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	lab_len += (size_t)vsnprintf(lab_text + lab_len, sizeof(lab_text) - lab_len, format, args);
	va_end(args);
	cr_assert_lt(lab_len, sizeof(lab_text));
}

static inline void
lab_edge_yaml(const struct lab_edge *e)
{
	unsigned int far = e->id == LAB_SINK ? 1 : LAB_SINK;

	lab_len = 0;
	lab_say("version: 1\nnode: {name: n%u, id: %u}\nruntime: {memory: 1GB, mbufs: 16384", e->id,
		e->id);
	for (unsigned int i = 0; e->n_workers > 1 && i < e->n_workers; i++) {
		lab_say(i == 0 ? ", workers: [{lcore: 1, rx: [host" : ", {lcore: %u, rx: [host",
			i + 1);
		for (unsigned int l = 0; i == 0 && l < e->n_links; l++)
			lab_say(", fab%u", l);
		lab_say(i + 1 < e->n_workers ? "]}" : "]}]");
	}
	lab_say("}\nports:\n  - {name: host, device: d0, role: nsf, mtu: 4200, "
		"mac: \"02:00:00:00:00:01\"%s%s}\n",
		e->rate == NULL ? "" : ", rate: ", e->rate == NULL ? "" : e->rate);
	for (unsigned int l = 0; l < e->n_links; l++)
		lab_say("  - {name: fab%u, device: d%u, role: dsf, mtu: 4200, rate: 100Gbit}\n", l,
			l + 1);
	lab_say("dsf:\n  device_id: %u\n  reassembly_cells: 4096\n%s"
		"  system_ports: [{number: 4, port: host}]\n"
		"  devices: [{name: far, id: %u}]\n"
		"groups:\n"
		"  - {name: out, members: [{port: host, mac: \"02:aa:00:00:00:01\"}]}\n"
		"  - {name: far-host, members: [{device: far, system_port: 4, mac: "
		"\"02:bb:00:00:00:01\"}]}\n"
		"routes:\n  static:\n"
		"    - {prefix: 10.%u.0.0/16, group: out}\n"
		"    - {prefix: 0.0.0.0/0, group: far-host}\n",
		e->id, e->dsf, far, e->id);
}

static inline struct node_test *
lab_edge(struct lab *lab, const struct lab_edge *e)
{
	struct node_test *t = &lab->node[lab->w.n_nodes];

	lab_edge_yaml(e);
	node_test_open_wired(t, lab->mb, lab_text);
	lab->w.node[lab->w.n_nodes++] = t;
	return t;
}

/* The node at `at` of the lab stops and comes back at once, as lab_text says: it knows nothing. */
static inline void
lab_come_back(struct lab *lab, unsigned int at)
{
	struct node_test *t = &lab->node[at];

	node_test_close(t);
	node_test_open_wired_at(t, lab->mb, lab_text, lab->w.now_ns);
	for (uint16_t p = 0; p < t->node->n_ports; p++)
		node_set_link(t->node, p, true);
}

static inline void
lab_restart(struct lab *lab, unsigned int at, const struct lab_edge *e)
{
	lab_edge_yaml(e);
	lab_come_back(lab, at);
}

/* Passes on cells; ports p0, p1, ... */
static inline void
lab_spine_yaml(unsigned int number, unsigned int n_ports)
{
	lab_len = 0;
	lab_say("version: 1\nnode: {name: s%u, id: %u}\nruntime: {memory: 1GB, mbufs: "
		"16384}\nports:\n",
		number, LAB_SPINE + number);
	for (unsigned int p = 0; p < n_ports; p++)
		lab_say("  - {name: p%u, device: d%u, role: dsf, mtu: 4200, rate: 100Gbit}\n", p,
			p);
	lab_say("dsf: {device_id: %u, transit: true, reassembly_cells: 4096, voq_limit: 1MB}\n",
		LAB_SPINE + number);
}

static inline struct node_test *
lab_spine(struct lab *lab, unsigned int number, unsigned int n_ports)
{
	struct node_test *t = &lab->node[lab->w.n_nodes];

	lab_spine_yaml(number, n_ports);
	node_test_open_wired(t, lab->mb, lab_text);
	lab->w.node[lab->w.n_nodes++] = t;
	return t;
}

/* A wire from fab<link> of an edge to p<port> of a spine. */
static inline void
lab_wire(struct lab *lab, struct node_test *edge, unsigned int link, struct node_test *spine,
	unsigned int port, uint64_t delay_ns)
{
	char fab[8], p[8];

	snprintf(fab, sizeof(fab), "fab%u", link);
	snprintf(p, sizeof(p), "p%u", port);
	wires_add(&lab->w, edge, fab, spine, p, delay_ns);
}

static uint8_t lab_frame[PACKET_MAX];

/* A RoCE packet of `payload` bytes from the host of `from`, whose QP is `flow`, into queue `flow`.
 */
static inline size_t
lab_put(struct node_test *t, unsigned int from, unsigned int to, unsigned int flow,
	uint32_t payload, uint32_t psn)
{
	struct packet k = packet_roce(4);
	struct rte_mbuf *m;
	size_t len;

	k.src4 = 10u << 24 | from << 16 | flow << 8 | 1;
	k.dst4 = 10u << 24 | to << 16 | 1;
	k.dest_qp = flow;
	k.payload_len = payload;
	k.psn = psn;
	len = packet_write(&k, lab_frame, sizeof(lab_frame), NULL);
	m = packet_mbuf(t->node->pool, lab_frame, len);
	cr_assert_not_null(m, "edge %u has no buffer", from);
	cr_assert(node_test_put_mbuf(t, 0, (uint16_t)flow, m), "the ring of edge %u is full", from);
	return len;
}

/* What lab_put() gave, of a frame that left. */
static inline unsigned int
lab_from(const uint8_t *frame)
{
	return frame[27];
}

static inline unsigned int
lab_flow(const uint8_t *frame)
{
	return frame[28];
}

static inline uint32_t
lab_psn(const uint8_t *frame)
{
	return (uint32_t)frame[51] << 16 | (uint32_t)frame[52] << 8 | frame[53];
}

#endif
