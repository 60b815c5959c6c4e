/* SPDX-License-Identifier: BSD-3-Clause */
/* What `show` prints is what the counters say. */
#include <errno.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "node.h"
#include "packet.h"
#include "show_test.h"
#include "tele/imbalance.h"
#include "tele/show.h"
#include "tele/table.h"

#define YAML                                                                                       \
	"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 8192}\nports:\n"                     \
	"  - {name: in, device: a, role: nsf, promiscuous: true, mac: \"02:00:00:00:00:01\",\n"    \
	"     addresses: [10.1.0.1/24]}\n"                                                         \
	"  - {name: o0, device: b, role: longhaul, mac: \"02:00:00:00:00:02\", mtu: 4200}\n"       \
	"  - {name: o1, device: c, role: longhaul, mac: \"02:00:00:00:00:03\", mtu: 4200}\n"       \
	"classes:\n  - {class: 3, name: rdma, dscp: [24-31]}\n"                                    \
	"groups:\n"                                                                                \
	"  - name: even\n    members:\n"                                                           \
	"      - {port: o0, mac: \"02:aa:00:00:00:01\", weight: 3}\n"                              \
	"      - {port: o1, via: 10.9.8.7, weight: 1}\n"                                           \
	"  - name: flat\n    hash: [5tuple]\n    members:\n"                                       \
	"      - {port: o0, mac: \"02:aa:00:00:00:01\"}\n"                                         \
	"      - {port: o1, mac: \"02:aa:00:00:00:02\"}\n"                                         \
	"routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: even}\n"                           \
	"    - {prefix: 10.3.0.0/16, group: flat}\n    - {prefix: \"2001:db8::/32\", group: "      \
	"even}\n"

struct shown {
	struct node_test t;
	struct show_base zero;
	char *text;
};

static void
open_shown(struct shown *s)
{
	node_test_open(&s->t, 128, YAML);
	cr_assert_eq(show_base_init(&s->zero, s->t.node), 0);
	s->text = NULL;
}

static void
close_shown(struct shown *s)
{
	free(s->text);
	show_base_fini(&s->zero);
	node_test_close(&s->t);
}

/* What `call` prints to `f` is in s->text. */
#define SHOW(s, call) CAPTURE((s)->text, call)

static void
expect_line(const struct shown *s, const char *words)
{
	show_has(s->text, words);
}

/* `n` queue pairs to 10.`net`.0.1; returns the bytes of a frame. */
static size_t
send_qps(struct shown *s, unsigned int net, unsigned int n)
{
	static uint8_t frame[512];
	struct packet p = packet_roce(4);
	size_t len = 0;

	p.dst4 = 10u << 24 | net << 16 | 1;
	for (unsigned int q = 0; q < n; q++) {
		p.dest_qp = 100 + q;
		len = packet_write(&p, frame, sizeof(frame), NULL);
		cr_assert(node_test_put(&s->t, 0, frame, len));
	}
	node_test_run(&s->t);
	return len;
}

Test(show, port_tells_packets_and_bytes)
{
	struct shown s;
	struct counters sum;
	char want[128], bytes[32];
	size_t len;

	open_shown(&s);
	len = send_qps(&s, 2, 1200);
	node_counters(s.t.node, &sum, NULL);
	SHOW(&s, show_port(s.t.node, &s.zero, f));
	cr_assert_eq(len, 122);
	expect_line(&s, "in nsf memory up 1500 02:00:00:00:00:01 1,200 146,400 0 0 0 0");
	for (unsigned int p = 1; p < 3; p++) {
		snprintf(want, sizeof(want),
			"o%u longhaul memory up 4200 02:00:00:00:00:0%u 0 0 %lu %s 0 0\n", p - 1,
			p + 1, sum.port_out[p].packets,
			table_thousands(sum.port_out[p].bytes, bytes));
		cr_assert_lt(sum.port_out[p].packets, 1000);
		cr_assert_eq(sum.port_out[p].bytes, sum.port_out[p].packets * len);
		expect_line(&s, want);
	}
	node_set_link(s.t.node, 2, false);
	SHOW(&s, show_port(s.t.node, &s.zero, f));
	expect_line(&s, "o1 longhaul memory down ");
	close_shown(&s);
}

Test(show, a_baseline_is_subtracted_and_the_counters_stay)
{
	struct shown s;
	struct counters sum;

	open_shown(&s);
	send_qps(&s, 2, 100);
	send_qps(&s, 9, 7);
	show_base_take(&s.zero, s.t.node, 5);
	SHOW(&s, show_port(s.t.node, &s.zero, f));
	expect_line(&s, "in nsf memory up 1500 02:00:00:00:00:01 0 0 0 0 0 0");
	SHOW(&s, show_drops(s.t.node, &s.zero, f));
	expect_line(&s, "Nothing was dropped or punted.");
	SHOW(&s, cr_assert_eq(show_group(s.t.node, &s.zero, "even", f), 0));
	expect_line(&s, "no packets yet");
	send_qps(&s, 9, 2);
	SHOW(&s, show_drops(s.t.node, &s.zero, f));
	expect_line(&s, "drop no_route 2 ");
	node_counters(s.t.node, &sum, NULL);
	cr_assert_eq(sum.drop[DROP_no_route], 9);
	SHOW(&s, show_drops(s.t.node, NULL, f));
	expect_line(&s, "drop no_route 9 ");
	close_shown(&s);
}

Test(show, group_tells_members_shares_and_imbalance)
{
	struct shown s;
	char want[160];
	uint64_t a, b;
	double worst;

	open_shown(&s);
	send_qps(&s, 2, 800);
	a = node_test_member(&s.t, 0, 0);
	b = node_test_member(&s.t, 0, 1);
	cr_assert_eq(a + b, 800);
	cr_assert(a > 500 && b > 100);
	worst = (double)a / 600 > (double)b / 200 ? (double)a / 600 : (double)b / 200;
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, "even", f), 0));
	snprintf(want, sizeof(want),
		"even: policy ecmp, hash 5tuple, dest_qp, 512 buckets, imbalance %.3f\n", worst);
	expect_line(&s, want);
	snprintf(want, sizeof(want), "0 o0 - 02:aa:00:00:00:01 live 3 384 %lu ", a);
	expect_line(&s, want);
	snprintf(want, sizeof(want), "%.1f %%\n", 100.0 * (double)a / 800);
	expect_line(&s, want);
	/* its MAC is made up in a replay */
	snprintf(want, sizeof(want), "1 o1 10.9.8.7 02:00:0a:09:08:07 live 1 128 %lu ", b);
	expect_line(&s, want);
	cr_assert_null(strstr(s.text, "flat"));
	cr_assert_null(strstr(s.text, "One member"));
	close_shown(&s);
}

Test(show, group_says_why_one_member_carries_everything)
{
	struct shown s;

	open_shown(&s);
	send_qps(&s, 3, 256);
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, "flat", f), 0));
	expect_line(&s, "flat: policy ecmp, hash 5tuple, 512 buckets, imbalance 2.000\n");
	expect_line(&s, "One member of 2 carries everything");
	expect_line(&s, "hash: [5tuple, dest_qp]");
	expect_line(&s, " 100.0 %\n");
	expect_line(&s, " 0.0 %\n");
	close_shown(&s);
}

Test(show, group_does_not_blame_the_hash_for_a_dead_or_tiny_member)
{
	struct shown s;

	open_shown(&s);
	node_set_link(s.t.node, 2, false);
	send_qps(&s, 2, 256);
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, "even", f), 0));
	expect_line(&s, " link down ");
	cr_assert_null(strstr(s.text, "carries everything"), "%s", s.text);
	/* 1 of 65536 has no packet in 256 by right */
	node_set_link(s.t.node, 2, true);
	cr_assert_eq(node_set_weights(s.t.node, 0, (uint32_t[]){65535, 1}), 0);
	send_qps(&s, 2, 256);
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, "even", f), 0));
	cr_assert_null(strstr(s.text, "carries everything"), "%s", s.text);
	close_shown(&s);
}

Test(show, group_shows_all_or_one_and_refuses_an_unknown_name)
{
	struct shown s;

	open_shown(&s);
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, NULL, f), 0));
	expect_line(&s, "even: ");
	expect_line(&s, "\n\nflat: ");
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, "nobody", f), -ENOENT));
	cr_assert_str_empty(s.text);
	node_set_link(s.t.node, 1, false);
	cr_assert_eq(node_set_weights(s.t.node, 0, (uint32_t[]){3, 0}), 0);
	SHOW(&s, cr_assert_eq(show_group(s.t.node, NULL, "even", f), 0));
	expect_line(&s, " link down 3 512 ");
	expect_line(&s, " excluded 0 0 ");
	close_shown(&s);
}

Test(show, drops_tell_reasons_and_punts_with_their_meaning)
{
	struct shown s;
	struct packet p = packet_udp(4);
	uint8_t frame[256];
	size_t len;

	open_shown(&s);
	p.dst4 = 0x0a010001;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	for (unsigned int i = 0; i < 3; i++)
		cr_assert(node_test_put(&s.t, 0, frame, len));
	cr_assert(node_test_put(&s.t, 0, frame, 10));
	node_test_run(&s.t);
	SHOW(&s, show_drops(s.t.node, NULL, f));
	expect_line(&s, "drop runt 1 shorter than an Ethernet header\n");
	expect_line(&s, "punt local 3 to an address of the node\n");
	cr_assert_null(strstr(s.text, "no_route"), "what did not happen is not shown");
	close_shown(&s);
}

Test(show, routes_are_listed_up_to_a_limit_and_counted_beyond)
{
	struct shown s;

	open_shown(&s);
	SHOW(&s, show_route(s.t.node, 100, f));
	expect_line(&s, "10.1.0.0/24 connected ");
	expect_line(&s, "10.1.0.1/32 local ");
	expect_line(&s, "10.2.0.0/16 static even\n");
	expect_line(&s, "10.3.0.0/16 static flat\n");
	expect_line(&s, "2001:db8::/32 static even\n");
	cr_assert_null(strstr(s.text, "more"));
	SHOW(&s, show_route(s.t.node, 2, f));
	expect_line(&s, "... and more: 5 routes in all\n");
	cr_assert_null(strstr(s.text, "10.2.0.0"));
	SHOW(&s, show_fib(s.t.node, f));
	expect_line(&s, "ipv4 rib 4 ");
	expect_line(&s, "ipv6 rib 1 ");
	expect_line(&s, "generation 1\n");
	close_shown(&s);
}

Test(show, workers_hash_version_and_the_sum)
{
	struct shown s;
	char want[128];

	open_shown(&s);
	send_qps(&s, 2, 320);
	SHOW(&s, show_worker(s.t.node, f));
	snprintf(want, sizeof(want), "0 %u in:0 o0:0 o1:0 ", rte_get_main_lcore());
	expect_line(&s, want);
	expect_line(&s, " 5 64.0\n");
	SHOW(&s, show_hash(s.t.node, f));
	snprintf(want, sizeof(want), "seed %lu (from node.id)\n", conf_seed(s.t.conf));
	expect_line(&s, want);
	SHOW(&s, show_version(f));
	expect_line(&s, "softbag ");
	expect_line(&s, "DPDK 2");
	SHOW(&s, cr_assert(show_sum(s.t.node, f)));
	expect_line(&s, "in 320 = out 320 + punted 0 + dropped 0\n");
	s.t.node->worker[0]->counters->drop[DROP_runt]++;
	SHOW(&s, cr_assert_not(show_sum(s.t.node, f)));
	s.t.node->worker[0]->counters->drop[DROP_runt]--;
	close_shown(&s);
}

Test(show, the_live_view_shows_rates_since_its_baseline)
{
	struct shown s;

	open_shown(&s);
	send_qps(&s, 3, 50);
	show_base_take(&s.zero, s.t.node, 0);
	send_qps(&s, 3, 500);
	/* 500 packets of 122 bytes in half a second */
	SHOW(&s, show_live(s.t.node, &s.zero, NODE_TEST_HZ / 2, f));
	expect_line(&s, "in up 1,000 1.0 0 0.0\n");
	expect_line(&s, " 1,000 100.0 % 50.0 %\n");
	SHOW(&s, show_live(s.t.node, &s.zero, 0, f));
	expect_line(&s, "in up 0 0.0 0 0.0\n");
	close_shown(&s);
}

Test(show, the_live_view_explains_uneven_shares_in_one_line)
{
	static const char why[] = "Each flow stays on one member";
	struct shown s;

	open_shown(&s);
	/* many queue pairs: even enough */
	send_qps(&s, 2, 4000);
	SHOW(&s, show_live(s.t.node, &s.zero, NODE_TEST_HZ, f));
	cr_assert_null(strstr(s.text, why), "%s", s.text);
	/* one flow by its 5-tuple: too few packets, then enough */
	send_qps(&s, 3, 999);
	SHOW(&s, show_live(s.t.node, &s.zero, NODE_TEST_HZ, f));
	cr_assert_null(strstr(s.text, why), "%s", s.text);
	send_qps(&s, 3, 1);
	SHOW(&s, show_live(s.t.node, &s.zero, NODE_TEST_HZ, f));
	cr_assert_not_null(strstr(s.text, why), "%s", s.text);
	cr_assert_null(strstr(strstr(s.text, why) + 1, why), "once: %s", s.text);
	/* a dead link is reason enough */
	node_set_link(s.t.node, 1, false);
	SHOW(&s, show_live(s.t.node, &s.zero, NODE_TEST_HZ, f));
	cr_assert_null(strstr(s.text, why), "%s", s.text);
	close_shown(&s);
}

/* Hand-made: the ratio of a member's packets to its fair share, the largest. */
Test(show, imbalance_is_one_when_the_shares_follow_the_weights)
{
	struct nhg_member member[3] = {{.weight = 3}, {.weight = 1}, {.weight = 0}};
	struct nhg_group g = {.n_members = 3, .member = member};
	struct counter c[3] = {{.packets = 300}, {.packets = 100}, {.packets = 0}};

	cr_assert_float_eq(group_imbalance(&g, c), 1.0, 1e-9);
	c[0].packets = 200;
	c[1].packets = 200;
	cr_assert_float_eq(group_imbalance(&g, c), 2.0, 1e-9);
	c[0].packets = 400;
	c[1].packets = 0;
	cr_assert_float_eq(group_imbalance(&g, c), 4.0 / 3, 1e-9);
	/* what an excluded member had before is no part of it */
	c[2].packets = 1000;
	cr_assert_float_eq(group_imbalance(&g, c), 4.0 / 3, 1e-9);
	c[0].packets = 0;
	cr_assert_eq(group_imbalance(&g, c), 0);
	member[0].weight = member[1].weight = 0;
	cr_assert_eq(group_imbalance(&g, c), 0);
}
