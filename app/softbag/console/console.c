/* SPDX-License-Identifier: BSD-3-Clause */
/* The console's life: a librte_cmdline on standard input, fed when there is something to read. */
#include "console/console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmdline.h>
#include <cmdline_rdline.h>
#include <cmdline_socket.h>

#include "console/command.h"
#include "console/suggest.h"

#define CTRL_C 0x03

struct console {
	struct cmdline *cl;
	cmdline_parse_ctx_t *table;
	struct command_ctx ctx;
};

int
console_create(struct node *n, struct live *live, struct console **ret_console)
{
	struct console *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->ctx.node = n;
	c->ctx.live = live;
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

/*
 * The line that is about to be ended is no command: says so in place of librte_cmdline, whose words
 * are two, and drops it as Ctrl-C would, after it was kept for the arrow keys.
 */
static bool
refuse_line(struct console *c)
{
	struct rdline *rdl = cmdline_get_rdline(c->cl);
	const char *line = rdline_get_buffer(rdl);
	int rc = cmdline_parse_check(c->cl, line);
	char *text = NULL, drop = CTRL_C;
	size_t len = 0;
	FILE *out;

	if (rc != CMDLINE_PARSE_NOMATCH && rc != CMDLINE_PARSE_BAD_ARGS)
		return false;
	out = open_memstream(&text, &len);
	if (out == NULL)
		return false;
	suggest(line, out);
	fclose(out);
	rdline_add_history(rdl, line);
	cmdline_printf(c->cl, "\n%s", text);
	free(text);
	cmdline_in(c->cl, &drop, 1);
	return true;
}

/* cmdline_in() returns -1 from `quit` on. */
static bool
feed(struct console *c, char key)
{
	if ((key == '\n' || key == '\r') && refuse_line(c))
		return true;
	return cmdline_in(c->cl, &key, 1) >= 0 && !c->ctx.quit;
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
	for (ssize_t i = 0; i < n; i++)
		if (!feed(c, buf[i]))
			return 1;
	return n == 0;
}
