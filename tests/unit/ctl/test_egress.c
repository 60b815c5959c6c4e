/* SPDX-License-Identifier: BSD-3-Clause */
/* How many packets may wait at a port: a table of classes and ports. Nothing is made. */
#include <criterion/criterion.h>

#include "ctl/egress.h"
#include "node.h"

#define HEAD "version: 1\nnode: {name: n, id: 1}\nports:\n  - {name: p, device: d, role: longhaul"
#define RATE HEAD ", rate: 1Gbit}\n"

static const struct row {
	const char *what, *yaml;
	uint64_t lossy, lossless; /* bytes */
	uint32_t packets;
} rows[] = {
	{"a port without queues has a little", HEAD "}\n", 16000000, 0, EGRESS_PLAIN_PACKETS},
	{"classes that no limit is given for share one", RATE, 16000000, 0, 16000000 / 1125 + 1},
	{"naming them gives them nothing",
		RATE "classes: [{class: 0, name: a}, {class: 7, name: b}]\n", 16000000, 0,
		16000000 / 1125 + 1},
	{"what is given counts in full",
		RATE "classes: [{class: 0, name: a, limit: 12MB}, {class: 7, name: b, limit: "
		     "8MB}]\n",
		20000000, 0, 20000000 / 1125 + 1},
	{"little given leaves the others their own",
		RATE "classes: [{class: 0, name: a, limit: 1MB}]\n", 16000000, 0,
		16000000 / 1125 + 1},
	{"lossless ones never share",
		RATE "classes: [{class: 3, name: a, lossless: true}, {class: 4, name: b, lossless: "
		     "true, limit: 1MB}]\n",
		16000000, 33000000, 49000000 / 1125 + 1},
};

Test(egress, packets_that_may_wait_follow_the_limits)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct conf *c = node_test_conf(r->yaml);

		cr_expect_eq(egress_lossy_bytes(c), r->lossy, "%s", r->what);
		cr_expect_eq(egress_lossless_bytes(c), r->lossless, "%s", r->what);
		cr_expect_eq(egress_open_packets(c, 0), r->packets, "%s", r->what);
		cr_expect_eq(egress_is_queued(&c->port[0]), i != 0, "%s", r->what);
		cr_expect_eq(egress_line_packets(c, 0), 0, "%s", r->what);
		cr_expect_eq(egress_records(c), r->packets, "%s", r->what);
		conf_free(c);
	}
}

#define PAUSE ", rate: 1Gbit, pfc: {classes: [3], xoff: 900KB, xon: 1KB, headroom: 100KB}}\n"
#define OTHER "  - {name: q, device: e, role: nsf"
#define CLASS "classes: [{class: 3, name: a, lossless: true, limit: "

/* What is paused has its room once in the node, and limits count it. */
Test(egress, packets_that_are_paused_have_room_once)
{
	const uint32_t held = 1000000 / 1125 + 1, lossy = 16000000 / 1125 + 1;
	struct conf *c = node_test_conf(HEAD PAUSE OTHER PAUSE CLASS "2MB}]\n");

	cr_expect_eq(egress_paused_packets(c), 2 * held);
	cr_expect_eq(egress_open_packets(c, 0), lossy);
	cr_expect_eq(egress_records(c), 2 * held + 2 * lossy);
	conf_free(c);
	/* a limit beyond what is paused is open to what is not */
	c = node_test_conf(HEAD PAUSE OTHER "}\n" CLASS "10MB}]\n");
	cr_expect_eq(egress_paused_packets(c), held);
	cr_expect_eq(egress_open_packets(c, 0), 26000000 / 1125 + 1 - held);
	cr_expect_eq(egress_open_packets(c, 1), EGRESS_PLAIN_PACKETS);
	cr_expect_eq(egress_records(c), 26000000 / 1125 + 1 + EGRESS_PLAIN_PACKETS);
	conf_free(c);
	/* what a NIC pauses waits there */
	c = node_test_conf(
		HEAD ", rate: 1Gbit, pfc: {classes: [3], mode: hardware}}\n" CLASS "40MB}]\n");
	cr_expect_eq(egress_paused_packets(c), 0);
	cr_expect_eq(egress_open_bytes(c), 40000000);
	conf_free(c);
}

/* 50 ms at 10 Gbit/s are 62.5 MB; jitter and what is held back come on top. */
Test(egress, a_delay_line_holds_the_rate_for_all_its_time)
{
	struct conf *c =
		node_test_conf(HEAD ", rate: 10Gbit, delay: 50ms, mtu: 4200, impair: {jitter: 1ms, "
				    "reorder: 1%, reorder_delay: 2ms}}\n");

	cr_assert_eq(egress_frame_bytes(&c->port[0]), 3150);
	cr_assert_eq(egress_line_packets(c, 0), 66250000 / 3150 + 1 + EGRESS_LINE_SLACK);
	conf_free(c);
}
