/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hostile frames: every length that a frame can be cut to, and frames with random faults, at the
 * edge of a page that must not be touched, against the reference parser.
 */
#include "base/bits.h"
#include "base/rng.h"
#include "frame.h"
#include "parse_model.h"
#include "pcapfile.h"

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
static const struct parse_policy *const policies[] = {&node_policy, &promiscuous_policy};

static void
check_against_model(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(policies); i++) {
		struct parse_model want;
		struct pkt_meta m;
		uint8_t verdict = parse_frame(bytes, len, policies[i], &m);

		assert_verdict(verdict,
			parse_model(bytes, len, mac, policies[i]->promiscuous, &want), "%zu bytes",
			len);
		if (verdict != 0)
			continue;
		bool ip6 = m.flags & PKT_IP6, roce = m.flags & PKT_ROCE;

		cr_assert_eq(l3_offset(&m, len), want.l3);
		cr_assert_eq(m.l3_len, want.l3_len);
		cr_assert_eq(ip6, want.version == 6);
		cr_assert_eq(roce, want.roce);
		cr_assert_eq((m.flags & PKT_FRAGMENT) != 0, want.fragment);
		cr_assert_eq((m.flags & PKT_LINK_SCOPE) != 0, want.link_scope);
		cr_assert(m.tags == want.tags && m.tos == want.tos && m.ttl == want.ttl);
		cr_assert(m.proto == want.proto && m.l4_ports == want.l4_ports);
		cr_assert(ip6 || (m.src == want.src4 && m.dst == want.dst4));
		cr_assert(!roce || (m.opcode == want.opcode && m.dest_qp == want.dest_qp));
	}
}

static const char *const captures[] = {"malformed.pcap", "edge.pcap", "extensions.pcap",
	"fragments.pcap", "mac_control.pcap", "pfc_pause.pcap", "roce_kat.pcap", "sample.pcap",
	"roce_basic.pcap", "rxe_cm_mix_v4_m1024.pcap", "rxe_ud_send_v4_m1024.pcap",
	"rxe_ecn_ce_write_v6.pcap", "quickstart_nsf0.pcap", "checksum_zero.pcap"};

Test(parse_bounds, every_prefix_of_every_captured_frame_gets_a_verdict)
{
	for (size_t c = 0; c < BITS_ARRAY_LEN(captures); c++) {
		struct pcapfile f = pcapfile_load(captures[c]);

		for (size_t i = 0; i < f.n; i++) {
			size_t most = RTE_MIN(f.frame[i].len, (size_t)160);

			for (size_t len = 0; len <= most; len++)
				check_against_model(f.frame[i].bytes, len);
			check_against_model(f.frame[i].bytes, f.frame[i].len);
		}
		pcapfile_free(&f);
	}
}

/* Cut so that the IP packet ends where the frame does: the inner checks are reached, too. */
Test(parse_bounds, every_length_of_the_ip_packet_gets_a_verdict)
{
	for (unsigned int version = 4; version <= 6; version += 2)
		for (unsigned int round = 0; round < 8; round++) {
			struct packet p = packet_roce(version);
			struct packet_at at;
			uint8_t buf[512];

			p.n_tags = round % 3;
			p.tag[0] = p.tag[1] = (struct packet_tag){0x8100, 5};
			p.options_len = (uint8_t)(round * 4);
			p.n_ext = (uint8_t)round;
			for (unsigned int i = 0; i < round; i++)
				p.ext[i] = (struct packet_ext){
					.type = i % 3 == 1 ? 51 : 60, .len = 16};
			p.proto = round == 7 ? 6 : 17;
			packet_write(&p, buf, sizeof(buf), &at);
			for (size_t end = at.l3 + (version == 4 ? 20 : 40); end <= at.l3_end;
				end++) {
				size_t field = end - at.l3 - (version == 4 ? 0 : 40);

				buf[at.l3 + (version == 4 ? 2 : 4)] = (uint8_t)(field >> 8);
				buf[at.l3 + (version == 4 ? 3 : 5)] = (uint8_t)field;
				if (version == 4)
					packet_fix_ip4(buf + at.l3);
				check_against_model(buf, end);
			}
		}
}

static struct packet
random_packet(struct rng *rng)
{
	static const uint8_t exts[] = {0, 43, 44, 51, 60, 135, 139, 140};
	struct packet p = rng_below(rng, 4) == 0 ? packet_udp(rng_below(rng, 2) ? 6 : 4)
						 : packet_roce(rng_below(rng, 2) ? 6 : 4);

	p.n_tags = (uint8_t)rng_below(rng, 4);
	for (unsigned int i = 0; i < p.n_tags; i++)
		p.tag[i] = (struct packet_tag){
			rng_below(rng, 2) ? 0x8100 : 0x88a8, (uint16_t)rng_next(rng)};
	p.options_len = (uint8_t)(4 * rng_below(rng, 11));
	p.n_ext = (uint8_t)(rng_below(rng, 3) == 0 ? rng_below(rng, 11) : 0);
	for (unsigned int i = 0; i < p.n_ext; i++)
		p.ext[i] = (struct packet_ext){.type = exts[rng_below(rng, sizeof(exts))],
			.len = (uint16_t)(rng_below(rng, 4) == 0 ? 8 + 8 * rng_below(rng, 30) : 0)};
	for (unsigned int i = 0; i < p.n_ext; i++)
		if (p.ext[i].type == 44)
			p.ext[i].len = 0;
	p.ip_frag = rng_below(rng, 4) == 0 ? (uint16_t)rng_next(rng) : 0x4000;
	p.proto = rng_below(rng, 8) == 0 ? 6 : 17;
	p.payload_len = (uint32_t)rng_below(rng, 200);
	return p;
}

/* One to four bytes changed, half of them where headers are told apart; the checksum often right.
 */
static void
break_frame(struct rng *rng, uint8_t *buf, const struct packet_at *at)
{
	for (uint64_t n = 1 + rng_below(rng, 4); n > 0; n--) {
		size_t where = rng_below(rng, 2) ? rng_below(rng, at->len)
						 : rng_below(rng, RTE_MIN(at->len, (size_t)80));

		buf[where] = rng_below(rng, 3) == 0
				     ? (uint8_t)rng_next(rng)
				     : (uint8_t)(buf[where] ^ 1u << rng_below(rng, 8));
	}
	if (rng_below(rng, 4) != 0 && (buf[at->l3] & 0xf) >= 5 &&
		at->l3 + (buf[at->l3] & 0xfu) * 4u <= at->len && buf[at->l3] >> 4 == 4)
		packet_fix_ip4(buf + at->l3);
}

Test(parse_bounds, random_faults_get_the_verdict_of_the_reference)
{
	static uint8_t buf[PACKET_MAX];
	struct rng rng;

	rng_init(&rng, 4791);
	for (unsigned int round = 0; round < 60000; round++) {
		struct packet p = random_packet(&rng);
		struct packet_at at;
		size_t len = packet_write(&p, buf, sizeof(buf), &at);

		check_against_model(buf, len);
		break_frame(&rng, buf, &at);
		check_against_model(buf, len);
		check_against_model(buf, rng_below(&rng, len + 1));
	}
}
