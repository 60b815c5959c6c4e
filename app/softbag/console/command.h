/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the console, described once: words, help, what they do. */
#ifndef SOFTBAG_COMMAND_H
#define SOFTBAG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cmdline_parse.h>

#include "live.h"
#include "tele/show.h"

#define COMMAND_WORDS_MAX 6u

/* What a command works on. */
struct command_ctx {
	struct node *node;
	struct live *live;
	struct show_base base; /* moved by `clear stats` */
	bool quit;
};

/* `arg`: the words typed for each <...>, a space between them, or NULL. Prints to `out`. */
typedef void (*command_fn)(struct command_ctx *ctx, const char *arg, FILE *out);

struct command {
	const char *words; /* fixed ones, and <...> for what is to be filled in */
	const char *help;
	command_fn run;
};

extern const struct command commands[];
extern const size_t n_commands;

/* librte_cmdline's tables for all commands, NULL-terminated. NULL when memory runs out. */
cmdline_parse_ctx_t *command_table_create(struct command_ctx *ctx);
void command_table_free(cmdline_parse_ctx_t *table);

#endif
