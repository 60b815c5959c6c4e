/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DSCP means what the port that it came in by says, and leaves as the port that it goes out by
 * says. Two ways in, two ways out; all 64 DSCPs and all ECNs, RoCE and UDP, both families.
 */
#include "longhaul.h"

static uint8_t in[PACKET_MAX], out[PACKET_MAX], want[PACKET_MAX];

/* Ports in0, in1, out0, out1: 0-3. To out0 10.2/16 and 2001:db8:2::/48, the rest to out1. */
static void
open_ports(struct node_test *t, const char *more)
{
	node_test_open(t, 128,
		PIPE_HEAD
		"ports:\n"
		"  - {name: in0, device: a, role: nsf, mac: \"02:00:00:00:00:01\", dscp_map: ["
		"{dscp: [0-7], class: 5}, {dscp: 26, class: 2}]}\n"
		"  - {name: in1, device: b, role: nsf, promiscuous: true, dscp_map: ["
		"{dscp: [0-31], class: 1}, {dscp: [48, 56], class: 4}]}\n"
		"  - {name: out0, device: c, role: longhaul, mac: \"02:00:00:00:00:02\", "
		"dscp_rewrite: [{dscp: [0-3], to: 63}, {dscp: 26, to: 10}, {dscp: [48-63], to: 0}]"
		"%s}\n"
		"  - {name: out1, device: d, role: longhaul, mac: \"02:00:00:00:00:04\"}\n"
		"classes:\n  - {class: 2, name: c2, dscp: [40]}\n"
		"groups:\n"
		"  - {name: g0, members: [{port: out0, mac: \"02:aa:00:00:00:01\"}]}\n"
		"  - {name: g1, members: [{port: out1, mac: \"02:aa:00:00:00:01\"}]}\n"
		"routes:\n  static: [{prefix: 10.2.0.0/16, group: g0}, {prefix: "
		"\"2001:db8:2::/48\", "
		"group: g0}, {prefix: 0.0.0.0/0, group: g1}, {prefix: \"::/0\", group: g1}]\n",
		more);
}

static unsigned int
class_of(unsigned int port, unsigned int dscp, const struct packet *p)
{
	if (p->roce && p->opcode == 0x81)
		return 6; /* a CNP whatever its NIC gave it */
	if (port == 0 && dscp <= 7)
		return 5;
	if (port == 0 && dscp == 26)
		return 2;
	if (port == 1 && dscp <= 31)
		return 1;
	if (port == 1 && (dscp == 48 || dscp == 56))
		return 4;
	if (dscp == 40)
		return 2; /* the node's classes */
	if (p->roce)
		return 3;
	return dscp == 48 ? 6 : dscp == 56 ? 7 : 0;
}

static unsigned int
leaves_as(unsigned int port, unsigned int dscp)
{
	if (port != 2)
		return dscp;
	return dscp <= 3 ? 63 : dscp == 26 ? 10 : dscp >= 48 ? 0 : dscp;
}

static void
set_tos(uint8_t *frame, unsigned int tos)
{
	uint8_t *ip = frame + expect_l3(frame);

	if (ip[0] >> 4 == 4) {
		ip[1] = (uint8_t)tos;
		packet_fix_ip4(ip);
		return;
	}
	ip[0] = (uint8_t)(0x60 | tos >> 4);
	ip[1] = (uint8_t)((tos & 15) << 4 | (ip[1] & 15));
}

static void
expect_pass(struct node_test *t, struct packet *p, unsigned int in_port, unsigned int tos)
{
	struct counters before = longhaul_counters(t), after;
	unsigned int class = class_of(in_port, tos >> 2, p);
	unsigned int out_port = p->dst4 >> 16 == 0x0a02 ? 2 : 3;
	size_t len, got;

	p->tos = (uint8_t)tos;
	len = packet_write(p, in, sizeof(in), NULL);
	memcpy(want, in, len);
	longhaul_forwarded(want);
	want[11] = out_port == 2 ? 2 : 4; /* the port's own MAC */
	set_tos(want, leaves_as(out_port, tos >> 2) << 2 | (tos & 3));
	cr_assert_eq(node_test_pass(t, (uint16_t)in_port, in, len, out, &got), (int)out_port);
	expect_same(out, got, want, len);
	if (p->roce)
		cr_assert(packet_icrc_ok(out, got));
	after = longhaul_counters(t);
	cr_assert_eq(after.class_[class].packets, before.class_[class].packets + 1,
		"port %u, TOS %02x is not in class %u", in_port, tos, class);
}

static void
expect_all(struct node_test *t, struct packet p)
{
	for (unsigned int way = 0; way < 4; way++) {
		if (way / 2 == 1) {
			p.dst4 = 0x0a030001;
			p.dst6[5] = 3;
		}
		for (unsigned int tos = 0; tos < 256; tos++)
			expect_pass(t, &p, way % 2, tos);
	}
}

Test(longhaul_dscp, is_mapped_by_the_way_in_and_rewritten_by_the_way_out)
{
	struct node_test t;

	open_ports(&t, "");
	for (unsigned int version = 4; version <= 6; version += 2) {
		struct packet p = packet_roce(version);

		expect_all(&t, p);
		p.opcode = 0x81;
		expect_all(&t, p);
		p = packet_udp(version);
		p.n_tags = 2;
		p.tag[0] = (struct packet_tag){.tpid = 0x88a8, .tci = 5};
		p.tag[1] = (struct packet_tag){.tpid = 0x8100, .tci = 6};
		expect_all(&t, p);
	}
	node_test_close(&t);
}

/* The mark comes first, and the new DSCP leaves it alone. */
Test(longhaul_dscp, is_rewritten_in_marked_packets_too)
{
	struct node_test t;
	struct packet p = longhaul_udp(60);
	size_t len = 0;

	open_ports(&t, ", rate: 1Mbit, ecn: {kmin: 0B, kmax: 1B, pmax: 100%}");
	p.dst4 = 0x0a020001;
	p.tos = 2; /* DSCP 0 */
	for (unsigned int i = 0; i < 10; i++) {
		len = packet_write(&p, in, sizeof(in), NULL);
		cr_assert(node_test_put(&t, 0, in, len));
	}
	node_test_run(&t);
	memcpy(want, in, len);
	longhaul_forwarded(want);
	for (unsigned int n = 0; n < 10;) {
		size_t got = node_test_take(&t, 2, out, sizeof(out));

		if (got == 0) {
			node_test_step(&t, 100 * LONGHAUL_US);
			continue;
		}
		/* the first found the port idle, the second an empty queue */
		set_tos(want, 63 << 2 | (n++ < 2 ? 2 : 3));
		expect_same(out, got, want, len);
	}
	cr_assert_eq(longhaul_counters(&t).ce_marked, 8);
	node_test_close(&t);
}
