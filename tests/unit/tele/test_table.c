/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables for people: what they look like, to the character. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tele/table.h"

/* Prints and frees the table; the text is the caller's to free(). */
static char *
text_of(struct table *t)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	table_print(t, f);
	fclose(f);
	table_free(t);
	return text;
}

static void
expect_text(struct table *t, const char *want)
{
	char *got = text_of(t);

	cr_assert_str_eq(got, want, "got:\n%swant:\n%s", got, want);
	free(got);
}

Test(table, columns_are_as_wide_as_their_widest_cell)
{
	struct table *t = table_create("port|>packets|note");

	table_text(t, "a");
	table_count(t, 1);
	table_text(t, "x");
	table_text(t, "a-long-name");
	table_count(t, 1234567);
	table_text(t, "%s", "");
	cr_assert_eq(table_rows(t), 2);
	expect_text(t, "port           packets  note\n"
		       "a                    1  x\n"
		       "a-long-name  1,234,567  \n");
}

Test(table, a_last_column_of_numbers_is_right_aligned)
{
	struct table *t = table_create("a|>b");

	table_text(t, "x");
	table_count(t, 1000);
	table_text(t, "y");
	table_count(t, 5);
	expect_text(t, "a      b\nx  1,000\ny      5\n");
}

Test(table, without_rows_the_titles_stand_alone)
{
	cr_assert_eq(table_rows(NULL), 0);
	expect_text(table_create("one|>two"), "one  two\n");
	expect_text(table_create("single"), "single\n");
}

Test(table, long_text_is_cut_and_many_rows_are_not)
{
	struct table *t = table_create("a|>b");
	char longer[300], *text, *line;
	unsigned int lines = 0;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	table_text(t, "%s", longer);
	table_count(t, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		table_text(t, "%u", i);
		table_count(t, i);
	}
	cr_assert_eq(table_rows(t), 1001);
	text = text_of(t);
	cr_assert_not_null(strstr(text, "xxx...  "));
	for (line = text; *line != '\0'; line = strchr(line, '\n') + 1, lines++)
		cr_assert_eq(strchr(line, '\n') - line, TABLE_CELL_MAX - 1 + 2 + 3);
	cr_assert_eq(lines, 1002);
	free(text);
}

Test(table, thousands_are_separated)
{
	static const struct {
		uint64_t n;
		const char *text;
	} row[] = {{0, "0"}, {9, "9"}, {999, "999"}, {1000, "1,000"}, {99999, "99,999"},
		{100000, "100,000"}, {1000000, "1,000,000"},
		{UINT64_MAX, "18,446,744,073,709,551,615"}};
	char buf[32];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		cr_assert_str_eq(table_thousands(row[i].n, buf), row[i].text);
		cr_assert_eq(table_thousands(row[i].n, buf), buf);
	}
}

Test(table, no_memory_is_no_crash)
{
	table_text(NULL, "x");
	table_count(NULL, 1);
	table_print(NULL, stdout);
	table_free(NULL);
}
