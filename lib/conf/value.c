/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers, words and names. Amounts are in value_amount.c, addresses in value_addr.c. Called by
 * field_scalar.c, which knows the range and writes the message around the hint.
 */
#include "conf/value.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"

#define DIGITS     "0123456789"
#define HEX_DIGITS "0123456789abcdefABCDEF"

int
hint_say(struct hint *h, const char *fmt, ...)
{
	va_list ap;

	if (h == NULL)
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(h->text, sizeof(h->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* What is wrong with a text that starts with a digit and is no plain decimal. */
static int
number_hint(const char *s, struct hint *h)
{
	size_t digits = strspn(s, DIGITS);
	char c = s[digits];

	if (s[0] == '0' && (c == 'x' || c == 'X'))
		return hint_say(h, "decimal, not hexadecimal");
	if (s[0] == '0' && (c == 'o' || c == 'b'))
		return hint_say(h, "decimal, not octal or binary");
	if (c == '_' || c == ',')
		return hint_say(h, "plain digits, no '%c' between them", c);
	if ((c == 'e' || c == 'E') && s[digits + 1] != '\0')
		return hint_say(h, "digits written out, no exponent");
	if (c == '.')
		return hint_say(h, "a whole number");
	if (c == ':')
		return hint_say(h, "plain decimal, nothing to base 60");
	return hint_say(h, "plain digits, no unit");
}

int
value_digits(const char *s, size_t n, uint64_t *ret, struct hint *h)
{
	uint64_t x = 0;
	size_t zeros = strspn(s, "0");

	if (n > 1 && zeros > 0)
		return hint_say(h, "no leading zeros: %.*s", zeros < n ? (int)(n - zeros) : 1,
			zeros < n ? s + zeros : "0");
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(x, 10u, &x) ||
			__builtin_add_overflow(x, (uint64_t)(s[i] - '0'), &x))
			return hint_say(h, "more than 64 bits hold");
	*ret = x;
	return 0;
}

int
value_int(const char *s, uint64_t *ret, struct hint *h)
{
	size_t digits = strspn(s, DIGITS);

	hint_say(h, "%s", "");
	if (digits != 0 && s[digits] == '\0')
		return value_digits(s, digits, ret, h);
	if (digits != 0)
		return number_hint(s, h);
	if ((s[0] == '-' || s[0] == '+') && strspn(s + 1, DIGITS) != 0)
		return hint_say(h, "no sign");
	return -EINVAL;
}

int
value_hex(const char *s, uint64_t *ret, struct hint *h)
{
	bool prefix = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const char *digits = prefix ? s + 2 : s;
	size_t n = strspn(digits, HEX_DIGITS);

	hint_say(h, "%s", "");
	if (n == 0 || digits[n] != '\0')
		return prefix ? hint_say(h, "0x and hex digits") : -EINVAL;
	if (!prefix)
		return hint_say(h, "with 0x before it");
	if (strspn(digits, "0") + 16 < n)
		return hint_say(h, "more than 64 bits hold");
	*ret = strtoull(digits, NULL, 16);
	return 0;
}

int
value_bool(const char *s, bool *ret, struct hint *h)
{
	static const char *const yes[] = {"true", "yes", "on", "y", "1"};
	static const char *const no[] = {"false", "no", "off", "n", "0"};

	hint_say(h, "%s", "");
	if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0) {
		*ret = s[0] == 't';
		return 0;
	}
	for (size_t i = 0; i < BITS_ARRAY_LEN(yes); i++) {
		if (strcasecmp(s, yes[i]) == 0)
			return hint_say(h, "write true");
		if (strcasecmp(s, no[i]) == 0)
			return hint_say(h, "write false");
	}
	return -EINVAL;
}

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

int
value_name(const char *s, size_t len, struct hint *h)
{
	bool upper = false, other = len == 0;

	hint_say(h, "%s", "");
	for (size_t i = 0; i < len; i++) {
		if (s[i] >= 'A' && s[i] <= 'Z')
			upper = true;
		else if (!is_name_char(s[i]) && (i == 0 || s[i] == '\0' || !strchr("_.-", s[i])))
			other = true;
	}
	if (len >= CONF_NAME_MAX)
		return hint_say(h, "it has %zu characters", len);
	if (upper && !other)
		return hint_say(h, "lower case");
	return upper || other ? -EINVAL : 0;
}

/* A number of at most 63, without hints of its own: the caller's says more. */
static int
read_dscp(const char *s, size_t len, uint64_t *ret)
{
	if (len == 0 || len > 2 || value_digits(s, len, ret, NULL) != 0)
		return -EINVAL;
	return *ret < CONF_DSCPS ? 0 : -EINVAL;
}

int
value_dscp(const char *s, uint64_t *ret_mask, struct hint *h)
{
	size_t digits = strspn(s, DIGITS);
	uint64_t from = 0, to = 0;
	bool range = s[digits] == '-';

	hint_say(h, "%s", "");
	if (digits == 0)
		return hint_say(h, "a number, not a name");
	if (!range && s[digits] != '\0')
		return number_hint(s, h);
	if (read_dscp(s, digits, &from) != 0)
		return hint_say(h, "plain decimal, at most 63");
	to = from;
	if (range) {
		const char *end = s + digits + 1;
		size_t n = strspn(end, DIGITS);

		if (end[n] != '\0' || read_dscp(end, n, &to) != 0)
			return hint_say(h, "plain decimal, at most 63");
	}
	if (to < from)
		return hint_say(
			h, "the lower end first: %u-%u", (unsigned int)to, (unsigned int)from);
	*ret_mask = (UINT64_MAX >> (63 - (to - from))) << from;
	return 0;
}
