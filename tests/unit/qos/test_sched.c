/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict order, shares by weight in bytes, pauses, emptied classes, nobody left out. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "qos/sched.h"

/* Classes that never empty; frame lengths by class, 0: any of 60..9600. */
struct full {
	uint16_t weight[QOS_CLASSES];
	uint32_t len[QOS_CLASSES];
};

struct sums {
	uint64_t bytes[QOS_CLASSES], n[QOS_CLASSES], all;
};

static uint32_t
next_len(const struct full *f, unsigned int c, struct rng *rng)
{
	return f->len[c] != 0 ? f->len[c] : 60 + (uint32_t)rng_below(rng, 9541);
}

static uint8_t
weighted(const struct full *f)
{
	uint8_t mask = 0;

	for (unsigned int c = 0; c < QOS_CLASSES; c++)
		mask |= (uint8_t)((f->weight[c] != 0) << c);
	return mask;
}

/* `n` frames of classes that are always backlogged. */
static struct sums
serve(const struct full *f, unsigned int n, uint64_t seed)
{
	uint32_t head[QOS_CLASSES];
	struct sums sums = {.all = 0};
	struct qos_sched s;
	struct rng rng;

	rng_init(&rng, seed);
	qos_sched_init(&s, f->weight);
	for (unsigned int c = 0; c < QOS_CLASSES; c++)
		head[c] = next_len(f, c, &rng);
	for (unsigned int i = 0; i < n; i++) {
		int c = qos_sched_pick(&s, weighted(f), head);

		cr_assert(c >= 0 && f->weight[c] != 0);
		cr_assert_eq(qos_sched_pick(&s, weighted(f), head), c, "asked again");
		qos_sched_charge(&s, (unsigned int)c, head[c], false);
		sums.bytes[c] += head[c];
		sums.all += head[c];
		sums.n[c]++;
		head[c] = next_len(f, (unsigned int)c, &rng);
	}
	return sums;
}

static void
check_shares(const struct full *f, unsigned int n, double within)
{
	struct sums sums = serve(f, n, 1);
	uint64_t weights = 0;

	for (unsigned int c = 0; c < QOS_CLASSES; c++)
		weights += f->weight[c];
	for (unsigned int c = 0; c < QOS_CLASSES; c++) {
		double want = (double)f->weight[c] / (double)weights;
		double have = (double)sums.bytes[c] / (double)sums.all;

		cr_assert(have > want - within && have < want + within,
			"weight %u of %lu, class %u: %f, want %f", f->weight[c], weights, c, have,
			want);
	}
}

static const struct full sets[] = {
	{{1, 1}, {64, 64}},
	{{1, 1}, {1000, 1000}},
	{{1, 1}, {4096, 4096}},
	{{3, 1}, {1500, 1500}},
	{{3, 1}, {64, 64}},
	{{0, 0, 50, 0, 0, 50}, {[2] = 1024, [5] = 1024}},
	{{0, 0, 50, 0, 0, 50}, {[2] = 64, [5] = 1500}},
	{{1, 10}, {1000, 1000}},
	{{10, 1}, {64, 64}},
	{{1, 1, 1}, {1500, 1500, 1500}},
	{{1, 1, 1}, {64, 576, 1500}},
	{{7, 3}, {1500, 64}},
	{{1, 2, 3, 4, 5, 6, 7, 8}, {1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500}},
	{{1, 1, 1, 1, 1, 1, 1, 1}, {64, 64, 64, 64, 64, 64, 64, 64}},
	{{60000, 30000, 10000}, {1500, 1000, 500}},
	{{255, 254, 1}, {64, 64, 64}},
	{{255, 255, 1}, {1500, 1500, 1500}},
	{{7, 3, 5, 1}, {64, 64, 64, 64}},
	{{100, 1}, {64, 64}},
};

Test(sched, shares_of_a_thousand_packets_are_right_to_one_percent)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(sets); i++)
		check_shares(&sets[i], 1000, 0.01);
}

Test(sched, shares_of_mixed_and_jumbo_frames_are_right_in_the_long_run)
{
	static const struct full mixed[] = {
		{{3, 1}, {9600, 64}},
		{{1, 3}, {9600, 64}},
		{{1, 1}, {0, 0}},
		{{1, 10}, {0, 0}},
		{{5, 3, 2}, {0, 64, 9600}},
		{{1, 1, 1, 1, 1, 1, 1, 1}, {0}},
		{{65535, 1}, {1500, 1500}},
		{{20, 0, 10, 0, 40, 0, 30}, {0, 0, 0, 0, 9000, 0, 9600}},
	};

	for (size_t i = 0; i < BITS_ARRAY_LEN(mixed); i++) {
		check_shares(&mixed[i], 100000, 0.003);
		check_shares(&sets[i], 100000, 0.003);
	}
}

Test(sched, nobody_starves)
{
	struct full f = {
		{1, 100, 100, 100, 100, 100, 100, 100}, {9600, 64, 64, 64, 64, 64, 64, 64}};
	struct sums sums = serve(&f, 200000, 2);

	/* 1 part of 701 of the bytes, in frames of 9600 */
	cr_assert_geq(sums.n[0], sums.all / 701 / 9600 - 1);
	cr_assert_gt(sums.n[0], 0);
}

Test(sched, strict_classes_go_first_the_highest_number_before_all)
{
	static const uint16_t weight[QOS_CLASSES] = {1, 0, 2, 0, 3, 0, 0, 1};
	static const uint32_t head[QOS_CLASSES] = {64, 9600, 64, 64, 64, 64, 1500, 64};
	struct qos_sched s;

	qos_sched_init(&s, weight);
	for (unsigned int mask = 0; mask < 256; mask++) {
		int want = -1, have = qos_sched_pick(&s, (uint8_t)mask, head);

		for (int c = 0; c < 8; c++)
			if (mask >> c & 1 && weight[c] == 0)
				want = c;
		if (want >= 0)
			cr_assert_eq(have, want, "mask 0x%02x", mask);
		else if (mask == 0)
			cr_assert_eq(have, -1);
		else
			cr_assert(have >= 0 && mask >> have & 1, "mask 0x%02x: %d", mask, have);
	}
}

Test(sched, all_strict_is_plain_priority)
{
	static const uint16_t weight[QOS_CLASSES] = {0};
	static const uint32_t head[QOS_CLASSES] = {1, 1, 1, 1, 1, 1, 1, 1};
	struct qos_sched s;

	qos_sched_init(&s, weight);
	for (unsigned int mask = 1; mask < 256; mask++)
		cr_assert_eq(qos_sched_pick(&s, (uint8_t)mask, head), 31 - __builtin_clz(mask));
}

Test(sched, a_strict_frame_between_does_not_change_the_shares)
{
	static const uint16_t weight[QOS_CLASSES] = {3, 1};
	static const uint32_t head[QOS_CLASSES] = {1000, 1000, [6] = 90};
	struct qos_sched s;
	unsigned int n[QOS_CLASSES] = {0};

	qos_sched_init(&s, weight);
	for (unsigned int i = 0; i < 4000; i++) {
		int c = qos_sched_pick(&s, i % 3 == 0 ? 0x43 : 0x03, head);

		cr_assert_eq(c == 6, i % 3 == 0);
		qos_sched_charge(&s, (unsigned int)c, head[c], c == 6);
		n[c]++;
	}
	cr_assert(abs((int)n[0] - 3 * (int)n[1]) <= 8, "%u and %u", n[0], n[1]);
}

/* Saved-up deficit would let a class that was empty for long send a burst when it comes back. */
Test(sched, an_emptied_class_forgets_its_deficit)
{
	static const uint16_t weight[QOS_CLASSES] = {1, 100};
	static const uint32_t head[QOS_CLASSES] = {100, 100};
	struct qos_sched s;
	unsigned int in_a_row = 0, longest = 0;

	qos_sched_init(&s, weight);
	/* class 1 sends one frame of its 500 bytes each time, and is empty again */
	for (unsigned int i = 0; i < 1000; i++) {
		int c = qos_sched_pick(&s, 3, head);

		qos_sched_charge(&s, (unsigned int)c, 100, c == 1);
		if (c == 1)
			cr_assert_eq(s.deficit[1], 0);
		for (unsigned int k = 0; k < i % 4; k++) {
			cr_assert_eq(qos_sched_pick(&s, 1, head), 0);
			qos_sched_charge(&s, 0, 100, false);
		}
	}
	/* then it stays: 20 turns of 5 frames for each frame of class 0, and no more */
	for (unsigned int i = 0; i < 5000; i++) {
		int c = qos_sched_pick(&s, 3, head);

		qos_sched_charge(&s, (unsigned int)c, 100, false);
		in_a_row = c == 1 ? in_a_row + 1 : 0;
		longest = in_a_row > longest ? in_a_row : longest;
	}
	cr_assert(longest >= 95 && longest <= 105, "%u frames in a row", longest);
}

Test(sched, a_paused_class_keeps_its_place_and_its_deficit)
{
	static const uint16_t weight[QOS_CLASSES] = {4, 4, 4, 4};
	static const uint32_t head[QOS_CLASSES] = {256, 256, 256, 256};
	struct qos_sched s;
	char order[32] = "";

	/* two frames a turn */
	qos_sched_init(&s, weight);
	for (unsigned int i = 0; i < 16; i++) {
		/* class 2 is paused in the middle of its turn, for a turn of each of the others */
		uint8_t mask = i >= 3 && i < 9 ? 0x0b : 0x0f;
		int c = qos_sched_pick(&s, mask, head);

		qos_sched_charge(&s, (unsigned int)c, 256, false);
		order[i] = (char)('0' + c);
	}
	/* then it sends its second frame; the first turn of all is that of class 1 */
	cr_assert_str_eq(order, "1123300112330011");
}

Test(sched, a_class_paused_again_and_again_saves_up_no_more_than_a_turn)
{
	static const uint16_t weight[QOS_CLASSES] = {1, 50};
	static const uint32_t head[QOS_CLASSES] = {100, 100};
	struct qos_sched s;

	qos_sched_init(&s, weight);
	for (unsigned int i = 0; i < 10000; i++) {
		int c = qos_sched_pick(&s, i % 2 ? 1 : 3, head);

		qos_sched_charge(&s, (unsigned int)c, 100, false);
		for (unsigned int k = 0; k < 2; k++)
			cr_assert_leq(s.deficit[k], s.quantum[k] + 100);
	}
}

/* Whatever is eligible and however long: one of them, and the deficits stay bounded. */
Test(sched, any_mask_and_any_length_is_served)
{
	struct rng rng;

	rng_init(&rng, 5);
	for (unsigned int round = 0; round < 200; round++) {
		uint16_t weight[QOS_CLASSES];
		uint32_t head[QOS_CLASSES];
		struct qos_sched s;

		for (unsigned int c = 0; c < QOS_CLASSES; c++) {
			weight[c] = (uint16_t)(rng_next(&rng) >> (rng_next(&rng) % 17));
			head[c] = 1 + (uint32_t)rng_below(&rng, 65535);
		}
		qos_sched_init(&s, weight);
		for (unsigned int i = 0; i < 2000; i++) {
			uint8_t mask = (uint8_t)rng_next(&rng);
			int c = qos_sched_pick(&s, mask, head);

			cr_assert_eq(c < 0, mask == 0);
			if (c < 0)
				continue;
			cr_assert(mask >> c & 1);
			qos_sched_charge(&s, (unsigned int)c, head[c], rng_next(&rng) % 8 == 0);
			head[c] = 1 + (uint32_t)rng_below(&rng, 65535);
			cr_assert_leq(s.deficit[c], 2 * (uint64_t)s.quantum[c] + 65535);
		}
	}
}
