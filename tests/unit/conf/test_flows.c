/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of `flows`. */
#include "conf_test.h"

#define FLOWS(keys) PORTS "flows:\n  {" keys "}\n"

Test(flows, numbers_and_words_have_their_ranges)
{
	static const struct row rows[] = {
		{FLOWS(""), ""},
		{FLOWS("max: 64"), ""},
		{FLOWS("max: 4194304"), ""},
		{FLOWS("max: 32"),
			"5:9: flows.max: got 32, want a power of two from 64 to 4194304"},
		{FLOWS("max: 100"), "5:9: flows.max: got 100, want a power of two from 64 to "
				    "4194304 (this one is no power of two)"},
		{FLOWS("age: 100ms"), ""},
		{FLOWS("age: 3600s"), ""},
		{FLOWS("age: 99ms"), "5:9: flows.age: got 99ms, want a time from 100ms to 3600s"},
		{FLOWS("age: 3601s"), "5:9: flows.age: got 3601s, want a time from 100ms to 3600s"},
		{FLOWS("qp_view: true"), ""},
		{FLOWS("qp_view: yes"),
			"5:13: flows.qp_view: got yes, want true or false (write true)"},
	};

	EXPECT_ROWS(rows);
}

Test(flows, defaults_hold_without_the_section)
{
	struct parsed p = good(PORTS), q = good(FLOWS("qp_view: true, max: 1024, age: 2s"));

	cr_assert(p.c->flows.max == 16384 && p.c->flows.age_ns == UINT64_C(30000000000));
	cr_assert_not(p.c->flows.qp_view);
	cr_assert(q.c->flows.max == 1024 && q.c->flows.age_ns == UINT64_C(2000000000));
	cr_assert(q.c->flows.qp_view);
	parsed_fini(&p);
	parsed_fini(&q);
}
