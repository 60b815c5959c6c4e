/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory port: rings between the node and its caller, in place of a device. softbag-replay and
 * the pipeline tests put captures in at one end and take what the node sent out at the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ring.h>

#include "port/ops.h"

#define MEM_RXQ_MAX 128u /* a queue for each worker that a node may have */

struct mem_port {
	struct port port; /* first: free(port) frees all */
	uint16_t n_rxq;
	struct rte_ring *rx[MEM_RXQ_MAX];
	struct rte_ring *tx;
	bool down;          /* as the caller says */
	uint64_t speed_bps; /* as the caller says; 0: not known */
	char why[160];
};

static uint16_t
mem_rx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	struct mem_port *mp = ctx;

	return (uint16_t)rte_ring_sc_dequeue_burst(mp->rx[queue], (void **)m, n, NULL);
}

static uint16_t
mem_tx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	struct mem_port *mp = ctx;

	(void)queue;
	return (uint16_t)rte_ring_mp_enqueue_burst(mp->tx, (void *const *)m, n, NULL);
}

static int
mem_configure(struct port *p, const struct port_config *config, const struct port_note *note,
	const char **ret_why)
{
	struct mem_port *mp = (struct mem_port *)p;

	(void)note;
	if (config->pfc != 0) {
		snprintf(mp->why, sizeof(mp->why),
			"port %s: a memory port cannot make and heed pauses itself; give the port "
			"`pfc: {mode: software}`.",
			p->name);
		*ret_why = mp->why;
		return -ENOTSUP;
	}
	if (config->has_mac)
		memcpy(p->mac, config->mac, sizeof(p->mac));
	else
		port_default_mac(p->name, p->mac);
	p->mtu = config->mtu;
	return 0;
}

static int
mem_start(struct port *p)
{
	(void)p;
	return 0;
}

static void
mem_stop(struct port *p)
{
	(void)p;
}

static void
mem_fini(struct port *p)
{
	struct mem_port *mp = (struct mem_port *)p;
	void *m;

	for (uint16_t q = 0; q < mp->n_rxq; q++) {
		while (mp->rx[q] != NULL && rte_ring_dequeue(mp->rx[q], &m) == 0)
			rte_pktmbuf_free(m);
		free(mp->rx[q]);
	}
	while (mp->tx != NULL && rte_ring_dequeue(mp->tx, &m) == 0)
		rte_pktmbuf_free(m);
	free(mp->tx);
}

static bool
mem_link_up(struct port *p)
{
	return !((struct mem_port *)p)->down;
}

static uint64_t
mem_speed(struct port *p)
{
	return ((struct mem_port *)p)->speed_bps;
}

static void
mem_stats(struct port *p, struct port_stats *ret_stats)
{
	(void)p;
	(void)ret_stats;
}

static const struct port_ops mem_ops = {
	.configure = mem_configure,
	.start = mem_start,
	.stop = mem_stop,
	.fini = mem_fini,
	.link_up = mem_link_up,
	.speed = mem_speed,
	.stats = mem_stats,
};

/* A ring in memory of ours: rte_ring_create() would take a name from a space of the process. */
static struct rte_ring *
ring_create(uint32_t depth, unsigned int flags)
{
	/* RING_F_EXACT_SZ: a ring of n slots holds n - 1 otherwise */
	ssize_t len = rte_ring_get_memsize(rte_align32pow2(depth + 1));
	struct rte_ring *r;

	if (len < 0)
		return NULL;
	r = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL((size_t)len, RTE_CACHE_LINE_SIZE));
	if (r != NULL && rte_ring_init(r, "mem", depth, flags | RING_F_EXACT_SZ) != 0) {
		free(r);
		return NULL;
	}
	return r;
}

int
port_create_mem(const char *name, uint16_t n_rxq, uint32_t depth, struct port **ret_port)
{
	struct mem_port *mp;
	bool ok;

	if (n_rxq == 0 || n_rxq > MEM_RXQ_MAX || depth == 0)
		return -EINVAL;
	mp = calloc(1, sizeof(*mp));
	if (mp == NULL)
		return -ENOMEM;
	mp->n_rxq = n_rxq;
	mp->tx = ring_create(depth, RING_F_SC_DEQ);
	ok = mp->tx != NULL;
	for (uint16_t q = 0; q < n_rxq; q++) {
		mp->rx[q] = ring_create(depth, RING_F_SP_ENQ | RING_F_SC_DEQ);
		ok = ok && mp->rx[q] != NULL;
	}
	mp->port.ops = &mem_ops;
	if (!ok) {
		port_free(&mp->port);
		return -ENOMEM;
	}
	mp->port.rx = mem_rx;
	mp->port.tx = mem_tx;
	mp->port.ctx = mp;
	snprintf(mp->port.name, sizeof(mp->port.name), "%s", name);
	mp->port.caps = (struct port_caps){
		.max_rxq = n_rxq,
		.fixed_rxq = 1,
		.max_txq = UINT16_MAX, /* its send ring takes any number of producers */
		.multi_seg_tx = true,
		.rss = n_rxq > 1,
		.socket = -1,
		.driver = "memory",
	};
	*ret_port = &mp->port;
	return 0;
}

uint16_t
port_mem_put(struct port *p, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	struct mem_port *mp = (struct mem_port *)p;

	return (uint16_t)rte_ring_sp_enqueue_burst(mp->rx[queue], (void *const *)m, n, NULL);
}

uint16_t
port_mem_take(struct port *p, struct rte_mbuf **m, uint16_t n)
{
	struct mem_port *mp = (struct mem_port *)p;

	return (uint16_t)rte_ring_sc_dequeue_burst(mp->tx, (void **)m, n, NULL);
}

void
port_mem_set_link(struct port *p, bool up)
{
	((struct mem_port *)p)->down = !up;
}

void
port_mem_set_speed(struct port *p, uint64_t bps)
{
	((struct mem_port *)p)->speed_bps = bps;
}

uint32_t
port_mem_unread(const struct port *p)
{
	const struct mem_port *mp = (const struct mem_port *)p;
	uint32_t n = 0;

	for (uint16_t q = 0; q < mp->n_rxq; q++)
		n += rte_ring_count(mp->rx[q]);
	return n;
}

uint32_t
port_mem_sent(const struct port *p)
{
	return rte_ring_count(((const struct mem_port *)p)->tx);
}

bool
port_mem_full(const struct port *p)
{
	return rte_ring_full(((const struct mem_port *)p)->tx) != 0;
}
