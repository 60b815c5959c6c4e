/* SPDX-License-Identifier: BSD-3-Clause */
/* The pause watchdog. stage_egress takes a turn for each port that honours priority pause. */
#include "qos/storm.h"

#include <stdbool.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "base/ps.h"

#define STORM_MS_MAX 60000u

static uint64_t
bounded_ps(uint32_t ms)
{
	uint32_t at_most = RTE_MIN(ms, STORM_MS_MAX);

	return RTE_MAX(at_most, 1u) * PS_PER_MS;
}

void
qos_storm_init(struct qos_storm *w, uint32_t detect_ms, uint32_t restore_ms, uint64_t now)
{
	*w = (struct qos_storm){.last_ps = now};
	qos_storm_set(w, detect_ms, restore_ms);
}

void
qos_storm_set(struct qos_storm *w, uint32_t detect_ms, uint32_t restore_ms)
{
	w->detect_ps = bounded_ps(detect_ms);
	w->restore_ps = bounded_ps(restore_ms);
	w->step_ps = bounded_ps(detect_ms) / 100;
}

static void
forget(struct qos_storm *w, unsigned int c)
{
	w->watched_ps[c] = w->open_ps[c] = 0;
}

void
qos_storm_keep(struct qos_storm *w, uint8_t classes)
{
	uint8_t before = w->mask, mask = before & classes;

	for (unsigned int c = 0; c < QOS_STORM_CLASSES; c++)
		if (!(classes >> c & 1))
			forget(w, c);
	w->paused &= classes;
	w->n_restored += before != 0 && mask == 0;
	__atomic_store_n(&w->mask, mask, __ATOMIC_RELAXED);
}

/*
 * Is it a storm? `held`: paused at both ends of the turn. A window begins with a pause; what makes
 * 99 % of it impossible ends it.
 */
static bool
detect(struct qos_storm *w, unsigned int c, bool held, bool stuck, uint64_t dt)
{
	if (!stuck || (!held && w->watched_ps[c] == 0)) {
		forget(w, c);
		return false;
	}
	w->watched_ps[c] += dt;
	w->open_ps[c] += held ? 0 : dt;
	if (w->open_ps[c] > w->detect_ps / 100) {
		forget(w, c);
		return false;
	}
	if (w->watched_ps[c] < w->detect_ps)
		return false;
	forget(w, c);
	return true;
}

/* Is it over? */
static bool
restore(struct qos_storm *w, unsigned int c, bool calm, uint64_t dt)
{
	w->watched_ps[c] = calm ? w->watched_ps[c] + dt : 0;
	if (w->watched_ps[c] < w->restore_ps)
		return false;
	forget(w, c);
	return true;
}

uint8_t
qos_storm_turn(struct qos_storm *w, uint64_t now, uint8_t paused, uint8_t backlog, uint8_t sent)
{
	uint64_t dt = RTE_MIN(ps_ahead(now, w->last_ps), w->step_ps);
	uint8_t before = w->mask, mask = before;
	uint8_t held = paused & w->paused, seen = paused | w->paused;
	uint8_t stuck = backlog & (uint8_t)~sent;

	w->last_ps = now;
	w->paused = paused;
	for (unsigned int c = 0; c < QOS_STORM_CLASSES; c++) {
		uint8_t bit = (uint8_t)(1u << c);

		if (mask & bit) {
			if (restore(w, c, !(seen & bit), dt))
				mask &= (uint8_t)~bit;
		} else if (detect(w, c, held & bit, stuck & bit, dt)) {
			mask |= bit;
		}
	}
	w->n_detected += before == 0 && mask != 0;
	w->n_restored += before != 0 && mask == 0;
	__atomic_store_n(&w->mask, mask, __ATOMIC_RELAXED);
	return mask;
}
