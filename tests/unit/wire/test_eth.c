/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses as numbers, group and link-local bits, tags. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "wire/bytes.h"
#include "wire/eth.h"

static uint64_t
addr48(const char *hex)
{
	uint8_t b[8] = {0, 0, 0, 0, 0, 0, 0xaa, 0xbb}; /* what follows must not matter */

	for (unsigned int i = 0; i < 6; i++)
		sscanf(hex + 3 * i, "%2hhx", &b[i]);
	return eth_addr48(b);
}

Test(eth, addr48_has_byte_0_in_the_low_bits_and_nothing_else)
{
	cr_assert_eq(addr48("01:02:03:04:05:06"), UINT64_C(0x060504030201));
	cr_assert_eq(addr48("ff:ff:ff:ff:ff:ff"), UINT64_C(0xffffffffffff));
	cr_assert_eq(addr48("00:00:00:00:00:00"), 0);
}

Test(eth, addr48_tells_all_48_bits_apart)
{
	for (unsigned int bit = 0; bit < 48; bit++) {
		uint8_t b[8] = {0};

		b[bit / 8] = (uint8_t)(1u << bit % 8);
		cr_assert_eq(eth_addr48(b), UINT64_C(1) << bit);
	}
}

Test(eth, addr48_is_read_at_any_alignment)
{
	uint8_t b[32];

	for (unsigned int i = 0; i < sizeof(b); i++)
		b[i] = (uint8_t)i;
	for (unsigned int at = 0; at < 16; at++)
		for (unsigned int i = 0; i < 6; i++)
			cr_assert_eq((eth_addr48(b + at) >> 8 * i) & 0xff, at + i);
}

Test(eth, group_is_the_lowest_bit_of_the_first_byte)
{
	cr_assert(eth_addr48_is_group(addr48("01:00:5e:00:00:05")));
	cr_assert(eth_addr48_is_group(addr48("33:33:00:00:00:01")));
	cr_assert(eth_addr48_is_group(addr48("ff:ff:ff:ff:ff:ff")));
	cr_assert_not(eth_addr48_is_group(addr48("02:ff:ff:ff:ff:ff")));
	cr_assert_not(eth_addr48_is_group(addr48("fe:01:01:01:01:01")));
	for (unsigned int first = 0; first < 256; first++) {
		uint8_t b[8] = {(uint8_t)first};

		cr_assert_eq(eth_addr48_is_group(eth_addr48(b)), first % 2 == 1);
	}
}

Test(eth, link_local_is_the_sixteen_addresses_and_no_neighbour)
{
	uint8_t b[8] = {0x01, 0x80, 0xc2, 0, 0, 0};

	for (unsigned int last = 0; last < 256; last++) {
		b[5] = (uint8_t)last;
		cr_assert_eq(eth_addr48_is_link_local(eth_addr48(b)), last < 16, "%02x", last);
	}
	b[5] = 3;
	for (unsigned int bit = 0; bit < 40; bit++) {
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
		cr_assert_not(eth_addr48_is_link_local(eth_addr48(b)), "bit %u", bit);
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

Test(eth, three_types_are_tags_and_no_other)
{
	for (unsigned int type = 0; type <= 0xffff; type++)
		cr_assert_eq(eth_type_is_tag((uint16_t)type),
			type == 0x8100 || type == 0x88a8 || type == 0x9100);
}

Test(bytes, fields_are_read_and_written_in_network_order)
{
	uint8_t b[5] = {0x01, 0x02, 0x03, 0x04, 0x05};

	cr_assert_eq(wire_get16(b + 1), 0x0203);
	cr_assert_eq(wire_get24(b + 1), 0x020304);
	cr_assert_eq(wire_get32(b + 1), 0x02030405);
	wire_put16(b + 1, 0xfffe);
	cr_assert_eq(memcmp(b, (uint8_t[]){0x01, 0xff, 0xfe, 0x04, 0x05}, 5), 0);
	b[1] = 0xff;
	cr_assert_eq(wire_get24(b + 1), 0xfffe04, "no sign creeps in");
}
