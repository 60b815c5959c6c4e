/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that must not repeat in a file. */
#ifndef CONF_UNIQUE_H
#define CONF_UNIQUE_H

#include "conf/field.h"

/* A value that has to be unlike all others of its kind. */
struct unique {
	const void *key;
	uint32_t len;
	uint32_t node; /* of the value, for its position */
	uint32_t item; /* of the list item that holds it */
	uint32_t idx;  /* of that item */
	uint32_t sub;  /* index within the value's own list, when the kind has one */
};

struct unique_kind {
	const char *section, *list; /* `routes`, `static`; or NULL, `ports` */
	const char *key;
	bool has_sub;
	const char *want; /* `a device of its own` */
};

/* Sorts `u` and reports each value that an earlier one in the file equals. */
void unique_check(struct decode *d, const struct unique_kind *k, struct unique *u, size_t n);

/* The bytes of item i's key, of what has been read; false: it has none. */
typedef bool unique_key(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len);

/* A text as a key; NULL and "" are none. */
bool unique_text(const char *s, const void **ret_key, uint32_t *ret_len);

/* unique_check() of all that the file has of kind k, `n` items; 0 or -ENOMEM. */
int unique_check_items(struct decode *d, const struct unique_kind *k, size_t n, unique_key *key);

/* Adds an error at a value of kind k. */
void unique_error(
	struct decode *d, const struct unique_kind *k, const struct unique *u, const char *text);

/* The list that a kind's items are in, or TREE_NONE when there is none as it should be. */
uint32_t unique_list(const struct decode *d, const struct unique_kind *k, size_t n_items);

#endif
