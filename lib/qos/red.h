/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marking: the curve (RED: Floyd, Jacobson, ToN 1993; as DCQCN uses it on the instantaneous
 * backlog: Zhu et al., SIGCOMM 2015), and the phantom queue whose backlog may stand in for the real
 * one (HULL: Alizadeh et al., NSDI 2012).
 *
 * A curve is immutable after its init: any thread. A phantom queue is shared by the workers that
 * send to the port, by one word, as in qos/shaper.h.
 */
#ifndef QOS_RED_H
#define QOS_RED_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "base/ps.h"
#include "base/rng.h"

struct qos_red {
	uint64_t kmin, kmax; /* bytes */
	uint64_t slope;      /* chance a byte above kmin; 2^64 is certain */
};

/*
 * Never up to kmin, then linear to `pmax_ppm` at kmax, above kmax always; kmin == kmax is a step.
 * kmax 0: never. -EINVAL: kmin > kmax, or pmax_ppm > 1,000,000. Control thread.
 */
int qos_red_init(struct qos_red *r, uint64_t kmin, uint64_t kmax, uint32_t pmax_ppm);

/* The chance at a backlog, of 2^32. */
static inline uint64_t
qos_red_chance(const struct qos_red *r, uint64_t backlog)
{
	if (backlog <= r->kmin)
		return 0;
	if (backlog > r->kmax)
		return UINT64_C(1) << 32;
	return (uint64_t)(((unsigned __int128)(backlog - r->kmin) * r->slope) >> 32);
}

/* Draws only where the curve is neither 0 nor 1. Worker. */
static inline bool
qos_red_hit(const struct qos_red *r, uint64_t backlog, struct rng *rng)
{
	if (likely(backlog <= r->kmin))
		return false;
	return backlog > r->kmax || rng_next(rng) >> 32 < qos_red_chance(r, backlog);
}

/* How a phantom queue drains: configuration, immutable. */
struct qos_drain {
	uint64_t cap_ps;       /* time that a full one takes to drain */
	uint64_t ps_per_byte;  /* << QOS_PHANTOM_SHIFT */
	uint64_t bytes_per_ps; /* << 64 */
};

struct qos_phantom {
	uint64_t tat_ps; /* when the queue will be empty */
} __rte_cache_aligned;

#define QOS_PHANTOM_SHIFT 20

#define QOS_PHANTOM_CAP_MAX_PS (60 * PS_PER_S) /* inside PS_AHEAD_MAX */

/*
 * A queue that drains at `permille` of the rate and holds `cap_bytes` at most: twice kmax is
 * plenty, for above kmax every packet is marked, and what is deeper only takes longer to drain.
 * -ERANGE: a drain below 100 kbit/s or above 1.6 Tbit/s, or permille 0 or above 1000. Control
 * thread.
 */
int qos_drain_init(struct qos_drain *d, uint64_t rate_bps, uint32_t permille, uint64_t cap_bytes);

/* Empty. Control thread. */
static inline void
qos_phantom_init(struct qos_phantom *p, uint64_t now)
{
	p->tat_ps = now;
}

static inline uint64_t
qos_drain_bytes(const struct qos_drain *d, uint64_t ps)
{
	return (uint64_t)(((unsigned __int128)ps * d->bytes_per_ps) >> 64);
}

/* Bytes in it now. Any thread. */
static inline uint64_t
qos_phantom_backlog(const struct qos_phantom *p, const struct qos_drain *d, uint64_t now)
{
	return qos_drain_bytes(d, ps_ahead(__atomic_load_n(&p->tat_ps, __ATOMIC_RELAXED), now));
}

/*
 * Puts `len` bytes in (counted as the rate is: qos_rate_bytes()); returns the backlog with them,
 * to a byte. len < 2^16. A race lost four times over leaves them out: the others' bytes are in.
 * Worker.
 */
static inline uint64_t
qos_phantom_add(struct qos_phantom *p, const struct qos_drain *d, uint64_t now, uint32_t len)
{
	uint64_t tat = __atomic_load_n(&p->tat_ps, __ATOMIC_RELAXED), ahead = 0;
	uint64_t cost = (len * d->ps_per_byte) >> QOS_PHANTOM_SHIFT;

	for (unsigned int i = 0; i < 4; i++) {
		ahead = RTE_MIN(ps_ahead(tat, now) + cost, d->cap_ps);
		if (likely(__atomic_compare_exchange_n(&p->tat_ps, &tat, now + ahead, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			break;
	}
	return qos_drain_bytes(d, ahead);
}

#endif
