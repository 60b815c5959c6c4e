/* SPDX-License-Identifier: BSD-3-Clause */
/* From the configuration to tables that workers read. Inside lib/ctl only. */
#ifndef CTL_BUILD_H
#define CTL_BUILD_H

#include "ctl/node.h"

/* Control's own memory, at a cache line, zeroed; NULL when there is none. */
void *build_zalloc(size_t n, size_t size);

/* The node's group table and groups. -ENOMEM, -EINVAL; said in the log. */
int build_groups(struct node *n);

/* What a group is built from. */
struct build_group {
	const struct conf *conf;
	const struct conf_group *group; /* of it */
	const uint32_t *weight;         /* by member; NULL: the configuration's */
	const uint32_t *counter;        /* by member: indexes of counters */
	uint32_t choice;                /* the same, of what the policy chose */
	const struct nhg_group *before; /* NULL: none, or nothing of it stays */
	const uint8_t *old_idx;         /* by member: its place in `before`, or NHG_NONE */
};

/* One group, as of the liveness words. -ENOMEM, -EINVAL. */
int build_group(struct node *n, const struct build_group *b, struct nhg_group **ret_group);

/* Its members as they would be, without building. */
void build_members(const struct node *n, const struct build_group *b,
	struct nhg_member ret_member[NHG_MEMBERS_MAX]);

/* Counters for members: how many a configuration gets; -ENOMEM; one of them or -ENOSPC; back. */
uint32_t members_room(const struct conf *c);
int members_create(struct node *n);
int members_take(struct node *n, uint32_t *ret_idx);
void members_give(struct node *n, uint32_t idx);

/* nhg_is_plain() of a group of the configuration. Pure. */
bool build_is_plain(const struct conf_group *g);

/*
 * The routes of a configuration: static ones, the node's own addresses, its connected prefixes.
 * `group`: the node's groups of it, whose slots routes point to; NULL: in the order of the file.
 * *ret_route is the caller's to free(). -ENOMEM.
 */
int build_routes(const struct conf *conf, const struct node_group *group,
	struct fib_route **ret_route, size_t *ret_n);

/* By family, prefix and length, for qsort() and bsearch(). Pure. */
int build_route_order(const void *a, const void *b);

/* A FIB with these routes in slot 0, by another name than the node's has. Said in the log. */
int build_fib_of(
	struct node *n, const struct fib_route *route, size_t n_routes, struct fib **ret_fib);
/* The node's first. */
int build_fib(struct node *n);

/* Snapshot number `generation` of what the node has now. -ENOMEM. */
int build_snapshot(struct node *n, uint64_t generation, struct snapshot **ret_snapshot);
/* The same in two steps, the second of which cannot fail. */
struct snapshot *snapshot_alloc(void);
void snapshot_fill(const struct node *n, uint64_t generation, struct snapshot *s);

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
	uint64_t hypers;  /* held until they are in order, and between workers */
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
