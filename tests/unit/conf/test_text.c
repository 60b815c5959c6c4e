/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes before YAML, and texts in messages. */
#include <errno.h>

#include "conf/text.h"
#include "conf_test.h"

static void
expect_bad(const char *s, size_t len, unsigned int line, unsigned int col, const char *want)
{
	struct conf_pos pos = {0};
	char what[64];

	cr_assert_eq(text_check(s, len, &pos, what, sizeof(what)), -EINVAL);
	cr_expect_eq(pos.line, line);
	cr_expect_eq(pos.col, col, "col %u", pos.col);
	cr_expect_str_eq(what, want);
}

Test(text, utf8_and_breaks_are_text)
{
	static const char good[] =
		"a\tb\r\nc\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\xc2\x85\xe2\x80\xa8";
	struct conf_pos pos;
	char what[64];

	cr_expect_eq(text_check(good, sizeof(good) - 1, &pos, what, sizeof(what)), 0);
	cr_expect_eq(text_check("", 0, &pos, what, sizeof(what)), 0);
}

Test(text, positions_count_characters_and_every_break)
{
	expect_bad("a\0", 2, 1, 2, "a NUL byte");
	expect_bad("\xc3\xbc\x01", 3, 1, 2, "the control character U+0001");
	expect_bad("a\nb\r\nc\rd\x7f", 9, 4, 2, "the control character U+007F");
	expect_bad("\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xfe", 9, 4, 1,
		"the byte 0xfe, which is no UTF-8");
	expect_bad("\xef\xbb\xbf", 3, 1, 1, "the control character U+FEFF");
	expect_bad("\xef\xbf\xbe", 3, 1, 1, "the control character U+FFFE");
}

Test(text, at_finds_what_a_position_says)
{
	static const char s[] = "ab\n\xc3\xbc\tc";

	cr_expect_eq(text_at(s, sizeof(s) - 1, (struct conf_pos){1, 1}), 'a');
	cr_expect_eq(text_at(s, sizeof(s) - 1, (struct conf_pos){2, 2}), '\t');
	cr_expect_eq(text_at(s, sizeof(s) - 1, (struct conf_pos){2, 3}), 'c');
	cr_expect_eq(text_at(s, sizeof(s) - 1, (struct conf_pos){2, 4}), 0);
	cr_expect_eq(text_at(s, sizeof(s) - 1, (struct conf_pos){9, 9}), 0);
}

static void
expect_shown(const char *s, size_t len, const char *want)
{
	char buf[4 * TEXT_SHOW_MAX];

	cr_expect_str_eq(text_show(s, len, buf, sizeof(buf)), want);
}

Test(text, is_shown_in_one_line_without_control_characters)
{
	expect_shown("10.0.0.1/8", 10, "10.0.0.1/8");
	expect_shown("a b", 3, "\"a b\"");
	expect_shown("", 0, "\"\"");
	expect_shown("a\"\\b", 4, "\"a\\\"\\\\b\"");
	expect_shown("\x1b[31m\n", 6, "\"\\x1b[31m\\x0a\"");
	expect_shown("a\0b", 3, "\"a\\x00b\"");
	expect_shown("\xc3\xbc", 2, "\"\xc3\xbc\"");
	expect_shown("\xc3", 1, "\"\\xc3\"");
	expect_shown("\xe2\x80\xae", 3, "\"\\xe2\\x80\\xae\""); /* right-to-left override */
}

Test(text, is_cut_when_long)
{
	char s[600], want[80], small[16];

	memset(s, 'a', sizeof(s));
	snprintf(want, sizeof(want), "\"%.*s...\"", (int)TEXT_SHOW_MAX, s);
	expect_shown(s, sizeof(s), want);
	text_show(s, sizeof(s), small, sizeof(small));
	cr_expect_lt(strlen(small), sizeof(small));
	memset(s, 1, sizeof(s)); /* four characters each */
	text_show(s, sizeof(s), want, sizeof(want));
	cr_expect_lt(strlen(want), sizeof(want));
}

Test(text, lines_start_behind_any_break)
{
	static const char s[] = "a\nbc\r\nd\re\xc2\x85"
				"f\xe2\x80\xa8g";
	static const size_t want[] = {0, 2, 6, 8, 11, 15};

	for (uint32_t line = 1; line <= 6; line++)
		cr_expect_eq(text_line_start(s, sizeof(s) - 1, line), want[line - 1], "%u", line);
	cr_expect_eq(text_line_start(s, sizeof(s) - 1, 7), sizeof(s) - 1);
	cr_expect_eq(text_line_start("", 0, 3), 0);
}
