/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --json: opened before the run, so that a bad name costs none. */
#ifndef SOFTBAG_REPLAY_JSON_FILE_H
#define SOFTBAG_REPLAY_JSON_FILE_H

#include <stdio.h>

#include "args.h"

/* stdout for `-`. NULL: it cannot be written, said on stderr. */
FILE *json_open(const struct args *a);

/*
 * Closes it, once the report was written with `rc`. Returns rc, or -EIO when it did not reach the
 * disk; either is said on stderr.
 */
int json_close(const struct args *a, FILE *f, int rc);

/* Takes it away: an empty file would look like a report that went wrong. Takes NULL. */
void json_discard(const struct args *a, FILE *f);

#endif
