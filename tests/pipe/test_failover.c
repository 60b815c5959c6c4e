/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links that die and weights that change under traffic: only the flows move that have to, no packet
 * is lost, and what was replaced is freed.
 */
#include <pthread.h>

#include "eal.h"
#include "fan.h"

#define FLOWS 2048u

static void
map_flows(struct node_test *t, uint8_t *ret_member)
{
	struct rng r;

	rng_init(&r, 5);
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct packet p = fan_flow(&r, i % 2 ? 4 : 6);

		ret_member[i] = (uint8_t)fan_member(t, &p);
	}
}

/* From `before` to `now` the flows of `gone` moved, to all others, and none else did. */
static void
expect_only_its_flows_moved(
	const uint8_t *before, const uint8_t *now, unsigned int gone, unsigned int n_members)
{
	unsigned int to[FAN_PORTS_MAX] = {0};

	for (unsigned int i = 0; i < FLOWS; i++) {
		cr_assert_neq(now[i], gone, "flow %u still goes to the dead member", i);
		if (before[i] == gone)
			to[now[i]]++;
		else
			cr_assert_eq(now[i], before[i], "flow %u moved", i);
	}
	for (unsigned int m = 0; m < n_members; m++)
		if (m != gone)
			cr_assert_gt(to[m], 0, "member %u takes none of the dead one's flows", m);
}

Test(failover, a_dead_link_moves_only_its_flows_and_its_return_brings_them_back)
{
	uint8_t first[FLOWS], at_once[FLOWS], rebuilt[FLOWS], back[FLOWS];
	struct node_test t;

	fan_open(&t, 7, 4, NULL);
	map_flows(&t, first);
	for (uint16_t m = 0; m < 4; m++) {
		/* the bit alone: what a worker does before the control thread has rebuilt anything
		 */
		alive_set(&t.node->shared.alive, 1u + m, false);
		map_flows(&t, at_once);
		expect_only_its_flows_moved(first, at_once, m, 4);
		alive_set(&t.node->shared.alive, 1u + m, true);
		map_flows(&t, back);
		cr_assert_arr_eq(back, first, FLOWS);

		node_set_link(t.node, (uint16_t)(1 + m), false);
		map_flows(&t, rebuilt);
		cr_assert_arr_eq(rebuilt, at_once, FLOWS, "the rebuilt group moves flows again");
		node_set_link(t.node, (uint16_t)(1 + m), true);
		map_flows(&t, back);
		cr_assert_arr_eq(back, first, FLOWS, "not as it was before");
	}
	node_test_close(&t);
}

Test(failover, links_that_die_one_by_one_move_only_their_own_flows)
{
	uint8_t first[FLOWS], before[FLOWS], now[FLOWS];
	struct node_test t;

	fan_open(&t, 7, 8, NULL);
	map_flows(&t, first);
	memcpy(before, first, FLOWS);
	for (uint16_t m = 0; m < 7; m++) {
		node_set_link(t.node, (uint16_t)(1 + m), false);
		map_flows(&t, now);
		for (unsigned int i = 0; i < FLOWS; i++) {
			cr_assert_gt(now[i], m);
			if (before[i] != m)
				cr_assert_eq(now[i], before[i]);
		}
		memcpy(before, now, FLOWS);
	}
	/* back in the same order, not the reverse one: the end is the beginning all the same */
	for (uint16_t m = 0; m < 7; m++)
		node_set_link(t.node, (uint16_t)(1 + m), true);
	map_flows(&t, now);
	cr_assert_arr_eq(now, first, FLOWS);
	node_test_close(&t);
}

/* A rebuild for another reason while a link is down must not bury its flows for good. */
Test(failover, flows_come_back_to_a_link_though_weights_changed_while_it_was_down)
{
	uint8_t first[FLOWS], now[FLOWS];
	struct node_test t;

	fan_open(&t, 7, 4, NULL);
	map_flows(&t, first);
	node_set_link(t.node, 2, false);
	cr_assert_eq(node_set_weights(t.node, 0, (uint32_t[]){1, 1, 1, 1}), 0);
	node_set_link(t.node, 2, true);
	map_flows(&t, now);
	cr_assert_arr_eq(now, first, FLOWS);
	node_test_close(&t);
}

Test(failover, a_thousand_changes_of_weights_lose_nothing_and_move_only_what_they_must)
{
	static const uint32_t four[5] = {1, 1, 1, 1, 0}, five[5] = {1, 1, 1, 1, 1};
	uint8_t before[FLOWS], now[FLOWS];
	struct node_test t;
	size_t heap;

	fan_open(&t, 7, 5, four);
	heap = node_test_heap();
	map_flows(&t, before);
	for (unsigned int round = 0; round < 1000; round++) {
		bool joins = round % 2 == 0;
		struct rng r;

		cr_assert_eq(node_set_weights(t.node, 0, joins ? five : four), 0);
		rng_init(&r, round);
		for (unsigned int i = 0; i < 40; i++) {
			struct packet p = fan_flow(&r, 4);

			fan_member(&t, &p); /* fails when the packet does not leave */
		}
		cr_assert_leq(t.node->reclaim.n, 1, "old groups pile up");
		if (round >= 20)
			continue;
		map_flows(&t, now);
		for (unsigned int i = 0; i < FLOWS; i++)
			cr_assert(now[i] == before[i] || (joins ? now[i] : before[i]) == 4,
				"round %u: flow %u moved from %u to %u", round, i, before[i],
				now[i]);
		memcpy(before, now, FLOWS);
	}
	node_test_run(&t);
	cr_assert_eq(t.node->reclaim.n, 0);
	cr_assert_eq(node_test_heap(), heap, "old groups stay in memory");
	node_test_close(&t);
}

/* The links are looked at each 10 ms, and with them what could not be rebuilt. */
static void
poll_links(struct node_test *t)
{
	t->ticks += NODE_TEST_HZ / 100;
	node_poll(t->node, t->ticks);
}

Test(failover, a_group_that_found_no_memory_is_rebuilt_when_there_is_some)
{
	uint8_t first[FLOWS], without[FLOWS], now[FLOWS];
	const struct nhg_group *old;
	struct node_test t;
	void *taken;

	fan_open(&t, 7, 4, NULL);
	map_flows(&t, first);
	node_set_link(t.node, 2, false);
	map_flows(&t, without);
	old = node_group_now(t.node, 0);
	taken = test_heap_take();
	cr_assert_not_null(taken);

	/* a port in memory is always up: the poll finds its link there again */
	cr_assert_eq(node_start(t.node), 0);
	for (unsigned int i = 0; i < 5; i++)
		poll_links(&t);
	cr_assert(alive_test(&t.node->shared.alive, 2));
	cr_assert(t.node->rebuild[2]);
	cr_assert_eq(node_group_now(t.node, 0), old);
	cr_assert_eq(
		node_test_said(&t, "group g cannot be rebuilt"), 1, "once is enough: %s", t.said);
	map_flows(&t, now);
	cr_assert_arr_eq(now, without, FLOWS, "the old group still serves");

	test_heap_give(taken);
	poll_links(&t);
	cr_assert_not(t.node->rebuild[2]);
	cr_assert_neq(node_group_now(t.node, 0), old);
	map_flows(&t, now);
	cr_assert_arr_eq(now, first, FLOWS, "its flows are not back");
	old = node_group_now(t.node, 0);
	poll_links(&t);
	cr_assert_eq(node_group_now(t.node, 0), old, "rebuilt once");
	node_test_close(&t);
}

Test(failover, a_link_that_dies_while_memory_is_short_loses_nothing)
{
	uint8_t first[FLOWS], now[FLOWS];
	struct node_test t;
	void *taken;

	fan_open(&t, 7, 4, NULL);
	map_flows(&t, first);
	taken = test_heap_take();
	node_set_link(t.node, 2, false);
	cr_assert(t.node->rebuild[2]);
	map_flows(&t, now);
	expect_only_its_flows_moved(first, now, 1, 4);
	test_heap_give(taken);
	node_set_link(t.node, 2, false);
	cr_assert_not(t.node->rebuild[2]);
	map_flows(&t, now);
	expect_only_its_flows_moved(first, now, 1, 4);
	node_set_link(t.node, 2, true);
	map_flows(&t, now);
	cr_assert_arr_eq(now, first, FLOWS);
	node_test_close(&t);
}

/* One thread steps the worker and feeds it numbered packets, one changes the node under it. */
struct traffic {
	struct node_test *t;
	bool stop;
	uint64_t sent, received;
	uint32_t wrong; /* numbers that came twice or never left */
};

#define IN_FLIGHT 64u

static unsigned int
collect(struct traffic *tr, uint8_t *seen)
{
	unsigned int n = 0;
	struct rte_mbuf *m;

	for (unsigned int p = 1; p < tr->t->node->n_ports; p++) {
		while (port_mem_take(tr->t->node->port[p], &m, 1) == 1) {
			uint8_t number = *rte_pktmbuf_mtod_offset(m, uint8_t *, 42);

			tr->wrong += seen[number]++ != 0;
			rte_pktmbuf_free(m);
			n++;
		}
	}
	return n;
}

static void *
run_traffic(void *arg)
{
	struct traffic *tr = arg;
	struct worker *w = tr->t->node->worker[0];
	uint8_t frame[128];
	struct rng r;

	rng_init(&r, 9);
	while (!__atomic_load_n(&tr->stop, __ATOMIC_RELAXED)) {
		uint8_t seen[IN_FLIGHT] = {0}, number;
		struct packet p = fan_flow(&r, 4);
		unsigned int n = 0;

		p.payload = &number;
		p.payload_len = 1;
		for (number = 0; number < IN_FLIGHT; number++) {
			size_t len;
			struct rte_mbuf *m;

			p.sport++;
			len = packet_write(&p, frame, sizeof(frame), NULL);
			m = packet_mbuf(tr->t->node->pool, frame, len);
			if (m == NULL || port_mem_put(tr->t->node->port[0], 0, &m, 1) != 1)
				abort();
		}
		tr->sent += IN_FLIGHT;
		for (unsigned int turn = 0; turn < 4; turn++) {
			worker_turn(w, 0);
			n += collect(tr, seen);
		}
		tr->received += n;
		tr->wrong += n != IN_FLIGHT;
	}
	return NULL;
}

static void
wait_turns(const struct node *n, uint64_t turns)
{
	const uint64_t *now = &n->worker[0]->counters->turns;
	uint64_t until = counter_read(now) + turns;

	while (counter_read(now) < until)
		sched_yield();
}

static uint64_t
sent_by(const struct node *n, unsigned int port)
{
	return counter_read(&n->worker[0]->counters->port_out[port].packets);
}

/* Some changes, at full speed; every 64th time, a dead link must be seen to stay silent. */
static void
change_node(struct node *n, unsigned int round)
{
	uint32_t weight[6] = {1, 1, 1, 1, round % 2, round % 3};
	uint16_t port = (uint16_t)(1 + round % 3); /* 4 to 6 stay up */

	cr_assert_eq(node_set_weights(n, 0, weight), 0);
	node_set_link(n, port, false);
	if (round % 64 == 0) {
		uint64_t before;

		wait_turns(n, 2);
		before = sent_by(n, port);
		wait_turns(n, 20);
		cr_assert_eq(sent_by(n, port), before, "packets go to a dead port");
	}
	node_set_link(n, port, true);
	reclaim_poll(&n->reclaim);
}

Test(failover, a_control_thread_in_a_hurry_loses_no_packet_and_frees_all_it_replaced)
{
	static const uint32_t weight[6] = {1, 1, 1, 1, 0, 0};
	struct node_test t;
	struct traffic tr = {.t = &t};
	pthread_t thread;
	size_t heap;

	fan_open(&t, 7, 6, weight);
	heap = node_test_heap();
	cr_assert_eq(pthread_create(&thread, NULL, run_traffic, &tr), 0);
	wait_turns(t.node, 10);
	for (unsigned int round = 0; round < 3000; round++)
		change_node(t.node, round);
	for (unsigned int tries = 0; reclaim_poll(&t.node->reclaim) != 0; tries++) {
		cr_assert_lt(tries, 1000, "%zu groups are never freed", t.node->reclaim.n);
		wait_turns(t.node, 1);
	}
	cr_assert_eq(node_test_heap(), heap, "old groups stay in memory");
	__atomic_store_n(&tr.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	t.n_put = tr.sent;
	cr_assert_eq(tr.wrong, 0, "%u of %lu packets are lost or came twice", tr.wrong, tr.sent);
	cr_assert_eq(tr.received, tr.sent);
	node_test_close(&t);
}
