/* SPDX-License-Identifier: BSD-3-Clause */
/* The Internet checksum: RFC 1071 over a header, RFC 1624 for one changed word. */
#ifndef WIRE_CHECKSUM_H
#define WIRE_CHECKSUM_H

#include <stdint.h>

/*
 * Folds a one's complement sum to 16 bits, with end-around carry: x plus itself rotated by half has
 * the sum of both halves, carry included, in its upper half.
 */
static inline uint16_t
checksum_fold64(uint64_t x)
{
	uint32_t half;

	x += x << 32 | x >> 32;
	half = (uint32_t)(x >> 32);
	half += half << 16 | half >> 16;
	return (uint16_t)(half >> 16);
}

/* One's complement addition of 64-bit words. */
static inline uint64_t
checksum_add64(uint64_t sum, uint64_t word)
{
	uint64_t carry = __builtin_add_overflow(sum, word, &sum);

	return sum + carry;
}

/*
 * True when the one's complement sum of an IPv4 header (its checksum included) is all ones.
 * `len` is 20..60, a multiple of 4. Byte order does not matter to the sum (RFC 1071 section 2).
 */
static inline int
checksum_ip4_ok(const uint8_t *hdr, unsigned int len)
{
	uint64_t a, b, sum;
	uint32_t w;

	__builtin_memcpy(&a, hdr, sizeof(a));
	__builtin_memcpy(&b, hdr + 8, sizeof(b));
	__builtin_memcpy(&w, hdr + 16, sizeof(w));
	sum = checksum_add64(checksum_add64(a, b), w);
	for (unsigned int i = 20; __builtin_expect(i < len, 0); i += 4) {
		__builtin_memcpy(&w, hdr + i, sizeof(w));
		sum = checksum_add64(sum, w);
	}
	return checksum_fold64(sum) == 0xffff;
}

/*
 * The checksum after one 16-bit word changed from `old` to `now`; all three as they stand on the
 * wire. RFC 1624 equation 3, HC' = ~(~HC + ~m + m'): unlike equation 2 it yields 0x0000 and never
 * 0xffff where the full sum would be 0x0000.
 */
static inline uint16_t
checksum_update16(uint16_t checksum, uint16_t old, uint16_t now)
{
	uint32_t sum = (uint16_t)~checksum + (uint32_t)(uint16_t)~old + now;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/*
 * checksum_update16() for a TTL that goes down by one, in memory order on a little-endian CPU,
 * where the TTL is the low byte of its word: m' = m - 1, so HC' = HC + 1, past the two zeros of
 * one's complement.
 */
static inline uint16_t
checksum_ttl_down(uint16_t checksum)
{
	return (uint16_t)(checksum + 1 + (checksum >= 0xfffe));
}

#endif
