/* SPDX-License-Identifier: BSD-3-Clause */
/* What to say of a line that is no command. console.c asks; the commands are show.c's. */
#include "console/suggest.h"

#include <string.h>

#include "conf/nearest.h"
#include "console/command.h"

#define LINE_MAX_LEN 128u

/* The line with one space between its words and none around them. */
static void
squeeze(const char *line, char *ret, size_t size)
{
	size_t n = 0;

	for (const char *p = line; *p != '\0' && n + 2 < size;) {
		size_t len = strcspn(p, " \t\r\n");

		len = len < size - n - 2 ? len : size - n - 2;
		if (len != 0 && n != 0)
			ret[n++] = ' ';
		memcpy(ret + n, p, len);
		n += len;
		p += len;
		p += strspn(p, " \t\r\n");
	}
	ret[n] = '\0';
}

/* Names the commands that begin with these words; false when none does. */
static bool
list_longer(const char *words, FILE *out)
{
	size_t len = strlen(words), n = 0;

	for (size_t i = 0; i < n_commands; i++)
		if (strncmp(commands[i].words, words, len) == 0 && commands[i].words[len] == ' ')
			fprintf(out, "%s%s", n++ == 0 ? "" : ", ", commands[i].words);
	return n != 0;
}

void
suggest(const char *line, FILE *out)
{
	char words[LINE_MAX_LEN];
	struct nearest near;

	squeeze(line, words, sizeof(words));
	nearest_init(&near, words);
	for (size_t i = 0; i < n_commands; i++)
		nearest_offer(&near, commands[i].words);
	fprintf(out, "There is no command %s", words);
	if (near.best != NULL) {
		fprintf(out, "; the nearest is %s", near.best);
	} else {
		fputs("; there are ", out);
		if (!list_longer(words, out))
			fputs("those that help lists", out);
	}
	fputs(".", out);
}
