/* SPDX-License-Identifier: BSD-3-Clause */
/* What show group and the report say of policies, and of how much they had a say in. */
#include "node.h"
#include "packet.h"
#include "report_test.h"
#include "show_test.h"
#include "tele/policy_text.h"
#include "tele/show.h"

#define YAML                                                                                       \
	"version: 1\n"                                                                             \
	"node: {name: told, id: 7}\n"                                                              \
	"runtime: {mbufs: 16384, memory: 128MB}\n"                                                 \
	"ports:\n"                                                                                 \
	"  - {name: in0, device: d0, role: nsf, promiscuous: true}\n"                              \
	"  - {name: a, device: d1, role: longhaul}\n"                                              \
	"  - {name: b, device: d2, role: longhaul}\n"                                              \
	"groups:\n"                                                                                \
	"  - {name: spray, policy: spray, members: [" WAYS "]}\n"                                  \
	"  - {name: load, policy: adaptive, spray_if: any, members: [" WAYS "]}\n"                 \
	"  - {name: pause, policy: adaptive, per: flowlet, gap: 20us, members: [" WAYS "]}\n"      \
	"  - {name: flow, policy: flowlet, members: [" WAYS "]}\n"                                 \
	"  - {name: hash, hash: {fields: [5tuple, flow_label], vxlan_inner: true, seed: 9, "       \
	"rotate: 1s}, members: [" WAYS "]}\n"                                                      \
	"routes:\n"                                                                                \
	"  static:\n"                                                                              \
	"    - {prefix: 10.2.0.0/24, group: spray}\n"                                              \
	"    - {prefix: 10.2.1.0/24, group: load}\n"                                               \
	"    - {prefix: 10.2.2.0/24, group: pause}\n"                                              \
	"    - {prefix: 10.2.3.0/24, group: flow}\n"                                               \
	"    - {prefix: 10.2.4.0/24, group: hash}\n"

#define WAYS "{port: a, mac: \"02:00:00:00:0b:00\"}, {port: b, mac: \"02:00:00:00:0b:01\"}"

/* `n` packets to 10.2.<net>.1. */
static void
put(struct node_test *t, unsigned int net, uint8_t opcode, bool ar, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];
	struct packet p = packet_roce(4);
	size_t len;

	p.dst4 = 0x0a020001 | net << 8;
	p.opcode = opcode;
	p.bth_byte8 = ar ? 0x40 : 0;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put(t, 0, frame, len));
	node_test_run(t);
	node_test_discard(t, 1);
	node_test_discard(t, 2);
}

Test(policy, show_group_names_it_and_counts_what_it_chose)
{
	struct node_test t;
	char *text = NULL;

	node_test_open(&t, 256, "%s", YAML);
	CAPTURE(text, show_group(t.node, NULL, NULL, f));
	cr_assert_null(strstr(text, "one by one"), "nothing has come yet:\n%s", text);
	put(&t, 0, 0x04, true, 40);
	CAPTURE(text, show_group(t.node, NULL, "spray", f));
	show_has(text, "spray: policy spray, spray_if ar_bit, hash 5tuple, dest_qp, 512 buckets");
	show_has(text, "0 packets went one by one, 40 by hash.\n");
	show_has(text, "None carries the AR bit");
	put(&t, 0, 0x0a, true, 60);
	CAPTURE(text, show_group(t.node, NULL, "spray", f));
	show_has(text, "60 packets went one by one, 40 by hash.\n");
	cr_assert_null(strstr(text, "None carries"));
	put(&t, 1, 0x0c, false, 10);
	CAPTURE(text, show_group(t.node, NULL, "load", f));
	show_has(text, "load: policy adaptive per packet, spray_if any, hash");
	show_has(text, "10 packets went one by one, 0 by hash.\n");
	put(&t, 2, 0x04, false, 10);
	CAPTURE(text, show_group(t.node, NULL, "pause", f));
	show_has(text, "pause: policy adaptive per flowlet, gap 20us, hash");
	show_has(text, "Flowlets that began: 1.\n");
	CAPTURE(text, show_group(t.node, NULL, "flow", f));
	show_has(text, "flow: policy flowlet, gap 50us, hash");
	CAPTURE(text, show_group(t.node, NULL, "hash", f));
	show_has(text,
		"hash: policy ecmp, hash 5tuple, flow_label, inner of VXLAN, seed 9, another "
		"seed each 1s for marked packets, 512 buckets");
	free(text);
	node_test_close(&t);
}

static void
expect_number(json_t *r, const char *path, json_int_t want)
{
	cr_assert(json_is_integer(report_at(r, path)), "%s", path);
	cr_assert_eq(json_integer_value(report_at(r, path)), want, "%s", path);
}

Test(policy, the_report_has_what_a_policy_uses_and_null_for_the_rest)
{
	struct report_run run = {0};
	struct node_test t;
	json_t *r;

	node_test_open(&t, 256, "%s", YAML);
	put(&t, 0, 0x0a, true, 60);
	put(&t, 3, 0x04, false, 10);
	r = report_of(t.node, &run);
	cr_assert_str_eq(json_string_value(report_at(r, "groups.spray.policy")), "spray");
	cr_assert_str_eq(json_string_value(report_at(r, "groups.spray.spray_if")), "ar_bit");
	expect_number(r, "groups.spray.one_by_one", 60);
	cr_assert(json_is_null(report_at(r, "groups.spray.gap_ns")));
	cr_assert(json_is_null(report_at(r, "groups.spray.flowlets")));
	cr_assert_str_eq(json_string_value(report_at(r, "groups.load.policy")), "adaptive");
	cr_assert_str_eq(json_string_value(report_at(r, "groups.load.spray_if")), "any");
	cr_assert_str_eq(json_string_value(report_at(r, "groups.flow.policy")), "flowlet");
	expect_number(r, "groups.flow.gap_ns", 50000);
	expect_number(r, "groups.flow.flowlets", 1);
	expect_number(r, "groups.pause.gap_ns", 20000);
	cr_assert(json_is_null(report_at(r, "groups.pause.spray_if")));
	cr_assert_str_eq(json_string_value(report_at(r, "groups.hash.policy")), "ecmp");
	cr_assert(json_is_null(report_at(r, "groups.hash.one_by_one")));
	json_decref(r);
	node_test_close(&t);
}
