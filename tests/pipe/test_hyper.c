/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hyper port between two nodes: what goes in at one end comes out at the other in order, whole
 * and once, over members of unequal delay; what is lost on the way is counted and costs nobody else
 * more than the timeout; members that die take the hyper port with them or not, as the file says.
 */
#include "hyper_lab.h"

/* 80,000 packets, over the wrap of the numbers wherever they begin. */
Test(hyper, unequal_members_are_one_link_in_order_across_the_wrap, .timeout = 60)
{
	struct hyper_lab l;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 4});
	hyper_lab_run(&l, 80000, 40);
	hyper_lab_settle(&l, 10 * MS);
	cr_assert_eq(l.next, 80000);
	cr_assert_eq(l.missing, 0);
	cr_assert_eq(wires_dropped(&l.w), 0, "%s", wires_drops(&l.w));
	cr_assert_eq(hyper_lab_stats(&l.west)->packets, 80000);
	cr_assert_gt(hyper_lab_stats(&l.west)->waited, 30000, "members race");
	cr_assert_eq(hyper_lab_stats(&l.west)->restarts, 0);
	/* by bytes, to one frame */
	for (unsigned int i = 1; i < 4; i++)
		cr_assert_float_eq((double)hyper_lab_of(&l.east)->sent[i].bytes,
			(double)hyper_lab_of(&l.east)->sent[0].bytes, 2200);
	hyper_lab_close(&l);
}

/* Skew from delay lines of the members themselves, rates that are unequal, jitter. */
Test(hyper, members_keep_their_own_rate_delay_and_jitter, .timeout = 60)
{
	struct hyper_lab l;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 2,
				   .member = "rate: 10Gbit, delay: 500us, impair: {jitter: "
					     "200us}"});
	hyper_lab_run(&l, 20000, 15); /* 11.6 Gbit/s over 20 */
	hyper_lab_settle(&l, 10 * MS);
	cr_assert_eq(l.next, 20000);
	cr_assert_eq(l.missing, 0);
	cr_assert_eq(wires_dropped(&l.w), 0, "%s", wires_drops(&l.w));
	hyper_lab_close(&l);
}

Test(hyper, the_rate_is_that_of_all_members_together, .timeout = 60)
{
	struct hyper_lab l;
	uint64_t begin;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 4, .member = "rate: 1Gbit"});
	hyper_lab_send(&l, 3000);
	begin = l.w.now_ns;
	while (l.next + 300 < 3000) {
		wires_step(&l.w, 10 * US);
		hyper_lab_look(&l);
	}
	/* 2700 frames of 1107 or 147 bytes and 24 more: 2.2 MB at 4 Gbit/s; 5 ms at the begin */
	cr_assert_float_eq(
		(double)(l.w.now_ns - begin), 2700 * (1131 * 2 + 171) / 3.0 * 8 / 4, 5e6);
	hyper_lab_settle(&l, 10 * MS);
	cr_assert_eq(l.next, 3000);
	cr_assert_eq(l.missing, 0);
	hyper_lab_close(&l);
}

Test(hyper, what_is_lost_on_a_member_is_counted_and_the_rest_stays_in_order, .timeout = 60)
{
	struct hyper_lab l;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 4, .hyper = "timeout: 1ms"});
	l.w.wire[2].loss_ppm = 10000; /* lh1 to the west */
	hyper_lab_run(&l, 40000, 20);
	hyper_lab_settle(&l, 10 * MS);
	cr_assert_gt(l.w.wire[2].lost, 50);
	cr_assert_eq(l.missing + (40000 - l.next), l.w.wire[2].lost);
	cr_assert_eq(hyper_lab_stats(&l.west)->lost + (40000 - l.next), l.w.wire[2].lost);
	cr_assert_eq(wires_dropped(&l.w), 0, "%s", wires_drops(&l.w));
	cr_assert_leq(hyper_lab_stats(&l.west)->wait_max_ps, PS_PER_MS + 60 * PS_PER_US);
	hyper_lab_close(&l);
}

/* More packets than the window overtake those on the slow member: they are late, and counted. */
Test(hyper, skew_beyond_the_window_is_counted_and_nothing_is_out_of_order, .timeout = 60)
{
	static const uint64_t delay[] = {0, 900 * US};
	struct hyper_lab l;

	hyper_lab_open(&l,
		&(struct hyper_lab_conf){.n_members = 2, .delay_ns = delay, .hyper = "window: 64"});
	hyper_lab_run(&l, 20000, 10);
	hyper_lab_settle(&l, 20 * MS);
	cr_assert_gt(l.missing, 5000, "900 us are 900 packets");
	cr_assert_geq(hyper_lab_stats(&l.west)->overrun, l.missing - 64);
	cr_assert_eq(node_test_drops(&l.west, DROP_hyper_late), l.missing + (20000 - l.next));
	cr_assert_eq(wires_dropped(&l.w), node_test_drops(&l.west, DROP_hyper_late), "%s",
		wires_drops(&l.w));
	hyper_lab_close(&l);
}

Test(hyper, with_require_all_a_dead_member_takes_the_hyper_port_down, .timeout = 60)
{
	struct hyper_lab l;
	uint64_t sent;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 3});
	hyper_lab_run(&l, 3000, 10);
	wires_cut(&l.w, 1, true);
	cr_assert_not(alive_test(&l.east.node->shared.alive, hyper_lab_of(&l.east)->way));
	sent = l.w.wire[0].frames;
	hyper_lab_run(&l, 100, 10);
	cr_assert_eq(node_test_drops(&l.east, DROP_no_member), 100, "the group has no other");
	cr_assert_eq(l.w.wire[0].frames, sent);
	hyper_lab_settle(&l, 20 * MS);
	wires_cut(&l.w, 1, false);
	cr_assert(alive_test(&l.east.node->shared.alive, hyper_lab_of(&l.east)->way));
	hyper_lab_run(&l, 3000, 10);
	hyper_lab_settle(&l, 20 * MS);
	cr_assert_eq(l.next, 6100);
	cr_assert_eq(l.missing, 100 + l.w.wire[2].data_lost + hyper_lab_stats(&l.west)->lost);
	hyper_lab_close(&l);
}

Test(hyper, without_require_all_the_others_carry_on, .timeout = 60)
{
	struct hyper_lab l;
	uint64_t lost;

	hyper_lab_open(&l, &(struct hyper_lab_conf){
				   .n_members = 3, .hyper = "require_all: false, timeout: 1ms"});
	hyper_lab_run(&l, 6000, 10);
	wires_cut(&l.w, 2, true);
	cr_assert(alive_test(&l.east.node->shared.alive, hyper_lab_of(&l.east)->way));
	hyper_lab_run(&l, 6000, 10);
	hyper_lab_settle(&l, 5 * MS);
	lost = l.missing;
	cr_assert_eq(l.next, 12000);
	cr_assert_geq(lost, 1, "what was on the dead member");
	cr_assert_leq(lost, 100);
	cr_assert_eq(hyper_lab_stats(&l.west)->lost, lost);
	wires_cut(&l.w, 2, false);
	hyper_lab_run(&l, 6000, 10);
	wires_cut(&l.w, 0, true);
	wires_cut(&l.w, 1, true);
	hyper_lab_settle(&l, 5 * MS);
	cr_assert(alive_test(&l.east.node->shared.alive, hyper_lab_of(&l.east)->way));
	wires_cut(&l.w, 2, true);
	cr_assert_not(alive_test(&l.east.node->shared.alive, hyper_lab_of(&l.east)->way));
	hyper_lab_close(&l);
}

/* Urgent packets go past those that wait, also at the far end: numbers are given on leaving. */
Test(hyper, a_class_does_not_wait_for_another_one, .timeout = 60)
{
	static uint8_t frame[PACKET_MAX];
	struct hyper_lab l;
	struct rte_mbuf *m;
	unsigned int before = 0;
	uint16_t host, west;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 2,
				   .member = "rate: 1Gbit",
				   .head = "classes: [{class: 6, name: urgent, dscp: [48]}]\n"});
	host = node_test_port(&l.east, "host");
	west = node_test_port(&l.west, "host");
	hyper_lab_run(&l, 10, 1);
	hyper_lab_settle(&l, 10 * MS);
	hyper_lab_send(&l, 2000); /* 6 ms of class 3 */
	wires_step(&l.w, 10 * US);
	cr_assert(node_test_put(&l.east, host, frame, hyper_lab_frame(1000000, 48, frame)));
	for (bool came = false; !came;) {
		wires_step(&l.w, 10 * US);
		while ((m = node_test_take_mbuf(&l.west, west)) != NULL) {
			came |= hyper_lab_number(m) == 1000000;
			before++;
			rte_pktmbuf_free(m);
		}
		cr_assert_lt(before, 400, "0.1 ms of a shaper's burst, 0.1 ms of skew");
	}
	for (unsigned int i = 0; i < 100; i++) {
		wires_step(&l.w, 100 * US);
		node_test_discard(&l.west, west);
	}
	cr_assert_eq(hyper_lab_stats(&l.west)->lost, 0);
	hyper_lab_close(&l);
}

/* Members polled by several workers, hosts by all of them: one sequence, one owner. */
Test(hyper, several_workers_share_one_sequence, .timeout = 60)
{
	static uint8_t frame[PACKET_MAX];
	struct hyper_lab l;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 4, .n_workers = 3});
	for (unsigned int round = 0; round < 3000; round++) {
		/* a flow by one worker's queue at a time: workers have no order among them */
		for (unsigned int i = 0; i < 8; i++) {
			size_t len = hyper_lab_frame(l.sent++, 26, frame);
			struct rte_mbuf *m = packet_mbuf(l.east.node->pool, frame, len);

			cr_assert(node_test_put_mbuf(&l.east, node_test_port(&l.east, "host"),
				(uint16_t)(round % 3), m));
		}
		wires_step(&l.w, 10 * US);
		wires_step(&l.w, 10 * US); /* the owner has it */
		hyper_lab_look(&l);
	}
	hyper_lab_settle(&l, 10 * MS);
	cr_assert_eq(l.next, 24000);
	cr_assert_eq(l.missing, 0);
	cr_assert_eq(wires_dropped(&l.w), 0, "%s", wires_drops(&l.w));
	hyper_lab_close(&l);
}

/* The far end is stopped and made again while packets come: it takes the sequence up. */
Test(hyper, a_sender_that_comes_back_is_taken_up_without_loss, .timeout = 60)
{
	struct hyper_lab_conf c = {.n_members = 2};
	struct hyper_lab l;
	struct dp_hyper *h;

	hyper_lab_open(&l, &c);
	h = hyper_lab_of(&l.east);
	hyper_lab_run(&l, 1000, 10);
	for (unsigned int i = 0; i < 8; i++) {
		hyper_lab_settle(&l, 11 * MS); /* twice the timeout: no process is faster */
		h->seq = (uint16_t)(h->seq + 9000 * i + 6000);
		hyper_lab_run(&l, 1000, 10);
	}
	hyper_lab_settle(&l, 20 * MS);
	cr_assert_eq(l.next, 9000);
	cr_assert_eq(l.missing, 0);
	cr_assert_geq(hyper_lab_stats(&l.west)->restarts, 6);
	hyper_lab_close(&l);
}

Test(hyper, frames_too_short_and_frames_without_a_header_harm_nothing)
{
	static uint8_t frame[PACKET_MAX];
	struct hyper_lab l;
	uint16_t lh0, host;
	size_t len;

	hyper_lab_open(&l, &(struct hyper_lab_conf){.n_members = 2});
	lh0 = node_test_port(&l.west, "lh0");
	host = node_test_port(&l.west, "host");
	len = hyper_lab_frame(1, 26, frame);
	memcpy(frame, (uint8_t[]){2, 0, 0, 0, 2, 0}, 6);
	for (size_t n = 0; n < 20; n++) {
		uint8_t cut[20];

		memcpy(cut, frame, sizeof(cut));
		cut[12] = 0x88;
		cut[13] = 0xb6;
		if (n != 0)
			cr_assert(node_test_put(&l.west, lh0, cut, n));
	}
	node_test_run(&l.west);
	cr_assert_eq(node_test_drops(&l.west, DROP_runt), 13);
	cr_assert_eq(node_test_drops(&l.west, DROP_hyper_short), 4);
	/* as any port: the member's own MAC, no number */
	cr_assert(node_test_put(&l.west, lh0, frame, len));
	node_test_run(&l.west);
	cr_assert_eq(node_test_discard(&l.west, host), 1);
	l.w.now_ns += 10 * MS;
	node_test_step(&l.west, 10 * MS);
	node_test_step(&l.east, 10 * MS);
	hyper_lab_close(&l);
}
