/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Amounts: a number and a unit, both ways. Called by field_scalar.c to read and by want.c,
 * markdown.c and explain.c to write.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "conf/value.h"

#define DIGITS       "0123456789"
#define FRACTION_MAX 12u /* digits behind the point: a Tbit to the bit */

struct unit {
	const char *name;
	uint64_t factor;
};

/* The first is what an example is made of; the decimal ones, from small to large, show amounts. */
static const struct unit size_units[] = {{"MB", 1000000}, {"B", 1}, {"KB", 1000},
	{"GB", 1000000000}, {"TB", 1000000000000}, {"KiB", UINT64_C(1) << 10},
	{"MiB", UINT64_C(1) << 20}, {"GiB", UINT64_C(1) << 30}, {"TiB", UINT64_C(1) << 40}};

static const struct unit rate_units[] = {
	{"kpps", 1000}, {"pps", 1}, {"Mpps", 1000000}, {"Gpps", 1000000000}};

static const struct unit bits_units[] = {{"Gbit", 1000000000}, {"bit", 1}, {"kbit", 1000},
	{"Kbit", 1000}, {"Mbit", 1000000}, {"Tbit", 1000000000000}};

static const struct unit distance_units[] = {{"km", 1000}, {"m", 1}};

static const struct unit time_units[] = {
	{"ms", 1000000}, {"ns", 1}, {"us", 1000}, {"s", 1000000000}};

static const struct unit part_units[] = {{"%", 10000000}, {"ppm", 1000}, {"ppb", 1}};

#define UNITS(u) .unit = (u), .n = BITS_ARRAY_LEN(u)

static const struct kind {
	const struct unit *unit;
	size_t n;
	const char *show[6]; /* the units that amounts are shown in, from large to small */
	bool decimals;
	const char *noun;
	const char *units;
} kinds[] = {
	[AMOUNT_SIZE] = {UNITS(size_units), {"TB", "GB", "MB", "KB", "B"}, false, "a size",
		"size (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)"},
	[AMOUNT_RATE] = {UNITS(rate_units), {"Gpps", "Mpps", "kpps", "pps"}, false, "a rate",
		"rate (pps, kpps, Mpps, Gpps)"},
	[AMOUNT_BITS] = {UNITS(bits_units), {"Tbit", "Gbit", "Mbit", "kbit", "bit"}, true,
		"a bit rate", "bit rate (bit, kbit, Mbit, Gbit, Tbit)"},
	[AMOUNT_DISTANCE] = {UNITS(distance_units), {"km", "m"}, true, "a distance",
		"distance (m, km)"},
	[AMOUNT_TIME] = {UNITS(time_units), {"s", "ms", "us", "ns"}, true, "a time",
		"time (ns, us, ms, s)"},
	[AMOUNT_PART] = {UNITS(part_units), {"%", "ppm", "ppb"}, true, "a part",
		"part (%, ppm, ppb)"},
};

static uint64_t
factor_of(const struct kind *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->unit[i].name, name) == 0)
			return k->unit[i].factor;
	return 1;
}

/* A number as it may stand before a unit: its digits, and those behind a point. */
struct number {
	size_t len; /* of all of it */
	uint64_t whole, part;
	uint64_t scale; /* 10 to the number of digits behind the point */
};

static void
read_fraction(const char *s, size_t n, struct number *ret)
{
	ret->part = 0;
	ret->scale = 1;
	for (size_t i = 0; i < n; i++) {
		ret->part = ret->part * 10 + (uint64_t)(s[i] - '0');
		ret->scale *= 10;
	}
}

static int
read_number(const struct kind *k, const char *s, struct number *ret, struct hint *h)
{
	size_t digits = strspn(s, DIGITS), more = 0;

	if (digits == 0)
		return s[0] == '.' && strspn(s + 1, DIGITS) != 0 && k->decimals
			       ? hint_say(h, "a digit before the point: 0%.40s", s)
			       : -EINVAL;
	if (value_digits(s, digits, &ret->whole, h) != 0)
		return -EINVAL;
	ret->len = digits;
	if (k->decimals && s[digits] == '.') {
		more = strspn(s + digits + 1, DIGITS);
		if (more == 0 || more > FRACTION_MAX)
			return hint_say(h, "1 to %u digits behind the point", FRACTION_MAX);
		ret->len += 1 + more;
	}
	read_fraction(s + digits + 1, more, ret);
	return 0;
}

/* Spellings that are not ours and leave no doubt. */
static bool
is_alias(const char *unit, const char *ours)
{
	static const char *const alias[][2] = {{"kbps", "kbit"}, {"mbps", "Mbit"}, {"gbps", "Gbit"},
		{"tbps", "Tbit"}, {"kbit/s", "kbit"}, {"mbit/s", "Mbit"}, {"gbit/s", "Gbit"},
		{"tbit/s", "Tbit"}, {"gb/s", "Gbit"}, {"mb/s", "Mbit"}, {"\xc2\xb5s", "us"},
		{"usec", "us"}, {"msec", "ms"}, {"sec", "s"}, {"percent", "%"}, {"pct", "%"}};

	for (size_t i = 0; i < BITS_ARRAY_LEN(alias); i++)
		if (strcasecmp(unit, alias[i][0]) == 0 && strcmp(ours, alias[i][1]) == 0)
			return true;
	if (unit[strlen(unit) - 1] == 'B' && strstr(ours, "bit") != NULL)
		return false; /* bytes, eight times as much */
	return strncasecmp(unit, ours, strlen(unit)) == 0;
}

/* The text's number is good and its unit is not. */
static int
unit_hint(const struct kind *k, const char *s, size_t len, struct hint *h)
{
	const char *unit = s + len;
	int number = len < 20 ? (int)len : 20;

	if (*unit == '\0')
		return hint_say(h, "with its unit, such as %.*s%s", number, s, k->unit[0].name);
	if (*unit == '.')
		return hint_say(h, "a whole number and a unit; take a smaller unit");
	if (*unit == '_' || *unit == ',')
		return hint_say(h, "plain digits, no '%c' between them", *unit);
	unit += strspn(unit, " ");
	for (size_t i = 0; i < k->n; i++)
		if (*unit != '\0' && is_alias(unit, k->unit[i].name))
			return hint_say(h, "write %.*s%s", number, s, k->unit[i].name);
	return -EINVAL;
}

/* The number in base units: exact, or not at all. */
static int
scale_number(
	enum amount kind, const struct number *x, uint64_t factor, uint64_t *ret, struct hint *h)
{
	unsigned __int128 part = (unsigned __int128)x->part * factor;
	uint64_t sum;

	if (__builtin_mul_overflow(x->whole, factor, &sum) ||
		__builtin_add_overflow(sum, (uint64_t)(part / x->scale), &sum))
		return hint_say(h, "more than 64 bits hold");
	if (part % x->scale != 0)
		return hint_say(h, "finer than 1%s", amount_base(kind));
	*ret = sum;
	return 0;
}

int
amount_read(enum amount kind, const char *s, uint64_t *ret, struct hint *h)
{
	const struct kind *k = &kinds[kind];
	struct number x;

	hint_say(h, "%s", "");
	if (read_number(k, s, &x, h) != 0)
		return -EINVAL;
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(s + x.len, k->unit[i].name) == 0)
			return scale_number(kind, &x, k->unit[i].factor, ret, h);
	return unit_hint(k, s, x.len, h);
}

const char *
amount_base(enum amount kind)
{
	const struct kind *k = &kinds[kind];
	const char *base = "";

	for (size_t i = 0; i < BITS_ARRAY_LEN(k->show) && k->show[i] != NULL; i++)
		base = k->show[i];
	return base;
}

const char *
amount_noun(enum amount kind)
{
	return kinds[kind].noun;
}

const char *
amount_units(enum amount kind)
{
	return kinds[kind].units;
}

const char *
amount_show(enum amount kind, uint64_t x, char buf[AMOUNT_LEN])
{
	const struct kind *k = &kinds[kind];
	const char *const *show = k->show;

	if (x == 0)
		return snprintf(buf, AMOUNT_LEN, "0%s", k->unit[0].name), buf;
	while (x % factor_of(k, *show) != 0)
		show++;
	snprintf(buf, AMOUNT_LEN, "%" PRIu64 "%s", x / factor_of(k, *show), *show);
	return buf;
}

const char *
amount_round(enum amount kind, uint64_t x, char buf[AMOUNT_LEN])
{
	const struct kind *k = &kinds[kind];
	const char *const *show = k->show;
	uint64_t factor, whole, part;
	int n;

	while (show[1] != NULL && x < factor_of(k, *show))
		show++;
	factor = factor_of(k, *show);
	whole = x / factor;
	part = factor < 1000 ? 0 : x % factor / (factor / 1000);
	n = snprintf(buf, AMOUNT_LEN, "%" PRIu64, whole);
	if (part != 0) {
		n += snprintf(buf + n, AMOUNT_LEN - (size_t)n, ".%03" PRIu64, part);
		while (buf[n - 1] == '0')
			n--;
	}
	snprintf(buf + n, AMOUNT_LEN - (size_t)n, " %s", *show);
	return buf;
}

int
value_size(const char *s, uint64_t *ret, struct hint *h)
{
	return amount_read(AMOUNT_SIZE, s, ret, h);
}

int
value_rate(const char *s, uint64_t *ret, struct hint *h)
{
	return amount_read(AMOUNT_RATE, s, ret, h);
}
