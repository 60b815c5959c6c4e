/* SPDX-License-Identifier: BSD-3-Clause */
/* Hyper ports in the report's JSON. Inside lib/tele only. */
#ifndef TELE_REPORT_HYPER_H
#define TELE_REPORT_HYPER_H

#include "ctl/node.h"
#include "tele/writer.h"

/* Hyper port `idx`: its members, what was sent by them, and what resequencing did. */
json_t *report_hyper(struct writer *w, const struct node *n, uint16_t idx);

#endif
