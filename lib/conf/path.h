/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in the tree a value stands, as messages name it: `ports[2].mac`, or `ports.nsf0.mac` when
 * the item has a name. A chain of frames on the stack, written out only for a message.
 */
#ifndef CONF_PATH_H
#define CONF_PATH_H

#include <stddef.h>

#include "conf/errors.h"
#include "conf/tree.h"

#define PATH_MAX_LEN 320u /* 16 levels of ordinary names; longer ones are cut */

struct path {
	const struct path *up;
	const char *key;  /* of a mapping; else an item of a list, with */
	const char *name; /* its name or NULL, and */
	size_t idx;       /* from 0 */
};

/* Frames for a key of a mapping and for an item of a list. `up` may be NULL. */
struct path path_key(const struct path *up, const char *key);
struct path path_item(const struct path *up, const struct tree *t, uint32_t item, size_t idx);

/* Writes it; `file` for NULL. Returns `buf`. */
const char *path_write(const struct path *p, char *buf, size_t size);

/* Adds an error `path: ...` at `pos`. */
void path_error(struct conf_errors *e, const struct path *p, struct conf_pos pos, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

#endif
