/* SPDX-License-Identifier: BSD-3-Clause */
/* What YAML allows and a configuration does not. */
#include <errno.h>

#include "conf_test.h"

Test(lint, duplicate_keys_are_errors_at_every_depth)
{
	static const struct row rows[] = {
		{"version: 1\nversion: 1\nnode: {name: a, id: 1}\nports: [{name: p, device: d, "
		 "role: nsf}]\n",
			"2:1: version: got a duplicate key, in line 1 and in line 2, want it once"},
		{HEAD "node: {name: b, id: 2}\nports: [{name: p, device: d, role: nsf}]\n",
			"3:1: node: got a duplicate key, in line 2 and in line 3, want it once"},
		{"version: 1\nnode:\n  name: a\n  id: 1\n  id: 2\nports: [{name: p, device: d, "
		 "role: nsf}]\n",
			"5:3: node.id: got a duplicate key, in line 4 and in line 5, want it once"},
		{HEAD "ports:\n  - name: p0\n    device: d\n    role: nsf\n    mtu: 1500\n    mtu: "
		      "1500\n",
			"8:5: ports.p0.mtu: got a duplicate key, in line 7 and in line 8, want it "
			"once"},
		{PORTS "groups:\n  - name: g0\n    members:\n      - port: p0\n        mac: "
		       "02:00:00:00:00:01\n        weight: 1\n        weight: 2\n        weight: "
		       "3\n",
			"10:9: groups.g0.members[0].weight: got a duplicate key, in line 9 and in "
			"line 10, want it once\n"
			"11:9: groups.g0.members[0].weight: got a duplicate key, in line 9 and in "
			"line 11, want it once"},
		{GROUP "routes:\n  static:\n    - prefix: 10.0.0.0/8\n      group: g0\n      "
		       "group: g0\n",
			"9:7: routes.static[0].group: got a duplicate key, in line 8 and in line "
			"9, want it once"},
		{PORTS "x:\n  y:\n    z: 1\n    z: 1\n",
			"4:1: x: got an unknown key, want one of version, node, ports, runtime, "
			"classes, hyperports, dsf, hash, flows, groups, routes\n"
			"7:5: x.y.z: got a duplicate key, in line 6 and in line 7, want it once"},
		{PORTS "runtime: {burst: 1, \"burst\": 2}\n",
			"4:21: runtime.burst: got a duplicate key, in line 4 and in line 4, want "
			"it once"},
		{PORTS "hash:\n  seed: 1\n  'seed': 1\n", "6:3: hash.seed: got a duplicate key, in "
							  "line 5 and in line 6, want it once"},
	};

	EXPECT_ROWS(rows);
}

/* Past 16 keys another way finds them. key0 and key7 come back. */
Test(lint, duplicates_among_many_keys_name_the_first_line)
{
	char *yaml, *text;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);
	struct parsed p;

	fputs(PORTS, out);
	for (unsigned int i = 0; i < 39; i++)
		fprintf(out, "key%u: 1\n", i);
	fputs("key0: 1\nkey7: 1\nkey7: 1\n", out);
	fclose(out);
	p = parse(yaml);
	cr_assert_eq(p.e.n, 39 + 3);
	text = errors_text(&p.e);
	cr_expect_str_eq(strstr(text, "43:1"),
		"43:1: key0: got a duplicate key, in line 4 and in line 43, want it once\n"
		"44:1: key7: got a duplicate key, in line 11 and in line 44, want it once\n"
		"45:1: key7: got a duplicate key, in line 11 and in line 45, want it once");
	free(text);
	free(yaml);
	parsed_fini(&p);
}

Test(lint, anchors_aliases_merge_keys_and_tags_are_refused)
{
	static const struct row rows[] = {
		{PORT("mac: &m 02:00:00:00:00:01"),
			"4:44: ports.p0.mac: got an anchor ('&'), want the value alone"},
		{HEAD "ports:\n  - &p {name: p0, device: d0, role: nsf}\n  - *p\n",
			"4:5: ports.p0: got an anchor ('&'), want the value alone\n"
			"5:5: ports[1]: got an alias ('*'), want the value written out"},
		{HEAD "ports:\n  - &base {name: p0, device: d0, role: nsf}\n  - {<<: *base, name: "
		      "p1}\n",
			"4:5: ports.p0: got an anchor ('&'), want the value alone\n"
			"5:6: ports.p1: got a merge key '<<', want the keys written out (no "
			"merging here)"},
		{PORT("mtu: !!int 1500"),
			"4:44: ports.p0.mtu: got a tag ('!'), want the value alone"},
		{PORT("mtu: !x \"1500\""),
			"4:44: ports.p0.mtu: got a tag ('!'), want the value alone"},
		{PORTS "*a : 1\n", "4:1: file: got an alias ('*'), want the value written out"},
		{"*a", "1:1: file: got an alias ('*'), want the value written out"},
		{PORT("? [a]: 1"), "4:41: ports.p0: got a list as a key, want a text"},
		{PORT("? {a: b}: 1"), "4:41: ports.p0: got a mapping as a key, want a text"},
	};

	EXPECT_ROWS(rows);
}

/* Nine levels of nine aliases each would be 387 million texts. */
Test(lint, alias_bomb_costs_what_it_is_long)
{
	char *yaml;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);
	struct parsed p;

	fputs(HEAD "a0: &a0 [x, x, x, x, x, x, x, x, x]\n", out);
	for (unsigned int i = 1; i < 10; i++) {
		fprintf(out, "a%u: &a%u [", i, i);
		for (unsigned int j = 0; j < 9; j++)
			fprintf(out, "%s*a%u", j ? ", " : "", i - 1);
		fputs("]\n", out);
	}
	fclose(out);
	p = parse(yaml);
	cr_assert_eq(p.rc, -EINVAL);
	/* 10 anchors, 81 aliases, 10 unknown keys, no ports. */
	cr_assert_eq(p.e.n + p.e.n_left_out, 10 + 81 + 10 + 1);
	cr_assert_str_eq(p.e.error[3].text,
		"a1: got an unknown key, want one of version, node, ports, "
		"runtime, classes, hyperports, dsf, hash, flows, groups, routes");
	cr_assert_str_eq(
		p.e.error[5].text, "a1[0]: got an alias ('*'), want the value written out");
	cr_assert_eq(p.e.error[5].pos.line, 4);
	cr_assert_eq(p.e.error[5].pos.col, 10);
	free(yaml);
	parsed_fini(&p);
}
