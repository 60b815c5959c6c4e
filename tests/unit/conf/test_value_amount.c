/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts: exact or not at all, and back to what a file could have. */
#include <errno.h>

#include "conf/value.h"
#include "conf_test.h"

struct row_of {
	enum amount kind;
	const char *s;
	uint64_t want;
};

Test(value_amount, good_ones_come_to_base_units)
{
	static const struct row_of rows[] = {
		{AMOUNT_BITS, "1bit", 1},
		{AMOUNT_BITS, "10kbit", 10000},
		{AMOUNT_BITS, "10Kbit", 10000},
		{AMOUNT_BITS, "10Mbit", 10000000},
		{AMOUNT_BITS, "10Gbit", UINT64_C(10000000000)},
		{AMOUNT_BITS, "2.5Gbit", UINT64_C(2500000000)},
		{AMOUNT_BITS, "0.4Tbit", UINT64_C(400000000000)},
		{AMOUNT_BITS, "1.000000001Gbit", UINT64_C(1000000001)},
		{AMOUNT_BITS, "0.000000000001Tbit", 1},
		{AMOUNT_DISTANCE, "80km", 80000},
		{AMOUNT_DISTANCE, "0.5km", 500},
		{AMOUNT_DISTANCE, "1.50km", 1500},
		{AMOUNT_DISTANCE, "20000km", 20000000},
		{AMOUNT_DISTANCE, "7m", 7},
		{AMOUNT_DISTANCE, "7.0m", 7},
		{AMOUNT_TIME, "1ns", 1},
		{AMOUNT_TIME, "1.5us", 1500},
		{AMOUNT_TIME, "5ms", 5000000},
		{AMOUNT_TIME, "1s", 1000000000},
		{AMOUNT_PART, "20%", 200000000},
		{AMOUNT_PART, "0.1%", 1000000},
		{AMOUNT_PART, "100%", 1000000000},
		{AMOUNT_PART, "0.0000001%", 1},
		{AMOUNT_PART, "1ppm", 1000},
		{AMOUNT_PART, "0.5ppm", 500},
		{AMOUNT_PART, "3ppb", 3},
		{AMOUNT_PART, "0%", 0},
		{AMOUNT_SIZE, "64MB", 64000000},
		{AMOUNT_RATE, "20kpps", 20000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got = 0;

		cr_expect_eq(amount_read(rows[i].kind, rows[i].s, &got, NULL), 0, "%s", rows[i].s);
		cr_expect_eq(got, rows[i].want, "%s: %lu", rows[i].s, got);
	}
}

Test(value_amount, bad_ones_say_what_helps)
{
	static const struct {
		enum amount kind;
		const char *s, *hint;
	} rows[] = {
		{AMOUNT_BITS, "10", "with its unit, such as 10Gbit"},
		{AMOUNT_BITS, "10Gbps", "write 10Gbit"},
		{AMOUNT_BITS, "10gbit", "write 10Gbit"},
		{AMOUNT_BITS, "10 Gbit", "write 10Gbit"},
		{AMOUNT_BITS, "10G", "write 10Gbit"},
		{AMOUNT_BITS, "10Gb/s", "write 10Gbit"},
		{AMOUNT_BITS, "10GB", ""},
		{AMOUNT_BITS, "1e10bit", ""},
		{AMOUNT_BITS, "0.5bit", "finer than 1bit"},
		{AMOUNT_BITS, "1.Gbit", "1 to 12 digits behind the point"},
		{AMOUNT_BITS, ".5Gbit", "a digit before the point: 0.5Gbit"},
		{AMOUNT_BITS, "1.0000000000001Tbit", "1 to 12 digits behind the point"},
		{AMOUNT_BITS, "010Gbit", "no leading zeros: 10"},
		{AMOUNT_BITS, "1_000Mbit", "plain digits, no '_' between them"},
		{AMOUNT_BITS, "18446745Tbit", "more than 64 bits hold"},
		{AMOUNT_BITS, "-1Gbit", ""},
		{AMOUNT_BITS, "1.2.3Gbit", "a whole number and a unit; take a smaller unit"},
		{AMOUNT_DISTANCE, "0.0005km", "finer than 1m"},
		{AMOUNT_DISTANCE, "80", "with its unit, such as 80km"},
		{AMOUNT_DISTANCE, "80KM", "write 80km"},
		{AMOUNT_DISTANCE, "5mi", ""},
		{AMOUNT_TIME, "0.5ns", "finer than 1ns"},
		{AMOUNT_TIME, "5\xc2\xb5s", "write 5us"},
		{AMOUNT_TIME, "5msec", "write 5ms"},
		{AMOUNT_TIME, "5", "with its unit, such as 5ms"},
		{AMOUNT_PART, "0.2", "with its unit, such as 0.2%"},
		{AMOUNT_PART, "20 %", "write 20%"},
		{AMOUNT_PART, "0.5ppb", "finer than 1ppb"},
		{AMOUNT_SIZE, "1.5GB", "a whole number and a unit; take a smaller unit"},
		{AMOUNT_SIZE, "", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got = 7;
		struct hint h;

		cr_expect_eq(
			amount_read(rows[i].kind, rows[i].s, &got, &h), -EINVAL, "%s", rows[i].s);
		cr_expect_eq(got, 7, "%s changed it", rows[i].s);
		cr_expect_str_eq(h.text, rows[i].hint, "%s: %s", rows[i].s, h.text);
	}
}

Test(value_amount, shown_as_a_file_could_have_them)
{
	static const struct row_of rows[] = {
		{AMOUNT_SIZE, "512MB", 512000000},
		{AMOUNT_SIZE, "1024B", 1024},
		{AMOUNT_SIZE, "0MB", 0},
		{AMOUNT_BITS, "2500Mbit", UINT64_C(2500000000)},
		{AMOUNT_BITS, "1Tbit", UINT64_C(1000000000000)},
		{AMOUNT_DISTANCE, "80500m", 80500},
		{AMOUNT_DISTANCE, "80km", 80000},
		{AMOUNT_TIME, "1s", 1000000000},
		{AMOUNT_TIME, "1500us", 1500000},
		{AMOUNT_PART, "100%", 1000000000},
		{AMOUNT_PART, "1ppm", 1000},
		{AMOUNT_PART, "7ppb", 7},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char buf[AMOUNT_LEN];
		uint64_t back = 0;

		cr_expect_str_eq(amount_show(rows[i].kind, rows[i].want, buf), rows[i].s);
		cr_expect_eq(amount_read(rows[i].kind, buf, &back, NULL), 0);
		cr_expect_eq(back, rows[i].want);
	}
}

Test(value_amount, rounded_for_people)
{
	static const struct row_of rows[] = {
		{AMOUNT_SIZE, "0 B", 0},
		{AMOUNT_SIZE, "999 B", 999},
		{AMOUNT_SIZE, "1 KB", 1000},
		{AMOUNT_SIZE, "11.253 MB", 11253140},
		{AMOUNT_SIZE, "10 MB", 10000999},
		{AMOUNT_SIZE, "1.05 GB", 1050000000},
		{AMOUNT_TIME, "335.539 us", 335539},
		{AMOUNT_PART, "1000 ppm", 1000000},
		{AMOUNT_PART, "5 %", 50000000},
		{AMOUNT_DISTANCE, "80.5 km", 80500},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char buf[AMOUNT_LEN];

		cr_expect_str_eq(amount_round(rows[i].kind, rows[i].want, buf), rows[i].s);
	}
}
