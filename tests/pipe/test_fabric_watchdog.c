/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue whose credit never comes: the watchdog empties it, or it waits for as long as it takes.
 */
#include "fabric_lab.h"

#define MB      700u
#define N       40u
#define DOG_MS  10u
#define STEP_NS 10000u

struct starved {
	struct lab lab;
	struct node_test *from, *to;
};

static void
open_starved(struct starved *s, const char *dsf)
{
	struct lab_edge e = {.id = 1, .n_links = 2, .n_workers = 1, .dsf = dsf};

	memset(s, 0, sizeof(*s));
	s->lab.mb = MB;
	rng_init(&s->lab.w.rng, 1);
	s->from = lab_edge(&s->lab, &e);
	e.id = LAB_SINK;
	s->to = lab_edge(&s->lab, &e);
	for (unsigned int l = 0; l < 2; l++) {
		char fab[8];

		snprintf(fab, sizeof(fab), "fab%u", l);
		wires_add(&s->lab.w, s->from, fab, s->to, fab, 2000);
	}
	wires_begin(&s->lab.w);
}

/* All GRANTs get lost, and nothing else; or nothing does. */
static void
lose_grants(struct starved *s, bool lose)
{
	for (unsigned int i = 0; i < s->lab.w.n_wires; i++) {
		s->lab.w.wire[i].loss_ppm = lose ? 1000000 : 0;
		s->lab.w.wire[i].loss_kinds = 1u << CELL_GRANT;
	}
}

static void
put(struct starved *s, uint32_t first)
{
	for (uint32_t i = 0; i < N; i++)
		lab_put(s->from, 1, LAB_SINK, 0, 1000, first + i);
}

static void
run_ms(struct starved *s, unsigned int ms)
{
	wires_run(&s->lab.w, ms * UINT64_C(1000000), STEP_NS);
}

/* The packets from `first` on, each once and in order, and no other. */
static void
expect_packets(struct starved *s, uint32_t first)
{
	static uint8_t got[PACKET_MAX];

	for (uint32_t i = 0; i < N; i++) {
		cr_assert_neq(node_test_take(s->to, 0, got, sizeof(got)), 0,
			"%u of %u came; drops:%s", i, N, wires_drops(&s->lab.w));
		cr_assert_eq(lab_psn(got), first + i);
	}
	cr_assert_eq(node_test_discard(s->to, 0), 0);
}

Test(fabric_watchdog, empties_a_queue_without_credit_and_the_next_packets_go)
{
	static struct starved s;

	open_starved(&s, "  voq_limit: 1MB\n  credit_watchdog: 10ms\n");
	lose_grants(&s, true);
	put(&s, 0);
	run_ms(&s, DOG_MS - 1);
	cr_assert_eq(node_waiting(s.from->node), N);
	cr_assert_eq(wires_dropped(&s.lab.w), 0);
	run_ms(&s, 2);
	cr_assert_eq(node_test_drops(s.from, DROP_voq_watchdog), N);
	cr_assert_eq(wires_dropped(&s.lab.w), N, "drops:%s", wires_drops(&s.lab.w));
	cr_assert_eq(node_waiting(s.from->node), 0);
	/* what was granted to the old session is no credit of the new one */
	lose_grants(&s, false);
	put(&s, N);
	run_ms(&s, 5);
	expect_packets(&s, N);
	cr_assert_eq(wires_dropped(&s.lab.w), N, "drops:%s", wires_drops(&s.lab.w));
	wires_close(&s.lab.w);
}

Test(fabric_watchdog, that_is_off_lets_a_queue_wait_and_lose_nothing)
{
	static struct starved s;

	open_starved(&s, "  voq_limit: 1MB\n  credit_watchdog: off\n");
	lose_grants(&s, true);
	put(&s, 0);
	/* longer than the watchdog would wait by default */
	run_ms(&s, 600);
	cr_assert_eq(node_waiting(s.from->node), N);
	lose_grants(&s, false);
	run_ms(&s, 200);
	expect_packets(&s, 0);
	cr_assert_eq(wires_dropped(&s.lab.w), 0, "drops:%s", wires_drops(&s.lab.w));
	wires_close(&s.lab.w);
}
