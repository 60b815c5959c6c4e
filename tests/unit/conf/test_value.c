/* SPDX-License-Identifier: BSD-3-Clause */
/* Notations of numbers, sizes, rates, names and DSCPs, against what they should give. */
#include <errno.h>

#include "conf/value.h"
#include "conf_test.h"

struct number {
	const char *s;
	uint64_t want;
};

static void
expect_numbers(
	int (*read)(const char *, uint64_t *, struct hint *), const struct number *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t got = 0;

		cr_expect_eq(read(n[i].s, &got, NULL), 0, "%s", n[i].s);
		cr_expect_eq(got, n[i].want, "%s", n[i].s);
	}
}

static void
expect_refused(
	int (*read)(const char *, uint64_t *, struct hint *), const char *const *s, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t got = 7;
		struct hint h;

		cr_expect_eq(read(s[i], &got, &h), -EINVAL, "%s", s[i]);
		cr_expect_eq(got, 7, "%s changed it", s[i]);
	}
}

#define N(a) (sizeof(a) / sizeof((a)[0]))

Test(value, hexadecimal)
{
	static const struct number good[] = {{"0x0", 0}, {"0x88b5", 0x88b5}, {"0X88B5", 0x88b5},
		{"0x00000000000000000000000000000000088b5", 0x88b5},
		{"0xffffffffffffffff", UINT64_MAX}};
	static const char *const bad[] = {"", "0", "0x", "x1", "88b5", "34997", "0x 1", "0x1 ",
		"-0x1", "0x-1", "0x+1", "0x0x1", "0x1g", "0x1.0", "0x10000000000000000"};

	expect_numbers(value_hex, good, N(good));
	expect_refused(value_hex, bad, N(bad));
}

Test(value, integers)
{
	static const struct number good[] = {
		{"0", 0}, {"7", 7}, {"10", 10}, {"18446744073709551615", UINT64_MAX}};
	static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "01", "00", "1e3", "1_000",
		"0x10", "1.0", "1:30", "18446744073709551616", "99999999999999999999", "\xd9\xa1",
		"a", "1a"};

	expect_numbers(value_int, good, N(good));
	expect_refused(value_int, bad, N(bad));
}

Test(value, sizes)
{
	static const struct number good[] = {{"0B", 0}, {"1B", 1}, {"64KB", 64000},
		{"512MB", 512000000}, {"1GB", 1000000000}, {"1TB", 1000000000000}, {"1KiB", 1024},
		{"3MiB", 3145728}, {"1GiB", 1073741824}, {"1TiB", 1099511627776},
		{"18446744073709551615B", UINT64_MAX}, {"16777215TiB", UINT64_C(16777215) << 40}};
	static const char *const bad[] = {"", "B", "MB", "512", "512M", "512mb", "512 MB", "1.5GB",
		"0512MB", "1e3MB", "-1MB", "512MB ", "512MBB", "512Mbit", "16777216TiB",
		"18446744073709551616B", "18446745TB"};

	expect_numbers(value_size, good, N(good));
	expect_refused(value_size, bad, N(bad));
}

Test(value, rates)
{
	static const struct number good[] = {
		{"1pps", 1}, {"20kpps", 20000}, {"3Mpps", 3000000}, {"2Gpps", 2000000000}};
	static const char *const bad[] = {
		"20", "20k", "20Kpps", "3mpps", "pps", "20kpps/s", "2.5Mpps"};

	expect_numbers(value_rate, good, N(good));
	expect_refused(value_rate, bad, N(bad));
}

Test(value, dscps)
{
	static const struct number good[] = {{"0", 1}, {"63", UINT64_C(1) << 63},
		{"0-63", UINT64_MAX}, {"24-31", UINT64_C(0xff) << 24}, {"62-63", UINT64_C(3) << 62},
		{"5-5", 32}};
	static const char *const bad[] = {"", "-", "-5", "5-", "64", "0-64", "31-24", "05", "5-05",
		"1-2-3", "1 - 2", "ef", "0x1", "100000000000000000000"};

	expect_numbers(value_dscp, good, N(good));
	expect_refused(value_dscp, bad, N(bad));
}

Test(value, booleans)
{
	static const char *const bad[] = {
		"", "True", "TRUE", "yes", "no", "on", "off", "y", "n", "1", "0"};
	bool got = false;

	cr_expect_eq(value_bool("true", &got, NULL), 0);
	cr_expect(got);
	cr_expect_eq(value_bool("false", &got, NULL), 0);
	cr_expect_not(got);
	for (size_t i = 0; i < N(bad); i++)
		cr_expect_eq(value_bool(bad[i], &got, NULL), -EINVAL, "%s", bad[i]);
}

Test(value, names)
{
	static const char *const good[] = {"a", "0", "nsf0", "to-west", "a.b_c-d", "eth0.100",
		"abcdefghijklmnopqrstuvwxyz01234"};
	static const char *const bad[] = {"", "-a", ".a", "_a", "A", "a b", "a/b", "\xc3\xbc",
		"a\n", "abcdefghijklmnopqrstuvwxyz012345"};

	for (size_t i = 0; i < N(good); i++)
		cr_expect_eq(value_name(good[i], strlen(good[i]), NULL), 0, "%s", good[i]);
	for (size_t i = 0; i < N(bad); i++)
		cr_expect_eq(value_name(bad[i], strlen(bad[i]), NULL), -EINVAL, "%s", bad[i]);
	cr_expect_eq(value_name("a\0b", 3, NULL), -EINVAL);
}
