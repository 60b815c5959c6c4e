/* SPDX-License-Identifier: BSD-3-Clause */
/* The curve by counting, its ends exactly; phantom queues against a leaky bucket in long doubles.
 */
#include <errno.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "qos/red.h"
#include "qos/shaper.h"

#define DRAWS 400000

struct curve {
	uint64_t kmin, kmax;
	uint32_t pmax_ppm;
};

/* As in the literature, and as a long-haul port has them. */
static const struct curve curves[] = {
	{5000, 200000, 10000},        /* DCQCN's paper: 5 KB, 200 KB, 1 % */
	{100000, 400000, 200000},     /* 20 % */
	{1000000, 4000000, 50000},    /* 5 % */
	{13750000, 28750000, 50000},  /* 0.11 and 0.23 BDP of 1000 km at 100 Gbit/s */
	{0, 1500, 1000000},           /* from the first byte, certain at the end */
	{77777, 77779, 333333},       /* two bytes wide */
	{1u << 30, 5000000000, 1000}, /* beyond 32 bits, 0.1 % */
};

static double
want_at(const struct curve *c, uint64_t backlog)
{
	if (backlog <= c->kmin)
		return 0;
	if (backlog > c->kmax)
		return 1;
	return c->pmax_ppm / 1e6 * (double)(backlog - c->kmin) / (double)(c->kmax - c->kmin);
}

static void
check_at(const struct curve *c, uint64_t backlog, struct rng *rng)
{
	struct qos_red red;
	unsigned int hits = 0;
	double p = want_at(c, backlog), variance = p * (1 - p) / DRAWS, have;

	cr_assert_eq(qos_red_init(&red, c->kmin, c->kmax, c->pmax_ppm), 0);
	for (unsigned int i = 0; i < DRAWS; i++)
		hits += qos_red_hit(&red, backlog, rng);
	have = (double)hits / DRAWS;
	/* three sigma, squared: no need of libm */
	cr_assert((have - p) * (have - p) <= 9 * variance, "%lu..%lu at %lu: %f, want %f", c->kmin,
		c->kmax, backlog, have, p);
	have = (double)qos_red_chance(&red, backlog) / 4294967296.0;
	cr_assert(have - p < 1e-9 && p - have < 1e-9, "%lu..%lu at %lu: %.12f", c->kmin, c->kmax,
		backlog, have);
}

Test(red, the_measured_chance_is_the_curve_to_three_sigma)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t i = 0; i < BITS_ARRAY_LEN(curves); i++) {
		const struct curve *c = &curves[i];
		uint64_t span = c->kmax - c->kmin;

		check_at(c, c->kmin + 1, &rng);
		for (unsigned int part = 0; part <= 8; part++)
			check_at(c, c->kmin + span * part / 8, &rng);
		check_at(c, c->kmax + 1, &rng);
		check_at(c, 3 * c->kmax, &rng);
	}
}

Test(red, the_ends_of_the_curve_are_exact)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(curves); i++) {
		const struct curve *c = &curves[i];
		struct qos_red red;

		qos_red_init(&red, c->kmin, c->kmax, c->pmax_ppm);
		cr_assert_eq(qos_red_chance(&red, 0), 0);
		cr_assert_eq(qos_red_chance(&red, c->kmin), 0);
		cr_assert_eq(
			qos_red_chance(&red, c->kmax), ((uint64_t)c->pmax_ppm << 32) / 1000000);
		cr_assert_eq(qos_red_chance(&red, c->kmax + 1), UINT64_C(1) << 32);
		cr_assert_eq(qos_red_chance(&red, UINT64_MAX), UINT64_C(1) << 32);
	}
}

Test(red, it_draws_only_on_the_slope)
{
	struct qos_red red;
	struct rng rng;

	rng_init(&rng, 3);
	qos_red_init(&red, 1000, 2000, 500000);
	cr_assert_not(qos_red_hit(&red, 1000, &rng));
	cr_assert(qos_red_hit(&red, 2001, &rng));
	cr_assert_eq(rng.state, 3);
	qos_red_hit(&red, 1001, &rng);
	cr_assert_neq(rng.state, 3);
}

Test(red, equal_thresholds_are_a_step)
{
	struct qos_red red;
	struct rng rng;

	rng_init(&rng, 4);
	cr_assert_eq(qos_red_init(&red, 50000, 50000, 100), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		cr_assert_not(qos_red_hit(&red, 50000, &rng));
		cr_assert(qos_red_hit(&red, 50001, &rng));
	}
}

Test(red, kmax_zero_is_never)
{
	struct qos_red red;
	struct rng rng;

	rng_init(&rng, 5);
	cr_assert_eq(qos_red_init(&red, 0, 0, 1000000), 0);
	cr_assert_not(qos_red_hit(&red, 0, &rng));
	cr_assert_not(qos_red_hit(&red, 1, &rng));
	cr_assert_not(qos_red_hit(&red, UINT64_MAX, &rng));
}

Test(red, a_span_of_one_byte_and_a_chance_of_zero_or_one_hold)
{
	struct qos_red red;
	struct rng rng;

	rng_init(&rng, 6);
	qos_red_init(&red, 10, 11, 1000000);
	qos_red_init(&red, 0, 1000, 0);
	for (unsigned int i = 0; i < 1000; i++)
		cr_assert_not(qos_red_hit(&red, 1000, &rng));
	cr_assert(qos_red_hit(&red, 1001, &rng));
	qos_red_init(&red, 0, 1000, 1000000);
	for (unsigned int i = 0; i < 1000; i++)
		cr_assert(qos_red_hit(&red, 1000, &rng));
}

Test(red, curves_that_are_none_are_refused)
{
	struct qos_red red = {.kmin = 7};

	cr_assert_eq(qos_red_init(&red, 2, 1, 0), -EINVAL);
	cr_assert_eq(qos_red_init(&red, 1, 2, 1000001), -EINVAL);
	cr_assert_eq(red.kmin, 7);
}

/* A bucket with a hole, by the book; time in picoseconds. */
struct bucket {
	long double level, drain; /* bytes, bytes a picosecond */
	uint64_t at;
};

static long double
bucket_add(struct bucket *b, uint64_t now, uint32_t len)
{
	b->level -= b->drain * (long double)(now - b->at);
	b->level = (b->level > 0 ? b->level : 0) + len;
	b->at = now;
	return b->level;
}

static void
check_phantom(uint64_t rate, uint32_t permille, unsigned int load_permille)
{
	struct bucket b = {.drain = (long double)rate * permille / 8000 / 1e12L};
	struct qos_phantom p;
	struct qos_drain d;
	struct rng rng;
	uint64_t now = UINT64_MAX - 5 * PS_PER_MS; /* over the wrap */

	rng_init(&rng, rate + load_permille);
	b.at = now;
	qos_phantom_init(&p, now);
	cr_assert_eq(qos_drain_init(&d, rate, permille, UINT64_C(1) << 40), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t len = 64 + (uint32_t)rng_below(&rng, 9000);
		long double want = bucket_add(&b, now, len),
			    have = (long double)qos_phantom_add(&p, &d, now, len);

		/* a picosecond a frame, and a byte */
		cr_assert(have <= want + 1 && have >= want - 2 - (long double)i * b.drain * 2,
			"%lu bit/s, frame %u: %Lf, want %Lf", rate, i, have, want);
		now += (uint64_t)((double)len * 8e15 / ((double)rate * load_permille));
	}
}

Test(phantom, its_backlog_is_a_leaky_buckets)
{
	static const uint64_t rates[] = {
		100000000, 1000000000, 9999999999, 100000000000, 400000000000};

	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++)
		for (unsigned int load = 500; load <= 1500; load += 125)
			check_phantom(rates[i], 950, load);
}

Test(phantom, it_stays_empty_below_its_rate_and_fills_above)
{
	struct qos_phantom p;
	struct qos_drain d;
	uint64_t now = 0, backlog = 0, step = 1524 * 800; /* at 10 Gbit/s */

	qos_phantom_init(&p, now);
	qos_drain_init(&d, 10000000000, 950, 1000000000);
	for (unsigned int i = 0; i < 100000; i++, now += step * 100 / 94)
		backlog = qos_phantom_add(&p, &d, now, 1524);
	cr_assert(backlog >= 1523 && backlog < 2 * 1524, "94 %% of the rate: %lu", backlog);
	for (unsigned int i = 0; i < 100000; i++, now += step)
		backlog = qos_phantom_add(&p, &d, now, 1524);
	/* 5 % of what came in */
	cr_assert(backlog > 7500000 && backlog < 7700000, "all of the rate: %lu", backlog);
	cr_assert_eq(qos_phantom_backlog(&p, &d, now + PS_PER_S), 0);
}

Test(phantom, it_holds_its_cap_and_no_more)
{
	struct qos_phantom p;
	struct qos_drain d;
	uint64_t now = 1000, backlog = 0;

	qos_phantom_init(&p, now);
	qos_drain_init(&d, 10000000000, 1000, 100000);
	for (unsigned int i = 0; i < 1000; i++)
		backlog = qos_phantom_add(&p, &d, now, 1500);
	cr_assert_eq(backlog, 100000);
	/* 100,000 bytes are 80 us at this rate */
	cr_assert_eq(qos_phantom_backlog(&p, &d, now + 40 * PS_PER_US), 50000);
	cr_assert_eq(qos_phantom_backlog(&p, &d, now + 80 * PS_PER_US), 0);
	/* however long that would take: it stays within what time can plan */
	qos_phantom_init(&p, now);
	qos_drain_init(&d, 1000000, 100, UINT64_MAX);
	cr_assert_leq(d.cap_ps, PS_AHEAD_MAX);
}

Test(phantom, rates_out_of_range_are_refused)
{
	struct qos_drain d;

	cr_assert_eq(qos_drain_init(&d, 1000000000, 0, 1000), -ERANGE);
	cr_assert_eq(qos_drain_init(&d, 1000000000, 1001, 1000), -ERANGE);
	cr_assert_eq(qos_drain_init(&d, 1000, 1000, 1000), -ERANGE);
	cr_assert_eq(qos_drain_init(&d, QOS_RATE_MAX + 1, 1000, 1000), -ERANGE);
}
