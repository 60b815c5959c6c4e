/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers' flow tables, where the configuration needs any. */
#ifndef CTL_FLOWS_H
#define CTL_FLOWS_H

#include "ctl/node.h"

/* Who needs flows: DP_FLOWS_*; 0: no worker has a table. Pure. */
uint8_t flows_wanted(const struct conf *c);

/* Bytes of all workers' tables. Pure. */
uint64_t flows_bytes(const struct conf *c, unsigned int n_workers);

/* The table of one worker, or none. -ENOMEM. worker_free() gives it back. */
int flows_attach(struct node *n, struct worker *w);

#endif
