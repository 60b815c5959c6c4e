/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port's way out: what the configuration wants of it (policy), and what all workers share of it
 * (commons). What each worker has of its own is dp/queue.h.
 */
#ifndef DP_EGRESS_H
#define DP_EGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/counters.h"
#include "qos/impair.h"
#include "qos/pause.h"
#include "qos/red.h"
#include "qos/sched.h"
#include "qos/shaper.h"
#include "qos/storm.h"
#include "qos/xoff.h"

/* Packets that may wait at a port without a policy of its own, when its device takes none. */
#define EGRESS_PLAIN_PACKETS 256u

struct egress_class {
	uint64_t limit; /* bytes that may wait at the port; not for what has a pfc_held */
	struct qos_red mark, drop; /* kmax 0: none */
	bool ecn;                  /* either curve is there */
	bool phantom;              /* they are asked about the phantom queue */
	bool control;              /* ACK, CNP and the like are marked too */
	bool not_ect_drop;
	bool lossless;
};

/* The same port as a way in. */
struct ingress_policy {
	uint64_t pace_tsc; /* ticks a packet of each queue; 0: as they come */
	bool impaired;
	uint64_t seed;
	struct qos_impair impair; /* its chances */
};

/* Immutable while published (dp/snapshot.h). */
struct egress_policy {
	struct egress_class class_[DP_CLASSES];
	struct qos_rate rate; /* shaped: of the port; phantom queues count as it does */
	uint32_t packets_max; /* that may wait at the port, of all workers */
	uint32_t packets_pfc; /* of what came by ports that pause it, in the whole node */
	uint32_t line_max;    /* packets that a worker's delay line holds */
	uint64_t delay_ps;    /* of the delay line */
	uint64_t span_ps;     /* the longest that a packet stays in it */
	bool queued;          /* every packet passes the queues: something below is on */
	bool link; /* a fabric port: its queues hold cells that its device does not take */
	bool shaped;
	bool line; /* packets stay in the delay line: a delay, jitter or reordering */
	bool impaired;
	bool rewrite;
	bool storm_forward; /* a class in a storm is sent in spite of the pause, not dropped */
	uint8_t pfc;        /* classes that this software pauses for, and pauses at the peer */
	uint16_t quanta;    /* that an XOFF asks for */
	uint64_t pfc_held;  /* bytes of such a class that may wait of what the port let in */
	uint64_t xoff, xon; /* bytes of them: when to stop its sender, and to let it go on */
	uint32_t detect_ms, restore_ms;     /* of the watchdog; 0: none */
	uint8_t dscp[64];                   /* rewrite: what each DSCP becomes */
	struct qos_drain drain[DP_CLASSES]; /* of phantom queues */
	/* What workers take over when they see the snapshot first (adopt.c). */
	struct qos_sched sched;   /* its weights */
	struct qos_impair impair; /* its chances */
	uint64_t impair_seed;
	struct ingress_policy in;
};

struct egress_backlog {
	int64_t bytes; /* in the class queues of all workers */
	uint64_t peak; /* high-water mark of it */
} __rte_cache_aligned;

/*
 * Owner: the node. Written by all workers with relaxed atomics: none of it guards other data. What
 * packets count in (bytes, packets, xoff.held) gets a burst's sum at a time (dp/ledger.h).
 * `xoff` is of the port as a way in: what it let in and the node still holds. `storm`, `was_up`,
 * `ending`, and what says of xoff that an XOFF stands, belong to worker 0, who also takes over
 * thresholds and times from a new snapshot.
 *
 * Room that was promised stays until what took it has left: packets_max and xoff.room are raised by
 * the control thread before it publishes a policy that promises more, and lowered by worker 0 once
 * what waits is within one that promises less.
 */
struct egress_commons {
	struct qos_shaper shaper;
	struct qos_pause pause;
	struct egress_backlog class_[DP_CLASSES];
	struct qos_phantom phantom[DP_CLASSES];
	struct qos_xoff xoff[DP_CLASSES];
	struct qos_storm storm;
	int64_t packets; /* in the class queues of all workers; not those with room of their own */
	/* what a byte takes, << LOAD_PER_BYTE_SHIFT (dp/load.h); control's, relaxed */
	uint64_t ps_per_byte;
	uint32_t packets_max;     /* of them; see above */
	uint8_t ending;           /* classes that pause no more, and whose sender is to hear it */
	uint8_t sent;             /* classes that sent since the watchdog's last turn */
	bool was_up;              /* the link, when worker 0 last looked */
	uint64_t pfc_in, pfc_out; /* pause frames; those sent are no packets of port_out */
	/* the same by the classes that they name: XOFF and XON */
	uint64_t pfc_class_in[DP_CLASSES], pfc_class_out[DP_CLASSES];
} __rte_cache_aligned;

static inline uint64_t
egress_backlog(const struct egress_commons *c, unsigned int class)
{
	int64_t bytes = __atomic_load_n(&c->class_[class].bytes, __ATOMIC_RELAXED);

	/* another worker may have taken out what it saw before this one has put it in */
	return bytes < 0 ? 0 : (uint64_t)bytes;
}

#endif
