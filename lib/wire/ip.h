/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv4 (RFC 791), IPv6 and its extension headers (RFC 8200, RFC 4302), UDP (RFC 768), TCP. */
#ifndef WIRE_IP_H
#define WIRE_IP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	IP4_HDR_MIN = 20,
	IP4_OFF_TOS = 1,
	IP4_OFF_TOTAL_LEN = 2,
	IP4_OFF_FRAGMENT = 6,
	IP4_OFF_TTL = 8,
	IP4_OFF_PROTO = 9,
	IP4_OFF_CHECKSUM = 10,
	IP4_OFF_SRC = 12,
	IP4_OFF_DST = 16,
	IP4_FRAGMENT_MASK = 0x3fff, /* more-fragments bit and offset: not 0 means a piece */
};

enum {
	IP6_HDR_LEN = 40,
	IP6_OFF_PAYLOAD_LEN = 4,
	IP6_OFF_NEXT = 6,
	IP6_OFF_HOP_LIMIT = 7,
	IP6_OFF_SRC = 8,
	IP6_OFF_DST = 24,
	IP6_ADDR_LEN = 16,
	IP6_EXT_MIN = 8,
	IP6_EXT_MAX = 8, /* headers in a chain that we walk; RFC 8883 lets a node set a limit */
};

enum {
	IP_PROTO_HOPOPTS = 0,
	IP_PROTO_TCP = 6,
	IP_PROTO_UDP = 17,
	IP_PROTO_ROUTING = 43,
	IP_PROTO_FRAGMENT = 44,
	IP_PROTO_AH = 51,
	IP_PROTO_ICMP6 = 58,
	IP_PROTO_NONE = 59,
	IP_PROTO_OSPF = 89,
	IP_PROTO_DSTOPTS = 60,
	IP_PROTO_MOBILITY = 135,
	IP_PROTO_HIP = 139,
	IP_PROTO_SHIM6 = 140,
};

enum {
	UDP_HDR_LEN = 8,
	UDP_OFF_DST_PORT = 2,
	UDP_OFF_LEN = 4,
	TCP_HDR_MIN = 20,
};

enum {
	TCP_PORT_BGP = 179,
	UDP_PORT_BFD = 3784,          /* RFC 5881 */
	UDP_PORT_BFD_MULTIHOP = 4784, /* RFC 5883 */
};

enum ip_ecn {
	IP_ECN_NOT_ECT = 0,
	IP_ECN_ECT1 = 1,
	IP_ECN_ECT0 = 2,
	IP_ECN_CE = 3,
};

/* 224.0.0.0/4 */
static inline bool
ip4_is_multicast(uint32_t addr)
{
	return addr >> 28 == 0xe;
}

/* 224.0.0.0/24: never forwarded (RFC 5771) */
static inline bool
ip4_is_multicast_local(uint32_t addr)
{
	return addr >> 8 == 0xe00000;
}

/* 0.0.0.0/8, 127.0.0.0/8: not to be seen on a wire between routers (RFC 1812 5.3.7) */
static inline bool
ip4_is_martian(uint32_t addr)
{
	return addr >> 24 == 0 || addr >> 24 == 127;
}

#endif
