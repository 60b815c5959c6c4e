/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of resequencing one by one, then all of them against a dull reference that knows no
 * words, no lists and no shortcuts: frames race over members of unequal delay, are lost, come
 * twice, and their sender begins anew.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/ps.h"
#include "base/rng.h"
#include "eal.h"
#include "hyper/reseq.h"

#define MS PS_PER_MS

/* A frame is only a pointer here: its number of birth, never 0. */
static struct rte_mbuf *
frame(uint64_t id)
{
	return (struct rte_mbuf *)(uintptr_t)id;
}

static struct reseq *
open_reseq(uint32_t window, uint64_t timeout_ps)
{
	struct reseq_config c = {.window = window, .timeout_ps = timeout_ps, .socket = -1};
	struct reseq *r;

	test_eal(64);
	cr_assert_eq(reseq_create(&c, &r), 0);
	return r;
}

/* All that is in order, as `first last` numbers of birth in a row; the count. */
static unsigned int
take(struct reseq *r, uint64_t first)
{
	struct rte_mbuf *out[64];
	unsigned int n = 0;
	uint16_t k;

	while ((k = reseq_take(r, out, 64)) != 0)
		for (uint16_t i = 0; i < k; i++, n++)
			cr_assert_eq((uintptr_t)out[i], first + n, "%lu, want %lu",
				(unsigned long)(uintptr_t)out[i], (unsigned long)(first + n));
	return n;
}

static void
close_reseq(struct reseq *r, uint64_t now)
{
	struct rte_mbuf *out[64];

	reseq_turn(r, now + 2000 * MS);
	while (reseq_take(r, out, 64) != 0)
		;
	cr_assert_eq(reseq_waiting(r), 0);
	reseq_free(r);
}

/* Past the wait at the beginning: number 0 has gone, 1 is next. */
static struct reseq *
begun(uint32_t window, uint64_t timeout_ps)
{
	struct reseq *r = open_reseq(window, timeout_ps);

	cr_assert_eq(reseq_put(r, 0, frame(1), 0), DROP_NONE);
	reseq_turn(r, timeout_ps);
	cr_assert_eq(take(r, 1), 1);
	cr_assert_eq(reseq_stats(r)->lost, 0, "what was before the first is not lost");
	return r;
}

Test(reseq, numbers_out_of_range_are_refused)
{
	static const struct reseq_config bad[] = {
		{32, MS, -1}, {32768, MS, -1}, {1000, MS, -1}, {64, 0, -1}, {64, PS_AHEAD_MAX, -1}};
	struct reseq *r = NULL;

	for (unsigned int i = 0; i < RTE_DIM(bad); i++)
		cr_assert_eq(reseq_create(&bad[i], &r), -EINVAL, "%u", i);
	reseq_free(r);
}

Test(reseq, what_is_in_order_never_waits)
{
	struct reseq *r = begun(64, 5 * MS);

	for (uint32_t k = 1; k < 200000; k++) {
		cr_assert_eq(reseq_put(r, (uint16_t)k, frame(k + 1), 5 * MS + k), DROP_NONE);
		cr_assert_eq(take(r, k + 1), 1);
	}
	cr_assert_eq(reseq_stats(r)->packets, 200000);
	cr_assert_eq(reseq_stats(r)->waited, 1, "the first");
	close_reseq(r, 6 * MS);
}

Test(reseq, the_first_frame_waits_for_those_that_were_sent_before_it)
{
	struct reseq *r = open_reseq(64, 5 * MS);

	cr_assert_eq(reseq_put(r, 2, frame(13), 0), DROP_NONE);
	cr_assert_eq(take(r, 0), 0);
	cr_assert_eq(reseq_put(r, 65535, frame(10), 1 * MS), DROP_NONE);
	cr_assert_eq(reseq_put(r, 1, frame(12), 2 * MS), DROP_NONE);
	cr_assert_eq(reseq_put(r, 0, frame(11), 3 * MS), DROP_NONE);
	cr_assert_eq(reseq_next_ps(r, 3 * MS), 5 * MS);
	reseq_turn(r, 5 * MS - 1);
	cr_assert_eq(take(r, 0), 0);
	reseq_turn(r, 5 * MS);
	cr_assert_eq(take(r, 10), 4);
	cr_assert_eq(reseq_stats(r)->lost, 0);
	close_reseq(r, 5 * MS);
}

Test(reseq, a_gap_is_waited_for_until_the_timeout_and_then_counted)
{
	struct reseq *r = begun(64, 5 * MS);

	/* 1, 4 and 5 are missing */
	cr_assert_eq(reseq_put(r, 2, frame(2), 10 * MS), DROP_NONE);
	cr_assert_eq(reseq_put(r, 3, frame(3), 11 * MS), DROP_NONE);
	cr_assert_eq(reseq_put(r, 6, frame(4), 12 * MS), DROP_NONE);
	reseq_turn(r, 15 * MS - 1);
	cr_assert_eq(take(r, 0), 0);
	reseq_turn(r, 15 * MS);
	cr_assert_eq(take(r, 2), 2, "3 had waited for 2 only");
	cr_assert_eq(reseq_stats(r)->lost, 1);
	cr_assert_eq(reseq_put(r, 1, frame(99), 15 * MS), DROP_hyper_late);
	cr_assert_eq(reseq_put(r, 2, frame(99), 15 * MS), DROP_hyper_duplicate);
	cr_assert_eq(reseq_put(r, 6, frame(99), 15 * MS), DROP_hyper_duplicate);
	cr_assert_eq(reseq_next_ps(r, 15 * MS), 17 * MS);
	reseq_turn(r, 17 * MS);
	cr_assert_eq(take(r, 4), 1);
	cr_assert_eq(reseq_stats(r)->lost, 3);
	cr_assert_eq(reseq_stats(r)->late, 1);
	cr_assert_eq(reseq_stats(r)->duplicate, 2);
	cr_assert_eq(reseq_stats(r)->wait_max_ps, 5 * MS);
	close_reseq(r, 17 * MS);
}

/* A dead member's frames are missing all over: one timeout for all of them, not one each. */
Test(reseq, many_gaps_cost_one_timeout)
{
	struct reseq *r = begun(1024, 5 * MS);

	for (uint16_t k = 2; k < 1000; k += 2) {
		cr_assert_eq(reseq_put(r, k, frame(k / 2 + 1u), 10 * MS), DROP_NONE);
		cr_assert_eq(take(r, 0), 0);
	}
	reseq_turn(r, 15 * MS);
	cr_assert_eq(take(r, 2), 499);
	cr_assert_eq(reseq_stats(r)->lost, 499);
	close_reseq(r, 15 * MS);
}

Test(reseq, a_frame_beyond_the_window_moves_it_and_what_falls_out_is_counted)
{
	struct reseq *r = begun(64, 5 * MS);

	/* 1 is on a slow member; up to 64 the others wait */
	for (uint16_t k = 2; k <= 64; k++)
		cr_assert_eq(reseq_put(r, k, frame(k), 10 * MS), DROP_NONE);
	cr_assert_eq(take(r, 0), 0);
	cr_assert_eq(reseq_stats(r)->n_held, 63);
	cr_assert_eq(reseq_put(r, 65, frame(65), 10 * MS), DROP_NONE);
	cr_assert_eq(take(r, 2), 64);
	cr_assert_eq(reseq_stats(r)->overrun, 1);
	cr_assert_eq(reseq_stats(r)->lost, 0);
	cr_assert_eq(reseq_put(r, 1, frame(99), 10 * MS), DROP_hyper_late);
	/* far ahead: a window up to it is waited for */
	cr_assert_eq(reseq_put(r, 20000, frame(101), 11 * MS), DROP_NONE);
	cr_assert_eq(reseq_stats(r)->overrun, 1 + (20000 - 63 - 66));
	cr_assert_eq(reseq_put(r, 20000 - 63, frame(100), 11 * MS), DROP_NONE);
	cr_assert_eq(take(r, 100), 1);
	reseq_turn(r, 16 * MS);
	cr_assert_eq(take(r, 101), 1);
	cr_assert_eq(reseq_stats(r)->lost, 62);
	close_reseq(r, 16 * MS);
}

Test(reseq, a_sender_that_began_anew_is_taken_up_after_two_timeouts)
{
	struct reseq *r = begun(64, 5 * MS);

	cr_assert_eq(reseq_put(r, 1, frame(2), 10 * MS), DROP_NONE);
	cr_assert_eq(take(r, 2), 1);
	/* behind: it may be late, until 20 ms */
	cr_assert_eq(reseq_put(r, 60000, frame(9), 20 * MS - 1), DROP_hyper_late);
	cr_assert_eq(reseq_put(r, 60001, frame(11), 20 * MS), DROP_NONE);
	cr_assert_eq(reseq_put(r, 60000, frame(10), 21 * MS), DROP_NONE);
	cr_assert_eq(take(r, 0), 0);
	reseq_turn(r, 25 * MS);
	cr_assert_eq(take(r, 10), 2);
	cr_assert_eq(reseq_stats(r)->restarts, 1);
	cr_assert_eq(reseq_stats(r)->lost, 0);
	/* ahead and outside, at once: nothing is lost for it but time */
	cr_assert_eq(reseq_put(r, 10000, frame(12), 26 * MS), DROP_NONE);
	reseq_turn(r, 31 * MS);
	cr_assert_eq(take(r, 12), 1);
	close_reseq(r, 31 * MS);
}

Test(reseq, a_silence_is_no_new_beginning)
{
	struct reseq *r = begun(64, 5 * MS);

	cr_assert_eq(reseq_put(r, 1, frame(2), 3000 * MS), DROP_NONE);
	cr_assert_eq(take(r, 2), 1, "the next number goes at once, whenever it comes");
	cr_assert_eq(reseq_stats(r)->restarts, 0);
	close_reseq(r, 3000 * MS);
}

/* The reference: a row of numbers, each of which is looked at. */
struct model {
	uint32_t window;
	uint64_t timeout, last;
	uint16_t next;
	bool begun, sure;
	uint64_t id[65536], at[65536]; /* id 0: not held */
	bool gone[65536];
	uint32_t n_held;
	uint64_t lost, overrun, late, duplicate, restarts;
	uint64_t out[200000];
	uint32_t n_out, n_seen;
};

static void
model_out(struct model *m, uint64_t id)
{
	cr_assert_lt(m->n_out, RTE_DIM(m->out));
	m->out[m->n_out++] = id;
	m->gone[m->next++] = true;
	m->sure = true;
}

/* next moves by one. */
static bool
model_pass(struct model *m)
{
	if (m->id[m->next] == 0) {
		m->gone[m->next++] = false;
		return m->sure;
	}
	m->n_held--;
	uint16_t was = m->next;
	model_out(m, m->id[m->next]);
	m->id[was] = 0;
	return false;
}

static void
model_on(struct model *m)
{
	while (m->n_held != 0 && m->id[m->next] != 0)
		model_pass(m);
}

static void
model_turn(struct model *m, uint64_t now)
{
	for (;;) {
		uint32_t oldest = UINT32_MAX;

		for (uint32_t k = 0; k < m->window && m->n_held != 0; k++) {
			uint16_t seq = (uint16_t)(m->next + k);

			if (m->id[seq] != 0 && now - m->at[seq] >= m->timeout)
				oldest = k;
		}
		if (oldest == UINT32_MAX)
			return;
		for (uint32_t k = 0; k <= oldest; k++)
			m->lost += model_pass(m);
		model_on(m);
	}
}

static enum drop_reason
model_put(struct model *m, uint16_t seq, uint64_t id, uint64_t now)
{
	uint16_t ahead = (uint16_t)(seq - m->next);

	if (!m->begun || ahead >= m->window) {
		if (!m->begun || now - m->last >= 2 * m->timeout) {
			while (m->n_held != 0)
				m->lost += model_pass(m);
			memset(m->gone, 0, sizeof(m->gone));
			m->restarts += m->begun;
			m->next = (uint16_t)(seq - m->window + 1);
			m->begun = true;
			m->sure = false;
		} else if (ahead < 32768) {
			while ((uint16_t)(seq - m->next) >= m->window)
				m->overrun += model_pass(m);
			model_on(m);
		} else if (m->gone[seq]) {
			m->duplicate++;
			return DROP_hyper_duplicate;
		} else {
			m->late++;
			return DROP_hyper_late;
		}
	} else if (m->id[seq] != 0) {
		m->duplicate++;
		return DROP_hyper_duplicate;
	}
	m->last = now;
	if (seq == m->next) {
		model_out(m, id);
		model_on(m);
		return DROP_NONE;
	}
	m->id[seq] = id;
	m->at[seq] = now;
	m->n_held++;
	return DROP_NONE;
}

static void
same(struct model *m, struct reseq *r, uint64_t now)
{
	const struct reseq_stats *s = reseq_stats(r);
	struct rte_mbuf *out[64];
	uint16_t n;

	while ((n = reseq_take(r, out, 64)) != 0)
		for (uint16_t i = 0; i < n; i++) {
			cr_assert_lt(m->n_seen, m->n_out, "%lu came out and ought not to",
				(unsigned long)(uintptr_t)out[i]);
			cr_assert_eq((uintptr_t)out[i], m->out[m->n_seen], "%lu, want %lu",
				(unsigned long)(uintptr_t)out[i], (unsigned long)m->out[m->n_seen]);
			m->n_seen++;
		}
	cr_assert_eq(m->n_seen, m->n_out, "at %lu", now);
	cr_assert_eq(s->n_held, m->n_held);
	cr_assert_eq(s->lost, m->lost);
	cr_assert_eq(s->overrun, m->overrun);
	cr_assert_eq(s->late, m->late);
	cr_assert_eq(s->duplicate, m->duplicate);
	cr_assert_eq(s->restarts, m->restarts);
	cr_assert_leq(s->n_held, m->window);
	cr_assert_leq(s->wait_max_ps, m->timeout + MS / 100, "no frame waits longer");
}

/* What a run is made of. */
struct mix {
	uint32_t window;
	uint64_t skew_us;                         /* of the slowest member */
	uint32_t loss, duplicate, pause, restart; /* one in so many; 0: never */
	bool complete; /* nothing is lost: what comes out is what went in */
};

/* Members keep their own order; a frame is on one of four for its delay. */
struct flight {
	uint64_t at, id;
	uint16_t seq;
};

static int
by_arrival(const void *a, const void *b)
{
	const struct flight *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

#define SENT 100000u

static uint32_t
send_all(const struct mix *mix, struct rng *rng, struct flight *f)
{
	uint64_t now = 0, last[4] = {0}, delay[4];
	uint16_t seq = (uint16_t)rng_next(rng);
	uint32_t n = 0;

	for (unsigned int k = 0; k < 4; k++)
		delay[k] = k == 0 ? 0 : rng_below(rng, mix->skew_us * PS_PER_US + 1);
	for (uint64_t id = 1; id <= SENT; id++, seq++) {
		unsigned int k = (unsigned int)rng_below(rng, 4);
		uint64_t at = now + delay[k] + rng_below(rng, 2 * PS_PER_US);

		now += PS_PER_US;
		if (mix->pause != 0 && rng_below(rng, mix->pause) == 0)
			now += rng_below(rng, 30 * MS);
		if (mix->restart != 0 && rng_below(rng, mix->restart) == 0)
			seq = (uint16_t)rng_next(rng);
		if (mix->loss != 0 && rng_below(rng, mix->loss) == 0)
			continue;
		last[k] = at = RTE_MAX(at, last[k]);
		f[n++] = (struct flight){.at = at, .id = id, .seq = seq};
		if (mix->duplicate != 0 && rng_below(rng, mix->duplicate) == 0)
			f[n++] = (struct flight){
				.at = at + rng_below(rng, 4 * MS), .id = id, .seq = seq};
	}
	qsort(f, n, sizeof(*f), by_arrival);
	return n;
}

static void
race(const struct mix *mix, uint64_t seed)
{
	struct flight *f = calloc(2 * SENT, sizeof(*f));
	struct model *m = calloc(1, sizeof(*m));
	struct reseq *r = open_reseq(mix->window, 2 * MS);
	struct rng rng;
	uint64_t now = 0;
	uint32_t n;

	rng_init(&rng, seed);
	m->window = mix->window;
	m->timeout = 2 * MS;
	n = send_all(mix, &rng, f);
	for (uint32_t i = 0; i < n;) {
		/* a turn each 10 us at least, as a worker has them */
		now += 10 * PS_PER_US;
		reseq_turn(r, now);
		model_turn(m, now);
		for (uint32_t k = 0; k < RESEQ_PUTS && i < n && f[i].at <= now; k++, i++)
			cr_assert_eq(reseq_put(r, f[i].seq, frame(f[i].id), now),
				model_put(m, f[i].seq, f[i].id, now), "frame %u", i);
		same(m, r, now);
		if (m->n_held == 0 && i < n && f[i].at > now + 3 * MS)
			now = f[i].at - 10 * PS_PER_US; /* nothing can happen */
	}
	reseq_turn(r, now + 2 * MS);
	model_turn(m, now + 2 * MS);
	same(m, r, now);
	for (uint32_t i = 0; mix->complete && i < SENT; i++)
		cr_assert_eq(m->out[i], i + 1, "in order and exactly once");
	cr_assert(!mix->complete || (m->n_out == SENT && m->lost + m->overrun == 0));
	reseq_free(r);
	free(m);
	free(f);
}

Test(reseq, with_skew_within_the_window_all_frames_come_out_in_order_and_once, .timeout = 60)
{
	/* 1 us a frame: 1.95 ms are 1950 frames; 100,000 of them wrap the numbers once */
	race(&(struct mix){.window = 4096, .skew_us = 1950, .complete = true}, 1);
	race(&(struct mix){.window = 2048, .skew_us = 1000, .duplicate = 50, .complete = true}, 2);
	race(&(struct mix){.window = 16384, .skew_us = 1950, .complete = true}, 3);
}

Test(reseq, loss_duplicates_silence_and_restarts_are_as_the_reference_has_them, .timeout = 60)
{
	race(&(struct mix){.window = 4096, .skew_us = 1500, .loss = 100, .duplicate = 100}, 4);
	race(&(struct mix){.window = 1024,
		     .skew_us = 500,
		     .loss = 1000,
		     .pause = 2000,
		     .restart = 2000},
		5);
	race(&(struct mix){.window = 16384,
		     .skew_us = 1000,
		     .loss = 50,
		     .pause = 3000,
		     .restart = 5000,
		     .duplicate = 30},
		6);
}

Test(reseq, skew_beyond_the_window_and_the_timeout_is_as_the_reference_has_it, .timeout = 60)
{
	race(&(struct mix){.window = 64, .skew_us = 1500}, 7);
	race(&(struct mix){.window = 256, .skew_us = 5000, .loss = 200, .restart = 4000}, 8);
}
