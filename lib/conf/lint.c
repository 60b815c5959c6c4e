/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What YAML allows and a configuration does not. Between yaml.c and field.c: it walks the whole
 * tree once, so that duplicate keys are found at every depth, also in parts that no schema knows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/path.h"
#include "conf/text.h"
#include "conf/yaml.h"

#define FEW_KEYS 16u /* up to here, comparing all with all is cheaper than a sort */

struct lint {
	struct tree *tree;
	struct conf_errors *errors;
	int rc;
};

static bool
same_text(const struct tree *t, uint32_t a, uint32_t b)
{
	uint32_t n = tree_at(t, a)->n;

	return n == tree_at(t, b)->n && memcmp(tree_text(t, a), tree_text(t, b), n) == 0;
}

/* By text, and equal ones by position in the file, which is the order of the nodes. */
static int
by_text(const void *pa, const void *pb, void *ctx)
{
	const struct tree *t = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint32_t na = tree_at(t, a)->n, nb = tree_at(t, b)->n;
	int d = memcmp(tree_text(t, a), tree_text(t, b), na < nb ? na : nb);

	if (d != 0)
		return d;
	if (na != nb)
		return na < nb ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void
duplicate(struct lint *l, uint32_t first, uint32_t again, const struct path *up)
{
	struct path p = path_key(up, tree_text(l->tree, again));

	path_error(l->errors, &p, tree_pos(l->tree, again),
		"got a duplicate key, in line %u and in line %u, want it once",
		tree_at(l->tree, first)->line, tree_at(l->tree, again)->line);
	l->tree->node[again].type = TREE_BAD;
}

static void
duplicates_among_few(struct lint *l, const uint32_t *key, size_t n, const struct path *up)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (tree_at(l->tree, key[j])->type == TREE_BAD ||
				!same_text(l->tree, key[j], key[i]))
				continue;
			duplicate(l, key[j], key[i], up);
			break;
		}
	}
}

static void
duplicates_among_many(struct lint *l, uint32_t *key, size_t n, const struct path *up)
{
	size_t first = 0;

	qsort_r(key, n, sizeof(key[0]), by_text, l->tree);
	for (size_t i = 1; i < n; i++) {
		if (same_text(l->tree, key[first], key[i]))
			duplicate(l, key[first], key[i], up);
		else
			first = i;
	}
}

/* The texts among the keys of a mapping; refuses the other ones. */
static size_t
collect_keys(struct lint *l, uint32_t map, uint32_t *key, const struct path *up)
{
	struct tree *t = l->tree;
	size_t n = 0;

	for (uint32_t k = tree_first(t, map); k != TREE_NONE;) {
		uint32_t v = tree_next(t, k);
		struct tree_node *node = &t->node[k];

		if (node->type == TREE_LIST || node->type == TREE_MAP) {
			path_error(l->errors, up, tree_pos(t, k), "got a %s as a key, want a text",
				node->type == TREE_LIST ? "list" : "mapping");
			node->type = TREE_BAD;
		} else if (tree_is_merge(t, k)) {
			path_error(l->errors, up, tree_pos(t, k),
				"got a merge key '<<', want the keys written out (no merging "
				"here)");
			node->type = TREE_BAD;
		} else if (node->type == TREE_TEXT) {
			key[n++] = k;
		}
		k = v == TREE_NONE ? v : tree_next(t, v);
	}
	return n;
}

static void
lint_keys(struct lint *l, uint32_t map, const struct path *up)
{
	size_t n = (tree_at(l->tree, map)->n + 1) / 2;
	uint32_t few[FEW_KEYS], *key = few;

	if (n > FEW_KEYS)
		key = calloc(n, sizeof(key[0]));
	if (key == NULL) {
		l->rc = -ENOMEM;
		return;
	}
	n = collect_keys(l, map, key, up);
	if (key == few)
		duplicates_among_few(l, key, n, up);
	else
		duplicates_among_many(l, key, n, up);
	if (key != few)
		free(key);
}

static void
lint_properties(struct lint *l, uint32_t idx, const struct path *p)
{
	const struct tree_node *node = tree_at(l->tree, idx);
	struct conf_pos pos = tree_pos(l->tree, idx);

	if (node->type == TREE_BAD)
		path_error(l->errors, p, pos, "got an alias ('*'), want the value written out");
	if (node->anchored)
		path_error(l->errors, p, pos, "got an anchor ('&'), want the value alone");
	if (node->tagged)
		path_error(l->errors, p, pos, "got a tag ('!'), want the value alone");
}

static void lint_node(struct lint *l, uint32_t idx, const struct path *p);

static void
lint_map(struct lint *l, uint32_t map, const struct path *p)
{
	struct tree *t = l->tree;

	for (uint32_t k = tree_first(t, map); k != TREE_NONE;) {
		uint32_t v = tree_next(t, k);
		struct path here =
			path_key(p, tree_at(t, k)->type == TREE_TEXT ? tree_text(t, k) : "?");

		lint_properties(l, k, p);
		if (v == TREE_NONE)
			break;
		if (!tree_is_merge(t, k))
			lint_node(l, v, &here);
		k = tree_next(t, v);
	}
	lint_keys(l, map, p);
}

static void
lint_list(struct lint *l, uint32_t list, const struct path *p)
{
	size_t i = 0;

	for (uint32_t v = tree_first(l->tree, list); v != TREE_NONE; v = tree_next(l->tree, v)) {
		struct path here = path_item(p, l->tree, v, i++);

		lint_node(l, v, &here);
	}
}

/* Recursion is as deep as the tree: CONF_DEPTH_MAX. */
static void
lint_node(struct lint *l, uint32_t idx, const struct path *p)
{
	lint_properties(l, idx, p);
	if (tree_at(l->tree, idx)->type == TREE_MAP)
		lint_map(l, idx, p);
	else if (tree_at(l->tree, idx)->type == TREE_LIST)
		lint_list(l, idx, p);
}

int
tree_lint(struct tree *t, struct conf_errors *e)
{
	struct lint l = {.tree = t, .errors = e};

	if (t->n != 0)
		lint_node(&l, 0, NULL);
	return l.rc;
}
