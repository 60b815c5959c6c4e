/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a node counted, once it stands still: as text for people and as JSON for programs. The
 * JSON keys are a promise (docs/replay.md): more may join, none goes. Control thread.
 */
#ifndef TELE_REPORT_H
#define TELE_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "ctl/node.h"

/* What only the caller who stepped the node knows. */
struct report_run {
	uint64_t virtual_ns;      /* the node's clock at the end */
	uint64_t packets, cycles; /* measured without the profile; 0 packets: not measured */
	unsigned int median;      /* cycles a packet of the median packet's turn */
};

struct report_totals {
	uint64_t in, out, punted, dropped;
	uint64_t duplicated; /* copies that an impairment made: in + duplicated = out + ... */
	uint64_t waiting;    /* + waiting: in queues and delay lines; 0 once the node has stopped */
};

void report_totals(const struct node *n, struct report_totals *ret_totals);

void report_text(const struct node *n, const struct report_run *run, FILE *out);

/* -ENOMEM, or -errno of the file. */
int report_json(const struct node *n, const struct report_run *run, FILE *out);

#endif
