/* SPDX-License-Identifier: BSD-3-Clause */
/* The node's ports: made, set up, given to the workers that place.c chose. */
#include "ctl/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ring.h>

#include "ctl/build.h"
#include "ctl/say.h"

/* How often the workers list the port: queues that a memory port needs. */
static uint16_t
times_listed(const struct conf *c, size_t p)
{
	uint16_t n = 0;

	for (size_t w = 0; w < c->n_workers; w++)
		for (size_t i = 0; i < c->worker[w].n_rx; i++)
			n += c->worker[w].rx[i] == p;
	return RTE_MAX(n, 1);
}

static int
create_one(struct node *n, size_t p)
{
	const struct conf_port *c = &n->conf->port[p];
	const char *why = "out of memory";
	int rc;

	if (n->env.replay)
		rc = port_create_mem(
			c->name, times_listed(n->conf, p), n->env.replay_depth, &n->port[p]);
	else
		rc = port_create_eth(c->name, c->device, c->mtu, &n->port[p], &why);
	if (rc != 0)
		/* drivers return -1 for anything: the sentence says more than the number */
		node_say(&n->env.log, NODE_ERROR, "port %s: device %s: %s.", c->name, c->device,
			why);
	return rc;
}

int
ports_create(struct node *n)
{
	int rc = 0;

	n->n_ports = n->conf->n_ports;
	n->n_outs = n->n_ports + n->conf->n_hypers;
	n->port = calloc(n->n_ports, sizeof(*n->port));
	if (n->port == NULL)
		return node_say_no_memory(&n->env.log);
	/* all of them, so that a user sees every bad device in one run */
	for (size_t p = 0; p < n->n_ports; p++) {
		int one = create_one(n, p);

		rc = rc == 0 ? one : rc;
	}
	return rc;
}

/* Now that the devices have been asked: as many queues as there will be. */
static struct budget_users
placed_users(const struct node *n, const struct placement *pl)
{
	struct budget_users u = budget_users(n->conf);

	u.n_workers = pl->n_workers;
	if (n->env.replay) { /* memory ports: those that nobody polls have queues, too */
		u.depth = RTE_MIN(u.depth, n->env.replay_depth);
		return u;
	}
	u.n_queues = 0;
	for (size_t p = 0; p < n->n_ports; p++)
		u.n_queues += pl->port_rxq[p] + pl->port_txq[p];
	return u;
}

static int
create_pool(struct node *n, const struct placement *pl)
{
	struct budget b;
	char name[RTE_MEMPOOL_NAMESIZE];
	int rc = build_budget(n->conf, placed_users(n, pl), &n->env.log, &b);

	if (rc == -ENOMEM)
		return node_say_no_memory(&n->env.log);
	if (rc == 0 && !n->env.replay)
		rc = build_check_memory(n->conf, &b, &n->env.log);
	if (rc != 0)
		return rc;
	snprintf(name, sizeof(name), "pool-%s", n->tag);
	n->pool = rte_pktmbuf_pool_create(
		name, b.n_mbufs, PORTS_POOL_CACHE, 0, (uint16_t)b.mbuf_len, SOCKET_ID_ANY);
	n->shared.pool = n->pool;
	if (n->pool != NULL)
		return 0;
	node_say(&n->env.log, NODE_ERROR,
		"%u packet buffers of %u bytes cannot be had (%s); give runtime.memory more.",
		b.n_mbufs, b.mbuf_len, rte_strerror(rte_errno));
	return -ENOMEM;
}

/* What ports do instead of what was asked; ports that say the same are named together. */
#define NOTES_MAX 16u

struct notes {
	const struct node_log *log;
	const char *port; /* that is being set up */
	size_t n;
	struct {
		char sentence[256], ports[256];
	} note[NOTES_MAX];
};

static void
take_note(void *ctx, const char *sentence)
{
	struct notes *notes = ctx;
	size_t i = 0, len;

	while (i < notes->n && strcmp(notes->note[i].sentence, sentence) != 0)
		i++;
	if (i == NOTES_MAX) {
		node_say(notes->log, NODE_NOTE, "port %s: %s", notes->port, sentence);
		return;
	}
	if (i == notes->n)
		snprintf(notes->note[notes->n++].sentence, sizeof(notes->note[i].sentence), "%s",
			sentence);
	len = strlen(notes->note[i].ports);
	snprintf(notes->note[i].ports + len, sizeof(notes->note[i].ports) - len, "%s%s",
		len == 0 ? "" : ", ", notes->port);
}

static void
say_notes(const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		node_say(notes->log, NODE_NOTE, "port %s: %s", notes->note[i].ports,
			notes->note[i].sentence);
}

int
ports_configure(struct node *n, const struct placement *pl)
{
	struct notes notes = {.log = &n->env.log};
	struct port_note note = {.say = take_note, .ctx = &notes};
	int rc = create_pool(n, pl);

	for (size_t p = 0; rc == 0 && p < n->n_ports; p++) {
		const struct conf_port *c = &n->conf->port[p];
		const char *why = "";
		struct port_config config = {
			.mtu = c->mtu,
			.n_rxq = pl->port_rxq[p],
			.n_txq = pl->port_txq[p],
			.n_desc = PORTS_DESC,
			.has_mac = c->has_mac,
			/* cells are sent to a group address, a hyper port's frames to its own */
			.promiscuous = c->promiscuous || c->role == CONF_ROLE_DSF || c->hyper != 0,
			.chains = n->conf->dsf.pos.line != 0,
			.pfc = c->pfc.hardware ? c->pfc.classes : 0,
			.pfc_quanta = c->pfc.quanta,
			.pool = n->pool,
		};

		notes.port = c->name;
		memcpy(config.mac, c->mac, sizeof(config.mac));
		rc = port_configure(n->port[p], &config, &note, &why);
		if (rc != 0)
			node_say(&n->env.log, NODE_ERROR, "%s", why);
	}
	say_notes(&notes);
	return rc;
}

/* The ring to the owner of a port that has too few TX queues. */
static int
create_handoff(struct node *n, size_t p)
{
	uint32_t depth = PORTS_HANDOFF;
	size_t len =
		RTE_ALIGN_CEIL((size_t)rte_ring_get_memsize(depth), (size_t)RTE_CACHE_LINE_SIZE);

	n->handoff[p] = aligned_alloc(RTE_CACHE_LINE_SIZE, len);
	if (n->handoff[p] == NULL)
		return -ENOMEM;
	return rte_ring_init(n->handoff[p], "handoff", depth, RING_F_SC_DEQ);
}

static void
attach_tx(struct node *n, const struct placement *pl, struct worker *w, uint16_t p)
{
	struct worker_tx *tx = &w->tx[p];

	tx->port = n->port[p];
	tx->owner = w->idx < pl->port_txq[p];
	tx->queue = tx->owner ? (uint16_t)w->idx : 0;
	tx->handoff = n->handoff[p];
	if (w->idx == 0 && tx->handoff != NULL)
		w->owned[w->n_owned++] = p;
}

uint64_t
ports_pace_tsc(const struct node *n, const struct conf_port *c, size_t port)
{
	if (c->pace_pps == 0)
		return 0;
	return RTE_MAX(n->env.clock.hz * n->port_rxq[port] / c->pace_pps, UINT64_C(1));
}

static void
attach_rx(struct node *n, const struct placement *pl, struct worker *w)
{
	for (uint16_t k = 0; k < pl->n_rxq[w->idx]; k++) {
		uint16_t p = pl->rxq[w->idx][k].port_idx;

		w->rxq[k] = (struct worker_rxq){
			.port = n->port[p],
			.port_idx = p,
			.queue = pl->rxq[w->idx][k].queue,
			.last_tsc = clock_now(&n->env.clock),
		};
	}
}

int
ports_attach(struct node *n, const struct placement *pl)
{
	for (uint16_t p = 0; p < n->n_ports; p++) {
		if (pl->port_txq[p] < n->n_workers && create_handoff(n, p) != 0)
			return node_say_no_memory(&n->env.log);
		for (unsigned int i = 0; i < n->n_workers; i++)
			attach_tx(n, pl, n->worker[i], p);
	}
	for (unsigned int i = 0; i < n->n_workers; i++)
		attach_rx(n, pl, n->worker[i]);
	return 0;
}
