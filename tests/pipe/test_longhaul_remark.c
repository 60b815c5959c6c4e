/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a mark changes: the ECN bits of an ECN-capable packet and, in IPv4, the header checksum,
 * compared with one that is summed anew. Three copies of each packet come at once to a port that
 * takes one: the first leaves, the second waits, the third finds a backlog and is marked.
 */
#include "longhaul.h"

static uint8_t in[PACKET_MAX], out[PACKET_MAX], want[PACKET_MAX];

static void
open_port(struct node_test *t)
{
	longhaul_open(t, 128,
		&(struct longhaul_conf){
			.out = "rate: 1Mbit, ecn: {kmin: 0B, kmax: 1B, pmax: 100%}"});
}

static void
set_ce(uint8_t *frame)
{
	uint8_t *ip = frame + expect_l3(frame);

	if (ip[0] >> 4 == 6) {
		ip[1] |= 0x30;
		return;
	}
	ip[1] |= 3;
	packet_fix_ip4(ip);
}

static void
expect_next(struct node_test *t, size_t len)
{
	size_t n = 0;

	/* a frame of 1500 bytes takes 12 ms */
	for (unsigned int i = 0; n == 0 && i < 20; i++) {
		n = node_test_take(t, LONGHAUL_OUT, out, sizeof(out));
		if (n == 0)
			node_test_step(t, 5 * LONGHAUL_MS);
	}
	expect_same(out, n, want, len);
}

static void
expect_marked_third(struct node_test *t, const struct packet *p)
{
	size_t len = packet_write(p, in, sizeof(in), NULL);
	uint8_t ecn = p->tos & 3;

	for (unsigned int i = 0; i < 3; i++)
		longhaul_put_frame(t, 0, in, len);
	node_test_step(t, 0);
	memcpy(want, in, len);
	longhaul_forwarded(want);
	expect_next(t, len);
	expect_next(t, len);
	if (ecn == 1 || ecn == 2)
		set_ce(want);
	expect_next(t, len);
	if (p->roce)
		cr_assert(packet_icrc_ok(out, len), "the ICRC is broken");
	/* the bucket is full again */
	node_test_step(t, 20 * LONGHAUL_MS);
}

/* Every DSCP and ECN. */
static void
expect_all_tos(struct node_test *t, struct packet p)
{
	for (unsigned int tos = 0; tos < 256; tos++) {
		p.tos = (uint8_t)tos;
		p.ip_id = (uint16_t)(p.ip_id + 40503);
		expect_marked_third(t, &p);
	}
}

static void
add_tags(struct packet *p, unsigned int n)
{
	p->n_tags = (uint8_t)n;
	p->tag[0] = (struct packet_tag){.tpid = n == 2 ? 0x88a8 : 0x8100, .tci = 0xa064};
	p->tag[1] = (struct packet_tag){.tpid = 0x8100, .tci = 0x0065};
}

static void
expect_family(unsigned int version)
{
	struct counters c;
	struct node_test t;

	open_port(&t);
	for (unsigned int n = 0; n <= 2; n++) {
		struct packet roce = packet_roce(version), udp = packet_udp(version);

		add_tags(&roce, n);
		add_tags(&udp, n);
		roce.udp_checksum = n == 1;
		roce.flow_label = udp.flow_label = 0xfedcb;
		expect_all_tos(&t, roce);
		expect_all_tos(&t, udp);
	}
	c = longhaul_counters(&t);
	cr_assert_eq(c.ce_marked, 6 * 128);
	cr_assert_eq(c.would_mark_not_ect, 6 * 64);
	cr_assert_eq(c.ce_in, 6 * 64 * 3);
	node_test_close(&t);
}

Test(longhaul_remark, ipv4_of_all_codepoints_and_up_to_two_tags)
{
	expect_family(4);
}

Test(longhaul_remark, ipv6_of_all_codepoints_and_up_to_two_tags)
{
	expect_family(6);
}

Test(longhaul_remark, options_extension_headers_padding_and_fragments)
{
	struct node_test t;
	struct packet p = packet_roce(4);

	open_port(&t);
	p.options_len = 40;
	expect_all_tos(&t, p);
	p = packet_udp(4);
	p.payload_len = 3;
	p.pad_to = 60;
	expect_all_tos(&t, p);
	p.ip_frag = 0x2000;
	expect_all_tos(&t, p);
	p = packet_udp(6);
	p.n_ext = 2;
	p.ext[0].type = 0;
	p.ext[1] = (struct packet_ext){.type = 60, .len = 24};
	expect_all_tos(&t, p);
	node_test_close(&t);
}

/* IPv4 and IPv6 in IPv4 and IPv6: the inner header is payload, ECT(0) before and after. */
Test(longhaul_remark, of_a_tunnel_the_outer_header_only)
{
	static uint8_t inner[PACKET_MAX];
	struct node_test t;

	open_port(&t);
	for (unsigned int k = 0; k < 4; k++) {
		struct packet p = packet_udp(k / 2 ? 6 : 4), i = packet_udp(k % 2 ? 6 : 4);
		size_t len;

		i.tos = 2;
		len = packet_write(&i, inner, sizeof(inner), NULL);
		p.proto = k % 2 ? 41 : 4;
		p.payload = inner + 14;
		p.payload_len = (uint32_t)len - 14;
		expect_all_tos(&t, p);
	}
	node_test_close(&t);
}

/* All values that the identification can give the checksum, 0x0000 and 0xffff among them. */
Test(longhaul_remark, every_checksum_is_as_if_summed_anew)
{
	struct packet p = longhaul_udp(60);
	struct node_test t;
	uint8_t *frame = in;
	size_t len;
	bool zero = false;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){
			.out = "rate: 1Gbit, ecn: {kmin: 0B, kmax: 1B, pmax: 100%}"});
	p.tos = 2;
	len = packet_write(&p, frame, sizeof(in), NULL);
	for (uint32_t id = 0; id < 65536 + 400; id += 400) {
		struct rte_mbuf *m;
		uint32_t seen = 0;

		for (uint32_t k = id; k < id + 400; k++) {
			frame[18] = (uint8_t)(k >> 8);
			frame[19] = (uint8_t)k;
			packet_fix_ip4(frame + 14);
			longhaul_put_frame(&t, 0, frame, len);
		}
		node_test_run(&t);
		for (unsigned int i = 0; i < 20; i++)
			node_test_step(&t, 50 * LONGHAUL_US);
		for (; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL; seen++) {
			uint8_t *got = rte_pktmbuf_mtod(m, uint8_t *), sum[2];

			memcpy(sum, got + 24, 2);
			packet_fix_ip4(got + 14);
			cr_assert_arr_eq(sum, got + 24, 2, "%02x%02x, want %02x%02x", sum[0],
				sum[1], got[24], got[25]);
			zero |= (got[15] & 3) == 3 && sum[0] == 0 && sum[1] == 0;
			rte_pktmbuf_free(m);
		}
		cr_assert_eq(seen, 400);
	}
	cr_assert(zero, "no marked packet had checksum 0x0000");
	cr_assert_gt(longhaul_counters(&t).ce_marked, 30000);
	node_test_close(&t);
}
