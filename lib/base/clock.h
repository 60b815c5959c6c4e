/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time is an input: whoever runs a node hands it a clock. On NICs that is the TSC, in
 * softbag-replay and in tests a counter that the caller moves.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

struct clock {
	uint64_t (*now)(void *ctx); /* ticks; never goes back */
	void *ctx;
	uint64_t hz; /* ticks a second, > 0 */
};

static inline uint64_t
clock_now(const struct clock *c)
{
	return c->now(c->ctx);
}

/* The CPU's time stamp counter. `hz` is what the caller measured (rte_get_tsc_hz()). Any thread. */
struct clock clock_tsc(uint64_t hz);

/* A clock that stands still until *ticks is changed by its owner; `hz` ticks are one second. */
struct clock clock_manual(uint64_t *ticks, uint64_t hz);

#endif
