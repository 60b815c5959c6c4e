/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `classes`: a list in the file, an array by number in struct conf. Called by field.c; checks on
 * the way what is unique in it: numbers, names, DSCPs.
 */
#include <string.h>

#include "base/bits.h"
#include "conf/class_item.h"
#include "conf/field.h"

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

	for (size_t i = 0; i < CONF_CLASSES && item->name[0] != '\0'; i++) {
		const struct conf_class *c = &d->conf->class_[i];

		if (c->present && strcmp(c->name, item->name) == 0)
			path_error(d->errors, &here,
				tree_pos(d->tree, tree_get(d->tree, map, "name")),
				"got %s, which class %zu in line %u has, want a name of its own",
				item->name, i, c->pos.line);
	}
}

static void
place_class(struct decode *d, uint32_t map, const struct path *p, const struct class_item *item)
{
	struct conf_class *c = &d->conf->class_[item->number];
	struct path here = path_key(p, "class");
	uint64_t taken = all_dscps(d->conf) & item->dscps;

	if (taken != 0)
		dscp_taken(d, map, p, taken);
	name_taken(d, map, p, item);
	if (c->present) {
		path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, map, "class")),
			"got %u, which line %u has, want each class once", item->number,
			c->pos.line);
		return;
	}
	c->present = true;
	memcpy(c->name, item->name, sizeof(c->name));
	c->pos = item->pos;
	c->dscps = item->dscps;
}

void
classes_decode(struct decode *d, const struct field *f, uint32_t list, const struct path *p)
{
	size_t i = 0;

	if (!list_check(d, f, list, p))
		return;
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE;
		v = tree_next(d->tree, v), i++) {
		struct path here = path_item(p, d->tree, v, i);
		struct class_item item = {0};

		schema_decode(d, f->item, v, &here, &item);
		if (item.number < CONF_CLASSES)
			place_class(d, v, &here, &item);
	}
}
