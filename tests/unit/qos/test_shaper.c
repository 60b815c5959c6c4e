/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shaper in virtual time: workers that come round at irregular steps take all they may. The
 * rate is measured in the test's own arithmetic, and a leaky bucket beside it holds the burst bound
 * for every window at once.
 */
#include <errno.h>
#include <pthread.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "qos/shaper.h"

#define WORKERS_MAX 4u
#define RUN_PS      (100 * PS_PER_MS)
#define STEP_MAX_PS (50 * PS_PER_US)

/* A shaper and its rate. */
struct shaper {
	struct qos_shaper state;
	struct qos_rate rate;
};

static int
init(struct shaper *s, uint64_t rate_bps, bool l2, uint64_t now)
{
	qos_shaper_init(&s->state, now);
	return qos_rate_init(&s->rate, rate_bps, l2);
}

static uint64_t
cost(const struct shaper *s, uint32_t len)
{
	return qos_rate_cost(&s->rate, len);
}

static bool
take(struct shaper *s, uint64_t now, uint32_t len)
{
	return qos_shaper_take(&s->state, &s->rate, now, len);
}

static bool
take_urgent(struct shaper *s, uint64_t now, uint32_t len)
{
	return qos_shaper_take_urgent(&s->state, &s->rate, now, len);
}

static bool
ready(const struct shaper *s, uint64_t now)
{
	return qos_shaper_ready(&s->state, &s->rate, now);
}

static bool
ready_urgent(const struct shaper *s, uint64_t now)
{
	return qos_shaper_ready_urgent(&s->state, &s->rate, now);
}

static uint64_t
next_ps(const struct shaper *s)
{
	return qos_shaper_next_ps(&s->state, &s->rate);
}

struct run {
	uint64_t rate; /* bit/s */
	uint32_t len;  /* without FCS; 0: any of 60..8996 */
	unsigned int n_workers;
	bool l2;
	uint64_t start;
	/* found */
	double bits, last_bits, level, level_max; /* level: bits beyond what the rate carried off */
	uint64_t n, level_at;
};

static double
wire_bits(const struct run *r, uint32_t len)
{
	return (len + (r->l2 ? 4 : 24)) * 8.0;
}

static uint32_t
next_len(const struct run *r, struct rng *rng)
{
	return r->len != 0 ? r->len : 60 + (uint32_t)rng_below(rng, 8937);
}

static void
sent(struct run *r, uint64_t now, uint32_t len)
{
	double drained = (double)(now - r->level_at) * (double)r->rate / 1e12;

	r->level = (r->level > drained ? r->level - drained : 0) + wire_bits(r, len);
	r->level_max = r->level > r->level_max ? r->level : r->level_max;
	r->level_at = now;
	r->bits += wire_bits(r, len);
	r->n++;
}

/* Always something to send; `idle_ps` of silence in the middle. */
static void
run(struct run *r, struct shaper *s, uint64_t idle_ps, struct rng *rng)
{
	uint64_t at[WORKERS_MAX], end = RUN_PS;
	uint32_t len[WORKERS_MAX];

	for (unsigned int w = 0; w < r->n_workers; w++) {
		at[w] = rng_below(rng, STEP_MAX_PS);
		len[w] = next_len(r, rng);
	}
	r->level_at = r->start;
	for (;;) {
		unsigned int w = 0;

		for (unsigned int k = 1; k < r->n_workers; k++)
			if (at[k] < at[w])
				w = k;
		if (at[w] >= end)
			return;
		while (take(s, r->start + at[w], len[w])) {
			sent(r, r->start + at[w], len[w]);
			len[w] = next_len(r, rng);
		}
		cr_assert_not(ready(s, r->start + at[w]));
		at[w] += PS_PER_NS + rng_below(rng, STEP_MAX_PS - PS_PER_NS + 1);
		if (idle_ps != 0 && at[w] > end / 2 && at[w] < end / 2 + idle_ps)
			at[w] = end / 2 + idle_ps;
	}
}

static struct run
measure(struct run r, uint64_t idle_ps, uint64_t seed, uint64_t *ret_busy_ps)
{
	struct shaper s;
	struct rng rng;

	rng_init(&rng, seed);
	cr_assert_eq(init(&s, r.rate, r.l2, r.start), 0);
	run(&r, &s, idle_ps, &rng);
	/* until when the last frame keeps the line busy, from when the first could go */
	*ret_busy_ps = s.state.tat_ps - r.start;
	return r;
}

/*
 * Two measures: bits over the time that the shaper says they take, which is fair to frames of 7 ms
 * too; and, where a frame is short against the run, bits over the run.
 */
static void
check_rate(struct run r)
{
	uint64_t busy_ps;
	double frame_ps, rate, slack_ps;

	r = measure(r, 0, r.rate + r.len + r.n_workers, &busy_ps);
	frame_ps = wire_bits(&r, r.len != 0 ? r.len : 8996) / (double)r.rate * 1e12;
	slack_ps = frame_ps + (double)(QOS_SHAPER_TOLERANCE_PS + STEP_MAX_PS);
	cr_assert(busy_ps + STEP_MAX_PS >= RUN_PS && (double)busy_ps <= (double)RUN_PS + slack_ps,
		"%lu bit/s: busy for %lu ps", r.rate, busy_ps);
	/* nothing is asked of the first worker before its first step: that is no loss of rate */
	rate = r.bits / ((double)busy_ps / 1e12) / (double)r.rate;
	cr_assert(rate > 0.9990 && rate < 1.0010, "%lu bit/s, %u bytes, %u workers: %f", r.rate,
		r.len, r.n_workers, rate);
	if (slack_ps < (double)RUN_PS * 0.004) {
		rate = r.bits / ((double)RUN_PS / 1e12) / (double)r.rate;
		cr_assert(rate > 0.995 && rate < 1.005, "%lu bit/s, %u bytes, %u workers: %f",
			r.rate, r.len, r.n_workers, rate);
	}
	cr_assert_gt(r.n, 10);
}

static void
check_rates(unsigned int n_workers)
{
	static const uint64_t rates[] = {
		10000000, 33333333, 100000000, 1000000000, 7777777777, 10000000000, 100000000000};
	static const uint32_t lens[] = {60, 508, 1496, 8996, 0};

	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++)
		for (size_t k = 0; k < BITS_ARRAY_LEN(lens); k++)
			for (unsigned int l2 = 0; l2 < 2; l2++)
				check_rate((struct run){.rate = rates[i],
					.len = lens[k],
					.n_workers = n_workers,
					.l2 = l2,
					.start = UINT64_MAX - RUN_PS / 2});
}

Test(shaper, one_worker_keeps_the_rate)
{
	check_rates(1);
}

Test(shaper, two_workers_keep_the_rate_between_them)
{
	check_rates(2);
}

Test(shaper, four_workers_keep_the_rate_between_them)
{
	check_rates(4);
}

Test(shaper, the_extremes_keep_the_rate)
{
	check_rate((struct run){.rate = 1000000, .len = 60, .n_workers = 1});
	check_rate((struct run){.rate = 400000000000, .len = 508, .n_workers = 2});
	check_rate((struct run){.rate = 399999999999, .len = 60, .n_workers = 1, .l2 = true});
	check_rate((struct run){.rate = 400000000000, .len = 9596, .n_workers = 1});
}

Test(shaper, no_window_holds_more_than_the_rate_the_tolerance_and_a_frame)
{
	static const uint64_t rates[] = {10000000, 1000000000, 25000000000};
	static const uint32_t lens[] = {60, 1496, 8996, 0};

	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++)
		for (size_t k = 0; k < BITS_ARRAY_LEN(lens); k++)
			for (unsigned int n = 1; n <= 4; n *= 2) {
				struct run r = {.rate = rates[i], .len = lens[k], .n_workers = n};
				uint64_t busy_ps;
				double credit, frame;

				r = measure(r, 20 * PS_PER_MS, i + k + n, &busy_ps);
				credit = (double)QOS_SHAPER_TOLERANCE_PS * (double)r.rate / 1e12;
				frame = wire_bits(&r, r.len != 0 ? r.len : 8996);
				cr_assert(r.level_max <= (credit + frame) * 1.0001,
					"%lu bit/s, %u bytes: %f bits at once", r.rate, r.len,
					r.level_max);
				/* and the credit is there after the silence */
				cr_assert(r.level_max > credit, "%f of %f", r.level_max, credit);
			}
}

Test(shaper, accounting_adds_what_the_wire_adds)
{
	struct shaper s;

	init(&s, 8000000000, false, 0); /* a byte is 1000 ps */
	cr_assert_eq(cost(&s, 60), 84 * 1000);
	cr_assert_eq(cost(&s, 1500), 1524 * 1000);
	cr_assert_eq(cost(&s, 42), 84 * 1000, "padded by the MAC");
	init(&s, 8000000000, true, 0);
	cr_assert_eq(cost(&s, 60), 64 * 1000);
	cr_assert_eq(cost(&s, 65535), 65539u * 1000);
}

Test(shaper, next_is_the_first_time_that_take_agrees_to)
{
	struct shaper s;
	uint64_t now = UINT64_MAX - 500;

	init(&s, 1000000000, false, now);
	while (take(&s, now, 1500))
		;
	cr_assert_gt(ps_ahead(next_ps(&s), now), 0);
	for (unsigned int i = 0; i < 10; i++) {
		uint64_t next = next_ps(&s);

		cr_assert_not(ready(&s, next - 1));
		cr_assert_not(take(&s, next - 1, 1500));
		cr_assert(ready(&s, next));
		cr_assert(take(&s, next, 1500));
	}
}

Test(shaper, a_port_idle_for_any_time_is_not_blocked)
{
	for (uint64_t days = 1; days < 213; days++) {
		struct shaper s;
		uint64_t now = days * 86400 * PS_PER_S + 12345;

		init(&s, 10000000000, false, 0);
		cr_assert(take(&s, 0, 1500));
		cr_assert(take(&s, now, 1500), "%lu days", days);
		cr_assert(ps_reached(next_ps(&s), now));
	}
}

Test(shaper, a_worker_whose_clock_lags_gains_nothing)
{
	struct shaper s;
	uint64_t now = PS_PER_S, tat;

	init(&s, 10000000000, false, now);
	while (take(&s, now, 1500))
		;
	tat = s.state.tat_ps;
	cr_assert_not(take(&s, now - 40 * PS_PER_US, 1500));
	cr_assert_eq(s.state.tat_ps, tat);
	/* where it may send, it adds to what the others booked */
	cr_assert(take(&s, now + 200 * PS_PER_US, 1500));
	tat = s.state.tat_ps;
	cr_assert(take(&s, now + 190 * PS_PER_US, 1500));
	cr_assert_eq(s.state.tat_ps, tat + cost(&s, 1500));
}

Test(shaper, a_rate_out_of_range_is_refused)
{
	struct shaper s;

	cr_assert_eq(init(&s, 0, false, 0), -ERANGE);
	cr_assert_eq(init(&s, QOS_RATE_MIN - 1, false, 0), -ERANGE);
	cr_assert_eq(init(&s, QOS_RATE_MAX + 1, false, 0), -ERANGE);
	cr_assert_eq(init(&s, QOS_RATE_MIN, false, 0), 0);
	/* the longest frame at the lowest rate is inside what time can plan */
	cr_assert_lt(cost(&s, 65535) + s.rate.tolerance_ps, PS_AHEAD_MAX);
	cr_assert_eq(cost(&s, 65535), 65559 * 8 * UINT64_C(10000000));
	cr_assert_eq(init(&s, QOS_RATE_MAX, false, 0), 0);
	cr_assert_eq(cost(&s, 76), 500);
}

struct taker {
	struct shaper *s;
	uint64_t n;
};

static void *
take_all(void *arg)
{
	struct taker *t = arg;

	for (uint64_t now = 0; now < 20 * PS_PER_MS; now += 5 * PS_PER_US)
		while (ready(t->s, now))
			t->n += take(t->s, now, 100);
	return NULL;
}

/* Each thread's time runs as fast as it can; what they book together is what the word says. */
Test(shaper, threads_that_race_book_each_frame_once)
{
	struct taker taker[WORKERS_MAX];
	pthread_t thread[WORKERS_MAX];
	struct shaper s;
	uint64_t n = 0, one;

	init(&s, 10000000000, false, 0);
	one = cost(&s, 100);
	for (unsigned int i = 0; i < WORKERS_MAX; i++) {
		taker[i] = (struct taker){.s = &s};
		cr_assert_eq(pthread_create(&thread[i], NULL, take_all, &taker[i]), 0);
	}
	for (unsigned int i = 0; i < WORKERS_MAX; i++) {
		pthread_join(thread[i], NULL);
		n += taker[i].n;
	}
	/* always ahead of everybody's time but for the first step: no credit was lost, none made */
	cr_assert_eq(s.state.tat_ps, n * one);
	cr_assert(n * one > 20 * PS_PER_MS && n * one < 21 * PS_PER_MS);
}

/* Whatever others let go last: one urgent frame goes at once, and no more than one longest frame of
 * them. */
Test(shaper, an_urgent_frame_does_not_wait_and_is_paid_for)
{
	static const uint64_t rate[] = {10000000, 10000000000, 400000000000};

	for (unsigned int i = 0; i < 3; i++) {
		uint64_t now = 1000 * PS_PER_MS, tat, n = 0;
		struct shaper s;

		cr_assert_eq(init(&s, rate[i], false, 0), 0);
		while (take(&s, now, QOS_FRAME_MAX))
			;
		cr_assert(ready_urgent(&s, now));
		for (tat = s.state.tat_ps; take_urgent(&s, now, 80); n++)
			;
		cr_assert(n >= 1 && n <= (QOS_FRAME_MAX + 24) / 104 + 1, "%lu frames", n);
		cr_assert_not(ready_urgent(&s, now));
		/* all of it is on the books: others wait until it is paid for */
		cr_assert_eq(s.state.tat_ps - tat, n * cost(&s, 80));
		cr_assert_not(take(&s, next_ps(&s) - 1, 80));
		cr_assert(take(&s, next_ps(&s), 80));
	}
}
