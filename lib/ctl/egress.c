/* SPDX-License-Identifier: BSD-3-Clause */
/* From what the YAML says of queues to what workers use (dp/egress.h). ctl/node.c calls it. */
#include "ctl/egress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/headroom.h"
#include "conf/hyper.h"
#include "conf/value.h"
#include "ctl/build.h"
#include "ctl/fabric.h"
#include "ctl/hyper.h"
#include "ctl/ports.h"
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
	/* what waited for a gap comes at once */
	for (size_t h = 0; h < c->n_hypers; h++)
		n += paused_classes(&c->hyper[h].as_port) != 0 ? c->hyper[h].window : 0;
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
	const struct conf_port *p = conf_out(c, port);
	uint64_t all, paused, n;

	if (p->role == CONF_ROLE_DSF)
		return FABRIC_LINK_CELLS;
	if (p->hyper != 0) /* its packets wait at the hyper port */
		return EGRESS_PLAIN_PACKETS;
	if (port < c->n_ports && !egress_is_queued(p))
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
	uint64_t bytes = conf_delay_line_bytes(conf_out(c, port));

	return bytes == 0 ? 0
			  : (uint32_t)RTE_MIN(frames(conf_out(c, port), bytes) + EGRESS_LINE_SLACK,
				    (uint64_t)UINT32_MAX);
}

uint32_t
egress_records(const struct conf *c)
{
	uint64_t n = egress_paused_packets(c); /* wherever it waits, and only once */

	for (size_t p = 0; p < c->n_ports + c->n_hypers; p++)
		n += (uint64_t)egress_queue_packets(c, p) + egress_line_packets(c, p);
	n += fabric_voq_packets(c);
	return (uint32_t)RTE_MIN(n, (uint64_t)UINT32_MAX);
}

uint32_t
egress_records_room(const struct conf *c)
{
	return RTE_MAX(egress_records(c), c->mbufs);
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

/* What of a policy has curves and rates to be made. */
static int
fill_rates(struct egress_policy *e, const struct conf *conf, const struct conf_port *p)
{
	/* of a hyper port, by which phantom queues count */
	uint64_t rate = RTE_MIN(p->rate_bps, QOS_RATE_MAX);
	int rc = rate == 0 ? 0 : qos_rate_init(&e->rate, rate, p->rate_l2);

	for (unsigned int c = 0; c < DP_CLASSES && rc == 0; c++) {
		struct egress_class *class = &e->class_[c];

		rc = fill_class(class, &conf->class_[c], &p->class_ecn[c]);
		/* deeper than twice kmax it marks the same, and only takes longer to drain */
		if (rc == 0 && class->phantom)
			rc = qos_drain_init(&e->drain[c], rate, p->class_ecn[c].phantom_permille,
				2 * class->mark.kmax);
	}
	return rc;
}

static void
fill_pfc(struct egress_policy *e, const struct conf_port *p)
{
	e->storm_forward = p->pfc.storm == CONF_STORM_FORWARD;
	e->pfc = paused_classes(p);
	e->quanta = p->pfc.quanta;
	e->pfc_held = conf_pfc_bytes(p);
	e->xoff = p->pfc.xoff;
	e->xon = p->pfc.xon;
	if (e->pfc == 0 || p->pfc.storm == CONF_STORM_OFF)
		return;
	e->detect_ms = p->pfc.detect_ms;
	e->restore_ms = p->pfc.restore_ms;
}

static void
fill_sched(struct egress_policy *e, const struct conf *conf)
{
	uint16_t weight[DP_CLASSES];

	for (unsigned int c = 0; c < DP_CLASSES; c++)
		weight[c] = conf->class_[c].strict ? 0 : (uint16_t)conf->class_[c].dwrr;
	qos_sched_init(&e->sched, weight);
}

static int
fill_impair(struct egress_policy *e, const struct conf_port *p)
{
	struct qos_impair_conf out = impair_conf(&p->impair_out), in = impair_conf(&p->impair_in);
	int rc = qos_impair_init(&e->impair, &out, p->impair_out.seed, 0);

	e->impaired = p->impair_out.pos.line != 0;
	e->impair_seed = p->impair_out.seed;
	e->in.impaired = p->impair_in.pos.line != 0;
	e->in.seed = p->impair_in.seed;
	return rc == 0 ? qos_impair_init(&e->in.impair, &in, e->in.seed, 0) : rc;
}

static void
fill_line(struct egress_policy *e, const struct conf *conf, size_t port)
{
	const struct conf_port *p = conf_out(conf, port);

	e->line_max = egress_line_packets(conf, port);
	e->delay_ps = p->delay_ns * PS_PER_NS;
	e->span_ps = (p->delay_ns + p->impair_out.jitter_ns + p->impair_out.reorder_ns) * PS_PER_NS;
	e->line =
		e->delay_ps != 0 || p->impair_out.jitter_ns != 0 || p->impair_out.reorder_ppb != 0;
}

static int
fill_policy(const struct node *n, struct egress_policy *e, const struct conf *conf, size_t port)
{
	const struct conf_port *p = conf_out(conf, port);
	bool hyper = port >= conf->n_ports;
	int rc = fill_rates(e, conf, p);

	if (rc == 0)
		rc = fill_impair(e, p);
	fill_sched(e, conf);
	fill_line(e, conf, port);
	fill_pfc(e, p);
	fill_rewrite(e, p);
	e->packets_max = egress_queue_packets(conf, port);
	e->packets_pfc = egress_paused_packets(conf);
	e->queued = egress_is_queued(p) || hyper;
	e->link = p->role == CONF_ROLE_DSF;
	e->shaped = p->rate_bps != 0 && !e->link && !hyper; /* its members are */
	e->in.pace_tsc = hyper ? 0 : ports_pace_tsc(n, p, port);
	return rc;
}

/* What holds for all virtual output queues of the fabric: limits and marking of classes. */
static void
fill_voq_policy(struct egress_policy *e, const struct conf *c)
{
	for (unsigned int k = 0; k < DP_CLASSES; k++) {
		struct conf_ecn ecn = c->class_[k].ecn;

		/* those that are reckoned from a rate and a distance are of long lines */
		if (ecn.mode == CONF_ECN_PHANTOM || ecn.mark.kmax == 0)
			ecn.mode = CONF_ECN_OFF;
		fill_class(&e->class_[k], &c->class_[k], &ecn);
		e->class_[k].limit = c->dsf.voq_limit;
	}
	e->packets_max = fabric_voq_packets(c);
	e->packets_pfc = egress_paused_packets(c);
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

int
egress_policies(const struct node *n, const struct conf *c, struct egress_policy **ret_policy)
{
	struct egress_policy *policy = build_zalloc(n->n_outs + 1, sizeof(*policy));

	if (policy == NULL)
		return node_say_no_memory(&n->env.log);
	for (size_t p = 0; p < n->n_outs; p++) {
		int rc = fill_policy(n, &policy[p], c, p);

		if (rc != 0) {
			node_say(&n->env.log, NODE_ERROR,
				"port %s: its rate or marking is out of range.",
				conf_out(c, p)->name);
			free(policy);
			return rc;
		}
	}
	fill_voq_policy(&policy[n->n_outs], c);
	*ret_policy = policy;
	return 0;
}

static void
raise(uint32_t *room, uint32_t promised)
{
	if (__atomic_load_n(room, __ATOMIC_RELAXED) < promised)
		__atomic_store_n(room, promised, __ATOMIC_RELAXED);
}

/* A class that is paused: its room, and how often an XOFF is repeated, often rather than seldom. */
static void
prepare_xoff(struct egress_commons *m, const struct egress_policy *e, unsigned int c)
{
	struct qos_xoff *x = &m->xoff[c];
	uint64_t repeat = xoff_repeat_ps(m, e);

	if (__atomic_load_n(&x->room, __ATOMIC_RELAXED) < (int64_t)e->pfc_held)
		__atomic_store_n(&x->room, (int64_t)e->pfc_held, __ATOMIC_RELAXED);
	if (x->repeat_ps == 0 || repeat < x->repeat_ps)
		qos_xoff_repeat(x, repeat);
}

/* Of the link that pauses are told by: a rate is all that the file knows of it. */
static uint64_t
pause_bps(const struct node *n, const struct conf *c, size_t out)
{
	return out < n->n_ports ? c->port[out].rate_bps
				: hyper_fastest_bps(n, c, &c->hyper[out - n->n_ports]);
}

void
egress_prepare(struct node *n, const struct conf *c, const struct egress_policy *policy)
{
	for (size_t p = 0; p < n->n_outs; p++) {
		struct egress_commons *m = &n->shared.commons[p];
		const struct egress_policy *e = &policy[p];
		bool rated = e->shaped || p >= n->n_ports;

		if (n->link_bps[p] == 0) /* nobody knows better */
			qos_pause_speed_init(&m->pause, pause_bps(n, c, p));
		/* without a shaper that of the link, which is looked at soon, and stays */
		if (rated || n->policy[p].shaped || m->ps_per_byte == 0)
			__atomic_store_n(&m->ps_per_byte,
				ps_per_byte(rated ? conf_out(c, p)->rate_bps : 0),
				__ATOMIC_RELAXED);
		raise(&m->packets_max, e->packets_max);
		/* what a member let in, its hyper port holds, and sends pauses for */
		n->ever_pfc[p] |= e->pfc != 0 && conf_out(c, p)->hyper == 0;
		for (unsigned int k = 0; k < DP_CLASSES; k++)
			if (e->pfc >> k & 1)
				prepare_xoff(m, e, k);
	}
	if (n->n_ports != 0)
		raise(&n->paused_max, policy[0].packets_pfc);
}

void
egress_settle(struct node *n)
{
	for (size_t p = 0; p < n->n_outs; p++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (n->policy[p].pfc >> c & 1)
				qos_xoff_repeat(&n->shared.commons[p].xoff[c],
					xoff_repeat_ps(&n->shared.commons[p], &n->policy[p]));
}

int
egress_create(struct node *n)
{
	const uint64_t now = 0; /* the node's time begins */
	int rc;

	n->shared.paused_packets = &n->paused_packets;
	n->shared.paused_max = &n->paused_max;
	n->shared.commons = build_zalloc(n->n_outs, sizeof(*n->shared.commons));
	if (n->shared.commons == NULL)
		return node_say_no_memory(&n->env.log);
	for (size_t p = 0; p < n->n_outs; p++) {
		struct egress_commons *m = &n->shared.commons[p];

		qos_shaper_init(&m->shaper, now);
		qos_pause_init(&m->pause, pause_bps(n, n->conf, p), now);
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			qos_phantom_init(&m->phantom[c], now);
	}
	rc = egress_policies(n, n->conf, &n->policy);
	if (rc == 0)
		egress_prepare(n, n->conf, n->policy);
	return rc;
}

void
egress_free(struct node *n)
{
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
egress_pause_speed(struct node *n, uint16_t out, uint64_t bps)
{
	const struct egress_policy *e = &n->policy[out];
	struct egress_commons *m = &n->shared.commons[out];

	qos_pause_speed_init(&m->pause, bps);
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (e->pfc >> c & 1)
			qos_xoff_repeat(&m->xoff[c], xoff_repeat_ps(m, e));
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
	egress_pause_speed(n, port_idx, bps);
	if (bps != n->link_bps[port_idx])
		say_speed(n, port_idx, bps);
	n->link_bps[port_idx] = bps;
	hyper_set_speed(n, port_idx);
}

void
egress_touch(struct node *n, uint64_t now_ps)
{
	for (size_t p = 0; p < n->n_outs; p++) {
		struct egress_commons *m = &n->shared.commons[p];

		ps_touch(&m->shaper.tat_ps, now_ps);
		for (unsigned int c = 0; c < DP_CLASSES; c++) {
			ps_touch(&m->pause.until_ps[c], now_ps);
			ps_touch(&m->phantom[c].tat_ps, now_ps);
		}
	}
}
