/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a node counted, once it stands still: as text for people and as JSON for programs. The
 * JSON keys are a promise (docs/replay.md): more may join, none goes. Control thread.
 */
#ifndef TELE_REPORT_H
#define TELE_REPORT_H

#include <stdbool.h>
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
	uint64_t duplicated; /* copies that an impairment made */
	uint64_t made;       /* cells, packets out of cells, control cells */
	uint64_t ended;      /* packets that became cells, cells that became packets, control */
	uint64_t waiting;    /* in queues, delay lines, in pieces; 0 once the node has stopped */
};

void report_totals(const struct node *n, struct report_totals *ret_totals);

/* in + duplicated + made = out + punted + dropped + ended + waiting. Pure. */
bool report_adds_up(const struct report_totals *t);

void report_text(const struct node *n, const struct report_run *run, FILE *out);

struct json_t;

/* The JSON of one node, for a report of many; the caller's to release. NULL: no memory. */
struct json_t *report_object(const struct node *n, const struct report_run *run);

/* -ENOMEM, or -errno of the file. */
int report_json(const struct node *n, const struct report_run *run, FILE *out);

/* Writes any JSON the same way. -errno of the file. */
int report_dump(const struct json_t *root, FILE *out);

#endif
