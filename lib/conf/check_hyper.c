/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hyper ports across the file: a member is of one hyper port and nobody else's way out; what the
 * members come to as one port. Called by check.c, after hyper_item.c has done each item alone and
 * check_queue.c has said what holds for classes at ports.
 */
#include <inttypes.h>

#include "conf/check.h"
#include "conf/headroom.h"
#include "conf/hyper.h"
#include "conf/value.h"

/* `hyperports.hp0`, and a key of it. */
struct at {
	struct path list, item, key;
};

static void
at_init(struct at *at, const struct conf *c, const struct conf_hyper *h, const char *key)
{
	at->list = path_key(NULL, "hyperports");
	at->item = (struct path){.up = &at->list,
		.name = h->name[0] ? h->name : NULL,
		.idx = (size_t)(h - c->hyper)};
	at->key = path_key(&at->item, key);
}

/* All members are ports, and each once: what is wrong with others has its error. */
static bool
is_whole(const struct conf *c, const struct conf_hyper *h)
{
	for (size_t i = 0; i < h->n_members; i++) {
		if (h->member[i] >= c->n_ports)
			return false;
		for (size_t j = 0; j < i; j++)
			if (h->member[i] == h->member[j])
				return false;
	}
	return h->n_members != 0;
}

/* Each port belongs to the first hyper port that names it. */
static void
claim_members(struct decode *d, const struct conf_hyper *h)
{
	struct conf *c = d->conf;
	uint16_t mine = (uint16_t)(h - c->hyper + 1);

	for (size_t i = 0; i < h->n_members; i++) {
		struct conf_port *p;
		struct at at;

		if (h->member[i] >= c->n_ports)
			continue;
		p = &c->port[h->member[i]];
		at_init(&at, c, h, "members");
		if (p->hyper != 0 && p->hyper != mine)
			path_error(d->errors, &at.key, h->pos,
				"got %s, which is a member of %s, want a port once", p->name,
				c->hyper[p->hyper - 1].name);
		if (p->hyper == 0)
			p->hyper = mine;
	}
}

/* Packets that are sent beside the sequence would be in nobody's order. */
static void
check_group(struct decode *d, const struct conf_group *g)
{
	const struct conf *c = d->conf;
	struct path groups = path_key(NULL, "groups");
	struct path group = {
		.up = &groups, .name = g->name[0] ? g->name : NULL, .idx = (size_t)(g - c->group)};
	struct path members = path_key(&group, "members");

	for (size_t i = 0; i < g->n_members; i++) {
		struct path item = {.up = &members, .idx = i}, here = path_key(&item, "port");
		uint16_t port = g->member[i].port_idx;

		if (port >= c->n_ports || c->port[port].hyper == 0)
			continue;
		path_error(d->errors, &here, g->member[i].pos,
			"got %s, which is a member of hyperport %s, want `port: %s`",
			c->port[port].name, c->hyper[c->port[port].hyper - 1].name,
			c->hyper[c->port[port].hyper - 1].name);
	}
}

static void
check_system_ports(struct decode *d)
{
	const struct conf *c = d->conf;
	struct path dsf = path_key(NULL, "dsf"), list = path_key(&dsf, "system_ports");

	for (size_t i = 0; i < c->dsf.n_system_ports; i++) {
		const struct conf_system_port *s = &c->dsf.system_port[i];
		struct path item = {.up = &list, .idx = i}, here = path_key(&item, "port");

		if (s->port_idx < c->n_ports && c->port[s->port_idx].hyper != 0)
			path_error(d->errors, &here, s->pos,
				"got %s, which is a member of hyperport %s, want a port of its own",
				c->port[s->port_idx].name,
				c->hyper[c->port[s->port_idx].hyper - 1].name);
	}
}

static void
add_curve(struct conf_curve *sum, const struct conf_curve *c)
{
	sum->kmin += c->kmin;
	sum->kmax += c->kmax;
}

/* Curves are of bytes that wait: those of all members together, within what the class may have. */
static bool
add_class(struct conf_hyper *h, const struct conf_port *p, unsigned int n)
{
	struct conf_ecn *sum = &h->as_port.class_ecn[n];
	const struct conf_ecn *e = &p->class_ecn[n];

	if (sum->mode != e->mode || sum->control != e->control ||
		sum->not_ect_drop != e->not_ect_drop ||
		sum->phantom_permille != e->phantom_permille)
		return false;
	add_curve(&sum->mark, &e->mark);
	add_curve(&sum->drop, &e->drop);
	return true;
}

static bool
add_member(struct conf_hyper *h, const struct conf_port *p)
{
	struct conf_port *sum = &h->as_port;
	bool alike = true;

	sum->rate_bps += p->rate_bps;
	sum->pfc.xoff += p->pfc.xoff;
	sum->pfc.xon += p->pfc.xon;
	sum->pfc.headroom += p->pfc.headroom;
	sum->promiscuous |= p->promiscuous;
	sum->distance_m = p->distance_m > sum->distance_m ? p->distance_m : sum->distance_m;
	for (unsigned int n = 0; n < CONF_CLASSES; n++)
		alike &= add_class(h, p, n);
	return alike;
}

static void
fit_class(struct conf_ecn *e, const struct conf_class *k)
{
	if (e->mark.kmax > k->limit)
		e->mark = conf_curve_within(e->mark, k->limit);
	if (e->drop.kmax > k->limit)
		e->drop = conf_curve_within(e->drop, k->limit);
}

/* What stays of the first member is what all have in common. */
static void
resolve_as_port(struct decode *d, struct conf_hyper *h)
{
	const struct conf *c = d->conf;
	struct conf_port *sum = &h->as_port;
	bool alike = true;
	struct at at;

	*sum = c->port[h->member[0]];
	snprintf(sum->name, sizeof(sum->name), "%s", h->name);
	sum->pos = h->pos;
	sum->hyper = 0;
	sum->device = NULL;
	sum->address = NULL;
	sum->address_pos = NULL;
	sum->n_addresses = 0;
	sum->mtu = (uint16_t)(sum->mtu - CONF_HYPER_HEADER);
	sum->delay_ns = 0;
	sum->delay_emulate = false;
	sum->impair_in = sum->impair_out = (struct conf_impair){0};
	for (size_t i = 1; i < h->n_members; i++)
		alike &= add_member(h, &c->port[h->member[i]]);
	for (unsigned int n = 0; n < CONF_CLASSES; n++)
		fit_class(&sum->class_ecn[n], &c->class_[n]);
	/* what waited for a gap comes at once, and its sender was told nothing */
	if (sum->pfc.classes != 0)
		sum->pfc.headroom += conf_hyper_held_bytes(c, h);
	at_init(&at, c, h, "members");
	if (!alike)
		path_error(d->errors, &at.key, h->pos,
			"got members whose `ecn` is not of one kind, want one mode for all (its "
			"figures may differ)");
}

/* What is by the slowest member comes after it was given up: nothing of it ever arrives. */
static void
check_timeout(struct decode *d, const struct conf_hyper *h)
{
	uint64_t skew = conf_hyper_skew_ns(d->conf, h);
	char text[CONF_HYPER_TEXT], is[AMOUNT_LEN];
	struct at at;

	if (h->timeout_ns > skew || h->timeout_ns == 0)
		return;
	at_init(&at, d->conf, h, "timeout");
	path_error(d->errors, &at.key, h->pos, "got %s, want more than the skew of its members: %s",
		amount_show(AMOUNT_TIME, h->timeout_ns, is),
		conf_hyper_skew_text(d->conf, h, text));
}

/* All of a class that its pauses promise room for has to find it at one port. */
static void
check_limits(struct decode *d, const struct conf_hyper *h)
{
	const struct conf_port *p = &h->as_port;
	char limit[AMOUNT_LEN], need[AMOUNT_LEN], held[AMOUNT_LEN], rest[AMOUNT_LEN];
	struct at at;

	at_init(&at, d->conf, h, "members");
	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		const struct conf_class *k = &d->conf->class_[n];
		uint64_t window = conf_hyper_held_bytes(d->conf, h);

		if (!(p->pfc.classes >> n & 1) || conf_pfc_bytes(p) <= k->limit)
			continue;
		path_error(d->errors, &at.key, h->pos,
			"got a limit of %s for class %u (%s) and a need of more: xoff and headroom "
			"of all members %s + what waits for a gap %s = %s, want `limit: %" PRIu64
			"MB` at least, or a smaller window or timeout",
			amount_show(AMOUNT_SIZE, k->limit, limit), n, k->name,
			amount_round(AMOUNT_SIZE, conf_pfc_bytes(p) - window, rest),
			amount_round(AMOUNT_SIZE, window, held),
			amount_round(AMOUNT_SIZE, conf_pfc_bytes(p), need),
			conf_pfc_bytes(p) / 1000000 + 1);
	}
}

static void
check_number(struct decode *d)
{
	const struct conf *c = d->conf;
	struct path here = path_key(NULL, "hyperports");

	if (c->n_hypers != 0 && c->n_ports + c->n_hypers > CONF_PORTS_MAX)
		path_error(d->errors, &here, c->hyper[0].pos,
			"got %zu beside %zu ports, want %u ports and hyperports together at most",
			c->n_hypers, c->n_ports, CONF_PORTS_MAX);
}

void
check_hypers(struct decode *d)
{
	struct conf *c = d->conf;

	check_number(d);
	for (size_t i = 0; i < c->n_hypers; i++)
		claim_members(d, &c->hyper[i]);
	for (size_t g = 0; g < c->n_groups && c->n_hypers != 0; g++)
		check_group(d, &c->group[g]);
	check_system_ports(d);
	for (size_t i = 0; i < c->n_hypers; i++) {
		if (!is_whole(c, &c->hyper[i]))
			continue;
		resolve_as_port(d, &c->hyper[i]);
		check_timeout(d, &c->hyper[i]);
		check_limits(d, &c->hyper[i]);
	}
}
