/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksum helpers against a full recomputation, for every ID. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "wire/bytes.h"
#include "wire/checksum.h"
#include "wire/ip.h"

#define HDR_MAX 60u

/* RFC 1071 as it is told: the words in network order, the checksum's own left out. */
static uint16_t
full_checksum(const uint8_t *hdr, unsigned int len)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < len; i += 2)
		if (i != IP4_OFF_CHECKSUM)
			sum += (uint32_t)hdr[i] << 8 | hdr[i + 1];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void
make_header(uint8_t *hdr, unsigned int len, struct rng *rng)
{
	for (unsigned int i = 0; i < len; i++)
		hdr[i] = (uint8_t)rng_next(rng);
	hdr[0] = (uint8_t)(0x40 | len / 4);
	wire_put16(hdr + IP4_OFF_CHECKSUM, full_checksum(hdr, len));
}

/* As a router does it: one off the TTL, the words as they lie in memory. */
static void
decrement_ttl(uint8_t *hdr)
{
	uint16_t old, now, checksum;

	memcpy(&old, hdr + IP4_OFF_TTL, sizeof(old));
	memcpy(&checksum, hdr + IP4_OFF_CHECKSUM, sizeof(checksum));
	hdr[IP4_OFF_TTL]--;
	memcpy(&now, hdr + IP4_OFF_TTL, sizeof(now));
	checksum = checksum_update16(checksum, old, now);
	memcpy(hdr + IP4_OFF_CHECKSUM, &checksum, sizeof(checksum));
}

/* The same by checksum_ttl_down(), in network order; changes nothing. */
static uint16_t
ttl_down(const uint8_t *hdr)
{
	uint32_t word;

	memcpy(&word, hdr + IP4_OFF_TTL, sizeof(word));
	return __builtin_bswap16((uint16_t)(checksum_ttl_down(word) >> 16));
}

/* Every ID; returns how often the right checksum was 0x0000. */
static unsigned int
check_all_ids(uint8_t *hdr)
{
	unsigned int zeros = 0;
	uint8_t ttl = hdr[IP4_OFF_TTL];

	for (unsigned int id = 0; id <= 0xffff; id++) {
		hdr[IP4_OFF_TTL] = ttl;
		wire_put16(hdr + 4, (uint16_t)id);
		wire_put16(hdr + IP4_OFF_CHECKSUM, full_checksum(hdr, IP4_HDR_MIN));
		uint16_t short_cut = ttl_down(hdr);

		decrement_ttl(hdr);
		uint16_t want = full_checksum(hdr, IP4_HDR_MIN);
		uint16_t have = wire_get16(hdr + IP4_OFF_CHECKSUM);

		if (have != want || short_cut != want)
			cr_assert_fail("TTL %u, protocol %u, ID %u: %04x and %04x, want %04x", ttl,
				hdr[IP4_OFF_PROTO], id, have, short_cut, want);
		zeros += want == 0;
	}
	return zeros;
}

Test(checksum, update_equals_full_sum_for_every_id)
{
	static const uint8_t ttls[] = {1, 2, 3, 63, 64, 65, 127, 128, 254, 255};
	static const uint8_t protos[] = {0, 1, 6, 17, 50, 89, 255};
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t t = 0; t < BITS_ARRAY_LEN(ttls); t++)
		for (size_t p = 0; p < BITS_ARRAY_LEN(protos); p++) {
			uint8_t hdr[HDR_MAX];

			make_header(hdr, IP4_HDR_MIN, &rng);
			hdr[IP4_OFF_TTL] = ttls[t];
			hdr[IP4_OFF_PROTO] = protos[p];
			/* one ID each makes 0x0000 right: 0xffff, which RFC 1141 would send, is
			 * never */
			cr_assert_geq(check_all_ids(hdr), 1);
		}
}

Test(checksum, ttl_down_is_the_update_for_every_checksum_and_ttl)
{
	for (unsigned int c = 0; c <= 0xffff; c++)
		for (unsigned int ttl = 1; ttl < 256; ttl++) {
			/* as the TTL's word lies in memory, the protocol behind it */
			uint16_t old = (uint16_t)(17u << 8 | ttl), now = (uint16_t)(old - 1);
			uint32_t have = checksum_ttl_down((uint32_t)c << 16 | old);
			uint32_t want =
				(uint32_t)checksum_update16((uint16_t)c, old, now) << 16 | now;

			if (have != want)
				cr_assert_fail("%04x: %08x, want %08x", c, have, want);
		}
}

Test(checksum, update_equals_full_sum_for_any_word)
{
	struct rng rng;

	rng_init(&rng, 2);
	for (unsigned int round = 0; round < 200000; round++) {
		unsigned int len = 20 + 4 * (unsigned int)rng_below(&rng, 11), at;
		uint8_t hdr[HDR_MAX];

		make_header(hdr, len, &rng);
		do
			at = 2 * (unsigned int)rng_below(&rng, len / 2);
		while (at == IP4_OFF_CHECKSUM || at == 0); /* word 0 holds version and length */
		uint16_t old = wire_get16(hdr + at), now = (uint16_t)rng_next(&rng);
		uint16_t was = wire_get16(hdr + IP4_OFF_CHECKSUM);

		wire_put16(hdr + at, now);
		cr_assert_eq(checksum_update16(was, old, now), full_checksum(hdr, len));
	}
}

Test(checksum, update_does_not_care_for_byte_order)
{
	struct rng rng;

	rng_init(&rng, 3);
	for (unsigned int round = 0; round < 100000; round++) {
		uint16_t c = (uint16_t)rng_next(&rng), o = (uint16_t)rng_next(&rng),
			 n = (uint16_t)rng_next(&rng);

		cr_assert_eq(__builtin_bswap16(checksum_update16(c, o, n)),
			checksum_update16(
				__builtin_bswap16(c), __builtin_bswap16(o), __builtin_bswap16(n)));
	}
}

Test(checksum, right_headers_of_all_lengths_are_ok)
{
	struct rng rng;

	rng_init(&rng, 4);
	for (unsigned int round = 0; round < 50000; round++)
		for (unsigned int len = 20; len <= HDR_MAX; len += 4) {
			uint8_t hdr[HDR_MAX];

			make_header(hdr, len, &rng);
			cr_assert(checksum_ip4_ok(hdr, len));
		}
}

Test(checksum, headers_full_of_ones_do_not_overflow)
{
	for (unsigned int len = 20; len <= HDR_MAX; len += 4) {
		uint8_t hdr[HDR_MAX];

		memset(hdr, 0xff, sizeof(hdr));
		hdr[0] = (uint8_t)(0x40 | len / 4);
		wire_put16(hdr + IP4_OFF_CHECKSUM, full_checksum(hdr, len));
		cr_assert(checksum_ip4_ok(hdr, len), "%u bytes", len);
		memset(hdr, 0, sizeof(hdr));
		cr_assert_not(checksum_ip4_ok(hdr, len), "%u bytes of zeros", len);
	}
}

Test(checksum, each_single_bit_error_is_seen)
{
	struct rng rng;

	rng_init(&rng, 5);
	for (unsigned int round = 0; round < 200; round++)
		for (unsigned int len = 20; len <= HDR_MAX; len += 4) {
			uint8_t hdr[HDR_MAX];

			make_header(hdr, len, &rng);
			for (unsigned int bit = 0; bit < len * 8; bit++) {
				hdr[bit / 8] ^= (uint8_t)(1u << bit % 8);
				cr_assert_not(
					checksum_ip4_ok(hdr, len), "bit %u of %u bytes", bit, len);
				hdr[bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
		}
}

Test(checksum, ffff_for_0000_is_accepted_on_arrival)
{
	uint8_t hdr[HDR_MAX];
	struct rng rng;

	rng_init(&rng, 6);
	make_header(hdr, IP4_HDR_MIN, &rng);
	/* The ID that makes the sum of the rest 0xffff. */
	wire_put16(hdr + 4, 0);
	wire_put16(hdr + 4, full_checksum(hdr, IP4_HDR_MIN));
	cr_assert_eq(full_checksum(hdr, IP4_HDR_MIN), 0);
	wire_put16(hdr + IP4_OFF_CHECKSUM, 0);
	cr_assert(checksum_ip4_ok(hdr, IP4_HDR_MIN));
	wire_put16(hdr + IP4_OFF_CHECKSUM, 0xffff);
	cr_assert(checksum_ip4_ok(hdr, IP4_HDR_MIN));
	uint16_t short_cut = ttl_down(hdr);

	decrement_ttl(hdr);
	cr_assert_eq(wire_get16(hdr + IP4_OFF_CHECKSUM), full_checksum(hdr, IP4_HDR_MIN),
		"the update mends it");
	cr_assert_eq(short_cut, full_checksum(hdr, IP4_HDR_MIN));
}

Test(checksum, sum_of_words_is_the_remainder_by_65535)
{
	struct rng rng;

	rng_init(&rng, 8);
	for (unsigned int i = 0; i < 200000; i++) {
		uint64_t a = rng_next(&rng) | (i % 3 == 0 ? UINT64_C(0xffffffffffff0000) : 0);
		uint64_t b = rng_next(&rng) | (i % 5 == 0 ? UINT64_C(0xffffffffffff0000) : 0);

		cr_assert_eq(checksum_add64(a, b) % 65535, (a % 65535 + b % 65535) % 65535);
	}
	cr_assert_eq(checksum_add64(UINT64_MAX, UINT64_MAX) % 65535, 0);
	cr_assert_eq(checksum_add64(UINT64_MAX, 1), 1, "end-around carry");
}
