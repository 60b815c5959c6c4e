/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `show queue`, `show ecn`, `show pfc`, the live view and the reports say of a port where
 * packets wait: 200 of them into 1 Mbit/s while the clock stands, so that one left and 199 wait.
 */
#include <errno.h>

#include "node.h"
#include "packet.h"
#include "report_test.h"
#include "show_test.h"
#include "tele/show.h"
#include "wire/pfc.h"

#define YAML                                                                                       \
	"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 8192}\nports:\n"                     \
	"  - {name: in, device: a, role: nsf, mac: \"02:00:00:00:00:01\", rate: 1Gbit,\n"          \
	"     pfc: {classes: [3], xoff: 10KB, xon: 5KB, headroom: 99KB}}\n"                        \
	"  - {name: slow, device: b, role: longhaul, mac: \"02:00:00:00:00:02\", rate: 1Mbit,\n"   \
	"     delay: 20ms, ecn: {kmin: 4KB, kmax: 4KB, pmax: 100%%},\n"                            \
	"     pfc: {classes: [3, 4]}}\n"                                                           \
	"  - {name: plain, device: c, role: nsf, mac: \"02:00:00:00:00:03\"}\n"                    \
	"  - {name: nic, device: d, role: nsf, mac: \"02:00:00:00:00:04\"}\n"                      \
	"classes:\n  - {class: 3, name: rdma, dscp: [24-31], lossless: true, limit: 1MB,\n"        \
	"     scheduler: {dwrr: 50}}\n"                                                            \
	"  - {class: 4, name: other, lossless: true, limit: 1MB}\n"                                \
	"groups:\n"                                                                                \
	"  - {name: far, members: [{port: slow, mac: \"02:aa:00:00:00:01\"}]}\n"                   \
	"  - {name: near, members: [{port: plain, mac: \"02:aa:00:00:00:02\"}]}\n"                 \
	"routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: far}\n"                            \
	"    - {prefix: 10.3.0.0/16, group: near}\n"

enum { IN, SLOW, PLAIN, NIC };

#define N    200u
#define WAIT (N - 1)
#define LEN  122u /* bytes of a frame */
#define MARKED                                                                                     \
	(WAIT - 4026 / LEN) /* those that met more than 4000 bytes: from 33 before them on         \
			     */

struct shown {
	struct node_test t;
	char *text;
};

static void
send_n(struct shown *s, unsigned int n)
{
	static uint8_t frame[256];
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	cr_assert_eq(len, LEN);
	for (unsigned int i = 0; i < n; i++)
		cr_assert(node_test_put(&s->t, IN, frame, len));
	node_test_run(&s->t);
}

static void
open_shown(struct shown *s)
{
	s->text = NULL;
	node_test_open(&s->t, 128, YAML); /* the doubled percent sign is the format's */
}

static void
close_shown(struct shown *s)
{
	free(s->text);
	node_test_close(&s->t);
}

/* What `call` prints to `f` is in s->text, a space where there were more. */
#define SHOW(s, call)                                                                              \
	do {                                                                                       \
		CAPTURE((s)->text, call);                                                          \
		show_squeeze((s)->text);                                                           \
	} while (0)

static void
has(const struct shown *s, const char *line)
{
	cr_expect_not_null(strstr(s->text, line), "no `%s` in:\n%s", line, s->text);
}

static void
lacks(const struct shown *s, const char *line)
{
	cr_expect_null(strstr(s->text, line), "`%s` in:\n%s", line, s->text);
}

Test(show_queue, queues_tell_what_waits_and_the_most_that_did)
{
	struct shown s;

	open_shown(&s);
	send_n(&s, N);
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, NULL, NULL, f), 0));
	has(&s, "port class name scheduler lossless limit packets bytes most bytes dropped\n");
	has(&s, "\nslow 3 rdma dwrr 50 yes 1,000,000 199 24,278 24,278 0\n");
	has(&s, "\nslow 0 default dwrr 1 no 16,000,000 0 0 0 0\n");
	has(&s, "\nslow 4 other dwrr 1 yes 1,000,000 0 0 0 0\n");
	lacks(&s, "slow 6");
	lacks(&s, "plain");
	/* 20 ms at 1 Mbit/s are 2500 bytes: 3 frames of 1125, and a turn's slack */
	has(&s, "\n\ndelay line delay jitter room for packets packets bytes\n"
		"slow 20 ms 0 ns 259 1 122\n");
	/* half a second later, a third and more of them have left; the mark stays */
	for (unsigned int i = 0; i < 500; i++) {
		s.t.ticks += NODE_TEST_HZ / 1000;
		node_test_run(&s.t);
	}
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, NULL, NULL, f), 0));
	lacks(&s, " 24,278 24,278 0\n");
	has(&s, " 24,278 0\n");
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, NULL, "plain", f), 0));
	has(&s, "plain 6 cnp strict no 16,000,000 0 0 0 0\n");
	lacks(&s, "slow");
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, NULL, "nobody", f), -ENOENT));
	cr_expect_str_empty(s.text);
	close_shown(&s);
}

Test(show_queue, ecn_tells_curves_and_what_they_did)
{
	struct shown s;
	struct show_base base;

	open_shown(&s);
	cr_assert_eq(show_base_init(&base, s.t.node), 0);
	send_n(&s, N);
	SHOW(&s, cr_assert_eq(show_ecn(s.t.node, &base, NULL, f), 0));
	has(&s, "\nslow 3 rdma red 4,000 4,000 100 % - no 24,278 166\n");
	has(&s, "\nslow 0 default red 4,000 4,000 100 % - no 0 0\n");
	lacks(&s, "plain");
	has(&s, "Of all ports: 0 came in with CE, 166 were marked here, 0 would have been");
	cr_assert_eq(MARKED, 166);
	show_base_take(&base, s.t.node, 0);
	SHOW(&s, cr_assert_eq(show_ecn(s.t.node, &base, "plain", f), 0));
	has(&s, "plain 3 rdma off - - - - - 0 0\n");
	has(&s, " 0 were marked here,");
	SHOW(&s, cr_assert_eq(show_ecn(s.t.node, &base, "nobody", f), -ENOENT));
	show_base_fini(&base);
	close_shown(&s);
}

/* Buffers for what is paused are 295 (egress_paused_packets()), all wait, and one packet is gone.
 */
Test(show_queue, marks_and_drops_are_told_by_port_and_class_and_since_the_baseline)
{
	struct report_run run = {0};
	struct show_base base;
	struct shown s;
	json_t *root;

	open_shown(&s);
	cr_assert_eq(show_base_init(&base, s.t.node), 0);
	send_n(&s, 1000);
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, &base, NULL, f), 0));
	has(&s, "\nslow 3 rdma dwrr 50 yes 1,000,000 295 35,990 35,990 704\n");
	has(&s, "\nslow 0 default dwrr 1 no 16,000,000 0 0 0 0\n");
	has(&s, "\nin 3 rdma dwrr 50 yes 1,000,000 0 0 0 0\n");
	SHOW(&s, cr_assert_eq(show_ecn(s.t.node, &base, NULL, f), 0));
	has(&s, "drops from control too bytes waiting marked\n");
	has(&s, "\nslow 3 rdma red 4,000 4,000 100 % - no 35,990 262\n");
	show_base_take(&base, s.t.node, 0);
	send_n(&s, 7);
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, &base, NULL, f), 0));
	has(&s, "\nslow 3 rdma dwrr 50 yes 1,000,000 295 35,990 35,990 7\n");
	SHOW(&s, cr_assert_eq(show_ecn(s.t.node, &base, NULL, f), 0));
	has(&s, "\nslow 3 rdma red 4,000 4,000 100 % - no 35,990 0\n");
	root = report_of(s.t.node, &run);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.dropped"), 711);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.ce_marked"), 262);
	json_decref(root);
	show_base_fini(&base);
	close_shown(&s);
}

/* A memory port's NIC makes no pauses: said after the node was made. */
static void
let_the_nic_pause(struct shown *s)
{
	s->t.conf->port[NIC].pfc.classes = 1u << 3;
	s->t.conf->port[NIC].pfc.hardware = true;
}

Test(show_queue, pfc_tells_who_pauses_whom)
{
	const uint16_t quanta[PFC_CLASSES] = {[3] = 65535, [4] = 65535, [5] = 65535};
	const uint8_t mac[6] = {2, 0, 0, 0, 9, 9};
	uint8_t frame[PFC_FRAME_LEN];
	struct shown s;

	open_shown(&s);
	let_the_nic_pause(&s);
	SHOW(&s, cr_assert_eq(show_pfc(s.t.node, NULL, f), 0));
	has(&s, "port classes done by paused now frames in frames out storm in storms restored\n"
		"in 3 softbag - 0 0 - 0 0\n"
		"slow 3,4 softbag - 0 0 - 0 0\n"
		"nic 3 the NIC: its own counters tell - 0 0 - 0 0\n");
	has(&s, "\nin 3 rdma 5,000 10,000 99,000 0 go on\n");
	lacks(&s, "plain");
	lacks(&s, "nic 3 rdma");
	send_n(&s, N);
	pfc_build(frame, mac, 0x38, quanta);
	cr_assert(node_test_put(&s.t, SLOW, frame, sizeof(frame)));
	cr_assert(node_test_put(&s.t, PLAIN, frame, sizeof(frame)));
	node_test_run(&s.t);
	SHOW(&s, cr_assert_eq(show_pfc(s.t.node, NULL, f), 0));
	has(&s, "\nin 3 softbag - 0 1 - 0 0\n");
	has(&s, "\nslow 3,4 softbag 3,4 1 0 - 0 0\n");
	has(&s, "\nplain - nobody: frames are dropped - 1 0 - 0 0\n");
	has(&s, "\nin 3 rdma 5,000 10,000 99,000 24,278 stop\n");
	SHOW(&s, cr_assert_eq(show_pfc(s.t.node, "nic", f), 0));
	lacks(&s, "slow");
	SHOW(&s, cr_assert_eq(show_pfc(s.t.node, "nobody", f), -ENOENT));
	close_shown(&s);
}

Test(show_queue, the_live_view_shows_backlog_marks_and_pauses)
{
	struct show_base base;
	struct shown s;

	open_shown(&s);
	cr_assert_eq(show_base_init(&base, s.t.node), 0);
	send_n(&s, N);
	SHOW(&s, show_live(s.t.node, &base, NODE_TEST_HZ / 2, f));
	has(&s, "out Mbit/s bytes waiting paused\n");
	has(&s, "\nslow up 0 0.0 0 0.0 24,278 -\n");
	has(&s, "\n332 packets/s marked CE\n");
	show_base_fini(&base);
	close_shown(&s);
}

Test(show_queue, the_reports_have_queues_and_pauses)
{
	struct report_run run = {0};
	struct shown s;
	json_t *root;

	open_shown(&s);
	send_n(&s, N);
	root = report_of(s.t.node, &run);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.waiting_bytes"), WAIT * LEN);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.high_water"), WAIT * LEN);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.limit"), 1000000);
	cr_expect_eq(report_number(root, "ports.slow.queues.cnp.limit"), 16000000);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.ce_marked"), MARKED);
	cr_expect_eq(report_number(root, "ports.slow.queues.rdma.dropped"), 0);
	cr_expect_eq(report_number(root, "ports.slow.queues.default.ce_marked"), 0);
	cr_expect_eq(report_number(root, "ports.plain.queues.rdma.high_water"), 0);
	cr_expect_eq(report_number(root, "ports.in.pfc.out"), 1);
	cr_expect_eq(report_number(root, "ports.in.pfc.in"), 0);
	cr_expect_eq(report_number(root, "ports.slow.pfc.storms_detected"), 0);
	cr_expect_eq(report_number(root, "ports.slow.pfc.storms_restored"), 0);
	json_decref(root);
	SHOW(&s, report_text(s.t.node, &run, f));
	has(&s, "\nslow 3 rdma dwrr 50 yes 1,000,000 199 24,278 24,278 0\n");
	has(&s, "\nin 3 softbag - 0 1 - 0 0\n");
	has(&s, "ECN: 0 came in with CE, 166 were marked here, 0 would have been and are not "
		"ECN-capable\n");
	close_shown(&s);
}

Test(show_queue, a_node_without_queues_says_so)
{
	struct shown s = {0};
	struct show_base base;

	node_test_open(&s.t, 128,
		"version: 1\nnode: {name: n, id: 7}\nports:\n"
		"  - {name: a, device: a, role: nsf}\n");
	cr_assert_eq(show_base_init(&base, s.t.node), 0);
	SHOW(&s, cr_assert_eq(show_queue(s.t.node, NULL, NULL, f), 0));
	cr_expect_str_eq(
		s.text, "No port has a rate, marking, pause or delay, and nothing has waited.\n");
	SHOW(&s, cr_assert_eq(show_pfc(s.t.node, NULL, f), 0));
	cr_expect_str_eq(s.text, "No port has pfc, and no pause frame came in.\n");
	SHOW(&s, cr_assert_eq(show_ecn(s.t.node, &base, NULL, f), 0));
	cr_expect_eq(strncmp(s.text, "No port marks.\n", 15), 0);
	SHOW(&s, show_live(s.t.node, &base, NODE_TEST_HZ, f));
	lacks(&s, "waiting");
	SHOW(&s, report_text(s.t.node, &(struct report_run){0}, f));
	lacks(&s, "scheduler");
	show_base_fini(&base);
	close_shown(&s);
}

Test(show_queue, the_sum_has_the_copies_where_there_are_any)
{
	struct shown s;
	struct counters *c;

	open_shown(&s);
	c = s.t.node->worker[0]->counters;
	SHOW(&s, cr_assert(show_sum(s.t.node, f)));
	cr_expect_str_eq(s.text, "in 0 = out 0 + punted 0 + dropped 0\n");
	c->duplicated = 1234;
	SHOW(&s, cr_assert_not(show_sum(s.t.node, f)));
	c->port_out[1].packets = 1234;
	SHOW(&s, cr_assert(show_sum(s.t.node, f)));
	cr_expect_str_eq(s.text, "in 0 + duplicated 1,234 = out 1,234 + punted 0 + dropped 0\n");
	c->duplicated = c->port_out[1].packets = 0;
	close_shown(&s);
}
