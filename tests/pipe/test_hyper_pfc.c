/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses at a hyper port: what comes in by a member holds for that member, and for the hyper port
 * when it holds for all; what the far end says of its packets is said by every member.
 */
#include "hyper_lab.h"

/* Behind wires.h, whose units are the same. */
#undef US
#undef MS
#include "pfc.h"

#define CLASSES "classes: [{class: 3, name: rdma, dscp: [24-31], lossless: true}]\n"
#define PFC     "rate: 1Gbit, pfc: {classes: [3], xon: 200KB, xoff: 250KB, headroom: 250KB}"

static const uint64_t delay[] = {10 * US, 60 * US};

static void
open_lab(struct hyper_lab *l, const char *west)
{
	hyper_lab_open(l, &(struct hyper_lab_conf){.n_members = 2,
				  .member = PFC,
				  .west = west,
				  .delay_ns = delay,
				  .mtu = 1400, /* buffers are for frames of three quarters of it */
				  .head = CLASSES});
}

static uint64_t
by(const struct hyper_lab *l, unsigned int member)
{
	return hyper_lab_of(&l->east)->sent[member].packets;
}

Test(hyper_pfc, a_paused_member_leaves_its_part_to_the_others_and_all_paused_hold_the_class,
	.timeout = 60)
{
	struct hyper_lab l;
	uint64_t sent[2];

	open_lab(&l, NULL);
	hyper_lab_run(&l, 200, 2);
	pfc_put(&l.east, node_test_port(&l.east, "lh0"), 1u << 3, UINT16_MAX); /* 33 ms */
	sent[0] = by(&l, 0);
	sent[1] = by(&l, 1);
	hyper_lab_run(&l, 100, 1);
	cr_assert_eq(by(&l, 0), sent[0]);
	cr_assert_geq(by(&l, 1), sent[1] + 100);
	pfc_put(&l.east, node_test_port(&l.east, "lh1"), 1u << 3, UINT16_MAX);
	sent[1] = by(&l, 1);
	hyper_lab_run(&l, 100, 1);
	cr_assert_eq(by(&l, 0) + by(&l, 1), sent[0] + sent[1], "nothing goes");
	cr_assert_eq(hyper_paused(l.east.node->worker[0], hyper_lab_of(&l.east)->way,
			     l.east.node->worker[0]->now_ps),
		1u << 3);
	pfc_put(&l.east, node_test_port(&l.east, "lh0"), 1u << 3, 0);
	hyper_lab_settle(&l, 20 * MS);
	cr_assert_eq(by(&l, 0), sent[0] + 100, "all by the one that may");
	cr_assert_eq(l.next, 400);
	cr_assert_eq(l.missing, 0);
	cr_assert_eq(hyper_lab_stats(&l.west)->lost, 0, "what waits has no number");
	hyper_lab_close(&l);
}

/* 2 Gbit/s into 1: the west says stop by both members, the east waits, nothing is lost. */
Test(hyper_pfc, a_slow_way_out_at_the_far_end_stops_all_members_and_loses_nothing, .timeout = 60)
{
	struct hyper_lab l;
	uint64_t out[2];

	hyper_lab_short = 1024;
	open_lab(&l, "rate: 1Gbit");
	hyper_lab_send(&l, 3900);
	hyper_lab_settle(&l, 50 * MS);
	for (unsigned int i = 0; i < 2; i++) {
		uint16_t p = node_test_port(&l.west, i == 0 ? "lh0" : "lh1");

		out[i] = l.west.node->shared.commons[p].pfc_out;
		cr_assert_gt(out[i], 0);
		cr_assert_gt(l.east.node->shared.commons[p].pfc_in, 0);
	}
	cr_assert_eq(out[0], out[1], "each is told the same");
	cr_assert_eq(l.next, 3900);
	cr_assert_eq(l.missing, 0);
	/* pause frames are counted as dropped where they come in */
	cr_assert_eq(
		wires_dropped(&l.w), node_test_drops(&l.east, DROP_pfc), "%s", wires_drops(&l.w));
	cr_assert_gt(l.west.node->shared.commons[0].class_[3].peak, 500000,
		"xoff of both members together, and not of one");
	hyper_lab_close(&l);
}
