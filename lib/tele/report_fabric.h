/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric in the report's JSON. Inside lib/tele only. */
#ifndef TELE_REPORT_FABRIC_H
#define TELE_REPORT_FABRIC_H

#include "ctl/node.h"
#include "tele/writer.h"

/* `c`: the sum of the workers. JSON's null for a node without a fabric. */
json_t *report_fabric(struct writer *w, const struct node *n, const struct counters *c);

#endif
