/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric of two for tests: two edges, two spines, two links from each edge to each spine. Packets
 * go from the first edge to the host of the second, and are watched as they come out. The pairs of
 * wires 0 and 1 are near spine 0, 2 and 3 from it to the far edge; 4 to 7 are spine 1's.
 */
#ifndef TEST_PIPE_FABRIC_TWO_H
#define TEST_PIPE_FABRIC_TWO_H

#include "cell/reasm.h"
#include "fabric_lab.h"

#define TWO_MB      1500u
#define TWO_STEP_NS 1000u
#define TWO_BITS    5000 /* offered a step: 5 Gbit/s */
#define TWO_SEED    31u

enum { FROM, TO, SPINES };

struct two {
	struct lab lab;
	struct lab_edge edge[2];
	uint32_t sent, came, next, missing;
	int64_t bits;
};

static inline void
two_open(struct two *t)
{
	memset(t, 0, sizeof(*t));
	t->lab.mb = TWO_MB;
	rng_init(&t->lab.w.rng, TWO_SEED);
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
static inline void
two_collect(struct two *t)
{
	static uint8_t got[PACKET_MAX];
	size_t len;

	while ((len = node_test_take(&t->lab.node[TO], 0, got, sizeof(got))) != 0) {
		cr_assert(packet_icrc_ok(got, len));
		cr_assert_geq(lab_psn(got), t->next, "%u again, or late: %u was next (seed %u)",
			lab_psn(got), t->next, TWO_SEED);
		t->missing += lab_psn(got) - t->next;
		t->next = lab_psn(got) + 1;
		t->came++;
	}
}

static inline void
two_run(struct two *t, uint64_t ns, bool offers)
{
	for (uint64_t end = t->lab.w.now_ns + ns; t->lab.w.now_ns < end;) {
		for (t->bits += offers ? TWO_BITS : 0; offers && t->bits > 0; t->sent++)
			t->bits -= 8 * (int64_t)lab_put(&t->lab.node[FROM], 1, LAB_SINK, 0,
					       (uint32_t)rng_below(&t->lab.w.rng, 4000), t->sent);
		wires_step(&t->lab.w, TWO_STEP_NS);
		two_collect(t);
	}
}

/* DATA cells that the first edge has put on its links to a spine. */
static inline uint64_t
two_sprayed(const struct two *t, unsigned int spine)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < t->lab.w.n_wires; i++)
		if (t->lab.w.wire[i].from == &t->lab.node[FROM] &&
			t->lab.w.wire[i].to == &t->lab.node[SPINES + spine])
			n += t->lab.w.wire[i].data;
	return n;
}

/* The part of the cells that spine 0 gets, of those of the next `ns`. */
static inline double
two_share(struct two *t, uint64_t ns)
{
	uint64_t before[2] = {two_sprayed(t, 0), two_sprayed(t, 1)};
	double a, b;

	two_run(t, ns, true);
	a = (double)(two_sprayed(t, 0) - before[0]);
	b = (double)(two_sprayed(t, 1) - before[1]);
	cr_assert_gt(a + b, 10000);
	return a / (a + b);
}

/* Cells that are on wires and in the far edge's reassembly. */
static inline uint64_t
two_cells_in_flight(const struct two *t)
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
static inline uint64_t
two_reassembly_drops(const struct two *t)
{
	uint64_t n = 0;

	for (enum drop_reason r = 1; r < DROP_N; r++)
		if (strncmp(drop_name(r), "reassembly_", 11) == 0)
			n += node_test_drops(&t->lab.node[TO], r);
	return n;
}

#endif
