/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser itself, inline so that a stage's loop has no call per packet. pkt_parse() in parse.c
 * is the same code behind a function, for tests and fuzzing. One function a header, the bounds
 * check first in each.
 */
#ifndef PKT_PARSE_INL_H
#define PKT_PARSE_INL_H

#include <rte_branch_prediction.h>

#include "pkt/parse.h"
#include "pkt/parse_ip6_inl.h"
#include "pkt/parse_l4_inl.h"
#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/eth.h"
#include "wire/ip.h"
#include "wire/pfc.h"
#include "wire/roce.h"

#define BAD(reason) verdict_drop(DROP_##reason)

/* Addresses that decide by themselves. 0 when the route decides. */
static __attribute__((noinline)) uint8_t
parse_ip4_addrs(struct pkt_meta *meta)
{
	uint32_t src = meta->src, dst = meta->dst;

	if (ip4_is_multicast_local(dst) || dst == UINT32_MAX)
		return verdict_punt(PUNT_link_local);
	if (ip4_is_multicast(dst))
		return BAD(multicast);
	if (ip4_is_multicast(src) || src == UINT32_MAX)
		return BAD(src_multicast);
	if (ip4_is_martian(src) || ip4_is_martian(dst))
		return BAD(martian);
	if (src >> 16 == 0xa9fe || dst >> 16 == 0xa9fe)
		meta->flags |= PKT_LINK_SCOPE;
	return 0;
}

/* `hdr_len` is 20..avail; a constant where there are no options. */
static inline uint8_t
parse_ip4_from(uint8_t *ip, uint32_t hdr_len, uint32_t avail, struct pkt_meta *meta)
{
	uint32_t total = wire_get16(ip + IP4_OFF_TOTAL_LEN);

	if (unlikely(total < hdr_len || total > avail))
		return BAD(ip4_total_len);
	if (unlikely(!checksum_ip4_ok(ip, hdr_len)))
		return BAD(ip4_checksum);

	meta->l3 = ip;
	meta->l3_len = (uint16_t)total;
	meta->tos = ip[IP4_OFF_TOS];
	__builtin_memcpy(&meta->ttl, ip + IP4_OFF_TTL, 2);
	uint64_t addrs = wire_get64(ip + IP4_OFF_SRC);

	__builtin_memcpy(&meta->dst, &addrs, sizeof(addrs));
	if (unlikely(pkt_ip4_special[ip[IP4_OFF_SRC]] | pkt_ip4_special[ip[IP4_OFF_DST]])) {
		uint8_t verdict = parse_ip4_addrs(meta);

		if (verdict != 0)
			return verdict;
	}
	uint32_t crc = flow_crc_addrs4(addrs);
	uint8_t proto = ip[IP4_OFF_PROTO];

	if (unlikely(wire_get16(ip + IP4_OFF_FRAGMENT) & IP4_FRAGMENT_MASK))
		return parse_fragment(proto, crc, meta);
	return parse_l4(ip + hdr_len, total - hdr_len, proto, crc, meta);
}

/* Another version, or options. */
static __attribute__((noinline)) uint8_t
parse_ip4_other(uint8_t *ip, uint32_t avail, struct pkt_meta *meta)
{
	uint32_t hdr_len = (ip[0] & 0xf) * 4u;

	if (ip[0] >> 4 != 4)
		return BAD(ip4_version);
	if (hdr_len < IP4_HDR_MIN || hdr_len > avail)
		return BAD(ip4_header_len);
	return parse_ip4_from(ip, hdr_len, avail, meta);
}

static inline uint8_t
parse_ip4(uint8_t *ip, uint32_t avail, struct pkt_meta *meta)
{
	if (unlikely(avail < IP4_HDR_MIN))
		return BAD(ip4_truncated);
	if (likely(ip[0] == 0x45))
		return parse_ip4_from(ip, IP4_HDR_MIN, avail, meta);
	return parse_ip4_other(ip, avail, meta);
}

/* Frames that are not for the IP road: what the node's kernel wants, and what nobody forwards. */
static inline uint8_t
parse_link_local(uint16_t type)
{
	if (type == ETH_TYPE_LLDP)
		return verdict_punt(PUNT_lldp);
	if (type == ETH_TYPE_SLOW)
		return verdict_punt(PUNT_slow);
	return BAD(link_local_mac);
}

/* The destination MAC is not the port's own: 0 when the frame is for us all the same. */
static inline uint8_t
parse_dst_mac(uint64_t dst48, uint16_t type, const uint8_t *ip, uint32_t avail,
	const struct parse_policy *policy)
{
	if (eth_addr48_is_link_local(dst48))
		return parse_link_local(type);
	if (policy->promiscuous)
		return 0;
	if (!eth_addr48_is_group(dst48))
		return BAD(dst_mac_other);
	/* RFC 1812 5.3.4: a unicast packet in a link-layer broadcast is not forwarded. */
	if (type == ETH_TYPE_IP4 && avail >= IP4_HDR_MIN && ip[IP4_OFF_DST] < 0xe0)
		return BAD(l2_multicast);
	if (type == ETH_TYPE_IP6 && avail >= IP6_HDR_LEN && ip[IP6_OFF_DST] != 0xff)
		return BAD(l2_multicast);
	return 0;
}

/* Pause frames go to who honours them, under a verdict of their own; all of these end here. */
static inline uint8_t
parse_mac_control(const uint8_t *frame, uint32_t len)
{
	struct pfc pfc;

	return pfc_parse(frame, len, &pfc) ? BAD(pfc) : BAD(mac_control);
}

/* Everything but a whole untagged IPv4 frame to us: tags, other MACs, IPv6, what is not IP. */
static __attribute__((noinline)) uint8_t
parse_other(struct rte_mbuf *m, const struct parse_policy *policy, struct pkt_meta *meta)
{
	uint32_t frame_len = rte_pktmbuf_pkt_len(m), off = ETH_HDR_LEN;

	if (frame_len < ETH_HDR_LEN)
		return BAD(runt);
	if (m->nb_segs > 1 && pkt_pullup(m, PARSE_WINDOW) != 0)
		return BAD(segments);
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint64_t dst48 = eth_addr48(frame);
	uint16_t type = wire_get16(frame + ETH_OFF_TYPE);

	while (eth_type_is_tag(type)) {
		if (meta->tags == ETH_TAGS_MAX)
			return BAD(vlan_depth);
		if (frame_len < off + ETH_TAG_LEN)
			return BAD(vlan_truncated);
		type = wire_get16(frame + off + 2);
		off += ETH_TAG_LEN;
		meta->tags++;
		meta->l2_len += ETH_TAG_LEN;
	}
	if (type == ETH_TYPE_MAC_CONTROL)
		return parse_mac_control(frame, RTE_MIN(frame_len, PARSE_WINDOW));
	if (frame[ETH_ADDR_LEN] & 1)
		return BAD(src_mac_multicast);
	if (dst48 != policy->mac48) {
		uint8_t v = parse_dst_mac(dst48, type, frame + off, frame_len - off, policy);

		if (v != 0)
			return v;
	}
	if (type == ETH_TYPE_IP6)
		return parse_ip6(
			frame + off, frame_len - off, RTE_MIN(frame_len, PARSE_WINDOW) - off, meta);
	if (type == ETH_TYPE_IP4)
		return parse_ip4(frame + off, frame_len - off, meta);
	if (type == ETH_TYPE_ARP)
		return verdict_punt(PUNT_arp);
	if (type == ETH_TYPE_LLDP)
		return verdict_punt(PUNT_lldp);
	return BAD(ethertype);
}

/*
 * True for an untagged IPv4 frame to `mac48` from a unicast address: two words of the header, one
 * comparison each. Bit 48 of the first is the source's I/G bit.
 */
static inline bool
parse_is_plain_ip4(const uint8_t *frame, uint64_t mac48)
{
	uint64_t head;

	__builtin_memcpy(&head, frame, sizeof(head));
	return ((head ^ mac48) & UINT64_C(0x0001ffffffffffff)) == 0 &&
	       wire_get16(frame + ETH_OFF_TYPE) == ETH_TYPE_IP4;
}

static inline uint8_t
parse_packet(struct rte_mbuf *m, const struct parse_policy *policy, struct pkt_meta *meta)
{
	static const uint8_t start[4] = {[2] = ETH_HDR_LEN}; /* flags, tags, l2_len, verdict */
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	__builtin_memcpy(&meta->flags, start, sizeof(start));
	if (likely(rte_pktmbuf_pkt_len(m) >= ETH_HDR_LEN + IP4_HDR_MIN && m->nb_segs == 1 &&
		    parse_is_plain_ip4(frame, policy->mac48)))
		return parse_ip4(frame + ETH_HDR_LEN, rte_pktmbuf_pkt_len(m) - ETH_HDR_LEN, meta);
	return parse_other(m, policy, meta);
}

#undef BAD

#endif
