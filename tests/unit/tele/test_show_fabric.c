/* SPDX-License-Identifier: BSD-3-Clause */
/* What tables and reports say of the fabric is what its parts count. */
#include "../../pipe/wires.h"
#include "conf/fabric.h"
#include "ctl/fabric.h"
#include "packet.h"
#include "report_test.h"
#include "show_test.h"
#include "tele/show.h"
#include "tele/table.h"

#define MB   700u
#define N    40u
#define LONG 3000u /* payload of two cells of 2048 */

/* Device 1 or 2, the other one is `far`; fab1 has twice the rate of fab0. */
#define YAML                                                                                       \
	"version: 1\nnode: {name: n%u, id: %u}\nports:\n"                                          \
	"  - {name: host, device: a, role: nsf, mtu: 4200, mac: \"02:00:00:00:00:01\",\n"          \
	"     addresses: [10.%u.64.254/24]}\n"                                                     \
	"  - {name: fab0, device: b, role: dsf, mtu: 4200, rate: 100Gbit}\n"                       \
	"  - {name: fab1, device: c, role: dsf, mtu: 4200, rate: 200Gbit}\n"                       \
	"  - {name: fab2, device: d, role: dsf, mtu: 4200, rate: 100Gbit}\n"                       \
	"dsf:\n  device_id: %u\n  scheduling: %s\n  reassembly_cells: 4096\n  voq_limit: 2MB\n"    \
	"  system_ports: [{number: 4, port: host}]\n"                                              \
	"  devices: [{name: far, id: %u}, {name: nowhere, id: 77}]\n"                              \
	"groups:\n"                                                                                \
	"  - {name: out, members: [{port: host, mac: \"02:aa:00:00:00:01\"}]}\n"                   \
	"  - {name: router, members: [{device: far}]}\n"                                           \
	"  - {name: direct, members: [{device: far, system_port: 4, mac: "                         \
	"\"02:bb:00:00:00:01\"}]}\n"                                                               \
	"routes:\n  static:\n"                                                                     \
	"    - {prefix: 10.%u.0.0/24, group: out}\n"                                               \
	"    - {prefix: 10.%u.0.0/24, group: router}\n"                                            \
	"    - {prefix: 10.%u.1.0/24, group: direct}\n"

static const char *
yaml(unsigned int id, const char *scheduling)
{
	static char text[4096];
	unsigned int far = 3 - id;

	snprintf(text, sizeof(text), YAML, id, id, id, id, scheduling, far, id, far, far);
	return text;
}

static void
put_n(struct node_test *t, unsigned int net, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];
	struct packet k = packet_roce(4);
	size_t len;

	k.src4 = 10u << 24 | 1u << 16 | 1;
	k.dst4 = 10u << 24 | 2u << 16 | net << 8 | 1;
	k.payload_len = LONG;
	len = packet_write(&k, frame, sizeof(frame), NULL);
	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put(t, 0, frame, len));
}

static const char *
word(json_t *root, const char *path)
{
	cr_assert(json_is_string(report_at(root, path)), "%s is no string", path);
	return json_string_value(report_at(root, path));
}

/* The law of dp/counters.h, from the keys alone. */
static void
adds_up(json_t *r)
{
	cr_expect_eq(
		report_number(r, "in") + report_number(r, "duplicated") + report_number(r, "made"),
		report_number(r, "out") + report_number(r, "punted") + report_number(r, "dropped") +
			report_number(r, "ended") + report_number(r, "waiting"));
	cr_expect_eq(report_number(r, "made"), report_number(r, "fabric.cells_made") +
						       report_number(r, "fabric.packets_joined") +
						       report_number(r, "fabric.control_out"));
	cr_expect_eq(report_number(r, "ended"), report_number(r, "fabric.packets_cut") +
							report_number(r, "fabric.cells_joined") +
							report_number(r, "fabric.control_in"));
}

Test(show_fabric, a_node_without_a_fabric_says_so)
{
	static const char sentence[] = "No port carries cells: the node is in no fabric.\n";
	struct node_test t;
	char *text = NULL;
	json_t *r;

	node_test_open(&t, MB,
		"version: 1\nnode: {name: n, id: 7}\nports:\n"
		"  - {name: a, device: a, role: nsf}\n");
	CAPTURE(text, show_fabric(t.node, NULL, f));
	cr_expect_str_eq(text, sentence);
	CAPTURE(text, show_voq(t.node, f));
	cr_expect_str_eq(text, sentence);
	CAPTURE(text, show_credit(t.node, f));
	cr_expect_str_eq(text, sentence);
	CAPTURE(text, show_reassembly(t.node, f));
	cr_expect_str_eq(text, sentence);
	CAPTURE(text, report_text(t.node, &(struct report_run){0}, f));
	cr_expect_null(strstr(text, "fabric"));
	r = report_of(t.node, &(struct report_run){0});
	cr_expect(json_is_null(report_at(r, "fabric")));
	cr_expect_eq(report_number(r, "made"), 0);
	cr_expect_eq(report_number(r, "ended"), 0);
	json_decref(r);
	free(text);
	node_test_close(&t);
}

Test(show_fabric, members_by_device_are_told_by_its_name_and_port)
{
	struct show_base zero;
	struct node_test t;
	char *text = NULL;
	json_t *r;

	node_test_open(&t, MB, "%s", yaml(1, "push"));
	cr_assert_eq(show_base_init(&zero, t.node), 0);
	CAPTURE(text, show_group(t.node, NULL, NULL, f));
	show_has(text, "\n0 host - 02:aa:00:00:00:01 live 1 ");
	show_has(text, "\n0 device far, router - 02:0d:00:02:00:00 live 1 ");
	show_has(text, "\n0 device far, port 4 - 02:bb:00:00:00:01 live 1 ");
	CAPTURE(text, show_live(t.node, &zero, NODE_TEST_HZ, f));
	show_has(text, "\ndirect 0 device far, port 4 1 0 0.0 % 100.0 %\n");
	alive_set(&t.node->shared.alive, 4, false);
	CAPTURE(text, show_group(t.node, NULL, "router", f));
	show_has(text, "\n0 device far, router - 02:0d:00:02:00:00 unreachable 1 ");
	CAPTURE(text, show_port(t.node, NULL, f));
	show_has(text, "\nfab0 dsf memory up 4200 ");
	r = report_of(t.node, &(struct report_run){0});
	cr_expect_str_eq(word(r, "groups.out.members.0.port"), "host");
	cr_expect(json_is_null(report_at(r, "groups.out.members.0.device")));
	cr_expect(json_is_null(report_at(r, "groups.out.members.0.system_port")));
	cr_expect(json_is_null(report_at(r, "groups.direct.members.0.port")));
	cr_expect_str_eq(word(r, "groups.direct.members.0.device"), "far");
	cr_expect_eq(report_number(r, "groups.direct.members.0.system_port"), 4);
	cr_expect_eq(report_number(r, "groups.router.members.0.system_port"), 0);
	json_decref(r);
	free(text);
	show_base_fini(&zero);
	node_test_close(&t);
}

Test(show_fabric, a_replay_has_every_listed_device_behind_every_link)
{
	struct node_test t;
	char *text = NULL;
	json_t *r;

	node_test_open(&t, MB, "%s", yaml(1, "push"));
	CAPTURE(text, show_fabric(t.node, NULL, f));
	show_has(text, "\nfab1 up - - - 0 0\n");
	show_has(text, "\n2 far reachable - 3 fab0 fab2 25.0 % each, fab1 50.0 %\n");
	show_has(text, "\n77 nowhere reachable - 3 fab0 ");
	show_has(text, "\nA replay hears of no device: ");
	alive_set(&t.node->shared.alive, 1, false);
	CAPTURE(text, show_fabric(t.node, NULL, f));
	show_has(text, "\nfab0 no carrier - - - 0 0\n");
	show_has(text, "\n2 far reachable - 3 fab1 66.7 %, fab2 33.3 %\n");
	r = report_of(t.node, &(struct report_run){0});
	cr_expect(json_is_false(report_at(r, "fabric.links.fab0.alive")));
	cr_expect(json_is_true(report_at(r, "fabric.links.fab1.alive")));
	cr_expect(json_is_null(report_at(r, "fabric.links.fab1.neighbour")));
	cr_expect_eq(json_array_size(report_at(r, "fabric.devices")), 2);
	cr_expect(json_is_null(report_at(r, "fabric.devices.0.hops")));
	cr_expect(json_is_null(report_at(r, "fabric.reach")));
	cr_expect_float_eq(
		json_real_value(report_at(r, "fabric.devices.0.shares.fab1")), 0.6667, 1e-9);
	json_decref(r);
	free(text);
	node_test_close(&t);
}

Test(show_fabric, voqs_without_credit_say_push)
{
	struct node_test t;
	char *text = NULL;
	char want[256];
	json_t *r;
	uint64_t len;

	node_test_open(&t, MB, "%s", yaml(1, "push"));
	CAPTURE(text, show_voq(t.node, f));
	cr_expect_str_eq(text, "No packet has come to a virtual output queue.\n");
	put_n(&t, 1, N);
	node_test_run(&t);
	len = t.node->worker[0]->counters->port_in[0].bytes / N;
	CAPTURE(text, show_voq(t.node, f));
	cr_expect_eq(t.node->worker[0]->counters->packets_cut, N);
	show_has(text, "\nfar 4 3 0 0 0 ");
	show_has(text, " push - ");
	CAPTURE(text, show_sum(t.node, f));
	snprintf(want, sizeof(want),
		"in %u + made here %u = out %u + punted 0 + dropped 0 + ended "
		"here %u\nfabric: cut %u packets into %u cells, joined 0 cells to 0 "
		"packets, made 0 control cells and took in 0\n",
		N, 2 * N, 2 * N, N, N, 2 * N);
	cr_expect_str_eq(text, want);
	r = report_of(t.node, &(struct report_run){0});
	adds_up(r);
	cr_expect_eq(report_number(r, "made"), 2 * N);
	cr_expect_eq(report_number(r, "ended"), N);
	cr_assert_eq(json_array_size(report_at(r, "fabric.voqs")), 1);
	cr_expect_str_eq(word(r, "fabric.voqs.0.device"), "far");
	cr_expect_eq(report_number(r, "fabric.voqs.0.system_port"), 4);
	cr_expect_eq(report_number(r, "fabric.voqs.0.class"), 3);
	cr_expect_eq(report_number(r, "fabric.voqs.0.packets"), N);
	cr_expect_eq(report_number(r, "fabric.voqs.0.bytes"), (json_int_t)(N * len));
	cr_expect_eq(report_number(r, "fabric.voqs.0.waiting_bytes"), 0);
	cr_expect_geq(report_number(r, "fabric.voqs.0.high_water"), (json_int_t)len);
	json_decref(r);
	free(text);
	node_test_close(&t);
}

Test(show_fabric, a_law_that_is_broken_is_told)
{
	struct node_test t;
	char *text = NULL;

	node_test_open(&t, MB, "%s", yaml(1, "push"));
	CAPTURE(text, cr_expect(show_sum(t.node, f)));
	cr_expect_str_eq(text, "in 0 = out 0 + punted 0 + dropped 0\n");
	t.node->worker[0]->counters->cells_joined = 1;
	CAPTURE(text, cr_expect_not(show_sum(t.node, f)));
	t.node->worker[0]->counters->control_out = 1;
	CAPTURE(text, cr_expect(show_sum(t.node, f)));
	t.node->worker[0]->counters->cells_joined = 0;
	t.node->worker[0]->counters->control_out = 0;
	free(text);
	node_test_close(&t);
}

static void
open_pair(struct wires *w, struct node_test t[2])
{
	memset(w, 0, sizeof(*w));
	for (unsigned int i = 0; i < 2; i++) {
		node_test_open_wired(&t[i], 2 * MB, yaml(i + 1, "credit"));
		w->node[i] = &t[i];
	}
	w->n_nodes = 2;
	wires_add(w, &t[0], "fab0", &t[1], "fab0", 1000);
	wires_add(w, &t[0], "fab1", &t[1], "fab1", 1000);
	wires_add(w, &t[0], "fab2", &t[1], "fab2", 1000);
	wires_begin(w);
}

/* A sends N packets to the system port and N to the router. */
static void
check_source(struct node *n, char **text)
{
	const struct voq *v = &n->worker[0]->fabric->voq[1 * DP_CLASSES + 3];
	char wanted[32], row[160];
	json_t *r = report_of(n, &(struct report_run){0});

	cr_assert_eq(n->fabric->dp.n_dests, 2);
	adds_up(r);
	cr_expect_eq(report_number(r, "fabric.packets_cut"), 2 * N);
	cr_expect_eq(report_number(r, "fabric.cells_made"), 4 * N);
	cr_expect_eq(json_array_size(report_at(r, "fabric.voqs")), 2);
	cr_expect_gt(report_number(r, "fabric.requests_out"), 0);
	cr_expect_gt(report_number(r, "fabric.grants_in"), 0);
	cr_expect_gt(report_number(r, "fabric.reach_out"), 0);
	cr_expect_eq(report_number(r, "fabric.links.fab2.neighbour"), 2);
	cr_expect_eq(report_number(r, "fabric.devices.0.device"), 2);
	cr_expect_eq(report_number(r, "fabric.devices.0.hops"), 0);
	cr_expect(json_is_false(report_at(r, "fabric.devices.1.reachable")));
	json_decref(r);
	CAPTURE(*text, show_voq(n, f));
	table_thousands(v->wanted, wanted);
	snprintf(row, sizeof(row), " %s %s %s 0 0\n", wanted, wanted, wanted);
	cr_expect_eq(v->wanted, v->sent);
	show_has(*text, "\nfar router 3 0 0 0 ");
	show_has(*text, "\nfar 4 3 0 0 0 ");
	show_has(*text, row);
}

static void
check_destination(struct node *n, char **text)
{
	uint64_t granted = n->worker[0]->fabric->credit[1] == NULL
				   ? 0
				   : credit_stats(n->worker[0]->fabric->credit[1])->granted_bytes;
	const struct reasm_stats *s = reasm_stats(n->worker[0]->fabric->reasm);
	char row[160], bytes[32], rate[64];
	json_t *r = report_of(n, &(struct report_run){0});

	adds_up(r);
	cr_expect_eq(report_number(r, "fabric.packets_joined"), 2 * N);
	cr_expect_eq(report_number(r, "fabric.cells_joined"), 4 * N);
	cr_expect_eq(report_number(r, "fabric.reassembly.packets"), 2 * N);
	cr_expect_eq(report_number(r, "fabric.reassembly.most_cells"), s->peak_cells);
	cr_assert_eq(json_array_size(report_at(r, "fabric.credit")), 2);
	cr_expect_eq(report_number(r, "fabric.credit.1.system_port"), 4);
	cr_expect_str_eq(word(r, "fabric.credit.1.port"), "host");
	cr_expect_eq(report_number(r, "fabric.credit.1.granted_bytes"), (json_int_t)granted);
	cr_expect(json_is_null(report_at(r, "fabric.credit.0.port")));
	json_decref(r);
	CAPTURE(*text, show_reassembly(n, f));
	snprintf(row, sizeof(row), "\n0 2 0 %u 0 %u %u %u 0 0\n", s->peak_packets, s->peak_cells,
		2 * N, 4 * N);
	show_has(*text, row);
	CAPTURE(*text, show_credit(n, f));
	snprintf(rate, sizeof(rate), "\n4 host ");
	show_has(*text, rate);
	snprintf(row, sizeof(row), " %s -\n", table_thousands(granted, bytes));
	show_has(*text, row);
}

Test(show_fabric, both_ends_of_a_fabric_tell_what_went_over)
{
	struct node_test t[2];
	struct wires w;
	char *text = NULL;

	open_pair(&w, t);
	put_n(&t[0], 0, N);
	put_n(&t[0], 1, N);
	wires_run(&w, 2000000, 1000);
	cr_assert_eq(node_test_discard(&t[1], 0), 2 * N);
	check_source(t[0].node, &text);
	check_destination(t[1].node, &text);
	for (unsigned int i = 0; i < 2; i++)
		CAPTURE(text, report_text(t[i].node, &(struct report_run){0}, f));
	show_has(text, "\nfab0 up far 1 ");
	show_has(text, "\n0 2 0 ");
	free(text);
	wires_close(&w);
}

Test(show_fabric, links_are_up_drained_dead_or_without_carrier)
{
	struct show_base base;
	struct node_test t[2];
	struct wires w;
	char *text = NULL;

	open_pair(&w, t);
	cr_assert_eq(show_base_init(&base, t[0].node), 0);
	CAPTURE(text, show_fabric(t[0].node, NULL, f));
	show_has(text, "\nfab0 up far 1 ");
	show_has(text, "\n2 far reachable 0 3 fab0 fab2 25.0 % each, fab1 50.0 %\n");
	show_has(text, "\n77 nowhere unreachable - 0 -\n");
	put_n(&t[0], 0, N);
	wires_run(&w, 2000000, 1000);
	show_base_take(&base, t[0].node, 0);
	fabric_drain(t[0].node, 0, true);
	w.wire[2].cut = w.wire[3].cut = true; /* fab1: nothing is heard any more */
	wires_run(&w, 60000000, 100000);
	CAPTURE(text, show_fabric(t[0].node, &base, f));
	show_has(text, "\nfab0 drained far 1 ");
	show_has(text, "\nfab1 dead far ");
	show_has(text, "\nfab2 up far 1 ");
	show_has(text, "\n2 far reachable 0 1 fab2 100.0 %\n");
	show_has(text, " ms 0 0\n"); /* cells: none since the baseline */
	node_set_link(t[0].node, 1, false);
	CAPTURE(text, show_fabric(t[0].node, NULL, f));
	show_has(text, "\nfab0 no carrier far ");
	node_test_discard(&t[1], 0);
	show_base_fini(&base);
	free(text);
	wires_close(&w);
}

Test(show_fabric, what_neighbours_tell_that_cannot_be_stands_by_fault)
{
	static const struct cell_reach wrong[] = {{2, 0, CELL_CAPACITY_ANY}, {1, 1, 100},
		{9, 4, 100}, {9, 2, CELL_CAPACITY_ANY}, {0, 1, 100}, {1, 1, 100}};
	struct node_test t[2];
	struct wires w;
	char *text = NULL;
	json_t *r;

	open_pair(&w, t);
	CAPTURE(text, show_fabric(t[0].node, NULL, f));
	cr_expect_null(strstr(text, "fault"));
	reach_heard(t[0].node->fabric->reach, 0, 2, wrong, RTE_DIM(wrong), w.now_ns * 1000);
	CAPTURE(text, show_fabric(t[0].node, NULL, f));
	show_has(text, "\nown 2 our own device id: a loop or a second device of that id\n");
	show_has(text, "\nhops 1 a distance that cannot be\n");
	show_has(text, "\ncapacity 1 ");
	cr_expect_null(strstr(text, "\nfull "));
	r = report_of(t[0].node, &(struct report_run){0});
	cr_expect_eq(report_number(r, "fabric.reach.faults.own"), 2);
	cr_expect_eq(report_number(r, "fabric.reach.faults.device"), 1);
	cr_expect_eq(report_number(r, "fabric.reach.faults.full"), 0);
	cr_expect_eq(report_number(r, "fabric.reach.links_came"), 3);
	cr_expect_eq(report_number(r, "fabric.reach.links_died"), 0);
	cr_expect_gt(report_number(r, "fabric.reach.heard"), 3);
	cr_expect_gt(report_number(r, "fabric.reach.rounds"), 3);
	cr_expect_eq(report_number(r, "fabric.reach.no_buffer"), 0);
	json_decref(r);
	free(text);
	wires_close(&w);
}

Test(show_fabric, classes_that_wait_beyond_the_bound_are_held)
{
	struct node_test t;
	char *text = NULL;
	int64_t *bytes;

	node_test_open(&t, MB, "%s", yaml(1, "credit"));
	bytes = &t.node->shared.commons[0].class_[3].bytes;
	*bytes = (int64_t)t.node->fabric->dp.system[1].bound + 1;
	CAPTURE(text, show_credit(t.node, f));
	show_has(text, " 3\n");
	*bytes = (int64_t)t.node->fabric->dp.system[1].bound;
	CAPTURE(text, show_credit(t.node, f));
	cr_expect_null(strstr(text, " 3\n"));
	*bytes = 0;
	free(text);
	node_test_close(&t);
}

Test(show_fabric, cells_that_came_to_nothing_stand_by_reason)
{
	struct node_test t;
	char *text = NULL;
	uint64_t *drop;

	node_test_open(&t, MB, "%s", yaml(1, "credit"));
	drop = t.node->worker[0]->counters->drop;
	CAPTURE(text, show_reassembly(t.node, f));
	cr_expect_null(strstr(text, "drop"));
	drop[DROP_reassembly_timeout] = 1234;
	drop[DROP_reassembly_full] = 5;
	drop[DROP_voq_full] = 7;
	CAPTURE(text, show_reassembly(t.node, f));
	show_has(text,
		"\nreassembly_timeout 1,234 other cells of its packet did not come in time\n");
	show_has(text, "\nreassembly_full 5 ");
	cr_expect_null(strstr(text, "voq_full"));
	drop[DROP_reassembly_timeout] = drop[DROP_reassembly_full] = drop[DROP_voq_full] = 0;
	free(text);
	node_test_close(&t);
}
