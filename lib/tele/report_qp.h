/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow tables and queue pairs in the report's JSON. Inside lib/tele only. */
#ifndef TELE_REPORT_QP_H
#define TELE_REPORT_QP_H

#include "ctl/node.h"
#include "tele/writer.h"

/* Sums over the workers; JSON's null for a node without flow tables. */
json_t *report_flows(struct writer *w, const struct node *n);
/* JSON's null for a node that does not watch queue pairs. */
json_t *report_qps(struct writer *w, const struct node *n);

#endif
