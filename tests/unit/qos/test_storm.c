/* SPDX-License-Identifier: BSD-3-Clause */
/* What is a storm and what is not: one detection and one restoration of each, and of nothing else.
 */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "qos/pause.h"
#include "qos/storm.h"

#define DETECT_MS  200u
#define RESTORE_MS 200u

/* A port with its watchdog, stepped in virtual time. */
struct port {
	struct qos_storm storm;
	uint64_t now;
	uint64_t step_ps, jitter_ps; /* a turn each step, and up to so much later */
	struct rng rng;
};

static struct port
make(uint64_t step_ps, uint64_t jitter_ps)
{
	struct port p = {.now = UINT64_MAX - 300 * PS_PER_MS, /* over the wrap */
		.step_ps = step_ps,
		.jitter_ps = jitter_ps};

	rng_init(&p.rng, 1);
	qos_storm_init(&p.storm, DETECT_MS, RESTORE_MS, p.now);
	return p;
}

static uint8_t
turn(struct port *p, uint8_t paused, uint8_t backlog, uint8_t sent)
{
	p->now += p->step_ps + (p->jitter_ps != 0 ? rng_below(&p->rng, p->jitter_ps) : 0);
	return qos_storm_turn(&p->storm, p->now, paused, backlog, sent);
}

/* Turns of one kind for so long; true when any class was in a storm at any of them. */
static bool
turns(struct port *p, uint64_t ms, uint8_t paused, uint8_t backlog, uint8_t sent)
{
	uint64_t end = p->now + ms * PS_PER_MS;
	bool any = false;

	while (!ps_reached(end, p->now))
		any |= turn(p, paused, backlog, sent) != 0;
	return any;
}

static void
assert_counts(const struct port *p, uint64_t detected, uint64_t restored)
{
	cr_assert_eq(p->storm.n_detected, detected, "%lu detected, want %lu", p->storm.n_detected,
		detected);
	cr_assert_eq(p->storm.n_restored, restored, "%lu restored, want %lu", p->storm.n_restored,
		restored);
}

Test(storm, one_storm_of_any_classes_is_one_detection_and_one_restoration)
{
	static const uint8_t masks[] = {0x08, 0x10, 0x18, 0xff, 0x01, 0x80};

	for (size_t i = 0; i < BITS_ARRAY_LEN(masks); i++) {
		uint8_t m = masks[i];
		struct port p = make(50 * PS_PER_US, 0);

		cr_assert_not(turns(&p, 1000, 0, 0xff, 0xff));
		cr_assert_not(turns(&p, 195, m, 0xff, (uint8_t)~m), "too early");
		turns(&p, 10, m, 0xff, (uint8_t)~m);
		cr_assert_eq(p.storm.mask, m, "0x%02x, want 0x%02x", p.storm.mask, m);
		assert_counts(&p, 1, 0);
		turns(&p, 5000, m, 0xff, (uint8_t)~m);
		cr_assert_eq(p.storm.mask, m);
		assert_counts(&p, 1, 0);
		turns(&p, 195, 0, 0xff, 0xff);
		cr_assert_eq(p.storm.mask, m, "too early");
		turns(&p, 10, 0, 0xff, 0xff);
		cr_assert_eq(p.storm.mask, 0);
		assert_counts(&p, 1, 1);
		cr_assert_not(turns(&p, 1000, 0, 0xff, 0xff));
		assert_counts(&p, 1, 1);
	}
}

Test(storm, classes_that_join_and_leave_one_after_the_other_are_one_storm)
{
	struct port p = make(100 * PS_PER_US, 0);

	turns(&p, 250, 0x08, 0xff, 0x00);
	cr_assert_eq(p.storm.mask, 0x08);
	turns(&p, 250, 0x18, 0xff, 0x00);
	cr_assert_eq(p.storm.mask, 0x18);
	turns(&p, 250, 0x10, 0xff, 0x00);
	cr_assert_eq(p.storm.mask, 0x10);
	assert_counts(&p, 1, 0);
	turns(&p, 250, 0x00, 0xff, 0xff);
	assert_counts(&p, 1, 1);
}

Test(storm, a_second_storm_is_counted_again)
{
	struct port p = make(100 * PS_PER_US, 0);

	for (uint64_t n = 1; n <= 3; n++) {
		turns(&p, 300, 0x08, 0x08, 0x00);
		assert_counts(&p, n, n - 1);
		turns(&p, 300, 0x00, 0x08, 0x08);
		assert_counts(&p, n, n);
	}
}

Test(storm, a_pause_in_the_calm_begins_the_calm_again)
{
	struct port p = make(100 * PS_PER_US, 0);

	turns(&p, 300, 0x08, 0x08, 0x00);
	for (unsigned int i = 0; i < 10; i++) {
		turns(&p, 190, 0x00, 0x08, 0x08);
		turn(&p, 0x08, 0x08, 0x00);
	}
	assert_counts(&p, 1, 0);
	turns(&p, 210, 0x00, 0x08, 0x08);
	assert_counts(&p, 1, 1);
}

Test(storm, an_idle_paused_class_is_none)
{
	struct port p = make(50 * PS_PER_US, 0);

	cr_assert_not(turns(&p, 3000, 0xff, 0x00, 0x00));
	/* nor one that has something now and then */
	for (unsigned int i = 0; i < 20; i++) {
		cr_assert_not(turns(&p, 150, 0xff, 0x08, 0x00));
		cr_assert_not(turns(&p, 1, 0xff, 0x00, 0x00));
	}
	assert_counts(&p, 0, 0);
}

Test(storm, a_class_that_sends_is_none)
{
	struct port p = make(50 * PS_PER_US, 0);

	for (unsigned int i = 0; i < 20; i++) {
		cr_assert_not(turns(&p, 190, 0x08, 0x08, 0x00));
		cr_assert_eq(turn(&p, 0x08, 0x08, 0x08), 0);
	}
	assert_counts(&p, 0, 0);
}

/* The peer refreshes too late by 2 % of the pause; the class has frames and no luck to send one. */
Test(storm, late_pauses_are_none)
{
	struct port p = make(20 * PS_PER_US, 0);

	for (unsigned int i = 0; i < 1000; i++) {
		cr_assert_not(turns(&p, 3, 0x08, 0x08, 0x00));
		for (unsigned int k = 0; k < 5; k++)
			cr_assert_eq(turn(&p, 0x00, 0x08, 0x00), 0);
	}
	assert_counts(&p, 0, 0);
}

Test(storm, one_percent_without_pause_is_one_still)
{
	struct port p = make(10 * PS_PER_US, 0);

	/* 4 ms, of which 0.03 open: 0.75 % */
	for (unsigned int i = 0; i < 60; i++) {
		turns(&p, 4, 0x08, 0x08, 0x00);
		turn(&p, 0x00, 0x08, 0x00);
	}
	assert_counts(&p, 1, 0);
}

/*
 * Turns that come 10 to 60 ms apart, an honest peer that pauses 80 % of the time in short pieces,
 * and each turn that is not paused sends.
 */
Test(storm, jittery_turns_are_none)
{
	struct port p = make(10 * PS_PER_MS, 50 * PS_PER_MS);
	struct rng rng;

	rng_init(&rng, 7);
	for (unsigned int i = 0; i < 100000; i++) {
		uint8_t paused = rng_below(&rng, 100) < 80 ? 0x18 : 0;

		cr_assert_eq(turn(&p, paused, 0xff, (uint8_t)~paused), 0);
	}
	assert_counts(&p, 0, 0);
}

/* Nobody looks for longer than the detection time, and finds the class paused before and after. */
Test(storm, gaps_between_turns_prove_nothing)
{
	struct port p = make(50 * PS_PER_US, 0);

	for (unsigned int i = 0; i < 50; i++) {
		cr_assert_not(turns(&p, 2, 0x08, 0x08, 0x00));
		p.now += 250 * PS_PER_MS;
		cr_assert_not(turns(&p, 2, 0x08, 0x08, 0x00));
		cr_assert_eq(turn(&p, 0x00, 0x08, 0x08), 0);
	}
	assert_counts(&p, 0, 0);
}

Test(storm, a_real_storm_is_found_by_jittery_turns_too_and_once)
{
	struct port p = make(10 * PS_PER_MS, 20 * PS_PER_MS);

	turns(&p, 5000, 0x08, 0x08, 0x00);
	assert_counts(&p, 1, 0);
	turns(&p, 5000, 0x00, 0x08, 0x08);
	assert_counts(&p, 1, 1);
}

/* The whole way: frames of an endless storm against a port of any speed. */
Test(storm, the_speed_of_the_port_does_not_matter)
{
	static const uint64_t rates[] = {
		10000000, 1000000000, 10000000000, 100000000000, 400000000000};

	for (size_t i = 0; i < BITS_ARRAY_LEN(rates); i++) {
		static const uint16_t quanta[8] = {[3] = 0xffff};
		struct port p = make(20 * PS_PER_US, 0);
		struct qos_pause pause;
		uint64_t next = p.now, start = p.now, found = 0;

		qos_pause_init(&pause, rates[i], p.now);
		for (unsigned int n = 0; n < 25000; n++) { /* 500 ms */
			if (ps_reached(next, p.now)) {
				qos_pause_apply(&pause, p.now, 0x08, quanta);
				next = p.now + qos_pause_ps(&pause, 0xffff) / 2;
			}
			if (turn(&p, qos_pause_mask(&pause, p.now), 0x08, 0) != 0 && found == 0)
				found = p.now - start;
		}
		cr_assert(found >= 200 * PS_PER_MS && found < 203 * PS_PER_MS,
			"%lu bit/s: after %lu ps", rates[i], found);
		/* the link goes down in the middle of it, and comes back */
		qos_pause_clear(&pause, p.now);
		for (unsigned int n = 0; n < 15000; n++)
			turn(&p, qos_pause_mask(&pause, p.now), 0x08, 0x08);
		assert_counts(&p, 1, 1);
	}
}

Test(storm, times_out_of_bounds_are_taken_as_the_bounds)
{
	struct qos_storm w;

	qos_storm_init(&w, 0, UINT32_MAX, 5);
	cr_assert_eq(w.detect_ps, PS_PER_MS);
	cr_assert_eq(w.restore_ps, 60 * PS_PER_S);
	cr_assert_eq(qos_storm_turn(&w, 5, 0xff, 0xff, 0), 0, "no time has passed");
}
