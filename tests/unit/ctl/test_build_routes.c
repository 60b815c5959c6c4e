/* SPDX-License-Identifier: BSD-3-Clause */
/* The routes that a configuration makes: its own, those of the node's addresses, and no twins. */
#include <arpa/inet.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "ctl/build.h"
#include "node.h"

struct routes {
	struct conf *c;
	struct fib_route *r;
	size_t n;
};

#define HEAD "version: 1\nnode: {name: n, id: 1}\nports:\n"
#define TAIL                                                                                       \
	"groups:\n  - {name: a, members: [{port: p, mac: \"02:00:00:00:00:01\"}]}\n"               \
	"  - {name: b, members: [{port: p, mac: \"02:00:00:00:00:01\"}]}\n"

static struct routes
routes_of(const char *yaml)
{
	struct routes s = {.c = node_test_conf(yaml)};

	cr_assert_eq(build_routes(s.c, NULL, &s.r, &s.n), 0);
	return s;
}

static void
routes_free(struct routes *s)
{
	free(s->r);
	conf_free(s->c);
}

/* The one route of this prefix: its group; 0 when there is none. */
static unsigned int
group_of(const struct routes *s, const char *prefix)
{
	uint8_t family = strchr(prefix, ':') != NULL ? AF_INET6 : AF_INET, byte[16] = {0};
	const char *slash = strchr(prefix, '/');
	char addr[64];
	unsigned int group = 0;

	snprintf(addr, sizeof(addr), "%.*s", (int)(slash - prefix), prefix);
	cr_assert_eq(inet_pton(family, addr, byte), 1);
	for (size_t i = 0; i < s->n; i++) {
		const struct fib_route *r = &s->r[i];

		if (r->family != family || r->prefix_len != atoi(slash + 1) ||
			memcmp(r->prefix, byte, 16) != 0)
			continue;
		cr_assert_eq(group, 0, "%s comes twice", prefix);
		group = r->group_idx;
	}
	return group;
}

Test(build_routes, static_ones_point_to_their_groups)
{
	struct routes s =
		routes_of(HEAD "  - {name: p, device: d, role: nsf}\n" TAIL
			       "routes:\n  static:\n    - {prefix: 10.0.0.0/8, group: b}\n"
			       "    - {prefix: \"2001:db8::/32\", group: a}\n    - {prefix: "
			       "0.0.0.0/0, group: a}\n");

	cr_assert_eq(s.n, 3);
	cr_assert_eq(group_of(&s, "10.0.0.0/8"), DP_GROUP_FIRST + 1);
	cr_assert_eq(group_of(&s, "2001:db8::/32"), DP_GROUP_FIRST);
	cr_assert_eq(group_of(&s, "0.0.0.0/0"), DP_GROUP_FIRST);
	routes_free(&s);
}

Test(build_routes, an_address_is_local_and_its_prefix_connected)
{
	struct routes s = routes_of(HEAD "  - {name: p, device: d, role: nsf, addresses: "
					 "[10.1.2.3/20, \"2001:db8::5/61\"]}\n" TAIL);

	cr_assert_eq(s.n, 4);
	cr_assert_eq(group_of(&s, "10.1.2.3/32"), DP_GROUP_LOCAL);
	cr_assert_eq(group_of(&s, "10.1.0.0/20"), DP_GROUP_CONNECTED);
	cr_assert_eq(group_of(&s, "2001:db8::5/128"), DP_GROUP_LOCAL);
	cr_assert_eq(group_of(&s, "2001:db8::/61"), DP_GROUP_CONNECTED);
	routes_free(&s);
}

Test(build_routes, a_host_address_has_no_connected_prefix)
{
	struct routes s = routes_of(HEAD "  - {name: p, device: d, role: nsf, addresses: "
					 "[10.1.2.3/32, \"2001:db8::5/128\"]}\n" TAIL);

	cr_assert_eq(s.n, 2);
	cr_assert_eq(group_of(&s, "10.1.2.3/32"), DP_GROUP_LOCAL);
	cr_assert_eq(group_of(&s, "2001:db8::5/128"), DP_GROUP_LOCAL);
	routes_free(&s);
}

Test(build_routes, static_beats_connected_and_shorter_or_longer_ones_do_not)
{
	struct routes s = routes_of(HEAD
		"  - {name: p, device: d, role: nsf, addresses: [10.1.2.3/24, 10.1.3.3/24]}\n" TAIL
		"routes:\n  static:\n    - {prefix: 10.1.2.0/24, group: a}\n"
		"    - {prefix: 10.1.0.0/16, group: b}\n    - {prefix: 10.1.3.0/25, group: b}\n");

	cr_assert_eq(group_of(&s, "10.1.2.0/24"), DP_GROUP_FIRST);
	cr_assert_eq(group_of(&s, "10.1.2.3/32"), DP_GROUP_LOCAL, "its own address stays its own");
	cr_assert_eq(group_of(&s, "10.1.3.0/24"), DP_GROUP_CONNECTED);
	cr_assert_eq(group_of(&s, "10.1.0.0/16"), DP_GROUP_FIRST + 1);
	cr_assert_eq(s.n, 6);
	routes_free(&s);
}

Test(build_routes, addresses_of_one_prefix_make_it_once)
{
	struct routes s = routes_of(
		HEAD "  - {name: p, device: d, role: nsf, addresses: [10.1.2.3/24, 10.1.2.4/24]}\n"
		     "  - {name: q, device: e, role: nsf, addresses: [10.1.2.5/24, "
		     "\"::ffff:1/64\"]}\n" TAIL);

	cr_assert_eq(group_of(&s, "10.1.2.0/24"), DP_GROUP_CONNECTED);
	cr_assert_eq(group_of(&s, "10.1.2.4/32"), DP_GROUP_LOCAL);
	cr_assert_eq(group_of(&s, "10.1.2.5/32"), DP_GROUP_LOCAL);
	cr_assert_eq(s.n, 6);
	routes_free(&s);
}

/* 10.1.2.3/31 and a static host route to the very same address: ours is ours. */
Test(build_routes, a_static_host_route_to_an_address_of_ours)
{
	struct conf *c = node_test_conf(
		HEAD "  - {name: p, device: d, role: nsf, addresses: [10.1.2.3/31]}\n" TAIL);
	struct routes s = {.c = c};
	struct fib_plan plan;
	unsigned int last = 0;
	size_t bad;

	c->route = calloc(1, sizeof(*c->route));
	c->n_routes = 1;
	c->route[0].prefix = (struct conf_addr){AF_INET, 32, {10, 1, 2, 3}};
	cr_assert_eq(build_routes(c, NULL, &s.r, &s.n), 0);
	cr_assert_eq(fib_plan(s.r, s.n, &plan, &bad), 0);
	/* the FIB takes the last word of a batch: that must be the local one */
	cr_assert_geq(s.n, 2);
	for (size_t i = 0; i < s.n; i++)
		if (s.r[i].prefix_len == 32)
			last = s.r[i].group_idx;
	cr_assert_eq(last, DP_GROUP_LOCAL);
	routes_free(&s);
}
