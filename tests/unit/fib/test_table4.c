/* SPDX-License-Identifier: BSD-3-Clause */
/* What table.h steps around, in IPv4: each of these went wrong with bare rte_fib_add() calls. */
#include "fib/table.h"
#include "model.h"

/* One row of DIR24-8's bitmap, so that there is no tbl8 beyond the plan. */
static const struct fib_plan plan = {
	.v4 = {.n_routes = 200, .n_tbl8 = 64 - FIB_SPARE_TBL8, .entry_len = 2},
	.v6 = {.small = true, .n_routes = 1},
};

static uint16_t
lookup(const struct fib *f, uint32_t ip)
{
	uint64_t nh;

	cr_assert_eq(rte_fib_lookup_bulk(fib_slot(f, 0)->v4, &ip, &nh, 1), 0);
	return (uint16_t)nh;
}

static struct fib *
fib_up(void)
{
	struct fib *f;

	eal_up("64");
	cr_assert_eq(fib_create("f", &plan, 0, &f), 0);
	return f;
}

static struct fib_route
host_part(unsigned int i, uint16_t group_idx)
{
	struct fib_route r = route(AF_INET, "0a000000", 28, group_idx);

	r.prefix[2] = (uint8_t)i;
	return r;
}

Test(table4, default_route_leaves_two_halves_alone)
{
	struct fib *f = fib_up();

	apply_ok(f, 0, FIB_ADD, route(AF_INET, "00", 1, 1));
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "80", 1, 2));
	for (uint16_t group_idx = 3; group_idx < 5; group_idx++) {
		apply_ok(f, 0, FIB_ADD, route(AF_INET, "", 0, group_idx));
		cr_assert_eq(lookup(f, 0x01020304), 1);
		cr_assert_eq(lookup(f, 0x81020304), 2);
	}
	apply_ok(f, 0, FIB_DEL, route(AF_INET, "80", 1, 0));
	cr_assert_eq(lookup(f, 0xffffffff), 4);
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "80", 1, 2));
	apply_ok(f, 0, FIB_DEL, route(AF_INET, "", 0, 0));
	cr_assert_eq(lookup(f, 0x01020304), 1);
	cr_assert_eq(lookup(f, 0x81020304), 2);
	fib_free(f);
}

Test(table4, every_prefix_of_all_ones_at_once)
{
	struct fib *f = fib_up();

	/* Longest first, so that each comes around those inside; and their lower neighbours. */
	for (int len = 32; len >= 0; len--) {
		struct fib_route r = {.family = AF_INET, .prefix_len = (uint8_t)len};

		memset(r.prefix, 0xff, 4);
		clear_host_bits(&r);
		r.group_idx = (uint16_t)(100 + len);
		apply_ok(f, 0, FIB_ADD, r);
		if (len > 0) {
			r.prefix[(len - 1) / 8] ^= (uint8_t)(0x80u >> ((len - 1) % 8));
			r.group_idx = (uint16_t)(200 + len);
			apply_ok(f, 0, FIB_ADD, r);
		}
	}
	cr_assert_eq(lookup(f, 0xffffffff), 132);
	cr_assert_eq(lookup(f, 0xfffffffe), 232);
	for (unsigned int len = 1; len <= 32; len++)
		cr_assert_eq(lookup(f, 0xffffffffu ^ (1u << (32 - len))), 200 + len);
	fib_free(f);
}

Test(table4, default_route_reaches_beyond_the_first_24)
{
	struct fib *f = fib_up();

	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0000007f", 32, 1));
	apply_ok(f, 0, FIB_ADD, route(AF_INET, "", 0, 2));
	cr_assert_eq(lookup(f, 0x08080808), 2);
	cr_assert_eq(lookup(f, 0x80000001), 2);
	cr_assert_eq(lookup(f, 0xffffffff), 2);
	cr_assert_eq(lookup(f, 0x0000007f), 1);
	cr_assert_eq(lookup(f, 0x00000080), 2);
	apply_ok(f, 0, FIB_DEL, route(AF_INET, "", 0, 0));
	cr_assert_eq(lookup(f, 0x08080808), FIB_NO_ROUTE);
	cr_assert_eq(lookup(f, 0x80000001), FIB_NO_ROUTE);
	cr_assert_eq(lookup(f, 0x0000007f), 1);
	fib_free(f);
}

Test(table4, route_that_repeats_its_parent_can_go_again)
{
	struct fib *f = fib_up();

	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a00", 16, 1));
	for (unsigned int i = 0; i < 1000; i++) {
		apply_ok(f, 0, FIB_ADD, host_part(0, 1));
		apply_ok(f, 0, FIB_DEL, host_part(0, 1));
	}
	for (unsigned int i = 0; i < plan.v4.n_tbl8; i++)
		apply_ok(f, 0, FIB_ADD, host_part(i, 2));
	cr_assert_eq(apply_rc(f, FIB_ADD, host_part(200, 2)), -ENOSPC);
	fib_free(f);
}

Test(table4, parent_may_change_when_every_tbl8_is_spoken_for)
{
	struct fib *f = fib_up();

	apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a", 8, 1));
	for (unsigned int i = 0; i < plan.v4.n_tbl8; i++)
		apply_ok(f, 0, FIB_ADD, host_part(i, 1));
	cr_assert_eq(apply_rc(f, FIB_ADD, host_part(200, 1)), -ENOSPC);
	for (uint16_t group_idx = 2; group_idx > 0; group_idx--) {
		apply_ok(f, 0, FIB_ADD, route(AF_INET, "0a", 8, group_idx));
		for (uint32_t i = 0; i < plan.v4.n_tbl8; i++) {
			cr_assert_eq(lookup(f, 0x0a00000f | i << 8), 1);
			cr_assert_eq(lookup(f, 0x0a000010 | i << 8), group_idx);
		}
		cr_assert_eq(lookup(f, 0x0affffff), group_idx);
	}
	apply_ok(f, 0, FIB_DEL, route(AF_INET, "0a", 8, 0));
	cr_assert_eq(lookup(f, 0x0a000010), FIB_NO_ROUTE);
	cr_assert_eq(lookup(f, 0x0a00000f), 1);
	fib_free(f);
}
