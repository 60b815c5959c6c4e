/* SPDX-License-Identifier: BSD-3-Clause */
/* What a configuration will cost in memory, told before anything is allocated. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_mbuf.h>

#include "ctl/build.h"
#include "ctl/egress.h"
#include "ctl/fabric.h"
#include "ctl/flows.h"
#include "ctl/hyper.h"
#include "ctl/ports.h"
#include "ctl/say.h"
#include "port/port.h"

#define MB UINT64_C(1000000) /* as the YAML counts */
/* The mempool's header of an object and the padding that spreads them over memory channels. */
#define MBUF_OVERHEAD (sizeof(struct rte_mbuf) + 2 * RTE_CACHE_LINE_SIZE)
#define MBUF_BOOKS                                                                                 \
	96u /* a mempool's own for each object: a ring slot or two, part of a chunk's header */
#define HEAP_BOOKS (2u * RTE_CACHE_LINE_SIZE) /* the EAL heap's own for each piece of memory */
#define PAGE_BYTES 4096u
/* The EAL's own: rings, pools' bookkeeping, ethdev data, fragmentation of the heap. */
#define EAL_BYTES (24 * MB)

struct budget_users
budget_users(const struct conf *c)
{
	struct budget_users u = {
		.n_workers = RTE_MAX((unsigned int)c->n_workers, 1u),
		.depth = PORTS_DESC,
	};

	for (size_t w = 0; w < c->n_workers; w++)
		u.n_queues += (uint32_t)c->worker[w].n_rx;
	u.n_queues = RTE_MAX(u.n_queues, (uint32_t)c->n_ports) + u.n_workers * (uint32_t)c->n_ports;
	return u;
}

static struct budget_packets
count_packets(const struct conf *c, struct budget_users u)
{
	uint32_t handoff = u.n_workers > 1 ? PORTS_HANDOFF : 0;
	struct budget_packets n = {
		.rings = (uint64_t)u.n_queues * u.depth,
		.workers = c->n_ports * (u.n_workers * WORKER_TX_MAX + handoff) +
			   u.n_workers * (BURST_MAX + PORTS_POOL_CACHE * 2),
	};

	for (size_t p = 0; p < c->n_ports + c->n_hypers; p++) {
		n.queues += egress_queue_packets(c, p);
		n.lines += egress_line_packets(c, p);
	}
	n.held = egress_paused_packets(c);
	n.fabric = fabric_mbufs(c, u.n_workers);
	n.hypers = hyper_mbufs(c);
	n.sum = n.rings + n.workers + n.queues + n.held + n.lines + n.fabric + n.hypers;
	return n;
}

uint32_t
ports_mbuf_len(const struct conf *c)
{
	uint32_t len = 0;

	for (size_t p = 0; p < c->n_ports; p++)
		len = RTE_MAX(len, port_frame_room(c->port[p].mtu));
	/* room for the biggest frame, at least DPDK's default: one mbuf a packet */
	len = RTE_ALIGN_CEIL(len, 128u);
	return RTE_MAX(len, (uint32_t)RTE_MBUF_DEFAULT_DATAROOM) + RTE_PKTMBUF_HEADROOM;
}

/*
 * A mempool keeps each object within one page, or whole pages for it. On hugepages that costs next
 * to nothing; on plain memory an mbuf of 2.5 KB takes 4.
 */
static uint64_t
mbuf_bytes(uint32_t n_mbufs, uint32_t mbuf_len)
{
	uint32_t len = RTE_ALIGN_CEIL(mbuf_len, (uint32_t)RTE_CACHE_LINE_SIZE) + MBUF_OVERHEAD;
	uint64_t pages = len <= PAGE_BYTES ? n_mbufs / (PAGE_BYTES / len) + 1
					   : (uint64_t)n_mbufs *
						     (RTE_ALIGN_CEIL(len, PAGE_BYTES) / PAGE_BYTES);

	return pages * PAGE_BYTES + (uint64_t)n_mbufs * MBUF_BOOKS;
}

/* Twice: a group that changes stands beside the one before it until the workers have seen it. */
static uint64_t
group_bytes(const struct conf *c, unsigned int n_workers)
{
	uint64_t bytes = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		bytes += nhg_group_bytes((unsigned int)c->group[g].n_members, c->group[g].buckets,
				 build_is_plain(&c->group[g]) ? 0 : n_workers) +
			 HEAP_BOOKS;
	return 2 * bytes;
}

/* Each worker can have all that waits. */
static uint64_t
record_bytes(const struct conf *c, unsigned int n_workers)
{
	return n_workers * pkt_chunks_bytes(egress_records_room(c),
				   (uint32_t)(c->n_ports + c->n_hypers) * QUEUE_FIFOS);
}

static uint64_t
worker_bytes(const struct conf *c, unsigned int n_workers)
{
	uint64_t members = members_room(c);

	return n_workers *
	       (sizeof(struct worker) + sizeof(struct counters) + members * sizeof(struct counter) +
		       (c->n_ports + c->n_hypers) *
			       (sizeof(struct worker_tx) + sizeof(struct worker_rxq) +
				       sizeof(struct worker_queue) + sizeof(struct load)));
}

int
build_budget(const struct conf *c, struct budget_users users, const struct node_log *log,
	struct budget *ret_budget)
{
	struct budget b = {0};
	struct fib_route *route;
	size_t n_routes, bad;
	int rc = build_routes(c, NULL, &route, &n_routes);

	if (rc != 0)
		return rc;
	rc = fib_plan(route, n_routes, &b.plan, &bad);
	free(route);
	if (rc == -ENOMEM)
		return rc;
	if (rc != 0) {
		node_say(log, NODE_ERROR,
			"%zu routes are more than a table holds (%u for each family); aggregate "
			"them.",
			n_routes, FIB_ROUTES_MAX);
		return rc;
	}
	b.packets = count_packets(c, users);
	b.n_mbufs =
		c->mbufs != 0 ? c->mbufs : (uint32_t)RTE_MIN(b.packets.sum, (uint64_t)UINT32_MAX);
	b.mbuf_len = ports_mbuf_len(c);
	b.fib = b.plan.v4.bytes + b.plan.v6.bytes;
	b.groups = group_bytes(c, users.n_workers);
	b.mbufs = mbuf_bytes(b.n_mbufs, b.mbuf_len);
	b.records = record_bytes(c, users.n_workers);
	b.flows = flows_bytes(c, users.n_workers);
	b.workers = worker_bytes(c, users.n_workers) + b.records + b.flows +
		    fabric_bytes(c, users.n_workers) + hyper_bytes(c);
	b.eal = EAL_BYTES;
	b.total = b.fib + b.groups + b.mbufs + b.workers + b.eal;
	*ret_budget = b;
	return 0;
}

static uint64_t
mb(uint64_t bytes)
{
	return (bytes + MB - 1) / MB;
}

/*
 * Fewer buffers than class queues could fill are somebody's choice; a delay line that cannot hold
 * the rate, or a pause without its headroom, is not what the file says.
 */
static int
check_mbufs(const struct conf *c, const struct budget *b, const struct node_log *log)
{
	const struct budget_packets *n = &b->packets;
	uint64_t need = n->rings + n->workers + n->lines + n->held + n->fabric + n->hypers;

	if (c->mbufs == 0 || n->lines + n->held + n->hypers == 0 || need <= c->mbufs)
		return 0;
	node_say(log, NODE_ERROR,
		"the node needs %" PRIu64 " packet buffers (%" PRIu64
		" for the devices' rings and bursts, %" PRIu64 " for delay lines, %" PRIu64
		" for xoff and headroom of the ports with pfc, in frames of three quarters of the "
		"MTU) and runtime.mbufs is %u; set mbufs: %" PRIu64 " or more, or auto (%" PRIu64
		").",
		need, n->rings + n->workers, n->lines, n->held, c->mbufs,
		RTE_ALIGN_CEIL(need, 1024), n->sum);
	return -ENOSPC;
}

/* ` (20,000 for class queues, 5,812 for delay lines)`, where there are any worth a word. */
static void
waiting_text(const struct conf *c, const struct budget *b, char *buf, size_t size)
{
	uint64_t queues = b->packets.queues + b->packets.held;

	buf[0] = '\0';
	if (c->mbufs == 0 && queues + b->packets.lines > b->packets.rings)
		snprintf(buf, size,
			" (%" PRIu64 " of them for class queues, %" PRIu64 " for delay lines)",
			queues, b->packets.lines);
}

int
build_check_memory(const struct conf *c, const struct budget *b, const struct node_log *log)
{
	char waiting[128];
	int rc = check_mbufs(c, b, log);

	if (rc != 0 || b->total <= c->memory)
		return rc;
	waiting_text(c, b, waiting, sizeof(waiting));
	node_say(log, NODE_ERROR,
		"the node needs %" PRIu64 " MB (%" PRIu64 " for %u + %u routes, %" PRIu64
		" for %u packet buffers of %u bytes%s, %" PRIu64
		" for groups and workers) and runtime.memory is %" PRIu64
		" MB; set memory: %" PRIu64 "MB or more%s.",
		mb(b->total), mb(b->fib), b->plan.v4.n_routes, b->plan.v6.n_routes, mb(b->mbufs),
		b->n_mbufs, b->mbuf_len, waiting, mb(b->groups + b->workers + b->eal),
		mb(c->memory), RTE_ALIGN_CEIL(mb(b->total), 64),
		waiting[0] == '\0' ? "" : ", or give classes a smaller limit");
	return -ENOSPC;
}

int
node_check(const struct conf *conf, const struct node_log *log, uint64_t *ret_bytes)
{
	struct budget b;
	int rc;

	if (conf->n_ports > RTE_MAX_ETHPORTS) {
		node_say(log, NODE_ERROR,
			"%zu ports are more than this DPDK has (%d devices a process); take some "
			"away, "
			"or run the file in softbag-replay, whose ports are none.",
			conf->n_ports, RTE_MAX_ETHPORTS);
		return -E2BIG;
	}
	rc = build_budget(conf, budget_users(conf), log, &b);
	if (rc == 0)
		rc = build_check_memory(conf, &b, log);
	if (rc == 0 && ret_bytes != NULL)
		*ret_bytes = b.total;
	return rc;
}
