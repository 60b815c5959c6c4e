/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node that is stopped while packets wait everywhere: in class queues, on delay lines, in TX
 * buffers, on their way to the owner of a TX queue. Each is sent or counted `stopped`;
 * node_test_close() looks for its buffer.
 */
#include <rte_ring.h>

#include "longhaul.h"

static uint8_t frame[2048];

/* Packets of four classes to all workers, `n` to each, at one moment. */
static void
flood(struct node_test *t, unsigned int n)
{
	static const uint8_t dscp[] = {0, 8, 48, 56};

	for (unsigned int i = 0; i < n; i++) {
		struct packet p = longhaul_udp(590);
		size_t len;

		p.tos = (uint8_t)(dscp[i % 4] << 2 | 2);
		len = packet_write(&p, frame, sizeof(frame), NULL);
		for (unsigned int w = 0; w < t->node->n_workers; w++)
			longhaul_put_frame(t, (uint16_t)w, frame, len);
		if (i % 64 == 63)
			node_test_step(t, 0);
	}
	node_test_run(t);
	node_test_balance(t);
}

static uint64_t
on_the_line(const struct node_test *t)
{
	uint64_t n = 0;

	for (unsigned int w = 0; w < t->node->n_workers; w++)
		n += t->node->worker[w]->queue[LONGHAUL_OUT].line.n +
		     t->node->worker[w]->queue[LONGHAUL_OUT].late.n;
	return n;
}

/* Of what waited, nothing is missing, and what is left at the port is what was sent. */
static void
expect_stop(struct node_test *t)
{
	struct node_test_sums before = node_test_sums(t), after;
	uint64_t stopped;

	cr_assert_eq(node_test_drops(t, DROP_stopped), 0);
	cr_assert_gt(before.waiting, 0);
	node_stop(t->node);
	after = node_test_sums(t);
	stopped = node_test_drops(t, DROP_stopped);
	cr_assert_eq(after.waiting, 0);
	cr_assert_eq(stopped + (after.out - before.out), before.waiting,
		"%lu waited, %lu stopped, %lu sent", before.waiting, stopped,
		after.out - before.out);
	cr_assert_eq(after.dropped - before.dropped, stopped);
	cr_assert_gt(stopped, 0);
	node_test_close(t);
}

Test(longhaul_stop, with_full_queues)
{
	for (unsigned int n = 1; n <= 4; n *= 2) {
		struct node_test t;

		longhaul_open(
			&t, 256, &(struct longhaul_conf){.out = "rate: 1Mbit", .n_workers = n});
		flood(&t, 600);
		cr_assert_geq(longhaul_commons(&t)->packets, 600 * n - 1);
		expect_stop(&t);
	}
}

Test(longhaul_stop, with_full_delay_lines)
{
	for (unsigned int n = 1; n <= 4; n *= 2) {
		struct node_test t;
		uint64_t at;

		longhaul_open(&t, 256,
			&(struct longhaul_conf){.out = "rate: 1Gbit, delay: 5ms, impair: {jitter: "
						       "1ms, reorder: 10%}",
				.n_workers = n});
		flood(&t, 600);
		/* some of it goes on, so that queues and lines hold some each */
		for (unsigned int i = 0; i < 20; i++)
			node_test_step(&t, 50 * LONGHAUL_US);
		at = on_the_line(&t);
		cr_assert_gt(at, 100);
		cr_assert_gt(longhaul_commons(&t)->packets, 100);
		expect_stop(&t);
	}
}

/* More than a turn sends was due at the last turn's time: that is sent, nothing else. */
Test(longhaul_stop, sends_what_is_due_and_no_more)
{
	for (uint64_t due = 0; due < 2; due++) {
		struct node_test t;

		longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 100Gbit, delay: 1ms"});
		flood(&t, 400);
		cr_assert_eq(on_the_line(&t), 400);
		node_test_step(&t, LONGHAUL_MS - 1 + due);
		cr_assert_eq(node_test_sums(&t).waiting, due ? 400 - WORKER_TX_MAX : 400);
		node_stop(t.node);
		cr_assert_eq(node_test_drops(&t, DROP_stopped), due ? 0 : 400);
		cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), due ? 400 : 0);
		node_test_close(&t);
	}
}

Test(longhaul_stop, with_a_device_that_takes_nothing)
{
	static const char *const out[] = {NULL, "ecn: {kmin: 10KB, kmax: 100KB, pmax: 50%}",
		"rate: 100Gbit", "rate: 100Gbit, delay: 10us"};

	for (unsigned int k = 0; k < 4; k++)
		for (unsigned int n = 1; n <= 4; n *= 2) {
			struct node_test t;

			longhaul_open(
				&t, 256, &(struct longhaul_conf){.out = out[k], .n_workers = n});
			/* the port's ring is full after 4096 */
			for (unsigned int i = 0; i < 200; i++) {
				flood(&t, 64 / n);
				t.ticks += 10 * LONGHAUL_US;
			}
			cr_assert_eq(node_test_sums(&t).out, NODE_TEST_DEPTH);
			expect_stop(&t);
		}
}

Test(longhaul_stop, with_packets_on_their_way_to_the_owner_of_a_queue)
{
	static const char *const out[] = {
		"rate: 100Gbit, delay: 20us", "rate: 100Gbit", "impair: {loss: 1%, seed: 1}"};

	for (unsigned int k = 0; k < 3; k++) {
		struct node_test t;

		longhaul_open(&t, 256, &(struct longhaul_conf){.out = out[k], .n_workers = 4});
		node_test_give_tx_queues(&t, 1);
		for (unsigned int i = 0; i < 200; i++) {
			flood(&t, 16);
			t.ticks += 4 * LONGHAUL_US;
		}
		cr_assert_gt(rte_ring_count(t.node->handoff[LONGHAUL_OUT]), 0);
		expect_stop(&t);
	}
}

Test(longhaul_stop, before_the_first_packet)
{
	struct node_test t;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 1Gbit, delay: 20us"});
	node_stop(t.node);
	node_test_close(&t);
}
