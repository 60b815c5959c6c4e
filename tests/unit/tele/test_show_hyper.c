/* SPDX-License-Identifier: BSD-3-Clause */
/* What `show hyperport` and the report say of one, by frames put in and taken out by hand. */
#include "node.h"
#include "packet.h"
#include "report_test.h"
#include "show_test.h"
#include "tele/show.h"

#define YAML                                                                                       \
	"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 8192}\nports:\n"                     \
	"  - {name: in, device: a, role: nsf, mac: \"02:00:00:00:00:01\"}\n"                       \
	"  - {name: lh0, device: b, role: longhaul, mac: \"02:00:00:00:00:02\"}\n"                 \
	"  - {name: lh1, device: c, role: longhaul, mac: \"02:00:00:00:00:03\"}\n"                 \
	"hyperports: [{name: hp0, members: [lh0, lh1], window: 64, timeout: 2ms, require_all: "    \
	"false}]\n"                                                                                \
	"groups:\n"                                                                                \
	"  - {name: far, members: [{port: hp0, mac: \"02:aa:00:00:00:01\"}]}\n"                    \
	"  - {name: near, members: [{port: in, mac: \"02:aa:00:00:00:02\"}]}\n"                    \
	"routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: far}\n"                            \
	"    - {prefix: 10.9.0.0/16, group: near}\n"

enum { IN, LH0, LH1 };

#define LEN 122u /* bytes of a packet's frame */

static size_t
make(uint8_t *frame, uint32_t dst)
{
	struct packet p = packet_roce(4);

	p.dst4 = dst;
	return packet_write(&p, frame, PACKET_MAX, NULL);
}

/* A frame of the far end with this number, by lh1. */
static void
put_number(struct node_test *t, uint16_t number)
{
	static uint8_t frame[PACKET_MAX];
	size_t len = make(frame + 4, 0x0a090001);

	memmove(frame, frame + 4, 12);
	memcpy(frame, (uint8_t[]){2, 0, 0, 0, 0, 2}, 6);
	memcpy(frame + 12, (uint8_t[]){0x88, 0xb6, (uint8_t)(number >> 8), (uint8_t)number}, 4);
	cr_assert(node_test_put(t, LH1, frame, len + 4));
	node_test_run(t);
}

static void
traffic(struct node_test *t)
{
	static uint8_t frame[PACKET_MAX];
	size_t len = make(frame, 0x0a020001);

	cr_assert_eq(len, LEN);
	for (unsigned int i = 0; i < 6; i++)
		cr_assert(node_test_put(t, IN, frame, len));
	node_test_run(t);
	put_number(t, 100);
	t->ticks += 2000000;
	node_test_run(t); /* it has waited */
	put_number(t, 101);
	put_number(t, 103);
	put_number(t, 103);
	t->ticks += 2000000;
	node_test_run(t); /* 102 is lost */
	put_number(t, 102);
	put_number(t, 105);
}

Test(show_hyper, tables_tell_of_members_and_of_what_was_put_in_order)
{
	struct node_test t;
	char *text = NULL;

	node_test_open(&t, 128, YAML);
	traffic(&t);
	node_set_link(t.node, LH1, false);
	CAPTURE(text, show_hyper(t.node, f));
	show_has(text, "hyperport state requires mtu worker window timeout\n");
	show_has(text, "hp0 up one 1496 0 64 2ms\n");
	show_has(text, "hp0 lh0 up 3 378 50.00 %\n");
	show_has(text, "hp0 lh1 down 3 378 50.00 %\n");
	show_has(text, "packets in in order waited longest held most held lost overrun late "
		       "duplicate restarts\n");
	show_has(text, "hp0 6 3 2 2 ms 1 1 1 0 1 1 0\n");
	CAPTURE(text, cr_assert_eq(show_queue(t.node, NULL, "hp0", f), 0));
	show_has(text, "hp0 3 rdma");
	CAPTURE(text, show_group(t.node, NULL, NULL, f));
	show_has(text, "hp0");
	free(text);
	node_test_close(&t);
}

Test(show_hyper, a_node_without_one_says_so)
{
	struct node_test t;
	char *text = NULL;

	node_test_open(&t, 128,
		"version: 1\nnode: {name: n, id: 7}\nports:\n"
		"  - {name: in, device: a, role: nsf, mac: \"02:00:00:00:00:01\"}\n");
	CAPTURE(text, show_hyper(t.node, f));
	cr_assert_str_eq(text, "The node has no hyperports.\n");
	free(text);
	node_test_close(&t);
}
