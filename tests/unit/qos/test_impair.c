/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates of harm by counting, repetition by seed, and release times that never go back. */
#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/ps.h"
#include "qos/impair.h"

#define DRAWS 1000000

static const struct qos_impair_conf all = {
	.loss_ppb = 1000000,      /* 0.1 % */
	.corrupt_ppb = 20000000,  /* 2 % */
	.duplicate_ppb = 5000000, /* 0.5 % */
	.reorder_ppb = 300000000, /* 30 % */
	.jitter_ns = 10000,
	.reorder_ns = 50000,
};

static struct qos_impair
make(const struct qos_impair_conf *conf, uint64_t seed)
{
	struct qos_impair i;

	cr_assert_eq(qos_impair_init(&i, conf, seed, 0), 0);
	return i;
}

/* `n` hits of `draws` are within three sigma of the chance; squared, for want of libm. */
static bool
within_3_sigma(double n, double draws, double p)
{
	double off = n - p * draws;

	return off * off <= 9 * p * (1 - p) * draws;
}

static void
check_rate(const char *what, unsigned int n, uint32_t ppb)
{
	cr_assert(within_3_sigma(n, DRAWS, ppb / 1e9), "%s: %u of %u, want %u ppb", what, n, DRAWS,
		ppb);
}

Test(impair, each_harm_comes_at_its_rate)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct qos_impair i = make(&all, seed);
		unsigned int drop = 0, corrupt = 0, duplicate = 0, reorder = 0;

		for (unsigned int n = 0; n < DRAWS; n++) {
			struct qos_impair_verdict v = qos_impair_draw(&i);

			drop += v.drop;
			corrupt += v.corrupt;
			duplicate += v.duplicate;
			reorder += v.reorder;
		}
		check_rate("loss", drop, all.loss_ppb);
		check_rate("corruption", corrupt, all.corrupt_ppb);
		check_rate("duplication", duplicate, all.duplicate_ppb);
		check_rate("reordering", reorder, all.reorder_ppb);
	}
}

Test(impair, nothing_configured_is_nothing_done)
{
	struct qos_impair i = make(&(struct qos_impair_conf){.reorder_ns = 5}, 1);

	for (unsigned int n = 0; n < 100000; n++) {
		struct qos_impair_verdict v = qos_impair_draw(&i);

		cr_assert_not(v.drop || v.corrupt || v.duplicate || v.reorder);
		cr_assert_eq(v.extra_ps, 0);
	}
}

Test(impair, a_billion_of_a_billion_is_always)
{
	struct qos_impair i = make(&(struct qos_impair_conf){.loss_ppb = 1000000000}, 1);

	for (unsigned int n = 0; n < 100000; n++)
		cr_assert(qos_impair_draw(&i).drop);
}

static bool
same(const struct qos_impair_verdict *a, const struct qos_impair_verdict *b)
{
	return a->drop == b->drop && a->duplicate == b->duplicate && a->corrupt == b->corrupt &&
	       a->reorder == b->reorder && a->corrupt_bit == b->corrupt_bit &&
	       a->extra_ps == b->extra_ps;
}

Test(impair, the_same_seed_repeats_and_another_does_not)
{
	struct qos_impair a = make(&all, 7), b = make(&all, 7), c = make(&all, 8);
	unsigned int differ = 0;

	for (unsigned int n = 0; n < 10000; n++) {
		struct qos_impair_verdict va = qos_impair_draw(&a), vb = qos_impair_draw(&b),
					  vc = qos_impair_draw(&c);

		cr_assert(same(&va, &vb), "frame %u", n);
		differ += !same(&va, &vc);
	}
	cr_assert_gt(differ, 5000);
}

Test(impair, jitter_does_not_change_which_frames_are_lost)
{
	struct qos_impair a = make(&all, 7);
	struct qos_impair b = make(&(struct qos_impair_conf){.loss_ppb = all.loss_ppb}, 7);

	for (unsigned int n = 0; n < 100000; n++)
		cr_assert_eq(qos_impair_draw(&a).drop, qos_impair_draw(&b).drop);
}

Test(impair, jitter_is_uniform_and_reordered_frames_wait_longer)
{
	struct qos_impair i = make(&all, 3);
	uint64_t max = all.jitter_ns * PS_PER_NS;
	unsigned int n_lower = 0, n = 0;
	double sum = 0;

	for (unsigned int k = 0; k < 100000; k++) {
		struct qos_impair_verdict v = qos_impair_draw(&i);
		uint64_t least = v.reorder ? all.reorder_ns * PS_PER_NS : 0;

		cr_assert(v.extra_ps >= least && v.extra_ps <= least + max);
		sum += (double)(v.extra_ps - least);
		n_lower += v.extra_ps - least < max / 4;
		n++;
	}
	/* the mean of a uniform draw has the variance 1 / 12n */
	sum = sum / n / (double)max - 0.5;
	cr_assert_lt(sum * sum, 9.0 / 12 / n);
	cr_assert(within_3_sigma(n_lower, n, 0.25));
}

Test(impair, the_corrupted_bit_may_be_any)
{
	struct qos_impair i = make(&(struct qos_impair_conf){.corrupt_ppb = 1000000000}, 4);
	unsigned int hit[64] = {0};

	for (unsigned int n = 0; n < 64000; n++)
		hit[qos_impair_draw(&i).corrupt_bit >> 26]++;
	for (unsigned int k = 0; k < 64; k++)
		cr_assert(hit[k] > 850 && hit[k] < 1150, "%u: %u", k, hit[k]);
}

Test(impair, release_times_of_each_line_never_go_back)
{
	struct qos_impair i;
	uint64_t now = UINT64_MAX - PS_PER_MS, last[2];
	unsigned int clamped = 0;

	cr_assert_eq(qos_impair_init(&i, &all, 5, now), 0);
	last[0] = last[1] = now;
	for (unsigned int n = 0; n < 50000; n++, now += 100 * PS_PER_NS) {
		struct qos_impair_verdict v = qos_impair_draw(&i);
		uint64_t at = now + PS_PER_MS + v.extra_ps;
		uint64_t release = qos_impair_release(&i, v.reorder, true, at);

		cr_assert(ps_reached(at, release), "not before its time");
		cr_assert(ps_reached(last[v.reorder], release), "frame %u overtakes", n);
		/* held back by jitter of others, and by no more than that */
		cr_assert_leq(release - at, all.jitter_ns * PS_PER_NS);
		clamped += release != at;
		last[v.reorder] = release;
	}
	cr_assert_gt(clamped, 1000);
}

Test(impair, a_reordered_frame_is_overtaken)
{
	struct qos_impair_conf conf = {.reorder_ppb = 100000000, .reorder_ns = 50000};
	struct qos_impair i = make(&conf, 6);
	uint64_t now = 0, late = 0;
	unsigned int overtaken = 0;

	for (unsigned int n = 0; n < 10000; n++, now += PS_PER_US) {
		struct qos_impair_verdict v = qos_impair_draw(&i);
		uint64_t release = qos_impair_release(&i, v.reorder, true, now + v.extra_ps);

		if (v.reorder)
			late = release;
		else
			overtaken += !ps_reached(late, release);
	}
	cr_assert_gt(overtaken, 5000);
}

Test(impair, a_line_idle_for_any_time_holds_nothing_back)
{
	struct qos_impair i = make(&all, 1);

	for (uint64_t days = 1; days < 213; days += 3) {
		uint64_t at = days * 86400 * PS_PER_S;

		i.last_ps[0] = 5;
		cr_assert_eq(qos_impair_release(&i, false, true, at), at);
	}
	/* 30 s before the time that was given last comes round again: only an empty line can be */
	i.last_ps[0] = i.last_ps[1] = 5;
	cr_assert_eq(qos_impair_release(&i, false, false, 5 - 30 * PS_PER_S), 5 - 30 * PS_PER_S);
	cr_assert_eq(qos_impair_release(&i, true, false, 5 - 30 * PS_PER_S), 5 - 30 * PS_PER_S);
	cr_assert_eq(i.last_ps[0], 5 - 30 * PS_PER_S);
}

Test(impair, chances_above_one_and_endless_times_are_refused)
{
	const struct qos_impair_conf bad[] = {
		{.loss_ppb = 1000000001},
		{.corrupt_ppb = UINT32_MAX},
		{.duplicate_ppb = 1000000001},
		{.reorder_ppb = 1000000001},
		{.jitter_ns = 60000000001},
		{.reorder_ns = UINT64_MAX},
	};
	struct qos_impair i;

	for (size_t k = 0; k < BITS_ARRAY_LEN(bad); k++)
		cr_assert_eq(qos_impair_init(&i, &bad[k], 1, 0), -EINVAL);
}
