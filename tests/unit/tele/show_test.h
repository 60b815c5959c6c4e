/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of `show` share. */
#ifndef TESTS_TELE_SHOW_TEST_H
#define TESTS_TELE_SHOW_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

/* Runs `call`, which prints to `f`; what it printed replaces what `text` held, on the heap. */
#define CAPTURE(text, call)                                                                        \
	do {                                                                                       \
		size_t capture_len;                                                                \
		FILE *f;                                                                           \
		free(text);                                                                        \
		f = open_memstream(&(text), &capture_len);                                         \
		call;                                                                              \
		fclose(f);                                                                         \
	} while (0)

/* Columns are as wide as what is in them: runs of spaces become one, at the ends of a line none. */
static inline void
show_squeeze(char *text)
{
	size_t n = 0;

	for (const char *c = text; *c != '\0'; c++)
		if (*c != ' ' || (n != 0 && text[n - 1] != '\n' && c[1] != ' ' && c[1] != '\n'))
			text[n++] = *c;
	text[n] = '\0';
}

/* `text` holds `words` when it is squeezed. */
static inline void
show_has(const char *text, const char *words)
{
	char *squeezed = strdup(text);

	show_squeeze(squeezed);
	cr_assert_not_null(strstr(squeezed, words), "no `%s` in:\n%s", words, text);
	free(squeezed);
}

#endif
