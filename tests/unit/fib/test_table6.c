/* SPDX-License-Identifier: BSD-3-Clause */
/* What table.h steps around, in IPv6: each of these went wrong with bare rte_fib6_add() calls. */
#include "fib/table.h"
#include "model.h"

static const struct fib_plan plan = {
	.v4 = {.small = true, .n_routes = 1},
	.v6 = {.n_routes = 1000, .n_tbl8 = 20, .entry_len = 2},
};

static struct fib *
fib_up(void)
{
	struct fib *f;

	eal_up("64");
	cr_assert_eq(fib_create("f", &plan, 0, &f), 0);
	return f;
}

static uint16_t
lookup(const struct fib *f, const char *hex)
{
	struct fib_route addr = route(AF_INET6, hex, 128, 0);

	return slot_lookup(fib_slot(f, 0), AF_INET6, addr.prefix);
}

static struct fib_route
all_ones(uint8_t len, uint16_t group_idx)
{
	struct fib_route r = {.family = AF_INET6, .prefix_len = len, .group_idx = group_idx};

	memset(r.prefix, 0xff, sizeof(r.prefix));
	clear_host_bits(&r);
	return r;
}

Test(table6, default_route_leaves_two_halves_alone)
{
	struct fib *f = fib_up();

	apply_ok(f, 0, FIB_ADD, route(AF_INET6, "00", 1, 1));
	apply_ok(f, 0, FIB_ADD, route(AF_INET6, "80", 1, 2));
	for (uint16_t group_idx = 3; group_idx < 5; group_idx++) {
		apply_ok(f, 0, FIB_ADD, route(AF_INET6, "", 0, group_idx));
		cr_assert_eq(lookup(f, "20010db8"), 1);
		cr_assert_eq(lookup(f, "fe80"), 2);
	}
	apply_ok(f, 0, FIB_DEL, route(AF_INET6, "80", 1, 0));
	cr_assert_eq(lookup(f, "fe80"), 4);
	apply_ok(f, 0, FIB_ADD, route(AF_INET6, "80", 1, 2));
	apply_ok(f, 0, FIB_DEL, route(AF_INET6, "", 0, 0));
	cr_assert_eq(lookup(f, "20010db8"), 1);
	cr_assert_eq(lookup(f, "fe80"), 2);
	fib_free(f);
}

Test(table6, every_prefix_of_all_ones_at_once)
{
	struct fib *f = fib_up();

	/* Longest first, so that each comes around those inside; and their lower neighbours. */
	for (int len = 128; len >= 0; len--) {
		struct fib_route r = all_ones((uint8_t)len, (uint16_t)(1000 + len));

		apply_ok(f, 0, FIB_ADD, r);
		if (len > 0) {
			r.prefix[(len - 1) / 8] ^= (uint8_t)(0x80u >> ((len - 1) % 8));
			r.group_idx = (uint16_t)(2000 + len);
			apply_ok(f, 0, FIB_ADD, r);
		}
	}
	cr_assert_eq(lookup(f, "ffffffffffffffffffffffffffffffff"), 1128);
	for (unsigned int len = 1; len <= 128; len++) {
		struct fib_route addr = all_ones(128, 0);

		addr.prefix[(len - 1) / 8] ^= (uint8_t)(0x80u >> ((len - 1) % 8));
		cr_assert_eq(slot_lookup(fib_slot(f, 0), AF_INET6, addr.prefix), 2000 + len);
	}
	fib_free(f);
}

Test(table6, flapping_route_does_not_use_the_table_up)
{
	struct fib *f = fib_up();

	for (unsigned int i = 0; i < 5000; i++) {
		apply_ok(
			f, 0, FIB_ADD, route(AF_INET6, "20010db8000000010000000000000001", 128, 1));
		cr_assert_eq(lookup(f, "20010db8000000010000000000000001"), 1);
		apply_ok(
			f, 0, FIB_DEL, route(AF_INET6, "20010db8000000010000000000000001", 128, 1));
		cr_assert_eq(lookup(f, "20010db8000000010000000000000001"), FIB_NO_ROUTE);
	}
	fib_free(f);
}

Test(table6, neighbours_share_their_tbl8)
{
	struct fib_route r = route(AF_INET6, "20010db8", 64, 1);
	struct fib *f = fib_up();

	/* Stems of 24, 32, 40 and 48 bits, then one of 56 for each of 16. */
	for (unsigned int i = 0; i < 16; i++)
		for (unsigned int k = 0; k < 50; k++) {
			r.prefix[6] = (uint8_t)i;
			r.prefix[7] = (uint8_t)k;
			apply_ok(f, 0, FIB_ADD, r);
		}
	r.prefix[6] = 77;
	cr_assert_eq(apply_rc(f, FIB_ADD, r), -ENOSPC);
	r.prefix[6] = 3;
	r.prefix[7] = 200;
	apply_ok(f, 0, FIB_ADD, r);
	cr_assert_eq(lookup(f, "20010db800000331"), 1);
	cr_assert_eq(lookup(f, "20010db800000332"), FIB_NO_ROUTE);
	fib_free(f);
}

Test(table6, parent_may_change_when_every_tbl8_is_spoken_for)
{
	struct fib_route r = route(AF_INET6, "20010db8", 56, 1);
	struct fib *f = fib_up();

	apply_ok(f, 0, FIB_ADD, route(AF_INET6, "20010d", 24, 1));
	/* Stems of 24, 32 and 40 bits, then one of 48 for each. */
	for (unsigned int i = 0; i < 17; i++) {
		r.prefix[5] = (uint8_t)i;
		apply_ok(f, 0, FIB_ADD, r);
	}
	r.prefix[5] = 99;
	cr_assert_eq(apply_rc(f, FIB_ADD, r), -ENOSPC);
	for (uint16_t group_idx = 2; group_idx > 0; group_idx--) {
		apply_ok(f, 0, FIB_ADD, route(AF_INET6, "20010d", 24, group_idx));
		cr_assert_eq(lookup(f, "20010db80000"), 1);
		cr_assert_eq(lookup(f, "20010db8000001"), group_idx);
		cr_assert_eq(lookup(f, "20010db8001000ff"), 1);
		cr_assert_eq(lookup(f, "20010db8001001"), group_idx);
		cr_assert_eq(lookup(f, "20010dff"), group_idx);
	}
	/* A prefix that ends at a byte borrows one table more for the moment. */
	apply_ok(f, 0, FIB_ADD, route(AF_INET6, "20010db80077", 48, 7));
	cr_assert_eq(lookup(f, "20010db80077ff"), 7);
	cr_assert_eq(lookup(f, "20010db80078"), 1);
	fib_free(f);
}
