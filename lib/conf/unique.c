/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values that must not repeat: sorted, so that a million routes take a moment. check_unique.c and
 * topo_check.c say which; what an item has several of, check.c collects itself.
 */
#include "conf/unique.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Equal ones by their place in the file, which is the order of the nodes. */
static int
by_key(const void *pa, const void *pb)
{
	const struct unique *a = pa, *b = pb;
	int d = memcmp(a->key, b->key, a->len < b->len ? a->len : b->len);

	if (d != 0)
		return d;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

void
unique_error(
	struct decode *d, const struct unique_kind *k, const struct unique *u, const char *text)
{
	struct path section = path_key(NULL, k->section ? k->section : k->list);
	struct path list = path_key(&section, k->list);
	struct path item = path_item(k->section ? &list : &section, d->tree, u->item, u->idx);
	struct path key = path_key(&item, k->key);
	struct path sub = {.up = &key, .idx = u->sub};

	path_error(d->errors, k->has_sub ? &sub : &key, tree_pos(d->tree, u->node), "%s", text);
}

static void
report(struct decode *d, const struct unique_kind *k, const struct unique *first,
	const struct unique *again)
{
	char text[256];

	if (!errors_takes(d->errors, tree_pos(d->tree, again->node))) {
		d->errors->n_left_out++;
		return;
	}
	snprintf(text, sizeof(text), "got %.100s, which line %u has, want %s",
		tree_text(d->tree, again->node), tree_at(d->tree, first->node)->line, k->want);
	unique_error(d, k, again, text);
}

void
unique_check(struct decode *d, const struct unique_kind *k, struct unique *u, size_t n)
{
	size_t first = 0;

	qsort(u, n, sizeof(u[0]), by_key);
	for (size_t i = 1; i < n; i++) {
		if (u[first].len == u[i].len && memcmp(u[first].key, u[i].key, u[i].len) == 0)
			report(d, k, &u[first], &u[i]);
		else
			first = i;
	}
}

uint32_t
unique_list(const struct decode *d, const struct unique_kind *k, size_t n_items)
{
	uint32_t list = k->section ? tree_get(d->tree, 0, k->section) : 0;

	list = tree_get(d->tree, list, k->list);
	if (list == TREE_NONE || tree_at(d->tree, list)->type != TREE_LIST ||
		tree_at(d->tree, list)->n != n_items)
		return TREE_NONE;
	return list;
}

bool
unique_text(const char *s, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = s;
	*ret_len = s ? (uint32_t)strlen(s) : 0;
	return *ret_len != 0;
}

int
unique_check_items(struct decode *d, const struct unique_kind *k, size_t n, unique_key *key)
{
	uint32_t list = unique_list(d, k, n);
	size_t n_found = 0, i = 0;
	struct unique *found;

	if (n < 2 || list == TREE_NONE)
		return 0;
	found = calloc(n, sizeof(found[0]));
	if (found == NULL)
		return -ENOMEM;
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE;
		v = tree_next(d->tree, v), i++) {
		struct unique *u = &found[n_found];

		*u = (struct unique){.item = v, .idx = (uint32_t)i};
		u->node = tree_get(d->tree, v, k->key);
		n_found += u->node != TREE_NONE && key(d, i, &u->key, &u->len);
	}
	unique_check(d, k, found, n_found);
	free(found);
	return 0;
}
