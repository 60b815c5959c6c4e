/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: one loop on one lcore that runs every packet it polls to completion. Everything in here
 * is written by the worker alone, but for what dp_shared says.
 */
#ifndef DP_WORKER_H
#define DP_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_rcu_qsbr.h>

#include "base/alive.h"
#include "base/clock.h"
#include "base/rng.h"
#include "dp/counters.h"
#include "dp/fabric.h"
#include "dp/hyper.h"
#include "dp/ledger.h"
#include "dp/load.h"
#include "dp/mailbox.h"
#include "dp/queue.h"
#include "dp/snapshot.h"
#include "flow/qp.h"
#include "pkt/burst.h"
#include "port/port.h"

/*
 * Packets that a port may keep waiting in a worker when its queue is full for a moment: four bursts
 * ride out a device's hiccup; more would only be delay, and class queues are where delay belongs.
 */
#define WORKER_TX_MAX  256u
#define WORKER_RXQ_MAX 128u

/* The doors between the control thread and all workers of a node. */
struct dp_shared {
	const struct snapshot
		*snapshot;         /* control: release store; workers: acquire once per turn */
	struct rte_rcu_qsbr *qsbr; /* thread id: the worker's index */
	struct alive alive;
	bool stop;                      /* control sets it; relaxed */
	struct egress_commons *commons; /* by port index */
	struct rte_mempool *pool;       /* for the frames that the node itself sends */
	int64_t *paused_packets; /* of all ports, that came by ports that pause them; relaxed */
	uint32_t *paused_max;    /* of them, as egress_commons' packets_max */
	uint16_t n_workers;
	struct dp_fabric *fabric; /* NULL: no port carries cells */
	struct dp_hyper *hyper;   /* by way - n_ports */
	uint16_t n_hypers;
};

/* One RX queue that the worker polls. */
struct worker_rxq {
	const struct port *port;
	uint16_t queue, port_idx;
	bool special;           /* one of the two below */
	bool cells;             /* a fabric port */
	struct dp_hyper *hyper; /* it is a member of this one; else NULL */
	uint64_t pace_tsc;      /* ticks a packet; 0: as they come */
	uint64_t credit_tsc;    /* ticks not used yet, at most a burst's */
	uint64_t last_tsc;
	struct qos_impair *impair; /* NULL: the line is good; else the one below */
	uint64_t harm_seed;        /* that it draws from */
	struct qos_impair harm;
};

/*
 * Where the worker's packets for a port wait for its next send. A port with fewer TX queues than
 * workers has an owner; the others hand their packets to it through a ring, in order.
 */
struct worker_tx {
	const struct port *port;
	uint16_t queue;
	bool owner;               /* sends itself; else by `handoff` */
	bool direct;              /* no policy and nothing waits in the class queues */
	struct rte_ring *handoff; /* shared ports only; many producers, the owner consumes */
	uint16_t n;
	uint64_t bytes; /* of the n packets */
	struct rte_mbuf *mbuf[WORKER_TX_MAX];
};

struct flow_table;

struct worker {
	/* read in every turn */
	const struct dp_shared *shared;
	const struct snapshot *snapshot; /* of this turn */
	struct counters *counters;
	uint64_t now;    /* of this turn, ticks */
	uint64_t now_ps; /* the same, as lib/qos counts */
	struct worker_rxq *rxq;
	struct worker_tx *tx;                   /* by way; of others than ports unused */
	uint64_t tx_waiting[DP_PORTS_MAX / 64]; /* bit: tx[port].n > 0 */
	struct worker_queue *queue;             /* by port index, and of hyper ports */
	struct worker_fabric *fabric;           /* NULL: no port carries cells */
	struct flow_table *flow;                /* NULL: nobody needs flows */
	uint64_t queued[DP_PORTS_MAX / 64];     /* bit: queue[port] is not empty */
	struct ledger ledger;
	struct load *load; /* by way; of those that a policy asked about */
	uint64_t n_bursts; /* that met a policy, this one included */
	struct pkt_chunks chunks;
	struct timebase timebase;
	void *chunk_memory;
	uint16_t n_rxq, n_ports;
	uint16_t n_outs; /* ports and hyper ports: ways out that have queues */
	uint16_t burst_len;
	bool profile;
	bool adaptive_idle;
	bool collected; /* packets were handed over in this turn */
	bool settling;  /* worker 0: of some port, more room than its policy says is still taken */
	uint32_t n_empty;        /* turns in a row with nothing to do */
	struct qp_stats qp_gone; /* of queue pairs whose entries went */
	uint64_t profile_tsc;
	uint16_t *owned; /* shared ports whose ring this worker empties */
	uint16_t n_owned;
	struct burst burst;

	struct mailbox mailbox;
	struct clock clock;
	struct rng rng;
	unsigned int idx;   /* in the node; its RCU thread id */
	unsigned int lcore; /* LCORE_ID_ANY when stepped by the caller */
} __rte_cache_aligned;

struct worker_config {
	const struct dp_shared *shared;
	struct clock clock;
	uint64_t seed;
	unsigned int idx, lcore;
	int socket;
	uint16_t n_ports, n_outs, n_rxq, burst_len;
	uint32_t n_members; /* counters to keep */
	uint64_t origin;    /* ticks that the node counts as 0 */
	uint16_t n_ways;    /* ports, hyper ports and destinations in the fabric */
	uint32_t n_records; /* packets that may wait in its queues and lines, of all ports */
	bool adaptive_idle;
};

/*
 * Where a packet is counted that waits for the port: with what came by ports that pause it, of the
 * whole node, or with all else at the port.
 */
static inline int64_t *
queue_room(const struct worker *w, uint16_t port_idx, bool paused)
{
	return paused ? w->shared->paused_packets : &w->shared->commons[port_idx].packets;
}

/* Memory of the worker's socket; rxq and tx are filled in by the caller. -ENOMEM. Control. */
int worker_create(const struct worker_config *config, struct worker **ret_worker);
void worker_free(struct worker *w); /* takes NULL */

/*
 * Takes over what it has of its own from a snapshot that is new to it: weights, chances, lengths of
 * delay lines, what waits going on as it would have; worker 0 also what it keeps for all. A turn
 * does so by itself. The worker's lcore.
 */
void worker_adopt(struct worker *w, const struct snapshot *s);

/* Lowers what is promised no more and taken no more (dp/egress.h). Worker 0. */
void worker_settle(struct worker *w);

/* One turn at time `now`; returns how many packets came in. The worker's lcore. */
unsigned int worker_turn(struct worker *w, uint64_t now);

/*
 * After a turn that took `n` packets in: true when the worker has had nothing to do for so long
 * that it may sleep for `sleep_ns`, and no packet that waits is due in that time. Its own thread.
 */
bool worker_rests(struct worker *w, unsigned int n, uint64_t sleep_ns);

/* Turns until shared->stop. For rte_eal_remote_launch(): `arg` is the worker; returns 0. */
int worker_main(void *arg);

/*
 * After all workers stand still: sends what waits, counts and frees what the ports do not take.
 * Control; for each worker of the node, owners of shared ports last.
 */
void worker_drain(struct worker *w);

#endif
