/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks within one mapping of schema_queue.c, run by field.c. What takes a whole port is in
 * queue_port.c, what takes the whole file in check_queue.c.
 */
#include "conf/queue_item.h"

#include <string.h>

#include "base/bits.h"

void
ecn_word(void *out, uint64_t word)
{
	struct conf_ecn *e = out;

	e->mode = word == ECN_WORD_OFF       ? CONF_ECN_OFF
		  : word == ECN_WORD_PHANTOM ? CONF_ECN_PHANTOM
					     : CONF_ECN_RED;
	e->is_auto = word != ECN_WORD_OFF;
}

void
scheduler_word(void *out, uint64_t word)
{
	struct conf_class *c = out;

	c->strict = word != 0;
}

void
watchdog_word(void *out, uint64_t word)
{
	struct conf_pfc *p = out;

	p->storm = (enum conf_storm)word;
}

void
class_ecn_place(struct decode *d, uint32_t map, const struct path *p, const void *item, void *out)
{
	const struct class_ecn_item *i = item;
	struct path here = path_key(p, "class");
	struct conf_port *port = out;
	struct conf_ecn *e;

	if (i->number >= CONF_CLASSES)
		return;
	e = &port->class_ecn[i->number];
	if (e->pos.line != 0)
		path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, map, "class")),
			"got %u, which line %u has, want each class once", i->number, e->pos.line);
	else
		*e = i->ecn;
}

/* Into table[DSCP], each once. */
static void
dscps_place(struct decode *d, uint32_t map, const struct path *p, const struct dscp_item *item,
	uint8_t *table)
{
	struct path here = path_key(p, "dscp");

	for (unsigned int dscp = 0; dscp < CONF_DSCPS && item->to != DSCP_NONE; dscp++) {
		if ((item->dscps >> dscp & 1) == 0)
			continue;
		if (table[dscp] != DSCP_NONE) {
			path_error(d->errors, &here,
				tree_pos(d->tree, tree_get(d->tree, map, "dscp")),
				"got DSCP %u again, want each once", dscp);
			return;
		}
		table[dscp] = item->to;
	}
}

void
dscp_map_place(struct decode *d, uint32_t map, const struct path *p, const void *item, void *out)
{
	struct conf_port *port = out;

	dscps_place(d, map, p, item, port->dscp_class);
}

void
dscp_rewrite_place(
	struct decode *d, uint32_t map, const struct path *p, const void *item, void *out)
{
	struct conf_port *port = out;

	dscps_place(d, map, p, item, port->dscp_rewrite);
}

static struct conf_pos
key_pos(const struct decode *d, uint32_t map, const char *key)
{
	uint32_t v = tree_get(d->tree, map, key);

	return tree_pos(d->tree, v == TREE_NONE ? map : v);
}

void
curve_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf_curve *c = out;
	struct path here = path_key(p, "kmin");
	char kmin[AMOUNT_LEN], kmax[AMOUNT_LEN];

	if (c->kmax != 0 && c->kmin > c->kmax)
		path_error(d->errors, &here, key_pos(d, map, "kmin"),
			"got %s, want at most kmax, which is %s",
			amount_show(AMOUNT_SIZE, c->kmin, kmin),
			amount_show(AMOUNT_SIZE, c->kmax, kmax));
}

static const char *const figures[] = {"kmin", "kmax", "pmax"};

static size_t
count_keys(const struct decode *d, uint32_t map, const char *const *key, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += tree_get(d->tree, map, key[i]) != TREE_NONE;
	return found;
}

/* Figures beside `mode: auto`. */
static void
refuse_figures(struct decode *d, uint32_t map, const struct path *p)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(figures); i++) {
		struct path here = path_key(p, figures[i]);

		if (tree_get(d->tree, map, figures[i]) != TREE_NONE)
			path_error(d->errors, &here, key_pos(d, map, figures[i]),
				"got a figure beside `mode: auto`, which computes it, want "
				"`mode: red` or no figure");
	}
}

static void
want_figures(struct decode *d, uint32_t map, const struct path *p)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(figures); i++) {
		struct path here = path_key(p, figures[i]);

		if (tree_get(d->tree, map, figures[i]) == TREE_NONE)
			path_error(d->errors, &here, tree_pos(d->tree, map),
				"got nothing, want kmin, kmax and pmax (or `mode: auto`)");
	}
}

static void
order_error(struct decode *d, const struct conf_ecn *e, const struct path *p, const char *key,
	uint64_t mark, uint64_t drop)
{
	struct path here = path_key(p, key);
	char at[AMOUNT_LEN], to[AMOUNT_LEN];

	path_error(d->errors, &here, e->pos,
		"got %s for marking, which is above the drop curve's %s of %s, want marks before "
		"drops",
		amount_show(AMOUNT_SIZE, mark, at), key, amount_show(AMOUNT_SIZE, drop, to));
}

void
ecn_order_check(struct decode *d, const struct conf_ecn *e, const struct path *p)
{
	if (e->drop.kmax == 0 || e->mark.kmax == 0)
		return;
	if (e->mark.kmin > e->drop.kmin)
		order_error(d, e, p, "kmin", e->mark.kmin, e->drop.kmin);
	if (e->mark.kmax > e->drop.kmax)
		order_error(d, e, p, "kmax", e->mark.kmax, e->drop.kmax);
}

void
ecn_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	struct conf_ecn *e = out;
	uint32_t mode = tree_get(d->tree, map, "mode");
	size_t n = count_keys(d, map, figures, BITS_ARRAY_LEN(figures));
	struct path drain = path_key(p, "drain");

	if (tree_get(d->tree, map, "drain") != TREE_NONE && e->mode != CONF_ECN_PHANTOM)
		path_error(d->errors, &drain, key_pos(d, map, "drain"),
			"got it without `mode: phantom`, whose virtual queue it is for, want both");
	if (mode != TREE_NONE && tree_is(d->tree, mode, "auto")) {
		refuse_figures(d, map, p);
		e->is_auto = true;
	} else if (e->mode == CONF_ECN_PHANTOM && n == 0) {
		e->is_auto = true;
	} else if (e->mode != CONF_ECN_OFF) {
		want_figures(d, map, p);
		curve_check(d, map, p, &e->mark);
		ecn_order_check(d, e, p);
	}
}

void
impair_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	static const char *const flat[] = {
		"loss", "corrupt", "duplicate", "jitter", "reorder", "reorder_delay", "seed"};
	bool has_out = tree_get(d->tree, map, "out") != TREE_NONE;
	struct conf_port *port = out;

	if (tree_get(d->tree, map, "in") == TREE_NONE && !has_out)
		return;
	for (size_t i = 0; i < BITS_ARRAY_LEN(flat); i++) {
		struct path here = path_key(p, flat[i]);

		if (tree_get(d->tree, map, flat[i]) != TREE_NONE)
			path_error(d->errors, &here, key_pos(d, map, flat[i]),
				"got it beside `in` or `out`, want it under one of them");
	}
	if (!has_out)
		port->impair_out = (struct conf_impair){0};
}
