/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells that get lost at random: what of them is a packet comes, all else is counted. */
#include "cell/reasm.h"
#include "fabric_lab.h"

#define MB        1000u
#define N         100000u /* packets */
#define LINKS     3u
#define STEP_NS   1000u
#define STEP_BITS 10000 /* 10 Gbit/s */
#define SEED      20u

struct loss {
	struct lab lab;
	struct node_test *from, *to;
	uint32_t sent, came, next; /* PSN that may come next */
	int64_t bits;
	uint64_t last_ns, longest_ns; /* without a packet */
};

static void
open_loss(struct loss *t, const char *dsf)
{
	struct lab_edge e = {.id = 1, .n_links = LINKS, .n_workers = 1, .dsf = dsf};

	memset(t, 0, sizeof(*t));
	t->lab.mb = MB;
	rng_init(&t->lab.w.rng, SEED);
	t->from = lab_edge(&t->lab, &e);
	e.id = LAB_SINK;
	t->to = lab_edge(&t->lab, &e);
	for (unsigned int l = 0; l < LINKS; l++) {
		char fab[8];

		snprintf(fab, sizeof(fab), "fab%u", l);
		wires_add(&t->lab.w, t->from, fab, t->to, fab, 2000 + 900 * l);
	}
	wires_begin(&t->lab.w);
	t->last_ns = t->lab.w.now_ns;
}

/* Of every frame, REACH and credit too. */
static void
lose(struct loss *t, uint32_t ppm)
{
	for (unsigned int i = 0; i < t->lab.w.n_wires; i++) {
		t->lab.w.wire[i].loss_ppm = ppm;
		t->lab.w.wire[i].jitter_ns = 3000;
	}
}

static void
collect(struct loss *t)
{
	static uint8_t got[PACKET_MAX];
	size_t len;

	while ((len = node_test_take(t->to, 0, got, sizeof(got))) != 0) {
		cr_assert(packet_icrc_ok(got, len));
		cr_assert_geq(lab_psn(got), t->next, "%u again, or late: %u was next (seed %u)",
			lab_psn(got), t->next, SEED);
		t->next = lab_psn(got) + 1;
		t->came++;
		t->longest_ns = RTE_MAX(t->longest_ns, t->lab.w.now_ns - t->last_ns);
		t->last_ns = t->lab.w.now_ns;
	}
}

static void
offer(struct loss *t, uint32_t until)
{
	for (t->bits += STEP_BITS; t->bits > 0 && t->sent < until; t->sent++)
		t->bits -= 8 * (int64_t)lab_put(t->from, 1, LAB_SINK, 0,
				       (uint32_t)rng_below(&t->lab.w.rng, 4000), t->sent);
}

static uint64_t
data_lost(const struct loss *t)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < t->lab.w.n_wires; i++)
		n += t->lab.w.wire[i].data_lost;
	return n;
}

static void
all_is_counted(struct loss *t)
{
	const struct reasm_stats *r = reasm_stats(t->to->node->worker[0]->fabric->reasm);
	struct counters from, to;
	uint64_t timeout = node_test_drops(t->to, DROP_reassembly_timeout);
	uint64_t late = node_test_drops(t->to, DROP_reassembly_late);

	node_counters(t->from->node, &from, NULL);
	node_counters(t->to->node, &to, NULL);
	fprintf(stderr,
		"%u packets, %u came, %lu of %lu cells lost, %lu given up, %lu late; held at most "
		"%u cells\n",
		t->sent, t->came, data_lost(t), from.cells_made, timeout, late, r->peak_cells);
	cr_assert_eq(r->packets_lost, t->sent - t->came, "%lu lost packets counted, %u of %u came",
		r->packets_lost, t->came, t->sent);
	/* a packet is lost by a cell of its own that is lost, and by nothing else */
	cr_assert_leq(t->sent - t->came, data_lost(t), "drops:%s", wires_drops(&t->lab.w));
	cr_assert_geq((t->sent - t->came) * 5, data_lost(t) * 2);
	cr_assert_eq(from.cells_made, to.cells_joined + data_lost(t) + timeout + late);
	cr_assert_eq(wires_dropped(&t->lab.w), timeout + late, "drops:%s", wires_drops(&t->lab.w));
	cr_assert_leq(r->peak_cells, 4096);
}

/* One in a hundred, for `N` packets, and a whole one behind that shows what is missing before it.
 */
static void
one_percent(const char *dsf)
{
	static struct loss t;
	uint64_t end_ns, stalled_ns;

	open_loss(&t, dsf);
	lose(&t, 10000);
	end_ns = t.lab.w.now_ns + 400000000;
	while (t.sent < N && t.lab.w.now_ns < end_ns) {
		offer(&t, N);
		wires_step(&t.lab.w, STEP_NS);
		collect(&t);
	}
	lose(&t, 0);
	stalled_ns = t.longest_ns; /* from here on silences are of this test's making */
	for (unsigned int turn = 0; turn < 4000; turn++) {
		if (turn % 1000 == 0)
			offer(&t, t.sent + 1);
		wires_step(&t.lab.w, 10000);
		collect(&t);
	}
	cr_assert_geq(t.sent, N);
	cr_assert_eq(t.next, t.sent, "stalled at %u of %u", t.next, t.sent);
	/* a timeout, and a turn or two behind it */
	cr_assert_lt(stalled_ns, 1500000, "%lu ns without a packet", stalled_ns);
	all_is_counted(&t);
	wires_close(&t.lab.w);
}

Test(fabric_loss, of_one_cell_in_a_hundred_costs_their_packets_when_pushed)
{
	one_percent("  voq_limit: 4MB\n  scheduling: push\n");
}

Test(fabric_loss, of_one_cell_in_a_hundred_costs_their_packets_with_credit)
{
	one_percent("  voq_limit: 4MB\n");
}

Test(fabric_loss, of_one_cell_in_a_hundred_costs_their_packets_in_small_cells)
{
	one_percent("  voq_limit: 4MB\n  cell_size: 1024\n");
}
