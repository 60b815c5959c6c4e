/* SPDX-License-Identifier: BSD-3-Clause */
/* The node from start to stop. */
#ifndef SOFTBAG_RUN_H
#define SOFTBAG_RUN_H

#include "args.h"
#include "conf/conf.h"

/*
 * Runs the node until a signal, `quit`, or the time is over; returns the exit status. `conf` is its
 * own from then on.
 */
int run_node(struct conf *conf, const struct args *args);

#endif
