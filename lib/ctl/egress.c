/* SPDX-License-Identifier: BSD-3-Clause */
/* From what the YAML says of queues to what workers use (dp/egress.h). ctl/node.c calls it. */
#include "ctl/egress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/headroom.h"
#include "conf/value.h"
#include "ctl/fabric.h"
#include "ctl/say.h"

/* RoCE data of 1024 bytes in an MTU of 1500, with some answers. */
uint32_t
egress_frame_bytes(const struct conf_port *p)
{
	return p->mtu * 3u / 4;
}

static uint64_t
frames(const struct conf_port *p, uint64_t bytes)
{
	return bytes / egress_frame_bytes(p) + 1;
}

bool
egress_is_queued(const struct conf_port *p)
{
	bool ecn = false, rewrite = false;

	if (p->role == CONF_ROLE_DSF)
		return false;

	for (unsigned int c = 0; c < CONF_CLASSES; c++)
		ecn |= p->class_ecn[c].mode != CONF_ECN_OFF || p->class_ecn[c].drop.kmax != 0;
	for (unsigned int d = 0; d < CONF_DSCPS; d++)
		rewrite |= p->dscp_rewrite[d] != 0xff;
	return p->rate_bps != 0 || p->delay_ns != 0 || p->impair_out.pos.line != 0 || ecn ||
	       rewrite || (p->pfc.classes != 0 && !p->pfc.hardware);
}

uint64_t
egress_lossless_bytes(const struct conf *c)
{
	uint64_t sum = 0;

	for (unsigned int k = 0; k < CONF_CLASSES; k++)
		sum += c->class_[k].lossless ? c->class_[k].limit : 0;
	return sum;
}

uint64_t
egress_lossy_bytes(const struct conf *c)
{
	uint64_t given = 0, largest = 0;

	for (unsigned int k = 0; k < CONF_CLASSES; k++) {
		const struct conf_class *class = &c->class_[k];

		if (class->lossless)
			continue;
		given += class->has_limit ? class->limit : 0;
		largest = RTE_MAX(largest, class->limit);
	}
	return RTE_MAX(given, largest);
}

/* The classes that this software pauses at the port's neighbour. */
static uint8_t
paused_classes(const struct conf_port *p)
{
	return p->pfc.hardware ? 0 : p->pfc.classes;
}

uint32_t
egress_paused_packets(const struct conf *c)
{
	uint64_t n = 0;

	for (size_t p = 0; p < c->n_ports; p++)
		n += (uint64_t)__builtin_popcount(paused_classes(&c->port[p])) *
		     frames(&c->port[p], conf_pfc_bytes(&c->port[p]));
	return (uint32_t)RTE_MIN(n, (uint64_t)UINT32_MAX / 2);
}

uint64_t
egress_open_bytes(const struct conf *c)
{
	uint64_t bytes = egress_lossy_bytes(c);
	uint8_t paused = 0;

	for (size_t p = 0; p < c->n_ports; p++)
		paused |= paused_classes(&c->port[p]);
	for (unsigned int k = 0; k < CONF_CLASSES; k++)
		if (!(paused >> k & 1))
			bytes = RTE_MAX(bytes, c->class_[k].limit);
	return bytes;
}

uint32_t
egress_queue_packets(const struct conf *c, size_t port)
{
	const struct conf_port *p = &c->port[port];
	uint64_t all, paused, n;

	if (p->role == CONF_ROLE_DSF)
		return FABRIC_LINK_CELLS;
	if (!egress_is_queued(p))
		return c->dsf.pos.line != 0 ? FABRIC_EGRESS_PACKETS : EGRESS_PLAIN_PACKETS;
	/* limits count what is paused, which has its own room; something is left beside it */
	all = frames(p, egress_lossless_bytes(c) + egress_lossy_bytes(c));
	paused = egress_paused_packets(c);
	n = RTE_MAX(all > paused ? all - paused : 0, frames(p, egress_open_bytes(c)));
	return (uint32_t)RTE_MIN(n, (uint64_t)UINT32_MAX / 2);
}

uint32_t
egress_line_packets(const struct conf *c, size_t port)
{
	uint64_t bytes = conf_delay_line_bytes(&c->port[port]);

	return bytes == 0 ? 0
			  : (uint32_t)RTE_MIN(frames(&c->port[port], bytes) + EGRESS_LINE_SLACK,
				    (uint64_t)UINT32_MAX);
}

uint32_t
egress_records(const struct conf *c)
{
	uint64_t n = egress_paused_packets(c); /* wherever it waits, and only once */

	for (size_t p = 0; p < c->n_ports; p++)
		n += (uint64_t)egress_queue_packets(c, p) + egress_line_packets(c, p);
	n += fabric_voq_packets(c);
	return (uint32_t)RTE_MIN(n, (uint64_t)UINT32_MAX);
}

static int
fill_curve(struct qos_red *red, const struct conf_curve *c)
{
	return qos_red_init(red, c->kmin, c->kmax, c->pmax_ppm);
}

static int
fill_class(struct egress_class *e, const struct conf_class *c, const struct conf_ecn *ecn)
{
	int rc = fill_curve(&e->mark, &ecn->mark);

	if (rc == 0)
		rc = fill_curve(&e->drop, &ecn->drop);
	if (ecn->mode == CONF_ECN_OFF)
		e->mark = (struct qos_red){.kmin = UINT64_MAX, .kmax = UINT64_MAX};
	e->limit = c->limit;
	e->lossless = c->lossless;
	e->ecn = ecn->mode != CONF_ECN_OFF || ecn->drop.kmax != 0;
	e->phantom = ecn->mode == CONF_ECN_PHANTOM;
	e->control = ecn->control;
	e->not_ect_drop = ecn->not_ect_drop && !c->lossless;
	return rc;
}

static void
fill_rewrite(struct egress_policy *e, const struct conf_port *p)
{
	for (unsigned int d = 0; d < CONF_DSCPS; d++) {
		e->dscp[d] = p->dscp_rewrite[d] == 0xff ? (uint8_t)d : p->dscp_rewrite[d];
		e->rewrite |= p->dscp_rewrite[d] != 0xff;
	}
}

static struct qos_impair_conf
impair_conf(const struct conf_impair *i)
{
	return (struct qos_impair_conf){
		.loss_ppb = i->loss_ppb,
		.corrupt_ppb = i->corrupt_ppb,
		.duplicate_ppb = i->duplicate_ppb,
		.reorder_ppb = i->reorder_ppb,
		.jitter_ns = i->jitter_ns,
		.reorder_ns = i->reorder_ns,
	};
}

static int
fill_policy(struct egress_policy *e, const struct conf *conf, size_t port)
{
	const struct conf_port *p = &conf->port[port];
	int rc = 0;

	for (unsigned int c = 0; c < DP_CLASSES && rc == 0; c++) {
		rc = fill_class(&e->class_[c], &conf->class_[c], &p->class_ecn[c]);
		e->weight[c] = conf->class_[c].strict ? 0 : (uint16_t)conf->class_[c].dwrr;
	}
	e->packets_max = egress_queue_packets(conf, port);
	e->packets_pfc = egress_paused_packets(conf);
	e->line_max = egress_line_packets(conf, port);
	e->delay_ps = p->delay_ns * PS_PER_NS;
	e->queued = egress_is_queued(p);
	e->link = p->role == CONF_ROLE_DSF;
	e->shaped = p->rate_bps != 0 && !e->link;
	e->impaired = p->impair_out.pos.line != 0;
	e->line =
		e->delay_ps != 0 || p->impair_out.jitter_ns != 0 || p->impair_out.reorder_ppb != 0;
	e->storm_forward = p->pfc.storm == CONF_STORM_FORWARD;
	e->pfc = paused_classes(p);
	e->quanta = p->pfc.quanta;
	e->pfc_held = conf_pfc_bytes(p);
	e->impair = impair_conf(&p->impair_out);
	e->impair_seed = p->impair_out.seed;
	fill_rewrite(e, p);
	return rc;
}

void
egress_voq_policy(struct egress_policy *e, const struct conf *c)
{
	for (unsigned int k = 0; k < DP_CLASSES; k++) {
		struct conf_ecn ecn = c->class_[k].ecn;

		/* those that are reckoned from a rate and a distance are of long lines */
		if (ecn.mode == CONF_ECN_PHANTOM || ecn.mark.kmax == 0)
			ecn.mode = CONF_ECN_OFF;
		fill_class(&e->class_[k], &c->class_[k], &ecn);
		e->class_[k].limit = c->dsf.voq_limit;
	}
	e->packets_pfc = egress_paused_packets(c);
}

/* A phantom queue deeper than twice kmax marks the same, and only takes longer to drain. */
static int
init_phantom(struct egress_commons *m, const struct egress_policy *e, const struct conf_port *p,
	unsigned int class, uint64_t now)
{
	if (!e->class_[class].phantom)
		return 0;
	return qos_phantom_init(&m->phantom[class], p->rate_bps,
		p->class_ecn[class].phantom_permille, 2 * e->class_[class].mark.kmax, now);
}

_Static_assert(CONF_XOFF_LEAST_NS *PS_PER_NS == QOS_XOFF_LEAST_PS &&
		       CONF_XOFF_LEAST_QUANTA == QOS_XOFF_LEAST_QUANTA,
	"the check refuses what qos/xoff.h cannot repeat in time");

/* At the speed that the port is known to have. */
static uint64_t
xoff_repeat_ps(const struct egress_commons *m, const struct egress_policy *e)
{
	return qos_xoff_repeat_ps(qos_pause_ps(&m->pause, e->quanta), qos_pause_ps(&m->pause, 1));
}

/* As dp/load.h counts. At 1 Mbit/s it is 2^43, at 1.6 Tbit/s 5 << 20. */
static uint64_t
ps_per_byte(uint64_t rate_bps)
{
	if (rate_bps == 0)
		return LOAD_PER_BYTE_DEFAULT;
	return (uint64_t)(((unsigned __int128)(8 * PS_PER_S) << LOAD_PER_BYTE_SHIFT) / rate_bps);
}

static int
fill_commons(struct egress_commons *m, const struct egress_policy *e, const struct conf_port *p)
{
	const uint64_t now = 0; /* the node's time begins */
	int rc = e->shaped ? qos_shaper_init(&m->shaper, p->rate_bps, p->rate_l2, now) : 0;

	m->ps_per_byte = ps_per_byte(p->rate_bps);
	qos_pause_init(&m->pause, p->rate_bps, now);
	for (unsigned int c = 0; c < DP_CLASSES && rc == 0; c++) {
		rc = init_phantom(m, e, p, c, now);
		if (rc == 0 && (e->pfc >> c & 1))
			rc = qos_xoff_init(
				&m->xoff[c], p->pfc.xoff, p->pfc.xon, xoff_repeat_ps(m, e));
	}
	if (e->pfc != 0 && p->pfc.storm != CONF_STORM_OFF)
		qos_storm_init(&m->storm, p->pfc.detect_ms, p->pfc.restore_ms, now);
	return rc;
}

/* Zeroed, at a cache line: control's own memory. */
static void *
zalloc(size_t n, size_t size)
{
	size_t want = RTE_MAX(n * size, (size_t)1);
	size_t len = RTE_ALIGN_CEIL(want, (size_t)RTE_CACHE_LINE_SIZE);
	void *mem = aligned_alloc(RTE_CACHE_LINE_SIZE, len);

	if (mem != NULL)
		memset(mem, 0, len);
	return mem;
}

int
egress_create(struct node *n)
{
	n->policy = zalloc(n->n_ports, sizeof(*n->policy));
	n->shared.paused_packets = &n->paused_packets;
	n->shared.commons = zalloc(n->n_ports, sizeof(*n->shared.commons));
	if (n->policy == NULL || n->shared.commons == NULL)
		return node_say_no_memory(&n->env.log);
	for (size_t p = 0; p < n->n_ports; p++) {
		int rc = fill_policy(&n->policy[p], n->conf, p);

		if (rc == 0)
			rc = fill_commons(&n->shared.commons[p], &n->policy[p], &n->conf->port[p]);
		if (rc != 0) {
			node_say(&n->env.log, NODE_ERROR,
				"port %s: its rate or marking is out of range.",
				n->conf->port[p].name);
			return rc;
		}
		if (n->policy[p].pfc != 0)
			n->shared.pfc_port[n->shared.n_pfc_ports++] = (uint16_t)p;
	}
	return 0;
}

/* One for each worker: a seed of its own, so that two do not lose in step. */
static int
attach_impair_in(struct node *n, struct worker *w, struct worker_rxq *q)
{
	const struct conf_impair *i = &n->conf->port[q->port_idx].impair_in;
	struct qos_impair_conf c = impair_conf(i);

	if (i->pos.line == 0)
		return 0;
	q->impair = calloc(1, sizeof(*q->impair));
	if (q->impair == NULL)
		return node_say_no_memory(&n->env.log);
	return qos_impair_init(q->impair, &c, i->seed + w->idx, 0);
}

int
egress_attach(struct node *n, struct worker *w)
{
	int rc = 0;

	for (size_t p = 0; p < n->n_ports && rc == 0; p++) {
		const struct egress_policy *e = &n->policy[p];

		w->tx[p].direct = !e->queued;
		qos_sched_init(&w->queue[p].sched, e->weight);
		rc = qos_impair_init(&w->queue[p].impair, &e->impair, e->impair_seed + w->idx, 0);
	}
	for (uint16_t k = 0; k < w->n_rxq && rc == 0; k++)
		rc = attach_impair_in(n, w, &w->rxq[k]);
	return rc;
}

void
egress_free(struct node *n)
{
	for (unsigned int i = 0; i < n->n_workers; i++)
		for (uint16_t k = 0; k < n->worker[i]->n_rxq; k++)
			free(n->worker[i]->rxq[k].impair);
	free(n->policy);
	free(n->shared.commons);
}

/* Its rate fills its link: what the shaper counts, with preamble and gap around full frames. */
static bool
fills_link(const struct conf_port *p, uint64_t bps)
{
	uint64_t frame = conf_frame_bytes(p), counted = p->rate_l2 ? frame - 20 : frame;

	return (unsigned __int128)p->rate_bps * frame >= (unsigned __int128)bps * counted;
}

/* What only the speed of the link shows to be a mistake. */
static void
say_speed(const struct node *n, uint16_t port_idx, uint64_t bps)
{
	const struct conf_port *p = &n->conf->port[port_idx];
	uint64_t least = RTE_MIN(conf_quanta_least(bps), (uint64_t)UINT16_MAX);
	char rate[AMOUNT_LEN], link[AMOUNT_LEN], cure[AMOUNT_LEN];

	amount_show(AMOUNT_BITS, bps, link);
	if (fills_link(p, bps))
		node_say(&n->env.log, NODE_NOTE,
			"port %s: its rate of %s%s fills its link of %s, so that packets wait in "
			"the device too, where a neighbour's pause does not hold them; give it "
			"`rate: %s`%s.",
			p->name, amount_show(AMOUNT_BITS, p->rate_bps, rate),
			p->rate_l2 ? " (l2)" : "", link,
			amount_show(AMOUNT_BITS, bps / 100 * 99, cure),
			p->rate_l2 ? " with `rate_layer: l1`" : "");
	if (p->pfc.quanta < least)
		node_say(&n->env.log, NODE_NOTE,
			"port %s: its pauses of %u quanta are %s on its link of %s, and end before "
			"they are renewed; give its pfc `quanta: %" PRIu64 "` at least.",
			p->name, p->pfc.quanta,
			amount_round(AMOUNT_TIME, conf_quanta_ns(p->pfc.quanta, bps), rate), link,
			least);
}

void
egress_set_speed(struct node *n, uint16_t port_idx, uint64_t bps)
{
	const struct egress_policy *e = &n->policy[port_idx];
	struct egress_commons *m = &n->shared.commons[port_idx];

	if (bps != 0 && !e->shaped)
		__atomic_store_n(&m->ps_per_byte, ps_per_byte(bps), __ATOMIC_RELAXED);
	if (bps == 0 || e->pfc == 0)
		return;
	qos_pause_speed_init(&m->pause, bps);
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (e->pfc >> c & 1)
			qos_xoff_repeat(&m->xoff[c], xoff_repeat_ps(m, e));
	if (bps != n->link_bps[port_idx])
		say_speed(n, port_idx, bps);
	n->link_bps[port_idx] = bps;
}

void
egress_touch(struct node *n, uint64_t now_ps)
{
	for (size_t p = 0; p < n->n_ports; p++) {
		struct egress_commons *m = &n->shared.commons[p];

		ps_touch(&m->shaper.tat_ps, now_ps);
		for (unsigned int c = 0; c < DP_CLASSES; c++) {
			ps_touch(&m->pause.until_ps[c], now_ps);
			ps_touch(&m->phantom[c].tat_ps, now_ps);
		}
	}
}
