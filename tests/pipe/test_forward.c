/* SPDX-License-Identifier: BSD-3-Clause */
/* What a forwarded packet looks like: the same but for MACs, TTL and header checksum. */
#include <stdlib.h>

#include "expect.h"

static const uint8_t next_hop[6] = {2, 0xaa, 0, 0, 0, 1}, out_mac[6] = {2, 0, 0, 0, 0, 2};
static uint8_t in[PACKET_MAX], out[PACKET_MAX];

/* Sends one frame through and holds it to what a router may change; returns the length. */
static size_t
pass_and_compare(struct node_test *t, const struct packet *p)
{
	size_t len = packet_write(p, in, sizeof(in), NULL), out_len = 0;

	cr_assert_eq(node_test_pass(t, 0, in, len, out, &out_len), 1, "it does not leave by `out`");
	expect_forwarded(in, next_hop, out_mac);
	expect_same(out, out_len, in, len);
	return out_len;
}

static void
add_tags(struct packet *p, unsigned int n)
{
	p->n_tags = (uint8_t)n;
	p->tag[0] = (struct packet_tag){.tpid = n == 2 ? 0x88a8 : 0x8100, .tci = 0x6064};
	p->tag[1] = (struct packet_tag){.tpid = 0x8100, .tci = 0x0fff};
}

Test(forward, rocev2_leaves_unchanged_but_for_macs_ttl_and_checksum)
{
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int version = 4; version <= 6; version += 2) {
		for (unsigned int tags = 0; tags <= 2; tags++) {
			for (uint32_t len = 0; len < 1100; len += 61) {
				struct packet p = packet_roce(version);

				add_tags(&p, tags);
				p.payload_len = len;
				p.ttl = (uint8_t)(2 + len % 254);
				p.ip_id = (uint16_t)(len * 257);
				p.tos = (uint8_t)len;
				p.flow_label = len * 977;
				p.udp_checksum = len % 2;
				p.opcode = (uint8_t)len;
				p.bth_byte4 = 0xc0;
				p.bth_byte8 = (uint8_t)(len % 4 << 6);
				p.dest_qp = len * 65521;
				p.pad_to = len % 3 == 0 ? 64 + len : 0;
				size_t got = pass_and_compare(&t, &p);

				cr_assert(packet_icrc_ok(out, got), "the ICRC broke");
			}
		}
	}
	node_test_close(&t);
}

Test(forward, a_wrong_icrc_passes_as_it_came)
{
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int version = 4; version <= 6; version += 2) {
		struct packet p = packet_roce(version);
		size_t len;

		p.bad_icrc = true;
		len = pass_and_compare(&t, &p);
		cr_assert_not(packet_icrc_ok(out, len), "a router has no business with ICRCs");
	}
	node_test_close(&t);
}

Test(forward, header_checksums_are_right_for_every_id_and_ttl)
{
	struct node_test t;
	unsigned int zeros = 0;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int id = 0; id < 65536; id++) {
		struct packet p = packet_roce(4);

		p.ip_id = (uint16_t)id;
		p.ttl = (uint8_t)(2 + id % 254);
		p.payload_len = 0;
		pass_and_compare(&t, &p);
		zeros += out[24] == 0 && out[25] == 0;
	}
	cr_assert_gt(zeros, 0, "no packet with a true 0x0000 was tried");
	node_test_close(&t);
}

/* RFC 1624 section 3: equation 2 would make 0xffff of it. */
Test(forward, a_true_zero_checksum_leaves_as_zero_for_every_ttl)
{
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int ttl = 2; ttl < 256; ttl++) {
		struct packet p = packet_udp(4);
		size_t len, out_len;

		/* the ID for which the checksum is 0x0000 after the decrement */
		p.ttl = (uint8_t)(ttl - 1);
		p.ip_id = 0;
		packet_write(&p, in, sizeof(in), NULL);
		p.ip_id = (uint16_t)(in[24] << 8 | in[25]);
		p.ttl = (uint8_t)ttl;
		len = packet_write(&p, in, sizeof(in), NULL);
		cr_assert_eq(node_test_pass(&t, 0, in, len, out, &out_len), 1);
		cr_assert(out[24] == 0 && out[25] == 0, "TTL %u: %02x%02x", ttl, out[24], out[25]);
	}
	node_test_close(&t);
}

Test(forward, options_extension_headers_and_other_protocols_leave_unchanged)
{
	static const uint8_t proto[] = {1, 2, 6, 17, 47, 50, 58, 89, 132, 255};
	static const uint8_t ext[] = {0, 43, 60, 135, 139, 140, 51, 44};
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int i = 0; i < sizeof(proto); i++) {
		struct packet p4 = packet_udp(4), p6 = packet_udp(6);

		p4.proto = p6.proto = proto[i];
		p4.options_len = (uint8_t)(i % 11 * 4);
		pass_and_compare(&t, &p4);
		pass_and_compare(&t, &p6);
	}
	for (unsigned int n = 1; n <= 8; n++) {
		struct packet p = packet_roce(6);

		p.n_ext = (uint8_t)n;
		for (unsigned int i = 0; i < n; i++)
			p.ext[i] = (struct packet_ext){.type = ext[(n + i) % 7], .len = 24};
		pass_and_compare(&t, &p);
	}
	node_test_close(&t);
}

Test(forward, the_same_in_small_segments)
{
	static const size_t seg_len[] = {14, 18, 33, 34, 42, 64, 100, 500};
	struct node_test t;

	node_test_open(&t, 128, PIPE_TWO_PORTS);
	for (unsigned int version = 4; version <= 6; version += 2) {
		for (unsigned int i = 0; i < 8; i++) {
			struct packet p = packet_roce(version);
			size_t len, out_len;
			struct rte_mbuf *m;

			add_tags(&p, i % 3);
			p.payload_len = 1000 + i;
			len = packet_write(&p, in, sizeof(in), NULL);
			m = packet_chain(t.node->pool, in, len, seg_len[i]);
			cr_assert_not_null(m);
			cr_assert(node_test_put_mbuf(&t, 0, 0, m));
			node_test_run(&t);
			out_len = node_test_take(&t, 1, out, sizeof(out));
			expect_forwarded(in, next_hop, out_mac);
			expect_same(out, out_len, in, len);
		}
	}
	node_test_close(&t);
}

/* RFC 8950: an IPv4 route may lead to an IPv6 neighbour. */
Test(forward, next_hops_without_a_mac_get_a_made_up_one_in_a_replay)
{
	struct node_test t;
	struct packet p4 = packet_udp(4), p6 = packet_udp(6);
	size_t len, out_len;

	node_test_open(&t, 128,
		PIPE_HEAD "ports:\n" PIPE_PORT("in", "01") PIPE_PORT("out",
			"02") "groups:\n"
			      "  - {name: a, members: [{port: out, via: 10.9.8.7}]}\n"
			      "  - {name: b, members: [{port: out, via: \"2001:db8::10:203\"}]}\n"
			      "  - {name: c, members: [{port: out, via: 10.9.8.6, mac: "
			      "\"02:cc:00:00:00:01\"}]}\n"
			      "  - {name: d, members: [{port: out, via: 10.9.8.6}]}\n"
			      "routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: b}\n"
			      "    - {prefix: 10.3.0.0/16, group: d}\n"
			      "    - {prefix: \"2001:db8:2::/48\", group: a}\n");
	len = packet_write(&p4, in, sizeof(in), NULL);
	cr_assert_eq(node_test_pass(&t, 0, in, len, out, &out_len), 1);
	cr_assert_arr_eq(out, ((uint8_t[]){2, 6, 0, 0x10, 2, 3}), 6);
	len = packet_write(&p6, in, sizeof(in), NULL);
	cr_assert_eq(node_test_pass(&t, 0, in, len, out, &out_len), 1);
	cr_assert_arr_eq(out, ((uint8_t[]){2, 0, 10, 9, 8, 7}), 6);
	/* the same neighbour in another group has told its MAC */
	p4.dst4 = 0x0a030001;
	len = packet_write(&p4, in, sizeof(in), NULL);
	cr_assert_eq(node_test_pass(&t, 0, in, len, out, &out_len), 1);
	cr_assert_arr_eq(out, ((uint8_t[]){2, 0xcc, 0, 0, 0, 1}), 6);
	node_test_close(&t);
}

Test(forward, the_longest_prefix_decides_and_its_group_sends)
{
	struct node_test t;
	struct packet p = packet_udp(4);
	static const struct {
		uint32_t dst;
		int port;
	} row[] = {{0x0a020001, 1}, {0x0a020101, 2}, {0x0a020102, 3}, {0x0a020201, 1},
		{0x0b000001, 2}};
	size_t len, out_len;

	node_test_open(&t, 128,
		PIPE_HEAD "ports:\n" PIPE_PORT("in", "01") PIPE_PORT("a", "02") PIPE_PORT(
			"b", "03") PIPE_PORT("c",
			"04") "groups:\n"
			      "  - {name: a, members: [{port: a, mac: \"02:aa:00:00:00:01\"}]}\n"
			      "  - {name: b, members: [{port: b, mac: \"02:aa:00:00:00:02\"}]}\n"
			      "  - {name: c, members: [{port: c, mac: \"02:aa:00:00:00:03\"}]}\n"
			      "routes:\n  static:\n    - {prefix: 10.2.0.0/16, group: a}\n"
			      "    - {prefix: 10.2.1.0/24, group: b}\n    - {prefix: 10.2.1.2/32, "
			      "group: c}\n"
			      "    - {prefix: 0.0.0.0/0, group: b}\n");
	for (unsigned int i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		p.dst4 = row[i].dst;
		len = packet_write(&p, in, sizeof(in), NULL);
		cr_assert_eq(node_test_pass(&t, 0, in, len, out, &out_len), row[i].port, "%08x",
			row[i].dst);
	}
	node_test_close(&t);
}
