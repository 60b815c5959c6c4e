/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and texts: each there, each once, each fit for a counter and for people. */
#include <ctype.h>
#include <string.h>

#include <criterion/criterion.h>

#include "pkt/burst.h"

static void
check_name(const char *name)
{
	cr_assert_not_null(name);
	cr_assert_gt(strlen(name), 2);
	for (const char *c = name; *c != '\0'; c++)
		cr_assert(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_',
			"%s is part of JSON keys and metric names", name);
}

static void
check_text(const char *text)
{
	cr_assert_not_null(text);
	cr_assert(strlen(text) > 2 && strlen(text) < 90, "%s", text);
}

Test(drop, each_reason_has_a_name_and_a_text_of_its_own)
{
	for (unsigned int i = DROP_NONE + 1; i < DROP_N; i++) {
		check_name(drop_name(i));
		check_text(drop_text(i));
		for (unsigned int k = i + 1; k < DROP_N; k++) {
			cr_assert_str_neq(drop_name(i), drop_name(k));
			cr_assert_str_neq(drop_text(i), drop_text(k));
		}
	}
}

Test(drop, each_punt_kind_has_a_name_and_a_text_of_its_own)
{
	for (unsigned int i = PUNT_NONE + 1; i < PUNT_N; i++) {
		check_name(punt_name(i));
		check_text(punt_text(i));
		for (unsigned int k = i + 1; k < PUNT_N; k++) {
			cr_assert_str_neq(punt_name(i), punt_name(k));
			cr_assert_str_neq(punt_text(i), punt_text(k));
		}
	}
}

Test(drop, names_stand_at_their_numbers)
{
	cr_assert_eq(DROP_NONE, 0);
	cr_assert_str_eq(drop_name(DROP_runt), "runt");
	cr_assert_str_eq(drop_name(DROP_segments), "segments");
	cr_assert_str_eq(drop_name(DROP_N - 1), "stopped");
	cr_assert_str_eq(punt_name(PUNT_arp), "arp");
	cr_assert_str_eq(punt_name(PUNT_ttl), "ttl");
}

Test(drop, verdicts_of_drops_and_punts_do_not_meet)
{
	for (unsigned int i = DROP_NONE + 1; i < DROP_N; i++)
		cr_assert(verdict_drop(i) > 0 && verdict_drop(i) < VERDICT_PUNT);
	for (unsigned int i = PUNT_NONE + 1; i < PUNT_N; i++)
		cr_assert(verdict_punt(i) > VERDICT_PUNT);
}
