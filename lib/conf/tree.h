/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A YAML document as a compact tree: 20 bytes a node and its text, named by index. A million routes
 * are five million nodes, so there are no pointers and no object of its own for each.
 *
 * Owner: the caller of conf_parse(), for the time of the parse. Nothing of it stays in struct conf.
 */
#ifndef CONF_TREE_H
#define CONF_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

#define TREE_NONE UINT32_MAX

enum tree_type {
	TREE_TEXT,
	TREE_LIST,
	TREE_MAP, /* its children are key, value, key, value */
	TREE_BAD, /* was refused and reported: an alias, a duplicate key; pass over it */
};

struct tree_node {
	uint32_t at;   /* TEXT: offset in the texts; LIST, MAP: first child or TREE_NONE */
	uint32_t next; /* sibling or TREE_NONE */
	uint32_t line;
	uint32_t col : 29;  /* both from 1 */
	uint32_t plain : 1; /* TEXT without quotes */
	uint32_t anchored : 1;
	uint32_t tagged : 1;
	uint32_t n : 29;   /* TEXT: bytes; LIST, MAP: children */
	uint32_t open : 1; /* LIST, MAP: more may follow, in what could not be read */
	uint32_t type : 2;
};

struct tree {
	struct tree_node *node; /* node[0] is the root, when there is one */
	size_t n, size;
	char *text; /* each with a NUL behind it */
	size_t text_n, text_size;
	bool partial; /* the file could not be read to its end */
	uint32_t cut; /* of a partial one: nodes from here on are not to be trusted */
};

void tree_fini(struct tree *t);

/* Add a node, not linked to anything. Returns 0 or -ENOMEM. */
int tree_add(struct tree *t, const struct tree_node *node, uint32_t *ret_idx);
int tree_add_text(
	struct tree *t, struct tree_node node, const char *s, size_t len, uint32_t *ret_idx);

/*
 * Takes the nodes from `cut` on out of a partial tree. Lists and mappings that lose children stay
 * open; a key without a value goes, too.
 */
void tree_trim(struct tree *t);

/* True when all of a section of the file was read. */
bool tree_has_all(const struct tree *t, const char *section);

static inline const struct tree_node *
tree_at(const struct tree *t, uint32_t idx)
{
	return &t->node[idx];
}

/* Of a TREE_TEXT. Its length is node.n; it may hold a NUL that came from an escape. */
static inline const char *
tree_text(const struct tree *t, uint32_t idx)
{
	return t->text + t->node[idx].at;
}

static inline struct conf_pos
tree_pos(const struct tree *t, uint32_t idx)
{
	return (struct conf_pos){.line = t->node[idx].line, .col = t->node[idx].col};
}

/* First child of a LIST or a MAP, or TREE_NONE. */
static inline uint32_t
tree_first(const struct tree *t, uint32_t idx)
{
	return t->node[idx].at;
}

static inline uint32_t
tree_next(const struct tree *t, uint32_t idx)
{
	return t->node[idx].next;
}

/* A TEXT of nothing and no quotes: what `key:` alone gives. */
bool tree_is_null(const struct tree *t, uint32_t idx);

/* The value of a key, or TREE_NONE (also when `map` is TREE_NONE or no MAP). */
uint32_t tree_get(const struct tree *t, uint32_t map, const char *key);

/* The `name` of an item if it has a proper one, else NULL: it stands for the index in paths. */
const char *tree_item_name(const struct tree *t, uint32_t item);

/* True when the TEXT at idx is this word. */
bool tree_is(const struct tree *t, uint32_t idx, const char *word);

/* True for a plain `<<`, also once it is refused. */
bool tree_is_merge(const struct tree *t, uint32_t key);

#endif
