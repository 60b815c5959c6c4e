/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A million routes and the memory they take: told beforehand, enough when given, and every packet
 * follows the longest prefix as a dull search finds it.
 */
#include <errno.h>
#include <netinet/in.h>

#include <rte_malloc.h>

#include "fan.h"

#define N_GROUPS 10u
#define SAMPLES  10000u
#define MIB      (1u << 20)

/* Distinct prefixes of a length: an odd factor permutes the numbers of `len` bits. */
static const struct layer {
	uint8_t family, len;
	uint32_t n;
} layers[] = {
	{AF_INET, 8, 100},
	{AF_INET, 12, 1000},
	{AF_INET, 16, 14000},
	{AF_INET, 20, 65000},
	{AF_INET, 22, 110000},
	{AF_INET, 24, 690000},
	{AF_INET, 28, 20000},
	{AF_INET, 32, 40000},
	{AF_INET6, 36, 10},
	{AF_INET6, 48, 50000},
	{AF_INET6, 64, 9800},
	{AF_INET6, 128, 90},
};
#define N_LAYERS (sizeof(layers) / sizeof(layers[0]))

/* The IPv6 ones lie in 2001:db8::/32, spread over the 32 bits behind it. */
static void
make_prefix(const struct layer *l, uint32_t i, struct conf_addr *ret)
{
	unsigned int bits = l->family == AF_INET ? l->len : RTE_MIN(l->len - 32u, 32u);
	uint32_t x = (uint32_t)(((i + 1) * UINT64_C(0x9e3779b1) & ((UINT64_C(1) << bits) - 1))
				<< (32 - bits));
	uint8_t *at = ret->byte;

	*ret = (struct conf_addr){.family = l->family, .prefix_len = l->len};
	if (l->family == AF_INET6) {
		memcpy(at, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8}, 4);
		at += 4;
		if (l->len == 128)
			ret->byte[15] = 1;
	}
	for (unsigned int b = 0; b < 4; b++)
		at[b] = (uint8_t)(x >> (24 - 8 * b));
}

static int
compare(const void *a, const void *b)
{
	const struct conf_route *x = a, *y = b;
	int d = x->prefix.family - y->prefix.family;

	if (d == 0)
		d = x->prefix.prefix_len - y->prefix.prefix_len;
	return d != 0 ? d : memcmp(x->prefix.byte, y->prefix.byte, 16);
}

/* A node of ten ports and groups with all the routes, sorted for find(). */
static struct conf *
million(void)
{
	char *yaml, name[16];
	size_t len, n = 0, k = 0;
	FILE *f = open_memstream(&yaml, &len);
	struct conf *c;

	fan_head(f, 7, N_GROUPS);
	fputs("groups:\n", f);
	for (unsigned int g = 0; g < N_GROUPS; g++) {
		snprintf(name, sizeof(name), "g%u", g);
		fprintf(f, "  - {name: %s, members: [{port: o%u, mac: \"02:aa:00:00:00:01\"}]}\n",
			name, g);
	}
	fclose(f);
	c = node_test_conf(yaml);
	free(yaml);
	for (unsigned int l = 0; l < N_LAYERS; l++)
		n += layers[l].n;
	c->route = calloc(n, sizeof(*c->route));
	cr_assert_not_null(c->route);
	c->n_routes = n;
	for (unsigned int l = 0; l < N_LAYERS; l++) {
		for (uint32_t i = 0; i < layers[l].n; i++, k++) {
			make_prefix(&layers[l], i, &c->route[k].prefix);
			c->route[k].group_idx = (uint32_t)((i * 7 + l) % N_GROUPS);
		}
	}
	qsort(c->route, n, sizeof(*c->route), compare);
	return c;
}

/* The group of the longest prefix that covers `addr`, or -1: one search a length. */
static int
find(const struct conf *c, const struct conf_addr *addr)
{
	for (int len = addr->family == AF_INET ? 32 : 128; len >= 0; len--) {
		struct conf_route key = {.prefix = *addr}, *hit;

		key.prefix.prefix_len = (uint8_t)len;
		for (int bit = len; bit < 128; bit++)
			key.prefix.byte[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
		hit = bsearch(&key, c->route, c->n_routes, sizeof(key), compare);
		if (hit != NULL)
			return (int)hit->group_idx;
	}
	return -1;
}

/* Half inside a route of some layer, half anywhere; only what a router forwards. */
static struct conf_addr
sample(struct rng *r, unsigned int i)
{
	const struct layer *l = &layers[rng_below(r, N_LAYERS)];
	struct conf_addr a;

	make_prefix(l, (uint32_t)rng_below(r, l->n), &a);
	for (unsigned int b = i % 2                  ? a.prefix_len / 8u
			      : l->family == AF_INET ? 0
						     : 4;
		b < (l->family == AF_INET ? 4u : 16u); b++)
		a.byte[b] = (uint8_t)(a.byte[b] | (rng_next(r) & 0xff));
	if (l->family == AF_INET && (a.byte[0] == 0 || a.byte[0] == 127 || a.byte[0] >= 224 ||
					    (a.byte[0] == 169 && a.byte[1] == 254)))
		a.byte[0] = 10;
	return a;
}

#define BATCH 64u

/* A packet to `a` that says its number; a whole burst of unlike ones is looked up at once. */
static void
put_sample(struct node_test *t, const struct conf_addr *a, uint32_t number)
{
	struct packet p = packet_udp(a->family == AF_INET ? 4 : 6);
	uint8_t frame[128], payload = (uint8_t)number;
	size_t len;

	p.dst4 = (uint32_t)a->byte[0] << 24 | (uint32_t)a->byte[1] << 16 |
		 (uint32_t)a->byte[2] << 8 | a->byte[3];
	memcpy(p.dst6, a->byte, 16);
	p.payload = &payload;
	p.payload_len = 1;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	cr_assert(node_test_put(t, 0, frame, len));
}

/* want[k]: the group of packet k, or -1 for no route. */
static void
check_batch(struct node_test *t, const int *want)
{
	static uint8_t out[PACKET_MAX];
	bool came[BATCH] = {false};

	node_test_run(t);
	for (uint16_t port = 1; port <= N_GROUPS; port++) {
		while (node_test_take(t, port, out, sizeof(out)) != 0) {
			unsigned int k = out[14 + (out[14] >> 4 == 4 ? 20 : 40) + 8];

			cr_assert_eq(port - 1, want[k], "group %u, want %d", port - 1, want[k]);
			came[k] = true;
		}
	}
	for (unsigned int k = 0; k < BATCH; k++)
		cr_assert_eq(came[k], want[k] >= 0);
}

static void
check_samples(struct node_test *t, const struct conf *c)
{
	unsigned int found = 0, n = 0;
	struct rng r;

	rng_init(&r, 1);
	while (n < SAMPLES) {
		int want[BATCH];

		for (unsigned int k = 0; k < BATCH; k++) {
			struct conf_addr a = sample(&r, n++);

			want[k] = find(c, &a);
			found += want[k] >= 0;
			put_sample(t, &a, k);
		}
		check_batch(t, want);
	}
	cr_assert_gt(found, SAMPLES / 2);
	cr_assert_eq(node_test_drops(t, DROP_no_route), n - found);
}

static void
remember(void *ctx, enum node_severity severity, const char *sentence)
{
	(void)severity;
	snprintf(ctx, 1024, "%s", sentence);
}

Test(million_routes, load_in_the_memory_that_was_told_and_route_by_the_longest_prefix,
	.timeout = 110)
{
	char said[1024] = "";
	struct node_log log = {.say = remember, .ctx = said};
	struct conf *c = million();
	uint64_t bytes = 0, told;
	const char *cure;
	struct node_test t;

	cr_assert_geq(c->n_routes, 1000000);
	c->memory = 64000000;
	cr_assert_eq(node_check(c, &log, &bytes), -ENOSPC);
	cr_assert_eq(bytes, 0, "untouched on failure");
	cure = strstr(said, "memory: ");
	cr_assert_not_null(cure, "no cure in: %s", said);
	told = strtoull(cure + strlen("memory: "), NULL, 10);
	cr_assert(told > 64, "%s", said);

	/* what the sentence says must do, and what the check says must be enough for the EAL */
	c->memory = told * 1000000;
	cr_assert_eq(node_check(c, &log, &bytes), 0, "%s", said);
	cr_assert_leq(bytes, c->memory);
	node_test_open_conf(&t, (unsigned int)(bytes / MIB + 1), c);
	check_samples(&t, c);
	node_test_close(&t);
	conf_free(c);
}

Test(million_routes, more_than_a_table_holds_are_refused_beforehand)
{
	char said[1024] = "";
	struct node_log log = {.say = remember, .ctx = said};
	struct conf *c = million();
	size_t n = FIB_ROUTES_MAX + 1;

	free(c->route);
	c->route = calloc(n, sizeof(*c->route));
	cr_assert_not_null(c->route);
	c->n_routes = n;
	for (size_t i = 0; i < n; i++)
		make_prefix(&(struct layer){AF_INET, 24, 0}, (uint32_t)i, &c->route[i].prefix);
	c->memory = UINT64_C(1000000000000);
	cr_assert_eq(node_check(c, &log, NULL), -E2BIG);
	cr_assert_not_null(strstr(said, "aggregate"), "no cure in: %s", said);
	conf_free(c);
}
