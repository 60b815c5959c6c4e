/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv6 extension headers (RFC 8200 section 4): each kind, its length rule, chains and their end. */
#include "base/bits.h"
#include "frame.h"
#include "wire/ip.h"

static const uint8_t by_eights[] = {0, 43, 60, 135, 139, 140};

/* The RoCE packet behind the chain is found, whole. */
static void
check_walked(const struct packet *p, const char *what)
{
	struct pkt_meta m;

	assert_verdict(parse_packet_spec(p, &m), 0, "%s", what);
	cr_assert_eq(m.flags, PKT_IP6 | PKT_ROCE, "%s", what);
	cr_assert_eq(m.proto, 17, "%s", what);
	cr_assert_eq(m.l4_ports, 49152u << 16 | 4791, "%s", what);
	cr_assert_eq(m.dest_qp, p->dest_qp, "%s", what);
}

static void
check_verdict(const struct packet *p, uint8_t want, const char *what)
{
	struct pkt_meta m;

	assert_verdict(parse_packet_spec(p, &m), want, "%s", what);
}

Test(parse_ext, each_header_is_walked_by_its_length_in_eights)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(by_eights); i++)
		for (uint16_t len = 8; len <= 256; len += 8) {
			struct packet p = packet_roce(6);

			p.n_ext = 1;
			p.ext[0] = (struct packet_ext){.type = by_eights[i], .len = len};
			check_walked(&p, "one header");
		}
}

Test(parse_ext, ah_is_walked_by_its_length_in_fours)
{
	for (uint16_t len = 8; len <= 256; len += 4) { /* 12 with no ICV; RFC 4302 2.2 */
		struct packet p = packet_roce(6);

		p.n_ext = 1;
		p.ext[0] = (struct packet_ext){.type = 51, .len = len};
		check_walked(&p, "AH");
	}
}

Test(parse_ext, chains_of_eight_are_walked_and_of_nine_are_not)
{
	for (uint8_t n = 1; n <= 9; n++) {
		struct packet p = packet_roce(6);

		p.n_ext = n;
		for (unsigned int i = 0; i < n; i++)
			p.ext[i] = (struct packet_ext){.type = i == 0  ? 0
							       : i % 2 ? 60
								       : by_eights[i % 6]};
		if (n <= 8)
			check_walked(&p, "chain");
		else
			check_verdict(&p, verdict_drop(DROP_ip6_ext_chain), "nine headers");
	}
}

Test(parse_ext, mixed_chain_with_ah_is_walked)
{
	struct packet p = packet_roce(6);

	p.n_ext = 4;
	p.ext[0] = (struct packet_ext){.type = 0, .len = 16};
	p.ext[1] = (struct packet_ext){.type = 43, .len = 24};
	p.ext[2] = (struct packet_ext){.type = 51, .len = 24};
	p.ext[3] = (struct packet_ext){.type = 60, .len = 8};
	check_walked(&p, "0, 43, 51, 60");
}

Test(parse_ext, fragment_as_ninth_header_is_too_deep)
{
	struct packet p = packet_roce(6);

	for (unsigned int i = 0; i < 8; i++)
		p.ext[i] = (struct packet_ext){.type = 60};
	p.ext[8] = (struct packet_ext){.type = 44, .frag = 1};
	p.n_ext = 9;
	check_verdict(&p, verdict_drop(DROP_ip6_ext_chain), "fragment as ninth");
	p.n_ext = 8;
	p.ext[7] = p.ext[8];
	check_verdict(&p, 0, "fragment as eighth");
}

Test(parse_ext, unknown_next_header_ends_the_walk)
{
	for (unsigned int proto = 1; proto < 256; proto++) {
		struct packet p = packet_udp(6);
		struct pkt_meta m;

		if (proto == 6 || proto == 17 || proto == 43 || proto == 44 || proto == 51 ||
			proto == 60 || proto == 135 || proto == 139 || proto == 140)
			continue;
		p.proto = (uint8_t)proto;
		p.payload_len = proto % 9;
		p.n_ext = proto % 3;
		p.ext[0] = p.ext[1] = (struct packet_ext){.type = 60};
		assert_verdict(parse_packet_spec(&p, &m), 0, "next header %u", proto);
		cr_assert_eq(m.proto, proto);
		cr_assert_eq(m.l4_ports, 0);
		cr_assert_eq(m.flags, PKT_IP6);
	}
}

/* The window is 512 bytes of frame: 498 of packet without tags. UDP and BTH want 20 of it. */
Test(parse_ext, chain_may_fill_the_window_and_not_a_byte_more)
{
	for (uint16_t len = 8; len <= 800; len += 8) {
		struct packet p = packet_roce(6);

		p.n_ext = 1;
		p.ext[0] = (struct packet_ext){.type = 60, .len = len};
		if (40u + len + 20 <= PARSE_WINDOW - 14)
			check_walked(&p, "inside");
		else
			check_verdict(&p, verdict_drop(DROP_ip6_ext_chain), "outside");
	}
}

Test(parse_ext, tags_narrow_the_window)
{
	struct packet p = packet_roce(6);

	p.n_ext = 2;
	p.ext[0] = (struct packet_ext){.type = 60, .len = 360};
	p.ext[1] = (struct packet_ext){.type = 51, .len = 72}; /* UDP at 472: to 492 of 498 */
	check_walked(&p, "no tag");
	p.n_tags = 1;
	p.tag[0] = (struct packet_tag){0x8100, 5};
	check_walked(&p, "one tag: 492 of 494");
	p.n_tags = 2;
	p.tag[1] = p.tag[0];
	check_verdict(&p, verdict_drop(DROP_ip6_ext_chain), "two tags: 492 of 490");
}

Test(parse_ext, short_upper_layer_at_the_end_of_the_window_is_seen)
{
	struct packet p = packet_udp(6);

	p.payload_len = 0;
	p.n_ext = 1;
	p.ext[0] = (struct packet_ext){.type = 60, .len = 448};
	check_verdict(&p, 0, "UDP header at 488 of 498");
	p.ext[0].len = 456;
	check_verdict(&p, verdict_drop(DROP_ip6_ext_chain), "UDP header at 496 of 498");
	p.proto = 59;
	p.ext[0].len = 456;
	check_verdict(&p, 0, "no next header, and the packet ends at 496");
}

Test(parse_ext, every_cut_of_a_chain_has_its_reason)
{
	struct packet p = packet_roce(6);
	struct packet_at at;
	struct pkt_meta m;
	uint8_t buf[512];

	p.n_ext = 4;
	p.ext[0] = (struct packet_ext){.type = 0, .len = 16};
	p.ext[1] = (struct packet_ext){.type = 51, .len = 20};
	p.ext[2] = (struct packet_ext){.type = 43, .len = 8};
	p.ext[3] = (struct packet_ext){.type = 60, .len = 24};
	packet_write(&p, buf, sizeof(buf), &at);
	/* The payload length says where the packet ends; the frame is longer. */
	for (size_t end = at.l3 + 40; end < at.l3_end; end++) {
		uint8_t want = end < at.l4       ? verdict_drop(DROP_ip6_ext_truncated)
			       : end < at.l4 + 8 ? verdict_drop(DROP_l4_truncated)
						 : verdict_drop(DROP_udp_len);

		buf[at.l3 + 4] = 0;
		buf[at.l3 + 5] = (uint8_t)(end - at.l3 - 40);
		assert_verdict(
			parse_frame(buf, at.len, &node_policy, &m), want, "ends at %zu", end);
		assert_verdict(parse_frame(buf, end, &node_policy, &m), want, "cut at %zu", end);
	}
}

Test(parse_ext, cut_fragment_header_is_truncated)
{
	struct packet p = packet_roce(6);
	struct packet_at at;
	struct pkt_meta m;
	uint8_t buf[512];

	p.n_ext = 1;
	p.ext[0] = (struct packet_ext){.type = 44, .frag = 0xfff8};
	p.no_l4 = true;
	packet_write(&p, buf, sizeof(buf), &at);
	for (uint8_t n = 0; n <= 8; n++) {
		buf[at.l3 + 4] = 0;
		buf[at.l3 + 5] = n;
		assert_verdict(parse_frame(buf, at.l3 + 40 + n, &node_policy, &m),
			n < 8 ? verdict_drop(DROP_ip6_ext_truncated) : 0, "%u bytes of header", n);
	}
}
