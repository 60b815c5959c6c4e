/* SPDX-License-Identifier: BSD-3-Clause */
/* Aligned tables for the console, the live view and softbag-replay. */
#include "tele/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct table {
	size_t n_columns, n_cells, n_max;
	bool right[TABLE_COLUMNS_MAX];
	char title[TABLE_COLUMNS_MAX][TABLE_CELL_MAX];
	char (*cell)[TABLE_CELL_MAX];
};

struct table *
table_create(const char *columns)
{
	struct table *t = calloc(1, sizeof(*t));

	while (t != NULL && t->n_columns < TABLE_COLUMNS_MAX) {
		size_t len = strcspn(columns, "|");
		bool right = columns[0] == '>';
		size_t c = t->n_columns++;

		t->right[c] = right;
		snprintf(t->title[c], TABLE_CELL_MAX, "%.*s", (int)(len - right), columns + right);
		if (columns[len] == '\0')
			break;
		columns += len + 1;
	}
	return t;
}

void
table_free(struct table *t)
{
	if (t == NULL)
		return;
	free(t->cell);
	free(t);
}

static char *
next_cell(struct table *t)
{
	if (t->n_cells == t->n_max) {
		size_t max = t->n_max == 0 ? 128 : t->n_max * 2;
		void *bigger = reallocarray(t->cell, max, TABLE_CELL_MAX);

		if (bigger == NULL)
			return NULL;
		t->cell = bigger;
		t->n_max = max;
	}
	return t->cell[t->n_cells++];
}

void
table_text(struct table *t, const char *format, ...)
{
	va_list args;
	char *cell = t == NULL ? NULL : next_cell(t);

	if (cell == NULL)
		return;
	va_start(args, format);
	if (vsnprintf(cell, TABLE_CELL_MAX, format, args) >= (int)TABLE_CELL_MAX)
		memcpy(cell + TABLE_CELL_MAX - 4, "...", 4);
	va_end(args);
}

const char *
table_thousands(uint64_t n, char *buf)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	char *out = buf;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

void
table_count(struct table *t, uint64_t n)
{
	char buf[32];

	table_text(t, "%s", table_thousands(n, buf));
}

static size_t
column_width(const struct table *t, size_t column)
{
	size_t width = strlen(t->title[column]);

	for (size_t i = column; i < t->n_cells; i += t->n_columns)
		if (strlen(t->cell[i]) > width)
			width = strlen(t->cell[i]);
	return width;
}

static void
print_cell(const struct table *t, size_t column, size_t width, const char *text, FILE *out)
{
	bool last = column + 1 == t->n_columns;

	if (t->right[column])
		fprintf(out, "%*s", (int)width, text);
	else
		fprintf(out, "%-*s", last ? 0 : (int)width, text);
	fputs(last ? "\n" : "  ", out);
}

void
table_print(const struct table *t, FILE *out)
{
	size_t width[TABLE_COLUMNS_MAX];

	if (t == NULL)
		return;
	for (size_t c = 0; c < t->n_columns; c++)
		width[c] = column_width(t, c);
	for (size_t c = 0; c < t->n_columns; c++)
		print_cell(t, c, width[c], t->title[c], out);
	for (size_t i = 0; i < t->n_cells; i++)
		print_cell(t, i % t->n_columns, width[i % t->n_columns], t->cell[i], out);
}

size_t
table_rows(const struct table *t)
{
	return t == NULL ? 0 : (t->n_cells + t->n_columns - 1) / t->n_columns;
}
