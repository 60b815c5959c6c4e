/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hyper ports: several long lines that are one port, in order (docs/hyperport.md). A node without
 * one has none of this.
 *
 * Ways out. Behind the ports, 0 .. n_ports - 1, come the hyper ports, up to n_outs - 1: each has a
 * policy, commons, class queues and a liveness bit under its number, as a port has. What it lacks
 * is a device: its packets are numbered as they leave its class queues, and go by the shaper and
 * the delay line of a member.
 *
 * Owner. A sequence is one worker's, both ways (docs/decisions/0016): it has the class queues,
 * gives the numbers, and puts frames back in order. Other workers hand it packets for the hyper
 * port, and frames that they polled from members, by a ring for each direction.
 */
#ifndef DP_HYPER_H
#define DP_HYPER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ring.h>

#include "hyper/reseq.h"
#include "hyper/share.h"
#include "pkt/burst.h"
#include "pkt/fifo.h"

#define DP_HYPERS_MAX 16u
#define HYPER_RING    1024u /* packets from other workers, each way */

/* Of one member: what left by it for the far end. The owner of the hyper port. */
struct hyper_member_count {
	uint64_t packets, bytes; /* with the header */
};

struct dp_hyper {
	/* the node's; written before the workers start */
	uint16_t way;    /* its number among the ways out */
	uint16_t worker; /* the owner */
	uint16_t ethertype;
	uint16_t n_members;
	uint16_t member[HYPER_MEMBERS_MAX]; /* port indexes */
	struct rte_ring *out;               /* struct pkt_rec: to be sent */
	struct rte_ring *in;                /* frames, with their header */
	/* the owner's */
	struct reseq *reseq;
	struct hyper_share share;
	uint16_t seq; /* of the next frame */
	struct hyper_member_count sent[HYPER_MEMBERS_MAX];
	uint64_t packets_in,
		bytes_in; /* of members, with the header; duplicates and late ones too */
} __rte_cache_aligned;

struct worker;
struct worker_rxq;

/* The hyper port with that number among the ways out, n_ports .. n_outs - 1. */
struct dp_hyper *hyper_of(const struct worker *w, uint16_t way);

/*
 * Takes a packet that was routed to a hyper port (meta->port_idx): remarks, marks, and queues it
 * here or hands it to the owner. 0, or the drop reason; the packet is then the caller's. Worker.
 */
enum drop_reason hyper_put(
	struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta);

/* As queue_serve(), of a hyper port: numbers to packets, packets to members. Its owner. */
void hyper_serve(struct worker *w, uint16_t way);

/* A frame with a header, at the owner. 0: taken, else the drop reason. */
enum drop_reason hyper_take(struct worker *w, struct dp_hyper *h, struct rte_mbuf *m);

/* What is in order again goes through the pipeline, as come in by the hyper port. Its owner. */
void hyper_deliver(struct worker *w, struct dp_hyper *h, struct burst *b);

/* What other workers handed over, and what time brings: once a turn. Worker. */
void hyper_turn(struct worker *w);

/* Classes that no member of the hyper port may send, by pause. Any worker. */
uint8_t hyper_paused(const struct worker *w, uint16_t way, uint64_t now_ps);

/* As worker_next_ps(): of the class queues of one; of rings and sequences of all. Worker. */
uint64_t hyper_queues_next_ps(const struct worker *w, uint16_t way, uint64_t now_ps);
uint64_t hyper_next_ps(const struct worker *w, uint64_t now_ps);

/* Packets in rings, and frames that wait for others; not those in class queues. Any thread. */
uint64_t hyper_waiting(const struct dp_hyper *h);

/* Everything of the hyper ports it owns is dropped as `reason`. Control, while it stands still. */
void hyper_drop_all(struct worker *w, enum drop_reason reason);

#endif
