/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues over time, as CSV: a row each step of virtual time for each class of each port that has
 * queues, from its first packet or pause frame on. run.c calls this before the clock moves on.
 */
#ifndef SOFTBAG_REPLAY_SERIES_H
#define SOFTBAG_REPLAY_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ctl/node.h"

/* What a row counts since the row before. */
struct series_count {
	uint64_t packets, bytes, dropped, ce_marked, pfc_in, pfc_out;
};

struct series {
	const struct node *node;
	const char *path;
	FILE *file; /* NULL: no series is wanted */
	uint64_t step_ns, next_ns;
	uint64_t last_ns;                          /* of the last row */
	struct series_count (*before)[DP_CLASSES]; /* by port */
	uint8_t *seen;                             /* by port: classes that have rows */
};

/* Some port of the node has queues. */
bool series_has_rows(const struct node *n);

/* Makes the file, with its header. `path` NULL: no series. -errno, said on stderr. */
int series_open(
	const struct node *n, const char *path, uint64_t step_ns, struct series *ret_series);

/*
 * Writes the rows of the time before `next_ns`, when the node's next turn is. In a stretch of more
 * than 1000 steps without a turn only the first and the last are written.
 */
void series_until(struct series *s, uint64_t next_ns);

/*
 * The last row, at `now`; then closes. -errno when the file is not whole, said on stderr. Takes one
 * that is all 0.
 */
int series_close(struct series *s, uint64_t now);

#endif
