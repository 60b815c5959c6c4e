/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two trees side by side, by the tables of schema*.c. Called before a running node takes a new file
 * (ctl/reload.c), and by `--check --against`.
 */
#include "conf/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/field_text.h"
#include "conf/schema.h"

/* Where the walk is. */
struct spot {
	const void *was, *is;
	struct path path;
	struct conf_pos pos; /* in the new file, of the innermost mapping that has one */
	bool fixed;          /* nothing in here is live */
};

struct differ {
	const struct conf *was, *is;
	struct conf_diff *diff;
	int rc;
};

static void diff_map(struct differ *d, const struct schema *s, const struct spot *at);

static struct conf_change *
new_change(struct differ *d, const struct spot *at, bool live)
{
	struct conf_diff *diff = d->diff;
	struct conf_change *c;
	char path[PATH_MAX_LEN];

	diff->n_restart += !live || at->fixed;
	if (diff->n == CONF_CHANGES_MAX) {
		diff->n_left_out++;
		return NULL;
	}
	if (diff->change == NULL)
		diff->change = calloc(CONF_CHANGES_MAX, sizeof(*diff->change));
	if (diff->change == NULL) {
		d->rc = -ENOMEM;
		return NULL;
	}
	c = &diff->change[diff->n++];
	c->pos = at->pos;
	c->kind = live && !at->fixed ? CONF_LIVE : CONF_RESTART;
	c->path = strdup(path_write(&at->path, path, sizeof(path)));
	if (c->path == NULL)
		d->rc = -ENOMEM;
	return c;
}

static char *
value_text(struct differ *d, const struct field *f, const struct conf *c, const void *in)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out != NULL)
		field_write(f, c, in, out);
	if (out == NULL || fclose(out) != 0)
		d->rc = -ENOMEM;
	return text;
}

static void
changed(struct differ *d, const struct field *f, const struct spot *at)
{
	struct conf_change *c = new_change(d, at, f->live);

	if (c == NULL)
		return;
	c->was = value_text(d, f, d->was, at->was);
	c->is = value_text(d, f, d->is, at->is);
}

/* It came or went as a whole. */
static void
came_or_went(struct differ *d, const struct spot *at, bool live, bool came)
{
	struct conf_change *c = new_change(d, at, live);
	char **text = c == NULL ? NULL : came ? &c->is : &c->was;

	if (text == NULL)
		return;
	*text = strdup("");
	if (*text == NULL)
		d->rc = -ENOMEM;
}

static bool
is_fixed(const struct schema *s, const void *was, const void *is)
{
	return s->fixed != NULL && ((was != NULL && s->fixed(was)) || (is != NULL && s->fixed(is)));
}

/* Items of a list on either side: which belongs to which. */
struct pairs {
	const struct field *f;
	const char *was, *is;
	size_t n_was, n_is;
	uint32_t *of_is;  /* by new index: the old one, or UINT32_MAX */
	uint32_t *of_was; /* the other way */
};

struct sorted {
	const char *item;
	size_t size;
	int (*order)(const void *a, const void *b);
};

static int
by_order(const void *a, const void *b, void *ctx)
{
	const struct sorted *s = ctx;

	return s->order(
		s->item + *(const uint32_t *)a * s->size, s->item + *(const uint32_t *)b * s->size);
}

static void
sort(const struct field *f, const char *item, size_t n, uint32_t *ret_idx)
{
	struct sorted s = {.item = item, .size = f->item_size, .order = f->item->order};

	for (uint32_t i = 0; i < n; i++)
		ret_idx[i] = i;
	qsort_r(ret_idx, n, sizeof(*ret_idx), by_order, &s);
}

/* Both sides sorted, and then merged. */
static void
pair_by_order(struct pairs *p, const uint32_t *was, const uint32_t *is)
{
	size_t a = 0, b = 0;

	while (a < p->n_was && b < p->n_is) {
		int d = p->f->item->order(
			p->was + was[a] * p->f->item_size, p->is + is[b] * p->f->item_size);

		if (d == 0) {
			p->of_is[is[b]] = was[a];
			p->of_was[was[a]] = is[b];
		}
		a += d <= 0;
		b += d >= 0;
	}
}

static void
pairs_fini(struct pairs *p)
{
	free(p->of_is);
	free(p->of_was);
}

static int
pairs_init(struct pairs *p)
{
	uint32_t *was, *is;

	p->of_is = malloc((p->n_is + 1) * sizeof(uint32_t));
	p->of_was = malloc((p->n_was + 1) * sizeof(uint32_t));
	if (p->of_is == NULL || p->of_was == NULL)
		return -ENOMEM;
	memset(p->of_is, 0xff, p->n_is * sizeof(uint32_t));
	memset(p->of_was, 0xff, p->n_was * sizeof(uint32_t));
	if (p->f->item->order == NULL) {
		for (uint32_t i = 0; i < p->n_was && i < p->n_is; i++)
			p->of_is[i] = p->of_was[i] = i;
		return 0;
	}
	was = malloc((p->n_was + 1) * sizeof(uint32_t));
	is = malloc((p->n_is + 1) * sizeof(uint32_t));
	if (was != NULL && is != NULL) {
		sort(p->f, p->was, p->n_was, was);
		sort(p->f, p->is, p->n_is, is);
		pair_by_order(p, was, is);
	}
	free(was);
	free(is);
	return was == NULL || is == NULL ? -ENOMEM : 0;
}

/* What an item is called in paths: its name, or its prefix (in `buf`); NULL: its index. */
static const char *
item_name(const struct field *f, const void *item, char buf[VALUE_ADDR_LEN])
{
	const struct field *first = &f->item->field[0];

	if (first->type == FIELD_NAME)
		return field_at(first, item);
	if (first->type == FIELD_PREFIX)
		return value_addr_show(field_at(first, item), true, buf);
	return NULL;
}

static struct spot
item_spot(const struct pairs *p, const struct spot *list, uint32_t idx, bool of_new,
	char buf[VALUE_ADDR_LEN])
{
	const void *item = (of_new ? p->is : p->was) + idx * p->f->item_size;
	struct spot at = *list;

	at.path = (struct path){.up = &list->path, .name = item_name(p->f, item, buf), .idx = idx};
	at.was = of_new ? NULL : item;
	at.is = of_new ? item : NULL;
	if (of_new && p->f->item->with_pos)
		memcpy(&at.pos, (const char *)item + p->f->item->pos_offset, sizeof(at.pos));
	at.fixed |= is_fixed(p->f->item, at.was, at.is);
	return at;
}

/* The same items, and not in their order. */
static bool
is_reordered(const struct pairs *p)
{
	if (p->n_is != p->n_was)
		return false;
	for (uint32_t i = 0; i < p->n_is; i++)
		if (p->of_is[i] == UINT32_MAX)
			return false;
	for (uint32_t i = 0; i < p->n_is; i++)
		if (p->of_is[i] != i)
			return true;
	return false;
}

static char *
order_text(struct differ *d, const struct pairs *p, bool of_new)
{
	char *text = NULL, buf[VALUE_ADDR_LEN];
	size_t len = 0, n = of_new ? p->n_is : p->n_was;
	FILE *out = open_memstream(&text, &len);

	for (uint32_t i = 0; out != NULL && i < n; i++)
		fprintf(out, "%s%s", i == 0 ? "" : ", ",
			item_name(p->f, (of_new ? p->is : p->was) + i * p->f->item_size, buf));
	if (out == NULL || fclose(out) != 0)
		d->rc = -ENOMEM;
	return text;
}

static void
reordered(struct differ *d, const struct pairs *p, const struct spot *at)
{
	struct conf_change *c = new_change(d, at, p->f->live);

	if (c == NULL)
		return;
	c->was = order_text(d, p, false);
	c->is = order_text(d, p, true);
}

static void
diff_items(struct differ *d, const struct field *f, const struct spot *list)
{
	struct pairs p = {.f = f};
	char name[VALUE_ADDR_LEN];
	const void *was, *is;

	p.n_was = field_list(f, list->was, &was);
	p.n_is = field_list(f, list->is, &is);
	p.was = was;
	p.is = is;
	if (pairs_init(&p) != 0)
		d->rc = -ENOMEM;
	for (uint32_t i = 0; d->rc == 0 && i < p.n_is; i++) {
		struct spot at = item_spot(&p, list, i, true, name);

		if (p.of_is[i] == UINT32_MAX) {
			came_or_went(d, &at, f->live, true);
			continue;
		}
		at.was = p.was + p.of_is[i] * f->item_size;
		diff_map(d, f->item, &at);
	}
	for (uint32_t i = 0; d->rc == 0 && i < p.n_was; i++) {
		struct spot at = item_spot(&p, list, i, false, name);

		if (p.of_was[i] == UINT32_MAX)
			came_or_went(d, &at, f->live, false);
	}
	if (d->rc == 0 && f->ordered && is_reordered(&p))
		reordered(d, &p, list);
	pairs_fini(&p);
}

static bool
same_texts(struct differ *d, const struct field *f, const struct spot *at)
{
	char *was = value_text(d, f, d->was, at->was), *is = value_text(d, f, d->is, at->is);
	bool same = was == NULL || is == NULL || strcmp(was, is) == 0;

	free(was);
	free(is);
	return same;
}

/* Items that have places of their own. */
static void
diff_placed(struct differ *d, const struct field *f, const struct spot *list)
{
	char *was = malloc(f->item_size), *is = malloc(f->item_size);

	if (was == NULL || is == NULL)
		d->rc = -ENOMEM;
	for (size_t i = 0; d->rc == 0 && i < f->max; i++) {
		struct spot at = *list;
		bool in_was, in_is;

		memset(was, 0, f->item_size);
		memset(is, 0, f->item_size);
		in_was = f->placed(list->was, i, was);
		in_is = f->placed(list->is, i, is);
		if (!in_was && !in_is)
			continue;
		at.path = (struct path){.up = &list->path, .idx = i};
		at.was = was;
		at.is = is;
		if (in_is && f->item->with_pos)
			memcpy(&at.pos, is + f->item->pos_offset, sizeof(at.pos));
		if (in_was != in_is)
			came_or_went(d, &at, f->live, in_is);
		else
			diff_map(d, f->item, &at);
	}
	free(was);
	free(is);
}

/* `at` is of the struct that has the mapping. */
static void
diff_inner(struct differ *d, const struct field *f, const struct spot *at)
{
	bool in_was = field_map_present(f, at->was), in_is = field_map_present(f, at->is);
	struct spot in = *at;

	in.was = field_at(f, at->was);
	in.is = field_at(f, at->is);
	in.fixed |= is_fixed(f->item, in_was ? in.was : NULL, in_is ? in.is : NULL);
	if (in_is && f->item->with_pos && !f->item->part)
		memcpy(&in.pos, (const char *)in.is + f->item->pos_offset, sizeof(in.pos));
	if (in_was != in_is && !f->with_defaults)
		came_or_went(d, &in, f->live, in_is);
	else if (in_was || f->with_defaults)
		diff_map(d, f->item, &in);
}

static void
diff_field(struct differ *d, const struct field *f, const struct spot *at)
{
	switch (f->type) {
	case FIELD_MAP:
		diff_inner(d, f, at);
		break;
	case FIELD_PLACED:
		diff_placed(d, f, at);
		break;
	case FIELD_LIST:
		if (f->item != NULL)
			diff_items(d, f, at);
		else if (!same_texts(d, f, at))
			changed(d, f, at);
		break;
	default:
		if (!field_same(f, d->was, at->was, d->is, at->is))
			changed(d, f, at);
	}
}

static void
diff_map(struct differ *d, const struct schema *s, const struct spot *at)
{
	for (size_t i = 0; i < s->n && d->rc == 0; i++) {
		const struct field *f = &s->field[i];
		struct spot here = *at;

		if (f->refused != NULL || f->elsewhere)
			continue;
		here.path = path_key(
			at->path.up == NULL && at->path.key == NULL ? NULL : &at->path, f->key);
		diff_field(d, f, &here);
	}
}

int
conf_diff(const struct conf *old, const struct conf *now, struct conf_diff *ret_diff)
{
	struct differ d = {.was = old, .is = now, .diff = ret_diff};
	struct spot file = {.was = old, .is = now};

	*ret_diff = (struct conf_diff){0};
	diff_map(&d, &schema_file, &file);
	if (d.rc != 0)
		conf_diff_fini(ret_diff);
	return d.rc;
}

void
conf_diff_fini(struct conf_diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->change[i].path);
		free(d->change[i].was);
		free(d->change[i].is);
	}
	free(d->change);
	*d = (struct conf_diff){0};
}

const char *
conf_change_text(const struct conf_change *c, char buf[CONF_CHANGE_LEN])
{
	const char *restart = c->kind == CONF_RESTART ? " needs a restart" : "";

	if (c->was != NULL && c->is != NULL)
		snprintf(buf, CONF_CHANGE_LEN, "%s: %s -> %s%s", c->path, c->was, c->is, restart);
	else
		snprintf(buf, CONF_CHANGE_LEN, "%s: %s%s%s", c->path,
			c->is != NULL ? "added" : "removed", restart[0] != '\0' ? "," : "",
			restart);
	return buf;
}

void
conf_diff_print(const struct conf_diff *d, const char *file, FILE *out)
{
	char text[CONF_CHANGE_LEN];

	for (size_t i = 0; i < d->n; i++) {
		const struct conf_change *c = &d->change[i];

		conf_change_text(c, text);
		if (c->pos.line == 0)
			fprintf(out, "%s: %s\n", file, text);
		else
			fprintf(out, "%s:%u:%u: %s\n", file, c->pos.line, c->pos.col, text);
	}
	if (d->n_left_out != 0)
		fprintf(out, "%s: and %zu more\n", file, d->n_left_out);
}

/* Every key of an item, as the tables have it. */
static bool
same_item(const struct schema *s, const struct conf *ca, const void *a, const struct conf *cb,
	const void *b, const char *but)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->field[i];

		if (f->refused != NULL || f->type == FIELD_LIST || strcmp(f->key, but) == 0)
			continue;
		if (f->type == FIELD_MAP
				? !same_item(f->item, ca, field_at(f, a), cb, field_at(f, b), but)
				: !field_same(f, ca, a, cb, b))
			return false;
	}
	return true;
}

bool
conf_member_same(const struct conf *ca, const struct conf_member *a, const struct conf *cb,
	const struct conf_member *b)
{
	return same_item(&schema_member, ca, a, cb, b, "weight");
}

bool
conf_group_same(const struct conf *ca, const struct conf_group *a, const struct conf *cb,
	const struct conf_group *b)
{
	if (a->n_members != b->n_members || !same_item(&schema_group, ca, a, cb, b, "name"))
		return false;
	for (size_t i = 0; i < a->n_members; i++)
		if (!same_item(&schema_member, ca, &a->member[i], cb, &b->member[i], ""))
			return false;
	return true;
}
