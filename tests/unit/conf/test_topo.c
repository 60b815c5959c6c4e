/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies: what a right one gives, and every error of a wrong one and of its nodes in one run.
 */
#include <errno.h>

#include "conf/topo.h"
#include "conf_test.h"

/* Nodes' files: NAME.yaml has the ports p0 and p1, bad.yaml is wrong; counts how often it is asked.
 */
static int
load(void *ctx, const char *path, struct conf **ret_conf, struct conf_errors *ret_errors)
{
	const char *yaml = strstr(path, "bad.yaml") != NULL ? HEAD : PORTS;

	(*(unsigned int *)ctx)++;
	return conf_parse(path, yaml, strlen(yaml), ret_conf, ret_errors);
}

struct read {
	struct topo *t; /* NULL: refused */
	struct topo_errors e;
	unsigned int n_loads;
	int rc;
};

static struct read
read_topo(const char *yaml)
{
	struct read r = {0};
	struct topo_source source = {.load = load, .ctx = &r.n_loads};

	r.rc = topo_parse("lab/t.yaml", yaml, strlen(yaml), &source, &r.t, &r.e);
	cr_expect_eq(r.rc != 0, r.t == NULL);
	return r;
}

static void
read_fini(struct read *r)
{
	topo_free(r->t);
	topo_errors_fini(&r->e);
}

/* The line after this is 5. */
#define NODES                                                                                      \
	"version: 1\nnodes:\n  - {name: a, config: a.yaml}\n  - {name: b, config: /etc/b.yaml}\n"
#define WIRES  NODES "wires:\n  - {from: a.p0, to: b.p0, rate: 10Gbit}\n"
#define INPUTS WIRES "inputs:\n  - {port: a.p1, capture: in.pcap}\n"

Test(topo, right_one_gives_nodes_wires_inputs_and_events_by_time)
{
	struct read r = read_topo(
		"version: 1\nseed: 18446744073709551615\n"
		"nodes: [{name: a, config: a.yaml}, {name: b, config: /etc/b.yaml}]\n"
		"wires:\n"
		"  - {from: a.p0, to: b.p1, rate: 2.5Gbit, delay: 1us, jitter: 3ns, loss: 10ppm}\n"
		"  - {from: b.p0, to: a.p1, rate: 1Mbit}\n"
		"inputs: []\n"
		"events: [{at: 2ms, up: b.p1}, {at: 1ms, down: a.p0}, {at: 2ms, down: b.p0}]\n");
	const struct topo *t = r.t;

	topo_errors_print(&r.e, "t.yaml", stderr);
	cr_assert_eq(r.rc, 0);
	cr_expect_eq(t->seed, UINT64_MAX);
	cr_assert_eq(t->n_nodes, 2);
	cr_expect_str_eq(t->node[0].path, "lab/a.yaml", "beside the topology");
	cr_expect_str_eq(t->node[1].path, "/etc/b.yaml");
	cr_expect_str_eq(t->node[1].conf->file, "/etc/b.yaml");
	cr_assert_eq(t->n_wires, 2);
	cr_expect_eq(t->wire[0].rate_bps, UINT64_C(2500000000));
	cr_expect_eq(t->wire[0].delay_ns, 1000);
	cr_expect_eq(t->wire[0].jitter_ns, 3);
	cr_expect_eq(t->wire[0].loss, 10000);
	cr_expect_eq(t->wire[0].to.node_idx, 1);
	cr_expect_eq(t->wire[0].to.port_idx, 1);
	cr_expect_eq(t->wire[1].delay_ns + t->wire[1].jitter_ns + t->wire[1].loss, 0);
	cr_assert_eq(t->n_events, 3);
	cr_expect(t->event[0].kind == TOPO_DOWN && t->event[0].wire_idx == 0);
	cr_expect(t->event[1].kind == TOPO_UP && t->event[1].wire_idx == 0);
	cr_expect(t->event[2].kind == TOPO_DOWN && t->event[2].wire_idx == 1);
	read_fini(&r);
}

Test(topo, seed_is_1_and_inputs_are_as_captured_unless_told)
{
	struct read r = read_topo(INPUTS);

	cr_assert_eq(r.rc, 0);
	cr_expect_eq(r.t->seed, 1);
	cr_expect_eq(r.t->input[0].rate_bps, 0);
	cr_expect_str_eq(r.t->input[0].path, "lab/in.pcap");
	cr_expect_eq(r.t->n_events, 0);
	read_fini(&r);
}

static const struct row rows[] = {
	{NODES "wires: [{from: a.p0, to: c.p0, rate: 1Gbit}]\n",
		"5:26: wires[0].to: got c.p0, want a port as NODE.PORT (no node is called c)"},
	{NODES "wires: [{from: p0, to: .p0, rate: 1Gbit}]\n",
		"5:16: wires[0].from: got p0, want a port as NODE.PORT\n"
		"5:24: wires[0].to: got .p0, want a port as NODE.PORT"},
	{NODES "wires: [{from: a., to: a.P0, rate: 1Gbit}]\n",
		"5:16: wires[0].from: got a., want a port as NODE.PORT\n"
		"5:24: wires[0].to: got a.P0, want a port as NODE.PORT (lower case)"},
	{NODES "wires: [{from: [a, p0], to: , rate: 1Gbit}]\n",
		"5:16: wires[0].from: got a list, want a port as NODE.PORT\n"
		"5:29: wires[0].to: got nothing, want a port as NODE.PORT"},
	{NODES "wires: [{from: a.p0, to: b.p2, rate: 1Gbit}]\n",
		"5:26: wires[0].to: got b.p2, want a port of /etc/b.yaml (the nearest is p0)"},
	{NODES "wires: [{from: a.p0, to: a.p0, rate: 1Gbit}]\n",
		"5:26: wires[0].to: got a.p0, which has a wire in line 5, want one a port"},
	{WIRES "  - {from: b.p1, to: b.p0, rate: 1Gbit}\n",
		"7:22: wires[1].to: got b.p0, which has a wire in line 6, want one a port"},
	{WIRES "inputs: [{port: b.p0, capture: x}]\n",
		"7:17: inputs[0].port: got b.p0, which has a wire in line 6, want a port without"},
	{INPUTS "  - {port: a.p1, capture: y, rate: 1Gbit}\n",
		"9:12: inputs[1].port: got a.p1, which has another rate in line 8, want one rate a "
		"port"},
	{WIRES "events: [{at: 0ns, up: a.p1}, {at: 2s}, {down: a.p0}, {at: 1s, drain: a.p0}]\n",
		"7:24: events[0].up: got a.p1, which has no wire, want a port with one\n"
		"7:31: events[1]: got no event, want down, up, drain or undrain\n"
		"7:41: events[2].at: got nothing, want a time from 0ms to 86400s (the key is "
		"required)\n"
		"7:71: events[3].drain: got a.p0, which is no fabric link, want a port of role "
		"dsf"},
	{NODES "  - {name: a, config: c.yaml}\n",
		"5:12: nodes.a.name: got a, which line 3 has, want a name of its own"},
	{NODES "  - {name: a.b, config: c.yaml}\n", "5:12: nodes.a.b.name: got a.b, want a name "
						    "without a dot: one parts node and port"},
	{"version: 1\nnodes: []\n", "2:8: nodes: got 0 items, want a list of 1 to 1000"},
};

Test(topo, wrong_ones_are_told_with_their_place)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct read r = read_topo(rows[i].yaml);
		char *got = errors_text(&r.e.own);

		cr_expect_str_eq(got, rows[i].errors, "of\n%s\n  got  %s\n  want %s", rows[i].yaml,
			got, rows[i].errors);
		cr_expect_eq(r.rc, -EINVAL);
		free(got);
		read_fini(&r);
	}
}

/* The errors of a node's file come once, beside those of the topology. */
Test(topo, errors_of_nodes_files_are_told_in_the_same_run)
{
	struct read r = read_topo("version: 1\nnodes:\n  - {name: a, config: bad.yaml}\n"
				  "  - {name: b, config: bad.yaml}\n  - {name: c, config: c.yaml}\n"
				  "wires: [{from: a.p9, to: c.p9, rate: 1}]\n");
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	topo_errors_print(&r.e, "t.yaml", out);
	fclose(out);
	cr_expect_eq(r.n_loads, 3);
	cr_expect_str_eq(text,
		"t.yaml:6:26: wires[0].to: got c.p9, want a port of lab/c.yaml (the nearest is "
		"p0)\n"
		"t.yaml:6:38: wires[0].rate: got 1, want a bit rate from 1Mbit to 1600Gbit (with "
		"its unit, such as 1Gbit)\n"
		"lab/bad.yaml:1:1: ports: got nothing, want a list of 1 to 128 (the key is "
		"required)\n",
		"%s", text);
	free(text);
	read_fini(&r);
}

/* What may be named in what could not be read is no error. */
Test(topo, half_a_file_is_judged_as_far_as_it_goes)
{
	struct read r = read_topo("version: 1\nwires: [{from: x.p0, to: y.p0, rate: 1}]\n"
				  "nodes:\n  - {name: a, config: a.yaml}\n  bad\n");
	char *got = errors_text(&r.e.own);

	cr_expect(
		strstr(got, "syntax: ") != NULL && strstr(got, "wires[0].rate") != NULL, "%s", got);
	cr_expect_null(strstr(got, "x.p0"), "%s", got);
	free(got);
	read_fini(&r);
}

Test(topo, file_that_is_not_there_is_told)
{
	struct topo *t = NULL;
	struct topo_errors e;

	cr_expect_eq(topo_load("/nowhere/t.yaml", &t, &e), -ENOENT);
	cr_expect_null(t);
	cr_expect_eq(e.own.n, 1);
	topo_errors_fini(&e);
	topo_free(NULL);
}
