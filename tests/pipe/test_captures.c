/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The captures of tests/data through whole nodes, a frame at a time: what leaves differs from what
 * came in what a router may change and in nothing else, and the rest is counted once. The same
 * frames in small segments. Cut short they are test_prefixes.c's.
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

#define FRAMES_MAX 1024u

struct capture {
	size_t n;
	size_t len[FRAMES_MAX];
	uint8_t *frame[FRAMES_MAX];
};

static uint8_t want[PACKET_MAX], out[PACKET_MAX];

static FILE *
open_data(const char *name, const char *end)
{
	const char *root = getenv("SOFTBAG_ROOT");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/%s%s", root != NULL ? root : ".", name, end);
	f = fopen(path, "r");
	cr_assert_not_null(f, "no %s; set SOFTBAG_ROOT", path);
	return f;
}

static void
capture_read(struct capture *c, const char *name)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *p = pcap_fopen_offline(open_data(name, ".pcap"), why);
	struct pcap_pkthdr *h;
	const uint8_t *bytes;

	cr_assert_not_null(p, "%s: %s", name, why);
	c->n = 0;
	while (pcap_next_ex(p, &h, &bytes) == 1) {
		cr_assert_lt(c->n, FRAMES_MAX);
		cr_assert_eq(h->caplen, h->len);
		c->len[c->n] = h->len;
		c->frame[c->n] = malloc(h->len + 1);
		memcpy(c->frame[c->n++], bytes, h->len);
	}
	pcap_close(p);
	cr_assert_gt(c->n, 0);
}

static void
capture_free(struct capture *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->frame[i]);
}

/* Any frame in, everything routed to four members. */
#define OPEN_NODE                                                                                  \
	PIPE_HEAD "ports:\n"                                                                       \
		  "  - {name: in, device: a, role: nsf, promiscuous: true, mtu: 9000}\n"           \
		  "  - {name: o0, device: b, role: nsf, mac: \"02:00:00:00:01:00\", mtu: 9000}\n"  \
		  "  - {name: o1, device: c, role: nsf, mac: \"02:00:00:00:01:01\", mtu: 9000}\n"  \
		  "  - {name: o2, device: d, role: nsf, mac: \"02:00:00:00:01:02\", mtu: 9000}\n"  \
		  "  - {name: o3, device: e, role: nsf, mac: \"02:00:00:00:01:03\", mtu: 9000}\n"  \
		  "groups:\n  - name: g\n    members:\n"                                           \
		  "      - {port: o0, mac: \"02:aa:00:00:00:00\"}\n"                               \
		  "      - {port: o1, mac: \"02:aa:00:00:00:01\"}\n"                               \
		  "      - {port: o2, mac: \"02:aa:00:00:00:02\"}\n"                               \
		  "      - {port: o3, mac: \"02:aa:00:00:00:03\"}\n"                               \
		  "routes: {static: [{prefix: 0.0.0.0/0, group: g}, {prefix: \"::/0\", group: "    \
		  "g}]}\n"

/* Holds what left by `port` to the frame that came in. */
static void
expect_routed(const uint8_t *frame, size_t len, int port, size_t out_len)
{
	uint8_t dst[6] = {2, 0xaa, 0, 0, 0, (uint8_t)(port - 1)};
	uint8_t src[6] = {2, 0, 0, 0, 1, (uint8_t)(port - 1)};

	memcpy(want, frame, len);
	expect_forwarded(want, dst, src);
	expect_same(out, out_len, want, len);
	cr_assert_eq(packet_icrc_ok(frame, len), packet_icrc_ok(out, out_len), "ICRC");
}

/* Returns how many frames were routed. */
static size_t
play(struct node_test *t, const struct capture *c, const char *name)
{
	size_t routed = 0, out_len = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct node_test_sums before = node_test_sums(t), now;
		int port = node_test_pass(t, 0, c->frame[i], c->len[i], out, &out_len);

		now = node_test_sums(t);
		cr_assert_eq(now.in, before.in + 1);
		cr_assert_eq(now.out - before.out + now.punted - before.punted + now.dropped -
				     before.dropped,
			1, "%s: frame %zu", name, i + 1);
		if (port < 0)
			continue;
		routed++;
		expect_routed(c->frame[i], c->len[i], port, out_len);
	}
	return routed;
}

static const struct {
	const char *name;
	bool all; /* every frame is one to be routed */
} files[] = {
	{"quickstart_nsf0", false},
	{"quickstart_nsf1", false},
	{"roce_basic", true},
	{"qps_256", true},
	{"qps_256_v6", true},
	{"fragments", true},
	{"extensions", true},
	{"checksum_zero", true},
	{"mac_control", false},
	{"malformed", false},
	{"sample", true},
	{"rxe_cm_mix_v4_m1024", false},
	{"rxe_ecn_ce_write_v6", false},
	{"rxe_rc_write_v6_m4096", false},
	{"rxe_fault_corrupt_write", false},
	{"rxe_ud_send_v4_m1024", false},
	{"roce_kat", false},
	{"edge", false},
	{"pfc_pause", false},
};
#define N_FILES (sizeof(files) / sizeof(files[0]))

Test(captures, what_leaves_differs_in_macs_ttl_and_checksum_alone)
{
	struct capture c;
	struct node_test t;

	node_test_open(&t, 256, OPEN_NODE);
	for (unsigned int i = 0; i < N_FILES; i++) {
		size_t routed;

		capture_read(&c, files[i].name);
		routed = play(&t, &c, files[i].name);
		if (files[i].all)
			cr_assert_eq(routed, c.n, "%s: %zu of %zu", files[i].name, routed, c.n);
		capture_free(&c);
	}
	node_test_close(&t);
}

Test(captures, no_pause_and_no_mac_control_frame_leaves)
{
	struct capture c;
	struct node_test t;

	node_test_open(&t, 256, OPEN_NODE);
	capture_read(&c, "pfc_pause");
	cr_assert_eq(play(&t, &c, "pfc_pause"), 0);
	cr_assert_eq(node_test_drops(&t, DROP_pfc), 6);
	cr_assert_eq(node_test_drops(&t, DROP_mac_control), c.n - 6);
	capture_free(&c);
	capture_read(&c, "mac_control");
	cr_assert_eq(play(&t, &c, "mac_control"), 0);
	capture_free(&c);
	node_test_close(&t);
}

/* tests/data/README.md says what malformed.pcap wants of its node. */
#define MALFORMED_NODE                                                                             \
	PIPE_HEAD "ports:\n" PIPE_PORT("in", "01") PIPE_PORT(                                      \
		"out", "02") "groups:\n  - {name: g, members: [{port: out, mac: "                  \
			     "\"02:aa:00:00:00:01\"}]}\n"                                          \
			     "  - {name: none, members: [{port: out, mac: \"02:aa:00:00:00:01\", " \
			     "weight: 0}]}\n"                                                      \
			     "  - {name: lost, members: [{port: out, via: 10.9.9.9}]}\n"           \
			     "routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: g}\n"         \
			     "    - {prefix: \"2001:db8:2::/48\", group: g}\n"                     \
			     "    - {prefix: 10.3.0.0/16, group: none}\n    - {prefix: "           \
			     "10.4.0.0/16, group: lost}\n"

static enum drop_reason
reason_of(const char *name)
{
	for (unsigned int r = 1; r < DROP_N; r++)
		if (strcmp(name, drop_name((enum drop_reason)r)) == 0)
			return (enum drop_reason)r;
	cr_assert_fail("no drop reason %s", name);
	return DROP_NONE;
}

Test(captures, each_fault_is_counted_under_its_reason)
{
	FILE *expect = open_data("malformed", ".expect.txt");
	bool tried[DROP_N] = {false};
	struct capture c;
	struct node_test t;
	size_t out_len;
	char line[256], name[64];

	node_test_open(&t, 256, MALFORMED_NODE);
	t.node->env.replay = false; /* no MACs made up */
	cr_assert_eq(node_set_weights(t.node, node_test_group(&t, "lost"), (uint32_t[]){1}), 0);
	capture_read(&c, "malformed");
	for (size_t i = 0; i < c.n; i++) {
		enum drop_reason reason;
		uint64_t before;

		cr_assert_not_null(fgets(line, sizeof(line), expect));
		cr_assert_eq(sscanf(line, "%*u %63s", name), 1);
		reason = reason_of(name);
		before = node_test_drops(&t, reason);
		cr_assert_eq(node_test_pass(&t, 0, c.frame[i], c.len[i], out, &out_len), -1,
			"it leaves: %s", line);
		cr_assert_eq(node_test_drops(&t, reason), before + 1, "%s", line);
		tried[reason] = true;
	}
	cr_assert_null(fgets(line, sizeof(line), expect));
	for (unsigned int r = 1; r < DROP_N; r++) {
		bool later = (r >= DROP_red && r <= DROP_stopped) || r == DROP_segments;

		cr_assert(tried[r] || later, "no frame for %s", drop_name((enum drop_reason)r));
	}
	fclose(expect);
	capture_free(&c);
	t.node->env.replay = true;
	node_test_close(&t);
}

static void
expect_segmented_like_whole(struct node_test *t, const uint8_t *frame, size_t len, size_t seg)
{
	static uint8_t whole[PACKET_MAX];
	struct node_test_sums a = node_test_sums(t), b, c;
	size_t whole_len = 0, out_len = 0;
	int port = node_test_pass(t, 0, frame, len, whole, &whole_len);
	struct rte_mbuf *m = packet_chain(t->node->pool, frame, len, seg), *first = NULL;

	b = node_test_sums(t);
	cr_assert_not_null(m);
	cr_assert(node_test_put_mbuf(t, 0, 0, m));
	node_test_run(t);
	c = node_test_sums(t);
	cr_assert_eq(c.out - b.out, b.out - a.out);
	cr_assert_eq(c.punted - b.punted, b.punted - a.punted);
	cr_assert_eq(c.dropped - b.dropped, b.dropped - a.dropped);
	if (port < 0)
		return;
	first = node_test_take_mbuf(t, (uint16_t)port);
	cr_assert_not_null(first, "it left by another port");
	out_len = packet_read(first, out, sizeof(out));
	rte_pktmbuf_free(first);
	expect_same(out, out_len, whole, whole_len);
}

Test(captures, frames_in_segments_leave_like_whole_ones, .timeout = 110)
{
	static const size_t seg[] = {14, 15, 60, 64};
	struct node_test t;

	node_test_open(&t, 256, OPEN_NODE);
	for (unsigned int i = 0; i < N_FILES; i++) {
		struct capture c;

		capture_read(&c, files[i].name);
		for (size_t f = 0; f < c.n; f++)
			for (unsigned int s = 0; s < 4; s++)
				expect_segmented_like_whole(&t, c.frame[f], c.len[f], seg[s]);
		capture_free(&c);
	}
	node_test_close(&t);
}
