/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parser tells of good packets, field by field. test_parse_verdicts.c has the bad ones. */
#include "base/bits.h"
#include "frame.h"
#include "wire/ip.h"

static const struct packet_tag tags_of[3][2] = {
	{{0}},
	{{0x8100, 0x6064}},
	{{0x88a8, 0x60c8}, {0x8100, 0x6064}},
};

static struct packet
tagged_roce(unsigned int version, unsigned int n_tags)
{
	struct packet p = packet_roce(version);

	p.n_tags = (uint8_t)n_tags;
	memcpy(p.tag, tags_of[n_tags], sizeof(tags_of[n_tags]));
	return p;
}

static void
check_roce(const struct packet *p)
{
	uint8_t buf[512];
	struct packet_at at;
	size_t len = packet_write(p, buf, sizeof(buf), &at);
	struct pkt_meta m;

	cr_assert(packet_icrc_ok(buf, len));
	assert_verdict(parse_frame(buf, len, &node_policy, &m), 0, "RoCE IPv%u, %u tags",
		p->version, p->n_tags);
	cr_assert_eq(l3_offset(&m, len), at.l3);
	cr_assert_eq(m.l3_len, at.l3_end - at.l3);
	cr_assert_eq(m.l4_ports, (uint32_t)p->sport << 16 | 4791);
	cr_assert_eq(m.dest_qp, p->dest_qp);
	cr_assert_eq(m.opcode, p->opcode);
	cr_assert_eq(m.proto, 17);
	cr_assert_eq(m.tos, p->tos);
	cr_assert_eq(m.ttl, p->ttl);
	cr_assert_eq(m.tags, p->n_tags);
	cr_assert_eq(m.flags,
		PKT_ROCE | (p->version == 6 ? PKT_IP6 : 0) | (p->bth_byte8 & 0x40 ? PKT_AR : 0));
	if (p->version == 4) {
		cr_assert_eq(m.src, p->src4);
		cr_assert_eq(m.dst, p->dst4);
	}
}

Test(parse, roce_with_0_to_2_tags_gives_every_field)
{
	for (unsigned int version = 4; version <= 6; version += 2)
		for (unsigned int n_tags = 0; n_tags <= 2; n_tags++) {
			struct packet p = tagged_roce(version, n_tags);

			check_roce(&p);
			p.pad_to = 300;
			check_roce(&p);
		}
}

Test(parse, each_value_of_a_field_comes_through)
{
	for (unsigned int version = 4; version <= 6; version += 2)
		for (unsigned int v = 0; v < 256; v++) {
			struct packet p = tagged_roce(version, v % 3);

			p.tos = (uint8_t)v;
			p.ttl = (uint8_t)(255 - v);
			p.opcode = (uint8_t)(v ^ 0x5a);
			p.flow_label = v << 12 | v;
			p.bth_byte4 = (uint8_t)v;
			p.bth_byte8 = (uint8_t)~v;
			p.sport = (uint16_t)(v << 8 | 0x80);
			p.ip_id = (uint16_t)(v * 257);
			check_roce(&p);
		}
}

Test(parse, each_bit_of_the_queue_pair_and_the_addresses_comes_through)
{
	for (unsigned int bit = 0; bit < 24; bit++)
		for (unsigned int version = 4; version <= 6; version += 2) {
			struct packet p = packet_roce(version);

			p.dest_qp = 1u << bit;
			p.src4 ^= 1u << bit;
			p.dst4 ^= 1u << (23 - bit);
			check_roce(&p);
		}
}

Test(parse, any_tag_protocol_in_any_order_is_walked)
{
	static const uint16_t tpids[] = {0x8100, 0x88a8, 0x9100};

	for (size_t a = 0; a < BITS_ARRAY_LEN(tpids); a++)
		for (size_t b = 0; b < BITS_ARRAY_LEN(tpids); b++) {
			struct packet p = packet_roce(4);

			p.n_tags = 2;
			p.tag[0] = (struct packet_tag){tpids[a], 0xffff};
			p.tag[1] = (struct packet_tag){tpids[b], 0};
			check_roce(&p);
			p.n_tags = 1;
			check_roce(&p);
		}
}

Test(parse, udp_source_port_and_checksum_do_not_decide_what_is_roce)
{
	struct packet p = packet_roce(4);
	struct pkt_meta m;

	p.sport = 0;
	p.udp_checksum = true;
	check_roce(&p);
	p = packet_udp(6);
	p.sport = 4791;
	p.udp_checksum = false;
	assert_verdict(parse_packet_spec(&p, &m), 0, "from 4791");
	cr_assert_eq(m.flags, PKT_IP6);
	cr_assert_eq(m.l4_ports, 4791u << 16 | 6000);
}

Test(parse, roce_begins_where_bth_and_icrc_fit)
{
	for (unsigned int version = 4; version <= 6; version += 2)
		for (unsigned int n = 0; n <= 40; n++) {
			struct packet p = packet_udp(version);
			struct pkt_meta m;

			p.dport = 4791;
			p.payload_len = n;
			p.pad_to = 200; /* padding is no payload */
			assert_verdict(parse_packet_spec(&p, &m), 0, "%u bytes to 4791", n);
			cr_assert_eq((m.flags & PKT_ROCE) != 0, n >= 16, "%u bytes", n);
			cr_assert_eq(m.l4_ports, 5000u << 16 | 4791);
		}
}

Test(parse, udp_shorter_than_the_packet_bounds_roce)
{
	uint8_t buf[512];
	struct packet p = packet_roce(4);
	struct packet_at at;
	struct pkt_meta m;
	size_t len = packet_write(&p, buf, sizeof(buf), &at);

	for (unsigned int udp_len = 8; udp_len <= at.l3_end - at.l4; udp_len++) {
		buf[at.l4 + 4] = 0;
		buf[at.l4 + 5] = (uint8_t)udp_len;
		assert_verdict(parse_frame(buf, len, &node_policy, &m), 0, "UDP of %u", udp_len);
		cr_assert_eq((m.flags & PKT_ROCE) != 0, udp_len >= 24, "UDP of %u", udp_len);
	}
}

Test(parse, tcp_to_4791_is_no_roce)
{
	struct packet p = packet_udp(4);
	struct pkt_meta m;

	p.proto = 6;
	p.dport = 4791;
	assert_verdict(parse_packet_spec(&p, &m), 0, "TCP");
	cr_assert_eq(m.flags, 0);
	cr_assert_eq(m.proto, 6);
	cr_assert_eq(m.l4_ports, 5000u << 16 | 4791);
}

Test(parse, protocols_without_ports_have_none)
{
	for (unsigned int proto = 0; proto < 256; proto++) {
		struct packet p = packet_udp(4);
		struct pkt_meta m;

		if (proto == 6 || proto == 17)
			continue;
		p.proto = (uint8_t)proto;
		p.payload_len = proto % 4; /* as short as they like */
		assert_verdict(parse_packet_spec(&p, &m), 0, "IPv4 protocol %u", proto);
		cr_assert_eq(m.l4_ports, 0);
		cr_assert_eq(m.flags, 0);
		cr_assert_eq(m.proto, proto);
	}
}

Test(parse, options_of_every_length_are_skipped)
{
	for (unsigned int len = 0; len <= 40; len += 4) {
		struct packet p = tagged_roce(4, len % 3);

		p.options_len = (uint8_t)len;
		check_roce(&p);
	}
}

static void
check_fragment(const struct packet *p, uint8_t proto)
{
	struct pkt_meta m;

	assert_verdict(parse_packet_spec(p, &m), 0, "IPv%u fragment", p->version);
	cr_assert_eq(m.flags, PKT_FRAGMENT | (p->version == 6 ? PKT_IP6 : 0));
	cr_assert_eq(m.l4_ports, 0, "pieces without ports must hash as those with");
	cr_assert_eq(m.proto, proto);
}

Test(parse, first_middle_and_last_piece_of_ip4_look_alike)
{
	static const uint16_t frags[] = {0x2000, 0x2001, 0x0001, 0x1fff, 0x3fff};

	for (size_t i = 0; i < BITS_ARRAY_LEN(frags); i++) {
		struct packet p = packet_roce(4);

		p.ip_frag = frags[i];
		p.no_l4 = frags[i] != 0x2000;
		check_fragment(&p, 17);
		p.payload_len = 4; /* less than a UDP header */
		p.no_l4 = true;
		check_fragment(&p, 17);
	}
}

Test(parse, dont_fragment_and_the_reserved_bit_make_no_piece)
{
	static const uint16_t frags[] = {0, 0x4000, 0x8000, 0xc000};

	for (size_t i = 0; i < BITS_ARRAY_LEN(frags); i++) {
		struct packet p = packet_roce(4);

		p.ip_frag = frags[i];
		check_roce(&p);
	}
}

Test(parse, first_middle_last_and_atomic_piece_of_ip6_look_alike)
{
	static const uint16_t frags[] = {0x0001, 0x0009, 0x0008, 0xfff8, 0xfff9, 0};

	for (size_t i = 0; i < BITS_ARRAY_LEN(frags); i++)
		for (unsigned int before = 0; before < 4; before++) {
			struct packet p = packet_roce(6);

			for (unsigned int n = 0; n < before; n++)
				p.ext[n] = (struct packet_ext){.type = n == 0 ? 0 : 60};
			p.ext[before] = (struct packet_ext){.type = 44, .frag = frags[i], .id = 7};
			p.n_ext = (uint8_t)(before + 1);
			p.no_l4 = frags[i] > 1;
			check_fragment(&p, IP_PROTO_FRAGMENT);
			/* Another next header, as RFC 8200 4.5 lets later pieces have, hashes
			 * alike. */
			p.proto = 59;
			p.payload_len = 0;
			check_fragment(&p, IP_PROTO_FRAGMENT);
		}
}

Test(parse, link_scope_is_flagged)
{
	struct packet p = packet_udp(4);
	struct pkt_meta m;

	p.src4 = 0xa9fe0102;
	assert_verdict(parse_packet_spec(&p, &m), 0, "from 169.254.1.2");
	cr_assert_eq(m.flags, PKT_LINK_SCOPE);
	p = packet_udp(4);
	p.dst4 = 0xa9feffff;
	assert_verdict(parse_packet_spec(&p, &m), 0, "to 169.254.255.255");
	cr_assert_eq(m.flags, PKT_LINK_SCOPE);
	p.dst4 = 0xa9ff0000;
	assert_verdict(parse_packet_spec(&p, &m), 0, "to 169.255.0.0");
	cr_assert_eq(m.flags, 0);
	p = packet_udp(6);
	memset(p.src6, 0, 16);
	assert_verdict(parse_packet_spec(&p, &m), 0, "from ::");
	cr_assert_eq(m.flags, PKT_IP6 | PKT_LINK_SCOPE);
	for (unsigned int second = 0; second < 256; second++) {
		p.src6[0] = 0xfe;
		p.src6[1] = (uint8_t)second;
		p.src6[15] = 9;
		assert_verdict(parse_packet_spec(&p, &m), 0, "from fe%02x::9", second);
		cr_assert_eq((m.flags & PKT_LINK_SCOPE) != 0, second >= 0x80 && second < 0xc0);
	}
}

Test(parse, longest_packets_keep_their_length)
{
	struct packet p = packet_udp(4);
	struct pkt_meta m;

	p.payload_len = 65535 - 28;
	assert_verdict(parse_packet_spec(&p, &m), 0, "65535 bytes of IPv4");
	cr_assert_eq(m.l3_len, 65535);
	p = packet_udp(6);
	p.payload_len = 65535 - 48;
	assert_verdict(parse_packet_spec(&p, &m), 0, "65535 bytes of IPv6");
	cr_assert_eq(m.l3_len, 65535);
	/* A payload length counts from behind the header: the longest packet has 65575 bytes. */
	p.payload_len = 65535 - 8;
	assert_verdict(parse_packet_spec(&p, &m), 0, "65575 bytes of IPv6");
	cr_assert_eq(m.l3_len, 65535, "as near as 16 bits go: longer than any MTU");
	cr_assert_eq(m.l4_ports, 5000u << 16 | 6000);
}
