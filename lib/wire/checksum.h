/* SPDX-License-Identifier: BSD-3-Clause */
/* The Internet checksum: RFC 1071 over a header, RFC 1624 for one changed word. */
#ifndef WIRE_CHECKSUM_H
#define WIRE_CHECKSUM_H

#include <stdint.h>

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
	/*
	 * All ones after folding is a multiple of 0xffff before, but not 0. Times its inverse
	 * modulo 2^64, exactly the multiples of 0xffff become at most 2^64 / 0xffff.
	 */
	return sum * UINT64_C(0xfffefffefffeffff) - 1 < UINT64_C(0x0001000100010001);
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
 * TTL down by one and checksum_update16() for it, in the word of an IPv4 header that holds TTL,
 * protocol and checksum, as a little-endian CPU loads it. The TTL (1 or more) is the low byte of
 * its own word: m' = m - 1, so HC' = HC + 1, past the two zeros of one's complement.
 */
static inline uint32_t
checksum_ttl_down(uint32_t word)
{
	return word - 1 + 0x10000 + ((uint32_t)(word >= 0xfffe0000) << 16);
}

#endif
