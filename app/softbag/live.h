/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of a running node: read again on SIGHUP and by the console, given to the node, and taken
 * back when nobody confirms it. Control thread.
 */
#ifndef SOFTBAG_LIVE_H
#define SOFTBAG_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/node.h"

struct live {
	struct node *node;
	struct conf *conf; /* what runs; live's own */
	struct conf
		*before; /* what comes back without `commit`; NULL: nothing is to be confirmed */
	uint64_t rollback_tsc;
	const char *file;
};

/* Takes `conf`, which `node` runs and which came from `file`. */
void live_init(struct live *l, struct node *node, struct conf *conf, const char *file);
/* After the node is gone. */
void live_fini(struct live *l);

/*
 * Reads the file, says what is different, and has the node take it: all of it, or nothing. With
 * `confirm_s` it is taken back after so many seconds unless live_commit() comes before. 0; -errno,
 * with words to `out` (what the node says goes to its log).
 */
int live_reload(struct live *l, unsigned int confirm_s, FILE *out);

/* What was to be confirmed stays; false: there was nothing. */
bool live_commit(struct live *l);

/* Takes back what nobody confirmed in time. Cheap. */
void live_poll(struct live *l, uint64_t now);

#endif
