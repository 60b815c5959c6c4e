/* SPDX-License-Identifier: BSD-3-Clause */
/* The node's ports and who polls them. Inside lib/ctl only. */
#ifndef CTL_PORTS_H
#define CTL_PORTS_H

#include "ctl/node.h"

/*
 * Descriptors per queue: l3fwd's figure. Half loses packets on a NIC when a worker sleeps its 50 us
 * at 10 Mpps, double only moves the loss.
 */
#define PORTS_DESC 1024u
#define PORTS_HANDOFF                                                                              \
	(WORKER_TX_MAX * 4u)  /* packets on their way to the owner of a shared port                \
			       */
#define PORTS_POOL_CACHE 256u /* four bursts, so that a worker meets the shared ring rarely */

/* Bytes of data room that hold the biggest frame of the node, headroom included. Pure. */
uint32_t ports_mbuf_len(const struct conf *c);

/* Which worker polls which queue. */
struct placement {
	unsigned int n_workers;
	unsigned int lcore[NODE_WORKERS_MAX];
	uint16_t n_rxq[NODE_WORKERS_MAX]; /* queues of the worker */
	struct {
		uint16_t port_idx, queue;
	} rxq[NODE_WORKERS_MAX][WORKER_RXQ_MAX];
	uint16_t port_rxq[DP_PORTS_MAX]; /* queues of the port, at least 1 */
	uint16_t port_txq[DP_PORTS_MAX];
};

/* Makes every port of the configuration, not set up yet. Said in the log. */
int ports_create(struct node *n);
/* Places queues on workers, by the configuration or by socket; says what it cannot do. */
int ports_place(struct node *n, struct placement *ret_placement);
/* The pool, queues, MTUs, MACs. Said in the log. */
int ports_configure(struct node *n, const struct placement *pl);
/* Ticks between two packets that each queue of the port takes in, by its pace; 0: as they come. */
uint64_t ports_pace_tsc(const struct node *n, const struct conf_port *c, size_t port);
/* Gives each worker its RX queues, TX buffers and hand-off rings. */
int ports_attach(struct node *n, const struct placement *pl);

#endif
