/* SPDX-License-Identifier: BSD-3-Clause */
/* What is allowed and probably not meant. */
#include "conf_test.h"

#define POLLED PORTS "runtime: {workers: [{lcore: 1, rx: [p0]}]}\n"
#define TO_G0  "routes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n"

Test(warn, says_nothing_of_a_file_that_is_meant)
{
	expect_warnings(GROUP TO_G0, "");
}

Test(warn, names_groups_without_a_route)
{
	expect_warnings(PORTS "groups:\n  - {name: g0, members: [" WAY
			      "]}\n  - {name: g1, members: [" WAY "]}\n" TO_G0,
		"6:5: groups.g1: got no route to it, want one or no group");
	expect_warnings(GROUP, "1:1: routes: got none, want some: as it is, nothing is forwarded\n"
			       "4:10: groups.g0: got no route to it, want one or no group");
}

Test(warn, names_ports_that_nobody_polls)
{
	expect_warnings(POLLED "groups: [{name: g0, members: [" WAY "]}]\n" TO_G0,
		"3:44: ports.p1: got no worker that polls it, want it in a worker's rx");
}

Test(warn, names_members_whose_mac_is_not_known)
{
	expect_warnings(MEMBER("via: 10.9.0.1") TO_G0,
		"5:26: groups.g0.members[0]: got a via and no mac, want a mac: without it the "
		"member's "
		"packets drop as unresolved until the neighbour is known");
}

Test(warn, names_groups_with_no_weight_at_all)
{
	expect_warnings(MEMBER("mac: 02:00:00:00:00:01, weight: 0") TO_G0,
		"5:5: groups.g0.members: got the weight 0 for all, want one above 0: as it is, its "
		"packets drop");
}

#define ROUTED(prefix, i, what)                                                                    \
	{                                                                                          \
		prefix, i ": routes.static[0].prefix: got " what                                   \
			  ", want unicast: no packet comes so far as to take this route"           \
	}

Test(warn, names_routes_that_no_packet_can_take)
{
	static const struct {
		const char *prefix, *want;
	} row[] = {
		ROUTED("0.0.0.0/8", "7:7", "addresses of this network"),
		ROUTED("127.0.0.1/32", "7:7", "loopback addresses"),
		ROUTED("169.254.7.0/24", "7:7", "link-local addresses"),
		ROUTED("224.0.0.0/4", "7:7", "multicast groups"),
		ROUTED("239.255.255.255/32", "7:7", "multicast groups"),
		ROUTED("255.255.255.255/32", "7:7", "the broadcast address"),
		ROUTED("::/128", "7:7", "the unspecified address"),
		ROUTED("::1/128", "7:7", "the loopback address"),
		ROUTED("fe80::/64", "7:7", "link-local addresses"),
		ROUTED("ff02::/16", "7:7", "multicast groups"),
		{"0.0.0.0/0", ""},
		{"::/0", ""},
		{"240.0.0.0/4", ""}, /* reserved, and routed all the same */
		{"192.0.0.0/2", ""}, /* more than the multicast groups in it */
		{"126.0.0.0/8", ""},
		{"169.252.0.0/15", ""},
		{"169.255.0.0/16", ""},
		{"223.255.255.255/32", ""},
		{"::2/128", ""},
		{"::/127", ""},
		{"fe00::/9", ""},
		{"fec0::/10", ""},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char yaml[512];

		snprintf(yaml, sizeof(yaml), ROUTE("prefix: \"%s\", group: g0"), row[i].prefix);
		expect_warnings(yaml, row[i].want);
	}
}

Test(warn, names_routes_to_a_broadcast_address_of_the_node)
{
	static const struct {
		const char *address, *prefix;
		bool warns;
	} row[] = {
		{"10.1.0.1/24", "10.1.0.255/32", true},
		{"10.1.0.1/30", "10.1.0.3/32", true},
		{"10.1.3.1/23", "10.1.3.255/32", true},
		{"10.1.3.1/23", "10.1.2.255/32", false},
		{"10.1.0.1/24", "10.1.0.254/32", false},
		{"10.1.0.1/24", "10.1.0.0/24", false},
		{"10.1.0.0/31", "10.1.0.1/32", false},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char yaml[512];

		snprintf(yaml, sizeof(yaml),
			PORT("mac: 02:00:00:00:00:aa, addresses: [%s]") "groups: [{name: g0, "
									"members: "
									"[" WAY "]}]\nroutes: "
									"{static: [{prefix: %s, "
									"group: g0}]}\n",
			row[i].address, row[i].prefix);
		expect_warnings(yaml,
			row[i].warns ? "6:19: routes.static[0].prefix: got the broadcast address "
				       "of ports.p0.addresses[0], want a route to others"
				     : "");
	}
}

Test(warn, names_next_hops_whose_mac_is_an_own_port_s)
{
	expect_warnings(PORT("mac: 02:00:00:00:00:01") "groups: [{name: g0, members: [" WAY
						       "]}]\n" TO_G0,
		"5:31: groups.g0.members[0].mac: got the MAC of ports.p0, want that of the next "
		"hop");
}

static struct conf
node(const char *name, uint16_t id, bool has_seed, uint64_t seed)
{
	struct conf c = {.node_id = id, .has_hash_seed = has_seed, .hash_seed = seed};

	snprintf(c.node_name, sizeof(c.node_name), "%s", name);
	c.file = (char *)(uintptr_t)name;
	return c;
}

static size_t
n_equal(const struct conf *const *c, size_t n, char **ret_text)
{
	struct conf_errors w;
	size_t count;

	cr_assert_eq(conf_warn_equal_seeds(c, n, &w), 0);
	count = w.n;
	*ret_text = errors_text(&w);
	conf_errors_fini(&w);
	return count;
}

Test(warn, names_each_pair_of_nodes_that_hash_alike)
{
	struct conf a = node("a", 1, false, 0), b = node("b", 2, false, 0),
		    same = node("c", 1, false, 0);
	struct conf x = node("x", 3, true, 7), y = node("y", 4, true, 7);
	struct conf z = node("z", 9, true, conf_seed(&b));
	char *text;

	cr_expect_eq(n_equal((const struct conf *const[]){&a, &b, &x}, 3, &text), 0);
	free(text);
	cr_expect_eq(n_equal((const struct conf *const[]){&x, &a, &y}, 3, &text), 1);
	cr_expect_str_eq(text,
		"0:0: hash.seed: got 7 for node x (id 3, x) and for node y (id 4, y), want "
		"unlike seeds: in a row they hash alike, and the second uses only some of "
		"its members");
	free(text);
	cr_expect_eq(n_equal((const struct conf *const[]){&a, &b, &same, &x, &y, &z}, 6, &text), 3);
	free(text);
	cr_expect_eq(n_equal(NULL, 0, &text), 0);
	free(text);
}
