/* SPDX-License-Identifier: BSD-3-Clause */
/* Hyper ports of a node: made, joined to workers, up and down. See hyper.h. */
#include "ctl/hyper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ring_elem.h>

#include "base/rng.h"
#include "ctl/build.h"
#include "ctl/egress.h"
#include "ctl/say.h"

static struct reseq_config
reseq_config(const struct conf_hyper *h)
{
	return (struct reseq_config){
		.window = h->window,
		.timeout_ps = h->timeout_ns * PS_PER_NS,
		.socket = SOCKET_ID_ANY,
	};
}

/* Held, and ready for the pipeline; and what waits in the rings. */
uint64_t
hyper_mbufs(const struct conf *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->n_hypers; i++)
		n += c->hyper[i].window + RESEQ_PUTS + 2 * HYPER_RING;
	return n;
}

uint64_t
hyper_bytes(const struct conf *c)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->n_hypers; i++) {
		struct reseq_config r = reseq_config(&c->hyper[i]);

		bytes += sizeof(struct dp_hyper) + reseq_bytes(&r) +
			 HYPER_RING * (sizeof(struct pkt_rec) + sizeof(void *));
	}
	return bytes;
}

static int
create_ring(unsigned int elem, struct rte_ring **ret_ring)
{
	struct rte_ring *r = build_zalloc(1, (size_t)rte_ring_get_memsize_elem(elem, HYPER_RING));
	int rc = r == NULL ? -ENOMEM : rte_ring_init(r, "hyper", HYPER_RING, RING_F_SC_DEQ);

	if (rc != 0)
		free(r);
	else
		*ret_ring = r;
	return rc;
}

/* By the rates of the file; equal where it has none. */
static void
init_share(const struct conf *c, const struct conf_hyper *conf, struct dp_hyper *h)
{
	uint64_t weight[HYPER_MEMBERS_MAX];

	for (uint16_t i = 0; i < h->n_members; i++)
		weight[i] = RTE_MAX(c->port[conf->member[i]].rate_bps, UINT64_C(1));
	hyper_share_init(&h->share, weight, h->n_members);
}

static int
create_one(struct node *n, size_t idx)
{
	const struct conf_hyper *conf = &n->conf->hyper[idx];
	struct dp_hyper *h = &n->shared.hyper[idx];
	struct reseq_config r = reseq_config(conf);
	struct rng rng;
	int rc;

	h->way = (uint16_t)(n->n_ports + idx);
	h->worker = (uint16_t)(idx % n->n_placed);
	h->ethertype = conf->ethertype;
	h->n_members = (uint16_t)conf->n_members;
	for (uint16_t i = 0; i < h->n_members; i++)
		h->member[i] = conf->member[i];
	init_share(n->conf, conf, h);
	/* a node that comes back does not begin where it began before */
	rng_init(&rng, conf_seed(n->conf) + idx + clock_now(&n->env.clock));
	h->seq = (uint16_t)rng_next(&rng);
	rc = create_ring(sizeof(struct pkt_rec), &h->out);
	if (rc == 0)
		rc = create_ring(sizeof(void *), &h->in);
	if (rc == 0)
		rc = reseq_create(&r, &h->reseq);
	return rc;
}

int
hyper_create(struct node *n)
{
	size_t n_hypers = n->conf->n_hypers;
	int rc = 0;

	if (n_hypers == 0)
		return 0;
	n->shared.hyper = build_zalloc(n_hypers, sizeof(*n->shared.hyper));
	if (n->shared.hyper == NULL)
		return node_say_no_memory(&n->env.log);
	n->shared.n_hypers = (uint16_t)n_hypers;
	for (size_t i = 0; rc == 0 && i < n_hypers; i++)
		rc = create_one(n, i);
	if (rc == -ENOMEM)
		return node_say_no_memory(&n->env.log);
	if (rc != 0)
		node_say(&n->env.log, NODE_ERROR, "the hyperports cannot be set up: %s.",
			strerror(-rc));
	return rc;
}

struct dp_hyper *
hyper_of_port(const struct node *n, uint16_t port_idx)
{
	uint16_t hyper = n->conf->port[port_idx].hyper;

	return hyper == 0 ? NULL : &n->shared.hyper[hyper - 1];
}

/* What a packet must be like for every member: the one that takes least is asked. */
static const struct port *
strictest(const struct node *n, const struct dp_hyper *h)
{
	for (uint16_t i = 0; i < h->n_members; i++)
		if (n->port[h->member[i]]->one_segment)
			return n->port[h->member[i]];
	return n->port[h->member[0]];
}

void
hyper_attach(struct node *n, struct worker *w)
{
	for (uint16_t i = 0; i < n->shared.n_hypers; i++)
		w->tx[n->shared.hyper[i].way].port = strictest(n, &n->shared.hyper[i]);
	for (uint16_t q = 0; q < w->n_rxq; q++) {
		w->rxq[q].hyper = hyper_of_port(n, w->rxq[q].port_idx);
		w->rxq[q].special |= w->rxq[q].hyper != NULL;
	}
}

static void
free_one(struct dp_hyper *h)
{
	struct pkt_rec rec;
	void *m;

	while (h->out != NULL && rte_ring_dequeue_elem(h->out, &rec, sizeof(rec)) == 0)
		rte_pktmbuf_free(rec.m);
	while (h->in != NULL && rte_ring_dequeue(h->in, &m) == 0)
		rte_pktmbuf_free(m);
	free(h->out);
	free(h->in);
	reseq_free(h->reseq);
}

void
hyper_free(struct node *n)
{
	for (uint16_t i = 0; i < n->shared.n_hypers; i++)
		free_one(&n->shared.hyper[i]);
	free(n->shared.hyper);
	n->shared.hyper = NULL;
	n->shared.n_hypers = 0;
}

static unsigned int
live_members(const struct node *n, const struct dp_hyper *h)
{
	unsigned int live = 0;

	for (uint16_t i = 0; i < h->n_members; i++)
		live += alive_test(&n->shared.alive, h->member[i]);
	return live;
}

void
hyper_set_link(struct node *n, uint16_t port_idx)
{
	const struct dp_hyper *h = hyper_of_port(n, port_idx);
	const struct conf_hyper *conf;
	unsigned int live;
	bool up;

	if (h == NULL)
		return;
	conf = &n->conf->hyper[h->way - n->n_ports];
	live = live_members(n, h);
	up = conf->require_all ? live == h->n_members : live != 0;
	if (alive_test(&n->shared.alive, h->way) == up) {
		if (n->rebuild[h->way])
			node_rebuild(n, h->way);
		return;
	}
	alive_set(&n->shared.alive, h->way, up);
	node_say(&n->env.log, NODE_NOTE, "hyperport %s: %s, %u of %u members have a link%s.",
		conf->name, up ? "up" : "down", live, h->n_members,
		!up && live != 0 ? " and it requires all" : "");
	node_rebuild(n, h->way);
}

uint64_t
hyper_fastest_bps(const struct node *n, const struct conf *c, const struct conf_hyper *h)
{
	uint64_t most = 0;

	for (size_t i = 0; i < h->n_members; i++) {
		uint64_t link = n->link_bps[h->member[i]];

		most = RTE_MAX(most, link != 0 ? link : c->port[h->member[i]].rate_bps);
	}
	return most;
}

void
hyper_set_speed(struct node *n, uint16_t port_idx)
{
	const struct dp_hyper *h = hyper_of_port(n, port_idx);

	if (h != NULL)
		egress_pause_speed(n, h->way,
			hyper_fastest_bps(n, n->conf, &n->conf->hyper[h->way - n->n_ports]));
}
