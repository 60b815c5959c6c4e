/* SPDX-License-Identifier: BSD-3-Clause */
/* Honouring priority pause: quanta to time at any speed, each class alone, resume, the wrap. */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "qos/pause.h"

static const uint64_t rates[] = {
	1000000, 10000000, 1000000000, 10000000000, 25000000000, 100000000000, 400000000000};

static void
apply_one(struct qos_pause *p, uint64_t now, unsigned int class, uint16_t quanta)
{
	uint16_t all[8] = {0};

	all[class] = quanta;
	qos_pause_apply(p, now, (uint8_t)(1u << class), all);
}

Test(pause, quanta_are_512_bit_times_of_the_port)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++) {
		static const uint16_t quanta[] = {1, 2, 100, 0x7fff, 0xffff};
		struct qos_pause p;
		uint64_t now = UINT64_MAX - 12345; /* over the wrap */

		for (size_t k = 0; k < BITS_ARRAY_LEN(quanta); k++) {
			unsigned __int128 bits = (unsigned __int128)quanta[k] * 512;
			uint64_t want = (uint64_t)(bits * PS_PER_S / rates[i]);

			qos_pause_init(&p, rates[i], now);
			apply_one(&p, now, 3, quanta[k]);
			cr_assert_eq(qos_pause_ps(&p, quanta[k]), want);
			cr_assert_eq(qos_pause_mask(&p, now), 0x08);
			cr_assert_eq(qos_pause_mask(&p, now + want - 1), 0x08);
			cr_assert_eq(qos_pause_mask(&p, now + want), 0);
			cr_assert_eq(qos_pause_mask(&p, now + 100 * want), 0);
		}
	}
}

Test(pause, a_new_port_is_not_paused_and_a_cleared_one_neither)
{
	static const uint16_t quanta[8] = {9, 9, 9, 9, 9, 9, 9, 9};
	struct qos_pause p;

	qos_pause_init(&p, 10000000000, 77);
	cr_assert_eq(qos_pause_mask(&p, 77), 0);
	qos_pause_apply(&p, 77, 0xff, quanta);
	cr_assert_eq(qos_pause_mask(&p, 78), 0xff);
	qos_pause_clear(&p, 78);
	cr_assert_eq(qos_pause_mask(&p, 78), 0);
}

Test(pause, a_frame_touches_the_classes_of_its_vector_alone)
{
	static const uint16_t none[8] = {0}, all[8] = {9, 9, 9, 9, 9, 9, 9, 9};

	for (unsigned int before = 0; before < 256; before++)
		for (unsigned int vector = 0; vector < 256; vector++) {
			struct qos_pause p;

			qos_pause_init(&p, 10000000000, 0);
			qos_pause_apply(&p, 0, (uint8_t)before, all);
			qos_pause_apply(&p, 1, (uint8_t)vector, none);
			cr_assert_eq(qos_pause_mask(&p, 2), before & ~vector);
			qos_pause_apply(&p, 3, (uint8_t)vector, all);
			cr_assert_eq(qos_pause_mask(&p, 4), before | vector);
		}
}

Test(pause, the_last_frame_counts_longer_or_shorter)
{
	struct qos_pause p;
	uint64_t quantum;

	qos_pause_init(&p, 1000000000, 0);
	quantum = qos_pause_ps(&p, 1);
	apply_one(&p, 0, 4, 1000);
	apply_one(&p, 10 * quantum, 4, 5);
	cr_assert_eq(qos_pause_mask(&p, 15 * quantum - 1), 0x10);
	cr_assert_eq(qos_pause_mask(&p, 15 * quantum), 0, "shorter");
	apply_one(&p, 20 * quantum, 4, 5);
	apply_one(&p, 24 * quantum, 4, 5);
	cr_assert_eq(qos_pause_mask(&p, 29 * quantum - 1), 0x10, "refreshed");
	cr_assert_eq(qos_pause_mask(&p, 29 * quantum), 0);
}

Test(pause, the_longest_pause_at_the_lowest_speed_is_still_a_pause)
{
	struct qos_pause p;
	uint64_t now = UINT64_MAX - PS_PER_S, longest;

	qos_pause_init(&p, 1, now); /* taken as 1 Mbit/s */
	longest = qos_pause_ps(&p, 0xffff);
	cr_assert_leq(longest, PS_AHEAD_MAX);
	apply_one(&p, now, 7, 0xffff);
	cr_assert_eq(qos_pause_mask(&p, now), 0x80);
	cr_assert_eq(qos_pause_mask(&p, now + longest - 1), 0x80);
	cr_assert_eq(qos_pause_mask(&p, now + longest), 0);
}

Test(pause, a_pause_of_months_ago_does_not_come_back)
{
	struct qos_pause p;

	qos_pause_init(&p, 10000000000, 0);
	apply_one(&p, 0, 0, 0xffff);
	for (uint64_t days = 1; days < 213; days++)
		cr_assert_eq(qos_pause_mask(&p, days * 86400 * PS_PER_S), 0, "%lu days", days);
}
