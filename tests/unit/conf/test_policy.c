/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a group that say how its members are chosen. */
#include "conf_test.h"

#define TO_G0 "routes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n"

/* Two members whose ports' keys are `a` and `b`; the group stands in line 6. */
#define TWO(a, b, keys)                                                                            \
	HEAD "ports:\n  - {name: p0, device: d0, role: longhaul, " a                               \
	     "}\n  - {name: p1, device: d1, role: longhaul, " b "}\n"                              \
	     "groups:\n  - {name: g0, " keys ", members: [{port: p0, mac: 02:00:00:00:00:01}, "    \
	     "{port: p1, mac: 02:00:00:00:00:02}]}\n" TO_G0

Test(policy, defaults_are_those_of_ecmp)
{
	struct parsed p = good(GROUP);
	const struct conf_group *g = &p.c->group[0];

	cr_expect_eq(g->policy, CONF_POLICY_ECMP);
	cr_expect_eq(g->hash_fields, CONF_HASH_5TUPLE | CONF_HASH_DEST_QP);
	cr_expect_not(g->vxlan_inner);
	cr_expect_not(g->has_hash_seed);
	cr_expect_eq(g->rotate_ns, 0);
	cr_expect_eq(g->gap_ns, 50000);
	cr_expect_eq(conf_group_seed(p.c, g), conf_seed(p.c));
	cr_expect_not(conf_group_flowlets(g));
	cr_expect_not(conf_group_sprays(g));
	parsed_fini(&p);
}

Test(policy, each_is_read)
{
	struct parsed p = good(GROUPS("policy: spray, spray_if: write"));

	cr_expect_eq(p.c->group[0].policy, CONF_POLICY_SPRAY);
	cr_expect_eq(p.c->group[0].spray_if, CONF_SPRAY_WRITE);
	cr_expect(conf_group_sprays(&p.c->group[0]));
	parsed_fini(&p);
	p = good(GROUPS("policy: adaptive, per: flowlet, gap: 1ms"));
	cr_expect_eq(p.c->group[0].policy, CONF_POLICY_ADAPTIVE);
	cr_expect_eq(p.c->group[0].per, CONF_PER_FLOWLET);
	cr_expect_eq(p.c->group[0].gap_ns, 1000000);
	cr_expect(conf_group_flowlets(&p.c->group[0]));
	cr_expect_not(conf_group_sprays(&p.c->group[0]));
	parsed_fini(&p);
	p = good(GROUPS("policy: flowlet, gap: 20us"));
	cr_expect(conf_group_flowlets(&p.c->group[0]));
	cr_expect_eq(p.c->group[0].gap_ns, 20000);
	parsed_fini(&p);
}

Test(policy, a_hash_is_a_list_or_a_mapping)
{
	struct parsed p = good(GROUPS("hash: {fields: [5tuple, flow_label], vxlan_inner: true, "
				      "seed: 9, rotate: 1s}"));
	const struct conf_group *g = &p.c->group[0];

	cr_expect_eq(g->hash_fields, CONF_HASH_5TUPLE | CONF_HASH_FLOW_LABEL);
	cr_expect(g->vxlan_inner);
	cr_expect_eq(conf_group_seed(p.c, g), 9);
	cr_expect_eq(g->rotate_ns, 1000000000);
	parsed_fini(&p);
	p = good(GROUPS("hash: {rotate: 100us}"));
	cr_expect_eq(p.c->group[0].hash_fields, CONF_HASH_5TUPLE | CONF_HASH_DEST_QP);
	cr_expect_eq(p.c->group[0].rotate_ns, 100000);
	parsed_fini(&p);
	p = good(GROUPS("hash: [5tuple, dest_qp, flow_label]"));
	cr_expect_eq(p.c->group[0].hash_fields, 7);
	parsed_fini(&p);
}

Test(policy, what_is_wrong_in_a_hash_is_told_where_it_stands)
{
	static const struct row rows[] = {
		{GROUPS("hash: {fields: [dest_qp]}"),
			"5:78: groups.g0.hash.fields: got a list without 5tuple, want a list of "
			"5tuple, dest_qp, flow_label with it"},
		{GROUPS("hash: {rotate: 10us}"), "5:78: groups.g0.hash.rotate: got 10us, want off "
						 "or a time from 100us to 3600s"},
		{GROUPS("hash: {vxlan: true}"), "5:70: groups.g0.hash.vxlan: got an unknown key, "
						"want one of fields, vxlan_inner, "
						"seed, rotate"},
		{GROUPS("hash: {vxlan_inner: yes}"), "5:83: groups.g0.hash.vxlan_inner: got yes, "
						     "want true or false (write true)"},
	};

	EXPECT_ROWS(rows);
}

Test(policy, keys_of_another_policy_are_errors)
{
	static const struct row rows[] = {
		{GROUPS("gap: 50us"), "5:68: groups.g0.gap: got it in a group of another policy, "
				      "want it with `policy: flowlet`, or with `adaptive` and "
				      "`per: flowlet`"},
		{GROUPS("policy: flowlet, spray_if: write"),
			"5:90: groups.g0.spray_if: got it in a group of another policy, want it "
			"with `policy: spray`, or with `adaptive` and `per: packet`"},
		{GROUPS("policy: spray, per: packet"),
			"5:83: groups.g0.per: got it in a group of another policy, want it with "
			"`policy: adaptive`"},
		{GROUPS("policy: adaptive, gap: 50us"),
			"5:86: groups.g0.gap: got it in a group of another policy, want it with "
			"`policy: flowlet`, or with `adaptive` and `per: flowlet`"},
		{GROUPS("policy: flowlet, gap: 500ns"), "5:85: groups.g0.gap: got 500ns, want a "
							"time from 1us to 1s"},
		{GROUPS("policy: spray, spray_if: all"),
			"5:88: groups.g0.spray_if: got all, want ar_bit, write or any"},
	};

	EXPECT_ROWS(rows);
}

Test(policy, warns_of_a_spray_over_ways_of_different_length)
{
	expect_warnings(
		TWO("rate: 10Gbit, distance: 1km", "rate: 10Gbit, distance: 3km", "policy: spray"),
		"");
	expect_warnings(
		TWO("rate: 10Gbit, distance: 1km", "rate: 10Gbit, distance: 41km", "policy: spray"),
		"7:5: groups.g0.policy: got members whose ways differ by 200 us one way, want "
		"members that are as far as each other for a policy that sends packet by packet: "
		"as it is, packets arrive that much out of order");
	expect_warnings(
		TWO("rate: 10Gbit, distance: 1km", "rate: 10Gbit, distance: 41km", "policy: ecmp"),
		"");
}

Test(policy, warns_of_a_gap_below_the_difference_of_the_ways)
{
	expect_warnings(TWO("rate: 10Gbit, distance: 1km", "rate: 10Gbit, distance: 41km",
				"policy: flowlet, gap: 200us"),
		"7:5: groups.g0.gap: got 200us, and members whose ways differ by 200 us, want a "
		"gap above that: as it is, a flow's packets overtake each other");
	expect_warnings(TWO("rate: 10Gbit, distance: 1km", "rate: 10Gbit, distance: 41km",
				"policy: adaptive, per: flowlet, gap: 201us"),
		"");
}

Test(policy, warns_of_any_and_of_seeds_that_turn_for_nothing)
{
	expect_warnings(TWO("mtu: 1500", "mtu: 1500", "policy: spray, spray_if: any"),
		"7:5: groups.g0.spray_if: got any, want ar_bit or write: as it is, READ requests "
		"and opcodes that nobody knows are reordered, too, and a NIC that has not asked "
		"for it answers with NAKs");
	expect_warnings(TWO("mtu: 1500", "mtu: 1500", "policy: spray, hash: {rotate: 1ms}"),
		"7:5: groups.g0.hash.rotate: got it with a policy that sends the same packets one "
		"by one, want it with ecmp: as it is, it does nothing");
	expect_warnings(TWO("mtu: 1500", "mtu: 1500", "policy: flowlet, hash: {rotate: 1ms}"),
		"7:5: groups.g0.hash.rotate: got it with flowlets, want it with ecmp: as it is, "
		"only packets without an entry in the flow table go by hash");
	expect_warnings(TWO("mtu: 1500", "mtu: 1500", "hash: {rotate: 1ms}"), "");
}
