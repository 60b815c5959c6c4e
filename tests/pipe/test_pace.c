/* SPDX-License-Identifier: BSD-3-Clause */
/* A paced port takes packets at its pace, by the node's clock, and loses none. */
#include "expect.h"

static uint8_t frame[256];

#define PACE_YAML(workers, keys)                                                                   \
	"version: 1\nnode: {name: n, id: 7}\nruntime:\n  mbufs: 16384\n  burst: 32\n" workers      \
	"ports:\n  - {name: in, device: a, role: nsf, mac: \"02:00:00:00:00:01\", " keys           \
	"}\n" PIPE_PORT("out", "02") "groups:\n  - {name: g, members: [{port: out, mac: "          \
				     "\"02:aa:00:00:00:01\"}]}\n"                                  \
				     "routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n"

static void
fill(struct node_test *t, unsigned int n, uint16_t queue)
{
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put_mbuf(t, 0, queue, packet_mbuf(t->node->pool, frame, len)));
}

/* Turns of `step_ns` for `ns`; returns how many packets left. */
static unsigned int
run_for(struct node_test *t, uint64_t ns, uint64_t step_ns)
{
	unsigned int n = 0;

	for (uint64_t end = t->ticks + ns; t->ticks < end;) {
		t->ticks += step_ns;
		node_turn(t->node, t->ticks);
		n += node_test_discard(t, 1);
	}
	return n;
}

Test(pace, ten_kpps_let_exactly_that_many_through)
{
	static const uint64_t step[] = {1000, 7777, 50000, 100000, 333333, 1000000};
	struct node_test t;

	for (unsigned int i = 0; i < 6; i++) {
		node_test_open(&t, 128, PACE_YAML("", "pace: 10kpps"));
		fill(&t, 4000, 0);
		/* 0.3 s: 3000 packets, and a step more of time at the most */
		unsigned int n = run_for(&t, 300000000, step[i]);

		cr_assert(n >= 2999 && n <= 3032, "steps of %lu ns: %u packets", step[i], n);
		node_test_balance(&t);
		/* the rest comes, and none is lost */
		n += run_for(&t, 200000000, step[i]);
		cr_assert_eq(n, 4000);
		node_test_close(&t);
	}
}

Test(pace, a_long_pause_is_no_licence_to_flood)
{
	struct node_test t;

	node_test_open(&t, 128, PACE_YAML("", "pace: 10kpps"));
	t.ticks += UINT64_C(3600000000000);
	fill(&t, 1000, 0);
	/* an hour of silence earns one burst's worth of credit, 64 packets in two polls */
	node_turn(t.node, t.ticks);
	node_turn(t.node, t.ticks);
	node_turn(t.node, t.ticks);
	cr_assert_eq(node_test_discard(&t, 1), BURST_MAX);
	run_for(&t, 100000000, 100000);
	cr_assert_eq(node_test_sums(&t).in, 1000);
	node_test_close(&t);
}

Test(pace, credit_is_spent_on_packets_and_not_on_polls)
{
	struct node_test t;

	node_test_open(&t, 128, PACE_YAML("", "pace: 10kpps"));
	for (unsigned int round = 0; round < 20; round++) {
		/* ten packets' worth of time: three come now, eight later, and one of them is early
		 */
		t.ticks += 1000000;
		fill(&t, 3, 0);
		node_test_run(&t);
		cr_assert_eq(node_test_discard(&t, 1), 3);
		node_test_run(&t);
		fill(&t, 8, 0);
		node_test_run(&t);
		cr_assert_eq(node_test_discard(&t, 1), 7, "round %u", round);
		t.ticks += 100000;
		node_test_run(&t);
		cr_assert_eq(node_test_discard(&t, 1), 1);
	}
	node_test_close(&t);
}

Test(pace, the_queues_of_a_port_share_its_pace)
{
	struct node_test t;
	unsigned int n;

	node_test_open(&t, 128,
		PACE_YAML("  workers: [{lcore: 1, rx: [in]}, {lcore: 2, rx: [in]}]\n",
			"pace: 10kpps"));
	fill(&t, 2000, 0);
	fill(&t, 2000, 1);
	n = run_for(&t, 200000000, 50000);
	cr_assert(n >= 1998 && n <= 2064, "%u packets", n);
	run_for(&t, 300000000, 50000);
	node_test_close(&t);
}

Test(pace, a_port_without_one_takes_all_there_is)
{
	struct node_test t;

	node_test_open(&t, 128, PACE_YAML("", "mtu: 1500"));
	fill(&t, 3200, 0);
	cr_assert_eq(run_for(&t, 100, 1), 3200);
	cr_assert_eq(t.node->worker[0]->counters->busy_turns, 100, "32 a turn");
	node_test_close(&t);
}
