/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two files differ in, and that a dump of a tree is a file without a difference to it: of all
 * files that come with softbag, and of all in the fuzzer's corpus that load.
 */
#include <dirent.h>

#include "base/bits.h"
#include "conf/diff.h"
#include "conf_test.h"

#define LONG(keys)  HEAD "ports:\n  - {name: p0, device: d0, role: longhaul, " keys "}\n"
#define LOSSLESS    "classes: [{class: 3, name: r, lossless: true}]\n"
#define TWO(g0, g1) PORTS "groups:\n  - {name: g0, members: [" g0 "]}\n" g1
#define A           "{port: p0, mac: \"02:00:00:00:00:01\"}"
#define B           "{port: p1, mac: \"02:00:00:00:00:02\"}"
#define B5          "{port: p1, mac: \"02:00:00:00:00:02\", weight: 5}"
#define G1          "  - {name: g1, members: [" B "]}\n"

static struct conf *
tree(const char *yaml)
{
	struct parsed p = parse(yaml);

	if (p.c == NULL)
		conf_errors_print(&p.e, "t.yaml", stderr);
	conf_errors_fini(&p.e);
	cr_assert_not_null(p.c, "the test's own YAML is wrong:\n%s", yaml);
	return p.c;
}

/* What conf_diff_print() writes; the caller's to free. */
static char *
printed(const struct conf *was, const struct conf *is)
{
	struct conf_diff diff;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	cr_assert_eq(conf_diff(was, is, &diff), 0);
	conf_diff_print(&diff, "t.yaml", out);
	fclose(out);
	conf_diff_fini(&diff);
	return text;
}

static void
expect(const char *old, const char *now, const char *want)
{
	struct conf *was = tree(old), *is = tree(now);
	char *text = printed(was, is);

	cr_assert_str_eq(text, want, "got\n%swant\n%s", text, want);
	free(text);
	conf_free(was);
	conf_free(is);
}

Test(diff, what_means_the_same_has_none)
{
	expect(PORT("mtu: 9000"), PORT("mtu: 9000"), "");
	expect(PORTS, RUNTIME("memory: 512MB"), "");
	/* auto is the figures that it stands for, emulate the time */
	expect(LONG("rate: 10Gbit, distance: 100km, delay: emulate, ecn: auto"),
		LONG("rate: 10Gbit, distance: 100km, delay: 500us, ecn: {kmin: 137500B, kmax: "
		     "287500B, pmax: 5%}"),
		"");
	/* wherever it is said */
	expect(LONG("ecn: \"off\""), LONG("mtu: 1500"), "");
	expect(LONG("impair: {loss: 1%}"), LONG("impair: {out: {loss: 1%}}"), "");
}

Test(diff, groups_members_and_routes_are_the_same_wherever_they_stand)
{
	expect(TWO(A ", " B, G1), PORTS "groups:\n" G1 "  - {name: g0, members: [" B ", " A "]}\n",
		"");
	expect(ROUTE("prefix: 10.0.0.0/8, group: g0}\n    - {prefix: \"::/0\", group: g0"),
		ROUTE("prefix: \"::/0\", group: g0}\n    - {prefix: 10.0.0.0/8, group: g0"), "");
	expect(TWO(A ", " B, ""), TWO(A ", " B5, G1),
		"t.yaml:5:64: groups.g0.members[1].weight: 1 -> 5\nt.yaml:6:5: groups.g1: added\n");
	expect(TWO(A ", " B5, G1), TWO(B, ""),
		"t.yaml:5:26: groups.g0.members[0].weight: 5 -> 1\n"
		"t.yaml:5:5: groups.g0.members[0]: removed\nt.yaml: groups.g1: removed\n");
	expect(GROUPS("buckets: 512"), GROUPS("buckets: 1024, hash: [5tuple]"),
		"t.yaml:5:5: groups.g0.hash.fields: [5tuple, dest_qp] -> [5tuple]\n"
		"t.yaml:5:5: groups.g0.buckets: 512 -> 1024\n");
	expect(TWO(A, G1) "routes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n",
		TWO(A, G1) "routes: {static: [{prefix: 10.0.0.0/8, group: g1}, {prefix: "
			   "\"2001:db8::/32\", group: g0}]}\n",
		"t.yaml:7:19: routes.static.10.0.0.0/8.group: g0 -> g1\n"
		"t.yaml:7:52: routes.static.2001:db8::/32: added\n");
}

Test(diff, what_is_live_is_named_with_both_values_and_its_place)
{
	expect(LONG("rate: 10Gbit"), LONG("rate: 2.5Gbit, rate_layer: l2, delay: 5ms"),
		"t.yaml:4:5: ports.p0.rate: 10Gbit -> 2500Mbit\n"
		"t.yaml:4:5: ports.p0.rate_layer: l1 -> l2\n"
		"t.yaml:4:5: ports.p0.delay: \"off\" -> 5ms\n");
	expect(LONG("mtu: 1500"), LONG("pace: 5kpps"),
		"t.yaml:4:5: ports.p0.pace: none -> 5kpps\n");
	expect(LONG("ecn: {kmin: 1KB, kmax: 2KB, pmax: 50%}"),
		LONG("ecn: {kmin: 1KB, kmax: 2KB, pmax: 50%}, ecn_by_class: [{class: 1, ecn: "
		     "\"off\"}]"),
		"t.yaml:4:5: ports.p0.ecn_by_class[1]: removed\n");
	expect(LONG("ecn: {kmin: 1KB, kmax: 2KB, pmax: 50%}"),
		LONG("ecn: {kmin: 1KB, kmax: 2KB, pmax: 50%}, ecn_by_class: [{class: 1, ecn: "
		     "{kmin: 1KB, kmax: 3KB, pmax: 50%}}]"),
		"t.yaml:4:115: ports.p0.ecn_by_class[1].ecn.kmax: 2KB -> 3KB\n");
	expect(LONG("addresses: [10.0.0.1/24]"),
		LONG("addresses: [10.0.0.1/24, \"2001:db8::1/64\"]"),
		"t.yaml:4:5: ports.p0.addresses: [10.0.0.1/24] -> [10.0.0.1/24, "
		"\"2001:db8::1/64\"]\n");
	expect(LONG("dscp_rewrite: [{dscp: [1-3], to: 9}]"),
		LONG("dscp_rewrite: [{dscp: [1, 3], to: 9}], dscp_map: [{dscp: 5, class: 2}]"),
		"t.yaml:4:5: ports.p0.dscp_map[2]: added\n"
		"t.yaml:4:5: ports.p0.dscp_rewrite[9].dscp: [1-3] -> [1, 3]\n");
	expect(LONG("impair: {loss: 1%, seed: 5}"),
		LONG("impair: {in: {corrupt: 1ppm}, out: {loss: 2%, seed: 5}}"),
		"t.yaml:4:57: ports.p0.impair.in: added\n"
		"t.yaml:4:79: ports.p0.impair.out.loss: 1% -> 2%\n");
	expect(CLASS("dscp: [26]"), CLASS("dscp: [26], limit: 1MB, scheduler: {dwrr: 7}"),
		"t.yaml:5:5: classes[3].limit: 16MB -> 1MB\n"
		"t.yaml:5:5: classes[3].scheduler.dwrr: 1 -> 7\n");
	expect(LONG("rate: 1Gbit") LOSSLESS, LONG("rate: 1Gbit, pfc: {classes: [3]}") LOSSLESS,
		"t.yaml:4:62: ports.p0.pfc: added\n");
	expect(LONG("rate: 1Gbit, pfc: {classes: [3], quanta: 300}") LOSSLESS,
		LONG("rate: 1Gbit, pfc: {classes: [3], watchdog: \"off\"}") LOSSLESS,
		"t.yaml:4:62: ports.p0.pfc.quanta: 300 -> 65535\n"
		"t.yaml:4:62: ports.p0.pfc.watchdog.action: drop -> \"off\"\n");
	expect(PORTS "hash: {seed: 5}\n", PORTS, "t.yaml: hash.seed: 5 -> none\n");
}

Test(diff, what_needs_a_restart_says_so)
{
	struct conf_diff diff;
	struct conf *was = tree(LONG("rate: 1Gbit")), *is = tree(LONG("rate: 2Gbit, mtu: 9000"));

	expect(RUNTIME("burst: 32"), RUNTIME("memory: 1GB"),
		"t.yaml:5:3: runtime.memory: 512MB -> 1GB needs a restart\n"
		"t.yaml:5:3: runtime.burst: 32 -> 64 needs a restart\n");
	expect(HEAD "ports: [{name: p0, device: d0, role: nsf}]\n",
		"version: 1\nnode: {name: a, id: 2}\n"
		"ports: [{name: p0, device: d1, role: longhaul, mac: \"02:00:00:00:00:09\", "
		"promiscuous: true}]\n",
		"t.yaml:2:7: node.id: 1 -> 2 needs a restart\n"
		"t.yaml:3:9: ports.p0.device: d0 -> d1 needs a restart\n"
		"t.yaml:3:9: ports.p0.role: nsf -> longhaul needs a restart\n"
		"t.yaml:3:9: ports.p0.mac: none -> \"02:00:00:00:00:09\" needs a restart\n"
		"t.yaml:3:9: ports.p0.promiscuous: false -> true needs a restart\n");
	expect(PORTS,
		HEAD
		"ports: [{name: p2, device: d2, role: nsf}, {name: p0, device: d0, role: nsf}]\n",
		"t.yaml:3:9: ports.p2: added, needs a restart\n"
		"t.yaml: ports.p1: removed, needs a restart\n");
	expect(PORTS,
		HEAD
		"ports: [{name: p1, device: d1, role: nsf}, {name: p0, device: d0, role: nsf}]\n",
		"t.yaml: ports: p0, p1 -> p1, p0 needs a restart\n");
	expect(LONG("rate: 1Gbit, pfc: {classes: [3], mode: hardware}") LOSSLESS,
		LONG("rate: 1Gbit, pfc: {classes: [3], mode: hardware, quanta: 300}") LOSSLESS,
		"t.yaml:4:62: ports.p0.pfc.quanta: 65535 -> 300 needs a restart\n");
	expect(DSF("speedup: 100%"), DSF("cell_size: 1024"),
		"t.yaml:3:44: ports.f0.mtu: 2072 -> 1500 needs a restart\n"
		"t.yaml:5:3: dsf.cell_size: 2048 -> 1024 needs a restart\n"
		"t.yaml:5:3: dsf.reassembly_cells: 6104 -> 12208 needs a restart\n"
		"t.yaml:5:3: dsf.speedup: 100% -> 102% needs a restart\n");

	cr_assert_eq(conf_diff(was, is, &diff), 0);
	cr_assert_eq(diff.n, 2);
	cr_assert_eq(diff.n_restart, 1);
	conf_diff_fini(&diff);
	conf_free(was);
	conf_free(is);
}

/* 2000 groups on one side, none on the other. */
Test(diff, more_than_anybody_reads_is_counted)
{
	struct conf_diff diff;
	struct conf *was = tree(PORTS), *is;
	char *yaml;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);

	fputs(PORTS "groups:\n", out);
	for (unsigned int i = 0; i < 2000; i++)
		fprintf(out, "  - {name: g%u, members: [" A "]}\n", i);
	fclose(out);
	is = tree(yaml);
	cr_assert_eq(conf_diff(was, is, &diff), 0);
	cr_assert_eq(diff.n + diff.n_left_out, 2000);
	cr_assert_eq(diff.n, CONF_CHANGES_MAX);
	conf_diff_fini(&diff);
	cr_assert_eq(conf_diff(is, was, &diff), 0);
	cr_assert_eq(diff.n + diff.n_left_out, 2000);
	conf_diff_fini(&diff);
	conf_free(was);
	conf_free(is);
	free(yaml);
}

/* The dump of a tree, read again, is the tree. */
static void
expect_round_trip(const struct conf *c, const char *name)
{
	struct parsed p;
	char *yaml, *text;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);

	cr_assert_eq(conf_dump(c, out), 0);
	fclose(out);
	p = parse_bytes(yaml, len);
	if (p.c == NULL)
		conf_errors_print(&p.e, name, stderr);
	cr_assert_not_null(p.c, "%s: its dump does not load:\n%s", name, yaml);
	text = printed(c, p.c);
	cr_assert_str_eq(text, "", "%s: its dump differs:\n%s%s", name, text, yaml);
	free(text);
	text = printed(p.c, c);
	cr_assert_str_eq(text, "", "%s: its dump differs:\n%s%s", name, text, yaml);
	free(text);
	free(yaml);
	parsed_fini(&p);
}

/* Of the files of a folder that load, how many there were. */
static unsigned int
round_trips(const char *folder)
{
	const char *root = getenv("SOFTBAG_ROOT");
	char dir[512], path[1024];
	unsigned int n = 0;
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/%s", root == NULL ? "." : root, folder);
	d = opendir(dir);
	cr_assert_not_null(d, "no %s", dir);
	while ((e = readdir(d)) != NULL) {
		struct conf_errors errors;
		struct conf *c;

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.')
			continue;
		if (conf_load(path, &c, &errors) == 0) {
			expect_round_trip(c, path);
			conf_free(c);
			n++;
		}
		conf_errors_fini(&errors);
	}
	closedir(d);
	return n;
}

Test(diff, a_dump_loads_to_no_difference)
{
	static const char *const rows[] = {
		LONG("rate: 10Gbit, distance: 100km, delay: emulate, ecn: auto"),
		LONG("rate: 10Gbit, distance: 100km") "classes: [{class: 0, name: c, ecn: auto}, "
						      "{class: 2, name: d, ecn: phantom}, {class: "
						      "4, name: e, ecn: \"off\"}]\n",
		LONG("rate: 10Gbit, distance: 100km, ecn: {mode: phantom, drain: 90%}"),
		LONG("ecn: {mode: \"off\", drop: {kmin: 1KB, kmax: 2KB, pmax: 1%}}"),
		LONG("impair: {}"),
		LONG("impair: {in: {}}"),
		LONG("rate: 1Gbit, impair: {in: {loss: 1ppb}, out: {jitter: 1us, reorder: 3%}}"),
		LONG("rate: 1Gbit, pfc: {classes: [3, 5], watchdog: \"off\"}") "classes: [{class: "
									       "3, name: r, "
									       "lossless: true}, "
									       "{class: 5, name: "
									       "s, lossless: true, "
									       "limit: "
									       "50MB, scheduler: "
									       "strict}]\n",
		PORTS "classes: [{class: 6, name: c, scheduler: {dwrr: 9}, ecn: {kmin: 1B, kmax: "
		      "1B, pmax: 100%, control: true, not_ect: drop}}]\n",
		HEAD "ports: [{name: \"off\", device: \"a \\\"b\\\\ \\u00e9\", role: nsf}, "
		     "{name: 0x1, device: \"-x: #\", role: nsf, mac: \"02:00:00:00:00:09\"}]\n",
		RUNTIME("eal: [\"--no-huge\", \"-l 1\"]"),
		RUNTIME("main_lcore: 0"),
		PORTS "hash: {seed: 0}\n",
		DSF("ethertype: 0x88b6, credit_watchdog: \"off\""),
	};

	for (size_t i = 0; i < BITS_ARRAY_LEN(rows); i++) {
		struct conf *c = tree(rows[i]);

		expect_round_trip(c, rows[i]);
		conf_free(c);
	}
	cr_assert_geq(round_trips("config"), 10);
	cr_assert_geq(round_trips("config/lab"), 2);
	cr_assert_geq(round_trips("docs/longhaul"), 3);
	cr_assert_geq(round_trips("tests/fuzz/corpus/fuzz_conf"), 5);
}
