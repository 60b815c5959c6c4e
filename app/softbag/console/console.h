/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The console on standard input: librte_cmdline with history, completion and help. Control thread;
 * the workers do not notice it.
 */
#ifndef SOFTBAG_CONSOLE_H
#define SOFTBAG_CONSOLE_H

#include "ctl/node.h"

struct console;
struct live;

/* `live` is the file of the node `n`. */
int console_create(
	struct node *n, struct live *live, struct console **ret_console); /* -ENOMEM, -EIO */
void console_free(struct console *c);                                     /* takes NULL */

/* Takes what was typed. 1 after `quit` or the end of the input, else 0. */
int console_read(struct console *c);

#endif
