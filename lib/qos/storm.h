/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pause watchdog of a port: a class that has frames, sends none, and is paused for 99 % of the
 * detection time is in a storm (a peer that is broken, or a deadlock). What then happens to its
 * frames is the caller's: drop them, or send them in spite of the pause. It is over when no pause
 * was seen for the restoration time.
 *
 * The watchdog's own clock moves 1/100 of the detection time in a turn at most: time during which
 * nobody looked proves nothing, neither a pause nor its end. A worker that comes round only each 20
 * ms therefore finds a real storm of 200 ms ten times as late, and never a false one.
 *
 * Owner: one worker, the one that takes the turns. Readers: anybody, relaxed, of mask and counters.
 */
#ifndef QOS_STORM_H
#define QOS_STORM_H

#include <stdint.h>

#define QOS_STORM_CLASSES 8u

struct qos_storm {
	uint64_t detect_ps, restore_ps;
	uint64_t step_ps; /* the most that a turn counts for */
	uint64_t last_ps; /* the last turn */
	/* by class: how long the window is and how much of it was without pause; in a storm, how
	 * long there has been no pause */
	uint64_t watched_ps[QOS_STORM_CLASSES];
	uint64_t open_ps[QOS_STORM_CLASSES];
	/* a storm of the port, of however many classes: from the first class in to the last out */
	uint64_t n_detected, n_restored;
	uint8_t paused; /* at the last turn */
	uint8_t mask;   /* classes in a storm */
};

/* The classes in a storm. Any thread. */
static inline uint8_t
qos_storm_mask(const struct qos_storm *w)
{
	return __atomic_load_n(&w->mask, __ATOMIC_RELAXED);
}

/* Both times in ms, 1..60,000; what is beyond is taken as its bound. Control thread. */
void qos_storm_init(struct qos_storm *w, uint32_t detect_ms, uint32_t restore_ms, uint64_t now);

/* Other times from now on; windows and storms that have begun go on by them. Who takes the turns.
 */
void qos_storm_set(struct qos_storm *w, uint32_t detect_ms, uint32_t restore_ms);

/*
 * Only these classes are watched: what had begun in others is over. Who takes the turns, when what
 * the port honours changes.
 */
void qos_storm_keep(struct qos_storm *w, uint8_t classes);

/*
 * One turn: the classes that are paused now, that have frames waiting, and that sent one since the
 * last turn (any worker). Returns the classes in a storm. A link that goes down is a turn without
 * pauses (qos_pause_clear()). The worker that owns it, once a loop turn.
 */
uint8_t qos_storm_turn(
	struct qos_storm *w, uint64_t now, uint8_t paused, uint8_t backlog, uint8_t sent);

#endif
