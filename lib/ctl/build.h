/* SPDX-License-Identifier: BSD-3-Clause */
/* From the configuration to tables that workers read. Inside lib/ctl only. */
#ifndef CTL_BUILD_H
#define CTL_BUILD_H

#include "ctl/node.h"

/* The node's group table and groups. -ENOMEM, -EINVAL; said in the log. */
int build_groups(struct node *n);

/*
 * One group of the node as of `weight` (NULL: the configuration's) and the liveness words. `before`
 * may be NULL.
 */
int build_group(struct node *n, uint32_t group_idx, const uint32_t *weight,
	const struct nhg_group *before, struct nhg_group **ret_group);

/* nhg_is_plain() of a group of the configuration. Pure. */
bool build_is_plain(const struct conf_group *g);

/*
 * The routes of a configuration: static ones, the node's own addresses, its connected prefixes.
 * *ret_route is the caller's to free(). -ENOMEM.
 */
int build_routes(const struct conf *conf, struct fib_route **ret_route, size_t *ret_n);

/* The FIB with all routes in slot 0. Said in the log. */
int build_fib(struct node *n);

/* Snapshot number `generation` of what the node has now. -ENOMEM. */
int build_snapshot(struct node *n, uint64_t generation, struct snapshot **ret_snapshot);

/* Shows the workers a new snapshot. The old one is the caller's to retire. ctl/node.c. */
void node_publish(struct node *n, struct snapshot *s);
/* Derives the live tables of the groups that use the way out anew. ctl/node.c. */
void node_rebuild(struct node *n, uint16_t way);

/* Who takes packet buffers, in packets of the whole node. */
struct budget_packets {
	uint64_t rings;   /* full descriptor rings of all queues */
	uint64_t workers; /* bursts, TX buffers, hand-over, caches of the pool */
	uint64_t queues;  /* class queues, full of what nobody pauses */
	uint64_t lines;   /* delay lines, full */
	uint64_t fabric;  /* VOQs, reassembly, cells that wait */
	uint64_t held;    /* what pause promises: xoff and headroom of all ports with pfc */
	uint64_t sum;
};

/* Memory that a configuration asks for, in bytes. */
struct budget {
	uint64_t fib, groups, mbufs, workers, total;
	uint64_t records; /* of `workers`: records of what waits */
	uint64_t flows;   /* of `workers`: their flow tables */
	uint64_t eal;     /* DPDK's own */
	struct fib_plan plan;
	struct budget_packets packets;
	uint32_t n_mbufs;
	uint32_t mbuf_len; /* data room of one */
};

/* Who takes packet buffers: workers, and RX and TX queues with their descriptors. */
struct budget_users {
	unsigned int n_workers;
	uint32_t n_queues; /* of all ports */
	uint32_t depth;    /* packets that each holds */
};

/* What a configuration says by itself, before any device is asked: queues for listed workers. Pure.
 */
struct budget_users budget_users(const struct conf *conf);

/* -E2BIG: more routes than a table can hold (said in the log); -ENOMEM. */
int build_budget(const struct conf *conf, struct budget_users users, const struct node_log *log,
	struct budget *ret_budget);

/*
 * The budget against runtime.mbufs (which must hold delay lines and what pause promises) and
 * runtime.memory: -ENOSPC, and one sentence with the sum and the cure.
 */
int build_check_memory(const struct conf *conf, const struct budget *b, const struct node_log *log);

#endif
