/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are no YAML further down: what stands before that is judged in the same run, and
 * nothing is said of what the rest may hold.
 */
#include "conf_test.h"

#define BAD_LINE  "\t}\n"
#define TAB(line) line ":1: syntax: got a tab, want spaces for indentation"

Test(partial, errors_before_the_syntax_error_come_with_it)
{
	static const struct row rows[] = {
		{PORT("mtuu: 1500, pace: 20") "groups: []\n@\n",
			"4:39: ports.p0.mtuu: got an unknown key, want mtu (the nearest known "
			"one)\n"
			"4:57: ports.p0.pace: got 20, want a rate from 1pps to 10Gpps (with its "
			"unit, such as 20kpps)\n"
			"6:1: syntax: got '@' at the start of a value, want it in quotes"},
		{"node: {name: a, id: 0}\nversion: 1\n" BAD_LINE,
			"1:21: node.id: got 0, want a number from 1 to 65534\n"
			"2:10: version: got it after other keys, want `version: 1` as the first "
			"key of the file\n" TAB("3")},
		{PORT("mtu: 1500, mtu: 1600") BAD_LINE,
			"4:50: ports.p0.mtu: got a duplicate key, in line 4 and in line 4, want it "
			"once\n" TAB("5")},
		{PORT("ecn: {kmin: 2KB, kmax: 1KB, pmax: 1%}") BAD_LINE,
			"4:51: ports.p0.ecn.kmin: got 2KB, want at most kmax, which is 1KB\n" TAB(
				"5")},
		{HEAD "ports: [{name: p0, device: d0, role: nsf}, {name: p0, device: d0, role: "
		      "nsf}]\n" BAD_LINE,
			"3:51: ports.p0.name: got p0, which line 3 has, want a name of its own\n"
			"3:63: ports.p0.device: got d0, which line 3 has, want a device of its "
			"own\n" TAB("4")},
	};

	EXPECT_ROWS(rows);
}

Test(partial, what_the_rest_may_hold_is_not_missed)
{
	static const struct row rows[] = {
		{"version: 1\n" BAD_LINE, TAB("2")},
		{HEAD "ports:\n  - name: p0\n" BAD_LINE, TAB("5")},
		{HEAD "ports:\n" BAD_LINE, TAB("4")},
		{HEAD "runtime:\n  workers:\n  x: y: z\n", /* it may have belonged there */
			"5:7: syntax: got a ':' that makes no key here, want quotes around a value "
			"that holds ': ' or ends in ':' (\"10:10::\")"},
		/* Names that come later, in sections that come later. */
		{"version: 1\nroutes: {static: [{prefix: 10.0.0.0/8, group: g9}]}\n" BAD_LINE,
			TAB("3")},
		{"version: 1\ngroups: [{name: g, members: [{port: p9, via: 10.0.0.1}]}]\n" BAD_LINE,
			TAB("3")},
		{HEAD "runtime: {workers: [{lcore: 1, rx: [p9]}]}\nports:\n  - {name: p0, device: "
		      "d0, role: nsf}\n" BAD_LINE,
			TAB("6")},
		/* ... but not in one that is there and closed. */
		{PORTS "runtime: {workers: [{lcore: 1, rx: [p9]}]}\n" BAD_LINE,
			"4:37: runtime.workers[0].rx[0]: got p9, want the name of a port (the "
			"nearest is p0)\n" TAB("5")},
		/* Classes that would be lossless, a mac beside the via. */
		{PORT("rate: 1Gbit, pfc: {classes: [3]}") BAD_LINE, TAB("5")},
		{PORTS "groups:\n  - name: g0\n    members:\n      - port: p0\n" BAD_LINE,
			TAB("8")},
	};

	EXPECT_ROWS(rows);
}

/* A mistake that makes the lines around it read as something else. */
Test(partial, what_the_mistake_garbles_is_left_alone)
{
	static const struct row rows[] = {
		/* A bracket that is not closed takes the next keys in. */
		{PORT("mtu: 1") "runtime: {eal: [a, b\nnode: c\nnode: d\n",
			"4:44: ports.p0.mtu: got 1, want a number from 1280 to 9600\n"
			"6:5: syntax: got no ',' or ']', want the end of a list (begun at 5:16)"},
		/* A quote, too. */
		{HEAD "ports:\n  - name: \"p0\n    device: \"d0\"\n",
			"5:14: syntax: got something that is no key, want `key: value` in the "
			"column of the keys above (begun at 4:5)"},
		/* A text goes on in the next line. */
		{HEAD "ports:\n  - name: p0\n    device d0\n    role: nsf\n",
			"6:5: syntax: got a text alone, want `key: value` (begun at 5:5)"},
		/* A key that stands too far left ends its port. */
		{HEAD "ports:\n  - name: p0\n  device: d0\n",
			"5:3: syntax: got something that is no item, want '- ' in the column of "
			"the "
			"items above (begun at 4:3)"},
	};

	EXPECT_ROWS(rows);
}

static char *
whole(const char *name, size_t *ret_len)
{
	const char *root = getenv("SOFTBAG_ROOT");
	char path[4096];
	char *text = calloc(1, 65536);
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/data/conf/%s", root ? root : ".", name);
	in = fopen(path, "r");
	cr_assert_not_null(in, "%s", path);
	*ret_len = fread(text, 1, 32768, in);
	fclose(in);
	return text;
}

/* A list item behind `key:` is a list where the file has none: an error of its own. */
static bool
makes_a_list(const char *text, size_t at, const char *with)
{
	return text[at - 2] == ':' && with[strspn(with, " ")] == '-';
}

static bool
has_syntax_error(const struct conf_errors *e)
{
	for (size_t i = 0; i < e->n; i++)
		if (strncmp(e->error[i].text, "syntax: ", 8) == 0)
			return true;
	return false;
}

/* Breaks the text behind `at` bytes; false when YAML can make something of it. */
static bool
break_at(char *text, size_t at, const char *with)
{
	struct parsed p;
	char saved[32], *got;
	size_t len = strlen(with);
	bool broken;

	memcpy(saved, text + at, len);
	memcpy(text + at, with, len);
	p = parse_bytes(text, at + len);
	memcpy(text + at, saved, len);
	broken = has_syntax_error(&p.e);
	got = errors_text(&p.e);
	cr_expect(!broken || p.e.n == 1, "%s behind %zu bytes, after\n%.*s\n  got %s", with, at,
		(int)(at > 80 ? 80 : at), text + (at > 80 ? at - 80 : 0), got);
	free(got);
	parsed_fini(&p);
	return broken;
}

/* A right file, broken behind any of its lines: one error, the syntax error. */
static size_t
break_file(const char *name)
{
	static const char *const with[] = {"@\n", "\t}\n", "    }\n", "  x: y: z\n", "x\n",
		"      - \"abc\n", "        [a,\n", " - x\n", "     \t- x: {\n", "    - {a: b,\n"};
	size_t len, n_broken = 0;
	char *text = whole(name, &len);

	for (size_t at = strcspn(text, ":") + 1; at <= len; at++)
		for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
			if (text[at - 1] == '\n' && !makes_a_list(text, at, with[i]))
				n_broken += break_at(text, at, with[i]);
	free(text);
	return n_broken;
}

Test(partial, a_right_beginning_has_no_errors)
{
	cr_expect_gt(break_file("whole.yaml"), 400);
	cr_expect_gt(break_file("dsf.yaml"), 300);
}
