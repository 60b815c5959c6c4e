/* SPDX-License-Identifier: BSD-3-Clause */
/* Across the items of a file: what repeats, and what is the node itself. */
#include "conf_test.h"

Test(check, ports_share_nothing)
{
	static const struct row rows[] = {
		{HEAD "ports: [{name: p0, device: d0, role: nsf}, {name: p0, device: d1, role: "
		      "nsf}]\n",
			"3:51: ports.p0.name: got p0, which line 3 has, want a name of its own"},
		{HEAD "ports:\n  - {name: p0, device: d0, role: nsf}\n  - {name: p1, device: d0, "
		      "role: nsf}\n",
			"5:24: ports.p1.device: got d0, which line 4 has, want a device of its "
			"own"},
		{HEAD "ports:\n  - {name: p0, device: d0, role: nsf, mac: 02:00:00:00:00:0a}\n  - "
		      "{name: p1, device: d1, role: nsf, mac: 02:00:00:00:00:0A}\n",
			"5:44: ports.p1.mac: got 02:00:00:00:00:0A, which line 4 has, want a MAC "
			"of its own"},
		{HEAD "ports:\n  - {name: p0, device: d0, role: nsf, addresses: [10.0.0.1/24]}\n  "
		      "- {name: p1, device: d1, role: nsf, addresses: [10.1.0.1/24, "
		      "10.0.0.1/30]}\n",
			"5:64: ports.p1.addresses[1]: got 10.0.0.1/30, which line 4 has, want an "
			"address of its own"},
		{PORT("addresses: [10:10::1/64, 10:10::0001/64]"),
			"4:64: ports.p0.addresses[1]: got 10:10::0001/64, which line 4 has, want "
			"an address of its own"},
		{PORT("addresses: [10.1.0.1/24, a01:1::/64]"), ""},
	};

	EXPECT_ROWS(rows);
}

Test(check, groups_have_names_of_their_own)
{
	static const struct row rows[] = {
		{PORTS "groups:\n  - {name: g0, members: [" WAY "]}\n  - {name: g1, members: [" WAY
		       "]}\n  - {name: g0, members: [" WAY "]}\n",
			"7:12: groups.g0.name: got g0, which line 5 has, want a name of its own"},
	};

	EXPECT_ROWS(rows);
}

Test(check, members_are_each_a_way_of_their_own)
{
	static const struct row rows[] = {
		{PORTS "groups:\n  - {name: g0, members: [" WAY ", " WAY "]}\n",
			"5:62: groups.g0.members[1]: got the port, via and mac of members[0] in "
			"line 5, want each way out once, with a weight"},
		{PORTS "groups:\n  - {name: g0, members: [{port: p0, via: 10.0.0.1}, {port: p1, "
		       "via: 10.0.0.1}, {port: p0, via: 10.0.0.2}, {port: p0, via: 10.0.0.1, mac: "
		       "02:00:00:00:00:01}]}\n",
			""},
		{PORTS "groups:\n  - name: g0\n    members:\n      - {port: p0, via: 10:10::1, "
		       "weight: 1}\n      - {port: p0, via: 10:10::1, weight: 2}\n",
			"8:9: groups.g0.members[1]: got the port, via and mac of members[0] in "
			"line 7, want each way out once, with a weight"},
	};

	EXPECT_ROWS(rows);
}

Test(check, members_with_a_weight_fit_the_buckets)
{
	char *yaml;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);

	fputs(PORTS "groups:\n  - name: g0\n    buckets: 64\n    members:\n", out);
	for (unsigned int i = 1; i <= 65; i++)
		fprintf(out, "      - {port: p0, via: 10.0.0.%u}\n", i);
	fclose(out);
	expect_errors(yaml, len,
		"8:7: groups.g0.members: got 65 members with a weight and 64 buckets, "
		"want a bucket for each at least");
	free(yaml);
}

Test(check, members_without_a_weight_need_no_bucket)
{
	char *yaml;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);

	fputs(PORTS "groups:\n  - name: g0\n    buckets: 64\n    members:\n", out);
	for (unsigned int i = 1; i <= 128; i++)
		fprintf(out, "      - {port: p0, via: 10.0.0.%u, weight: %u}\n", i, i > 64 ? 0 : i);
	fclose(out);
	expect_errors(yaml, len, "");
	free(yaml);
}

Test(check, a_group_has_at_most_128_members)
{
	char *yaml;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);

	fputs(PORTS "groups:\n  - name: g0\n    members:\n", out);
	for (unsigned int i = 1; i <= 129; i++)
		fprintf(out, "      - {port: p0, via: 10.0.0.%u}\n", i);
	fclose(out);
	expect_errors(yaml, len, "7:7: groups.g0.members: got 129 items, want a list of 1 to 128");
	free(yaml);
}

Test(check, workers_have_lcores_and_queues_of_their_own)
{
	static const struct row rows[] = {
		{RUNTIME("workers: [{lcore: 1, rx: [p0, p1]}, {lcore: 2, rx: [p1]}]"), ""},
		{RUNTIME("workers: [{lcore: 1, rx: [p0]}, {lcore: 1, rx: [p1]}]"),
			"5:43: runtime.workers[1].lcore: got 1, which line 5 has, want an lcore of "
			"its own"},
		{RUNTIME("workers: [{lcore: 1, rx: [p0, p1, p0]}]"),
			"5:37: runtime.workers[0].rx[2]: got p0 again, want a port once a worker"},
		{RUNTIME("{main_lcore: 1, workers: [{lcore: 1, rx: [p0, p1]}]}"), ""},
		{RUNTIME("{main_lcore: 1, workers: [{lcore: 2, rx: [p0]}, {lcore: 1, rx: [p1]}]}"),
			"5:16: runtime.main_lcore: got 1, which is workers[1]'s lcore, want one of "
			"its own beside several workers"},
		{RUNTIME("workers: [{lcore: x, rx: [p0]}, {lcore: 0, rx: [p1]}, {lcore: y, rx: "
			 "[p1]}]"),
			"5:21: runtime.workers[0].lcore: got x, want a number from 0 to 127\n"
			"5:65: runtime.workers[2].lcore: got y, want a number from 0 to 127"},
	};

	EXPECT_ROWS(rows);
}

Test(check, classes_share_nothing)
{
	static const struct row rows[] = {
		{PORTS "classes: [{class: 3, name: c, dscp: [24-31]}, {class: 0, name: e, dscp: "
		       "[0]}]\n",
			""},
		{PORTS "classes: [{class: 3, name: c}, {class: 3, name: e}]\n",
			"4:40: classes.e.class: got 3, which line 4 has, want each class once"},
		{PORTS "classes: [{class: 3, name: c}, {class: 4, name: c}]\n",
			"4:49: classes.c.name: got c, which class 3 in line 4 has, want a name of "
			"its own"},
		{PORTS "classes:\n  - {class: 3, name: c, dscp: [1-5]}\n  - {class: 4, name: e, "
		       "dscp: [9, 4-6]}\n",
			"6:35: classes.e.dscp[1]: got DSCP 4, which class 3 (c, line 5) has, want "
			"each in one class"},
		{CLASS("dscp: [0-63]"), ""},
		{CLASS("dscp: [24-31, 30]"),
			"5:39: classes.c.dscp[1]: got 30 again, want each once"},
		{CLASS("dscp: [64]"), "5:32: classes.c.dscp[0]: got 64, want a DSCP or a range of "
				      "them from 0 to 63 (plain decimal, at most 63)"},
		{CLASS("dscp: [24-99]"), "5:32: classes.c.dscp[0]: got 24-99, want a DSCP or a "
					 "range of them from 0 to 63 (plain decimal, at most 63)"},
		{CLASS("dscp: [31-24]"), "5:32: classes.c.dscp[0]: got 31-24, want a DSCP or a "
					 "range of them from 0 to 63 (the lower end first: 24-31)"},
		{CLASS("dscp: [08]"), "5:32: classes.c.dscp[0]: got 08, want a DSCP or a range of "
				      "them from 0 to 63 (plain decimal, at most 63)"},
		{CLASS("dscp: [24-]"), "5:32: classes.c.dscp[0]: got 24-, want a DSCP or a range "
				       "of them from 0 to 63 (plain decimal, at most 63)"},
		{CLASS("dscp: [af41]"), "5:32: classes.c.dscp[0]: got af41, want a DSCP or a range "
					"of them from 0 to 63 (a number, not a name)"},
		{CLASS("dscp: [1.5]"), "5:32: classes.c.dscp[0]: got 1.5, want a DSCP or a range "
				       "of them from 0 to 63 (a whole number)"},
		{CLASS("dscp: [[1]]"), "5:32: classes.c.dscp[0]: got a list, want a DSCP or a "
				       "range of them from 0 to 63"},
		{CLASS("dscp: 24"), "5:31: classes.c.dscp: got 24, want a list of DSCPs from 0 to "
				    "63 such as [24-31, 48]"},
		{PORTS "classes: [{class: 8, name: c}]\n",
			"4:19: classes.c.class: got 8, want a number from 0 to 7"},
	};

	EXPECT_ROWS(rows);
}

Test(check, prefixes_appear_once)
{
	static const struct row rows[] = {
		{GROUP "routes:\n  static:\n    - {prefix: 10.0.0.0/8, group: g0}\n    - {prefix: "
		       "10.0.0.0/9, group: g0}\n    - {prefix: 10.0.0.0/8, group: g0}\n    - "
		       "{prefix: 10.0.0.0/8, group: g0}\n",
			"9:16: routes.static[2].prefix: got 10.0.0.0/8, which line 7 has, want "
			"each prefix once\n"
			"10:16: routes.static[3].prefix: got 10.0.0.0/8, which line 7 has, want "
			"each prefix once"},
		{GROUP "routes:\n  static:\n    - {prefix: 10:10::/32, group: g0}\n    - {prefix: "
		       "10:10:0::/32, group: g0}\n",
			"8:16: routes.static[1].prefix: got 10:10:0::/32, which line 7 has, want "
			"each prefix once"},
		{GROUP "routes:\n  static:\n    - {prefix: 0.0.0.0/0, group: g0}\n    - {prefix: "
		       "\"::/0\", group: g0}\n",
			""},
	};

	EXPECT_ROWS(rows);
}

#define AT_HOME PORT("addresses: [10.0.0.1/24, 10:10::1/64]")

Test(check, routes_to_the_node_itself_are_refused)
{
	static const struct row rows[] = {
		{AT_HOME "groups: [{name: g0, members: [" WAY
			 "]}]\nroutes: {static: [{prefix: 10.0.0.1/32, group: g0}]}\n",
			"6:28: routes.static[0].prefix: got an address of the node itself, want a "
			"route to others"},
		{AT_HOME "groups: [{name: g0, members: [" WAY
			 "]}]\nroutes: {static: [{prefix: 10:10::1/128, group: g0}]}\n",
			"6:28: routes.static[0].prefix: got an address of the node itself, want a "
			"route to others"},
		{AT_HOME "groups: [{name: g0, members: [" WAY
			 "]}]\nroutes: {static: [{prefix: 10.0.0.0/24, group: g0}]}\n",
			""},
		{PORT("addresses: [10.0.0.0/31]") "groups: [{name: g0, members: [" WAY "]}]\n"
						  "routes: {static: [{prefix: 10.0.0.0/24, group: "
						  "g0}]}\n",
			""},
	};

	EXPECT_ROWS(rows);
}

Test(check, next_hops_are_neighbours)
{
	static const struct row rows[] = {
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: 10.0.0.2}]}]\n", ""},
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: 10:10::2}]}]\n", ""},
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: fe80::2}]}]\n", ""},
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: 10.0.0.1}]}]\n",
			"5:47: groups.g0.members[0].via: got 10.0.0.1, which is the node itself, "
			"want a neighbour's address"},
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: 10.0.1.1}]}]\n",
			"5:47: groups.g0.members[0].via: got 10.0.1.1, which is on no network of "
			"port p0, want one that is (or a mac)"},
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: 10:11::1}]}]\n",
			"5:47: groups.g0.members[0].via: got 10:11::1, which is on no network of "
			"port p0, want one that is (or a mac)"},
		{AT_HOME "groups: [{name: g0, members: [{port: p0, via: 10.0.1.1, mac: "
			 "02:00:00:00:00:01}]}]\n",
			""},
		{PORT("addresses: [10.0.0.1/24]") "groups: [{name: g0, members: [{port: p0, via: "
						  "10:10::2}]}]\n",
			""},
	};

	EXPECT_ROWS(rows);
}
