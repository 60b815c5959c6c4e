/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences from the control thread to people, through the log that the node was given. */
#ifndef CTL_SAY_H
#define CTL_SAY_H

#include "ctl/node.h"

void node_say(const struct node_log *log, enum node_severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says that memory ran out where no other sentence tells what for; returns -ENOMEM. */
int node_say_no_memory(const struct node_log *log);

#endif
