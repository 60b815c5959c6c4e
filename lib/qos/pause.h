/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Priority pause, the honouring side (IEEE 802.1Qbb, 802.3 annex 31D): until when each class of a
 * port must not send. The sending side is qos/xoff.h, the watchdog qos/storm.h.
 *
 * Owner: the workers; whoever receives the frame writes, whoever sends to the port reads. One word
 * a class, relaxed: it guards no other data. Time is in picoseconds, so the port's speed counts at
 * one place only, where quanta become time.
 */
#ifndef QOS_PAUSE_H
#define QOS_PAUSE_H

#include <stdint.h>

#include <rte_common.h>

#include "base/ps.h"

#define QOS_PAUSE_CLASSES      8u
#define QOS_PAUSE_QUANTUM_BITS 512u
#define QOS_PAUSE_RATE_MIN     UINT64_C(1000000) /* 1 Mbit/s */

struct qos_pause {
	uint64_t until_ps[QOS_PAUSE_CLASSES];
	uint64_t ps_per_quantum;
} __rte_cache_aligned;

/*
 * `rate_bps` is the speed of the port itself, not that of its shaper; 1 Mbit/s at least (lower
 * counts as that). Holds for pauses that come from now on. Control thread.
 */
static inline void
qos_pause_speed_init(struct qos_pause *p, uint64_t rate_bps)
{
	uint64_t rate = RTE_MAX(rate_bps, QOS_PAUSE_RATE_MIN);

	__atomic_store_n(&p->ps_per_quantum, (QOS_PAUSE_QUANTUM_BITS * PS_PER_S + rate / 2) / rate,
		__ATOMIC_RELAXED);
}

/* At a speed, see above. Nothing is paused. Control thread. */
static inline void
qos_pause_init(struct qos_pause *p, uint64_t rate_bps, uint64_t now)
{
	qos_pause_speed_init(p, rate_bps);
	for (unsigned int c = 0; c < QOS_PAUSE_CLASSES; c++)
		p->until_ps[c] = now;
}

/* How long `quanta` last at the port's speed. */
static inline uint64_t
qos_pause_ps(const struct qos_pause *p, uint16_t quanta)
{
	return quanta * __atomic_load_n(&p->ps_per_quantum, __ATOMIC_RELAXED);
}

/*
 * A frame came: each class in `vector` pauses for its quanta from now, whatever it had left; 0
 * quanta resume it. Worker.
 */
static inline void
qos_pause_apply(
	struct qos_pause *p, uint64_t now, uint8_t vector, const uint16_t quanta[QOS_PAUSE_CLASSES])
{
	for (unsigned int c = 0; c < QOS_PAUSE_CLASSES; c++)
		if (vector >> c & 1)
			__atomic_store_n(&p->until_ps[c], now + qos_pause_ps(p, quanta[c]),
				__ATOMIC_RELAXED);
}

/* Nothing is paused any more: the link went down, and the peer's state with it. Any thread. */
static inline void
qos_pause_clear(struct qos_pause *p, uint64_t now)
{
	for (unsigned int c = 0; c < QOS_PAUSE_CLASSES; c++)
		__atomic_store_n(&p->until_ps[c], now, __ATOMIC_RELAXED);
}

/* Until when the class is paused; reached, or long past: it is not. Any thread. */
static inline uint64_t
qos_pause_until_ps(const struct qos_pause *p, unsigned int class)
{
	return __atomic_load_n(&p->until_ps[class], __ATOMIC_RELAXED);
}

/* The classes that are paused now. Any thread. */
static inline uint8_t
qos_pause_mask(const struct qos_pause *p, uint64_t now)
{
	unsigned int mask = 0;

	for (unsigned int c = 0; c < QOS_PAUSE_CLASSES; c++)
		mask |= (unsigned int)(ps_ahead(qos_pause_until_ps(p, c), now) != 0) << c;
	return (uint8_t)mask;
}

#endif
