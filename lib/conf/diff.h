/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is different between two checked trees, in what they mean: groups, ports and devices are the
 * same by their names, members by their way out and next hop, routes by their prefix, whatever
 * their order in the file; figures that `auto` stands for are compared as figures. By the tables
 * that parse (conf/field.h), so a new key is compared, and needs a restart until its table says
 * that it is live. Control thread.
 */
#ifndef CONF_DIFF_H
#define CONF_DIFF_H

#include "conf/conf.h"

enum conf_change_kind {
	CONF_LIVE,    /* a running node takes it */
	CONF_RESTART, /* only a node that starts does */
};

struct conf_change {
	struct conf_pos pos; /* in the new file, of the item that it is in; line 0: in none */
	enum conf_change_kind kind;
	char *path;
	char *was, *is; /* as a file would have them; NULL: it was added, is removed */
};

struct conf_diff {
	struct conf_change *change; /* in the order of the format's tables */
	size_t n;
	size_t n_restart;  /* of all, those left out too */
	size_t n_left_out; /* past CONF_CHANGES_MAX */
};

#define CONF_CHANGES_MAX 1000u /* more than anybody reads */

/* 0, or -ENOMEM with *ret_diff empty. Free it with conf_diff_fini(). */
int conf_diff(const struct conf *old, const struct conf *now, struct conf_diff *ret_diff);
void conf_diff_fini(struct conf_diff *d);

/* `path: X -> Y`, `path: added`, and what needs a restart says so. Up to `size` bytes; `buf`. */
#define CONF_CHANGE_LEN 512u
const char *conf_change_text(const struct conf_change *c, char buf[CONF_CHANGE_LEN]);

/* One line a change, `file:line:col: ` before it, then how many were left out. */
void conf_diff_print(const struct conf_diff *d, const char *file, FILE *out);

/*
 * True when both groups say the same: hash, buckets, and the same members in the same order with
 * the same weights. Not how their addresses resolve.
 */
bool conf_group_same(const struct conf *ca, const struct conf_group *a, const struct conf *cb,
	const struct conf_group *b);

/* The same way out and next hop, whatever its weight. */
bool conf_member_same(const struct conf *ca, const struct conf_member *a, const struct conf *cb,
	const struct conf_member *b);

/*
 * Writes the tree as a file that loads to one without a difference: keys at their defaults are left
 * out, figures stand for `auto`. -EIO, -ENOMEM.
 */
int conf_dump(const struct conf *c, FILE *out);

#endif
