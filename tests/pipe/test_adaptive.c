/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets to where less waits, in virtual time: ports with rates, and more to send than is easy. */
#include "dp/load.h"
#include "race.h"

static uint32_t
any(struct race *r)
{
	return (uint32_t)rng_below(&r->rng, RACE_FLOWS);
}

static struct race_conf
ports(unsigned int n, const char *const *port, const uint32_t *weight, const char *group,
	unsigned int workers)
{
	struct race_conf c = {
		.members = n,
		.workers = workers,
		.weight = weight,
		.group = group,
		.opcode = 0x07,
		.bth_byte8 = 0x40,
		.frame_len = 1002,
	};

	for (unsigned int i = 0; i < n; i++)
		c.port[i] = port[i];
	return c;
}

static uint64_t
load_ps(const struct race *r, uint16_t port)
{
	struct load l;

	load_look(r->t.node->worker[0], port, &l);
	return l.ps;
}

struct watch {
	uint64_t steps, unfair; /* a member idles while another has more than twice the mean */
	uint64_t deepest_ps;
};

static void
look(const struct race *r, struct watch *w)
{
	uint64_t sum = 0, most = 0, least = UINT64_MAX;

	for (uint16_t p = 1; p <= r->conf.members; p++) {
		uint64_t ps = load_ps(r, p);

		sum += ps;
		most = RTE_MAX(most, ps);
		least = RTE_MIN(least, ps);
	}
	w->steps++;
	w->deepest_ps = RTE_MAX(w->deepest_ps, most);
	/* 16 KB at 10 Gbit/s, which the policy calls little, and a frame */
	if (least == 0 && most * r->conf.members > 2 * sum && most > 14 * PS_PER_US)
		w->unfair++;
}

/* `permille` packets a microsecond, for `us`. */
static void
offer(struct race *r, uint64_t permille, unsigned int us, struct watch *w)
{
	uint64_t due = 0;

	for (unsigned int i = 0; i < us; i += 4) {
		unsigned int n;

		due += 4 * permille;
		n = (unsigned int)(due / 1000);
		due -= n * UINT64_C(1000);
		race_send(r, n, any);
		race_step(r, 4000);
		look(r, w);
	}
}

static const char *const half[] = {"rate: 10Gbit", "rate: 10Gbit", "rate: 5Gbit", "rate: 10Gbit"};

/* 35 Gbit/s in all are 4.26 frames of 1026 bytes a microsecond. */
static void
expect_half(const char *group, unsigned int workers)
{
	struct race_conf c = ports(4, half, NULL, group, workers);
	static struct race r;
	struct watch w = {0};
	uint64_t before[FAN_PORTS_MAX + 1], sum = 0;

	race_open(&r, &c);
	offer(&r, 4200, 5000, &w);
	memcpy(before, r.came, sizeof(before));
	w = (struct watch){0};
	offer(&r, 4200, 50000, &w);
	for (unsigned int p = 1; p <= 4; p++)
		sum += r.came[p] - before[p];
	for (unsigned int p = 1; p <= 4; p++) {
		double share = (double)(r.came[p] - before[p]) / (double)sum;
		double due = p == 3 ? 1 / 7.0 : 2 / 7.0;

		cr_assert(share > 0.96 * due && share < 1.04 * due, "%s port %u: %.4f, due %.4f",
			group, p, share, due);
	}
	cr_assert_eq(w.unfair, 0, "%lu of %lu", w.unfair, w.steps);
	race_finish(&r);
	cr_assert_eq(r.n_came, r.n_sent, "a queue ran over: %lu of %lu", r.n_came, r.n_sent);
	race_close(&r);
}

Test(adaptive, a_member_at_half_the_rate_gets_half_of_what_the_others_get)
{
	expect_half("    policy: adaptive\n", 1);
	expect_half("    policy: adaptive\n", 3);
}

/* The same traffic in equal parts would not fit: 1.03 frames a microsecond into 0.61. */
Test(adaptive, a_spray_does_not_see_the_slow_member)
{
	struct race_conf c = ports(4, half, NULL, "    policy: spray\n", 1);
	static struct race r;
	struct watch w = {0};

	race_open(&r, &c);
	offer(&r, 4100, 5000, &w);
	cr_assert_gt(w.deepest_ps, PS_PER_MS, "%lu us", w.deepest_ps / PS_PER_US);
	race_finish(&r);
	race_close(&r);
}

/* Bursts of twice what all take, and silence: at no time does a member idle beside a long queue. */
Test(adaptive, no_member_idles_while_another_has_twice_the_mean)
{
	static const char *const equal[] = {"rate: 10Gbit", "rate: 10Gbit", "rate: 10Gbit",
		"rate: 10Gbit", "rate: 10Gbit", "rate: 10Gbit", "rate: 10Gbit", "rate: 10Gbit"};

	for (unsigned int n = 2; n <= 8; n *= 2)
		for (unsigned int workers = 1; workers <= 3; workers += 2) {
			struct race_conf c =
				ports(n, equal, NULL, "    policy: adaptive\n", workers);
			static struct race r;
			struct watch w = {0};

			race_open(&r, &c);
			for (unsigned int round = 0; round < 40; round++) {
				offer(&r, 2 * n * 1218, 200, &w);
				offer(&r, n * 600, 300, &w);
				offer(&r, 0, 200, &w);
			}
			cr_assert_gt(w.deepest_ps, 100 * PS_PER_US);
			cr_assert_eq(w.unfair, 0, "%u members, %u workers: %lu of %lu steps", n,
				workers, w.unfair, w.steps);
			race_finish(&r);
			cr_assert_eq(r.n_came, r.n_sent);
			race_close(&r);
		}
}

/* Nothing waits anywhere: shares are the weights'. */
Test(adaptive, weights_hold_where_ports_are_idle_and_where_they_are_busy)
{
	static const char *const equal[] = {"rate: 10Gbit", "rate: 10Gbit", "rate: 10Gbit"};
	static const uint32_t weight[] = {2, 1, 1};

	for (unsigned int busy = 0; busy < 2; busy++) {
		struct race_conf c = ports(3, equal, weight, "    policy: adaptive\n", 1);
		static struct race r;
		struct watch w = {0};
		uint64_t sum = 0;

		race_open(&r, &c);
		offer(&r, busy ? 2000 : 1000, 50000, &w);
		race_finish(&r);
		for (unsigned int p = 1; p <= 3; p++)
			sum += r.came[p];
		for (unsigned int p = 1; p <= 3; p++) {
			double share = (double)r.came[p] / (double)sum;
			double due = weight[p - 1] / 4.0;

			cr_assert(share > 0.97 * due && share < 1.03 * due,
				"%u: port %u: %.4f, due %.4f", busy, p, share, due);
		}
		race_close(&r);
	}
}

/* Ports that say no rate: what their devices do not take is what tells. */
Test(adaptive, ports_without_a_rate_are_told_apart_by_what_their_devices_take)
{
	static const char *const plain[] = {NULL, NULL, NULL};
	struct race_conf c = ports(3, plain, NULL, "    policy: adaptive\n", 1);
	static struct race r;
	struct rte_mbuf *m[64];
	uint64_t others = 0;

	race_open(&r, &c);
	/* nobody takes what comes by port 2: its ring of 4096 fills, then the buffer behind it */
	while (r.came[1] + r.came[3] < 40000) {
		uint16_t n;

		race_send(&r, 32, any);
		r.t.ticks += 10000;
		node_turn(r.t.node, r.t.ticks);
		for (uint16_t p = 1; p <= 3; p += 2)
			while ((n = port_mem_take(r.t.node->port[p], m, 64)) != 0) {
				rte_pktmbuf_free_bulk(m, n);
				r.t.n_taken += n;
				r.came[p] += n;
			}
	}
	others = r.came[1] + r.came[3];
	/* the ring, and then as good as nothing */
	cr_assert_lt(r.n_sent - others, NODE_TEST_DEPTH + 64, "%lu", r.n_sent - others);
	race_take(&r);
	race_finish(&r);
	cr_assert_eq(node_test_drops(&r.t, DROP_tx_full), 0);
	race_close(&r);
}

/* Flowlets that begin go to the least of all: incast from one port in, two ways, one of them busy.
 */
Test(adaptive, flowlets_begin_where_least_waits)
{
	static const char *const groups[] = {"    policy: flowlet\n    gap: 20us\n",
		"    policy: adaptive\n    per: flowlet\n    gap: 20us\n"};

	for (unsigned int k = 0; k < 2; k++) {
		struct race_conf c = ports(4, half, NULL, groups[k], 1);
		static struct race r;
		struct watch w = {0};
		uint64_t sum = 0;

		race_open(&r, &c);
		/* 256 flows of one packet in 80 us: each packet is a flowlet */
		offer(&r, 3200, 30000, &w);
		race_finish(&r);
		for (unsigned int p = 1; p <= 4; p++)
			sum += r.came[p];
		cr_assert_lt((double)r.came[3] / (double)sum, 0.2, "%s: %.3f to the slow one",
			groups[k], (double)r.came[3] / (double)sum);
		cr_assert_eq(r.n_came, r.n_sent);
		cr_assert_lt(w.deepest_ps, 300 * PS_PER_US, "%lu us", w.deepest_ps / PS_PER_US);
		race_close(&r);
	}
}

/* A device that gives no credit: what waits for it in this worker's VOQ is a backlog like any. */
Test(adaptive, a_member_through_the_fabric_counts_by_its_voq)
{
	static uint8_t frame[2048];
	struct packet p = packet_roce(4);
	struct node_test t;
	uint64_t cut, sent;
	size_t len;

	node_test_open(&t, 512,
		"version: 1\nnode: {name: edge, id: 7}\nruntime: {mbufs: 65536, memory: 1GB}\n"
		"ports:\n"
		"  - {name: in, device: in, role: nsf, promiscuous: true}\n"
		"  - {name: out, device: out, role: nsf}\n"
		"  - {name: fab, device: fab, role: dsf}\n"
		"dsf: {device_id: 11, devices: [{name: far, id: 21}]}\n"
		"groups:\n  - name: g\n    policy: adaptive\n    members: [{device: far}, "
		"{port: out, mac: \"02:00:00:00:0b:01\"}]\n"
		"routes: {static: [{prefix: 0.0.0.0/0, group: g}]}\n");
	p.opcode = 0x07;
	p.bth_byte8 = 0x40;
	p.payload_len = 1000;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	for (unsigned int i = 0; i < 1000; i++) {
		cr_assert(node_test_put(&t, 0, frame, len));
		if (i % 8 != 7)
			continue;
		node_test_step(&t, 1000);
		node_test_discard(&t, 1);
		node_test_discard(&t, 2);
	}
	cut = node_test_member(&t, 0, 0);
	sent = node_test_member(&t, 0, 1);
	cr_assert_eq(cut + sent, 1000);
	/* as long as little waits they share, and then no more: 16 KB are 16 packets */
	cr_assert(cut > 8 && cut < 32, "%lu waited for a device without credit", cut);
	node_test_close(&t);
}
