/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of a fabric that is half dead, and nodes that come back and know nothing of before. */
#include "cell/reasm.h"
#include "fabric_lab.h"

#define MB      1500u
#define STEP_NS 1000u
#define BITS    5000 /* offered a step: 5 Gbit/s */
#define SEED    31u

enum { FROM, TO, SPINES, SPINE_LINKS = 2 };

struct restart {
	struct lab lab;
	struct lab_edge edge[2];
	uint32_t sent, came, next, missing;
	int64_t bits;
};

/* Two edges, two spines, two links from each edge to each spine: fab0-1 to spine 0. */
static void
open_two(struct restart *t)
{
	memset(t, 0, sizeof(*t));
	t->lab.mb = MB;
	rng_init(&t->lab.w.rng, SEED);
	for (unsigned int i = 0; i < 2; i++) {
		t->edge[i] = (struct lab_edge){
			.id = i == FROM ? 1 : LAB_SINK,
			.n_links = 4,
			.n_workers = 1,
			.rate = i == FROM ? NULL : "10Gbit",
			.dsf = "  voq_limit: 16MB\n",
		};
		lab_edge(&t->lab, &t->edge[i]);
	}
	for (unsigned int s = 0; s < 2; s++) {
		struct node_test *spine = lab_spine(&t->lab, s, 4);

		for (unsigned int p = 0; p < 4; p++)
			lab_wire(&t->lab, &t->lab.node[p / 2], 2 * s + p % 2, spine, p,
				9000 + 7000 * p);
	}
	wires_begin(&t->lab.w);
}

/* In order and each once; what is left out in between is counted. */
static void
collect(struct restart *t)
{
	static uint8_t got[PACKET_MAX];
	size_t len;

	while ((len = node_test_take(&t->lab.node[TO], 0, got, sizeof(got))) != 0) {
		cr_assert(packet_icrc_ok(got, len));
		cr_assert_geq(lab_psn(got), t->next, "%u again, or late: %u was next (seed %u)",
			lab_psn(got), t->next, SEED);
		t->missing += lab_psn(got) - t->next;
		t->next = lab_psn(got) + 1;
		t->came++;
	}
}

static void
run(struct restart *t, uint64_t ns, bool offers)
{
	for (uint64_t end = t->lab.w.now_ns + ns; t->lab.w.now_ns < end;) {
		for (t->bits += offers ? BITS : 0; offers && t->bits > 0; t->sent++)
			t->bits -= 8 * (int64_t)lab_put(&t->lab.node[FROM], 1, LAB_SINK, 0,
					       (uint32_t)rng_below(&t->lab.w.rng, 4000), t->sent);
		wires_step(&t->lab.w, STEP_NS);
		collect(t);
	}
}

/* DATA cells that the first edge has put on its links to a spine. */
static uint64_t
sprayed(const struct restart *t, unsigned int spine)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < t->lab.w.n_wires; i++)
		if (t->lab.w.wire[i].from == &t->lab.node[FROM] &&
			t->lab.w.wire[i].to == &t->lab.node[SPINES + spine])
			n += t->lab.w.wire[i].data;
	return n;
}

/* The part of the cells that spine 0 gets, of those of the next `ns`. */
static double
share(struct restart *t, uint64_t ns)
{
	uint64_t before[2] = {sprayed(t, 0), sprayed(t, 1)};
	double a, b;

	run(t, ns, true);
	a = (double)(sprayed(t, 0) - before[0]);
	b = (double)(sprayed(t, 1) - before[1]);
	cr_assert_gt(a + b, 10000);
	return a / (a + b);
}

Test(fabric_restart, a_spine_with_half_its_links_takes_half_the_cells)
{
	static struct restart t;
	double whole, half, again;

	open_two(&t);
	whole = share(&t, 25000000);
	run(&t, 3000000, false); /* a cut loses nothing that is not there */
	/* the wire of spine 0 to fab1 of the far edge: pairs 0-3 are spine 0's, 0 and 1 near */
	wires_cut(&t.lab.w, 3, true);
	run(&t, 40000000, false);
	half = share(&t, 25000000);
	run(&t, 3000000, false);
	wires_cut(&t.lab.w, 3, false);
	run(&t, 100000000, false);
	again = share(&t, 25000000);
	run(&t, 3000000, false);
	fprintf(stderr, "share of the spine: %.4f, half dead %.4f, whole again %.4f\n", whole, half,
		again);
	cr_assert_float_eq(whole, 0.5, 0.025);
	cr_assert_float_eq(half, 1.0 / 3, 0.0167);
	cr_assert_float_eq(again, 0.5, 0.025);
	cr_assert_eq(t.came, t.sent, "drops:%s", wires_drops(&t.lab.w));
	cr_assert_eq(wires_dropped(&t.lab.w), 0, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}

/* Cells that are on wires and in the far edge's reassembly. */
static uint64_t
cells_in_flight(const struct restart *t)
{
	uint64_t n = node_test_sums(&t->lab.node[SPINES]).waiting +
		     node_test_sums(&t->lab.node[SPINES + 1]).waiting +
		     reasm_cells(t->lab.node[TO].node->worker[0]->fabric->reasm);

	for (unsigned int i = 0; i < t->lab.w.n_wires; i++)
		for (const struct wire_frame *f = t->lab.w.wire[i].head; f != NULL; f = f->next)
			n += wire_is_data(f->byte, f->len);
	return n;
}

/* Of all nodes as they are now. */
static uint64_t
reassembly_drops(const struct restart *t)
{
	uint64_t n = 0;

	for (enum drop_reason r = 1; r < DROP_N; r++)
		if (strncmp(drop_name(r), "reassembly_", 11) == 0)
			n += node_test_drops(&t->lab.node[TO], r);
	return n;
}

Test(fabric_restart, the_far_end_comes_back_and_loses_what_was_on_its_way)
{
	static struct restart t;
	uint64_t cells, packets, waiting, away;

	open_two(&t);
	run(&t, 10000000, true);
	cells = cells_in_flight(&t);
	waiting = node_test_sums(&t.lab.node[FROM]).waiting;
	packets = t.sent - t.came - waiting;
	cr_assert_gt(cells, 0);
	lab_restart(&t.lab, TO, &t.edge[TO]);
	run(&t, 60000000, true);
	run(&t, 20000000, false);
	fprintf(stderr, "%u sent, %u came; in flight %lu packets, %lu cells; dropped %lu cells\n",
		t.sent, t.came, packets, cells, reassembly_drops(&t));
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
	cr_assert_leq(reassembly_drops(&t), cells, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}

/* `before_ns`: how long it had sent. */
static void
source_restarts(uint64_t before_ns, uint64_t pause_ns)
{
	static struct restart t;
	uint64_t cells, packets;
	uint32_t resumed, lost;

	open_two(&t);
	run(&t, before_ns, true);
	cells = cells_in_flight(&t);
	packets = t.sent - t.came;
	lab_restart(&t.lab, FROM, &t.edge[FROM]);
	/* until it has heard of the other one */
	run(&t, pause_ns, false);
	resumed = t.sent;
	lost = t.missing;
	run(&t, 3000000, true);
	run(&t, 20000000, false);
	fprintf(stderr,
		"%u sent, %u of them again; %u came; in flight %lu packets, %lu cells; dropped "
		"%lu\n",
		t.sent, t.sent - resumed, t.came, packets, cells, reassembly_drops(&t));
	cr_assert_eq(t.next, t.sent, "the last one is %u of %u; drops:%s", t.next, t.sent,
		wires_drops(&t.lab.w));
	cr_assert_leq(t.missing, packets, "%u missing (%u at once), %lu in flight; drops:%s",
		t.missing, lost, packets, wires_drops(&t.lab.w));
	cr_assert_leq(reassembly_drops(&t), cells, "drops:%s", wires_drops(&t.lab.w));
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
	static struct restart t;
	uint64_t cells;
	double part;

	open_two(&t);
	run(&t, 10000000, true);
	cells = cells_in_flight(&t);
	cr_assert_gt(cells, 0);
	for (unsigned int pair = 0; pair < 4; pair++)
		wires_cut(&t.lab.w, pair, true);
	lab_spine_yaml(0, 4);
	lab_come_back(&t.lab, SPINES);
	for (unsigned int pair = 0; pair < 4; pair++)
		wires_cut(&t.lab.w, pair, true);
	cr_assert_lt(share(&t, 25000000), 1e-9);
	for (unsigned int pair = 0; pair < 4; pair++)
		wires_cut(&t.lab.w, pair, false);
	run(&t, 100000000, true);
	part = share(&t, 25000000);
	run(&t, 5000000, false);
	fprintf(stderr, "%u sent, %u came, %lu cells in flight; share again %.4f\n", t.sent, t.came,
		cells, part);
	cr_assert_float_eq(part, 0.5, 0.025);
	cr_assert_eq(t.next, t.sent, "drops:%s", wires_drops(&t.lab.w));
	cr_assert_leq(t.missing, cells, "%u missing, %lu cells were in flight; drops:%s", t.missing,
		cells, wires_drops(&t.lab.w));
	cr_assert_leq(reassembly_drops(&t), cells, "drops:%s", wires_drops(&t.lab.w));
	wires_close(&t.lab.w);
}
