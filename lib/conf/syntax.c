/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that is no YAML: libyaml says what its scanner missed, people want to know what they
 * wrote. Called by yaml.c, once a file.
 */
#include "conf/syntax.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "conf/text.h"

static const struct {
	const char *problem; /* a part of libyaml's */
	const char *say;
} sayings[] = {
	{"mapping values are not allowed", "got a ':' that makes no key here, want quotes around a "
					   "value that holds ': ' or ends in ':' "
					   "(\"10:10::\")"},
	{"found unexpected ':'",
		"got a value that ends in ':', want quotes around it (\"10:10::\")"},
	{"did not find expected ',' or ']'", "got no ',' or ']', want the end of a list"},
	{"did not find expected ',' or '}'", "got no ',' or '}', want the end of a mapping"},
	{"did not find expected key",
		"got something that is no key, want `key: value` in the column of the keys above"},
	{"did not find expected '-' indicator",
		"got something that is no item, want '- ' in the column of the items above"},
	{"could not find expected ':'", "got a text alone, want `key: value`"},
	{"found unexpected end of stream", "got the end of the file, want the closing quote"},
	{"did not find expected node content",
		"got something else where a value or an item belongs, want one"},
	{"block sequence entries are not allowed",
		"got '- ' that starts no list here, want it in a line of its own"},
	{"found unknown escape character",
		"got an unknown escape, want '\\\\' for a backslash in double quotes"},
	{"did not find expected <document start>",
		"got more after the document's end, want one document a file"},
	{"invalid indentation",
		"got an item that is not indented as the others, want them in one column"},
};

static void
bad_character(unsigned char c, struct conf_pos pos, struct conf_errors *e)
{
	if (c == '\t')
		errors_add(e, pos, "syntax: got a tab, want spaces for indentation");
	else
		errors_add(
			e, pos, "syntax: got '%c' at the start of a value, want it in quotes", c);
}

static void
say_problem(const char *problem, const char *context, struct conf_pos from, struct conf_pos pos,
	struct conf_errors *e)
{
	char where[64] = "";

	if (context != NULL && from.line != 0 && (from.line != pos.line || from.col != pos.col))
		snprintf(where, sizeof(where), " (begun at %u:%u)", from.line, from.col);
	for (size_t i = 0; i < BITS_ARRAY_LEN(sayings); i++) {
		if (strstr(problem, sayings[i].problem) == NULL)
			continue;
		errors_add(e, pos, "syntax: %s%s", sayings[i].say, where);
		return;
	}
	errors_add(e, pos, "syntax: got what is no YAML (%s%s%s), want YAML 1.1%s",
		context ? context : "", context ? ": " : "", problem, where);
}

int
syntax_error(const yaml_parser_t *p, const char *s, size_t len, struct conf_errors *e)
{
	struct conf_pos pos = {
		(uint32_t)p->problem_mark.line + 1, (uint32_t)p->problem_mark.column + 1};
	struct conf_pos from = {
		(uint32_t)p->context_mark.line + 1, (uint32_t)p->context_mark.column + 1};
	const char *problem = p->problem ? p->problem : "";
	unsigned char c;

	if (p->error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	c = text_at(s, len, pos);
	if (strstr(problem, "cannot start any token") || (c == '\t' && strstr(problem, "tab")))
		bad_character(c, pos, e);
	else
		say_problem(problem, p->context, from, pos, e);
	return -EINVAL;
}
