/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports and classes together: what holds for each class at each port, and whether the buffers that
 * the file grants can hold what it promises. Comes last, after queue_port.c has done each port
 * alone and all classes are read; called by check.c.
 */
#include <inttypes.h>

#include "base/rng.h"
#include "conf/arithmetic.h"
#include "conf/check.h"
#include "conf/class_item.h"

#define LIMIT_DEFAULT  16000000u /* 1.3 ms at 100 Gbit/s: deep enough to mark before it drops */
#define LIMIT_LOSSLESS 32000000u /* a long-haul port of 100 Gbit/s over 110 km holds 29 MB */
#define STRICT_FROM    6u        /* CNP, routing */

/* What was there and could not be read has its error: no check of it may fail, too. */
void
class_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	struct class_item *i = out;
	uint32_t lossless = tree_get(d->tree, map, "lossless");

	(void)p;
	if (lossless != TREE_NONE && !tree_is(d->tree, lossless, "false"))
		i->as.lossless = true;
	if (i->as.limit == 0 && tree_get(d->tree, map, "limit") != TREE_NONE)
		i->as.limit = UINT64_MAX;
}

static void
resolve_classes(struct conf *c)
{
	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		struct conf_class *k = &c->class_[n];

		k->has_limit = k->limit != 0;
		if (!k->has_limit)
			k->limit = k->lossless ? LIMIT_LOSSLESS : LIMIT_DEFAULT;
		if (k->strict || k->dwrr != 0)
			continue;
		k->strict = n >= STRICT_FROM;
		k->dwrr = k->strict ? 0 : 1;
	}
}

/* What a class's own ecn comes to at a port: off where its figures are not known. */
static struct conf_ecn
ecn_at_port(const struct conf_ecn *e, const struct conf_port *p)
{
	struct conf_ecn at = *e;
	bool by_rate = e->mode == CONF_ECN_PHANTOM;
	bool known = p->rate_bps != 0 && (by_rate || conf_one_way_ns(p) != 0);

	if ((e->is_auto || by_rate) && !known)
		at.mode = CONF_ECN_OFF;
	else if (e->is_auto)
		at.mark = conf_auto_curve(p);
	if (e->is_auto && at.drop.kmax != 0)
		at.mark = conf_curve_within(at.mark, at.drop.kmin);
	return at;
}

/* An ecn in the file: whose it is, and its path. */
struct said {
	struct decode *d;
	const struct path *path;
	const struct conf_ecn *ecn;
};

static bool
check_curve_limit(
	const struct said *s, const struct conf_curve *c, const char *what, unsigned int n)
{
	const struct conf_class *k = &s->d->conf->class_[n];
	struct path here = path_key(s->path, "kmax");
	char kmax[AMOUNT_LEN], limit[AMOUNT_LEN];

	if (c->kmax <= k->limit)
		return true;
	path_error(s->d->errors, &here, s->ecn->pos,
		"got %s for %s, which is above the limit of class %u%s%s%s, %s, want it below: "
		"give the class a higher `limit`, or classes marks of their own (`ecn_by_class`)",
		amount_show(AMOUNT_SIZE, c->kmax, kmax), what, n, k->present ? " (" : "", k->name,
		k->present ? ")" : "", amount_show(AMOUNT_SIZE, k->limit, limit));
	return false;
}

/* One that holds for class n; false after an error. */
static bool
check_limit(const struct said *s, unsigned int n)
{
	if (s->ecn->mode == CONF_ECN_OFF)
		return true;
	if (!s->ecn->is_auto && !check_curve_limit(s, &s->ecn->mark, "marking", n))
		return false;
	return s->d->conf->class_[n].lossless || check_curve_limit(s, &s->ecn->drop, "dropping", n);
}

/* One that is given for class n alone. */
static void
check_single(const struct said *s, unsigned int n)
{
	struct path here = path_key(s->path, "drop");

	check_limit(s, n);
	if (s->ecn->drop.kmax != 0 && s->d->conf->class_[n].lossless)
		path_error(s->d->errors, &here, s->ecn->pos,
			"got a curve to drop class %u by, which is lossless, want none", n);
}

static void
check_class_ecns(struct decode *d)
{
	struct path classes = path_key(NULL, "classes");

	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		const struct conf_class *k = &d->conf->class_[n];
		struct path item = {.up = &classes, .name = k->name};
		struct path here = path_key(&item, "ecn");
		struct said s = {.d = d, .path = &here, .ecn = &k->ecn};

		if (k->ecn.pos.line != 0)
			check_single(&s, n);
	}
}

/* Within the class's limit; never a drop by choice where none is allowed. */
static void
fit_class(struct conf_ecn *e, const struct conf_class *k)
{
	if (e->is_auto)
		e->mark = conf_curve_within(e->mark, k->limit);
	if (k->lossless) {
		e->drop = (struct conf_curve){0};
		e->not_ect_drop = false;
	}
}

static void
resolve_port_ecns(struct decode *d, struct conf_port *p, const struct path *path)
{
	struct path by_port = path_key(path, "ecn"), by_class = path_key(path, "ecn_by_class");
	struct said s = {.d = d, .path = &by_port, .ecn = &p->ecn};
	bool good = true;

	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		struct conf_class *k = &d->conf->class_[n];
		struct conf_ecn *e = &p->class_ecn[n];
		struct said own = {.d = d, .path = &by_class, .ecn = e};

		if (e->pos.line != 0) {
			check_single(&own, n);
		} else if (p->ecn.pos.line != 0) {
			good = good && check_limit(&s, n);
			*e = p->ecn;
		} else {
			*e = ecn_at_port(&k->ecn, p);
		}
		fit_class(e, k);
	}
}

static void
check_pfc_class(
	struct decode *d, const struct conf_port *p, const struct path *path, unsigned int n)
{
	const struct conf_class *k = &d->conf->class_[n];
	struct path pfc = path_key(path, "pfc"), classes = path_key(&pfc, "classes");
	char text[ARITHMETIC_LEN], limit[AMOUNT_LEN];

	if (!k->lossless)
		path_error(d->errors, &classes, p->pfc.pos,
			"got class %u, which is not lossless, want `lossless: true` in its entry "
			"of "
			"`classes`",
			n);
	else if (p->rate_bps != 0 && conf_pfc_bytes(p) > k->limit)
		path_error(d->errors, &pfc, p->pfc.pos,
			"got a limit of %s for class %u (%s) and a need of more: %s, want "
			"`limit: %" PRIu64 "MB` at least",
			amount_show(AMOUNT_SIZE, k->limit, limit), n, k->name,
			arithmetic_pfc(p, text), conf_pfc_bytes(p) / 1000000 + 1);
}

/* What a port holds of class n. */
static uint64_t
held(const struct conf_port *p, unsigned int n)
{
	return (p->pfc.classes >> n & 1) != 0 ? conf_pfc_bytes(p) : 0;
}

/* `lh0 21.265 MB + lh1 28.765 MB`, as many as fit. */
static void
list_held(const struct conf *c, unsigned int n, const struct conf_port *except, char *buf,
	size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < c->n_ports && used + 80 < size; i++) {
		char amount[AMOUNT_LEN];

		if (&c->port[i] == except || held(&c->port[i], n) == 0)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s %s", used ? " + " : "",
			c->port[i].name, amount_round(AMOUNT_SIZE, held(&c->port[i], n), amount));
	}
	if (used + 80 >= size)
		snprintf(buf + used, size - used, " + ...");
}

/*
 * All that came in by ports with pfc may wait at one port: what they hold together, without that
 * port's own, since nothing goes back where it came from.
 */
static void
check_sum(struct decode *d, unsigned int n)
{
	const struct conf *c = d->conf;
	const struct conf_port *least = NULL; /* that something may wait at */
	struct path classes = path_key(NULL, "classes"), item = {.up = &classes};
	char text[ARITHMETIC_LEN], limit[AMOUNT_LEN], total[AMOUNT_LEN];
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n_ports; i++) {
		const struct conf_port *p = &c->port[i];

		sum += held(p, n);
		if (least == NULL || held(p, n) < held(least, n))
			least = p->role == CONF_ROLE_DSF ? least : p;
		if (held(p, n) > c->class_[n].limit)
			return; /* has its error */
	}
	sum -= least != NULL ? held(least, n) : 0;
	if (!c->class_[n].lossless || sum <= c->class_[n].limit)
		return;
	item.name = c->class_[n].name;
	list_held(c, n, least, text, sizeof(text));
	path_error(d->errors, &item, c->class_[n].pos,
		"got a limit of %s, and ports that may hold more of it for one port (xoff and "
		"headroom of each): %s = %s, want `limit: %" PRIu64 "MB` at least",
		amount_show(AMOUNT_SIZE, c->class_[n].limit, limit), text,
		amount_round(AMOUNT_SIZE, sum, total), sum / 1000000 + 1);
}

/* Each port and direction has chances of its own, and the same ones in each run. */
static uint64_t
seed_of(const struct conf *c, size_t port, bool out)
{
	struct rng r;

	rng_init(&r, (uint64_t)c->node_id << 32 | (uint64_t)port << 1 | out);
	return rng_next(&r);
}

static void
resolve_seeds(const struct conf *c, size_t i)
{
	struct conf_port *p = &c->port[i];

	if (p->impair_in.pos.line != 0 && p->impair_in.seed == 0)
		p->impair_in.seed = seed_of(c, i, false);
	if (p->impair_out.pos.line != 0 && p->impair_out.seed == 0)
		p->impair_out.seed = seed_of(c, i, true);
}

void
check_queues(struct decode *d)
{
	struct conf *c = d->conf;
	struct path ports = path_key(NULL, "ports");

	resolve_classes(c);
	check_class_ecns(d);
	for (size_t i = 0; i < c->n_ports; i++) {
		struct conf_port *p = &c->port[i];
		struct path here = {.up = &ports, .name = p->name[0] ? p->name : NULL, .idx = i};

		resolve_seeds(c, i);
		if (p->role == CONF_ROLE_DSF)
			continue; /* VOQs, not class queues */
		resolve_port_ecns(d, p, &here);
		for (unsigned int n = 0; n < CONF_CLASSES; n++)
			if ((p->pfc.classes >> n & 1) != 0)
				check_pfc_class(d, p, &here, n);
	}
	for (unsigned int n = 0; n < CONF_CLASSES && c->n_ports != 0; n++)
		check_sum(d, n);
}
