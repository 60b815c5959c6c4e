/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way in which the pipeline behind the parser gives a packet up, each under its own reason,
 * and nothing lost from the books. What the parser drops is in the captures (test_captures.c).
 */
#include <stdlib.h>

#include "expect.h"

static uint8_t in[PACKET_MAX], out[PACKET_MAX];

#define DROPS_YAML                                                                                 \
	PIPE_HEAD "ports:\n"                                                                       \
		  "  - {name: in, device: a, role: nsf, mac: \"02:00:00:00:00:01\",\n"             \
		  "     addresses: [10.1.0.1/24, \"2001:db8:1::99/64\"]}\n" PIPE_PORT("out",       \
			  "02") "groups:\n"                                                        \
				"  - {name: g, members: [{port: out, mac: "                        \
				"\"02:aa:00:00:00:01\"}]}\n"                                       \
				"  - {name: none, members: [{port: out, mac: "                     \
				"\"02:aa:00:00:00:01\", weight: 0}]}\n"                            \
				"routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: g}\n"      \
				"    - {prefix: 10.3.0.0/16, group: none}\n    - {prefix: "        \
				"169.254.0.0/16, group: g}\n"                                      \
				"    - {prefix: \"2001:db8:2::/48\", group: g}\n"                  \
				"    - {prefix: \"2001:db8:3::/48\", group: none}\n"

/* The verdict of one packet: it must leave no port, and be counted once, under this reason. */
static void
expect_drop(struct node_test *t, const struct packet *p, enum drop_reason reason)
{
	uint64_t before = node_test_drops(t, reason), all = node_test_sums(t).dropped;
	size_t len = packet_write(p, in, sizeof(in), NULL), out_len;

	cr_assert_eq(node_test_pass(t, 0, in, len, out, &out_len), -1, "it leaves");
	cr_assert_eq(
		node_test_drops(t, reason), before + 1, "not counted as %s", drop_name(reason));
	cr_assert_eq(node_test_sums(t).dropped, all + 1, "counted twice");
	node_test_balance(t);
}

static void
expect_punt(struct node_test *t, const struct packet *p, enum punt_kind kind)
{
	uint64_t before = node_test_punts(t, kind), all = node_test_sums(t).punted;
	size_t len = packet_write(p, in, sizeof(in), NULL), out_len;

	cr_assert_eq(node_test_pass(t, 0, in, len, out, &out_len), -1, "it leaves");
	cr_assert_eq(node_test_punts(t, kind), before + 1, "not counted as %s", punt_name(kind));
	cr_assert_eq(node_test_sums(t).punted, all + 1, "counted twice");
	node_test_balance(t);
}

static void
expect_pass(struct node_test *t, const struct packet *p)
{
	size_t len = packet_write(p, in, sizeof(in), NULL), out_len;

	cr_assert_eq(node_test_pass(t, 0, in, len, out, &out_len), 1, "it does not leave");
	node_test_balance(t);
}

/* A copy of `p` with the last 16 bits of its destination's network set. */
static struct packet
to(struct packet p, uint32_t dst4, uint8_t net6)
{
	p.dst4 = dst4;
	p.dst6[5] = net6;
	return p;
}

Test(drops, route_exceptions_have_a_reason_each)
{
	struct node_test t;

	node_test_open(&t, 128, DROPS_YAML);
	for (unsigned int version = 4; version <= 6; version += 2) {
		struct packet p = packet_roce(version), q = p;

		q = to(p, 0xc0000201, 0xff);
		expect_drop(&t, &q, DROP_no_route);
		q.ttl = 1;
		expect_drop(&t, &q, DROP_no_route);
		q = p;
		q.ttl = 0;
		expect_drop(&t, &q, DROP_ttl_zero);
		q = to(q, 0xc0000201, 0xff);
		expect_drop(&t, &q, DROP_ttl_zero);
		q = to(p, 0x0a030001, 3);
		expect_drop(&t, &q, DROP_no_member);
		/* a host on a link of ours whose MAC nobody told */
		q = to(p, 0x0a010007, 1);
		expect_drop(&t, &q, DROP_unresolved);
		q.ttl = 1;
		expect_punt(&t, &q, PUNT_ttl);
		q = p;
		q.ttl = 1;
		expect_punt(&t, &q, PUNT_ttl);
		q = p;
		q.ttl = 2;
		expect_pass(&t, &q);
	}
	node_test_close(&t);
}

Test(drops, link_scope_never_leaves_its_link)
{
	struct node_test t;
	struct packet p = packet_udp(4), q = p;

	node_test_open(&t, 128, DROPS_YAML);
	q.src4 = 0xa9fe0001;
	expect_drop(&t, &q, DROP_martian);
	q.dst4 = 0x0a010001; /* but it may talk to us */
	expect_punt(&t, &q, PUNT_local);
	q = p;
	q.dst4 = 0xa9fe0001; /* though a route covers it */
	expect_drop(&t, &q, DROP_martian);
	q = packet_udp(6);
	memset(q.src6, 0, 16);
	expect_drop(&t, &q, DROP_martian);
	q.src6[0] = 0xfe;
	q.src6[1] = 0x80;
	expect_drop(&t, &q, DROP_martian);
	memcpy(q.dst6, (uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, 1, [15] = 0x99}, 16);
	expect_punt(&t, &q, PUNT_local);
	memset(q.dst6, 0, 16);
	q.dst6[0] = 0xfe;
	q.dst6[1] = 0x80;
	expect_punt(&t, &q, PUNT_link_local);
	node_test_close(&t);
}

Test(drops, what_is_for_the_node_goes_to_its_kernel)
{
	struct node_test t;
	struct packet p4 = packet_udp(4), p6 = packet_udp(6), arp = p4;

	node_test_open(&t, 128, DROPS_YAML);
	p4.dst4 = 0x0a010001;
	memcpy(p6.dst6, (uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, 1, [15] = 0x99}, 16);
	for (unsigned int ttl = 0; ttl < 3; ttl++) {
		p4.ttl = p6.ttl = (uint8_t)ttl;
		expect_punt(&t, &p4, PUNT_local);
		expect_punt(&t, &p6, PUNT_local);
	}
	p4.dst4 = 0xe0000005;
	memset(p4.dst_mac, 0xff, 6);
	expect_punt(&t, &p4, PUNT_link_local);
	arp.ethertype = 0x0806;
	memset(arp.dst_mac, 0xff, 6);
	expect_punt(&t, &arp, PUNT_arp);
	node_test_close(&t);
}

/* The MTU is of the IP packet: tags and padding are none of its business. */
Test(drops, exactly_the_mtu_passes_and_a_byte_more_does_not)
{
	struct node_test t;

	node_test_open(&t, 128, DROPS_YAML);
	for (unsigned int version = 4; version <= 6; version += 2) {
		for (unsigned int tags = 0; tags <= 2; tags++) {
			struct packet p = packet_udp(version);

			p.n_tags = (uint8_t)tags;
			p.tag[0] = p.tag[1] = (struct packet_tag){.tpid = 0x8100, .tci = 1};
			p.payload_len = 1500 - 8 - (version == 4 ? 20 : 40);
			expect_pass(&t, &p);
			p.pad_to = 1600;
			expect_pass(&t, &p);
			p.pad_to = 0;
			p.payload_len++;
			expect_drop(&t, &p, DROP_too_big);
			p.ip_frag = 0x4000;
			expect_drop(&t, &p, DROP_too_big);
		}
	}
	node_test_close(&t);
}

Test(drops, a_group_of_dead_links_or_zero_weights_has_no_member)
{
	struct node_test t;
	struct packet p = packet_roce(4);
	uint32_t none = 0, one = 1;

	node_test_open(&t, 128, DROPS_YAML);
	expect_pass(&t, &p);
	node_set_link(t.node, 1, false);
	expect_drop(&t, &p, DROP_no_member);
	node_set_link(t.node, 1, true);
	expect_pass(&t, &p);
	cr_assert_eq(node_set_weights(t.node, node_test_group(&t, "g"), &none), 0);
	expect_drop(&t, &p, DROP_no_member);
	cr_assert_eq(node_set_weights(t.node, node_test_group(&t, "g"), &one), 0);
	expect_pass(&t, &p);
	/* a group without any weight comes back with one, and is chosen while its link is down */
	node_set_link(t.node, 1, false);
	cr_assert_eq(node_set_weights(t.node, node_test_group(&t, "none"), &one), 0);
	p.dst4 = 0x0a030001;
	expect_drop(&t, &p, DROP_no_member);
	node_set_link(t.node, 1, true);
	expect_pass(&t, &p);
	node_test_close(&t);
}

Test(drops, a_next_hop_without_a_mac_is_unresolved)
{
	struct node_test t;
	struct packet p = packet_roce(4);

	node_test_open(&t, 128,
		PIPE_HEAD "ports:\n" PIPE_PORT("in", "01") PIPE_PORT("out",
			"02") "groups:\n  - {name: g, members: [{port: out, via: 10.0.0.1}]}\n"
			      "routes:\n  static: [{prefix: 10.2.0.0/16, group: g}]\n");
	expect_pass(&t, &p);
	/* a node that is no replay makes no MAC up */
	t.node->env.replay = false;
	cr_assert_eq(node_set_weights(t.node, 0, (uint32_t[]){1}), 0);
	expect_drop(&t, &p, DROP_unresolved);
	p.ttl = 1;
	expect_punt(&t, &p, PUNT_ttl);
	t.node->env.replay = true;
	node_test_close(&t);
}

/* A port that takes nothing: first its ring fills, then the worker's buffer, then the queue. */
Test(drops, a_full_port_keeps_its_buffer_and_drops_the_rest)
{
	struct node_test t;
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, in, sizeof(in), NULL);
	uint64_t full, sent;

	node_test_open(&t, 256, DROPS_YAML);
	for (unsigned int i = 0; i < 5000; i++) {
		cr_assert(node_test_put(&t, 0, in, len));
		node_test_run(&t);
	}
	full = node_test_drops(&t, DROP_tx_full);
	sent = node_test_sums(&t).out;
	cr_assert_eq(sent, NODE_TEST_DEPTH);
	cr_assert_eq(full, 5000 - sent - WORKER_TX_MAX - EGRESS_PLAIN_PACKETS);
	/* the port takes again: what waited goes first */
	cr_assert_eq(node_test_discard(&t, 1), sent);
	node_test_run(&t);
	node_test_run(&t);
	cr_assert_eq(node_test_discard(&t, 1), WORKER_TX_MAX + EGRESS_PLAIN_PACKETS);
	node_test_balance(&t);
	cr_assert(node_test_put(&t, 0, in, len));
	node_test_run(&t);
	cr_assert_eq(node_test_discard(&t, 1), 1);
	node_test_close(&t);
}

Test(drops, what_waits_at_the_end_is_counted_as_stopped)
{
	struct node_test t;
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, in, sizeof(in), NULL);

	node_test_open(&t, 256, DROPS_YAML);
	for (unsigned int i = 0; i < NODE_TEST_DEPTH + 100; i++) {
		cr_assert(node_test_put(&t, 0, in, len));
		node_test_run(&t);
	}
	node_stop(t.node);
	cr_assert_eq(node_test_drops(&t, DROP_stopped), 100);
	cr_assert_eq(node_test_drops(&t, DROP_tx_full), 0);
	node_test_balance(&t);
	node_test_close(&t);
	/* closing stops again: nothing may be counted twice, which the balance in there would show
	 */
}

Test(drops, a_port_of_single_segments_gets_whole_packets_or_a_drop)
{
	struct node_test t;
	struct packet p = packet_roce(4);
	struct rte_mbuf *m;
	size_t len;

	node_test_open(&t, 128, DROPS_YAML);
	t.node->port[1]->one_segment = true;
	p.payload_len = 1200;
	len = packet_write(&p, in, sizeof(in), NULL);
	m = packet_chain(t.node->pool, in, len, 300);
	cr_assert(node_test_put_mbuf(&t, 0, 0, m));
	node_test_run(&t);
	m = node_test_take_mbuf(&t, 1);
	cr_assert_eq(m->nb_segs, 1);
	cr_assert_eq(m->data_len, len);
	rte_pktmbuf_free(m);
	/* no room in the first segment: it stays in pieces */
	m = packet_chain(t.node->pool, in, len, 600);
	m->data_off = (uint16_t)(m->buf_len - 600);
	cr_assert_eq(m->data_len, 600);
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), in, 600);
	cr_assert(node_test_put_mbuf(&t, 0, 0, m));
	node_test_run(&t);
	cr_assert_null(node_test_take_mbuf(&t, 1));
	cr_assert_eq(node_test_drops(&t, DROP_tx_segments), 1);
	node_test_close(&t);
}

/* All verdicts in one burst: the rest goes on in order, and each exit counts its own. */
Test(drops, a_mixed_burst_is_sorted_out)
{
	struct node_test t;
	struct packet good = packet_roce(4), lost = good, dead = good, ours = good, bad = good;
	unsigned int n = 0;

	node_test_open(&t, 128, DROPS_YAML);
	lost.dst4 = 0xc0000201;
	dead.dst4 = 0x0a030001;
	ours.dst4 = 0x0a010001;
	bad.version = 4;
	for (uint32_t i = 0; i < 640; i++) {
		struct packet *p = (struct packet *[]){&good, &lost, &dead, &ours, &bad}[i % 5];
		struct packet_at at;
		size_t len;

		p->psn = i;
		len = packet_write(p, in, sizeof(in), &at);
		if (p == &bad)
			in[at.l3 + 10] ^= 1;
		cr_assert(node_test_put(&t, 0, in, len));
	}
	node_test_run(&t);
	for (size_t len; (len = node_test_take(&t, 1, out, sizeof(out))) != 0; n++) {
		uint32_t psn = out[51] << 16 | out[52] << 8 | out[53];

		cr_assert_eq(psn, 5 * n, "out of order");
	}
	cr_assert_eq(n, 128);
	cr_assert_eq(node_test_drops(&t, DROP_no_route), 128);
	cr_assert_eq(node_test_drops(&t, DROP_no_member), 128);
	cr_assert_eq(node_test_drops(&t, DROP_ip4_checksum), 128);
	cr_assert_eq(node_test_punts(&t, PUNT_local), 128);
	node_test_close(&t);
}
