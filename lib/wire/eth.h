/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet II, VLAN tags, MAC control (IEEE 802.3, 802.1Q). */
#ifndef WIRE_ETH_H
#define WIRE_ETH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ETH_ADDR_LEN = 6,
	ETH_HDR_LEN = 14,
	ETH_OFF_TYPE = 12,
	ETH_TAG_LEN = 4,
	ETH_TAGS_MAX = 2,
	ETH_TYPE_MIN = 0x0600, /* below: a length, and LLC follows (802.3 clause 3.2.6) */
	ETH_FCS_LEN = 4,
};

enum {
	ETH_TYPE_IP4 = 0x0800,
	ETH_TYPE_ARP = 0x0806,
	ETH_TYPE_VLAN = 0x8100,
	ETH_TYPE_IP6 = 0x86dd,
	ETH_TYPE_MAC_CONTROL = 0x8808, /* 802.3 annex 31: PAUSE, PFC */
	ETH_TYPE_SLOW = 0x8809,        /* 802.3 annex 57A: LACP */
	ETH_TYPE_QINQ = 0x88a8,
	ETH_TYPE_LLDP = 0x88cc,
	ETH_TYPE_QINQ_OLD = 0x9100, /* before 802.1ad; many switches still send it */
};

static inline bool
eth_type_is_tag(uint16_t type)
{
	return type == ETH_TYPE_VLAN || type == ETH_TYPE_QINQ || type == ETH_TYPE_QINQ_OLD;
}

/* The address as a number: byte 0 in bits 0-7. Reads 8 bytes; a frame has at least 14. */
static inline uint64_t
eth_addr48(const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v & UINT64_C(0x0000ffffffffffff); /* little-endian CPU: x86 */
}

/* I/G bit: group address. */
static inline bool
eth_addr48_is_group(uint64_t addr48)
{
	return addr48 & 1;
}

/* 01:80:c2:00:00:00 to 0f: bridges never forward these (802.1Q table 8-1). */
static inline bool
eth_addr48_is_link_local(uint64_t addr48)
{
	return (addr48 & UINT64_C(0xf0ffffffffff)) == UINT64_C(0x000000c28001);
}

#endif
