/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time that queues, lines and cells are counted in: picoseconds since an origin, modulo 2^64
 * (213 days). A byte at 400 Gbit/s takes 20 ps, so nanoseconds would not do. Every worker turns its
 * clock's ticks into it once a loop turn. Two times are compared by their difference only, so
 * that the wrap harms nobody.
 */
#ifndef BASE_PS_H
#define BASE_PS_H

#include <stdbool.h>
#include <stdint.h>

#define PS_PER_NS UINT64_C(1000)
#define PS_PER_US UINT64_C(1000000)
#define PS_PER_MS UINT64_C(1000000000)
#define PS_PER_S  UINT64_C(1000000000000)

/*
 * Nothing here is planned farther ahead than this (70 s; the longest is a pause of 65,535 quanta
 * at 1 Mbit/s, 34 s). What seems to be farther ahead is long past: a port that was idle for more
 * than half of the 213 days does not find itself blocked for the other half.
 */
#define PS_AHEAD_MAX (UINT64_C(1) << 46)

struct timebase {
	uint64_t mult;   /* picoseconds a tick, times 2^shift; 2^62..2^63 */
	uint64_t origin; /* ticks at 0 ps */
	uint32_t shift;  /* 22..62 */
};

/* `hz` ticks a second, 1..10^12. The rate is right to 1 part in 2^63. Control thread. */
static inline void
timebase_init(struct timebase *tb, uint64_t hz, uint64_t origin_ticks)
{
	unsigned __int128 mult;

	tb->origin = origin_ticks;
	for (tb->shift = 62;; tb->shift--) {
		mult = (((unsigned __int128)PS_PER_S << tb->shift) + hz / 2) / hz;
		if (mult >> 63 == 0)
			break;
	}
	tb->mult = (uint64_t)mult;
}

/*
 * Ticks to picoseconds: one multiplication. Monotone, and right for ticks before the origin too
 * (another core's counter may lag): those are times just below 2^64. Any thread.
 */
static inline uint64_t
ps_from_ticks(const struct timebase *tb, uint64_t ticks)
{
	__int128 product = (__int128)(int64_t)(ticks - tb->origin) * (int64_t)tb->mult;

	return (uint64_t)(product >> (tb->shift & 63));
}

/* How far `at` lies ahead of `now`; 0 when it is reached, or so far off that it is long past. */
static inline uint64_t
ps_ahead(uint64_t at, uint64_t now)
{
	uint64_t ahead = at - now;

	return ahead <= PS_AHEAD_MAX ? ahead : 0;
}

/*
 * What is past becomes now. A time that nobody touches for half a year would seem to be ahead again
 * shortly before 2^64 ps come round: whoever owns such a word calls this now and then, an hour
 * being often. The caller's `now` is not later than that of those who set it. Any thread.
 */
static inline void
ps_touch(uint64_t *at, uint64_t now)
{
	uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);

	if (ps_ahead(old, now) == 0)
		__atomic_compare_exchange_n(
			at, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* `now` is `at` or later; the two lie less than 106 days apart. */
static inline bool
ps_reached(uint64_t at, uint64_t now)
{
	return (int64_t)(now - at) >= 0;
}

#endif
