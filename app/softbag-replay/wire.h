/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a wire between two nodes' memory ports. It takes a frame when the one before is
 * out, so that a faster port's ring fills and refuses, as a device's queue does; carries a copy,
 * for the nodes' buffers are their own; and hands it over with a buffer of the other node. Time is
 * an input; lab.c is the caller.
 *
 * A frame that is taken at t is there at t + its bits / rate + delay + jitter, in picoseconds, and
 * comes in at the first nanosecond that is not before: no frame is early, and nothing adds up.
 */
#ifndef SOFTBAG_REPLAY_WIRE_H
#define SOFTBAG_REPLAY_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "ctl/node.h"

#define WIRE_NEVER UINT64_MAX

struct wire_end {
	struct node *node;
	struct port *port;
	size_t node_idx; /* of the lab */
	uint16_t port_idx;
};

/* Frames. taken = delivered + lost + lost_down + no_buffer + those on the wire. */
struct wire_count {
	uint64_t taken;
	uint64_t delivered;
	uint64_t lost;      /* by chance */
	uint64_t lost_down; /* the wire was cut while they were on it */
	uint64_t no_buffer; /* the other node had no packet buffer, or its port's ring was full */
};

struct wire_frame;

/* 2^64 ps are 213 days, and a capture may last longer. */
typedef unsigned __int128 wire_ps;

struct wire {
	struct wire_end from, to;
	uint16_t n_queues; /* of `to`, that some worker polls */
	uint16_t queue[NODE_WORKERS_MAX];
	uint64_t rate_bps, delay_ns, jitter_ns;
	uint64_t loss;        /* of 10^9 */
	uint32_t segment_len; /* of the other node's buffers */
	bool down;
	bool failed;     /* no memory for a copy: the run ends */
	struct rng luck; /* who is lost */
	struct rng late; /* who is late: another source, so that jitter changes no loss */

	wire_ps free_ps;  /* the frame before is out */
	uint64_t part;    /* of a picosecond, in 1 / rate_bps, behind free_ps */
	wire_ps last_ps;  /* when the last one is there: none comes before it */
	uint32_t n_seen;  /* frames that waited in the port when it was last served */
	uint64_t next_ns; /* when something is to do, as of the last call; WIRE_NEVER */

	struct wire_frame *head, **tail; /* on the wire */
	uint64_t n_frames;
	uint64_t n_periodic; /* of them: a run does not wait for these */
	struct wire_count count;
};

/* Everything up to `down` is set. */
void wire_init(struct wire *w);
void wire_fini(struct wire *w);

/* Hands over what is there at `now_ns`. Returns frames for which a run goes on. */
unsigned int wire_deliver(struct wire *w, uint64_t now_ns);

/*
 * Takes what may be taken at `now_ns`: after each turn of the sending node, and at next_ns. Returns
 * frames for which a run goes on.
 */
unsigned int wire_serve(struct wire *w, uint64_t now_ns);

/* Cut, or whole again; what is on it is lost. */
void wire_set_up(struct wire *w, bool up, uint64_t now_ns);

/* Something is on it or before it that will move without anybody's help. */
bool wire_is_busy(const struct wire *w);

/*
 * The nodes stand still: what their ports hold was sent and does not arrive. What was handed over
 * and never polled is on the wire again.
 */
void wire_end(struct wire *w);

#endif
