/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow inside VXLAN: what counts, what does not, and that nothing beyond the packet is read. */
#include "frame.h"
#include "pkt/flow_inl.h"
#include "pkt/inner.h"

#define CRC 0x1234567u

struct tunnel {
	struct packet outer, inner;
	uint8_t flags; /* of the VXLAN header */
	size_t cut;    /* bytes of the inner frame that are left; 0: all */
};

static struct tunnel
tunnel(unsigned int outer, unsigned int inner)
{
	struct tunnel t = {.outer = packet_udp(outer), .inner = packet_roce(inner), .flags = 0x08};

	t.outer.dport = 4789;
	return t;
}

/* The frame ends where nothing may be read. */
static uint32_t
inner_flow(const struct tunnel *t, bool dest_qp)
{
	static uint8_t payload[4096], bytes[8192];
	struct packet p = t->outer;
	struct pkt_meta meta = {0};
	struct rte_mbuf m;
	size_t len, inner_len;
	uint8_t *frame;

	memset(payload, 0, 8);
	payload[0] = t->flags;
	payload[5] = 42; /* the VNI */
	inner_len = packet_write(&t->inner, payload + 8, sizeof(payload) - 8, NULL);
	p.payload = payload;
	p.payload_len = (uint32_t)(8 + (t->cut != 0 ? t->cut : inner_len));
	len = packet_write(&p, bytes, sizeof(bytes), NULL);
	frame = guard_room() + GUARD_ROOM - len;
	memcpy(frame, bytes, len);
	packet_wrap(&m, frame, len);
	cr_assert_eq(pkt_parse(&m, &node_policy, &meta), 0);
	return pkt_inner_flow(&meta, CRC, dest_qp);
}

static uint32_t
roce4(const struct packet *p, bool dest_qp)
{
	uint32_t crc = flow_crc64(CRC, (uint64_t)p->src4 << 32 | p->dst4);

	crc = flow_crc_l4(crc, (uint32_t)p->sport << 16 | p->dport, 17);
	return dest_qp ? flow_crc_qp(crc, p->dest_qp) : crc;
}

Test(inner, addresses_ports_and_the_queue_pair_inside_count)
{
	for (unsigned int outer = 4; outer <= 6; outer += 2) {
		struct tunnel t = tunnel(outer, 4);
		uint32_t first;

		cr_assert_eq(inner_flow(&t, false), roce4(&t.inner, false));
		cr_assert_eq(inner_flow(&t, true), roce4(&t.inner, true));
		t.inner.n_tags = 2;
		t.inner.tag[0] = t.inner.tag[1] = (struct packet_tag){0x8100, 7};
		cr_assert_eq(inner_flow(&t, true), roce4(&t.inner, true), "inner tags");
		t = tunnel(outer, 6);
		first = inner_flow(&t, true);
		cr_assert_neq(first, CRC);
		t.inner.dst6[15]++;
		cr_assert_neq(inner_flow(&t, true), first);
		t.inner.dst6[15]--;
		t.inner.dest_qp++;
		cr_assert_neq(inner_flow(&t, true), first);
		cr_assert_eq(inner_flow(&t, false), (t.inner.dest_qp--, inner_flow(&t, false)));
	}
}

Test(inner, what_is_no_vxlan_keeps_its_flow)
{
	struct tunnel t = tunnel(4, 4);

	t.outer.dport = 4790;
	cr_assert_eq(inner_flow(&t, true), CRC, "another port");
	t = tunnel(4, 4);
	t.outer.proto = 6;
	t.outer.no_l4 = true;
	cr_assert_eq(inner_flow(&t, true), CRC, "another protocol");
	t = tunnel(4, 4);
	t.flags = 0;
	cr_assert_eq(inner_flow(&t, true), CRC, "no valid VNI");
	t = tunnel(4, 4);
	t.outer.ip_frag = 0x2000;
	cr_assert_eq(inner_flow(&t, true), CRC, "a fragment");
	t = tunnel(6, 4);
	t.outer.ext[t.outer.n_ext++] = (struct packet_ext){.type = 60};
	cr_assert_eq(inner_flow(&t, true), CRC, "behind an extension header");
}

Test(inner, what_is_not_ip_inside_counts_by_its_mac_addresses)
{
	struct tunnel t = tunnel(4, 4);
	uint32_t first;

	t.inner.ethertype = 0x0806;
	first = inner_flow(&t, true);
	cr_assert_neq(first, CRC);
	t.inner.dest_qp++;
	cr_assert_eq(inner_flow(&t, true), first);
	t.inner.src_mac[5]++;
	cr_assert_neq(inner_flow(&t, true), first);
}

Test(inner, pieces_of_an_inner_datagram_have_one_flow)
{
	struct tunnel t = tunnel(4, 4);
	uint32_t first;

	t.inner.ip_frag = 0x2000;
	first = inner_flow(&t, true);
	t.inner.no_l4 = true;
	t.inner.ip_frag = 64;
	cr_assert_eq(inner_flow(&t, true), first);
	cr_assert_neq(first, CRC);
}

/* Cut anywhere: nothing faults, and what is not whole adds nothing. */
Test(inner, a_frame_cut_anywhere_is_not_read_beyond_its_end)
{
	for (unsigned int inner = 4; inner <= 6; inner += 2) {
		struct tunnel t = tunnel(4, inner);
		size_t headers = inner == 4 ? 34 : 54;

		for (t.cut = 1; t.cut < headers + 60; t.cut++) {
			uint32_t got = inner_flow(&t, true);

			if (t.cut < headers)
				cr_assert_eq(got, CRC, "cut at %zu", t.cut);
			else
				cr_assert_neq(got, CRC, "cut at %zu", t.cut);
		}
	}
}
