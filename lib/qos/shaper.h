/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rate of a port: the virtual scheduling algorithm (GCRA, ITU-T I.371 annex A), which is a
 * token bucket (RFC 2697) in one word. `tat` is the theoretical arrival time: when all that was
 * let go so far would have left at exactly the rate. A frame may go while that lies at most the
 * tolerance ahead, and moves it on by its own time at the rate.
 *
 * The rate (struct qos_rate) is configuration: immutable, any number of readers. The shaper is what
 * was let go. Owner: all workers that send to the port. They share `tat` by compare-and-swap,
 * relaxed: it guards no other data. At a new rate what was let go is paid for at the old one.
 *
 * Burst bound: frames let go at times in [a, b] take at most (b - a) + tolerance + one frame at the
 * rate. With 100 us that is 125 kB and a frame at 10 Gbit/s, after any silence. Urgent frames may
 * go when they would be the longest frame's time too early: whatever others let go last, a first
 * urgent one need not wait, and others wait until those ahead are paid for. Their bound is one
 * longest frame more.
 *
 * Rate: exact while frames wait and somebody asks at least every 100 us; a frame's time is rounded
 * to a picosecond, at most 0.03 % for a short frame at 400 Gbit/s.
 */
#ifndef QOS_SHAPER_H
#define QOS_SHAPER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "base/ps.h"

/*
 * Half would lose rate when a worker's turn takes 50 us; double would only be a larger burst.
 */
#define QOS_SHAPER_TOLERANCE_PS (100 * PS_PER_US)

#define QOS_RATE_MIN UINT64_C(100000)        /* 100 kbit/s: 65,535 bytes fit PS_AHEAD_MAX */
#define QOS_RATE_MAX UINT64_C(1600000000000) /* 1.6 Tbit/s */

/* Bits behind the point of a time a byte: 1 part in 10^7 at QOS_RATE_MAX. */
#define QOS_PER_BYTE_SHIFT 20

#define QOS_OVERHEAD_L1 24u   /* FCS 4, preamble 8, gap 12 (802.3 clause 4) */
#define QOS_OVERHEAD_L2 4u    /* FCS */
#define QOS_FRAME_MIN   60u   /* without FCS: what is shorter, the MAC pads */
#define QOS_FRAME_MAX   9622u /* the largest MTU, 9600, with Ethernet header and two tags */

/* Lost races before a frame waits for the next turn: somebody else's frame went each time. */
#define QOS_SHAPER_TRIES 8u

struct qos_rate {
	uint64_t tolerance_ps;
	uint64_t urgent_ps;   /* tolerance of urgent frames */
	uint64_t ps_per_byte; /* << QOS_PER_BYTE_SHIFT */
	uint32_t overhead;    /* bytes a frame */
};

struct qos_shaper {
	uint64_t tat_ps;
} __rte_cache_aligned;

/*
 * `rate_bps` counts the bits of whole frames on the wire (L1: with preamble and gap), or, with
 * `l2`, those from MAC to FCS. -ERANGE: below QOS_RATE_MIN or above QOS_RATE_MAX. Control thread.
 */
int qos_rate_init(struct qos_rate *r, uint64_t rate_bps, bool l2);

/* Nothing was let go before `now`. Control thread. */
static inline void
qos_shaper_init(struct qos_shaper *s, uint64_t now)
{
	s->tat_ps = now;
}

/* Bytes that a frame of `frame_len` (without FCS) counts as. */
static inline uint32_t
qos_rate_bytes(const struct qos_rate *r, uint32_t frame_len)
{
	return RTE_MAX(frame_len, QOS_FRAME_MIN) + r->overhead;
}

/* How long it takes at the rate; frame_len < 2^16. */
static inline uint64_t
qos_rate_cost(const struct qos_rate *r, uint32_t frame_len)
{
	uint64_t cost = qos_rate_bytes(r, frame_len) * r->ps_per_byte;

	return (cost + (UINT64_C(1) << (QOS_PER_BYTE_SHIFT - 1))) >> QOS_PER_BYTE_SHIFT;
}

/* Earliest time at which a frame may go; may lie in the past. Any thread. */
static inline uint64_t
qos_shaper_next_ps(const struct qos_shaper *s, const struct qos_rate *r)
{
	return __atomic_load_n(&s->tat_ps, __ATOMIC_RELAXED) - r->tolerance_ps;
}

/* The same for an urgent frame. Any thread. */
static inline uint64_t
qos_shaper_next_urgent_ps(const struct qos_shaper *s, const struct qos_rate *r)
{
	return __atomic_load_n(&s->tat_ps, __ATOMIC_RELAXED) - r->urgent_ps;
}

/* A frame of any length may go now. Worker. */
static inline bool
qos_shaper_ready(const struct qos_shaper *s, const struct qos_rate *r, uint64_t now)
{
	return ps_ahead(__atomic_load_n(&s->tat_ps, __ATOMIC_RELAXED), now) <= r->tolerance_ps;
}

/* The same for a frame that goes before what others have waiting. Worker. */
static inline bool
qos_shaper_ready_urgent(const struct qos_shaper *s, const struct qos_rate *r, uint64_t now)
{
	return ps_ahead(__atomic_load_n(&s->tat_ps, __ATOMIC_RELAXED), now) <= r->urgent_ps;
}

/* The two below: `tolerance_ps` is one of the rate's. */
static inline bool
qos_shaper_take_within(struct qos_shaper *s, uint64_t now, uint64_t cost, uint64_t tolerance_ps)
{
	uint64_t tat = __atomic_load_n(&s->tat_ps, __ATOMIC_RELAXED);

	for (unsigned int i = 0; i < QOS_SHAPER_TRIES; i++) {
		uint64_t ahead = ps_ahead(tat, now);

		if (ahead > tolerance_ps)
			return false;
		if (likely(__atomic_compare_exchange_n(&s->tat_ps, &tat, now + ahead + cost, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			return true;
	}
	return false;
}

/*
 * Lets one frame go and books it; false: not now. What was taken must be sent. The workers' `now`
 * may differ a little; `tat` never goes back. Worker.
 */
static inline bool
qos_shaper_take(struct qos_shaper *s, const struct qos_rate *r, uint64_t now, uint32_t frame_len)
{
	return qos_shaper_take_within(s, now, qos_rate_cost(r, frame_len), r->tolerance_ps);
}

/* The same for an urgent frame. Worker. */
static inline bool
qos_shaper_take_urgent(
	struct qos_shaper *s, const struct qos_rate *r, uint64_t now, uint32_t frame_len)
{
	return qos_shaper_take_within(s, now, qos_rate_cost(r, frame_len), r->urgent_ps);
}

#endif
