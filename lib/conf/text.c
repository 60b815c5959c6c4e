/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes before YAML: libyaml refuses the same bytes, but does not say in which line. Comes before
 * yaml.c; text_show() serves every message.
 */
#include "conf/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Length of the character at s, and the character; 0 if it is no UTF-8 (RFC 3629). */
static size_t
utf8_decode(const unsigned char *s, size_t left, uint32_t *ret_c)
{
	static const uint32_t least[] = {
		0, 0, 0x80, 0x800, 0x10000}; /* shorter forms exist below */
	size_t n = s[0] < 0x80       ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t c;

	if (n == 0 || n > left)
		return 0;
	c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_c = c;
	return n;
}

/* YAML 1.1 section 4.1; U+FEFF is only allowed at the start, and the caller has taken it off. */
static bool
is_printable(uint32_t c)
{
	if (c < 0x80)
		return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r';
	return c == 0x85 || (c >= 0xa0 && c <= 0xd7ff) ||
	       (c >= 0xe000 && c <= 0xfffd && c != 0xfeff) || c >= 0x10000;
}

/* Line breaks as libyaml counts them: LF, CR, CR LF, NEL, LS, PS. */
static bool
is_break(uint32_t c, const unsigned char *next, const unsigned char *end)
{
	if (c == '\r')
		return next == end || *next != '\n';
	return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static void
pos_step(struct conf_pos *pos, uint32_t c, const unsigned char *next, const unsigned char *end)
{
	if (is_break(c, next, end))
		*pos = (struct conf_pos){.line = pos->line + 1, .col = 1};
	else
		pos->col++;
}

int
text_check(const char *text, size_t len, struct conf_pos *ret_pos, char *what, size_t size)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	struct conf_pos pos = {1, 1};

	while (s < end) {
		uint32_t c = 0;
		size_t n = utf8_decode(s, (size_t)(end - s), &c);

		if (n == 0 || !is_printable(c)) {
			if (n == 0)
				snprintf(what, size, "the byte 0x%02x, which is no UTF-8", *s);
			else if (c == 0)
				snprintf(what, size, "a NUL byte");
			else
				snprintf(what, size, "the control character U+%04X", c);
			*ret_pos = pos;
			return -EINVAL;
		}
		s += n;
		pos_step(&pos, c, s, end);
	}
	return 0;
}

unsigned char
text_at(const char *text, size_t len, struct conf_pos want)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	struct conf_pos pos = {1, 1};

	while (s < end && (pos.line != want.line || pos.col != want.col)) {
		uint32_t c = 0;
		size_t n = utf8_decode(s, (size_t)(end - s), &c);

		s += n ? n : 1;
		pos_step(&pos, c, s, end);
	}
	return s < end ? *s : 0;
}

size_t
text_line_start(const char *text, size_t len, uint32_t line)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	struct conf_pos pos = {1, 1};

	while (s < end && pos.line < line) {
		uint32_t c = 0;
		size_t n = utf8_decode(s, (size_t)(end - s), &c);

		s += n ? n : 1;
		pos_step(&pos, c, s, end);
	}
	return (size_t)(s - (const unsigned char *)text);
}

static bool
is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && strchr("_.:/+-@%~=,*<", s[i]) == NULL)
			return false;
	return len != 0 && memchr(s, 0, len) == NULL;
}

/* One character of a quoted text into `to` (at least 5 bytes); returns the bytes taken from s. */
static size_t
show_char(const unsigned char *s, size_t left, char *to)
{
	uint32_t c;
	size_t n = utf8_decode(s, left, &c);

	if (n == 0 || !is_printable(c) || c < 0x20 || c == 0x85 || (c >= 0x2028 && c <= 0x202e)) {
		snprintf(to, 5, "\\x%02x", *s);
		return 1;
	}
	if (c == '"' || c == '\\') {
		snprintf(to, 5, "\\%c", (int)c);
		return 1;
	}
	memcpy(to, s, n);
	to[n] = '\0';
	return n;
}

const char *
text_show(const char *s, size_t len, char *buf, size_t size)
{
	bool plain = is_plain(s, len);
	size_t at = 0, used = 0;

	if (plain && len <= TEXT_SHOW_MAX) {
		snprintf(buf, size, "%.*s", (int)len, s);
		return buf;
	}
	buf[used++] = '"';
	for (size_t n = 0; at < len && n < TEXT_SHOW_MAX && used + 10 < size; n++) {
		at += show_char((const unsigned char *)s + at, len - at, buf + used);
		used += strlen(buf + used);
	}
	snprintf(buf + used, size - used, at < len ? "...\"" : "\"");
	return buf;
}
