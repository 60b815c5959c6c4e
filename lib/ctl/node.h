/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node: ports, workers, tables, made from one configuration. A node is a value: a process can
 * hold many. Control thread only.
 *
 * Life: node_create (tables, workers, ports set up), node_start, node_poll now and then, node_stop,
 * node_free. A caller that steps the workers itself (softbag-replay, tests) calls node_turn()
 * instead of node_start(), and node_stop() at the end all the same.
 */
#ifndef CTL_NODE_H
#define CTL_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_mempool.h>

#include "base/clock.h"
#include "conf/conf.h"
#include "dp/next.h"
#include "dp/reclaim.h"
#include "dp/worker.h"

#define NODE_WORKERS_MAX 128u /* RTE_MAX_LCORE of Debian's DPDK */
#define NODE_POLL_MS     1u   /* the longest between two node_poll(); links wait for it */

enum node_severity {
	NODE_NOTE,  /* what is done instead */
	NODE_ERROR, /* why nothing is done */
};

/* Where sentences for people go. */
struct node_log {
	void (*say)(void *ctx, enum node_severity severity, const char *sentence);
	void *ctx;
};

struct node_env {
	struct clock clock;
	struct node_log log;
	/*
	 * Ports are memory ports, next hops without a MAC get a made-up one, and the caller steps
	 * the workers.
	 */
	bool replay;
	bool wired; /* a replay whose fabric ports lead to other nodes: they send REACH cells */
	uint32_t replay_depth; /* packets a memory port holds, a power of two */
};

/* A group as control knows it. */
struct node_group {
	const struct conf_group *conf;
	uint32_t slot; /* of the group table: the index that FIBs hold; its own while it is there */
	uint32_t choice; /* counter of what its policy chose: sent one by one, or flowlets begun */
};

/*
 * A member's counter, in all workers alike. What a worker counts never goes back, so one that is
 * given to another member begins at what it had: `base`.
 */
struct node_counter {
	struct counter base;
	uint64_t since; /* the reload that gave it to its member; 0: the node's creation */
	bool taken;
};

struct node {
	const struct conf *conf; /* the caller's; outlives the node, or the next node_reload() */
	struct node_env env;
	char tag[12]; /* names the node's DPDK objects: unique in the process while it lives */
	struct dp_shared shared;
	struct reclaim reclaim;

	struct port **port;     /* by conf port index */
	size_t n_ports, n_outs; /* and hyper ports: ways out that have queues */
	struct worker *worker[NODE_WORKERS_MAX];
	unsigned int n_workers;
	struct rte_ring *handoff[DP_PORTS_MAX];
	struct rte_mempool *pool;
	struct egress_policy *policy;    /* by port, of hyper ports, and of VOQs behind them */
	int64_t paused_packets;          /* the workers' */
	uint32_t paused_max;             /* of them (dp/egress.h) */
	bool ever_pfc[DP_PORTS_MAX];     /* ports that this software pauses, or has */
	uint16_t port_rxq[DP_PORTS_MAX]; /* RX queues of the port */
	uint32_t n_queues;               /* RX and TX queues of all ports */
	uint32_t n_records;              /* packets that may wait in each worker */

	struct node_fabric *fabric; /* ctl/fabric.h; NULL: no port carries cells */
	unsigned int n_placed;      /* workers that there will be */

	struct fib *fib;
	unsigned int fib_slot;   /* that is published */
	bool fib_named_b;        /* which of two names it has, so that the next one has the other */
	struct nhg_group **slot; /* the group table that snapshots point to */
	uint32_t n_slots;
	uint32_t *slot_group; /* by slot: the group's conf index */
	struct snapshot *snapshot;
	uint64_t generation;          /* of the tables: 1 at the start, one more with each change */
	bool rebuild[ALIVE_BITS];     /* groups of the way out could not be rebuilt: tried again */
	struct node_group *group;     /* by conf group index */
	struct node_counter *counter; /* by index into the member counters of a worker */
	uint32_t first_free;          /* none below it is */
	uint32_t n_members;           /* of them: more than there are members, for reloads */
	struct reload *reload;        /* whose grace period is not over (ctl/reload.h), or NULL */
	uint64_t n_reloads;
	uint32_t n_built; /* groups, ever: the generation of the next one's members */
	uint64_t link_poll_tsc;
	uint64_t link_bps[DP_PORTS_MAX]; /* of ports with pfc: the speed that is known, 0: none */
	uint64_t touch_tsc;              /* egress_touch()'s */
	uint64_t turns;                  /* node_turn()'s */
	bool running;
};

int node_create(const struct conf *conf, const struct node_env *env, struct node **ret_node);
/*
 * Stops first, closes the ports, then counts: -EPROTO when packet buffers did not come back to the
 * pool (said in the log). Takes NULL.
 */
int node_free(struct node *n);

/*
 * What the configuration asks for, before anything is made: -ENOSPC when runtime.memory is too
 * little, -E2BIG when a table is (one sentence in the log). *ret_bytes may be NULL.
 */
int node_check(const struct conf *conf, const struct node_log *log, uint64_t *ret_bytes);

/*
 * Writes what the node needs of memory and how that comes about, for `--check --explain`. -E2BIG as
 * node_check() (said in the log), -ENOMEM, -EIO.
 */
int node_explain(const struct conf *conf, const struct node_log *log, FILE *out);

/* Starts ports and launches the workers on their lcores. */
int node_start(struct node *n);
/* Workers and ports stand still after this; what waited is sent or counted `stopped`. */
void node_stop(struct node *n);

/*
 * Links, deferred frees, and a turn of the worker that shares the main lcore. True when that worker
 * wants its next turn at once; false: within NODE_POLL_MS. Cheap.
 */
bool node_poll(struct node *n, uint64_t now);

/*
 * Asks each port for its carrier and its speed, and acts on what is new; node_poll() does so each
 * 10 ms. For a caller who steps the node and changes links between turns.
 */
void node_look_at_links(struct node *n);

/* One turn of each worker at `now`; returns packets taken in. Only when nobody else runs them. */
unsigned int node_turn(struct node *n, uint64_t now);

/*
 * Takes another configuration while packets flow. All that it needs is made beside what there is,
 * and becomes the workers' with one release store; on an error nothing has changed. Groups that are
 * the same keep their flows, members that stay their counters, ports that are the same never stop.
 *
 * 0: the node refers to `conf`, and to nothing of the one before, which the caller may free.
 * -EBUSY: an earlier reload is not over yet: its grace period lasts until each worker has had a
 * turn (node_settled()). -ENOTSUP: something of it needs a restart. -ENOSPC: more than the running
 * node has of packet buffers, counters or memory. -ENOMEM, -EINVAL, -E2BIG. All but the first are
 * said in the log, what needs a restart as `file:line:col: path: X -> Y needs a restart`.
 */
int node_reload(struct node *n, const struct conf *conf);
/* False while a reload is not over; node_poll() and node_turn() see to its end. */
bool node_settled(const struct node *n);

/* Swaps a group for one built with these weights (one a member of the configuration). */
int node_set_weights(struct node *n, uint32_t group_idx, const uint32_t *weight);
/*
 * Link state as the control thread believes it: the liveness bit at once, then the groups that use
 * the port.
 */
void node_set_link(struct node *n, uint16_t port_idx, bool up);

/* The group that the workers use now. */
const struct nhg_group *node_group_now(const struct node *n, uint32_t group_idx);

/* Sums over the workers, as of now. `member` has n->n_members entries, or is NULL. */
void node_counters(const struct node *n, struct counters *ret_sum, struct counter *ret_member);

/* Of those entries the group's, in the order of its members. */
void node_group_counters(const struct node *n, uint32_t group_idx, const struct counter *member,
	struct counter ret_mine[NHG_MEMBERS_MAX]);

/*
 * Packets that came in and are still on their way: in queues, delay lines and TX buffers. In sums,
 * between turns: in + duplicated = out + punted + dropped + waiting. Exact when the workers stand
 * still.
 */
uint64_t node_waiting(const struct node *n);

/*
 * Picoseconds from `now`, a time of the node's clock, until something of what waits may move; 0: it
 * may now; DP_NEVER_PS: nothing is planned. What else moves is packets that come in. For a caller
 * who steps the node and skips idle time; between turns.
 */
uint64_t node_next_ps(const struct node *n, uint64_t now);

/* mbufs that are not in the pool: after node_stop() and before node_free() that is a leak. */
unsigned int node_mbufs_out(const struct node *n);

#endif
