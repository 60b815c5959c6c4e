/* SPDX-License-Identifier: BSD-3-Clause */
/* The console's life: a librte_cmdline on standard input, fed when there is something to read. */
#include "console/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmdline.h>
#include <cmdline_socket.h>

#include "console/command.h"

#define CTRL_C 0x03

struct console {
	struct cmdline *cl;
	cmdline_parse_ctx_t *table;
	struct command_ctx ctx;
};

int
console_create(struct node *n, struct console **ret_console)
{
	struct console *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->ctx.node = n;
	c->table = command_table_create(&c->ctx);
	if (c->table == NULL || show_base_init(&c->ctx.base, n) != 0) {
		console_free(c);
		return -ENOMEM;
	}
	c->cl = cmdline_stdin_new(c->table, "softbag> ");
	if (c->cl == NULL) {
		console_free(c);
		return -EIO;
	}
	*ret_console = c;
	return 0;
}

void
console_free(struct console *c)
{
	if (c == NULL)
		return;
	if (c->cl != NULL)
		cmdline_stdin_exit(c->cl);
	show_base_fini(&c->ctx.base);
	command_table_free(c->table);
	free(c);
}

int
console_read(struct console *c)
{
	char buf[256];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	/* the terminal is raw: Ctrl-C is a key, and stops the node like the signal */
	if (n > 0 && memchr(buf, CTRL_C, (size_t)n) != NULL)
		return 1;
	if (n < 0)
		return errno != EAGAIN && errno != EINTR;
	/* cmdline_in() stops at `quit` and says how much it took, or -1 */
	return n == 0 || cmdline_in(c->cl, buf, (int)n) < 0 || c->ctx.quit;
}
