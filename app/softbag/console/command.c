/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the list of commands (show.c) to the token tables of librte_cmdline, which ties data to a
 * command at build time; here they are built at run time, so that no global leads to the node.
 */
#include "console/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmdline.h>
#include <cmdline_parse_string.h>

struct words {
	cmdline_fixed_string_t word[COMMAND_WORDS_MAX];
};

/* One command as librte_cmdline wants it: the instruction, its tokens, their texts. */
struct built {
	const struct command *command;
	struct command_ctx *ctx;
	unsigned int n_words;
	uint8_t args; /* bit i: word i is to be filled in */
	char text[COMMAND_WORDS_MAX][32];
	cmdline_parse_token_string_t token[COMMAND_WORDS_MAX];
	/* last: ends in an array of token pointers, ours follow */
	struct {
		void (*f)(void *, struct cmdline *, void *);
		void *data;
		const char *help_str;
		cmdline_parse_token_hdr_t *tokens[COMMAND_WORDS_MAX + 1];
	} inst;
};

_Static_assert(offsetof(cmdline_parse_inst_t, tokens) ==
		       offsetof(struct built, inst.tokens) - offsetof(struct built, inst),
	"inst is laid out like cmdline_parse_inst_t");

/* What was typed for each <...>, a space between them; false when there is none to be filled in. */
static bool
arguments(const struct built *b, const struct words *words, char *ret, size_t size)
{
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned int i = 0; i < b->n_words; i++)
		if (b->args >> i & 1 && len < size)
			len += (size_t)snprintf(
				ret + len, size - len, "%s%s", len == 0 ? "" : " ", words->word[i]);
	return b->args != 0;
}

static void
run(void *parsed, struct cmdline *cl, void *data)
{
	const struct built *b = data;
	char arg[COMMAND_WORDS_MAX * sizeof(cmdline_fixed_string_t)];
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return;
	b->command->run(b->ctx, arguments(b, parsed, arg, sizeof(arg)) ? arg : NULL, out);
	fclose(out);
	cmdline_printf(cl, "%s", text);
	free(text);
	if (b->ctx->quit)
		cmdline_quit(cl);
}

static struct built *
build_one(const struct command *command, struct command_ctx *ctx)
{
	struct built *b = calloc(1, sizeof(*b));
	const char *p = command->words;

	while (b != NULL && *p != '\0' && b->n_words < COMMAND_WORDS_MAX) {
		unsigned int i = b->n_words++;
		size_t len = strcspn(p, " ");

		snprintf(b->text[i], sizeof(b->text[i]), "%.*s", (int)len, p);
		b->args |= (uint8_t)((p[0] == '<') << i);
		b->token[i].hdr.ops = &cmdline_token_string_ops;
		b->token[i].hdr.offset = (unsigned int)offsetof(struct words, word[i]);
		b->token[i].string_data.str = p[0] == '<' ? NULL : b->text[i];
		b->inst.tokens[i] = &b->token[i].hdr;
		p += len;
		p += *p == ' ';
	}
	if (b == NULL)
		return NULL;
	b->command = command;
	b->ctx = ctx;
	b->inst.f = run;
	b->inst.data = b;
	b->inst.help_str = command->help;
	return b;
}

cmdline_parse_ctx_t *
command_table_create(struct command_ctx *ctx)
{
	cmdline_parse_ctx_t *table = calloc(n_commands + 1, sizeof(*table));

	for (size_t i = 0; table != NULL && i < n_commands; i++) {
		struct built *b = build_one(&commands[i], ctx);

		if (b == NULL) {
			command_table_free(table);
			return NULL;
		}
		table[i] = (cmdline_parse_inst_t *)&b->inst;
	}
	return table;
}

void
command_table_free(cmdline_parse_ctx_t *table)
{
	for (size_t i = 0; table != NULL && table[i] != NULL; i++)
		free(((cmdline_parse_inst_t *)table[i])->data);
	free(table);
}
