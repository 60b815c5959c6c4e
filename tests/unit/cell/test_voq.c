/* SPDX-License-Identifier: BSD-3-Clause */
/* A VOQ alone, its far end played by hand: what may go, when it asks, what it believes. */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "cell/voq.h"

#define CREDIT  16384u
#define SESSION 77u
#define T0      (UINT64_MAX - 3 * PS_PER_MS) /* the time comes round in each test */

struct bench {
	struct pkt_chunks pool;
	void *mem;
	struct voq v;
	uint64_t now;
};

static void
setup_n(struct bench *b, bool push, uint64_t n_records)
{
	size_t bytes = pkt_chunks_bytes(n_records, 1);

	b->mem = aligned_alloc(64, bytes);
	cr_assert_not_null(b->mem);
	cr_assert_eq(pkt_chunks_init(&b->pool, b->mem, bytes), 0);
	b->now = T0;
	voq_init(&b->v, SESSION, 0xffffffff, CREDIT, push, b->now);
}

static void
setup(struct bench *b)
{
	setup_n(b, false, 10000);
}

static void
teardown(struct bench *b)
{
	struct pkt_rec rec;

	while (voq_drop(&b->pool, &b->v, &rec))
		;
	cr_assert_eq(b->pool.n_free, b->pool.n);
	free(b->mem);
}

static void
push(struct bench *b, uint32_t len, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct pkt_rec rec = {.len = len, .at_ps = b->now};

		cr_assert(voq_push(&b->pool, &b->v, &rec));
	}
}

static bool
asks(struct bench *b, struct cell_request *ret)
{
	return voq_ask(&b->v, b->now, ret);
}

static bool
grants(struct bench *b, uint64_t granted)
{
	return voq_grant(
		&b->v, &(struct cell_grant){.session = b->v.session, .granted = granted}, b->now);
}

static unsigned int
send_all(struct bench *b)
{
	unsigned int n = 0;
	struct pkt_rec rec;

	for (; voq_head(&b->v) != NULL; n++)
		voq_pop(&b->pool, &b->v, &rec);
	return n;
}

Test(voq, bytes_are_those_of_the_wire)
{
	cr_assert_eq(voq_bytes(42), 84);
	cr_assert_eq(voq_bytes(60), 84);
	cr_assert_eq(voq_bytes(1514), 1538);
}

Test(voq, nothing_goes_without_credit_and_then_as_much_as_it_covers)
{
	struct cell_request q;
	struct bench b;

	setup(&b);
	push(&b, 976, 20); /* 1000 bytes each on the wire */
	cr_assert_null(voq_head(&b.v));
	cr_assert(asks(&b, &q));
	cr_assert_eq(q.session, SESSION);
	cr_assert_eq(q.wanted, 20000);
	cr_assert_eq(q.granted, 0);
	cr_assert(grants(&b, 5000));
	cr_assert_eq(send_all(&b), 5);
	/* one byte of credit is enough for one packet, whose rest is owed */
	cr_assert(grants(&b, 5001));
	cr_assert_eq(send_all(&b), 1);
	cr_assert_eq(b.v.sent, 6000);
	cr_assert(grants(&b, 6000));
	cr_assert_eq(send_all(&b), 0);
	cr_assert(grants(&b, 20000));
	cr_assert_eq(send_all(&b), 14);
	teardown(&b);
}

Test(voq, ids_count_what_was_sent_and_the_first_packet_says_so)
{
	struct pkt_rec rec;
	struct bench b;

	setup(&b);
	push(&b, 976, 4);
	grants(&b, 4000);
	cr_assert(b.v.sync);
	cr_assert(voq_drop(&b.pool, &b.v, &rec));
	cr_assert(b.v.sync, "nothing of the stream was sent");
	cr_assert_eq(b.v.packet_id, 0xffffffff);
	voq_pop(&b.pool, &b.v, &rec);
	cr_assert_not(b.v.sync);
	cr_assert_eq(b.v.packet_id, 0);
	cr_assert(voq_drop(&b.pool, &b.v, &rec));
	cr_assert_eq(b.v.packet_id, 0);
	cr_assert_eq(b.v.sent, 3000);
	cr_assert_eq(send_all(&b), 1);
	cr_assert_eq(b.v.session, SESSION, "all of it was granted");
	teardown(&b);
}

Test(voq, push_mode_needs_no_credit_and_never_asks)
{
	struct cell_request q;
	struct bench b;

	setup_n(&b, true, 1000);
	push(&b, 1500, 100);
	cr_assert_not(asks(&b, &q));
	cr_assert_eq(voq_next_ps(&b.v, b.now), UINT64_MAX);
	cr_assert_not(voq_stalled(&b.v, b.now + PS_PER_S, PS_PER_MS, true));
	cr_assert_eq(send_all(&b), 100);
	teardown(&b);
}

Test(voq, a_full_pool_changes_nothing)
{
	struct pkt_rec rec = {.len = 1500};
	uint64_t wanted;
	struct bench b;

	setup_n(&b, false, 1);
	while (voq_push(&b.pool, &b.v, &rec))
		;
	wanted = b.v.wanted;
	cr_assert_not(voq_push(&b.pool, &b.v, &rec));
	cr_assert_eq(b.v.wanted, wanted);
	cr_assert_eq(wanted, (uint64_t)b.v.fifo.n * voq_bytes(1500));
	teardown(&b);
}

Test(voq, it_asks_with_the_first_packet_and_again_when_more_waits)
{
	struct cell_request q;
	struct bench b;

	setup(&b);
	cr_assert_not(asks(&b, &q));
	cr_assert_eq(voq_next_ps(&b.v, b.now), UINT64_MAX);
	push(&b, 1000, 1);
	cr_assert_eq(voq_next_ps(&b.v, b.now), b.now);
	cr_assert(asks(&b, &q));
	cr_assert_not(asks(&b, &q));
	/* unanswered: only when it grew by twice the credit */
	push(&b, 1000, 17);
	cr_assert_not(asks(&b, &q));
	push(&b, 1000, 16);
	cr_assert(asks(&b, &q));
	cr_assert_eq(q.wanted, 34 * 1024);
	push(&b, 1000, 63);
	cr_assert_not(asks(&b, &q), "then four times");
	/* answered: once will do */
	b.now += 5 * PS_PER_US;
	cr_assert(grants(&b, 1024));
	cr_assert(asks(&b, &q));
	cr_assert_eq(q.wanted, 97 * 1024);
	cr_assert_eq(q.granted, 1024);
	/* all granted, all sent: the next packet asks at once, however small */
	cr_assert(grants(&b, b.v.wanted));
	send_all(&b);
	push(&b, 60, 1);
	cr_assert(asks(&b, &q));
	teardown(&b);
}

/* Steps from one time that it names to the next; it asks then and not before. */
static uint64_t
step_to_ask(struct bench *b, struct cell_request *ret)
{
	uint64_t from = b->now, at = voq_next_ps(&b->v, b->now);

	cr_assert_neq(at, b->now);
	b->now = at - 1;
	cr_assert_not(asks(b, ret));
	b->now = at;
	cr_assert(asks(b, ret));
	return at - from;
}

Test(voq, unanswered_it_repeats_less_and_less_often)
{
	struct cell_request q;
	struct bench b;
	uint64_t wait = VOQ_WAIT_FIRST_PS;

	setup(&b);
	push(&b, 1000, 1);
	asks(&b, &q);
	for (unsigned int i = 0; i < 20; i++) {
		cr_assert_eq(step_to_ask(&b, &q), wait, "repeat %u", i);
		cr_assert_eq(q.wanted, 1024);
		wait = RTE_MIN(2 * wait, VOQ_WAIT_MAX_PS);
	}
	teardown(&b);
}

Test(voq, the_wait_follows_the_time_that_answers_take)
{
	struct cell_request q;
	struct bench b;

	setup(&b);
	/* 40 us there and back: the next REQUEST is repeated after 80 */
	push(&b, 1000, 1);
	asks(&b, &q);
	b.now += 40 * PS_PER_US;
	cr_assert(grants(&b, 1024));
	push(&b, 1000, 1);
	asks(&b, &q);
	cr_assert_eq(step_to_ask(&b, &q), 80 * PS_PER_US);
	/* an answer after a repeat measures nothing, and the longer wait stays */
	b.now += PS_PER_NS;
	cr_assert(grants(&b, 2048));
	cr_assert_eq(b.v.rtt_ps, 40 * PS_PER_US);
	push(&b, 1000, 1);
	asks(&b, &q);
	b.now += 120 * PS_PER_US;
	cr_assert_not(asks(&b, &q));
	/* until one comes that does: an eighth of the way */
	cr_assert(grants(&b, 3072));
	cr_assert_eq(b.v.rtt_ps, 50 * PS_PER_US);
	push(&b, 1000, 1);
	asks(&b, &q);
	cr_assert_eq(step_to_ask(&b, &q), 100 * PS_PER_US);
	teardown(&b);
}

Test(voq, answers_in_no_time_do_not_make_it_hasty)
{
	struct cell_request q;
	struct bench b;

	setup(&b);
	for (uint64_t i = 1; i <= 50; i++) {
		push(&b, 1000, 1);
		cr_assert(asks(&b, &q));
		b.now += PS_PER_NS;
		cr_assert(grants(&b, i * 1024));
	}
	push(&b, 1000, 1);
	asks(&b, &q);
	cr_assert_eq(step_to_ask(&b, &q), VOQ_WAIT_MIN_PS);
	teardown(&b);
}

Test(voq, while_grants_come_it_is_heard_of_every_ten_milliseconds)
{
	struct cell_request q;
	uint64_t granted = 0, n = 0;
	struct bench b;

	setup(&b);
	push(&b, 1000, 5000);
	cr_assert(asks(&b, &q));
	for (unsigned int us = 0; us < 100000; us += 100) {
		granted += 1024;
		b.now += 100 * PS_PER_US;
		cr_assert(grants(&b, granted));
		n += asks(&b, &q);
	}
	cr_assert_eq(n, 10);
	teardown(&b);
}

Test(voq, grants_that_cannot_be_are_ignored)
{
	struct cell_request q;
	struct bench b;

	setup(&b);
	push(&b, 1000, 10);
	asks(&b, &q);
	cr_assert(grants(&b, 2048));
	cr_assert_not(grants(&b, 2048));
	cr_assert_not(grants(&b, 2047));
	cr_assert_not(grants(&b, 0));
	cr_assert_not(grants(&b, 10 * 1024 + 1), "more than it wanted");
	cr_assert_not(grants(&b, UINT64_MAX));
	cr_assert_not(voq_grant(
		&b.v, &(struct cell_grant){.session = SESSION - 1, .granted = 4096}, b.now));
	cr_assert_eq(b.v.granted, 2048);
	cr_assert(grants(&b, 10 * 1024));
	teardown(&b);
}

Test(voq, the_watchdog_barks_at_packets_without_credit_only)
{
	const uint64_t dog = 500 * PS_PER_MS;
	struct bench b;

	setup(&b);
	b.now += PS_PER_S;
	cr_assert_not(voq_stalled(&b.v, b.now, dog, true), "empty");
	push(&b, 1000, 10);
	cr_assert_not(voq_stalled(&b.v, b.now, dog, true), "just come");
	b.now += dog - 1;
	cr_assert_not(voq_stalled(&b.v, b.now, dog, true));
	cr_assert(voq_stalled(&b.v, b.now + 1, dog, true));
	cr_assert_not(voq_stalled(&b.v, b.now + 1, 0, true), "off");
	cr_assert(grants(&b, 1024));
	b.now += 2 * dog;
	cr_assert_not(voq_stalled(&b.v, b.now, dog, true), "has credit, the fabric takes nothing");
	cr_assert_not(voq_stalled(&b.v, b.now + dog - 1, dog, false));
	cr_assert(voq_stalled(&b.v, b.now + dog, dog, false), "has credit, and no way to go");
	send_all(&b);
	cr_assert_not(voq_stalled(&b.v, b.now + dog - 1, dog, true));
	cr_assert(voq_stalled(&b.v, b.now + dog, dog, true));
	teardown(&b);
}

Test(voq, emptied_it_begins_a_new_session_and_says_so)
{
	struct cell_request q;
	struct pkt_rec rec;
	struct bench b;

	setup(&b);
	push(&b, 1000, 10);
	asks(&b, &q);
	grants(&b, 2048);
	cr_assert_eq(send_all(&b), 2);
	for (unsigned int i = 0; i < 8; i++) {
		cr_assert_eq(b.v.session, SESSION);
		cr_assert(voq_drop(&b.pool, &b.v, &rec));
	}
	cr_assert_not(voq_drop(&b.pool, &b.v, &rec));
	cr_assert_eq(b.v.packet_id, 1, "two were sent");
	cr_assert_eq(voq_next_ps(&b.v, b.now), b.now);
	cr_assert(asks(&b, &q));
	cr_assert_eq(q.session, SESSION + 1);
	cr_assert_eq(q.wanted, 0);
	cr_assert_eq(q.granted, 0);
	cr_assert_not(asks(&b, &q));
	/* a grant of the old one, late */
	push(&b, 1000, 3);
	cr_assert_not(
		voq_grant(&b.v, &(struct cell_grant){.session = SESSION, .granted = 3000}, b.now));
	cr_assert(asks(&b, &q));
	cr_assert_eq(q.wanted, 3072);
	cr_assert(grants(&b, 3072));
	cr_assert_eq(send_all(&b), 3);
	teardown(&b);
}

/* Anything in any order against sums. */
Test(voq, its_numbers_are_those_of_a_dull_book)
{
	uint64_t seed = 4, in = 0, out = 0, known = 0, n_sessions = 0;
	struct rng rng;
	struct bench b;

	rng_init(&rng, seed);
	setup(&b);
	for (unsigned int i = 0; i < 300000; i++) {
		uint64_t draw = rng_below(&rng, 100);
		uint32_t session = b.v.session;
		struct cell_request q;
		struct pkt_rec rec;

		b.now += rng_below(&rng, 5 * PS_PER_US);
		if (draw < 40 && b.v.fifo.n < 500) {
			uint32_t len = 14 + (uint32_t)rng_below(&rng, 9203);

			push(&b, len, 1);
			in += RTE_MAX(len, 60u) + 24;
		} else if (draw < 50) {
			uint64_t granted = known + rng_below(&rng, 2 * CREDIT);
			bool more = granted > known && granted <= in;

			cr_assert_eq(grants(&b, granted), more, "seed %lu, step %u", seed, i);
			known = more ? granted : known;
		} else if (draw < 52) {
			uint64_t n = rng_below(&rng, 100) == 0 ? UINT64_MAX : 1;

			while (n-- > 0 && voq_drop(&b.pool, &b.v, &rec))
				out += voq_bytes(rec.len);
		} else if (draw < 90 && voq_head(&b.v) != NULL) {
			cr_assert_lt(out, known, "seed %lu, step %u", seed, i);
			voq_pop(&b.pool, &b.v, &rec);
			out += voq_bytes(rec.len);
		} else if (asks(&b, &q)) {
			cr_assert_eq(q.wanted, in, "seed %lu, step %u", seed, i);
			cr_assert_eq(q.granted, known, "seed %lu, step %u", seed, i);
		}
		if (b.v.session != session) {
			cr_assert(in == out && out > known, "seed %lu, step %u", seed, i);
			in = out = known = 0;
			n_sessions++;
		}
		cr_assert_eq(voq_head(&b.v) != NULL, in > out && out < known, "seed %lu, step %u",
			seed, i);
		cr_assert(b.v.wanted == in && b.v.sent == out && b.v.granted == known,
			"seed %lu, step %u", seed, i);
	}
	cr_assert_gt(n_sessions, 0);
	teardown(&b);
}
