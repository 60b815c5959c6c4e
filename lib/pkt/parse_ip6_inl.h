/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv6 and its extension headers, one function a header; part of the parser (parse_inl.h). */
#ifndef PKT_PARSE_IP6_INL_H
#define PKT_PARSE_IP6_INL_H

#include <rte_branch_prediction.h>

#include "pkt/parse.h"
#include "pkt/parse_l4_inl.h"
#include "wire/bytes.h"
#include "wire/ip.h"

#define BAD(reason) verdict_drop(DROP_##reason)

static inline bool
parse_ip6_is_zero_but(const uint8_t *addr, uint8_t last)
{
	uint64_t w[2];

	__builtin_memcpy(w, addr, sizeof(w));
	return w[0] == 0 && w[1] == (uint64_t)last << 56;
}

static inline uint8_t
parse_ip6_addrs(const uint8_t *ip, struct pkt_meta *meta)
{
	const uint8_t *src = ip + IP6_OFF_SRC, *dst = ip + IP6_OFF_DST;

	if (unlikely(dst[0] >= 0xfe)) {
		bool group = dst[0] == 0xff;

		/* RFC 4291: scope 1 stays in the node, scope 2 on the link, fe80::/10 too */
		if ((group && (dst[1] & 0xf) <= 2) || (!group && (dst[1] & 0xc0) == 0x80))
			return verdict_punt(PUNT_link_local);
		if (group)
			return BAD(multicast);
	}
	if (unlikely(src[0] == 0xff))
		return BAD(src_multicast);
	if (unlikely(parse_ip6_is_zero_but(dst, 0) || parse_ip6_is_zero_but(dst, 1) ||
		     parse_ip6_is_zero_but(src, 1)))
		return BAD(martian);
	if (unlikely((src[0] == 0xfe && (src[1] & 0xc0) == 0x80) || parse_ip6_is_zero_but(src, 0)))
		meta->flags |= PKT_LINK_SCOPE;
	return 0;
}

/* Bytes of an extension header that we walk, from its first two; 0 for what is none. */
static inline uint32_t
parse_ip6_ext_len(uint8_t next, uint8_t hdr_len)
{
	switch (next) {
	case IP_PROTO_HOPOPTS:
	case IP_PROTO_ROUTING:
	case IP_PROTO_DSTOPTS:
	case IP_PROTO_MOBILITY:
	case IP_PROTO_HIP:
	case IP_PROTO_SHIM6:
		return (hdr_len + 1u) * 8;
	case IP_PROTO_AH:
		return (hdr_len + 2u) * 4;
	case IP_PROTO_FRAGMENT:
		return 8;
	default:
		return 0;
	}
}

/* Walks the chain; sets proto and PKT_FRAGMENT, *off becomes the offset of the upper layer. */
static inline uint8_t
parse_ip6_ext(
	const uint8_t *ip, uint32_t total, uint32_t window, uint32_t *off, struct pkt_meta *meta)
{
	for (unsigned int n = 0;; n++) {
		if (likely(parse_ip6_ext_len(meta->proto, 0) == 0))
			return 0;
		if (n == IP6_EXT_MAX)
			return BAD(ip6_ext_chain);
		if (*off + IP6_EXT_MIN > total)
			return BAD(ip6_ext_truncated);
		if (*off + IP6_EXT_MIN > window)
			return BAD(ip6_ext_chain);
		uint32_t len = parse_ip6_ext_len(meta->proto, ip[*off + 1]);

		if (*off + len > total)
			return BAD(ip6_ext_truncated);
		if (meta->proto == IP_PROTO_FRAGMENT) {
			/* Later pieces may name another next header (RFC 8200 4.5): hash none of
			 * it. */
			meta->flags |= PKT_FRAGMENT;
			return 0;
		}
		meta->proto = ip[*off];
		*off += len;
	}
}

/* `window`: bytes from `ip` on that are contiguous. */
static inline uint8_t
parse_ip6(uint8_t *ip, uint32_t avail, uint32_t window, struct pkt_meta *meta)
{
	if (unlikely(avail < IP6_HDR_LEN))
		return BAD(ip6_truncated);
	uint32_t total = IP6_HDR_LEN + (uint32_t)wire_get16(ip + IP6_OFF_PAYLOAD_LEN);
	uint32_t off = IP6_HDR_LEN;

	if (unlikely(ip[0] >> 4 != 6))
		return BAD(ip6_version);
	if (unlikely(total > avail))
		return BAD(ip6_payload_len);
	meta->flags |= PKT_IP6;
	meta->l3 = ip;
	meta->l3_len = (uint16_t)RTE_MIN(total, (uint32_t)UINT16_MAX);
	meta->tos = (uint8_t)(wire_get16(ip) >> 4);
	meta->ttl = ip[IP6_OFF_HOP_LIMIT];
	meta->proto = ip[IP6_OFF_NEXT];
	uint8_t verdict = parse_ip6_addrs(ip, meta);

	if (unlikely(verdict != 0))
		return verdict;
	verdict = parse_ip6_ext(ip, total, window, &off, meta);
	if (unlikely(verdict != 0))
		return verdict;
	uint32_t crc = flow_crc_addrs6(ip + IP6_OFF_SRC);

	if (unlikely(meta->flags & PKT_FRAGMENT))
		return parse_fragment(meta->proto, crc, meta);
	/* a UDP header and a BTH, or as much of them as the packet has */
	if (unlikely(RTE_MIN(off + UDP_HDR_LEN + ROCE_BTH_LEN, total) > window))
		return BAD(ip6_ext_chain);
	return parse_l4(ip + off, total - off, meta->proto, crc, meta);
}

#undef BAD

#endif
