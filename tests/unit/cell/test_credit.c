/* SPDX-License-Identifier: BSD-3-Clause */
/* An egress scheduler alone, the VOQs played by hand. How both work together is in test_incast.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cell/credit.h"
#include "eal.h"

#define CREDIT UINT64_C(16384)
#define RATE   UINT64_C(10000000000)
#define T0     (UINT64_MAX - 3 * PS_PER_MS)
/* 16384 bytes at 10 Gbit/s x 1.02 */
#define CHUNK_PS  UINT64_C(12850196)
#define OUT_MAX   32u
#define MANY      (UINT64_C(1) << 40)
#define N_SOURCES 64u

struct bench {
	struct credit *s;
	uint64_t now;
	struct credit_grant_out out[OUT_MAX];
	uint32_t n;
};

static struct credit_config
config(void)
{
	return (struct credit_config){
		.rate_bps = RATE,
		.speedup_permille = 1020,
		.credit_bytes = CREDIT,
		.n_voqs = 256,
		.socket = SOCKET_ID_ANY,
	};
}

static struct bench
start(struct credit_config c)
{
	struct bench b = {.now = T0};

	test_eal(64);
	cr_assert_eq(credit_create(&c, b.now, &b.s), 0);
	return b;
}

static int
ask(struct bench *b, uint16_t source, uint8_t pipe, uint8_t class, struct cell_request q)
{
	struct cell_header h = {
		.type = CELL_REQUEST, .source = source, .pipe = pipe, .class = class};

	return credit_request(b->s, &h, &q, b->now);
}

static void
wants(struct bench *b, uint16_t source, uint8_t class, uint64_t wanted)
{
	cr_assert_eq(ask(b, source, 0, class, (struct cell_request){.wanted = wanted}), 0);
}

static uint32_t
turn(struct bench *b, uint8_t held)
{
	b->n = credit_turn(b->s, b->now, held, b->out, OUT_MAX);
	return b->n;
}

/* One GRANT, to whom and how much. */
static bool
one(const struct bench *b, uint16_t source, uint8_t class, uint64_t granted)
{
	return b->n == 1 && b->out[0].source == source && b->out[0].class == class &&
	       b->out[0].grant.granted == granted;
}

/* To the time that it names; nothing comes before. */
static uint32_t
step(struct bench *b, uint8_t held)
{
	uint64_t at = credit_next_ps(b->s, b->now, held);

	cr_assert_neq(at, UINT64_MAX);
	if (at != b->now) {
		b->now = at - 1;
		cr_assert_eq(turn(b, held), 0);
	}
	b->now = at;
	return turn(b, held);
}

Test(credit, a_configuration_out_of_range_is_refused)
{
	struct credit_config bad[10];
	struct credit *s = NULL;

	for (size_t i = 0; i < BITS_ARRAY_LEN(bad); i++)
		bad[i] = config();
	bad[0].rate_bps = CREDIT_RATE_MIN - 1;
	bad[1].rate_bps = CREDIT_RATE_MAX + 1;
	bad[2].speedup_permille = CREDIT_SPEEDUP_MIN - 1;
	bad[3].speedup_permille = CREDIT_SPEEDUP_MAX + 1;
	bad[4].credit_bytes = CREDIT_BYTES_MIN - 1;
	bad[5].credit_bytes = CREDIT_BYTES_MAX + 1;
	bad[6].n_voqs = 0;
	bad[7].n_voqs = CREDIT_VOQS_MAX + 1;
	bad[8].rate_bps = UINT64_MAX;
	bad[9].n_voqs = UINT32_MAX;
	for (size_t i = 0; i < BITS_ARRAY_LEN(bad); i++) {
		cr_assert_eq(credit_create(&bad[i], 0, &s), -ERANGE, "%zu", i);
		cr_assert_null(s);
	}
	credit_free(NULL);
}

Test(credit, one_voq_is_granted_chunk_by_chunk_at_the_pace)
{
	struct bench b = start(config());

	cr_assert_eq(credit_next_ps(b.s, b.now, 0), UINT64_MAX);
	cr_assert_eq(turn(&b, 0), 0);
	wants(&b, 1, 3, 2 * CREDIT + 100);
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), b.now);
	cr_assert_eq(turn(&b, 0), 1);
	cr_assert(one(&b, 1, 3, CREDIT));
	cr_assert_eq(credit_next_ps(b.s, b.now, 0) - b.now, CHUNK_PS);
	step(&b, 0);
	cr_assert(one(&b, 1, 3, 2 * CREDIT));
	step(&b, 0);
	cr_assert(one(&b, 1, 3, 2 * CREDIT + 100));
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), UINT64_MAX);
	cr_assert_eq(credit_stats(b.s)->granted_bytes, 2 * CREDIT + 100);
	cr_assert_eq(credit_stats(b.s)->grants, 3);
	cr_assert_eq(credit_stats(b.s)->repeats, 0);
	cr_assert_eq(credit_stats(b.s)->asking, 0);
	cr_assert_eq(credit_stats(b.s)->known, 1);
	credit_free(b.s);
}

/* A leaky bucket in the test's own arithmetic beside it. */
Test(credit, the_pace_holds_over_any_time_and_silence_saves_nothing)
{
	static const uint64_t rates[] = {100000000, 10000000000, 400000000000, 6400000000000};
	struct credit_config c = config();

	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++) {
		double level = 0, level_max = 0, bytes, bytes_ps;
		uint64_t last = 0, sum = 0, begin;
		struct rng rng;
		struct bench b;

		rng_init(&rng, i);
		c.rate_bps = rates[i];
		b = start(c);
		bytes_ps = (double)rates[i] * 1.02 / 8e12;
		begin = b.now;
		for (uint64_t end = b.now + 200 * PS_PER_MS; b.now < end || b.now > T0;) {
			b.now += rng_below(&rng, 10 * PS_PER_US);
			if (rng_below(&rng, 3) == 0)
				wants(&b, 1 + (uint16_t)rng_below(&rng, 5), 0, MANY);
			turn(&b, 0);
			bytes = (double)(credit_stats(b.s)->granted_bytes - sum);
			sum = credit_stats(b.s)->granted_bytes;
			level -= (double)(b.now - begin - last) * bytes_ps;
			last = b.now - begin;
			level = (level > 0 ? level : 0) + bytes;
			level_max = level > level_max ? level : level_max;
		}
		bytes = (double)last * bytes_ps;
		cr_assert((double)sum > bytes * 0.998 - CREDIT &&
				  (double)sum < bytes * 1.002 + 2 * CREDIT,
			"%lu bit/s: %lu of %f", rates[i], sum, bytes);
		cr_assert(level_max <= CREDIT + 10e6 * bytes_ps * 1.001, "%f", level_max);
		/* a second without a wish, and one worker's turn later one chunk */
		credit_free(b.s);
		b = start(c);
		b.now += PS_PER_S;
		wants(&b, 1, 0, MANY);
		turn(&b, 0);
		cr_assert(one(&b, 1, 0, CREDIT));
		credit_free(b.s);
	}
}

Test(credit, a_late_turn_catches_up_in_one_grant_and_not_without_bound)
{
	struct bench b = start(config());

	wants(&b, 1, 0, MANY);
	turn(&b, 0);
	b.now += 4 * CHUNK_PS;
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 5 * CREDIT));
	b.now += 10 * PS_PER_MS;
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, (5 + CREDIT_LATE_MAX_PS / CHUNK_PS + 1) * CREDIT));
	credit_free(b.s);
}

/* From the second on: the first turn is a part, so that they do not march in step. */
Test(credit, voqs_take_turns_whatever_their_class_and_pipe)
{
	uint64_t granted[N_SOURCES] = {0}, parts = 0;
	struct bench b = start(config());

	for (unsigned int i = 0; i < N_SOURCES; i++)
		cr_assert_eq(ask(&b, 1, (uint8_t)i, i < 50 ? 1 : i % 8,
				     (struct cell_request){.wanted = MANY}),
			0);
	for (unsigned int round = 1; round <= 20; round++) {
		bool seen[N_SOURCES] = {false};

		for (unsigned int i = 0; i < N_SOURCES; i++) {
			uint8_t pipe;

			step(&b, 0);
			cr_assert_eq(b.n, 1);
			pipe = b.out[0].pipe;
			cr_assert_not(seen[pipe], "round %u, VOQ %u", round, pipe);
			seen[pipe] = true;
			if (round == 1)
				parts += b.out[0].grant.granted;
			else
				cr_assert_eq(b.out[0].grant.granted, granted[pipe] + CREDIT);
			cr_assert_leq(b.out[0].grant.granted, round * CREDIT);
			granted[pipe] = b.out[0].grant.granted;
		}
	}
	cr_assert(parts > N_SOURCES * CREDIT * 45 / 100 && parts < N_SOURCES * CREDIT * 55 / 100,
		"%lu", parts);
	credit_free(b.s);
}

/* Small wishes, each fulfilled at once, do not get a turn more than those that wait. */
Test(credit, coming_again_is_no_way_to_the_front)
{
	struct bench b = start(config());
	uint64_t small = 0, big = 0;

	for (uint16_t i = 1; i <= 4; i++)
		wants(&b, i, 1, MANY);
	for (unsigned int i = 0; i < 500; i++) {
		ask(&b, 9, 0, 5, (struct cell_request){.wanted = small + 1, .granted = small});
		step(&b, 0);
		cr_assert_eq(b.n, 1);
		if (b.out[0].source == 9)
			small++;
		else
			big++;
	}
	cr_assert(small * 4 <= big + 4 && small * 4 + 8 >= big, "%lu to %lu", small, big);
	credit_free(b.s);
}

Test(credit, held_classes_get_nothing_and_come_back_as_others)
{
	struct bench b = start(config());
	uint64_t got[8];

	for (unsigned int held = 0; held < 256; held++) {
		uint64_t n = 8 - (unsigned int)__builtin_popcount(held);

		for (uint8_t c = 0; c < 8; c++)
			wants(&b, c + 1, c, MANY + held);
		memset(got, 0, sizeof(got));
		if (held == 255) {
			cr_assert_eq(credit_next_ps(b.s, b.now, 255), UINT64_MAX);
			b.now += PS_PER_MS;
			cr_assert_eq(turn(&b, 255), 0);
			continue;
		}
		/* a turn that the last set left over is allowed for */
		for (unsigned int i = 0; i < n * 4; i++) {
			step(&b, (uint8_t)held);
			cr_assert_eq(b.n, 1);
			got[b.out[0].class]++;
		}
		for (unsigned int c = 0; c < 8; c++)
			cr_assert(held >> c & 1 ? got[c] == 0 : got[c] >= 3 && got[c] <= 5,
				"held %x: class %u has %lu turns", held, c, got[c]);
	}
	/* all held for a millisecond: one chunk, not what the time was worth */
	cr_assert_eq(turn(&b, 0), 1);
	credit_free(b.s);
}

/* Small wishes: one turn each. */
Test(credit, strict_classes_go_first_the_higher_before_the_lower)
{
	struct credit_config c = config();
	struct bench b;

	c.strict = 1u << 6 | 1u << 2;
	b = start(c);
	wants(&b, 1, 7, MANY);
	wants(&b, 2, 2, CREDIT);
	wants(&b, 3, 6, CREDIT);
	wants(&b, 4, 6, CREDIT);
	step(&b, 0);
	cr_assert(one(&b, 3, 6, CREDIT));
	ask(&b, 3, 0, 6, (struct cell_request){.wanted = 2 * CREDIT, .granted = CREDIT});
	step(&b, 1u << 6);
	cr_assert(one(&b, 2, 2, CREDIT), "the other is held");
	ask(&b, 2, 0, 2, (struct cell_request){.wanted = 2 * CREDIT, .granted = CREDIT});
	step(&b, 0);
	cr_assert(one(&b, 4, 6, CREDIT));
	step(&b, 0);
	cr_assert(one(&b, 3, 6, 2 * CREDIT));
	step(&b, 0);
	cr_assert(one(&b, 2, 2, 2 * CREDIT));
	step(&b, 0);
	cr_assert(one(&b, 1, 7, CREDIT));
	credit_free(b.s);
}

Test(credit, a_grant_that_was_lost_is_said_again)
{
	struct bench b = start(config());

	wants(&b, 1, 0, 1000);
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 1000));
	/* asked again with what it knows: nothing */
	wants(&b, 1, 0, 1000);
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), b.now, "no pace for what is granted");
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 1000));
	cr_assert_eq(credit_stats(b.s)->repeats, 1);
	cr_assert_eq(credit_stats(b.s)->granted_bytes, 1000);
	/* twice before the turn, and held: still one */
	wants(&b, 1, 0, 1000);
	wants(&b, 1, 0, 500);
	turn(&b, 0xff);
	cr_assert(one(&b, 1, 0, 1000));
	cr_assert_eq(turn(&b, 0), 0);
	/* more is wanted: the next grant says all, alone */
	b.now += PS_PER_MS;
	wants(&b, 1, 0, 3000);
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 3000));
	cr_assert_eq(turn(&b, 0), 0);
	/* also when it was to be said again before */
	b.now += PS_PER_MS;
	wants(&b, 1, 0, 3000);
	wants(&b, 1, 0, 4000);
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 4000));
	cr_assert_eq(credit_stats(b.s)->repeats, 2);
	credit_free(b.s);
}

Test(credit, repeats_and_grants_leave_room_for_each_other)
{
	struct credit_grant_out out[2];
	struct bench b = start(config());
	unsigned int fresh = 0, again = 0;

	for (uint16_t i = 1; i <= 40; i++)
		wants(&b, i, 0, i <= 20 ? 100 : MANY);
	for (unsigned int i = 0; i < 400; i++) {
		b.now += CHUNK_PS;
		turn(&b, 0);
	}
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t before = credit_stats(b.s)->repeats;

		for (uint16_t k = 1; k <= 20; k++)
			wants(&b, k, 0, 100);
		b.now += 4 * CHUNK_PS;
		cr_assert_eq(credit_turn(b.s, b.now, 0, out, 2), 2);
		again += (unsigned int)(credit_stats(b.s)->repeats - before);
	}
	fresh = 200 - again;
	cr_assert(fresh >= 100 && again >= 100, "%u and %u", fresh, again);
	credit_free(b.s);
}

Test(credit, a_session_begins_with_what_the_voq_was_granted)
{
	struct bench b = start(config());

	/* not known here: goes on where it was */
	ask(&b, 1, 0, 0, (struct cell_request){.session = 5, .granted = 70000, .wanted = 71000});
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 71000));
	cr_assert_eq(b.out[0].grant.session, 5);
	cr_assert_eq(credit_stats(b.s)->granted_bytes, 1000);
	/* known, and began anew while it waited for much */
	b.now += PS_PER_MS;
	ask(&b, 1, 0, 0, (struct cell_request){.session = 5, .granted = 71000, .wanted = MANY});
	ask(&b, 1, 0, 0, (struct cell_request){.session = 6, .granted = 0, .wanted = 2000});
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 2000));
	cr_assert_eq(b.out[0].grant.session, 6);
	/* and wants nothing any more */
	ask(&b, 1, 0, 0, (struct cell_request){.session = 6, .granted = 2000, .wanted = MANY});
	ask(&b, 1, 0, 0, (struct cell_request){.session = 7});
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), UINT64_MAX);
	cr_assert_eq(credit_stats(b.s)->asking, 0);
	cr_assert_eq(credit_stats(b.s)->sessions, 3);
	/* who wants nothing gets no place */
	cr_assert_eq(ask(&b, 2, 0, 0, (struct cell_request){.session = 1}), 0);
	cr_assert_eq(credit_stats(b.s)->known, 1);
	credit_free(b.s);
}

Test(credit, numbers_that_go_back_or_leap_do_no_harm)
{
	struct bench b = start(config());

	wants(&b, 1, 0, CREDIT);
	turn(&b, 0);
	b.now += PS_PER_MS;
	wants(&b, 1, 0, 10);
	cr_assert_eq(turn(&b, 0), 1, "the grant again");
	cr_assert(one(&b, 1, 0, CREDIT));
	/* knows of more than it wants, or than it was granted */
	ask(&b, 1, 0, 0, (struct cell_request){.wanted = 10, .granted = 2 * CREDIT});
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), UINT64_MAX);
	ask(&b, 1, 0, 0, (struct cell_request){.wanted = UINT64_MAX, .granted = 2 * CREDIT});
	turn(&b, 0);
	cr_assert(one(&b, 1, 0, 3 * CREDIT));
	ask(&b, 1, 0, 0,
		(struct cell_request){.wanted = UINT64_MAX, .granted = UINT64_MAX - CREDIT / 2});
	step(&b, 0);
	cr_assert(one(&b, 1, 0, UINT64_MAX));
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), UINT64_MAX);
	ask(&b, 2, 0, 0, (struct cell_request){.wanted = 1, .granted = UINT64_MAX});
	cr_assert_eq(credit_stats(b.s)->known, 1);
	credit_free(b.s);
}

Test(credit, who_is_silent_is_not_granted_for_ever)
{
	struct bench b = start(config());
	uint64_t n[3] = {0};

	wants(&b, 1, 0, MANY);
	wants(&b, 2, 0, MANY);
	for (unsigned int ms = 0; ms < 100; ms++) {
		wants(&b, 1, 0, MANY + ms);
		b.now += PS_PER_MS;
		turn(&b, 0);
		for (uint32_t i = 0; i < b.n; i++)
			n[b.out[i].source]++;
	}
	cr_assert_eq(n[1], 100);
	cr_assert_eq(n[2], 49, "%lu", n[2]);
	cr_assert_eq(credit_stats(b.s)->silent, 1);
	cr_assert_eq(credit_stats(b.s)->asking, 1);
	/* and is back with its next word */
	wants(&b, 2, 0, MANY);
	turn(&b, 0);
	b.now += PS_PER_MS;
	cr_assert_eq(turn(&b, 0), 2);
	credit_free(b.s);
}

Test(credit, the_idle_make_room_and_those_that_ask_do_not)
{
	struct credit_config c = config();
	struct bench b;

	c.n_voqs = 20;
	b = start(c);
	for (uint16_t i = 1; i <= 20; i++)
		wants(&b, i, 0, i <= 5 ? 100 : MANY);
	for (unsigned int i = 0; i < 20; i++)
		step(&b, 0);
	cr_assert_eq(credit_stats(b.s)->asking, 15);
	wants(&b, 1, 0, 50); /* heard of last; its grant is to be said again */
	for (uint16_t i = 21; i <= 25; i++)
		wants(&b, i, 0, MANY);
	cr_assert_eq(credit_stats(b.s)->evicted, 5);
	cr_assert_eq(credit_next_ps(b.s, b.now, 0xff), UINT64_MAX, "who is forgotten is not told");
	cr_assert_eq(credit_stats(b.s)->known, 20);
	cr_assert_eq(ask(&b, 26, 0, 0, (struct cell_request){.wanted = 1}), -ENOSPC);
	cr_assert_eq(credit_stats(b.s)->refused, 1);
	b.now += CREDIT_SILENT_PS / 2;
	for (uint16_t i = 7; i <= 25; i++)
		wants(&b, i, 0, MANY + 1);
	cr_assert_eq(ask(&b, 26, 0, 0, (struct cell_request){.wanted = 1}), -ENOSPC);
	/* one of them has gone */
	b.now += CREDIT_SILENT_PS / 2;
	cr_assert_eq(ask(&b, 26, 0, 0, (struct cell_request){.wanted = 1}), 0);
	cr_assert_eq(credit_stats(b.s)->evicted, 6);
	cr_assert_eq(credit_stats(b.s)->known, 20);
	credit_free(b.s);
}

Test(credit, the_rate_may_change_and_be_nothing)
{
	struct bench b = start(config());

	wants(&b, 1, 0, MANY);
	turn(&b, 0);
	cr_assert_eq(credit_set_rate(b.s, 0, b.now), 0);
	b.now += PS_PER_S;
	cr_assert_eq(turn(&b, 0), 0);
	cr_assert_eq(credit_next_ps(b.s, b.now, 0), UINT64_MAX);
	cr_assert_eq(credit_set_rate(b.s, 1, b.now), -ERANGE);
	cr_assert_eq(credit_set_rate(b.s, CREDIT_RATE_MIN, b.now), 0);
	wants(&b, 1, 0, MANY + 1);
	cr_assert_eq(turn(&b, 0), 1);
	/* a tenth of a second and more for a chunk, but not at the next rate */
	cr_assert_gt(credit_next_ps(b.s, b.now, 0) - b.now, PS_PER_S / 10);
	cr_assert_eq(credit_set_rate(b.s, RATE, b.now), 0);
	cr_assert_eq(credit_next_ps(b.s, b.now, 0) - b.now, CHUNK_PS);
	credit_free(b.s);
}

/*
 * Everybody there can be, with numbers of all kinds: the table stays what it is, the pace too, and
 * one that is honest gets on once they are silent.
 */
Test(credit, a_flood_of_hostile_requests_is_bounded)
{
	struct credit_config c = config();
	uint64_t seed = 11, elapsed;
	struct rng rng;
	struct bench b;

	c.n_voqs = 1000;
	rng_init(&rng, seed);
	b = start(c);
	for (unsigned int i = 0; i < 2000000; i++) {
		uint64_t draw = rng_next(&rng);
		struct cell_request q = {
			.session = (uint32_t)draw & 3,
			.wanted = draw & 4 ? rng_next(&rng) : rng_below(&rng, 100000),
			.granted = draw & 8 ? rng_next(&rng) : rng_below(&rng, 100000),
		};

		ask(&b, (uint16_t)(1 + rng_below(&rng, draw & 16 ? 65534 : 300)),
			(uint8_t)(draw >> 8), (uint8_t)(draw >> 16 & 7), q);
		if ((draw >> 24 & 15) == 0) {
			b.now += 2 * PS_PER_US;
			turn(&b, (uint8_t)(draw >> 32));
			cr_assert_leq(b.n, OUT_MAX);
		}
		cr_assert(credit_stats(b.s)->known <= 1000 &&
				  credit_stats(b.s)->asking <= credit_stats(b.s)->known,
			"seed %lu", seed);
	}
	elapsed = b.now - T0;
	cr_assert_leq(credit_stats(b.s)->granted_bytes,
		(uint64_t)((double)elapsed * 1.02 * (double)RATE / 8e12) + 2 * CREDIT, "seed %lu",
		seed);
	cr_assert_gt(credit_stats(b.s)->evicted, 1000);
	cr_assert_gt(credit_stats(b.s)->refused, 1000);
	b.now += CREDIT_SILENT_PS;
	for (unsigned int i = 0; i < 200; i++)
		turn(&b, 0);
	cr_assert_eq(credit_stats(b.s)->asking, 0);
	cr_assert_eq(ask(&b, 7, 7, 7, (struct cell_request){.session = 9, .wanted = 640}), 0);
	while (turn(&b, 0) == OUT_MAX)
		;
	b.now += PS_PER_MS;
	ask(&b, 7, 7, 7, (struct cell_request){.session = 9, .wanted = 640});
	turn(&b, 0);
	cr_assert(one(&b, 7, 7, 640));
	credit_free(b.s);
}
