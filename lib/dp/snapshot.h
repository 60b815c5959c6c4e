/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the workers forward by. The control thread builds a snapshot, publishes it with one release
 * store (node_publish()), and frees the one before after a grace period. What a worker has of its
 * own it takes over when it sees the snapshot first (worker_adopt()).
 *
 * Immutable while published, but for the slots of `group`: a slot is swapped with a release store
 * when a group changes, so that a link failure or a weight change touches neither FIB nor snapshot.
 */
#ifndef DP_SNAPSHOT_H
#define DP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/counters.h"
#include "dp/egress.h"
#include "fib/fib.h"
#include "nhg/group.h"
#include "pkt/parse.h"

/* Group indexes that are no groups. FIB_NO_ROUTE is 0. */
enum {
	DP_GROUP_LOCAL = 1,     /* an address of the node: to its kernel */
	DP_GROUP_CONNECTED = 2, /* on a link of ours, and its MAC is not known */
	DP_GROUP_FIRST = 3,
};

/* Classes of traffic that no DSCP of the configuration decides. */
enum {
	DP_CLASS_DEFAULT = 0,
	DP_CLASS_RDMA = 3,
	DP_CLASS_CNP = 6,
	DP_CLASS_ROUTING = 7,
	DP_CLASS_BY_RULE = 0xff,
};

struct fabric_table;

/* Who needs flows: bits of snapshot.flows. */
enum {
	DP_FLOWS_QP = 1u << 0,  /* the per-QP view: RoCE */
	DP_FLOWS_ALL = 1u << 1, /* a group's policy: any protocol */
};

struct snapshot {
	uint64_t generation; /* from 1 */
	struct rte_fib *fib4;
	struct rte_fib6 *fib6;
	struct nhg_group **group; /* DP_GROUP_FIRST.. */
	uint32_t n_groups;        /* slots, the special ones included */
	uint8_t flows;            /* DP_FLOWS_*; 0: stage_flow does nothing */
	bool plain;               /* all groups are (nhg_is_plain()) */
	/* of each port as a way in; [1] RoCEv2: 0-7; [0] all else: 0-7 or DP_CLASS_BY_RULE */
	uint8_t dscp_class[DP_PORTS_MAX][2][64];
	struct parse_policy port[DP_PORTS_MAX];
	const struct egress_policy *egress[DP_PORTS_MAX];
	const struct egress_policy *voq; /* of all VOQs: limits, marking */
	/* that this software pauses, or has: their senders are to hear that they may go on */
	uint16_t pfc_port[DP_PORTS_MAX];
	uint16_t n_pfc_ports;
	const struct fabric_table *fabric; /* NULL: the node has no fabric port */
};

/* The group in a slot of a snapshot's group table. Worker. */
static inline const struct nhg_group *
snapshot_group(struct nhg_group **group, uint32_t idx)
{
	/* acquire: pairs with the release store in node_set_weights(); its content is whole */
	return __atomic_load_n(&group[idx], __ATOMIC_ACQUIRE);
}

#endif
