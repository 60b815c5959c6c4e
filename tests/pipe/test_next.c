/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The next event of a node (dp/next.h): a caller who sleeps until then misses nothing. Each test
 * asks, takes a turn just before, which must move nothing, and one at the time, which must.
 */
#include "expect.h"
#include "wire/pfc.h"

#define NEXT_YAML(keys)                                                                            \
	"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 16384, memory: 256MB}\n"             \
	"ports:\n" PIPE_PORT("in", "01") "  - {name: out, device: b, role: longhaul, mac: "        \
					 "\"02:00:00:00:00:02\", mtu: 1500, " keys "}\n"           \
					 "classes:\n  - {class: 3, name: rdma, dscp: [26], "       \
					 "limit: 1MB, lossless: true}\n"                           \
					 "groups:\n  - {name: g, members: [{port: out, mac: "      \
					 "\"02:aa:00:00:00:01\"}]}\n"                              \
					 "routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n"

/* Ticks are nanoseconds. */
static uint64_t
next_ticks(const struct node_test *t)
{
	uint64_t ps = node_next_ps(t->node, t->ticks);

	cr_assert_neq(
		ps, DP_NEVER_PS, "%lu packets wait and nothing is planned", node_waiting(t->node));
	return t->ticks + (ps + 999) / 1000;
}

static void
put_data(struct node_test *t, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put(t, 0, frame, len));
}

/* What a turn may change: what waits in class queues, and what has left. */
static uint64_t
moved(const struct node_test *t)
{
	uint64_t bytes = 0;

	for (unsigned int c = 0; c < DP_CLASSES; c++)
		bytes += egress_backlog(&t->node->shared.commons[1], c);
	return bytes + (node_test_sums(t).out << 32);
}

/* Event by event until nothing waits; returns how many there were. */
static unsigned int
drain(struct node_test *t)
{
	unsigned int n = 0;

	for (; node_waiting(t->node) != 0; n++) {
		uint64_t at = next_ticks(t), was = moved(t);

		cr_assert_lt(n, 10000u, "%lu packets wait and do not leave", node_waiting(t->node));
		if (at - t->ticks > 1) {
			t->ticks = at - 1;
			node_turn(t->node, t->ticks);
			cr_assert_eq(moved(t), was, "something moved before %lu ns", at);
			cr_assert_eq(next_ticks(t), at, "the event moved");
		}
		t->ticks = at;
		node_turn(t->node, t->ticks);
		cr_assert_neq(moved(t), was, "nothing moved at %lu ns", at);
		node_test_discard(t, 1);
	}
	cr_assert_eq(node_next_ps(t->node, t->ticks), DP_NEVER_PS);
	return n;
}

Test(next, an_idle_node_has_no_event)
{
	struct node_test t;

	node_test_open(&t, 256, NEXT_YAML("rate: 10Mbit, delay: 5ms"));
	cr_assert_eq(node_next_ps(t.node, t.ticks), DP_NEVER_PS);
	node_test_run(&t);
	cr_assert_eq(node_next_ps(t.node, t.ticks), DP_NEVER_PS);
	node_test_close(&t);
}

Test(next, a_shaper_lets_one_frame_go_at_each_event)
{
	struct node_test t;
	unsigned int before;

	node_test_open(&t, 256, NEXT_YAML("rate: 10Mbit"));
	put_data(&t, 500);
	node_test_run(&t);
	before = (unsigned int)node_waiting(t.node);
	cr_assert_gt(before, 490u);
	node_test_discard(&t, 1);
	cr_assert_eq(drain(&t), before);
	node_test_close(&t);
}

Test(next, a_delay_line_and_jitter_are_kept_to_the_nanosecond)
{
	static const char *const yaml[] = {NEXT_YAML("rate: 100Gbit, delay: 50ms"),
		NEXT_YAML("rate: 1Gbit, delay: 5ms, impair: {out: {jitter: 700us, seed: 3}}"),
		NEXT_YAML("rate: 1Gbit, delay: 1ms, impair: {out: {reorder: 10%%, reorder_delay: "
			  "90us}}")};

	for (unsigned int i = 0; i < 3; i++) {
		struct node_test t;

		node_test_open(&t, 256, yaml[i]);
		put_data(&t, 300);
		node_test_run(&t);
		cr_assert_eq(node_waiting(t.node), 300);
		cr_assert_geq(drain(&t), 1u);
		cr_assert_geq(t.ticks, i == 0 ? 50000000u : 1000000u);
		node_test_close(&t);
	}
}

Test(next, a_pause_ends_to_the_nanosecond)
{
	struct node_test t;
	uint16_t quanta[PFC_CLASSES] = {[3] = 1000};
	uint8_t frame[PFC_FRAME_LEN];
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};

	node_test_open(&t, 256,
		NEXT_YAML("rate: 1Gbit, distance: 1km, pfc: {classes: [3], watchdog: \"off\"}"));
	pfc_build(frame, mac, 1u << 3, quanta);
	cr_assert(node_test_put(&t, 1, frame, sizeof(frame)));
	node_test_run(&t);
	put_data(&t, 20);
	node_test_run(&t);
	cr_assert_eq(node_waiting(t.node), 20);
	cr_assert_eq(next_ticks(&t), 512000u); /* 1000 quanta of 512 ns */
	drain(&t);
	node_test_close(&t);
}

/* Its clock moves only in turns: a caller who slept through the pause would miss the storm. */
Test(next, the_watchdog_sees_a_storm_in_time)
{
	struct node_test t;
	uint16_t quanta[PFC_CLASSES] = {[3] = 65535};
	uint8_t frame[PFC_FRAME_LEN];
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	const struct qos_storm *storm;

	node_test_open(&t, 256,
		NEXT_YAML("rate: 1Gbit, distance: 1km, pfc: {classes: [3], watchdog: {detect: "
			  "20ms, restore: 20ms}}"));
	storm = &t.node->shared.commons[1].storm;
	pfc_build(frame, mac, 1u << 3, quanta); /* 33.6 ms */
	cr_assert(node_test_put(&t, 1, frame, sizeof(frame)));
	node_test_run(&t);
	put_data(&t, 20);
	node_test_run(&t);
	while (node_waiting(t.node) != 0) {
		t.ticks = next_ticks(&t);
		node_turn(t.node, t.ticks);
	}
	cr_assert_eq(storm->n_detected, 1);
	cr_assert(t.ticks >= 20000000 && t.ticks < 21000000, "detected at %lu ns", t.ticks);
	cr_assert_eq(node_test_drops(&t, DROP_pfc_storm), 20);
	while (storm->mask != 0) {
		t.ticks = next_ticks(&t);
		node_turn(t.node, t.ticks);
	}
	cr_assert(t.ticks >= 53000000 && t.ticks < 55000000, "restored at %lu ns", t.ticks);
	cr_assert_eq(node_next_ps(t.node, t.ticks), DP_NEVER_PS);
	node_test_close(&t);
}
