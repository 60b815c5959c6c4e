/* SPDX-License-Identifier: BSD-3-Clause */
/* Two nodes back to back over fabric links: packets in, cells over, packets out. */
#include "ctl/fabric.h"
#include "expect.h"
#include "wires.h"

#define MB   700u
#define SEED 42u

/* nsf port `in`, `n` links, all to device 2; workers as given. */
static const char *
yaml(unsigned int id, unsigned int n_links, const char *dsf, const char *runtime)
{
	static char text[4096];
	size_t len = 0;

#define SAY(...) len += (size_t)snprintf(text + len, sizeof(text) - len, __VA_ARGS__)
	SAY("version: 1\nnode: {name: n%u, id: %u}\n%s"
	    "ports:\n"
	    "  - {name: host, device: net_null0, role: nsf, mtu: 4200, mac: \"02:00:00:00:00:01\", "
	    "addresses: [10.%u.64.254/24]}\n",
		id, id, runtime, id);
	for (unsigned int l = 0; l < n_links; l++)
		SAY("  - {name: fab%u, device: net_null%u, role: dsf, mtu: 4200, rate: 100Gbit}\n",
			l, l + 1);
	SAY("dsf:\n  device_id: %u\n  reassembly_cells: 4096\n  voq_limit: 2MB\n%s"
	    "  system_ports: [{number: 4, port: host}]\n"
	    "  devices: [{name: far, id: %u}]\n"
	    "groups:\n"
	    "  - {name: out, members: [{port: host, mac: \"02:aa:00:00:00:01\"}]}\n"
	    "  - {name: far-router, members: [{device: far}]}\n"
	    "  - {name: far-host, members: [{device: far, system_port: 4, mac: "
	    "\"02:bb:00:00:00:01\"}]}\n"
	    "routes:\n  static:\n"
	    "    - {prefix: 10.%u.0.0/24, group: out}\n"
	    "    - {prefix: 10.%u.0.0/24, group: far-router}\n"
	    "    - {prefix: 10.%u.1.0/24, group: far-host}\n",
		id, dsf, 3 - id, id, 3 - id, 3 - id);
#undef SAY
	return text;
}

struct pair {
	struct node_test a, b;
	struct wires w;
};

static void
open_pair(struct pair *p, unsigned int n_links, const char *dsf, const char *runtime)
{
	memset(p, 0, sizeof(*p));
	node_test_open_wired(&p->a, 2 * MB, yaml(1, n_links, dsf, runtime));
	node_test_open_wired(&p->b, 2 * MB, yaml(2, n_links, dsf, runtime));
	p->w.node[0] = &p->a;
	p->w.node[1] = &p->b;
	p->w.n_nodes = 2;
	rng_init(&p->w.rng, SEED);
	for (unsigned int l = 0; l < n_links; l++) {
		char name[8];

		snprintf(name, sizeof(name), "fab%u", l);
		wires_add(&p->w, &p->a, name, &p->b, name, 1000 + 700 * l);
	}
	wires_begin(&p->w);
}

static uint8_t frame[PACKET_MAX], got[PACKET_MAX];

/* A RoCE packet to host 10.<to>.<net>.1 of `payload` bytes; returns its length. */
static size_t
make(unsigned int from, unsigned int to, unsigned int net, uint32_t payload, uint32_t psn)
{
	struct packet k = packet_roce(4);

	k.src4 = 10u << 24 | from << 16 | 1;
	k.dst4 = 10u << 24 | to << 16 | net << 8 | 1;
	k.payload_len = payload;
	k.psn = psn;
	return packet_write(&k, frame, sizeof(frame), NULL);
}

Test(fabric, the_neighbour_is_reachable_over_every_link)
{
	struct pair p;

	open_pair(&p, 4, "", "");
	for (uint16_t l = 1; l <= 4; l++)
		cr_assert(alive_test(&p.a.node->shared.alive, l), "link %u", l);
	cr_assert_eq(p.a.node->snapshot->fabric->n_sets, 1);
	cr_assert_eq(p.a.node->snapshot->fabric->set_of[2], 1);
	cr_assert_eq(p.a.node->snapshot->fabric->set[0].n_links, 4);
	for (uint16_t way = 5; way < 7; way++)
		cr_assert(alive_test(&p.a.node->shared.alive, way), "way %u", way);
	wires_close(&p.w);
}

static void
one_packet_each_size(const char *dsf)
{
	struct pair p;

	open_pair(&p, 3, dsf, "");
	for (uint32_t len = 0; len < 4100; len += 73) {
		for (unsigned int net = 0; net < 2; net++) {
			size_t in = make(1, 2, net, len, len), out;

			cr_assert(node_test_put(&p.a, 0, frame, in));
			wires_run(&p.w, 60000, 1000);
			out = node_test_take(&p.b, 0, got, sizeof(got));
			cr_assert_eq(out, in, "net %u, %u bytes: %zu of %zu; drops%s", net, len,
				out, in, wires_drops(&p.w));
			cr_assert(packet_icrc_ok(got, out));
			/* the router behind port 0 is a hop of its own */
			cr_assert_eq(got[14 + 8], net == 0 ? 62 : 63);
			cr_assert_eq(got[1], net == 0 ? 0xaa : 0xbb);
			cr_assert_eq(memcmp(got + 34, frame + 34, in - 34), 0);
		}
	}
	cr_assert_eq(wires_dropped(&p.w), 0, "drops:%s", wires_drops(&p.w));
	wires_close(&p.w);
}

Test(fabric, packets_of_every_size_arrive_bit_exact_when_pushed)
{
	one_packet_each_size("  scheduling: push\n");
}

Test(fabric, packets_of_every_size_arrive_bit_exact_with_credit)
{
	one_packet_each_size("  scheduling: credit\n");
}

Test(fabric, packets_of_every_size_arrive_bit_exact_in_small_cells)
{
	one_packet_each_size("  scheduling: credit\n  cell_size: 256\n");
}

/* Frames of the EtherType that the file says, both ways: another node's would be no cells. */
Test(fabric, cells_may_have_another_ethertype)
{
	struct node_test *end[2];
	struct pair p;

	open_pair(&p, 2, "  ethertype: 0x88b6\n", "");
	end[0] = &p.a;
	end[1] = &p.b;
	for (unsigned int i = 0; i < 2; i++) {
		cr_assert(node_test_put(end[i], 0, frame, make(1 + i, 2 - i, i, 3000, 5)));
		wires_run(&p.w, 1000000, 1000);
		cr_assert_eq(node_test_discard(end[1 - i], 0), 1, "drops:%s", wires_drops(&p.w));
	}
	for (unsigned int i = 0; i < p.w.n_wires; i++)
		cr_assert_eq(p.w.wire[i].data + p.w.wire[i].reach, 0, "0x88b5 on wire %u", i);
	cr_assert_eq(wires_dropped(&p.w), 0, "drops:%s", wires_drops(&p.w));
	wires_close(&p.w);
}

/* What make() gave, of a frame that left: which of the two streams, and the number in it. */
static unsigned int
net_of(const uint8_t *bytes)
{
	return bytes[14 + 18];
}

static uint32_t
psn_of(const uint8_t *bytes)
{
	return (uint32_t)bytes[51] << 16 | (uint32_t)bytes[52] << 8 | bytes[53];
}

/* Random sizes over links of unlike delay that jitters: once, in order, whole. */
static void
in_order(const char *dsf, const char *runtime, uint32_t n)
{
	/* the router and the host's port are two streams: each has numbers of its own */
	uint32_t sent = 0, came = 0, psn[2] = {0}, next[2] = {0};
	struct pair p;
	size_t len;

	open_pair(&p, 4, dsf, runtime);
	for (unsigned int i = 0; i < p.w.n_wires; i++)
		p.w.wire[i].jitter_ns = 5000;
	while (came < n) {
		for (unsigned int k = 0; k < 8 && sent < n; k++, sent++) {
			unsigned int net = sent % 3 == 0 ? 1 : 0;

			len = make(1, 2, net, (uint32_t)rng_below(&p.w.rng, 4000), psn[net]++);
			cr_assert(node_test_put(&p.a, 0, frame, len));
		}
		wires_step(&p.w, 1000);
		for (; (len = node_test_take(&p.b, 0, got, sizeof(got))) != 0; came++) {
			unsigned int net = net_of(got);

			cr_assert(packet_icrc_ok(got, len));
			cr_assert_lt(net, 2);
			cr_assert_eq(psn_of(got), next[net], "net %u: %u, want %u (seed %u)", net,
				psn_of(got), next[net], SEED);
			next[net]++;
		}
		cr_assert_lt(
			p.w.now_ns, UINT64_C(60000000) + n * UINT64_C(20000), "%u of %u", came, n);
	}
	wires_run(&p.w, 1000000, 1000);
	cr_assert_eq(node_test_discard(&p.b, 0), 0, "more came than was sent");
	cr_assert_eq(wires_dropped(&p.w), 0, "drops:%s", wires_drops(&p.w));
	wires_close(&p.w);
}

Test(fabric, a_stream_over_jittering_links_arrives_whole_when_pushed)
{
	in_order("  scheduling: push\n", "", 20000);
}

Test(fabric, a_stream_over_jittering_links_arrives_whole_with_credit)
{
	in_order("  scheduling: credit\n", "", 20000);
}

Test(fabric, cells_of_one_stream_on_links_of_several_workers_meet)
{
	in_order("  scheduling: credit\n",
		"runtime: {workers: [{lcore: 1, rx: [host, fab0]}, {lcore: 2, rx: [fab1, fab2]}, "
		"{lcore: 3, rx: [fab3]}]}\n",
		20000);
}

/* Of the cut wire, what was on it is lost: not a cell goes there from the next burst on. */
Test(fabric, a_link_that_is_cut_loses_only_what_was_on_it)
{
	struct pair p;
	uint32_t sent = 0, sent_then = 0, came = 0, next = 0;
	uint64_t before = 0, lost;
	size_t len;

	open_pair(&p, 4, "", "");
	p.w.wire[2].delay_ns = 50000; /* so that there is something on it at any time */
	for (unsigned int turn = 0; turn < 8000; turn++) {
		if (turn == 1000) {
			before = p.w.wire[2].data;
			sent_then = sent;
			cr_assert_gt(before, 0);
			wires_cut(&p.w, 1, true);
		}
		for (unsigned int k = 0; k < 2 && turn < 3000; k++, sent++) {
			len = make(1, 2, 0, 1000 + sent % 2000, sent);
			cr_assert(node_test_put(&p.a, 0, frame, len));
		}
		wires_step(&p.w, 1000);
		while ((len = node_test_take(&p.b, 0, got, sizeof(got))) != 0) {
			uint32_t psn = psn_of(got);

			/* what is missing was sent before the cut */
			cr_assert(psn == next || (psn > next && psn <= sent_then),
				"%u came and %u was next; %u were sent before the cut", psn, next,
				sent_then);
			next = psn + 1;
			came++;
		}
	}
	lost = p.w.wire[2].data_lost;
	cr_assert_eq(next, sent);
	cr_assert_eq(p.w.wire[2].data, before, "cells still go to a dead link");
	cr_assert_gt(lost, 0, "nothing was on the link");
	cr_assert_geq(came + lost, sent, "%u sent, %u came, %lu cells lost", sent, came, lost);
	cr_assert_eq(node_test_sums(&p.a).dropped, 0);
	wires_close(&p.w);
}

/* What the file may say, the scheduler takes: each end of each range. */
Test(fabric, a_node_starts_with_the_least_and_the_most_that_a_file_may_say)
{
	static const char *const dsf[] = {
		"  credit_bytes: 1KB\n  speedup: 50%\n  router_rate: 1Mbit\n",
		"  credit_bytes: 1MB\n  speedup: 200%\n  router_rate: 100Tbit\n",
	};

	for (size_t i = 0; i < RTE_DIM(dsf); i++) {
		struct node_test t;

		node_test_open_wired(&t, MB, yaml(1, 1, dsf[i], ""));
		node_test_close(&t);
	}
}

Test(fabric, the_rate_of_the_router_is_nothing_to_a_system_port)
{
	struct node_test t;
	const struct dp_fabric *f;

	node_test_open_wired(&t, MB, yaml(1, 1, "  router_rate: 7Gbit\n", ""));
	f = &t.node->fabric->dp;
	cr_assert_eq(f->n_systems, 2);
	cr_assert_eq(f->system[0].rate_bps, UINT64_C(7000000000));
	cr_assert_eq(f->system[1].rate_bps, CONF_DSF_RATE, "its port's, which nobody knows");
	node_test_close(&t);
}

/* Cells for system port `port` among the next `n` that leave by the link. */
static unsigned int
take_cells(struct node_test *t, uint16_t link, unsigned int n, unsigned int port)
{
	unsigned int found = 0;
	struct rte_mbuf *m;

	for (; n != 0 && (m = node_test_take_mbuf(t, link)) != NULL; n--) {
		const uint8_t *p = rte_pktmbuf_mtod_offset(m, const uint8_t *, ETH_HDR_LEN);

		found += wire_get16(p + 8) == port;
		rte_pktmbuf_free(m);
	}
	return found;
}

/*
 * Cells for the host of the far node among 1000, where a link takes `n` cells a turn and more come:
 * packets of `router_len` to the router there, of `host_len` to the host.
 */
static unsigned int
cells_for_host(const char *dsf, uint32_t router_len, uint32_t host_len, unsigned int n)
{
	struct node_test t;
	unsigned int found;
	uint16_t link;

	node_test_open(&t, MB, "%s", yaml(1, 1, dsf, ""));
	link = node_test_port(&t, "fab0");
	for (uint32_t step = 0; step < 500; step++) {
		for (uint32_t i = 0; i < 32; i++)
			cr_assert(node_test_put(
				&t, 0, frame, make(1, 2, i % 2, i % 2 ? host_len : router_len, i)));
		node_test_step(&t, 1000);
		take_cells(&t, link, n, 4);
	}
	take_cells(&t, link, 3000, 4); /* of the time before the link was full */
	found = take_cells(&t, link, 1000, 4);
	node_test_close(&t);
	return found;
}

Test(fabric, destinations_share_a_link_that_is_too_slow)
{
	unsigned int n = cells_for_host("  scheduling: push\n", 4000, 4000, 16);

	cr_assert_gt(n, 450);
	cr_assert_lt(n, 550);
}

/* 17 cells never find room if those of one cell may go meanwhile. */
Test(fabric, long_packets_find_room_beside_short_ones)
{
	unsigned int n = cells_for_host("  scheduling: push\n  cell_size: 256\n", 100, 4100, 8);

	cr_assert_gt(n, 200);
}

/* Packets that may go, and a device that no link leads to any more: in push all of them may. */
Test(fabric, packets_for_a_device_that_is_gone_do_not_wait_for_ever)
{
	struct pair p;
	uint64_t put = 0;

	open_pair(&p, 1, "  scheduling: push\n", "");
	/* until the link takes no more, and some wait */
	while (fabric_waiting(p.a.node->worker[0]) < 100) {
		cr_assert(node_test_put(&p.a, 0, frame, make(1, 2, 1, 4000, (uint32_t)put++)));
		node_test_step(&p.a, 1000);
		cr_assert_lt(put, 4000);
	}
	p.w.now_ns = p.a.ticks;
	wires_cut(&p.w, 0, true);
	wires_run(&p.w, 400000000, 1000000);
	cr_assert_geq(fabric_waiting(p.a.node->worker[0]), 100, "it may come back");
	wires_run(&p.w, 200000000, 1000000);
	cr_assert_eq(fabric_waiting(p.a.node->worker[0]), 0);
	cr_assert_geq(node_test_drops(&p.a, DROP_unreachable), 100);
	cr_assert_eq(node_test_drops(&p.a, DROP_voq_watchdog), 0);
	wires_close(&p.w);
}

/* What a worker does before control has made anything of it: the bit is all that it looks at. */
Test(fabric, a_link_that_is_dead_by_its_bit_alone_gets_no_cell)
{
	static const char *const dsf[] = {"  scheduling: push\n", "  scheduling: credit\n"};

	for (unsigned int i = 0; i < 2; i++) {
		struct pair p;

		open_pair(&p, 4, dsf[i], "");
		alive_set(&p.a.node->shared.alive, node_test_port(&p.a, "fab1"), false);
		for (uint32_t n = 0; n < 400; n++) {
			size_t len = make(1, 2, n % 2, 3000, n);

			cr_assert(node_test_put(&p.a, 0, frame, len));
			wires_step(&p.w, 1000);
		}
		for (unsigned int l = 0; l < 4; l++)
			cr_assert_eq(p.w.wire[2 * l].data == 0, l == 1, "link %u: %lu cells", l,
				p.w.wire[2 * l].data);
		wires_run(&p.w, 1000000, 1000);
		cr_assert_eq(node_test_discard(&p.b, 0), 400);
		wires_close(&p.w);
	}
}
