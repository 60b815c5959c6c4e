/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much may wait: a class its bytes and a port its packets, to the last one, and which reason
 * the next one is dropped by. The port sends so little that nothing leaves but the first packet.
 */
#include "ctl/egress.h"
#include "longhaul.h"

/* Class 0 and lossless class 3 of 100,000 bytes; 8 classes are named, so a port holds 800,000. */
#define CLASSES                                                                                    \
	"  - {class: 0, name: c0, limit: 100KB}\n"                                                 \
	"  - {class: 1, name: c1, limit: 100KB}\n"                                                 \
	"  - {class: 2, name: c2, limit: 100KB}\n"                                                 \
	"  - {class: 3, name: c3, limit: 100KB, lossless: true}\n"                                 \
	"  - {class: 4, name: c4, limit: 100KB}\n"                                                 \
	"  - {class: 5, name: c5, limit: 100KB}\n"                                                 \
	"  - {class: 6, name: c6, limit: 100KB}\n"                                                 \
	"  - {class: 7, name: c7, limit: 100KB}\n"

static void
open_port(struct node_test *t, unsigned int n_workers)
{
	longhaul_open(t, 128,
		&(struct longhaul_conf){
			.out = "rate: 1Mbit", .classes = CLASSES, .n_workers = n_workers});
}

/* `n` packets, at one moment. */
static void
put(struct node_test *t, const struct packet *p, unsigned int n)
{
	for (; n > 64; n -= 64) {
		longhaul_put(t, p, 64);
		node_test_step(t, 0);
	}
	longhaul_put(t, p, n);
	node_test_step(t, 0);
}

static uint64_t
bytes(const struct node_test *t, unsigned int class)
{
	return egress_backlog(longhaul_commons(t), class);
}

static uint64_t
peak(const struct node_test *t, unsigned int class)
{
	return longhaul_commons(t)->class_[class].peak;
}

/* Everything leaves; the counts go back to 0 and the high-water marks stay. */
static void
drain(struct node_test *t)
{
	for (unsigned int i = 0; node_waiting(t->node) != 0; i++) {
		node_test_step(t, LONGHAUL_MS);
		node_test_discard(t, LONGHAUL_OUT);
		cr_assert_lt(i, 10000);
	}
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		cr_assert_eq(longhaul_commons(t)->class_[c].bytes, 0);
	cr_assert_eq(longhaul_commons(t)->packets, 0);
}

Test(longhaul_limits, a_lossy_class_is_full_to_the_byte)
{
	struct node_test t;
	struct packet p = longhaul_udp(1000), longer = longhaul_udp(1001);

	open_port(&t, 1);
	put(&t, &p, 1 + 99);
	cr_assert_eq(bytes(&t, 0), 99000);
	put(&t, &longer, 1); /* a byte too long */
	cr_assert_eq(node_test_drops(&t, DROP_queue_full), 1);
	cr_assert_eq(bytes(&t, 0), 99000);
	put(&t, &p, 1);
	cr_assert_eq(bytes(&t, 0), 100000);
	cr_assert_eq(node_test_drops(&t, DROP_queue_full), 1);
	p = longhaul_udp(60);
	put(&t, &p, 50);
	cr_assert_eq(node_test_drops(&t, DROP_queue_full), 51);
	cr_assert_eq(peak(&t, 0), 100000);
	cr_assert_eq(node_test_sums(&t).dropped, 51);
	/* others are not full */
	p = longhaul_roce(1002);
	put(&t, &p, 99);
	cr_assert_eq(node_test_sums(&t).dropped, 51);
	cr_assert_eq(bytes(&t, 3), 99 * 1002);
	drain(&t);
	cr_assert_eq(peak(&t, 0), 100000);
	cr_assert_eq(peak(&t, 3), 99 * 1002);
	node_test_close(&t);
}

Test(longhaul_limits, a_lossless_class_counts_apart)
{
	struct node_test t;
	struct packet p = longhaul_roce(1002);

	open_port(&t, 1);
	put(&t, &p, 1 + 99 + 7);
	cr_assert_eq(bytes(&t, 3), 99198);
	cr_assert_eq(node_test_drops(&t, DROP_lossless_drop), 7);
	p = longhaul_roce(802);
	put(&t, &p, 2);
	cr_assert_eq(bytes(&t, 3), 100000);
	cr_assert_eq(node_test_drops(&t, DROP_lossless_drop), 8);
	cr_assert_eq(node_test_sums(&t).dropped, 8);
	cr_assert_eq(peak(&t, 3), 100000);
	drain(&t);
	node_test_close(&t);
}

/* Small packets end the buffers before they end the bytes. */
Test(longhaul_limits, a_port_holds_no_more_packets_than_it_has_buffers_for)
{
	struct node_test t;
	struct packet p = longhaul_udp(60), roce = longhaul_roce(62);
	uint32_t most;

	open_port(&t, 1);
	most = egress_queue_packets(t.conf, LONGHAUL_OUT);
	cr_assert_eq(most, 800000 / 1125 + 1);
	put(&t, &p, 1 + most);
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	cr_assert_eq(longhaul_commons(&t)->packets, most);
	put(&t, &p, 9);
	cr_assert_eq(node_test_drops(&t, DROP_buffer_full), 9);
	/* for all classes; a lossless one has its own reason */
	put(&t, &roce, 4);
	cr_assert_eq(node_test_drops(&t, DROP_lossless_drop), 4);
	cr_assert_eq(node_test_sums(&t).dropped, 13);
	cr_assert_eq(longhaul_commons(&t)->packets, most);
	drain(&t);
	/* and then there is room again */
	put(&t, &p, most);
	cr_assert_eq(node_test_sums(&t).dropped, 13);
	node_test_close(&t);
}

Test(longhaul_limits, workers_share_the_bytes_of_a_class)
{
	static uint8_t frame[2048];
	struct packet p = longhaul_udp(1000);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);
	struct node_test t;
	uint64_t by_worker[2];

	open_port(&t, 2);
	/* three of four come to worker 1 */
	for (unsigned int i = 0; i < 121; i++) {
		longhaul_put_frame(&t, i % 4 != 0, frame, len);
		node_test_step(&t, 0);
	}
	cr_assert_eq(bytes(&t, 0), 100000);
	cr_assert_eq(node_test_drops(&t, DROP_queue_full), 20);
	for (unsigned int w = 0; w < 2; w++)
		by_worker[w] = t.node->worker[w]->queue[LONGHAUL_OUT].fifo[0].bytes;
	cr_assert_eq(by_worker[0] + by_worker[1], 100000);
	cr_assert_eq(by_worker[0], 25000);
	cr_assert_eq(peak(&t, 0), 100000);
	drain(&t);
	node_test_close(&t);
}

/* What marks and what is full is the sum of all workers, not what the packet's own worker has. */
Test(longhaul_limits, workers_share_the_backlog_that_marks)
{
	static uint8_t frame[2048];
	struct packet p = longhaul_udp(1000);
	struct node_test t;
	size_t len;

	p.tos = 2;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	longhaul_open(&t, 128,
		&(struct longhaul_conf){
			.out = "rate: 1Mbit, ecn: {kmin: 20KB, kmax: 20KB, pmax: 100%}",
			.n_workers = 2});
	for (unsigned int i = 0; i < 1 + 21; i++)
		longhaul_put_frame(&t, 0, frame, len);
	node_test_step(&t, 0);
	cr_assert_eq(longhaul_counters(&t).ce_marked, 0);
	longhaul_put_frame(&t, 1, frame, len);
	node_test_step(&t, 0);
	cr_assert_eq(t.node->worker[1]->counters->ce_marked, 1);
	node_test_close(&t);
}
