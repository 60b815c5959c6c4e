/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schedule: which frame of which capture comes in by which port, and when. Deterministic: it
 * knows virtual time only. A port never has more than a burst in flight, so that neither its rings
 * nor the pool can run over, whatever the captures are. What may not come in yet comes late, and
 * nothing is lost in front of the node.
 */
#ifndef SOFTBAG_REPLAY_FEED_H
#define SOFTBAG_REPLAY_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"
#include "capture.h"
#include "ctl/node.h"

/* From a burst to the next with TIMING_MAX, and the step where no event says when to look again. */
#define FEED_TURN_NS 1000u

/* What a port's frames come by. */
enum feed_clock {
	FEED_BURSTS,   /* a burst each FEED_TURN_NS */
	FEED_CAPTURED, /* their timestamps */
	FEED_RATED,    /* --rate */
};

/* One capture, as it is played. */
struct feed_input {
	const struct capture *capture;
	size_t next;        /* frame */
	uint64_t round;     /* loops played whole */
	uint64_t rounds;    /* loops to play */
	uint64_t period_ns; /* from a loop's first frame to the next one's */
};

/* One port that has captures. */
struct feed_port {
	struct port *port;
	uint16_t port_idx;
	uint16_t n_queues;
	uint16_t queue[NODE_WORKERS_MAX];
	struct feed_input *input; /* in the order given */
	size_t n_inputs;
	uint64_t put; /* packets */
	enum feed_clock clock;
	uint64_t due_ns;              /* FEED_BURSTS: the next one */
	const struct args_rate *rate; /* FEED_RATED; else NULL */
	unsigned __int128 units; /* FEED_RATED: what came so far, in bits or packets as rate says */
};

struct feed {
	const struct node *node;
	struct feed_port *port; /* in the order of the node's ports */
	size_t n_ports;
	struct feed_input *input; /* of all ports */
	uint64_t origin_ns;       /* the earliest first timestamp: 0 of virtual time */
	uint64_t put, total;      /* packets so far, and in all (UINT64_MAX: until told) */
	uint32_t segment_len;
	uint16_t burst;
	bool ended;         /* feed_end() */
	bool starved;       /* the pool was empty in the last turn */
	uint64_t n_starved; /* turns in which it was */
};

/* The queues of the port that some worker polls; ret_queue holds NODE_WORKERS_MAX. */
uint16_t feed_queues(const struct node *n, uint16_t port_idx, uint16_t *ret_queue);

/* What the frame counts for at the port's rate: bits on the wire, or one packet. */
uint64_t feed_units(const struct args_rate *rate, uint32_t frame_len);

/*
 * `capture[i]` belongs to a->input[i], whose ports exist. -ENOMEM, or -EINVAL when a port is polled
 * by no worker, a frame needs more buffers than there are, or time does not hold all loops: one
 * sentence in `why` (CAPTURE_WHY_MAX bytes).
 */
int feed_create(const struct args *a, const struct capture *capture, const struct node *n,
	struct feed *ret_feed, char *why);
void feed_fini(struct feed *f);

/* Puts into the ports what is due at `now`; returns how many packets. */
unsigned int feed_turn(struct feed *f, uint64_t now);

/*
 * When something can next come in, for which turns are skipped in which a pace or the captures let
 * nothing happen; UINT64_MAX: all is played. It is `now` again where more is due than a turn takes;
 * for that the last turn must have `moved` something, else it is later.
 */
uint64_t feed_next_ns(const struct feed *f, uint64_t now, bool moved);

/* No frame is put after this. */
void feed_end(struct feed *f);

/* Packets that were put and that the node has not taken yet. */
uint64_t feed_in_flight(const struct feed *f);
/* Nothing is left to put, nothing is in flight. */
bool feed_done(const struct feed *f);

#endif
