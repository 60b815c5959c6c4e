/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet numbers: against a dull model, and by hand where the model knows no messages. */
#include <inttypes.h>

#include <rte_common.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "psn_model.h"

static struct psn_stats
read_of(const struct psn *p)
{
	struct psn_stats s;

	psn_read(p, &s);
	return s;
}

/* All fields; not what pads them. */
static bool
same(const struct psn_stats *a, const struct psn_stats *b)
{
	return memcmp(a, b, offsetof(struct psn_stats, extent) + sizeof(a->extent)) == 0;
}

static void
expect(const struct psn *p, uint64_t lost, uint64_t reordered, uint64_t repeated)
{
	struct psn_stats s = read_of(p);

	cr_assert(s.lost == lost && s.reordered == reordered && s.repeated == repeated,
		"lost %" PRIu64 " reordered %" PRIu64 " repeated %" PRIu64 ", want %" PRIu64
		" %" PRIu64 " %" PRIu64,
		s.lost, s.reordered, s.repeated, lost, reordered, repeated);
}

static void
take_all(struct psn *p, const uint32_t *psn, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		psn_take(p, psn[i] & PSN_MASK, PSN_PLAIN, 0);
}

#define TAKE(p, ...)                                                                               \
	take_all(p, (const uint32_t[]){__VA_ARGS__},                                               \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* ---- against the model ---- */

/* A sender and a network that err by plan: chances in 1024. */
struct plan {
	unsigned int loss, repeat, back, displace, displace_by;
};

struct wire {
	int64_t number[MODEL_MAX];
	uint64_t at[MODEL_MAX];
	unsigned int n;
};

static bool
chance(struct rng *rng, unsigned int in_1024)
{
	return rng_below(rng, 1024) < in_1024;
}

static void
put(struct wire *w, struct rng *rng, const struct plan *plan, int64_t number, uint64_t now)
{
	if (w->n == MODEL_MAX || chance(rng, plan->loss))
		return;
	w->number[w->n] = number;
	w->at[w->n] = now * 1024;
	if (chance(rng, plan->displace))
		w->at[w->n] += 1024 * (1 + rng_below(rng, plan->displace_by)) + 512;
	w->n++;
}

/* What a receiver sees of `n` packets that are sent from number `first` on. */
static void
run_plan(struct wire *w, struct rng *rng, const struct plan *plan, unsigned int n, int64_t first)
{
	int64_t number = first;

	w->n = 0;
	for (uint64_t now = 0; now < n; now++) {
		if (chance(rng, plan->back))
			number = RTE_MAX(first, number - (int64_t)rng_below(rng, 200));
		put(w, rng, plan, number, now);
		if (chance(rng, plan->repeat))
			put(w, rng, plan, number, now + rng_below(rng, 3));
		number++;
	}
	for (unsigned int i = 1; i < w->n; i++) /* stable: equal times stay in order */
		for (unsigned int k = i; k > 0 && w->at[k - 1] > w->at[k]; k--) {
			uint64_t at = w->at[k];
			int64_t is = w->number[k];

			w->at[k] = w->at[k - 1];
			w->number[k] = w->number[k - 1];
			w->at[k - 1] = at;
			w->number[k - 1] = is;
		}
}

static void
same_as_model(const struct plan *plan, uint64_t seed, unsigned int rounds, unsigned int n)
{
	static struct model m;
	static struct wire w;
	struct rng rng;

	rng_init(&rng, seed);
	for (unsigned int round = 0; round < rounds; round++) {
		/* begins anywhere, often shortly before the numbers wrap around */
		uint32_t origin = chance(&rng, 512) ? PSN_MASK - (uint32_t)rng_below(&rng, n)
						    : (uint32_t)rng_next(&rng) & PSN_MASK;
		struct psn_stats is, want;
		struct psn p = {0};

		memset(&m, 0, sizeof(m));
		run_plan(&w, &rng, plan, n, 4096);
		for (unsigned int i = 0; i < w.n; i++) {
			model_take(&m, w.number[i]);
			psn_take(&p, (origin + (uint32_t)w.number[i]) & PSN_MASK, PSN_PLAIN, 0);
			if (i % 37 != 0 && i + 1 != w.n)
				continue;
			model_read(&m, &want);
			is = read_of(&p);
			cr_assert(same(&is, &want),
				"round %u packet %u: lost %" PRIu64 " %" PRIu64
				" reordered %" PRIu64 " %" PRIu64 " repeated %" PRIu64 " %" PRIu64
				" extents %" PRIu64 " %" PRIu64,
				round, i, is.lost, want.lost, is.reordered, want.reordered,
				is.repeated, want.repeated, is.extent_sum, want.extent_sum);
		}
	}
}

Test(psn, loss_is_the_models)
{
	same_as_model(&(struct plan){.loss = 30}, 1, 60, 600);
	same_as_model(&(struct plan){.loss = 700}, 2, 60, 600);
}

Test(psn, reordering_is_the_models)
{
	same_as_model(&(struct plan){.displace = 100, .displace_by = 4}, 3, 60, 600);
	same_as_model(&(struct plan){.displace = 500, .displace_by = 40}, 4, 60, 600);
	same_as_model(&(struct plan){.displace = 30, .displace_by = 300}, 5, 60, 600);
}

Test(psn, repetition_is_the_models)
{
	same_as_model(&(struct plan){.repeat = 200}, 6, 60, 600);
	same_as_model(&(struct plan){.back = 20}, 7, 60, 600);
}

Test(psn, all_at_once_is_the_models)
{
	static const struct plan plan = {
		.loss = 40, .repeat = 40, .back = 10, .displace = 100, .displace_by = 30};

	same_as_model(&plan, 8, 200, 500);
}

/* ---- by hand ---- */

Test(psn, nothing_is_counted_on_a_clean_sequence_over_two_wraps)
{
	struct psn p = {0};
	struct psn_stats zero = {0}, s;

	for (uint32_t k = 0; k < (1u << 25) + 1000; k++)
		psn_take(&p, (0xfff000 + k) & PSN_MASK, PSN_PLAIN, 0);
	s = read_of(&p);
	cr_assert(same(&s, &zero));
}

Test(psn, extent_is_how_many_packets_came_since_the_first_that_overtook)
{
	struct psn p = {0};
	struct psn_stats s;

	TAKE(&p, 1, 2, 5, 6, 7, 3, 4, 8);
	s = read_of(&p);
	expect(&p, 0, 2, 0);
	/* 3 is the 3rd after 5 came, 4 the 4th */
	cr_assert(s.extent_sum == 3 + 4 && s.extent_max == 4 && s.extent[2] == 2);
}

Test(psn, what_goes_back_and_on_is_sent_again_and_what_it_filled_was_lost)
{
	struct psn p = {0};

	TAKE(&p, 1, 2, 5, 6, 3, 4, 5, 6, 7);
	expect(&p, 2, 0, 4);
	TAKE(&p, 9, 8);
	expect(&p, 2, 1, 4); /* judged by what follows: nothing yet */
	TAKE(&p, 9);
	expect(&p, 3, 0, 6);
}

Test(psn, missing_is_lost_until_it_comes_and_for_good_behind_the_window)
{
	struct psn p = {0};

	TAKE(&p, 1, 3);
	expect(&p, 1, 0, 0);
	for (uint32_t k = 4; k < 4 + PSN_WINDOW - 3; k++)
		psn_take(&p, k, PSN_PLAIN, 0);
	psn_take(&p, 2, PSN_PLAIN, 0); /* the last moment */
	expect(&p, 0, 1, 0);
	TAKE(&p, 131);
	for (uint32_t k = 132; k < 132 + PSN_WINDOW; k++)
		psn_take(&p, k, PSN_PLAIN, 0);
	psn_take(&p, 130, PSN_PLAIN, 0);
	expect(&p, 2, 1, 1);
}

Test(psn, far_jump_forward_is_loss_and_farther_a_new_beginning)
{
	struct psn p = {0};

	TAKE(&p, 10, 10 + 1 + PSN_JUMP_MAX);
	expect(&p, PSN_JUMP_MAX, 0, 0);
	TAKE(&p, 10);
	expect(&p, PSN_JUMP_MAX, 0, 0);
	cr_assert_eq(read_of(&p).restarts, 1);
	TAKE(&p, 11, 12, 12 + 2 + PSN_JUMP_MAX);
	expect(&p, PSN_JUMP_MAX, 0, 0);
	cr_assert_eq(read_of(&p).restarts, 2);
}

Test(psn, packets_before_the_first_one_seen_are_late_and_nothing_is_missing)
{
	struct psn p = {0};

	TAKE(&p, 100, 99, 101, 102);
	expect(&p, 0, 1, 0);
}

/* Requests of a requester with this path MTU: what a READ takes, others take one. */
static uint32_t
send_request(struct psn *p, uint32_t psn, bool read, uint32_t len, uint32_t mtu)
{
	psn_take(p, psn & PSN_MASK, read ? PSN_READ : PSN_PLAIN, read ? len : 0);
	return psn + (read && len != 0 ? (len + mtu - 1) / mtu : 1);
}

Test(psn, read_requests_take_the_numbers_of_their_responses)
{
	struct rng rng;

	rng_init(&rng, 11);
	for (unsigned int round = 0; round < 500; round++) {
		uint32_t mtu = 256u << rng_below(&rng, 5), psn = (uint32_t)rng_next(&rng);
		unsigned int most = 1u << rng_below(&rng, 24);
		struct psn p = {0};

		for (unsigned int k = 0; k < 100; k++)
			psn = send_request(
				&p, psn, chance(&rng, 700), (uint32_t)rng_below(&rng, most), mtu);
		expect(&p, 0, 0, 0);
	}
}

Test(psn, lost_packets_among_read_requests_are_lost_once_the_mtu_shows)
{
	struct psn p = {0};
	uint32_t psn = 0;

	for (unsigned int k = 0; k < 3; k++)
		psn = send_request(&p, psn, true, 10000, 1024); /* 10 numbers each */
	psn++;                                                  /* a SEND that is lost */
	psn = send_request(&p, psn, true, 10000, 1024);
	expect(&p, 1, 0, 0);
	psn += 10; /* a READ that is lost */
	psn = send_request(&p, psn, false, 0, 1024);
	expect(&p, 11, 0, 0);
}

Test(psn, path_mtu_of_a_write_says_how_many_numbers_a_read_takes)
{
	struct psn p = {0};
	uint32_t psn = 0;

	psn_mtu(&p, 1000); /* the end of something, no MTU */
	psn = send_request(&p, psn, false, 0, 1024);
	psn_mtu(&p, 1024);
	psn = send_request(&p, psn, true, 4096, 1024);
	psn += 4; /* as many as 512 would explain */
	send_request(&p, psn, false, 0, 1024);
	expect(&p, 4, 0, 0);
}

Test(psn, read_request_for_the_rest_of_a_response_is_a_repetition)
{
	struct psn p = {0};
	uint32_t psn = 0;

	psn = send_request(&p, psn, true, 65536, 1024);
	psn = send_request(&p, psn, true, 65536, 1024);
	expect(&p, 0, 0, 0);
	/* of the second, from its 20th packet on */
	send_request(&p, 64 + 20, true, 65536 - 20 * 1024, 1024);
	expect(&p, 0, 0, 1);
	psn = send_request(&p, psn, false, 0, 1024);
	expect(&p, 0, 0, 1);
	/* of the first, though all of it is long past */
	send_request(&p, 40, true, 65536 - 40 * 1024, 1024);
	expect(&p, 0, 0, 2);
}

Test(psn, overtaken_read_request_takes_its_numbers_all_the_same)
{
	struct psn p = {0};

	send_request(&p, 100, false, 0, 1024);
	send_request(&p, 101 + 5, false, 0, 1024);
	expect(&p, 5, 0, 0);
	send_request(&p, 101, true, 5000, 1024);
	send_request(&p, 107, false, 0, 1024);
	expect(&p, 0, 1, 0);
}

enum { FIRST = PSN_ANEW | PSN_MORE, MIDDLE = PSN_INNER | PSN_MORE, LAST = PSN_INNER };

Test(psn, numbers_of_other_requests_between_responses_are_no_loss)
{
	struct psn p = {0};

	psn_take(&p, 10, FIRST, 0);
	psn_take(&p, 11, MIDDLE, 0);
	psn_take(&p, 12, LAST, 0);
	psn_take(&p, 20, PSN_ANEW, 0); /* 13 to 19 were WRITEs */
	psn_take(&p, 500, FIRST, 0);
	psn_take(&p, 501, LAST, 0);
	expect(&p, 0, 0, 0);
}

Test(psn, what_a_response_lacks_in_its_middle_or_at_its_end_is_lost)
{
	struct psn p = {0};

	psn_take(&p, 10, FIRST, 0);
	psn_take(&p, 13, LAST, 0); /* 11 and 12 */
	expect(&p, 2, 0, 0);
	psn_take(&p, 14, FIRST, 0);
	psn_take(&p, 15, MIDDLE, 0);
	psn_take(&p, 19, FIRST, 0); /* 16 at least */
	expect(&p, 3, 0, 0);
	psn_take(&p, 20, LAST, 0);
	psn_take(&p, 25, LAST, 0); /* 24 at least */
	expect(&p, 4, 0, 0);
	psn_take(&p, 1025, FIRST, 0);
	psn_take(&p, 2025, FIRST, 0); /* 1026, beyond the window */
	expect(&p, 5, 0, 0);
}

Test(psn, responses_that_overtake_each_other_are_reordered)
{
	struct psn p = {0};

	psn_take(&p, 10, FIRST, 0);
	psn_take(&p, 14, PSN_ANEW, 0); /* of another message */
	psn_take(&p, 11, MIDDLE, 0);
	psn_take(&p, 13, LAST, 0);
	psn_take(&p, 12, MIDDLE, 0);
	psn_take(&p, 20, PSN_ANEW, 0);
	expect(&p, 0, 3, 0);
	/* its request is sent again, and its responses all come a second time */
	psn_take(&p, 10, FIRST, 0);
	psn_take(&p, 11, MIDDLE, 0);
	expect(&p, 0, 3, 2);
}
