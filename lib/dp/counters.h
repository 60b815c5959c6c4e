/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker counts. Owner and only writer: the worker. Readers: anybody, with relaxed loads of
 * aligned 64-bit words; a sum over workers may be a few packets old and never goes back. Never
 * reset: who wants to start from zero keeps a baseline.
 *
 * Per node, once its workers stand still, in sums: what came in or was made here,
 *	port_in + duplicated + cells_made + packets_joined + control_out,
 * is what went out or ended here,
 *	port_out + punt + drop + packets_cut + cells_joined + control_in.
 */
#ifndef DP_COUNTERS_H
#define DP_COUNTERS_H

#include <stdint.h>

#include <rte_common.h>

#include "pkt/drop.h"

#define DP_PORTS_MAX 128u
#define DP_CLASSES   8u

struct counter {
	uint64_t packets, bytes;
};

/* The stages, in their order. */
#define DP_STAGES(X)                                                                               \
	X(rx)                                                                                      \
	X(cell)                                                                                    \
	X(hyper)                                                                                   \
	X(parse) X(ingress) X(route) X(flow) X(select) X(enqueue) X(fabric) X(egress) X(drop)

enum dp_stage {
#define X(name) DP_STAGE_##name,
	DP_STAGES(X)
#undef X
		DP_STAGES_N
};

/*
 * Packets and bytes without FCS. A class and a member count what their port took: to its buffer,
 * its queues, its line. What is lost there later (link_down, pfc_storm, impair_loss,
 * delay_line_full, stopped) is in them and in `drop`; a copy that an impairment made is not.
 */
struct counters {
	struct counter port_in[DP_PORTS_MAX];
	struct counter port_out[DP_PORTS_MAX];
	struct counter class_[DP_CLASSES];
	uint64_t drop[DROP_N];
	uint64_t punt[PUNT_N];
	uint64_t ce_in;              /* came in with CE */
	uint64_t ce_marked;          /* CE set here */
	uint64_t would_mark_not_ect; /* not ECN-capable, so not marked */
	uint64_t duplicated;         /* copies that an impairment made */
	/* of the fabric */
	uint64_t packets_cut, cells_made;      /* packets that became cells, and those */
	uint64_t packets_joined, cells_joined; /* packets out of cells, and those */
	uint64_t cells_transit;                /* passed on to other devices */
	uint64_t control_in;                   /* cells for this node itself */
	uint64_t control_out;                  /* REQUESTs and GRANTs; they are in port_out */
	uint64_t reach_out;                    /* REACH; not in port_out */
	uint64_t turns;                        /* of the loop */
	uint64_t busy_turns;                   /* that found packets */
	uint64_t bursts;
	/* only while the profile is on */
	uint64_t profile_packets;
	uint64_t stage_tsc[DP_STAGES_N];
	uint32_t n_members;
	struct counter member[] __rte_cache_aligned;
};

static inline void
counter_add(struct counter *c, uint64_t packets, uint64_t bytes)
{
	c->packets += packets;
	c->bytes += bytes;
}

static inline uint64_t
counter_read(const uint64_t *c)
{
	return __atomic_load_n(c, __ATOMIC_RELAXED);
}

/* What was made here, and what ended here without a drop: the law at the top of this file. */
static inline uint64_t
counters_made(const struct counters *c)
{
	return c->duplicated + c->cells_made + c->packets_joined + c->control_out;
}

static inline uint64_t
counters_ended(const struct counters *c)
{
	return c->packets_cut + c->cells_joined + c->control_in;
}

const char *dp_stage_name(enum dp_stage stage);

#endif
