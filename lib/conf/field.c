/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a mapping by its table: fields, defaults, missing and unknown keys, lists. Between lint.c
 * and check.c. field_scalar.c reads the single texts.
 */
#include "conf/field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/text.h"

static void *
at(void *out, size_t offset)
{
	return (char *)out + offset;
}

void
field_store(void *out, uint8_t size, uint64_t value)
{
	uint8_t v8 = (uint8_t)value;
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;

	if (size == 1)
		memcpy(out, &v8, sizeof(v8));
	else if (size == 2)
		memcpy(out, &v16, sizeof(v16));
	else if (size == 4)
		memcpy(out, &v32, sizeof(v32));
	else if (size == 8)
		memcpy(out, &value, sizeof(value));
}

static const struct field *
find_field(const struct schema *s, const char *key, size_t len)
{
	for (size_t i = 0; i < s->n; i++)
		if (strlen(s->field[i].key) == len && memcmp(s->field[i].key, key, len) == 0)
			return &s->field[i];
	return NULL;
}

/* `name, device, role`: as many as fit. */
static void
list_keys(const struct schema *s, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < s->n && n < size; i++)
		if (s->field[i].refused == NULL)
			n += (size_t)snprintf(
				buf + n, size - n, "%s%s", n ? ", " : "", s->field[i].key);
}

static void
unknown_key(struct decode *d, const struct schema *s, uint32_t key, const struct path *up)
{
	const char *text = tree_text(d->tree, key);
	struct path p = path_key(up, text);
	struct nearest near;
	char keys[256];

	if (!errors_takes(d->errors, tree_pos(d->tree, key))) {
		d->errors->n_left_out++;
		return;
	}
	nearest_init(&near, text);
	for (size_t i = 0; i < s->n; i++)
		if (s->field[i].refused == NULL)
			nearest_offer(&near, s->field[i].key);
	list_keys(s, keys, sizeof(keys));
	if (near.best != NULL)
		path_error(d->errors, &p, tree_pos(d->tree, key),
			"got an unknown key, want %s (the nearest known one)", near.best);
	else
		path_error(d->errors, &p, tree_pos(d->tree, key),
			"got an unknown key, want one of %s", keys);
}

static void
check_keys(struct decode *d, const struct schema *s, uint32_t map, const struct path *p)
{
	const struct tree *t = d->tree;

	for (uint32_t k = tree_first(t, map); k != TREE_NONE; k = tree_next(t, tree_next(t, k))) {
		const struct tree_node *node = tree_at(t, k);

		if (node->type == TREE_TEXT && find_field(s, tree_text(t, k), node->n) == NULL)
			unknown_key(d, s, k, p);
	}
}

/* A merge key would have brought more keys: one error for it is enough. */
static bool
has_merge_key(const struct tree *t, uint32_t map)
{
	for (uint32_t k = tree_first(t, map); k != TREE_NONE; k = tree_next(t, tree_next(t, k)))
		if (tree_is_merge(t, k))
			return true;
	return false;
}

static void
missing_key(struct decode *d, const struct field *f, uint32_t map, const struct path *p)
{
	char want[FIELD_WANT_LEN];

	if (has_merge_key(d->tree, map) || tree_at(d->tree, map)->open)
		return;
	path_error(d->errors, p, tree_pos(d->tree, map),
		"got nothing, want %s (the key is required)", field_want(f, want));
}

static void
apply_default(const struct field *f, void *out)
{
	uint8_t size = f->type == FIELD_BOOL ? sizeof(bool) : f->size;
	uint64_t def = f->type == FIELD_AMOUNT && f->scale != 0 ? f->def / f->scale : f->def;

	if (f->type <= FIELD_AMOUNT || f->type == FIELD_FLAGS || f->type == FIELD_PORT ||
		f->type == FIELD_GROUP || f->type == FIELD_DEVICE)
		field_store(at(out, f->offset), size, def);
	else if (f->type == FIELD_PLACED)
		memset(at(out, f->offset), 0xff, f->n_none);
	else if (f->type == FIELD_MAP && f->with_defaults)
		schema_defaults(f->item, at(out, f->offset));
}

void
schema_defaults(const struct schema *s, void *out)
{
	for (size_t i = 0; i < s->n; i++)
		apply_default(&s->field[i], out);
}

bool
list_check(struct decode *d, const struct field *f, uint32_t list, const struct path *p)
{
	const struct tree_node *node = tree_at(d->tree, list);
	char want[FIELD_WANT_LEN];

	if (node->type != TREE_LIST) {
		field_error(d, f, list, p, NULL);
		return false;
	}
	if ((node->n < f->min && !node->open) || node->n > f->max) {
		path_error(d->errors, p, tree_pos(d->tree, list), "got %u items, want %s", node->n,
			field_want(f, want));
		return false;
	}
	return true;
}

/* The arrays of a list; false without memory. The count is set only then. */
static bool
list_alloc(struct decode *d, const struct field *f, size_t n, void *out)
{
	char *item = calloc(n ? n : 1, f->item_size);
	struct conf_pos *pos = f->with_pos ? calloc(n ? n : 1, sizeof(*pos)) : NULL;

	if (item == NULL || (f->with_pos && pos == NULL)) {
		free(item);
		free(pos);
		d->rc = -ENOMEM;
		return false;
	}
	memcpy(at(out, f->offset), &item, sizeof(item));
	memcpy(at(out, f->n_offset), &n, sizeof(n));
	if (f->with_pos)
		memcpy(at(out, f->pos_offset), &pos, sizeof(pos));
	return true;
}

static void
item_decode(struct decode *d, const struct field *f, uint32_t v, const struct path *p, void *out)
{
	if (f->item != NULL) {
		schema_decode(d, f->item, v, p, out);
	} else {
		apply_default(f->element, out);
		scalar_decode(d, f->element, v, p, out);
	}
}

static void
list_decode(struct decode *d, const struct field *f, uint32_t list, const struct path *p, void *out)
{
	struct conf_pos *pos = NULL;
	char *item;
	size_t i = 0;

	if (!list_check(d, f, list, p) || !list_alloc(d, f, tree_at(d->tree, list)->n, out))
		return;
	memcpy(&item, at(out, f->offset), sizeof(item));
	if (f->with_pos)
		memcpy(&pos, at(out, f->pos_offset), sizeof(pos));
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE;
		v = tree_next(d->tree, v), i++) {
		struct path here = path_item(p, d->tree, v, i);

		if (pos != NULL)
			pos[i] = tree_pos(d->tree, v);
		item_decode(d, f, v, &here, item + i * f->item_size);
	}
}

/* A list whose items go to places of their own in `out`. */
static void
placed_decode(
	struct decode *d, const struct field *f, uint32_t list, const struct path *p, void *out)
{
	size_t i = 0;
	char *item;

	if (!list_check(d, f, list, p))
		return;
	item = malloc(f->item_size);
	if (item == NULL) {
		d->rc = -ENOMEM;
		return;
	}
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE;
		v = tree_next(d->tree, v), i++) {
		struct path here = path_item(p, d->tree, v, i);

		memset(item, 0, f->item_size);
		schema_decode(d, f->item, v, &here, item);
		f->place(d, v, &here, item, out);
	}
	free(item);
}

/* A list in the place of a mapping whose other keys are left out; false: neither of the two. */
static bool
short_form(struct decode *d, const struct field *f, uint32_t idx, const struct path *p, void *out)
{
	enum tree_type type = tree_at(d->tree, idx)->type;
	const struct field *set;

	if (type == TREE_MAP)
		return false;
	schema_defaults(f->item, out);
	set = find_field(f->item, f->list_is, strlen(f->list_is));
	if (type == TREE_LIST)
		set_decode(d, set, idx, p, at(out, set->offset));
	else
		field_error(d, f, idx, p, NULL);
	return true;
}

/* A mapping, or a word or a list in its place. */
static void
map_decode(struct decode *d, const struct field *f, uint32_t idx, const struct path *p, void *out)
{
	struct conf_pos pos = tree_pos(d->tree, idx);
	uint64_t word = 0;

	if (f->list_is != NULL && short_form(d, f, idx, p, out))
		return;
	if (f->words == NULL || tree_at(d->tree, idx)->type == TREE_MAP) {
		schema_decode(d, f->item, idx, p, out);
		return;
	}
	if (f->item->with_pos)
		memcpy(at(out, f->item->pos_offset), &pos, sizeof(pos));
	schema_defaults(f->item, out);
	if (scalar_decode(d, f, idx, p, &word))
		f->on_word(out, word);
}

static void
field_decode(struct decode *d, const struct field *f, uint32_t idx, const struct path *p, void *out)
{
	bool ok;

	switch (f->type) {
	case FIELD_MAP:
		map_decode(d, f, idx, p, at(out, f->offset));
		break;
	case FIELD_LIST:
		list_decode(d, f, idx, p, out);
		break;
	case FIELD_PLACED:
		placed_decode(d, f, idx, p, out);
		break;
	case FIELD_FLAGS:
	case FIELD_DSCPS:
		set_decode(d, f, idx, p, at(out, f->offset));
		break;
	default:
		ok = scalar_decode(d, f, idx, p, at(out, f->offset));
		if (f->has)
			memcpy(at(out, f->has_offset), &ok, sizeof(ok));
	}
}

/* A mapping that is none: says so. Refused nodes were reported before. */
static bool
map_check(struct decode *d, uint32_t idx, const struct path *p)
{
	static const struct field any_map = {.type = FIELD_MAP};

	if (tree_at(d->tree, idx)->type == TREE_MAP)
		return true;
	field_error(d, &any_map, idx, p, NULL);
	return false;
}

void
schema_decode(
	struct decode *d, const struct schema *s, uint32_t map, const struct path *p, void *out)
{
	struct conf_pos pos = tree_pos(d->tree, map);

	if (s->with_pos)
		memcpy(at(out, s->pos_offset), &pos, sizeof(pos));
	schema_defaults(s, out);
	if (!map_check(d, map, p))
		return;
	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->field[i];
		struct path here = path_key(p, f->key);
		uint32_t v = tree_get(d->tree, map, f->key);

		if (v != TREE_NONE && f->refused != NULL)
			path_error(d->errors, &here, tree_pos(d->tree, v),
				"got a key that does not belong here, want %s", f->refused);
		else if (v != TREE_NONE)
			field_decode(d, f, v, &here, out);
		else if (f->required)
			missing_key(d, f, map, &here);
	}
	check_keys(d, s, map, p);
	if (s->check != NULL && (s->check_open || !tree_at(d->tree, map)->open))
		s->check(d, map, p, out);
}
