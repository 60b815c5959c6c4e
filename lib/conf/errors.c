/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What went wrong, sorted and bounded. Every step from yaml.c to check.c adds here; the caller of
 * conf_load() prints and frees.
 */
#include "conf/errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
pos_before(struct conf_pos a, struct conf_pos b)
{
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

bool
errors_takes(const struct conf_errors *e, struct conf_pos pos)
{
	return e->n < CONF_ERRORS_MAX || pos_before(pos, e->error[e->n - 1].pos);
}

/* Makes room for one at `pos` and returns its index; there is some, errors_takes() said. */
static size_t
open_slot(struct conf_errors *e, struct conf_pos pos)
{
	size_t at = e->n;

	if (e->n == CONF_ERRORS_MAX) {
		free(e->error[--e->n].text);
		e->n_left_out++;
		at = e->n;
	}
	while (at > 0 && pos_before(pos, e->error[at - 1].pos))
		at--;
	memmove(&e->error[at + 1], &e->error[at], (e->n - at) * sizeof(e->error[0]));
	e->n++;
	return at;
}

void
errors_vadd(struct conf_errors *e, struct conf_pos pos, const char *fmt, va_list ap)
{
	char *text;
	size_t at;

	if (e->error == NULL)
		e->error = calloc(CONF_ERRORS_MAX, sizeof(e->error[0]));
	if (e->error == NULL || !errors_takes(e, pos) || vasprintf(&text, fmt, ap) < 0) {
		e->n_left_out++;
		return;
	}
	at = open_slot(e, pos);
	e->error[at] = (struct conf_error){.pos = pos, .text = text};
}

void
errors_add(struct conf_errors *e, struct conf_pos pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	errors_vadd(e, pos, fmt, ap);
	va_end(ap);
}

void
conf_errors_fini(struct conf_errors *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->error[i].text);
	free(e->error);
	*e = (struct conf_errors){0};
}

void
conf_errors_print(const struct conf_errors *e, const char *file, FILE *out)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct conf_error *x = &e->error[i];

		if (x->pos.line == 0)
			fprintf(out, "%s: %s\n", file, x->text);
		else
			fprintf(out, "%s:%u:%u: %s\n", file, x->pos.line, x->pos.col, x->text);
	}
	if (e->n_left_out != 0)
		fprintf(out, "%s: and %zu more\n", file, e->n_left_out);
}
