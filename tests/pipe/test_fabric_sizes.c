/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of 60 to 9216 bytes between two nodes, in cells of each size over each number of links,
 * whose delays are unlike and jitter: once, in order, bit for bit.
 */
#include "expect.h"
#include "wires.h"

#define MB        1200u
#define N         300u
#define LEN_MIN   60u
#define LEN_MAX   9216u
#define LINK_CELL 9216u /* a cell that fills the MTU of its link, 9240 with its header */

static uint8_t frame[PACKET_MAX], got[PACKET_MAX];

/* Hosts of node `id` are its system port 4. */
static void
open_node(struct node_test *t, unsigned int id, unsigned int n_links, unsigned int cell_size)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f,
		"version: 1\nnode: {name: n%u, id: %u}\nruntime: {mbufs: 8192, memory: 1GB}\n"
		"ports:\n  - {name: host, device: h, role: nsf, mtu: 9600, promiscuous: true, "
		"mac: \"02:00:00:00:00:01\"}\n",
		id, id);
	for (unsigned int l = 0; l < n_links; l++)
		fprintf(f, "  - {name: fab%u, device: d%u, role: dsf, mtu: %u, rate: 100Gbit}\n", l,
			l, RTE_MAX(cell_size + CELL_HEADER_LEN, 1500u));
	fprintf(f,
		"dsf:\n  device_id: %u\n  cell_size: %u\n  reassembly_cells: 4096\n  voq_limit: "
		"4MB\n  system_ports: [{number: 4, port: host}]\n  devices: [{name: far, id: %u}]\n"
		"groups:\n  - {name: far, members: [{device: far, system_port: 4, mac: "
		"\"02:bb:00:00:00:01\"}]}\n"
		"routes:\n  static: [{prefix: 0.0.0.0/0, group: far}]\n",
		id, cell_size, 3 - id);
	fclose(f);
	node_test_open_wired(t, MB, text);
	free(text);
}

/* Around what a cell holds first, then any. */
static uint32_t
size_of(uint32_t number, uint32_t cell_size, struct rng *rng)
{
	const uint32_t first[] = {LEN_MIN, LEN_MAX, cell_size - 1, cell_size, cell_size + 1,
		2 * cell_size - 1, 2 * cell_size, LEN_MIN};
	uint32_t size = number < RTE_DIM(first)
				? first[number]
				: LEN_MIN + (uint32_t)rng_below(rng, LEN_MAX - LEN_MIN + 1);

	return RTE_MIN(size, LEN_MAX);
}

/* The frame of a number; the same when it is made again. */
static size_t
make(uint32_t number, uint32_t cell_size)
{
	static uint8_t payload[LEN_MAX];
	struct packet p = packet_udp(4);
	struct rng rng;

	rng_init(&rng, number + cell_size);
	p.payload_len = size_of(number, cell_size, &rng) - 42;
	memcpy(payload, &number, sizeof(number));
	for (uint32_t i = sizeof(number); i < p.payload_len; i++)
		payload[i] = (uint8_t)rng_next(&rng);
	p.payload = payload;
	return packet_write(&p, frame, sizeof(frame), NULL);
}

static void
check(size_t len, uint32_t number, uint32_t cell_size, unsigned int n_links)
{
	size_t want = make(number, cell_size);

	cr_assert_eq(len, want, "%zu bytes, want %zu: packet %u, cells of %u, %u links", len, want,
		number, cell_size, n_links);
	/* MACs are the router's */
	memcpy(frame, got, 12);
	frame[22]--;
	packet_fix_ip4(frame + 14);
	cr_assert_eq(memcmp(got, frame, len), 0, "packet %u, cells of %u, %u links", number,
		cell_size, n_links);
}

static void
cross(unsigned int n_links, unsigned int cell_size)
{
	struct node_test t[2];
	struct wires w = {.n_nodes = 2, .node = {&t[0], &t[1]}};
	uint32_t sent = 0, came = 0;
	uint64_t end_ns;
	size_t len;

	rng_init(&w.rng, n_links * 10000 + cell_size);
	for (unsigned int i = 0; i < 2; i++)
		open_node(&t[i], i + 1, n_links, cell_size);
	for (unsigned int l = 0; l < n_links; l++) {
		char name[8];

		snprintf(name, sizeof(name), "fab%u", l);
		wires_add(&w, &t[0], name, &t[1], name, 500 + rng_below(&w.rng, 20000));
	}
	wires_begin(&w);
	for (unsigned int i = 0; i < w.n_wires; i++)
		w.wire[i].jitter_ns = 1 + rng_below(&w.rng, 10000);
	for (end_ns = w.now_ns + 5000000; w.now_ns < end_ns;) {
		if (sent < N) {
			len = make(sent++, cell_size);
			cr_assert(node_test_put(&t[0], 0, frame, len));
		}
		wires_step(&w, came < N ? 1000 : 100000);
		while ((len = node_test_take(&t[1], 0, got, sizeof(got))) != 0)
			check(len, came++, cell_size, n_links);
	}
	cr_assert_eq(
		came, N, "cells of %u, %u links; drops:%s", cell_size, n_links, wires_drops(&w));
	cr_assert_eq(wires_dropped(&w), 0, "drops:%s", wires_drops(&w));
	wires_close(&w);
}

static void
all_links(unsigned int cell_size)
{
	for (unsigned int n_links = 2; n_links <= 16; n_links += n_links < 5    ? 1
								 : n_links == 5 ? 3
										: 4)
		cross(n_links, cell_size);
}

Test(fabric_sizes, cells_of_256)
{
	all_links(256);
}

Test(fabric_sizes, cells_of_512)
{
	all_links(512);
}

Test(fabric_sizes, cells_of_2048)
{
	all_links(2048);
}

Test(fabric_sizes, cells_of_4096)
{
	all_links(4096);
}

Test(fabric_sizes, cells_that_fill_their_link)
{
	all_links(LINK_CELL);
}
