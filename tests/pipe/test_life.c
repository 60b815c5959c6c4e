/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start, poll, stop, start again: a node that is run and not stepped, with its worker on the main
 * lcore, where control and worker take turns.
 */
#include "expect.h"

static uint8_t frame[256];

static void
fill(struct node_test *t, unsigned int n)
{
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put(t, 0, frame, len));
}

Test(life, polls_forward_and_say_when_there_is_nothing_to_do)
{
	struct node_test t;
	unsigned int polls = 0;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	cr_assert_eq(node_start(t.node), 0);
	fill(&t, 320);
	for (unsigned int i = 0; i < 5; i++)
		cr_assert(node_poll(t.node, ++t.ticks));
	cr_assert_eq(node_test_discard(&t, 1), 320, "64 a poll");
	while (node_poll(t.node, ++t.ticks))
		cr_assert_lt(++polls, 5000, "an adaptive node rests after a while");
	cr_assert_gt(polls, 100, "and not at once");
	node_test_close(&t);
}

Test(life, a_node_that_polls_never_rests)
{
	struct node_test t;

	node_test_open(&t, 128,
		"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 4096, idle: poll}\n"
		"ports:\n" PIPE_PORT("in", "01"));
	cr_assert_eq(node_start(t.node), 0);
	for (unsigned int i = 0; i < 10; i++)
		cr_assert(node_poll(t.node, ++t.ticks));
	node_test_close(&t);
}

Test(life, stopped_and_started_again_it_goes_on_where_it_was)
{
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int round = 1; round <= 5; round++) {
		cr_assert_eq(node_start(t.node), 0);
		fill(&t, 100);
		while (node_poll(t.node, ++t.ticks))
			;
		node_stop(t.node);
		cr_assert_eq(node_test_sums(&t).out, 100 * round);
		cr_assert_eq(node_set_weights(t.node, 0, (uint32_t[]){round}), 0);
		cr_assert_not(node_poll(t.node, ++t.ticks), "a stopped node takes no turns");
		/* nobody runs: what was replaced is free at once */
		cr_assert_eq(reclaim_poll(&t.node->reclaim), 0);
	}
	node_test_close(&t);
}

/* Carrier is looked at every 10 ms; a memory port always has one. */
Test(life, links_are_polled_by_the_clock)
{
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	cr_assert_eq(node_start(t.node), 0);
	node_poll(t.node, t.ticks += NODE_TEST_HZ);
	node_set_link(t.node, 1, false);
	fill(&t, 1);
	node_poll(t.node, t.ticks += NODE_TEST_HZ / 1000);
	cr_assert_eq(node_test_drops(&t, DROP_no_member), 1);
	node_poll(t.node, t.ticks += NODE_TEST_HZ / 100);
	fill(&t, 1);
	node_poll(t.node, ++t.ticks);
	cr_assert_eq(node_test_discard(&t, 1), 1);
	cr_assert_not_null(strstr(t.said, "port out: link down."), "%s", t.said);
	cr_assert_not_null(strstr(t.said, "port out: link up."), "%s", t.said);
	node_test_close(&t);
}

Test(life, a_profile_counts_every_packet_and_cycles_of_each_stage)
{
	struct node_test t;
	struct counters sum;
	uint32_t seq;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	fill(&t, 64);
	node_test_run(&t);
	node_counters(t.node, &sum, NULL);
	cr_assert_eq(sum.profile_packets, 0, "off until somebody asks");
	cr_assert_eq(mailbox_send(&t.node->worker[0]->mailbox, MAIL_PROFILE, 1, &seq), 0);
	fill(&t, 640);
	node_test_run(&t);
	cr_assert(mailbox_done(&t.node->worker[0]->mailbox, seq));
	node_counters(t.node, &sum, NULL);
	cr_assert_eq(sum.profile_packets, 640);
	/* a node without a fabric port or a hyper port passes none of their stages */
	for (unsigned int s = 0; s < DP_STAGES_N; s++)
		cr_assert_eq(sum.stage_tsc[s] == 0,
			s == DP_STAGE_cell || s == DP_STAGE_fabric || s == DP_STAGE_hyper, "%s",
			dp_stage_name((enum dp_stage)s));
	node_test_close(&t);
}
