/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the single texts of a mapping, and writes the messages for those that do not fit. Called by
 * field.c; value.c knows the notations.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "conf/field.h"
#include "conf/text.h"

/* A list item like `- 10:10::` is a mapping to YAML, and a mystery to who wrote it. */
static void
colon_hint(const struct tree *t, uint32_t idx, struct hint *h)
{
	uint32_t k, v;

	if (tree_at(t, idx)->type != TREE_MAP || tree_at(t, idx)->n != 2)
		return;
	k = tree_first(t, idx);
	v = tree_next(t, k);
	if (tree_is_null(t, v) && tree_at(t, k)->type == TREE_TEXT && strchr(tree_text(t, k), ':'))
		hint_say(h, "a text that ends in ':' needs quotes: \"%.60s:\"", tree_text(t, k));
}

static const char *
node_show(const struct tree *t, uint32_t idx, char *buf, size_t size)
{
	const struct tree_node *node = tree_at(t, idx);

	if (node->type == TREE_LIST)
		return "a list";
	if (node->type == TREE_MAP)
		return "a mapping";
	if (node->n == 0)
		return node->plain ? "nothing" : "an empty text";
	return text_show(tree_text(t, idx), node->n, buf, size);
}

void
field_error(struct decode *d, const struct field *f, uint32_t idx, const struct path *p,
	const struct hint *h)
{
	char want[FIELD_WANT_LEN], shown[4 * TEXT_SHOW_MAX];
	struct hint colon = {""};

	if (tree_at(d->tree, idx)->type == TREE_BAD)
		return;
	colon_hint(d->tree, idx, &colon);
	if (h == NULL || h->text[0] == '\0')
		h = &colon;
	path_error(d->errors, p, tree_pos(d->tree, idx), "got %s, want %s%s%s%s",
		node_show(d->tree, idx, shown, sizeof(shown)), field_want(f, want),
		h->text[0] ? " (" : "", h->text, h->text[0] ? ")" : "");
}

static int
read_word(const struct field *f, const char *s, uint64_t *ret, struct hint *h)
{
	for (const struct field_word *w = f->words; w != NULL && w->word != NULL; w++) {
		if (strcmp(w->word, s) != 0)
			continue;
		if (w->refused != NULL)
			return hint_say(h, "%s", w->refused);
		*ret = w->value;
		return 0;
	}
	return -EINVAL;
}

/* YAML 1.1 and people have many words for what we call off. */
static int
word_hint(const struct field *f, const char *s, struct hint *h)
{
	static const char *const no[] = {"off", "false", "no", "n", "0", "none", "disabled"};
	uint64_t off;

	for (size_t i = 0; i < BITS_ARRAY_LEN(no); i++)
		if (strcasecmp(s, no[i]) == 0 && read_word(f, "off", &off, NULL) == 0)
			return hint_say(h, "write \"off\"");
	return -EINVAL;
}

static int
read_int(const struct field *f, const char *s, void *out, struct hint *h)
{
	uint64_t x = 0;

	if (read_word(f, s, &x, h) != 0) {
		if ((f->hex ? value_hex(s, &x, h) : value_int(s, &x, h)) != 0)
			return -EINVAL;
		if (x < f->min || x > f->max)
			return -EINVAL;
		if (f->pow2 && !bits_is_pow2(x))
			return hint_say(h, "this one is no power of two");
	}
	field_store(out, f->size, x);
	return 0;
}

static int
read_enum(const struct field *f, const char *s, void *out, struct hint *h)
{
	uint64_t x = 0;

	if (read_word(f, s, &x, h) != 0)
		return word_hint(f, s, h);
	field_store(out, f->type == FIELD_MAP ? sizeof(x) : f->size, x);
	return 0;
}

static int
read_amount(const struct field *f, const char *s, void *out, struct hint *h)
{
	uint64_t scale = f->scale ? f->scale : 1, x = 0;
	char least[AMOUNT_LEN];

	if (f->words != NULL && read_word(f, s, &x, h) == 0) {
		field_store(out, f->size, x);
		return 0;
	}
	if (amount_read(f->amount, s, &x, h) != 0)
		return word_hint(f, s, h);
	if (x < f->min || x > f->max)
		return -EINVAL;
	if (x % scale != 0)
		return hint_say(h, "finer than %s", amount_show(f->amount, scale, least));
	field_store(out, f->size, x / scale);
	return 0;
}

static int
read_name(const char *s, size_t len, void *out, struct hint *h)
{
	if (value_name(s, len, h) != 0)
		return -EINVAL;
	memcpy(out, s, len + 1);
	return 0;
}

/* Texts go to devices and to the EAL: no control characters. */
static int
read_string(struct decode *d, const char *s, size_t len, void *out, struct hint *h)
{
	char *copy;

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return hint_say(h, "without control characters");
	if (len == 0)
		return -EINVAL;
	copy = strdup(s);
	if (copy == NULL)
		d->rc = -ENOMEM;
	memcpy(out, &copy, sizeof(copy));
	return 0;
}

static int
name_hint(struct decode *d, const struct field *f, const char *s, struct hint *h)
{
	const char *near = ref_nearest(d, f, s);

	if (near != NULL)
		return hint_say(h, "the nearest is %s", near);
	if (f->type == FIELD_GROUP && d->conf->n_groups == 0)
		return hint_say(h, "the file has no groups");
	if (f->type == FIELD_DEVICE && d->conf->dsf.n_devices == 0)
		return hint_say(h, "the file has no dsf.devices");
	return -EINVAL;
}

static int
read_ref(struct decode *d, const struct field *f, uint32_t idx, void *out, struct hint *h)
{
	const char *s = tree_text(d->tree, idx);
	int i = f->type == FIELD_PORT    ? ref_port(d, s, f->or_hyper)
		: f->type == FIELD_GROUP ? ref_group(d, s)
					 : ref_device(d, s);

	if (i < 0)
		return errors_takes(d->errors, tree_pos(d->tree, idx)) ? name_hint(d, f, s, h)
								       : -EINVAL;
	field_store(out, f->type == FIELD_GROUP ? sizeof(uint32_t) : sizeof(uint16_t), (uint64_t)i);
	return 0;
}

static int
read_text(struct decode *d, const struct field *f, uint32_t idx, void *out, struct hint *h)
{
	const char *s = tree_text(d->tree, idx);
	size_t len = tree_at(d->tree, idx)->n;

	switch (f->type) {
	case FIELD_INT:
		return read_int(f, s, out, h);
	case FIELD_BOOL:
		return value_bool(s, out, h);
	case FIELD_ENUM:
	case FIELD_MAP:
		return read_enum(f, s, out, h);
	case FIELD_AMOUNT:
		return read_amount(f, s, out, h);
	case FIELD_NAME:
		return read_name(s, len, out, h);
	case FIELD_STRING:
		return read_string(d, s, len, out, h);
	case FIELD_MAC:
		return value_mac(s, out, h);
	case FIELD_ADDR:
		return value_addr(s, out, h);
	case FIELD_IFADDR:
		return value_ifaddr(s, out, h);
	case FIELD_PREFIX:
		return value_prefix(s, out, h);
	case FIELD_PORT:
	case FIELD_GROUP:
	case FIELD_DEVICE:
		return read_ref(d, f, idx, out, h);
	case FIELD_END:
		return ref_end(d, idx, out, h);
	default:
		return -EINVAL;
	}
}

/* A name in a file whose ports, groups, devices or nodes could not all be read. */
static bool
may_be_named_later(const struct decode *d, const struct field *f, const struct tree_node *node)
{
	return node->type == TREE_TEXT &&
	       ((f->type == FIELD_PORT && !tree_has_all(d->tree, "ports")) ||
		       (f->or_hyper && !tree_has_all(d->tree, "hyperports")) ||
		       (f->type == FIELD_GROUP && !tree_has_all(d->tree, "groups")) ||
		       (f->type == FIELD_DEVICE && !tree_has_all(d->tree, "dsf")) ||
		       (f->type == FIELD_END && !tree_has_all(d->tree, "nodes")));
}

bool
scalar_decode(
	struct decode *d, const struct field *f, uint32_t idx, const struct path *p, void *out)
{
	const struct tree_node *node = tree_at(d->tree, idx);
	struct hint h = {""};

	if (node->type == TREE_TEXT && !tree_is_null(d->tree, idx)) {
		if (memchr(tree_text(d->tree, idx), '\0', node->n) != NULL)
			hint_say(&h, "without a NUL");
		else if (read_text(d, f, idx, out, &h) == 0)
			return true;
	}
	if (!may_be_named_later(d, f, node))
		field_error(d, f, idx, p, &h);
	return false;
}

/* The bits that one item of a set stands for. */
static bool
read_bits(struct decode *d, const struct field *f, uint32_t v, uint64_t *ret, struct hint *h)
{
	const struct tree_node *node = tree_at(d->tree, v);
	const char *s;

	if (node->type != TREE_TEXT)
		return false;
	s = tree_text(d->tree, v);
	if (strlen(s) != node->n || node->n == 0)
		return false;
	return (f->type == FIELD_FLAGS ? read_word(f, s, ret, h) : value_dscp(s, ret, h)) == 0;
}

/* One item of a set, into *set. */
static void
set_item(struct decode *d, const struct field *f, uint32_t v, const struct path *p, uint64_t *set)
{
	struct field one = *f;
	struct hint h = {""};
	uint64_t bits = 0;

	one.type = f->type == FIELD_FLAGS ? FIELD_ENUM : FIELD_DSCP;
	one.or_one = false;
	if (!read_bits(d, f, v, &bits, &h))
		field_error(d, &one, v, p, &h);
	else if ((*set & bits) != 0)
		path_error(d->errors, p, tree_pos(d->tree, v), "got %s again, want each once",
			tree_text(d->tree, v));
	*set |= bits;
}

static void
must_check(
	struct decode *d, const struct field *f, uint32_t list, const struct path *p, uint64_t set)
{
	char want[FIELD_WANT_LEN];

	for (const struct field_word *w = f->words; w != NULL && w->word != NULL; w++)
		if ((w->value & f->must & ~set) != 0)
			path_error(d->errors, p, tree_pos(d->tree, list),
				"got a list without %s, want %s with it", w->word,
				field_want(f, want));
}

void
set_decode(struct decode *d, const struct field *f, uint32_t list, const struct path *p, void *out)
{
	uint64_t set = 0;
	size_t i = 0;

	if (f->or_one && tree_at(d->tree, list)->type == TREE_TEXT) {
		set_item(d, f, list, p, &set);
		field_store(out, f->size, set);
		return;
	}
	if (!list_check(d, f, list, p))
		return;
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE; v = tree_next(d->tree, v)) {
		struct path here = path_item(p, d->tree, v, i++);

		set_item(d, f, v, &here, &set);
	}
	must_check(d, f, list, p, set);
	field_store(out, f->size, set);
}
