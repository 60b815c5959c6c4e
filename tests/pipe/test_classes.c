/* SPDX-License-Identifier: BSD-3-Clause */
/* Which class a packet is counted in, by rule and by the configuration's DSCPs; CE on arrival. */
#include "expect.h"

static uint8_t in[PACKET_MAX], out[PACKET_MAX];

static void
expect_class(struct node_test *t, const struct packet *p, unsigned int want, const char *what)
{
	struct counters before, after;
	size_t len = packet_write(p, in, sizeof(in), NULL), out_len;

	node_counters(t->node, &before, NULL);
	cr_assert_eq(node_test_pass(t, 0, in, len, out, &out_len), 1);
	node_counters(t->node, &after, NULL);
	for (unsigned int k = 0; k < DP_CLASSES; k++) {
		uint64_t n = after.class_[k].packets - before.class_[k].packets;

		cr_assert_eq(n, k == want, "%s v%u: %lu in class %u, want class %u", what,
			p->version, n, k, want);
		cr_assert_eq(after.class_[k].bytes - before.class_[k].bytes, k == want ? len : 0);
	}
}

static struct packet
tcp(unsigned int version, uint16_t sport, uint16_t dport)
{
	struct packet p = packet_udp(version);

	p.proto = 6;
	p.sport = sport;
	p.dport = dport;
	return p;
}

static struct packet
udp(unsigned int version, uint16_t dport)
{
	struct packet p = packet_udp(version);

	p.dport = dport;
	return p;
}

Test(classes, default_rules_tell_data_control_and_routing_apart)
{
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int v = 4; v <= 6; v += 2) {
		struct packet p = packet_roce(v);

		for (unsigned int dscp = 0; dscp < 64; dscp++) {
			p.opcode = 4;
			p.tos = (uint8_t)(dscp << 2);
			expect_class(&t, &p, 3, "RoCE data");
			p.opcode = 0x81;
			expect_class(&t, &p, 6, "a CNP of any DSCP");
		}
		p = packet_udp(v);
		for (unsigned int dscp = 0; dscp < 64; dscp++) {
			p.tos = (uint8_t)(dscp << 2 | 1);
			expect_class(&t, &p, dscp == 48 ? 6 : dscp == 56 ? 7 : 0, "UDP");
		}
		p = tcp(v, 50000, 179);
		expect_class(&t, &p, 7, "BGP to a neighbour");
		p = tcp(v, 179, 50000);
		expect_class(&t, &p, 7, "BGP from a neighbour");
		p = tcp(v, 1790, 178);
		expect_class(&t, &p, 0, "TCP");
		p = udp(v, 3784);
		expect_class(&t, &p, 7, "BFD");
		p = udp(v, 4784);
		expect_class(&t, &p, 7, "multihop BFD");
		p = udp(v, 179);
		expect_class(&t, &p, 0, "UDP 179");
		p = udp(v, 4791); /* too short for a BTH and an ICRC */
		p.payload_len = 15;
		expect_class(&t, &p, 0, "UDP 4791 without a BTH");
		p = tcp(v, 1, 4791);
		expect_class(&t, &p, 0, "TCP 4791");
		p = packet_udp(v);
		p.proto = 89;
		expect_class(&t, &p, 7, "OSPF");
	}
	node_test_close(&t);
}

Test(classes, later_fragments_show_no_ports_and_go_by_dscp)
{
	struct node_test t;
	struct packet p = packet_roce(4);

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	p.tos = 0;
	p.ip_frag = 0x2000;
	expect_class(&t, &p, 0, "a first fragment");
	p.tos = 48 << 2;
	p.ip_frag = 0x0010;
	p.no_l4 = true;
	expect_class(&t, &p, 6, "a later fragment");
	node_test_close(&t);
}

Test(classes, dscps_of_the_configuration_win_over_all_rules_but_the_cnp)
{
	struct node_test t;
	struct packet p;

	node_test_open(&t, 128,
		PIPE_TWO_PORTS
		"classes:\n  - {class: 2, name: lossless, dscp: [24-31, 10]}\n"
		"  - {class: 5, name: high, dscp: [48]}\n  - {class: 1, name: one, dscp: [0]}\n");
	for (unsigned int v = 4; v <= 6; v += 2) {
		p = packet_roce(v);
		expect_class(&t, &p, 2, "RoCE with DSCP 26");
		p.tos = 10 << 2;
		expect_class(&t, &p, 2, "RoCE with DSCP 10");
		p.tos = 32 << 2;
		expect_class(&t, &p, 3, "RoCE with a DSCP that no class names");
		p.tos = 26 << 2;
		p.opcode = 0x81;
		expect_class(&t, &p, 6, "a CNP with RoCE's DSCP");
		p = packet_udp(v);
		expect_class(&t, &p, 1, "DSCP 0");
		p.tos = 48 << 2;
		expect_class(&t, &p, 5, "DSCP 48");
		p.tos = 31 << 2;
		expect_class(&t, &p, 2, "UDP with DSCP 31");
		p.tos = 56 << 2;
		expect_class(&t, &p, 7, "DSCP 56");
		p = tcp(v, 179, 1);
		p.tos = 33 << 2;
		expect_class(&t, &p, 7, "BGP");
	}
	node_test_close(&t);
}

Test(classes, ce_on_arrival_is_counted_and_left_alone)
{
	struct node_test t;
	struct counters sum;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int v = 4; v <= 6; v += 2) {
		for (unsigned int i = 0; i < 40; i++) {
			struct packet p = i % 2 ? packet_roce(v) : packet_udp(v);
			size_t len, out_len;

			p.tos = (uint8_t)(i * 4 | i % 4);
			len = packet_write(&p, in, sizeof(in), NULL);
			cr_assert_eq(node_test_pass(&t, 0, in, len, out, &out_len), 1);
			if (v == 4)
				cr_assert_eq(out[15], p.tos);
		}
	}
	node_counters(t.node, &sum, NULL);
	cr_assert_eq(sum.ce_in, 20);
	cr_assert_eq(sum.ce_marked, 0);
	cr_assert_eq(sum.would_mark_not_ect, 0);
	node_test_close(&t);
}
