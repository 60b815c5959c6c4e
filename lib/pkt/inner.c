/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One function a header, the bounds check first in each. `len` is always how many bytes there are
 * from the pointer on.
 */
#include "pkt/inner.h"

#include "pkt/flow_inl.h"
#include "pkt/parse.h"
#include "wire/bytes.h"
#include "wire/eth.h"
#include "wire/ip.h"
#include "wire/roce.h"
#include "wire/vxlan.h"

static uint32_t
inner_l4(const uint8_t *l4, uint32_t len, uint8_t proto, uint32_t crc, bool dest_qp)
{
	uint32_t ports = 0;

	if ((proto == IP_PROTO_UDP && len >= UDP_HDR_LEN) ||
		(proto == IP_PROTO_TCP && len >= TCP_HDR_MIN))
		ports = wire_get32(l4);
	crc = flow_crc_l4(crc, ports, proto);
	if (dest_qp && proto == IP_PROTO_UDP && (uint16_t)ports == ROCE_UDP_PORT &&
		len >= UDP_HDR_LEN + ROCE_MIN)
		crc = flow_crc_qp(crc, wire_get24(l4 + UDP_HDR_LEN + ROCE_OFF_DEST_QP));
	return crc;
}

static uint32_t
inner_ip4(const uint8_t *ip, uint32_t len, uint32_t crc, bool dest_qp)
{
	uint32_t hdr_len;

	if (len < IP4_HDR_MIN || ip[0] >> 4 != 4)
		return crc;
	hdr_len = (ip[0] & 0xf) * 4u;
	if (hdr_len < IP4_HDR_MIN || hdr_len > len)
		return crc;
	crc = flow_crc64(crc, wire_get64(ip + IP4_OFF_SRC));
	if (wire_get16(ip + IP4_OFF_FRAGMENT) & IP4_FRAGMENT_MASK)
		return flow_crc_l4(crc, 0, ip[IP4_OFF_PROTO]);
	return inner_l4(ip + hdr_len, len - hdr_len, ip[IP4_OFF_PROTO], crc, dest_qp);
}

static uint32_t
inner_ip6(const uint8_t *ip, uint32_t len, uint32_t crc, bool dest_qp)
{
	if (len < IP6_HDR_LEN || ip[0] >> 4 != 6)
		return crc;
	for (unsigned int at = IP6_OFF_SRC; at < IP6_HDR_LEN; at += 8)
		crc = flow_crc64(crc, wire_get64(ip + at));
	return inner_l4(ip + IP6_HDR_LEN, len - IP6_HDR_LEN, ip[IP6_OFF_NEXT], crc, dest_qp);
}

static uint32_t
inner_eth(const uint8_t *frame, uint32_t len, uint32_t crc, bool dest_qp)
{
	uint32_t off = ETH_HDR_LEN;
	uint16_t type;

	if (len < ETH_HDR_LEN)
		return crc;
	type = wire_get16(frame + ETH_OFF_TYPE);
	for (unsigned int tags = 0; tags < ETH_TAGS_MAX && eth_type_is_tag(type); tags++) {
		if (len < off + ETH_TAG_LEN)
			return crc;
		type = wire_get16(frame + off + 2);
		off += ETH_TAG_LEN;
	}
	if (type == ETH_TYPE_IP4)
		return inner_ip4(frame + off, len - off, crc, dest_qp);
	if (type == ETH_TYPE_IP6)
		return inner_ip6(frame + off, len - off, crc, dest_qp);
	return flow_crc64(flow_crc64(crc, wire_get64(frame)), wire_get32(frame + 8));
}

/* Where the outer UDP header begins, from the IP header on; 0: behind extension headers. */
static uint32_t
outer_udp(const struct pkt_meta *meta)
{
	if (!(meta->flags & PKT_IP6))
		return (meta->l3[0] & 0xf) * 4u;
	return meta->l3[IP6_OFF_NEXT] == IP_PROTO_UDP ? IP6_HDR_LEN : 0;
}

uint32_t
pkt_inner_flow(const struct pkt_meta *meta, uint32_t crc, bool dest_qp)
{
	/* as the parser has it contiguous, however the frame came */
	uint32_t len = RTE_MIN((uint32_t)meta->l3_len, PARSE_WINDOW - meta->l2_len);
	const uint8_t *vxlan;
	uint32_t off;

	if (meta->proto != IP_PROTO_UDP || (uint16_t)meta->l4_ports != VXLAN_UDP_PORT ||
		(meta->flags & PKT_FRAGMENT))
		return crc;
	off = outer_udp(meta);
	if (off == 0 || len < off + UDP_HDR_LEN + VXLAN_HDR_LEN)
		return crc;
	vxlan = meta->l3 + off + UDP_HDR_LEN;
	if (!(vxlan[VXLAN_OFF_FLAGS] & VXLAN_FLAG_I))
		return crc;
	off += UDP_HDR_LEN + VXLAN_HDR_LEN;
	return inner_eth(meta->l3 + off, len - off, crc, dest_qp);
}
