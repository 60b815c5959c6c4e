/* SPDX-License-Identifier: BSD-3-Clause */
/* `show qp`, `show flow`, and the same in the report. */
#include <jansson.h>

#include "node.h"
#include "packet.h"
#include "show_test.h"
#include "tele/qp_view.h"
#include "tele/report.h"
#include "tele/show.h"

#define YAML                                                                                       \
	"version: 1\nnode: {name: told, id: 7}\n"                                                  \
	"ports:\n"                                                                                 \
	"  - {name: in, device: in, role: nsf, promiscuous: true}\n"                               \
	"  - {name: out, device: out, role: longhaul}\n"                                           \
	"groups: [{name: g, members: [{port: out, mac: \"02:00:00:00:0b:01\"}]}]\n"                \
	"routes: {static: [{prefix: 0.0.0.0/0, group: g}, {prefix: \"::/0\", group: g}]}\n"

static void
put(struct node_test *t, unsigned int version, uint32_t qp, const uint32_t *psn, unsigned int n)
{
	struct packet p = packet_roce(version);
	uint8_t frame[256];

	p.dest_qp = qp;
	for (unsigned int i = 0; i < n; i++) {
		p.psn = psn[i];
		cr_assert(node_test_put(t, 0, frame, packet_write(&p, frame, sizeof(frame), NULL)));
	}
	node_test_run(t);
}

static void
open_watched(struct node_test *t)
{
	static const uint32_t late[] = {1, 2, 4, 5, 3}, gap[] = {1, 3, 4};

	node_test_open(t, 256, YAML "flows: {max: 64, qp_view: true}\n");
	put(t, 4, 0x17, late, 5);
	put(t, 6, 0x18, gap, 3);
}

Test(show_qp, tells_each_queue_pair_and_the_sum)
{
	struct node_test t;
	char *text = NULL;

	open_watched(&t);
	CAPTURE(text, cr_assert_eq(show_qp(t.node, 20, NULL, f), 0));
	show_has(text, "10.1.64.1 10.2.0.1 0x000017 5 610 0 0 0 1 2 0 0 0 - RC SEND only\n");
	show_has(text,
		"2001:db8:1::1 2001:db8:2::1 0x000018 3 426 0 0 1 0 0 0 0 0 - RC SEND only\n");
	show_has(text, "all of these and others 8 1,036 0 0 1 1 2 0 0 0 -\n");
	show_has(text, "2 queue pairs, 2 shown, by packets.\n");
	CAPTURE(text, cr_assert_eq(show_qp(t.node, 1, "gaps", f), 0));
	show_has(text, "0x000018");
	show_has(text, "2 queue pairs, 1 shown, by gaps.\n");
	CAPTURE(text, cr_assert_eq(show_qp(t.node, 5, "naks", f), 0));
	show_has(text, "2 queue pairs, 0 shown, by naks.\n");
	CAPTURE(text, cr_assert_eq(show_qp(t.node, 5, "colour", f), -ENOENT));
	CAPTURE(text, show_qp_orders(f));
	cr_assert_str_eq(text, "packets, bytes, ce, gaps, reorders or naks");
	CAPTURE(text, show_flow(t.node, f));
	show_has(text, "0 2 64 2 0 0 0\n");
	free(text);
	node_test_close(&t);
}

Test(show_qp, says_so_where_nobody_watches)
{
	struct node_test t;
	char *text = NULL;

	node_test_open(&t, 256, YAML);
	CAPTURE(text, cr_assert_eq(show_qp(t.node, 20, NULL, f), 0));
	cr_assert_str_eq(
		text, "Queue pairs are not watched here; flows.qp_view: true has them watched.\n");
	CAPTURE(text, show_flow(t.node, f));
	cr_assert_str_eq(text, "Nothing here needs flows: no worker has a table of them.\n");
	free(text);
	node_test_close(&t);
}

static json_int_t
count(json_t *r, const char *key, const char *a, const char *b)
{
	json_t *o = json_object_get(json_object_get(r, key), a);

	cr_assert_not_null(o, "no %s.%s", key, a);
	if (b != NULL)
		o = json_object_get(o, b);
	cr_assert(json_is_integer(o), "no %s.%s.%s", key, a, b);
	return json_integer_value(o);
}

Test(show_qp, report_has_sums_and_the_first_queue_pairs)
{
	struct report_run run = {0};
	struct node_test t;
	json_t *r, *first;

	open_watched(&t);
	r = report_object(t.node, &run);
	cr_assert_eq(count(r, "flows", "entries", NULL), 2);
	cr_assert_eq(count(r, "flows", "max", NULL), 64);
	cr_assert_eq(count(r, "qps", "queue_pairs", NULL), 2);
	cr_assert_eq(count(r, "qps", "totals", "packets"), 8);
	cr_assert_eq(count(r, "qps", "totals", "lost"), 1);
	cr_assert_eq(count(r, "qps", "totals", "reordered"), 1);
	first = json_array_get(json_object_get(json_object_get(r, "qps"), "top"), 0);
	cr_assert_str_eq(json_string_value(json_object_get(first, "from")), "10.1.64.1");
	cr_assert_eq(json_integer_value(json_object_get(first, "dest_qp")), 0x17);
	cr_assert_str_eq(json_string_value(json_object_get(first, "last_opcode")), "RC SEND only");
	first = json_object_get(json_object_get(first, "requests"), "extents");
	cr_assert_eq(json_array_size(first), PSN_EXTENTS);
	cr_assert_eq(json_integer_value(json_array_get(first, 1)), 1);
	json_decref(r);
	node_test_close(&t);
}

Test(show_qp, report_of_a_node_without_flows_says_null)
{
	struct report_run run = {0};
	struct node_test t;
	json_t *r;

	node_test_open(&t, 256, YAML);
	r = report_object(t.node, &run);
	cr_assert(json_is_null(json_object_get(r, "flows")));
	cr_assert(json_is_null(json_object_get(r, "qps")));
	json_decref(r);
	node_test_close(&t);
}

Test(show_qp, opcodes_have_names_where_they_are_any)
{
	char buf[OPCODE_TEXT_LEN];

	cr_assert_str_eq(opcode_text(0x06, buf), "RC WRITE first");
	cr_assert_str_eq(opcode_text(0x24, buf), "UC SEND only");
	cr_assert_str_eq(opcode_text(0xab, buf), "XRC WRITE only, immediate");
	cr_assert_str_eq(opcode_text(0x81, buf), "CNP");
	cr_assert_str_eq(opcode_text(0x18, buf), "0x18");
	cr_assert_str_eq(opcode_text(0xff, buf), "0xff");
}
