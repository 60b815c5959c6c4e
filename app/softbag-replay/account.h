/* SPDX-License-Identifier: BSD-3-Clause */
/* What has to be known of a node's numbers around a run. */
#ifndef SOFTBAG_REPLAY_ACCOUNT_H
#define SOFTBAG_REPLAY_ACCOUNT_H

#include <stdint.h>

#include "ctl/node.h"
#include "tele/report.h"

/* Frames that left and are in no port_out: pauses and REACH cells of the node's own. */
uint64_t account_own_frames(const struct node *n);

/* Group members that have no mac: theirs are made up from their via addresses. */
unsigned int account_made_up_macs(const struct node *n);

/* Nothing waits any more, and what came in is what left. */
bool account_holds(const struct report_totals *t);

#endif
