/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the FIB's tests share: an EAL without hugepages, routes from chance, and a list as the dull
 * reference for longest prefix match, capacity and order.
 */
#ifndef TESTS_FIB_MODEL_H
#define TESTS_FIB_MODEL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <rte_eal.h>
#include <rte_log.h>
#include <rte_malloc.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "fib/fib.h"

#define MODEL_MAX 512u

struct model {
	struct fib_route route[MODEL_MAX];
	size_t n;
};

/* `mb` of memory; what the libraries say about a failure that a test provokes is left out. */
static inline void
eal_up(const char *mb)
{
	const char *const argv[] = {"test", "--no-huge", "--no-shconf", "--no-pci",
		"--no-telemetry", "-m", mb, "-l", "0", "--log-level=lib.eal:warning",
		"--log-level=lib.lpm:emergency"};

	cr_assert_geq(
		rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])), (char **)(uintptr_t)argv), 0);
}

static inline size_t
heap_used(void)
{
	struct rte_malloc_socket_stats s;

	cr_assert_eq(rte_malloc_get_socket_stats(0, &s), 0);
	return s.heap_allocsz_bytes;
}

static inline unsigned int
addr_len(uint8_t family)
{
	return family == AF_INET ? 4 : 16;
}

static inline void
clear_host_bits(struct fib_route *r)
{
	for (unsigned int i = 0; i < sizeof(r->prefix); i++) {
		int bits = (int)r->prefix_len - (int)i * 8;

		if (bits <= 0)
			r->prefix[i] = 0;
		else if (bits < 8)
			r->prefix[i] &= (uint8_t)(0xff00u >> bits);
	}
}

/* "2001:db8::/32 -> 7" without the colons: the bytes of `hex`, the rest zero. */
static inline struct fib_route
route(uint8_t family, const char *hex, uint8_t len, uint16_t group_idx)
{
	struct fib_route r = {.family = family, .prefix_len = len, .group_idx = group_idx};

	for (unsigned int i = 0; hex[0] != '\0' && i < sizeof(r.prefix); i++, hex += 2)
		sscanf(hex, "%2hhx", &r.prefix[i]);
	return r;
}

static inline bool
covers(const struct fib_route *r, const uint8_t *addr, unsigned int len)
{
	if (r->prefix_len > len || memcmp(r->prefix, addr, r->prefix_len / 8) != 0)
		return false;
	if (r->prefix_len % 8 == 0)
		return true;
	return ((r->prefix[r->prefix_len / 8] ^ addr[r->prefix_len / 8]) &
		       (0xff00u >> (r->prefix_len % 8)) & 0xff) == 0;
}

static inline bool
same_prefix(const struct fib_route *a, const struct fib_route *b)
{
	return a->family == b->family && a->prefix_len == b->prefix_len &&
	       memcmp(a->prefix, b->prefix, addr_len(a->family)) == 0;
}

static inline uint16_t
model_lookup(const struct model *m, uint8_t family, const uint8_t *addr)
{
	const struct fib_route *best = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (m->route[i].family == family && covers(&m->route[i], addr, 128) &&
			(best == NULL || m->route[i].prefix_len > best->prefix_len))
			best = &m->route[i];
	return best == NULL ? FIB_NO_ROUTE : best->group_idx;
}

/* The second-level tables of one family, by the definition: stems with a longer prefix inside. */
static inline uint32_t
model_tbl8(const struct model *m, uint8_t family)
{
	uint32_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->route[i].family != family)
			continue;
		for (unsigned int stem = 24; stem < m->route[i].prefix_len; stem += 8) {
			bool seen = false;

			for (size_t j = 0; j < i && !seen; j++)
				seen = m->route[j].family == family &&
				       m->route[j].prefix_len > stem &&
				       memcmp(m->route[j].prefix, m->route[i].prefix, stem / 8) ==
					       0;
			n += !seen;
		}
	}
	return n;
}

static inline uint32_t
model_count(const struct model *m, uint8_t family)
{
	uint32_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->route[i].family == family;
	return n;
}

/* An address that is likely to lie where others lie, and at the ends of the space. */
static inline void
random_addr(struct rng *rng, uint8_t *ret_addr)
{
	static const uint8_t fill[] = {0x00, 0xff, 0x20};

	for (unsigned int i = 0; i < 16; i++)
		ret_addr[i] = (uint8_t)rng_next(rng);
	if (rng_below(rng, 4) != 0)
		memset(ret_addr, fill[rng_below(rng, 3)], rng_below(rng, 16));
	if (rng_below(rng, 4) == 0)
		memset(ret_addr + 2, fill[rng_below(rng, 2)], 14);
}

/* A prefix of any length; often one inside, around or beside another of the model. */
static inline struct fib_route
random_route(struct rng *rng, const struct model *m, uint8_t family)
{
	unsigned int bits = 8 * addr_len(family);
	struct fib_route r = {.family = family};

	random_addr(rng, r.prefix);
	r.prefix_len = (uint8_t)rng_below(rng, bits + 1);
	if (m->n > 0 && rng_below(rng, 3) != 0) {
		const struct fib_route *o = &m->route[rng_below(rng, m->n)];

		if (o->family == family) {
			memcpy(r.prefix, o->prefix, 1 + rng_below(rng, addr_len(family)));
			if (rng_below(rng, 2) == 0)
				r.prefix_len = o->prefix_len;
		}
	}
	r.group_idx = (uint16_t)(1 + rng_below(rng, 4));
	clear_host_bits(&r);
	if (family == AF_INET)
		memset(r.prefix + 4, 0, 12);
	return r;
}

/* The first address of `r`, its last, the ones beside these, or any inside. */
static inline void
near_addr(struct rng *rng, const struct fib_route *r, uint8_t *ret_addr)
{
	unsigned int n = addr_len(r->family), kind = (unsigned int)rng_below(rng, 5);
	int step = kind == 1 ? -1 : kind == 3 ? 1 : 0;

	memcpy(ret_addr, r->prefix, 16);
	for (unsigned int i = r->prefix_len / 8; i < n && kind >= 2; i++) {
		uint8_t host = i == r->prefix_len / 8 ? 0xffu >> (r->prefix_len % 8) : 0xff;

		ret_addr[i] |= kind == 4 ? host & (uint8_t)rng_next(rng) : host;
	}
	for (int i = (int)n - 1; i >= 0 && step != 0; i--) {
		ret_addr[i] = (uint8_t)(ret_addr[i] + step);
		if (ret_addr[i] != (step > 0 ? 0 : 0xff))
			break;
	}
}

static inline uint16_t
slot_lookup(const struct fib_slot *s, uint8_t family, const uint8_t *addr)
{
	uint64_t nh = UINT64_MAX;
	uint8_t v6[1][16];
	uint32_t v4;

	if (family == AF_INET) {
		v4 = (uint32_t)addr[0] << 24 | addr[1] << 16 | addr[2] << 8 | addr[3];
		cr_assert_eq(rte_fib_lookup_bulk(s->v4, &v4, &nh, 1), 0);
	} else {
		memcpy(v6, addr, 16);
		cr_assert_eq(rte_fib6_lookup_bulk(s->v6, v6, &nh, 1), 0);
	}
	return (uint16_t)nh;
}

static inline bool
collect(void *ctx, const struct fib_route *r)
{
	struct model *m = ctx;

	cr_assert_lt(m->n, MODEL_MAX);
	m->route[m->n++] = *r;
	return true;
}

static inline void
walk(const struct fib *f, struct model *ret_all)
{
	memset(ret_all, 0, sizeof(*ret_all));
	fib_walk(f, collect, ret_all);
}

/* v4 first, then by address, then by length. */
static inline int
by_order(const void *a, const void *b)
{
	const struct fib_route *ra = a, *rb = b;
	int c;

	if (ra->family != rb->family)
		return ra->family == AF_INET ? -1 : 1;
	c = memcmp(ra->prefix, rb->prefix, sizeof(ra->prefix));
	return c != 0 ? c : ra->prefix_len - rb->prefix_len;
}

static inline void
apply_ok(struct fib *f, unsigned int slot, enum fib_op op, struct fib_route r)
{
	struct fib_change c = {.op = op, .route = r};
	size_t failed;

	cr_assert_eq(fib_apply(f, slot, &c, 1, &failed), 0, "/%u", r.prefix_len);
}

static inline int
apply_rc(struct fib *f, enum fib_op op, struct fib_route r)
{
	struct fib_change c = {.op = op, .route = r};
	size_t failed;

	return fib_apply(f, 0, &c, 1, &failed);
}

#endif
