/* SPDX-License-Identifier: BSD-3-Clause */
/* Placing RX queues on workers: as the configuration lists them, or by socket. */
#include <errno.h>
#include <string.h>

#include <rte_lcore.h>

#include "ctl/ports.h"
#include "ctl/say.h"

static int
place_queue(struct placement *pl, unsigned int worker, uint16_t port_idx)
{
	uint16_t k = pl->n_rxq[worker];

	if (k == WORKER_RXQ_MAX)
		return -ENOSPC;
	pl->rxq[worker][k].port_idx = port_idx;
	pl->rxq[worker][k].queue = pl->port_rxq[port_idx]++;
	pl->n_rxq[worker]++;
	return 0;
}

/* A second queue only helps where the device spreads flows; without, order would be lost. */
static bool
takes_another_queue(const struct node *n, const struct placement *pl, uint16_t port_idx)
{
	const struct port_caps *caps = &n->port[port_idx]->caps;

	return pl->port_rxq[port_idx] == 0 ||
	       (caps->rss && pl->port_rxq[port_idx] < caps->max_rxq) ||
	       pl->port_rxq[port_idx] < caps->fixed_rxq;
}

static bool
has_port(const struct placement *pl, unsigned int worker, uint16_t port_idx)
{
	for (uint16_t k = 0; k < pl->n_rxq[worker]; k++)
		if (pl->rxq[worker][k].port_idx == port_idx)
			return true;
	return false;
}

/* Queues that the device fills by itself go to those who poll the port already, in turns. */
static int
place_fixed(const struct node *n, struct placement *pl)
{
	for (uint16_t p = 0; p < n->n_ports; p++) {
		uint16_t fixed = n->port[p]->caps.fixed_rxq;
		bool polled = pl->port_rxq[p] != 0;

		for (unsigned int w = 0; polled && pl->port_rxq[p] < fixed; w++)
			if (has_port(pl, w % pl->n_workers, p) &&
				place_queue(pl, w % pl->n_workers, p) != 0)
				return -ENOSPC;
	}
	return 0;
}

static int
place_listed(const struct node *n, struct placement *pl)
{
	const struct conf *c = n->conf;

	pl->n_workers = (unsigned int)c->n_workers;
	for (unsigned int w = 0; w < pl->n_workers; w++) {
		pl->lcore[w] = c->worker[w].lcore;
		if (!n->env.replay && !rte_lcore_is_enabled(pl->lcore[w])) {
			node_say(&n->env.log, NODE_ERROR,
				"runtime.workers: lcore %u is not in runtime.eal's list of lcores; "
				"leave -l out there, or add it.",
				pl->lcore[w]);
			return -EINVAL;
		}
		for (size_t i = 0; i < c->worker[w].n_rx; i++) {
			uint16_t p = c->worker[w].rx[i];

			if (!takes_another_queue(n, pl, p)) {
				node_say(&n->env.log, NODE_NOTE,
					"port %s: %s cannot spread flows over another RX queue; "
					"lcore %u does not poll it.",
					n->port[p]->name, n->port[p]->caps.driver, pl->lcore[w]);
				continue;
			}
			if (place_queue(pl, w, p) != 0)
				return -ENOSPC;
		}
	}
	return 0;
}

/* The worker with the fewest queues and none of this port, those of the port's socket first. */
static unsigned int
least_loaded(const struct placement *pl, uint16_t port_idx, int socket)
{
	unsigned int best = 0;
	bool best_near = false, found = false;

	for (unsigned int w = 0; w < pl->n_workers; w++) {
		bool near = socket < 0 || (int)rte_lcore_to_socket_id(pl->lcore[w]) == socket;

		if (has_port(pl, w, port_idx))
			continue;
		if (!found || (near && !best_near) ||
			(near == best_near && pl->n_rxq[w] < pl->n_rxq[best])) {
			best = w;
			best_near = near;
			found = true;
		}
	}
	return best;
}

static int
place_by_socket(const struct node *n, struct placement *pl)
{
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER(lcore) {
		if (pl->n_workers < NODE_WORKERS_MAX)
			pl->lcore[pl->n_workers++] = lcore;
	}
	if (pl->n_workers == 0 || n->env.replay) {
		pl->n_workers = 1;
		pl->lcore[0] = rte_get_main_lcore();
	}
	for (uint16_t p = 0; p < n->n_ports; p++) {
		const struct port_caps *caps = &n->port[p]->caps;
		unsigned int want = caps->rss ? RTE_MIN(pl->n_workers, caps->max_rxq) : 1;

		for (unsigned int k = 0; k < want; k++) {
			unsigned int w = caps->rss && want == pl->n_workers
						 ? k
						 : least_loaded(pl, p, caps->socket);

			if (place_queue(pl, w, p) != 0)
				return -ENOSPC;
		}
	}
	/* a worker without a queue would only burn its core */
	while (pl->n_workers > 1 && pl->n_rxq[pl->n_workers - 1] == 0)
		pl->n_workers--;
	return 0;
}

int
ports_place(struct node *n, struct placement *ret_placement)
{
	struct placement *pl = ret_placement;
	int rc;

	memset(pl, 0, sizeof(*pl));
	if (n->conf->n_workers > NODE_WORKERS_MAX) {
		node_say(&n->env.log, NODE_ERROR,
			"runtime.workers lists %zu workers and a node has at most %u.",
			n->conf->n_workers, NODE_WORKERS_MAX);
		return -E2BIG;
	}
	rc = n->conf->n_workers != 0 ? place_listed(n, pl) : place_by_socket(n, pl);
	if (rc == 0)
		rc = place_fixed(n, pl);
	if (rc == -ENOSPC) {
		node_say(&n->env.log, NODE_ERROR, "a worker polls at most %u queues; add workers.",
			WORKER_RXQ_MAX);
	}
	if (rc != 0)
		return rc;
	for (uint16_t p = 0; p < n->n_ports; p++) {
		pl->port_rxq[p] = RTE_MAX(pl->port_rxq[p], 1);
		pl->port_txq[p] =
			(uint16_t)RTE_MIN(pl->n_workers, (unsigned int)n->port[p]->caps.max_txq);
		if (pl->port_txq[p] < pl->n_workers)
			node_say(&n->env.log, NODE_NOTE,
				"port %s: %s has %u TX queues for %u workers; the others hand "
				"their packets to lcore %u.",
				n->port[p]->name, n->port[p]->caps.driver, pl->port_txq[p],
				pl->n_workers, pl->lcore[0]);
	}
	return 0;
}
