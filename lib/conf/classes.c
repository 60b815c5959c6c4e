/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `classes`: a list in the file, an array by number in struct conf. Called by field.c for each
 * item; checks on the way what is unique in it: numbers, names, DSCPs.
 */
#include <string.h>

#include "base/bits.h"
#include "conf/class_item.h"
#include "conf/field.h"
#include "conf/queue_item.h"

/* The first class before `number` in the file that has one of these DSCPs. */
static const struct conf_class *
class_with(const struct conf *c, uint64_t dscps)
{
	for (size_t i = 0; i < CONF_CLASSES; i++)
		if ((c->class_[i].dscps & dscps) != 0)
			return &c->class_[i];
	return NULL;
}

static uint64_t
all_dscps(const struct conf *c)
{
	uint64_t all = 0;

	for (size_t i = 0; i < CONF_CLASSES; i++)
		all |= c->class_[i].dscps;
	return all;
}

/* Points at the item of the dscp list that names a DSCP of another class. */
static void
dscp_taken(struct decode *d, uint32_t map, const struct path *p, uint64_t taken)
{
	uint32_t list = tree_get(d->tree, map, "dscp");
	struct path at_list = path_key(p, "dscp");
	size_t i = 0;

	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE;
		v = tree_next(d->tree, v), i++) {
		struct path here = path_item(&at_list, d->tree, v, i);
		const struct conf_class *other;
		uint64_t bits = 0;

		if (tree_at(d->tree, v)->type != TREE_TEXT ||
			value_dscp(tree_text(d->tree, v), &bits, NULL) != 0 || (bits & taken) == 0)
			continue;
		other = class_with(d->conf, bits & taken);
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got DSCP %u, which class %u (%s, line %u) has, want each in one class",
			bits_lowest(bits & taken), (unsigned int)(other - d->conf->class_),
			other->name[0] ? other->name : "no name", other->pos.line);
	}
}

static void
name_taken(struct decode *d, uint32_t map, const struct path *p, const struct class_item *item)
{
	struct path here = path_key(p, "name");

	for (size_t i = 0; i < CONF_CLASSES && item->as.name[0] != '\0'; i++) {
		const struct conf_class *c = &d->conf->class_[i];

		if (c->present && strcmp(c->name, item->as.name) == 0)
			path_error(d->errors, &here,
				tree_pos(d->tree, tree_get(d->tree, map, "name")),
				"got %s, which class %zu in line %u has, want a name of its own",
				item->as.name, i, c->pos.line);
	}
}

void
class_place(struct decode *d, uint32_t map, const struct path *p, const void *item, void *out)
{
	const struct class_item *i = item;
	struct path here = path_key(p, "class");
	struct conf *conf = out;
	struct conf_class *c;
	uint64_t taken = all_dscps(conf) & i->as.dscps;

	if (i->number >= CONF_CLASSES)
		return;
	c = &conf->class_[i->number];
	if (taken != 0)
		dscp_taken(d, map, p, taken);
	name_taken(d, map, p, i);
	if (c->present) {
		path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, map, "class")),
			"got %u, which line %u has, want each class once", i->number, c->pos.line);
		return;
	}
	*c = i->as;
	c->present = true;
}

bool
class_placed(const void *in, size_t i, void *ret_item)
{
	const struct conf *c = in;
	struct class_item *item = ret_item;

	item->number = (uint8_t)i;
	item->as = c->class_[i];
	return c->class_[i].present;
}

const char *
class_text(const void *in, const char *key)
{
	const struct class_item *i = in;

	if (strcmp(key, "limit") == 0 && !i->as.has_limit)
		return ""; /* one that was given counts in what all classes may take together */
	if (strcmp(key, "scheduler") == 0 && i->as.strict)
		return "strict";
	if (strcmp(key, "ecn") == 0 && i->as.ecn.pos.line != 0 && ecn_is_off(&i->as.ecn))
		return "\"off\"";
	return NULL;
}
