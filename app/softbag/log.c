/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the control thread's sentences go when a person or systemd runs the node. */
#include "log.h"

#include <stdio.h>

static void
say(void *ctx, enum node_severity severity, const char *sentence)
{
	(void)ctx;
	fprintf(stderr, "softbag: %s%s\n", severity == NODE_ERROR ? "error: " : "", sentence);
}

struct node_log
log_stderr(void)
{
	return (struct node_log){.say = say, .ctx = NULL};
}
