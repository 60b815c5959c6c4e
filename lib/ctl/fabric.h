/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DSF side of a node as control sees it: destinations and system ports from the configuration,
 * reachability from REACH cells, tables for the workers. ctl/node.c calls it; a node without a
 * fabric has n->fabric NULL, which all of these take but those of a link, a way or a system port.
 */
#ifndef CTL_FABRIC_H
#define CTL_FABRIC_H

#include "cell/reach_view.h"
#include "ctl/node.h"
#include "dp/fabric.h"

#define FABRIC_DEVICES_MAX FABRIC_SETS_MAX /* that reachability knows at once */
#define FABRIC_STREAMS     4096u           /* that a worker puts together at once */

struct node_fabric {
	struct dp_fabric dp;
	struct fabric_dest *dest;
	struct rte_mempool *small; /* headers of cells */
	struct fabric_table *table;
	struct reach *reach; /* NULL: every device is behind every link (a replay without wires) */
	bool stale;          /* there was no memory to tell the workers what it says */
	bool carrier[FABRIC_LINKS_MAX];
	uint64_t generation;
	uint64_t n_reach_lost; /* rounds for which there was no buffer */
};

/* Destinations, before the groups that use them. -ENOMEM; -E2BIG, said in the log. */
int fabric_plan(struct node *n);
/* Everything else but what workers have. After groups, before workers. -errno, said in the log. */
int fabric_create(struct node *n);
/* What a worker has of its own. -ENOMEM. */
int fabric_attach(struct node *n, struct worker *w);
/* The first table, once there are workers. -ENOMEM. */
int fabric_begin(struct node *n);
/* Between fabric.c and fabric_live.c: a table or NULL; what a system port can send now. */
void fabric_table_free(void *table);
void fabric_set_rate(struct node *n, uint16_t system);

/* Detaches the workers and frees all; they stand still. */
void fabric_free(struct node *n);

/* The way out (dp/fabric.h) of a member by device. */
uint16_t fabric_way(const struct node *n, const struct conf *c, const struct conf_member *m);
/* The running node has a queue for it. */
bool fabric_has_way(const struct node *n, const struct conf *c, const struct conf_member *m);
/* Bytes of IP packet that a way through the fabric takes. Pure. */
uint16_t fabric_mtu(const struct conf *c);

/* Ports, hyper ports and destinations. */
uint16_t fabric_n_ways(const struct node *n);
/* The port's index among the links, or -1. */
int fabric_link(const struct node *n, uint16_t port_idx);

/* REACH cells in, tables and REACH cells out. `now`: ticks. Cheap when nothing is due. */
void fabric_poll(struct node *n, uint64_t now);
/* The port's speed may have changed: rates of system ports, weights of links. */
void fabric_set_speed(struct node *n, uint16_t port_idx);
/* Carrier of a link. */
void fabric_set_carrier(struct node *n, uint16_t link, bool up);
/* Stops using the link, and has the neighbour do the same; or takes that back. */
void fabric_drain(struct node *n, uint16_t link, bool drain);
/* Picoseconds from `now` (ticks) until fabric_poll() has something to do. */
uint64_t fabric_poll_in_ps(const struct node *n, uint64_t now);

/* Packet buffers, and records of what waits, that the fabric takes. Pure. */
uint64_t fabric_mbufs(const struct conf *c, unsigned int n_workers);
uint32_t fabric_voq_packets(const struct conf *c);
/* Memory besides: reassembly, VOQs, credit, reachability, headers of cells. Pure. */
uint64_t fabric_bytes(const struct conf *c, unsigned int n_workers);

#endif
