/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Storage of the tree, and the ways to walk it. yaml.c fills it; lint.c, field.c and check.c read.
 */
#include "conf/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/value.h"

#define TREE_NODES_MIN 1024u /* a lab's file fits without a second allocation */
#define TREE_TEXT_MIN  16384u

void
tree_fini(struct tree *t)
{
	free(t->node);
	free(t->text);
	*t = (struct tree){0};
}

/* Grows to at least `want` elements, by half: doubling would waste up to 80 MB on a million routes.
 */
static int
grow(void **array, size_t *size, size_t want, size_t least, size_t elem)
{
	size_t n = *size + *size / 2;
	void *bigger;

	if (want <= *size)
		return 0;
	if (n < want)
		n = want;
	if (n < least)
		n = least;
	bigger = realloc(*array, n * elem);
	if (bigger == NULL)
		return -ENOMEM;
	*array = bigger;
	*size = n;
	return 0;
}

int
tree_add(struct tree *t, const struct tree_node *node, uint32_t *ret_idx)
{
	void *array = t->node;
	int rc = grow(&array, &t->size, t->n + 1, TREE_NODES_MIN, sizeof(t->node[0]));

	if (rc != 0)
		return rc;
	t->node = array;
	t->node[t->n] = *node;
	*ret_idx = (uint32_t)t->n++;
	return 0;
}

int
tree_add_text(struct tree *t, struct tree_node node, const char *s, size_t len, uint32_t *ret_idx)
{
	void *array = t->text;
	int rc = grow(&array, &t->text_size, t->text_n + len + 1, TREE_TEXT_MIN, 1);

	if (rc != 0)
		return rc;
	t->text = array;
	node.type = TREE_TEXT;
	node.at = (uint32_t)t->text_n;
	node.n = (uint32_t)len;
	rc = tree_add(t, &node, ret_idx);
	if (rc != 0)
		return rc;
	memcpy(t->text + t->text_n, s, len);
	t->text[t->text_n + len] = '\0';
	t->text_n += len + 1;
	return 0;
}

/* The children of one list or mapping that are left; `node` is below the cut. */
static void
trim_children(struct tree *t, struct tree_node *node)
{
	uint32_t last = TREE_NONE, before = TREE_NONE, v = node->at;

	node->n = 0;
	for (; v != TREE_NONE && v < t->cut; v = t->node[v].next) {
		before = last;
		last = v;
		node->n++;
	}
	if (v != TREE_NONE)
		node->open = 1;
	if (node->type == TREE_MAP && node->n % 2 != 0) {
		node->open = 1;
		node->n--;
		last = before;
	}
	if (last == TREE_NONE)
		node->at = TREE_NONE;
	else
		t->node[last].next = TREE_NONE;
}

void
tree_trim(struct tree *t)
{
	for (uint32_t i = 0; i < t->cut; i++)
		if (t->node[i].type == TREE_LIST || t->node[i].type == TREE_MAP)
			trim_children(t, &t->node[i]);
	t->n = t->cut;
}

bool
tree_has_all(const struct tree *t, const char *section)
{
	uint32_t v = tree_get(t, 0, section);

	return !t->partial || (v != TREE_NONE && !tree_at(t, v)->open);
}

bool
tree_is_null(const struct tree *t, uint32_t idx)
{
	const struct tree_node *node = tree_at(t, idx);

	return node->type == TREE_TEXT && node->plain && node->n == 0;
}

bool
tree_is(const struct tree *t, uint32_t idx, const char *word)
{
	const struct tree_node *node = tree_at(t, idx);
	size_t len = strlen(word);

	return node->type == TREE_TEXT && node->n == len &&
	       memcmp(tree_text(t, idx), word, len) == 0;
}

uint32_t
tree_get(const struct tree *t, uint32_t map, const char *key)
{
	if (map == TREE_NONE || tree_at(t, map)->type != TREE_MAP)
		return TREE_NONE;
	for (uint32_t k = tree_first(t, map); k != TREE_NONE;) {
		uint32_t v = tree_next(t, k);

		if (v == TREE_NONE)
			break;
		if (tree_is(t, k, key))
			return v;
		k = tree_next(t, v);
	}
	return TREE_NONE;
}

bool
tree_is_merge(const struct tree *t, uint32_t key)
{
	const struct tree_node *node = tree_at(t, key);

	return node->plain && node->n == 2 && memcmp(t->text + node->at, "<<", 2) == 0;
}

const char *
tree_item_name(const struct tree *t, uint32_t item)
{
	uint32_t v = tree_get(t, item, "name");

	if (v == TREE_NONE || tree_at(t, v)->type != TREE_TEXT)
		return NULL;
	if (value_name(tree_text(t, v), tree_at(t, v)->n, NULL) != 0)
		return NULL;
	return tree_text(t, v);
}
