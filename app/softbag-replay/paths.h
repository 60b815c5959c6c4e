/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing that is written overwrites what is read, or what else is written. */
#ifndef SOFTBAG_REPLAY_PATHS_H
#define SOFTBAG_REPLAY_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* One file by two names, be it there already or not. */
bool path_same(const char *a, const char *b);

/* -EINVAL, said on stderr, when writing to `path` would overwrite one of the files that are read.
 */
int path_check_output(const char *path, const char *const *read, size_t n_read);

#endif
