/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DSF side of a node: what all workers share of it, what the control thread publishes for it,
 * and what each worker has of its own. A node without a fabric port has none of this.
 *
 * Ways out. Ports and hyper ports are the ways 0 .. n_outs - 1; a destination in the fabric,
 * (device, system port), is the way n_outs + its index here. Members of groups, liveness bits and
 * port_idx of a packet's metadata are numbers of ways.
 *
 * Cells. A fabric port carries cells and nothing else. What comes is for this device (reassembly,
 * credit, reachability) or for another one (transit). Streams, VOQs and egress schedulers belong to
 * one worker each; a cell that another worker polled goes there through a ring.
 */
#ifndef DP_FABRIC_H
#define DP_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_ring.h>

#include "cell/credit.h"
#include "cell/cut.h"
#include "cell/reasm.h"
#include "cell/spray.h"
#include "cell/voq.h"
#include "dp/counters.h"
#include "dp/egress.h"
#include "pkt/burst.h"

#define FABRIC_LINKS_MAX SPRAY_LINKS_MAX
#define FABRIC_DESTS_MAX 384u /* ways beyond DP_PORTS_MAX that have a liveness bit */
#define FABRIC_SETS_MAX  1024u
#define FABRIC_RING      1024u /* cells from one worker to another, or to and from control */

/* Cells that may wait for a link that takes none; a fabric has no deep queues but VOQs. */
#define FABRIC_LINK_CELLS 1024u
/* So many wait for a link before cells are told that they met congestion: half a TX buffer. */
#define FABRIC_DEEP_CELLS 128u
/* Packets for hosts that may wait at a port until the sources hear that they are to stop. */
#define FABRIC_EGRESS_PACKETS 4096u

struct fabric_dest {
	uint16_t device, system_port;
};

/* A system port of ours and the worker that schedules it. */
struct fabric_system {
	uint16_t number; /* 0: the router */
	uint16_t port_idx;
	uint16_t worker;
	uint16_t mtu;
	uint32_t counter; /* index into the member counters of a worker */
	uint64_t rate_bps;
	uint64_t bound; /* bytes of a class that wait at the port, above which it gets no credit */
};

/* Owner: the node. Written before the workers start, but for what is said. */
struct dp_fabric {
	uint16_t device, ethertype;
	uint16_t n_links, n_dests, n_systems;
	uint16_t in_port_idx; /* the port that packets out of cells count as come in by */
	bool push, transit;
	uint64_t watchdog_ps;
	uint16_t link[FABRIC_LINKS_MAX]; /* port indexes */
	const struct fabric_dest *dest;  /* sorted by device, then system port */
	struct fabric_system *system;    /* [0] the router, then by number; control sets rates */
	struct cut cut;
	struct rte_ring *to_control;   /* REACH cells; m->port is the link's port index */
	struct rte_ring *from_control; /* the same, to send; worker 0 */
	struct rte_ring **handoff;     /* by worker: cells that are its own */
	int64_t packets;               /* in the VOQs of all workers; relaxed */
};

/* Which links lead to which device. Immutable while published. */
struct fabric_table {
	uint64_t generation;
	uint32_t n_sets;
	const struct spray_set *set;
	uint16_t set_of[CELL_DEVICE_MAX + 2u]; /* by device: 0 none, else index + 1 */
	/*
	 * Also when nothing leads to the device any more: the links that led right to it. One that
	 * is drained is alive, and takes cells that others sent before they heard of it.
	 */
	uint16_t last_of[CELL_DEVICE_MAX + 2u];
};

struct voq_count {
	uint64_t packets, bytes; /* cut into cells */
	uint64_t dropped, ce_marked;
	uint64_t peak; /* bytes that waited, at most */
};

/* Cells on their way to another worker. */
struct fabric_handoff {
	uint16_t n;
	struct rte_mbuf *mbuf[BURST_MAX];
};

/* One for each worker; nobody else touches it, but that counters are read. */
struct worker_fabric {
	uint64_t table_generation; /* that the cursors belong to */
	struct spray cursor[FABRIC_SETS_MAX];
	struct voq *voq; /* dest * DP_CLASSES + class */
	struct voq_count *count;
	uint64_t queued[FABRIC_DESTS_MAX / 64]; /* bit: some VOQ of the destination holds packets */
	uint16_t first;                         /* destination that is served first */
	struct reasm *reasm;
	struct credit **credit;         /* by system; NULL: another worker's */
	uint64_t *rate_bps;             /* by system: that its scheduler was told */
	struct fabric_handoff *handoff; /* by worker */
	uint64_t requests_out, grants_out, requests_in, grants_in;
};

struct worker;

/* The index of a destination, or -1. Any thread. */
int fabric_dest_find(const struct dp_fabric *f, uint16_t device, uint16_t system_port);
/* The index of a system port of ours, or -1. Any thread. */
int fabric_system_find(const struct dp_fabric *f, uint16_t number);

/*
 * Takes a packet that was routed to a destination in the fabric (meta->port_idx). 0, or the drop
 * reason; the packet is then the caller's. Worker.
 */
enum drop_reason fabric_put(
	struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta);

/*
 * A cell for this device whose header is right, at the worker that it belongs to. 0: taken, else
 * the drop reason. Worker.
 */
enum drop_reason fabric_take(struct worker *w, const struct cell_header *h, struct rte_mbuf *m);

/* Sends a cell by a link toward its device, not back by `not_port_idx`. 0, or the drop reason. */
enum drop_reason fabric_send(
	struct worker *w, const struct cell_header *h, struct rte_mbuf *m, uint16_t not_port_idx);

/*
 * Sends a control cell of ours, with `ext` behind the header, whose source is filled in. Lost when
 * there is no buffer or no way: the next one heals it. Worker.
 */
void fabric_control(struct worker *w, struct cell_header *h, const uint8_t *ext);

/* Rounds of reachability: straight to the devices, be the links alive or not. Worker 0. */
void fabric_reach(struct worker *w);

/* Hands all that reassembly has finished to the router and to system ports. Worker. */
void fabric_deliver(struct worker *w, struct burst *b);

/* What other workers handed over, and what time brings: once a turn, after all queues. Worker. */
void fabric_turn(struct worker *w);

/* The VOQs that may send do, as far as the links have room. Worker. */
void fabric_serve(struct worker *w);

/* As worker_next_ps(), of VOQs, credits and reassembly. Worker. */
uint64_t fabric_next_ps(const struct worker *w, uint64_t now_ps);

/* Packets and cells that wait in it. Any thread, as of about now. */
uint64_t fabric_waiting(const struct worker *w);

/* Everything in it is dropped and counted as `reason`. Control, while the worker stands still. */
void fabric_drop_all(struct worker *w, enum drop_reason reason);

#endif
