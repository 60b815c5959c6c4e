/* SPDX-License-Identifier: BSD-3-Clause */
/* When a sender is told to stop and to go on, and the headroom's arithmetic. */
#include <errno.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "qos/pause.h"
#include "qos/xoff.h"

#define PAUSE_PS (3356 * PS_PER_US) /* 65,535 quanta at 10 Gbit/s */

static struct qos_xoff
make(uint64_t xoff, uint64_t xon)
{
	struct qos_xoff x;

	cr_assert_eq(qos_xoff_init(&x, xoff, xon, PAUSE_PS / 4), 0);
	return x;
}

Test(xoff, stop_above_xoff_and_go_at_xon_with_nothing_between)
{
	struct qos_xoff x = make(100000, 60000);

	cr_assert_eq(qos_xoff_turn(&x, 0), QOS_XOFF_NOTHING);
	qos_xoff_hold(&x, 100000);
	cr_assert_eq(qos_xoff_turn(&x, 1), QOS_XOFF_NOTHING, "at xoff");
	qos_xoff_hold(&x, 1);
	cr_assert_eq(qos_xoff_turn(&x, 2), QOS_XOFF_SEND_XOFF);
	cr_assert_eq(qos_xoff_turn(&x, 3), QOS_XOFF_NOTHING, "once");
	qos_xoff_hold(&x, -40000);
	cr_assert_eq(qos_xoff_turn(&x, 4), QOS_XOFF_NOTHING, "above xon");
	qos_xoff_hold(&x, -1);
	cr_assert_eq(qos_xoff_turn(&x, 5), QOS_XOFF_SEND_XON);
	cr_assert_eq(qos_xoff_turn(&x, 6), QOS_XOFF_NOTHING, "once");
	qos_xoff_hold(&x, 40000);
	cr_assert_eq(qos_xoff_turn(&x, 7), QOS_XOFF_NOTHING, "at xoff again");
	qos_xoff_hold(&x, 1);
	cr_assert_eq(qos_xoff_turn(&x, 8), QOS_XOFF_SEND_XOFF);
}

Test(xoff, an_xon_of_zero_is_met_by_an_empty_node)
{
	struct qos_xoff x = make(1000, 0);

	qos_xoff_hold(&x, 1001);
	cr_assert_eq(qos_xoff_turn(&x, 0), QOS_XOFF_SEND_XOFF);
	qos_xoff_hold(&x, -1001);
	cr_assert_eq(qos_xoff_turn(&x, 1), QOS_XOFF_SEND_XON);
}

/* Turns at random times; what the peer believes is worked out beside it. */
Test(xoff, the_peer_stays_stopped_from_xoff_to_xon)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (unsigned int round = 0; round < 20; round++) {
		struct qos_xoff x = make(500000, 300000);
		uint64_t now = UINT64_MAX - 50 * PS_PER_MS, said = 0;
		bool stopped = false;
		int64_t held = 0;

		for (unsigned int turn = 0; turn < 20000; turn++) {
			int64_t move =
				(int64_t)rng_below(&rng, 20001) - (turn / 500 % 2 ? 11000 : 9000);

			move = held + move < 0 ? -held : move;
			held += move;
			qos_xoff_hold(&x, move);
			enum qos_xoff_say say = qos_xoff_turn(&x, now);

			if (!stopped) {
				cr_assert_eq(
					say, held > 500000 ? QOS_XOFF_SEND_XOFF : QOS_XOFF_NOTHING);
			} else {
				/* before half the pause has run, though turns are 50 us apart */
				cr_assert(now - said < PAUSE_PS / 2);
				cr_assert_eq(say == QOS_XOFF_SEND_XON, held <= 300000);
				/* and not with each turn */
				if (say == QOS_XOFF_SEND_XOFF)
					cr_assert_geq(now - said, PAUSE_PS / 4);
			}
			if (say != QOS_XOFF_NOTHING)
				said = now;
			stopped = say == QOS_XOFF_NOTHING ? stopped : say == QOS_XOFF_SEND_XOFF;
			now += rng_below(&rng, 50 * PS_PER_US);
		}
	}
}

Test(xoff, a_turn_that_comes_late_refreshes_at_once)
{
	struct qos_xoff x = make(1000, 500);

	qos_xoff_hold(&x, 2000);
	cr_assert_eq(qos_xoff_turn(&x, 0), QOS_XOFF_SEND_XOFF);
	cr_assert_eq(qos_xoff_turn(&x, PAUSE_PS / 4 - 1), QOS_XOFF_NOTHING);
	cr_assert_eq(qos_xoff_turn(&x, 5 * PAUSE_PS), QOS_XOFF_SEND_XOFF);
	cr_assert_eq(qos_xoff_turn(&x, 5 * PAUSE_PS + 1), QOS_XOFF_NOTHING);
}

Test(xoff, what_could_not_be_sent_is_said_again)
{
	struct qos_xoff x = make(1000, 500);

	qos_xoff_hold(&x, 2000);
	for (uint64_t now = 0; now < 5; now++) {
		cr_assert_eq(qos_xoff_turn(&x, now), QOS_XOFF_SEND_XOFF);
		qos_xoff_unsaid(&x, now);
	}
	qos_xoff_hold(&x, -1900);
	for (uint64_t now = 5; now < 9; now++) {
		cr_assert_eq(qos_xoff_turn(&x, now), QOS_XOFF_SEND_XON);
		qos_xoff_unsaid(&x, now);
	}
	cr_assert_eq(qos_xoff_turn(&x, 9), QOS_XOFF_SEND_XON);
	cr_assert_eq(qos_xoff_turn(&x, 10), QOS_XOFF_NOTHING);
}

Test(xoff, thresholds_that_make_no_sense_are_refused)
{
	struct qos_xoff x;

	cr_assert_eq(qos_xoff_init(&x, 1000, 1001, PAUSE_PS), -EINVAL);
	cr_assert_eq(qos_xoff_init(&x, UINT64_MAX, 0, PAUSE_PS), -EINVAL);
	cr_assert_eq(qos_xoff_init(&x, 1000, 500, 0), -EINVAL);
	cr_assert_eq(qos_xoff_init(&x, 1000, 1000, PAUSE_PS), 0);
}

/* All quanta at all speeds: no flood, and renewed by the half wherever that leaves room. */
Test(xoff, are_repeated_by_the_half_and_never_flood_a_line)
{
	static const uint64_t mbit[] = {1, 10, 100, 1000, 10000, 25000, 100000, 400000, 800000};

	for (size_t r = 0; r < BITS_ARRAY_LEN(mbit); r++) {
		struct qos_pause p;
		uint64_t xoff_ps = 672 * PS_PER_S / (mbit[r] * 1000000), before = 0;

		qos_pause_init(&p, mbit[r] * 1000000, 0);
		for (uint32_t quanta = 1; quanta <= UINT16_MAX; quanta++) {
			uint64_t pause = qos_pause_ps(&p, (uint16_t)quanta);
			uint64_t repeat = qos_xoff_repeat_ps(pause, qos_pause_ps(&p, 1));
			uint64_t least = RTE_MAX(10 * PS_PER_US, 132 * qos_pause_ps(&p, 1));

			cr_assert_geq(repeat, 10 * PS_PER_US);
			cr_assert_geq(repeat, 100 * xoff_ps, "%lu Mbit/s, %u", mbit[r], quanta);
			cr_assert(repeat <= pause / 2 || pause < 2 * least);
			cr_assert(repeat == pause / 4 || (repeat == least && pause < 4 * least));
			cr_assert_geq(repeat, before);
			before = repeat;
		}
	}
}
