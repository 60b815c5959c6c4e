/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of packets that do not go on, one fault each: every drop reason and punt kind that the
 * parser can give is in it, and the last test says so. `goes on` rows stand beside a fault as its
 * edge.
 */
#include "base/bits.h"
#include "frame.h"
#include "pcapfile.h"

#define DROP(reason) DROP_##reason
#define PUNT(kind)   (VERDICT_PUNT + PUNT_##kind)

/* Where a patch or a cut counts from. */
enum from { NOWHERE, FRAME, L3, L4 };

struct patch {
	enum from from;
	uint8_t off;
	uint16_t value; /* 16 bits, network order */
};

struct row {
	uint8_t want;
	uint8_t version; /* 4 or 6: a RoCE packet to the node; 0: the same as 4, of EtherType `type`
			  */
	uint16_t type;
	const char *text;
	struct patch patch[5];
	enum from cut; /* the frame ends `cut_at` bytes from there */
	uint8_t cut_at;
	bool fix; /* the IPv4 checksum is made right after the patches */
	bool promiscuous;
};

#define PFC_TO                                                                                     \
	{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200},                                                    \
	{                                                                                          \
		FRAME, 4, 0x0001                                                                   \
	}

static const struct row rows[] = {
	/* Ethernet */
	{DROP(runt), 4, 0, "no byte", .cut = FRAME, .cut_at = 0},
	{DROP(runt), 4, 0, "13 bytes", .cut = FRAME, .cut_at = 13},
	{DROP(ip4_truncated), 4, 0, "14 bytes are no runt", .cut = FRAME, .cut_at = 14},
	{DROP(src_mac_multicast), 4, 0, "source with the group bit", .patch = {{FRAME, 6, 0x0300}}},
	{DROP(src_mac_multicast), 6, 0, "broadcast source",
		.patch = {{FRAME, 6, 0xffff}, {FRAME, 8, 0xffff}, {FRAME, 10, 0xffff}}},
	{DROP(dst_mac_other), 4, 0, "last bit of our MAC", .patch = {{FRAME, 4, 0x0000}}},
	{DROP(dst_mac_other), 6, 0, "first bit of our MAC", .patch = {{FRAME, 0, 0x0600}}},
	{0, 4, 0, "another MAC, promiscuous", .patch = {{FRAME, 0, 0x0600}}, .promiscuous = true},
	{DROP(l2_multicast), 4, 0, "unicast in a broadcast",
		.patch = {{FRAME, 0, 0xffff}, {FRAME, 2, 0xffff}, {FRAME, 4, 0xffff}}},
	{DROP(l2_multicast), 6, 0, "unicast in a multicast",
		.patch = {{FRAME, 0, 0x3333}, {FRAME, 2, 0}, {FRAME, 4, 1}}},
	{DROP(ip4_truncated), 4, 0, "19 bytes of IPv4 in a broadcast",
		.patch = {{FRAME, 0, 0xffff}, {FRAME, 2, 0xffff}, {FRAME, 4, 0xffff}}, .cut = L3,
		.cut_at = 19},
	{DROP(ip6_truncated), 6, 0, "39 bytes of IPv6 in a broadcast",
		.patch = {{FRAME, 0, 0xffff}, {FRAME, 2, 0xffff}, {FRAME, 4, 0xffff}}, .cut = L3,
		.cut_at = 39},
	{DROP(ethertype), 0, 0x8847, .text = "MPLS"},
	{DROP(ethertype), 0, 0x88b5, .text = "local experimental"},
	{DROP(ethertype), 0, 0x0026, .text = "a length, and LLC"},
	{DROP(ethertype), 0, 0x8915, .text = "RoCEv1"},
	{DROP(ethertype), 0, 0x8809, .text = "slow protocols to our own MAC"},
	{DROP(vlan_truncated), 0, 0x8100, "ends behind the tag protocol", .cut = FRAME,
		.cut_at = 14},
	{DROP(vlan_truncated), 0, 0x88a8, "ends inside the tag", .cut = FRAME, .cut_at = 17},
	{DROP(vlan_truncated), 0, 0x9100, "ends inside the second tag",
		.patch = {{FRAME, 16, 0x8100}}, .cut = FRAME, .cut_at = 21},
	{DROP(vlan_depth), 0, 0x8100, "three tags",
		.patch = {{FRAME, 16, 0x8100}, {FRAME, 20, 0x8100}}},
	{DROP(vlan_depth), 0, 0x88a8, "three tags, and the frame ends",
		.patch = {{FRAME, 16, 0x9100}, {FRAME, 20, 0x88a8}}, .cut = FRAME, .cut_at = 22},
	/* MAC control and bridges' own addresses: 0x8808 whatever its address and its tags */
	{DROP(mac_control), 0, 0x8808, .text = "to our own MAC"},
	{DROP(mac_control), 0, 0x8808, "to another MAC", .patch = {{FRAME, 0, 0x0600}}},
	{DROP(mac_control), 0, 0x8808, "PFC's address",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x0001}}},
	{DROP(mac_control), 0, 0x8808, "nothing behind the EtherType", .cut = FRAME, .cut_at = 14},
	{DROP(mac_control), 0, 0x8100, "one tag", .patch = {{FRAME, 16, 0x8808}}},
	{DROP(mac_control), 0, 0x88a8, "two tags",
		.patch = {{FRAME, 16, 0x8100}, {FRAME, 20, 0x8808}}},
	{DROP(mac_control), 0, 0x8808, "promiscuous", .patch = {{FRAME, 0, 0x0600}},
		.promiscuous = true},
	{DROP(mac_control), 0, 0x8808, "from a group address", .patch = {{FRAME, 6, 0xffff}}},
	/* a whole priority pause frame, and its edges; 88 bytes follow the Ethernet header */
	{DROP(pfc), 0, 0x8808, "PFC", .patch = {PFC_TO, {FRAME, 14, 0x0101}}},
	{DROP(pfc), 0, 0x8808, "PFC, promiscuous", .patch = {PFC_TO, {FRAME, 14, 0x0101}},
		.promiscuous = true},
	{DROP(pfc), 0, 0x8808, "34 bytes of PFC", .patch = {PFC_TO, {FRAME, 14, 0x0101}},
		.cut = FRAME, .cut_at = 34},
	{DROP(mac_control), 0, 0x8808, "33 bytes of PFC", .patch = {PFC_TO, {FRAME, 14, 0x0101}},
		.cut = FRAME, .cut_at = 33},
	{DROP(mac_control), 0, 0x8808, "PFC to our own MAC", .patch = {{FRAME, 14, 0x0101}}},
	{DROP(mac_control), 0, 0x8808, "PFC from a group address",
		.patch = {PFC_TO, {FRAME, 14, 0x0101}, {FRAME, 6, 0x0300}}},
	{DROP(mac_control), 0, 0x8808, "PAUSE", .patch = {PFC_TO, {FRAME, 14, 0x0001}}},
	{DROP(mac_control), 0, 0x8100, "PFC with a tag",
		.patch = {PFC_TO, {FRAME, 16, 0x8808}, {FRAME, 18, 0x0101}}},
	{DROP(link_local_mac), 4, 0, "IP to 01:80:c2:00:00:00",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x0000}}},
	{DROP(link_local_mac), 6, 0, "IP to 01:80:c2:00:00:0f, promiscuous",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x000f}},
		.promiscuous = true},
	{DROP(l2_multicast), 4, 0, "IP to 01:80:c2:00:00:10, their neighbour",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x0010}}},
	{PUNT(lldp), 0, 0x88cc, "LLDP, nearest bridge",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x000e}}},
	{PUNT(lldp), 0, 0x88cc, .text = "LLDP to our own MAC"},
	{PUNT(lldp), 0, 0x8100, "LLDP with a tag",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x0003},
			{FRAME, 16, 0x88cc}}},
	{PUNT(slow), 0, 0x8809, "LACP",
		.patch = {{FRAME, 0, 0x0180}, {FRAME, 2, 0xc200}, {FRAME, 4, 0x0002}}},
	{PUNT(arp), 0, 0x0806, .text = "ARP to our MAC"},
	{PUNT(arp), 0, 0x0806, "ARP broadcast",
		.patch = {{FRAME, 0, 0xffff}, {FRAME, 2, 0xffff}, {FRAME, 4, 0xffff}}},
	{DROP(dst_mac_other), 0, 0x0806, "ARP to another MAC", .patch = {{FRAME, 0, 0x0600}}},
	{PUNT(arp), 0, 0x0806, "ARP to another MAC, promiscuous", .patch = {{FRAME, 0, 0x0600}},
		.promiscuous = true},
	/* IPv4 */
	{DROP(ip4_truncated), 4, 0, "19 bytes", .cut = L3, .cut_at = 19},
	{DROP(ip4_version), 4, 0, "version 6", .patch = {{L3, 0, 0x6500}}, .fix = true},
	{DROP(ip4_version), 4, 0, "version 0", .patch = {{L3, 0, 0x0500}}, .fix = true},
	{DROP(ip4_header_len), 4, 0, "IHL 4", .patch = {{L3, 0, 0x4400}}},
	{DROP(ip4_header_len), 4, 0, "IHL 0", .patch = {{L3, 0, 0x4000}}},
	{DROP(ip4_header_len), 4, 0, "IHL 15 and 59 bytes", .patch = {{L3, 0, 0x4f00}}, .cut = L3,
		.cut_at = 59},
	{DROP(ip4_total_len), 4, 0, "total length 0", .patch = {{L3, 2, 0}}, .fix = true},
	{DROP(ip4_total_len), 4, 0, "total length 19", .patch = {{L3, 2, 19}}, .fix = true},
	{DROP(ip4_total_len), 4, 0, "total length below the IHL",
		.patch = {{L3, 0, 0x4600}, {L3, 2, 23}}, .fix = true},
	{DROP(ip4_total_len), 4, 0, "total length 65535", .patch = {{L3, 2, 0xffff}}, .fix = true},
	{DROP(ip4_total_len), 4, 0, "one byte beyond the frame", .cut = L4, .cut_at = 87},
	{DROP(ip4_checksum), 4, 0, "zero", .patch = {{L3, 10, 0}}},
	{DROP(ip4_checksum), 4, 0, "a changed TTL", .patch = {{L3, 8, 0x3f11}}},
	{DROP(src_multicast), 4, 0, "from 224.0.0.0", .patch = {{L3, 12, 0xe000}, {L3, 14, 0}},
		.fix = true},
	{DROP(src_multicast), 4, 0, "from 239.255.255.255",
		.patch = {{L3, 12, 0xefff}, {L3, 14, 0xffff}}, .fix = true},
	{DROP(src_multicast), 4, 0, "from 255.255.255.255",
		.patch = {{L3, 12, 0xffff}, {L3, 14, 0xffff}}, .fix = true},
	{0, 4, 0, "from 223.255.255.255", .patch = {{L3, 12, 0xdfff}, {L3, 14, 0xffff}},
		.fix = true},
	{0, 4, 0, "from 240.0.0.1", .patch = {{L3, 12, 0xf000}, {L3, 14, 1}}, .fix = true},
	{DROP(martian), 4, 0, "from 0.0.0.0", .patch = {{L3, 12, 0}, {L3, 14, 0}}, .fix = true},
	{DROP(martian), 4, 0, "from 127.255.255.255", .patch = {{L3, 12, 0x7fff}, {L3, 14, 0xffff}},
		.fix = true},
	{DROP(martian), 4, 0, "to 0.1.2.3", .patch = {{L3, 16, 0x0001}, {L3, 18, 0x0203}},
		.fix = true},
	{DROP(martian), 4, 0, "to 127.0.0.1", .patch = {{L3, 16, 0x7f00}, {L3, 18, 1}},
		.fix = true},
	{DROP(multicast), 4, 0, "to 224.0.1.0", .patch = {{L3, 16, 0xe000}, {L3, 18, 0x0100}},
		.fix = true},
	{DROP(multicast), 4, 0, "to 239.255.255.255", .patch = {{L3, 16, 0xefff}, {L3, 18, 0xffff}},
		.fix = true},
	{DROP(multicast), 4, 0, "to 239.1.1.1 in a multicast frame",
		.patch = {{FRAME, 0, 0x0100}, {FRAME, 2, 0x5e01}, {FRAME, 4, 0x0101},
			{L3, 16, 0xef01}, {L3, 18, 0x0101}},
		.fix = true},
	{PUNT(link_local), 4, 0, "to 224.0.0.5", .patch = {{L3, 16, 0xe000}, {L3, 18, 5}},
		.fix = true},
	{PUNT(link_local), 4, 0, "to 224.0.0.255", .patch = {{L3, 16, 0xe000}, {L3, 18, 255}},
		.fix = true},
	{PUNT(link_local), 4, 0, "DHCP: 0.0.0.0 to 255.255.255.255",
		.patch = {{L3, 12, 0}, {L3, 14, 0}, {L3, 16, 0xffff}, {L3, 18, 0xffff}},
		.fix = true},
	{0, 4, 0, "to 255.255.255.254: the route decides",
		.patch = {{L3, 16, 0xffff}, {L3, 18, 0xfffe}}, .fix = true},
	{0, 4, 0, "TTL 0: a later stage", .patch = {{L3, 8, 0x0011}}, .fix = true},
	/* IPv6 */
	{DROP(ip6_truncated), 6, 0, "39 bytes", .cut = L3, .cut_at = 39},
	{DROP(ip6_truncated), 6, 0, "no byte", .cut = L3, .cut_at = 0},
	{DROP(ip6_version), 6, 0, "version 4", .patch = {{L3, 0, 0x4500}}},
	{DROP(ip6_version), 6, 0, "version 7", .patch = {{L3, 0, 0x7000}}},
	{DROP(ip6_payload_len), 6, 0, "65535", .patch = {{L3, 4, 0xffff}}},
	{DROP(ip6_payload_len), 6, 0, "one byte beyond the frame", .cut = L4, .cut_at = 87},
	{DROP(ip6_ext_truncated), 6, 0, "hop-by-hop, and the packet ends",
		.patch = {{L3, 4, 0}, {L3, 6, 0x0040}}},
	{DROP(ip6_ext_truncated), 6, 0, "routing header longer than the packet",
		.patch = {{L3, 6, 43 << 8 | 64}, {L4, 0, 0x11ff}}},
	{DROP(ip6_ext_truncated), 6, 0, "AH longer than the packet",
		.patch = {{L3, 6, 51 << 8 | 64},
			{L4, 0, 0x1115}}}, /* 92 bytes, the packet has 88 */
	{DROP(ip6_ext_chain), 6, 0, "eleven destination options headers",
		.patch = {{L3, 6, 60 << 8 | 64}}}, /* see shape() */
	{DROP(src_multicast), 6, 0, "from ff02::", .patch = {{L3, 8, 0xff02}}},
	{DROP(martian), 6, 0,
		"to ::", .patch = {{L3, 24, 0}, {L3, 26, 0}, {L3, 28, 0}, {L3, 38, 0}}},
	{DROP(martian), 6, 0, "to ::1", .patch = {{L3, 24, 0}, {L3, 26, 0}, {L3, 28, 0}}},
	{DROP(martian), 6, 0, "from ::1", .patch = {{L3, 8, 0}, {L3, 10, 0}, {L3, 12, 0}}},
	{0, 6, 0, "from ::2", .patch = {{L3, 8, 0}, {L3, 10, 0}, {L3, 12, 0}, {L3, 22, 2}}},
	{0, 6, 0, "to ::1:0:0:0:1", .patch = {{L3, 24, 0}, {L3, 26, 0}, {L3, 28, 0}, {L3, 30, 1}}},
	{DROP(multicast), 6, 0, "to ff03::", .patch = {{L3, 24, 0xff03}}},
	{DROP(multicast), 6, 0, "to ff0e::", .patch = {{L3, 24, 0xff0e}}},
	{DROP(multicast), 6, 0, "to ff35::, flags count not", .patch = {{L3, 24, 0xff35}}},
	{PUNT(link_local), 6, 0, "to ff02::", .patch = {{L3, 24, 0xff02}}},
	{PUNT(link_local), 6, 0, "to ff01::", .patch = {{L3, 24, 0xff01}}},
	{PUNT(link_local), 6, 0, "to ff12::", .patch = {{L3, 24, 0xff12}}},
	{PUNT(link_local), 6, 0, "to fe80::", .patch = {{L3, 24, 0xfe80}}},
	{PUNT(link_local), 6, 0, "to febf::", .patch = {{L3, 24, 0xfebf}}},
	{0, 6, 0, "to fe7f::", .patch = {{L3, 24, 0xfe7f}}},
	{0, 6, 0, "to fec0::", .patch = {{L3, 24, 0xfec0}}},
	{0, 6, 0, "to fd00::", .patch = {{L3, 24, 0xfd00}}},
	/* UDP and TCP */
	{DROP(l4_truncated), 4, 0, "UDP of 7 bytes", .patch = {{L3, 2, 27}}, .fix = true},
	{DROP(l4_truncated), 4, 0, "UDP of none", .patch = {{L3, 2, 20}}, .fix = true},
	{DROP(l4_truncated), 6, 0, "UDP of 7 bytes", .patch = {{L3, 4, 7}}},
	{DROP(l4_truncated), 4, 0, "TCP of 19 bytes", .patch = {{L3, 2, 39}, {L3, 8, 0x4006}},
		.fix = true},
	{0, 4, 0, "TCP of 20 bytes", .patch = {{L3, 2, 40}, {L3, 8, 0x4006}}, .fix = true},
	{DROP(l4_truncated), 6, 0, "TCP of 19 bytes", .patch = {{L3, 4, 19}, {L3, 6, 0x0640}}},
	{DROP(udp_len), 4, 0, "7", .patch = {{L4, 4, 7}}},
	{DROP(udp_len), 6, 0, "0: no jumbograms here", .patch = {{L4, 4, 0}}},
	{DROP(udp_len), 4, 0, "one byte beyond the packet", .patch = {{L4, 4, 89}}},
	{DROP(udp_len), 6, 0, "65535", .patch = {{L4, 4, 0xffff}}},
	{0, 6, 0, "8", .patch = {{L4, 4, 8}}},
};

/* A chain of any depth in 88 bytes of upper layer: each header is 8 bytes of destination options.
 */
static void
shape(const struct row *r, uint8_t *buf, const struct packet_at *at)
{
	if (r->want != DROP(ip6_ext_chain))
		return;
	for (size_t i = at->l4; i < at->l3_end; i += 8) {
		buf[i] = 60;
		buf[i + 1] = 0;
	}
}

/* The row's packet behind `n_tags` tags more than it has of itself. */
static uint8_t
run_row(const struct row *r, uint8_t n_tags)
{
	static uint8_t buf[1024];
	struct packet p = packet_roce(r->version == 6 ? 6 : 4);
	struct packet_at at;
	struct pkt_meta m;
	size_t len;

	p.ethertype = r->type;
	p.n_tags = n_tags;
	p.tag[0] = p.tag[1] = (struct packet_tag){0x8100, 7};
	len = packet_write(&p, buf, sizeof(buf), &at);
	size_t from[] = {[FRAME] = 0, [L3] = at.l3, [L4] = at.l4};

	for (size_t i = 0; i < BITS_ARRAY_LEN(r->patch) && r->patch[i].from != NOWHERE; i++) {
		uint8_t *to = buf + from[r->patch[i].from] + r->patch[i].off;

		to[0] = (uint8_t)(r->patch[i].value >> 8);
		to[1] = (uint8_t)r->patch[i].value;
	}
	shape(r, buf, &at);
	if (r->fix)
		packet_fix_ip4(buf + at.l3);
	if (r->cut != NOWHERE)
		len = from[r->cut] + r->cut_at;
	return parse_frame(buf, len, r->promiscuous ? &promiscuous_policy : &node_policy, &m);
}

Test(parse_verdicts, each_fault_has_its_own)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(rows); i++)
		assert_verdict(run_row(&rows[i], 0), rows[i].want, "row %zu, %s", i, rows[i].text);
}

Test(parse_verdicts, tags_change_no_verdict)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];

		if (r->version == 0 || r->cut == FRAME) /* a fault of the Ethernet header itself */
			continue;
		for (uint8_t n = 1; n <= 2; n++)
			assert_verdict(
				run_row(r, n), r->want, "row %zu, %s, %u tags", i, r->text, n);
	}
}

/* Two segments, and the first has no room to take of the second. */
static uint8_t
parse_without_room(void)
{
	static uint8_t buf[512];
	struct packet p = packet_roce(4);
	size_t len = packet_write(&p, buf, sizeof(buf), NULL);
	struct rte_mbuf m[2];
	struct pkt_meta meta;

	packet_wrap(&m[0], buf, 20);
	packet_wrap(&m[1], buf + 20, len - 20);
	m[0].next = &m[1];
	m[0].nb_segs = 2;
	m[0].pkt_len = (uint32_t)len;
	return pkt_parse(&m[0], &node_policy, &meta);
}

Test(parse_verdicts, headers_that_cannot_be_joined_are_told_apart)
{
	assert_verdict(parse_without_room(), DROP(segments), "no room");
}

/* The parser's reasons are those down to `segments`; its punts those that need no route. */
Test(parse_verdicts, none_that_the_parser_can_give_is_left_untested)
{
	bool seen[256] = {false};

	for (size_t i = 0; i < BITS_ARRAY_LEN(rows); i++)
		seen[run_row(&rows[i], 0)] = true;
	seen[parse_without_room()] = true;
	for (uint8_t reason = DROP_NONE + 1; reason < DROP_N; reason++)
		cr_assert_eq(seen[reason], reason <= DROP_segments, "%s: %s", drop_name(reason),
			seen[reason] ? "is not the parser's to give" : "no row gives it");
	for (uint8_t kind = PUNT_NONE + 1; kind < PUNT_N; kind++)
		cr_assert_eq(seen[VERDICT_PUNT + kind], kind != PUNT_local && kind != PUNT_ttl,
			"%s", punt_name(kind));
}

static uint8_t
reason_named(const char *name)
{
	for (uint8_t reason = DROP_NONE + 1; reason < DROP_N; reason++)
		if (strcmp(drop_name(reason), name) == 0)
			return reason;
	cr_assert_fail("there is no reason %s", name);
	return 0;
}

/* Faults that later stages see are no concern of the parser's: the packet goes on. */
Test(parse_verdicts, malformed_capture_gets_the_reasons_written_beside_it)
{
	struct pcapfile f = pcapfile_load("malformed.pcap");
	char path[4096], name[64];
	unsigned int number, n = 0;
	FILE *expect;

	pcapfile_path("malformed.expect.txt", path, sizeof(path));
	expect = fopen(path, "r");
	cr_assert_not_null(expect, "%s", path);
	while (fscanf(expect, "%u %63s%*[^\n]", &number, name) == 2) {
		uint8_t want = reason_named(name);
		struct pkt_meta m;

		n++;
		cr_assert(number == n && number <= f.n, "frame %u in line %u", number, n);
		assert_verdict(
			parse_frame(f.frame[n - 1].bytes, f.frame[n - 1].len, &node_policy, &m),
			want <= DROP_segments ? want : 0, "frame %u", n);
	}
	cr_assert_eq(n, f.n, "each frame has a line");
	fclose(expect);
	pcapfile_free(&f);
}
