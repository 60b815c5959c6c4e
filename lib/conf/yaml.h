/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML text to a tree, within the limits of conf.h. */
#ifndef CONF_YAML_H
#define CONF_YAML_H

#include "conf/errors.h"
#include "conf/tree.h"

/*
 * Reads one document into an empty tree. Returns 0; -EINVAL with one error, and the tree as far as
 * it came, marked `partial` (tree_trim() takes off what is not to be trusted); -ENOMEM. `len` is at
 * most CONF_FILE_MAX. The caller calls tree_fini() in any case.
 */
int yaml_to_tree(const char *s, size_t len, struct tree *t, struct conf_errors *e);

/*
 * Reports what YAML allows and a configuration does not: duplicate keys (naming both lines),
 * aliases, anchors, merge keys, tags, keys that are no texts. Marks the refused nodes TREE_BAD, so
 * that nobody reports them again. Returns 0 or -ENOMEM.
 */
int tree_lint(struct tree *t, struct conf_errors *e);

#endif
