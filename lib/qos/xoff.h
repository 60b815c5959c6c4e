/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Priority pause, the sending side (IEEE 802.1Qbb): what this node still holds of each (ingress
 * port, class), and when its sender is to stop and to go on.
 *
 * Owner: `held` belongs to all workers, who add what came in and take off what left, relaxed; a
 * worker may add up a burst first. All else belongs to the one worker that asks qos_xoff_turn() and
 * sends what it says.
 */
#ifndef QOS_XOFF_H
#define QOS_XOFF_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

/*
 * Between two XOFFs of a class lies this at least, however short their pauses are. In time: 100,000
 * a second are a hundredth of the packets that a worker moves, and of 10 Gbit/s 0.7 %; half of it
 * would be twice that, double would leave 800 Gbit/s no pause that can be renewed in time (65,535
 * quanta are 42 us there). In quanta, for slower lines: an XOFF has 672 bits with preamble and gap,
 * each 131.25 quanta are 1 % of any line.
 */
#define QOS_XOFF_LEAST_PS     UINT64_C(10000000)
#define QOS_XOFF_LEAST_QUANTA 132u

struct qos_xoff {
	int64_t held; /* bytes */
	int64_t room; /* bytes that may be held; the caller's */
	int64_t xoff_bytes, xon_bytes;
	uint64_t repeat_ps;  /* between two XOFFs; control writes it, relaxed */
	uint64_t refresh_ps; /* when the next is due, while `off` */
	bool off;            /* the sender was told to stop */
} __rte_cache_aligned;

enum qos_xoff_say {
	QOS_XOFF_NOTHING,
	QOS_XOFF_SEND_XOFF,
	QOS_XOFF_SEND_XON,
};

/*
 * How often an XOFF is repeated that stops the peer for `pause_ps`, qos_pause_ps() of the quanta
 * that are sent, at a speed where one quantum takes `quantum_ps`: each quarter of it, so that a
 * turn that comes a quarter late still keeps to the half, and one frame lost does not let the
 * sender go; but no more often than the two above allow. A pause shorter than twice that is not
 * renewed within its half: the configuration refuses it (conf_quanta_least()). Pure.
 */
uint64_t qos_xoff_repeat_ps(uint64_t pause_ps, uint64_t quantum_ps);

/*
 * `repeat_ps`: as above. -EINVAL: xon above xoff, either beyond 2^62, or repeat_ps 0. Control
 * thread.
 */
int qos_xoff_init(struct qos_xoff *x, uint64_t xoff_bytes, uint64_t xon_bytes, uint64_t repeat_ps);

/*
 * Other thresholds from now on; what is held, and what the peer was told, stays. -EINVAL as above.
 * Who asks qos_xoff_turn().
 */
int qos_xoff_set(struct qos_xoff *x, uint64_t xoff_bytes, uint64_t xon_bytes);

/*
 * The class is paused no more, whatever is held: XON, once, when the sender was told to stop. Who
 * asks qos_xoff_turn(), instead of it.
 */
enum qos_xoff_say qos_xoff_end(struct qos_xoff *x);

/* Repeats each so much from now on. Control thread. */
void qos_xoff_repeat(struct qos_xoff *x, uint64_t repeat_ps);

/* Bytes came in, or (negative) left. Worker. */
static inline void
qos_xoff_hold(struct qos_xoff *x, int64_t bytes)
{
	__atomic_fetch_add(&x->held, bytes, __ATOMIC_RELAXED);
}

/* Bytes held; below 0 while one worker has sent what another has not charged yet. Any thread. */
static inline int64_t
qos_xoff_held(const struct qos_xoff *x)
{
	return __atomic_load_n(&x->held, __ATOMIC_RELAXED);
}

/*
 * What to send now: XOFF when more than xoff is held, and again before half the pause has run as
 * long as more than xon is held; XON once it is xon or less (so that an xon of 0 can be met). The
 * worker that sends for the port.
 */
enum qos_xoff_say qos_xoff_turn(struct qos_xoff *x, uint64_t now);

/*
 * The peer has forgotten (its link came up): a sender that is to stop is told so in the next turn.
 * Who asks qos_xoff_turn().
 */
void qos_xoff_again(struct qos_xoff *x, uint64_t now);

/* The frame that qos_xoff_turn() asked for could not be sent: the next turn asks again. */
void qos_xoff_unsaid(struct qos_xoff *x, uint64_t now);

#endif
