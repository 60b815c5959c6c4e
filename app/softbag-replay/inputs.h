/* SPDX-License-Identifier: BSD-3-Clause */
/* The captures of a command line, each read once and whole. */
#ifndef SOFTBAG_REPLAY_INPUTS_H
#define SOFTBAG_REPLAY_INPUTS_H

#include "args.h"
#include "capture.h"

/* One for each of a->input, or NULL when one cannot be read: said on stderr. */
struct capture *captures_load(const struct args *a);
void captures_free(struct capture *capture, size_t n);

#endif
