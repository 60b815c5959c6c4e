/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of errors against a sort. */
#include "base/rng.h"
#include "conf/errors.h"
#include "conf_test.h"

#define MANY 5000u

static int
by_pos(const void *pa, const void *pb)
{
	const struct conf_pos *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->col > b->col) - (a->col < b->col);
}

Test(errors, keeps_the_first_hundred_of_the_file_in_order)
{
	static struct conf_pos pos[MANY];
	struct conf_errors e = {0};
	struct rng r;

	rng_init(&r, 3);
	for (unsigned int i = 0; i < MANY; i++) {
		pos[i].line = 1 + (uint32_t)rng_below(&r, 1000);
		pos[i].col = 1 + (uint32_t)rng_below(&r, 1000);
		errors_add(&e, pos[i], "%u.%u", pos[i].line, pos[i].col);
	}
	qsort(pos, MANY, sizeof(pos[0]), by_pos);
	cr_assert_eq(e.n, CONF_ERRORS_MAX);
	cr_expect_eq(e.n_left_out, MANY - CONF_ERRORS_MAX);
	for (unsigned int i = 0; i < e.n; i++) {
		char want[32];

		snprintf(want, sizeof(want), "%u.%u", pos[i].line, pos[i].col);
		cr_expect_str_eq(e.error[i].text, want);
	}
	conf_errors_fini(&e);
	cr_expect_eq(e.n + e.n_left_out, 0);
}

Test(errors, of_one_place_stay_in_the_order_they_came)
{
	struct conf_errors e = {0};

	errors_add(&e, (struct conf_pos){2, 1}, "b");
	errors_add(&e, (struct conf_pos){2, 1}, "c");
	errors_add(&e, (struct conf_pos){1, 9}, "a");
	cr_expect_str_eq(e.error[0].text, "a");
	cr_expect_str_eq(e.error[1].text, "b");
	cr_expect_str_eq(e.error[2].text, "c");
	conf_errors_fini(&e);
}

Test(errors, are_taken_while_there_is_room_or_they_come_earlier)
{
	struct conf_errors e = {0};

	for (unsigned int i = 0; i < CONF_ERRORS_MAX; i++) {
		cr_expect(errors_takes(&e, (struct conf_pos){9, 9}));
		errors_add(&e, (struct conf_pos){5, 5}, "x");
	}
	cr_expect_not(errors_takes(&e, (struct conf_pos){5, 5}));
	cr_expect(errors_takes(&e, (struct conf_pos){5, 4}));
	conf_errors_fini(&e);
}
