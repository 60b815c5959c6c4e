/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of a fabric that is half dead, and nodes that come back and know nothing of before. */
#include "fabric_two.h"

Test(fabric_restart, a_spine_with_half_its_links_takes_half_the_cells)
{
	static struct two t;
	double whole, half, again;

	two_open(&t);
	whole = two_share(&t, 25000000);
	two_run(&t, 3000000, false); /* a cut loses nothing that is not there */
	/* the wire of spine 0 to fab1 of the far edge: pairs 0-3 are spine 0's, 0 and 1 near */
	wires_cut(&t.lab.w, 3, true);
	two_run(&t, 40000000, false);
	half = two_share(&t, 25000000);
	two_run(&t, 3000000, false);
	wires_cut(&t.lab.w, 3, false);
	two_run(&t, 100000000, false);
	again = two_share(&t, 25000000);
	two_run(&t, 3000000, false);
	fprintf(stderr, "share of the spine: %.4f, half dead %.4f, whole again %.4f\n", whole, half,
		again);
	cr_assert_float_eq(whole, 0.5, 0.025);
	cr_assert_float_eq(half, 1.0 / 3, 0.0167);
	cr_assert_float_eq(again, 0.5, 0.025);
	cr_assert_eq(t.came, t.sent, "drops:%s", wires_drops(&t.lab.w));
	cr_assert_eq(wires_dropped(&t.lab.w), 0, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}

Test(fabric_restart, the_far_end_comes_back_and_loses_what_was_on_its_way)
{
	static struct two t;
	uint64_t cells, packets, waiting, away;

	two_open(&t);
	two_run(&t, 10000000, true);
	cells = two_cells_in_flight(&t);
	waiting = node_test_sums(&t.lab.node[FROM]).waiting;
	packets = t.sent - t.came - waiting;
	cr_assert_gt(cells, 0);
	lab_restart(&t.lab, TO, &t.edge[TO]);
	two_run(&t, 60000000, true);
	two_run(&t, 20000000, false);
	fprintf(stderr, "%u sent, %u came; in flight %lu packets, %lu cells; dropped %lu cells\n",
		t.sent, t.came, packets, cells, two_reassembly_drops(&t));
	cr_assert_eq(t.next, t.sent, "the last one is %u of %u; drops:%s", t.next, t.sent,
		wires_drops(&t.lab.w));
	/* its first REACH tells all that it reaches nobody yet: who is asked then says no_member */
	away = node_test_drops(&t.lab.node[FROM], DROP_no_member);
	cr_assert_lt(away, t.sent / 2);
	/* what still had credit may go until then, and the spines know no way for it */
	for (unsigned int i = SPINES; i < t.lab.w.n_nodes; i++)
		away += node_test_drops(&t.lab.node[i], DROP_unreachable);
	cr_assert_leq(t.missing, packets + away, "%u missing, %lu in flight; drops:%s", t.missing,
		packets, wires_drops(&t.lab.w));
	cr_assert_leq(two_reassembly_drops(&t), cells, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}

/* `before_ns`: how long it had sent. */
static void
source_restarts(uint64_t before_ns, uint64_t pause_ns)
{
	static struct two t;
	uint64_t cells, packets;
	uint32_t resumed, lost;

	two_open(&t);
	two_run(&t, before_ns, true);
	cells = two_cells_in_flight(&t);
	packets = t.sent - t.came;
	lab_restart(&t.lab, FROM, &t.edge[FROM]);
	/* until it has heard of the other one */
	two_run(&t, pause_ns, false);
	resumed = t.sent;
	lost = t.missing;
	two_run(&t, 3000000, true);
	two_run(&t, 20000000, false);
	fprintf(stderr,
		"%u sent, %u of them again; %u came; in flight %lu packets, %lu cells; dropped "
		"%lu\n",
		t.sent, t.sent - resumed, t.came, packets, cells, two_reassembly_drops(&t));
	cr_assert_eq(t.next, t.sent, "the last one is %u of %u; drops:%s", t.next, t.sent,
		wires_drops(&t.lab.w));
	cr_assert_leq(t.missing, packets, "%u missing (%u at once), %lu in flight; drops:%s",
		t.missing, lost, packets, wires_drops(&t.lab.w));
	cr_assert_leq(two_reassembly_drops(&t), cells, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}

Test(fabric_restart, a_source_comes_back_and_its_packets_go_on)
{
	source_restarts(10000000, 30000000);
}

Test(fabric_restart, a_source_comes_back_after_a_short_life)
{
	source_restarts(200000, 30000000);
}

/* As a box does whose links go down with it. */
Test(fabric_restart, a_spine_comes_back_and_only_its_cells_were_lost)
{
	static struct two t;
	uint64_t cells;
	double part;

	two_open(&t);
	two_run(&t, 10000000, true);
	cells = two_cells_in_flight(&t);
	cr_assert_gt(cells, 0);
	for (unsigned int pair = 0; pair < 4; pair++)
		wires_cut(&t.lab.w, pair, true);
	lab_spine_yaml(0, 4);
	lab_come_back(&t.lab, SPINES);
	for (unsigned int pair = 0; pair < 4; pair++)
		wires_cut(&t.lab.w, pair, true);
	cr_assert_lt(two_share(&t, 25000000), 1e-9);
	for (unsigned int pair = 0; pair < 4; pair++)
		wires_cut(&t.lab.w, pair, false);
	two_run(&t, 100000000, true);
	part = two_share(&t, 25000000);
	two_run(&t, 5000000, false);
	fprintf(stderr, "%u sent, %u came, %lu cells in flight; share again %.4f\n", t.sent, t.came,
		cells, part);
	cr_assert_float_eq(part, 0.5, 0.025);
	cr_assert_eq(t.next, t.sent, "drops:%s", wires_drops(&t.lab.w));
	cr_assert_leq(t.missing, cells, "%u missing, %lu cells were in flight; drops:%s", t.missing,
		cells, wires_drops(&t.lab.w));
	cr_assert_leq(two_reassembly_drops(&t), cells, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}
