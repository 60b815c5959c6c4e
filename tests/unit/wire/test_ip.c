/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv4 addresses by kind, at the edges of each range. */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "wire/ip.h"
#include "wire/roce.h"

#define IP4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

static const struct {
	uint32_t addr;
	bool multicast, local, martian;
} kinds[] = {
	{IP4(0, 0, 0, 0), false, false, true},
	{IP4(0, 255, 255, 255), false, false, true},
	{IP4(1, 0, 0, 0), false, false, false},
	{IP4(10, 0, 0, 1), false, false, false},
	{IP4(126, 255, 255, 255), false, false, false},
	{IP4(127, 0, 0, 0), false, false, true},
	{IP4(127, 255, 255, 255), false, false, true},
	{IP4(128, 0, 0, 0), false, false, false},
	{IP4(223, 255, 255, 255), false, false, false},
	{IP4(224, 0, 0, 0), true, true, false},
	{IP4(224, 0, 0, 255), true, true, false},
	{IP4(224, 0, 1, 0), true, false, false},
	{IP4(225, 0, 0, 0), true, false, false},
	{IP4(239, 255, 255, 255), true, false, false},
	{IP4(240, 0, 0, 0), false, false, false},
	{IP4(255, 255, 255, 255), false, false, false},
};

Test(ip, ranges_end_where_the_rfcs_end_them)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(kinds); i++) {
		uint32_t addr = kinds[i].addr;

		cr_assert_eq(ip4_is_multicast(addr), kinds[i].multicast, "%08x", addr);
		cr_assert_eq(ip4_is_multicast_local(addr), kinds[i].local, "%08x", addr);
		cr_assert_eq(ip4_is_martian(addr), kinds[i].martian, "%08x", addr);
	}
}

Test(ip, each_first_byte_falls_into_one_kind)
{
	for (unsigned int first = 0; first < 256; first++) {
		uint32_t addr = first << 24 | 0x00800001;

		cr_assert_eq(ip4_is_multicast(addr), first >= 224 && first < 240);
		cr_assert_eq(ip4_is_martian(addr), first == 0 || first == 127);
	}
}

Test(ip, fragment_mask_takes_more_fragments_and_offset_only)
{
	cr_assert_eq(IP4_FRAGMENT_MASK & 0x4000, 0, "don't fragment is no piece");
	cr_assert_eq(IP4_FRAGMENT_MASK & 0x8000, 0, "nor is the reserved bit");
	cr_assert_eq(IP4_FRAGMENT_MASK, 0x2000 | 0x1fff);
}

Test(ip, numbers_are_those_of_iana)
{
	cr_assert_eq(IP_PROTO_HOPOPTS, 0);
	cr_assert_eq(IP_PROTO_TCP, 6);
	cr_assert_eq(IP_PROTO_UDP, 17);
	cr_assert_eq(IP_PROTO_ROUTING, 43);
	cr_assert_eq(IP_PROTO_FRAGMENT, 44);
	cr_assert_eq(IP_PROTO_AH, 51);
	cr_assert_eq(IP_PROTO_DSTOPTS, 60);
	cr_assert_eq(IP_PROTO_MOBILITY, 135);
	cr_assert_eq(IP_PROTO_HIP, 139);
	cr_assert_eq(IP_PROTO_SHIM6, 140);
	cr_assert_eq(ROCE_UDP_PORT, 4791);
	cr_assert_eq(ROCE_BTH_LEN + ROCE_ICRC_LEN, 16);
}
