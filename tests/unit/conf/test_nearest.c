/* SPDX-License-Identifier: BSD-3-Clause */
/* The word that was meant. */
#include "conf/nearest.h"
#include "conf_test.h"

static const char *
nearest_of(const char *word, const char *const *candidate, size_t n)
{
	struct nearest near;

	nearest_init(&near, word);
	for (size_t i = 0; i < n; i++)
		nearest_offer(&near, candidate[i]);
	return near.best;
}

Test(nearest, is_a_letter_more_less_other_or_swapped_away)
{
	static const char *const keys[] = {"name", "device", "role", "mac", "promiscuous", "mtu"};

	cr_expect_str_eq(nearest_of("mtuu", keys, 6), "mtu");
	cr_expect_str_eq(nearest_of("mt", keys, 6), "mtu");
	cr_expect_str_eq(nearest_of("mtv", keys, 6), "mtu");
	cr_expect_str_eq(nearest_of("mut", keys, 6), "mtu");
	cr_expect_str_eq(nearest_of("promiscous", keys, 6), "promiscuous");
	cr_expect_str_eq(nearest_of("promiscious", keys, 6), "promiscuous");
	cr_expect_str_eq(nearest_of("dveice", keys, 6), "device");
}

Test(nearest, is_nothing_when_nothing_is_near)
{
	static const char *const keys[] = {
		"name", "device", "role", "mac", "promiscuous", "mtu", "a"};

	cr_expect_null(nearest_of("distance", keys, 7));
	cr_expect_null(nearest_of("", keys, 7));
	cr_expect_null(nearest_of("b", keys, 7));
	cr_expect_null(nearest_of("xxx", keys, 7));
}

Test(nearest, prefers_the_nearer_and_bears_long_words)
{
	static const char *const keys[] = {"members", "member", "numbers"};
	char word[500];

	cr_expect_str_eq(nearest_of("membr", keys, 3), "member");
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	cr_expect_null(nearest_of(word, keys, 3));
	cr_expect_null(nearest_of("members", (const char *const[]){word}, 1));
}
