/* SPDX-License-Identifier: BSD-3-Clause */
/* One sentence, one call of the log. */
#include "ctl/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define SENTENCE_MAX 512

void
node_say(const struct node_log *log, enum node_severity severity, const char *format, ...)
{
	char sentence[SENTENCE_MAX];
	va_list args;

	if (log->say == NULL)
		return;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	log->say(log->ctx, severity, sentence);
}

int
node_say_no_memory(const struct node_log *log)
{
	node_say(log, NODE_ERROR, "memory ran out; give runtime.memory more than it has.");
	return -ENOMEM;
}
