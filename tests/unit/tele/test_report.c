/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "node.h"
#include "packet.h"
#include "report_test.h"

#define YAML                                                                                       \
	"version: 1\n"                                                                             \
	"node: {name: told, id: 7}\n"                                                              \
	"hash: {seed: 18364758544493064720}\n"                                                     \
	"ports:\n"                                                                                 \
	"  - {name: in0, device: net_null0, role: nsf, mac: \"02:00:00:00:00:01\"}\n"              \
	"  - {name: a, device: net_null1, role: longhaul}\n"                                       \
	"  - {name: b, device: net_null2, role: longhaul}\n"                                       \
	"classes:\n"                                                                               \
	"  - {class: 5, name: rdma, dscp: [26]}\n"                                                 \
	"groups:\n"                                                                                \
	"  - name: far\n"                                                                          \
	"    members:\n"                                                                           \
	"      - {port: a, mac: \"02:00:00:00:0b:00\", weight: 3}\n"                               \
	"      - {port: b, via: \"2001:db8::b\", weight: 0}\n"                                     \
	"  - name: idle\n"                                                                         \
	"    members:\n"                                                                           \
	"      - {port: b, via: 10.9.0.1}\n"                                                       \
	"routes:\n"                                                                                \
	"  static:\n"                                                                              \
	"    - {prefix: 10.2.0.0/16, group: far}\n"

static void
is_count(json_t *root, const char *path, json_int_t want)
{
	json_t *o = report_at(root, path);

	cr_expect(json_is_integer(o), "%s is no integer", path);
	cr_expect_eq(json_integer_value(o), want, "%s: got %lld, want %lld", path,
		(long long)json_integer_value(o), (long long)want);
}

static void
is_text(json_t *root, const char *path, const char *want)
{
	cr_expect_str_eq(json_string_value(report_at(root, path)), want);
}

static void
put(struct node_test *t, struct packet p, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put(t, 0, frame, len));
}

static void
check_traffic(json_t *r)
{
	struct packet p = packet_roce(4);
	static uint8_t frame[PACKET_MAX];
	json_int_t len = (json_int_t)packet_write(&p, frame, sizeof(frame), NULL);

	is_count(r, "in", 9);
	is_count(r, "out", 5);
	is_count(r, "punted", 1);
	is_count(r, "dropped", 3);
	is_count(r, "duplicated", 0);
	is_count(r, "waiting", 0);
	is_count(r, "drops.no_route", 2);
	is_count(r, "drops.runt", 1);
	is_count(r, "drops.stopped", 0);
	is_count(r, "punts.ttl", 1);
	is_count(r, "ports.in0.in.packets", 9);
	is_count(r, "ports.a.out.packets", 5);
	is_count(r, "ports.a.out.bytes", 5 * len);
	is_count(r, "classes.rdma.packets", 0);
	is_count(r, "classes.5.packets", 5);
	is_count(r, "classes.5.bytes", 5 * len);
	is_count(r, "groups.far.packets", 5);
	is_count(r, "groups.far.bytes", 5 * len);
	is_count(r, "groups.far.members.0.packets", 5);
	is_count(r, "groups.far.members.1.packets", 0);
	is_count(r, "ecn.ce_in", 2);
	is_count(r, "ecn.ce_marked", 0);
	is_count(r, "ecn.would_mark_not_ect", 0);
	cr_expect_float_eq(json_real_value(report_at(r, "groups.far.imbalance")), 1.0, 1e-9);
	cr_expect(json_is_null(report_at(r, "groups.idle.imbalance")));
}

static void
check_node(json_t *r)
{
	is_text(r, "node", "told");
	is_text(r, "seed", "18364758544493064720");
	is_count(r, "generation", 1);
	is_count(r, "virtual_ns", 77);
	is_text(r, "groups.far.members.0.port", "a");
	is_text(r, "groups.far.members.0.mac", "02:00:00:00:0b:00");
	is_count(r, "groups.far.members.0.weight", 3);
	cr_expect(json_is_null(report_at(r, "groups.far.members.0.via")));
	is_text(r, "groups.far.members.1.via", "2001:db8::b");
	is_text(r, "groups.idle.members.0.via", "10.9.0.1");
	is_count(r, "groups.far.members.1.weight", 0);
}

/* Class 3 is called rdma when the file does not say so, and here class 5 is, too. */
static void
check_keys(json_t *r)
{
	cr_expect_eq(json_object_size(report_at(r, "drops")), DROP_N - 1);
	cr_expect_eq(json_object_size(report_at(r, "punts")), PUNT_N - 1);
	cr_expect_eq(json_object_size(report_at(r, "ports")), 3);
	cr_expect_eq(json_object_size(report_at(r, "classes")), DP_CLASSES);
	cr_expect_eq(json_object_size(report_at(r, "stages")), DP_STAGES_N);
	cr_expect_eq(json_array_size(report_at(r, "groups.far.members")), 2);
}

Test(report, json_says_what_the_node_counted_under_keys_that_stay)
{
	struct report_run run = {.virtual_ns = 77, .packets = 8, .cycles = 1001, .median = 120};
	struct packet good = packet_roce(4), ce = good, last_hop = good, lost = packet_udp(4);
	struct node_test t;
	json_t *r;

	node_test_open(&t, 256, YAML);
	ce.tos |= 3;
	last_hop.ttl = 1;
	lost.dst4 = 0x0a030001;
	put(&t, good, 3);
	put(&t, ce, 2);
	put(&t, last_hop, 1);
	put(&t, lost, 2);
	cr_assert(node_test_put(&t, 0, (const uint8_t *)"short", 5));
	node_test_run(&t);

	r = report_of(t.node, &run);
	check_keys(r);
	check_traffic(r);
	check_node(r);
	cr_expect_float_eq(json_real_value(report_at(r, "cycles_per_packet")), 125.1, 1e-9);
	is_count(r, "cycles_per_packet_median", 120);
	cr_expect(json_is_null(report_at(r, "stages.parse")), "no turn was profiled");
	json_decref(r);
	node_test_close(&t);
}

Test(report, a_node_that_saw_nothing_has_null_where_there_is_no_figure)
{
	struct report_run run = {0};
	struct node_test t;
	char *text = NULL;
	size_t len = 0;
	FILE *f;
	json_t *r;

	node_test_open(&t, 256, YAML);
	r = report_of(t.node, &run);
	check_keys(r);
	is_count(r, "in", 0);
	cr_expect(json_is_null(report_at(r, "cycles_per_packet")));
	cr_expect(json_is_null(report_at(r, "cycles_per_packet_median")));
	cr_expect(json_is_null(report_at(r, "groups.far.imbalance")));
	json_decref(r);

	f = open_memstream(&text, &len);
	report_text(t.node, &run, f);
	fclose(f);
	cr_expect_not_null(strstr(text, "node told, seed 18364758544493064720"));
	cr_expect_not_null(strstr(text, "in 0 = out 0 + punted 0 + dropped 0"));
	cr_expect_null(strstr(text, "cycles"));
	free(text);
	node_test_close(&t);
}

Test(report, a_file_that_takes_nothing_is_an_error)
{
	struct report_run run = {0};
	struct node_test t;
	FILE *full = fopen("/dev/full", "w");

	cr_assert_not_null(full);
	node_test_open(&t, 256, YAML);
	cr_expect_eq(report_json(t.node, &run, full), -ENOSPC);
	fclose(full);
	node_test_close(&t);
}
