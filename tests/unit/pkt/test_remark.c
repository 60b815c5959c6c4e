/* SPDX-License-Identifier: BSD-3-Clause */
/* Re-marking against a full recomputation: all codepoints, random headers, nothing else changed. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "packet.h"
#include "pkt/remark_inl.h"

#define HDR_MAX 60u

struct header {
	uint8_t byte[HDR_MAX];
	unsigned int len;
	bool ip6;
};

static uint8_t
get_tos(const struct header *h)
{
	if (!h->ip6)
		return h->byte[1];
	return (uint8_t)((h->byte[0] & 0xf) << 4 | h->byte[1] >> 4);
}

static void
put_tos(struct header *h, uint8_t tos)
{
	if (h->ip6) {
		h->byte[0] = (uint8_t)((h->byte[0] & 0xf0) | tos >> 4);
		h->byte[1] = (uint8_t)((h->byte[1] & 0x0f) | (tos & 0xf) << 4);
		return;
	}
	h->byte[1] = tos;
	packet_fix_ip4(h->byte);
}

static struct header
random_header(struct rng *rng, bool ip6, uint8_t tos)
{
	struct header h = {.ip6 = ip6, .len = 40};

	if (!ip6)
		h.len = 20 + 4 * (unsigned int)rng_below(rng, 11);
	for (unsigned int i = 0; i < HDR_MAX; i++)
		h.byte[i] = (uint8_t)rng_next(rng);
	h.byte[0] = (uint8_t)(ip6 ? 0x60 : 0x40 | h.len / 4);
	put_tos(&h, tos);
	return h;
}

/* The header that `was` is with another TOS, made the long way. */
static void
assert_only_tos(const struct header *was, const struct header *now, uint8_t tos)
{
	struct header want = *was;

	put_tos(&want, tos);
	cr_assert_eq(get_tos(now), tos);
	cr_assert_arr_eq(now->byte, want.byte, sizeof(want.byte), "v%u, TOS 0x%02x to 0x%02x",
		was->ip6 ? 6 : 4, get_tos(was), tos);
}

Test(remark, ce_changes_ect_alone_for_every_codepoint)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (unsigned int round = 0; round < 200; round++)
		for (unsigned int k = 0; k < 512; k++) {
			uint8_t tos = (uint8_t)k, want = tos & 3 ? tos | 3 : tos;
			struct header was = random_header(&rng, k >= 256, tos), now = was;

			cr_assert_eq(remark_ce(now.byte, now.ip6), (tos & 3) != 0);
			assert_only_tos(&was, &now, want);
		}
}

Test(remark, dscp_changes_and_ecn_stays_for_every_pair_of_codepoints)
{
	struct rng rng;

	rng_init(&rng, 2);
	for (unsigned int k = 0; k < 512; k++)
		for (uint8_t dscp = 0; dscp < 64; dscp++) {
			uint8_t tos = (uint8_t)k;
			struct header was = random_header(&rng, k >= 256, tos), now = was;

			remark_dscp(now.byte, now.ip6, dscp);
			assert_only_tos(&was, &now, (uint8_t)(dscp << 2 | (tos & 3)));
		}
}

/* For each ECT codepoint one ID of the 65,536 makes the checksum 0x0000 right after the mark. */
Test(remark, a_checksum_of_zero_leaves_as_zero)
{
	unsigned int zeros = 0;
	struct rng rng;

	rng_init(&rng, 3);
	for (uint8_t ecn = 1; ecn <= 2; ecn++) {
		struct header was = random_header(&rng, false, (uint8_t)(26 << 2 | ecn));

		was.byte[0] = 0x45;
		for (unsigned int id = 0; id <= 0xffff; id++) {
			was.byte[4] = (uint8_t)(id >> 8);
			was.byte[5] = (uint8_t)id;
			packet_fix_ip4(was.byte);
			struct header now = was;

			remark_ce(now.byte, false);
			zeros += now.byte[10] == 0 && now.byte[11] == 0;
			cr_assert_not(now.byte[10] == 0xff && now.byte[11] == 0xff);
			put_tos(&was, 26 << 2 | 3);
			cr_assert_eq(memcmp(now.byte, was.byte, HDR_MAX), 0, "ID %u", id);
			was.byte[1] = (uint8_t)(26 << 2 | ecn);
		}
	}
	cr_assert_geq(zeros, 2);
}

Test(remark, a_marked_roce_packet_keeps_its_icrc)
{
	for (unsigned int version = 4; version <= 6; version += 2) {
		struct packet p = packet_roce(version);
		uint8_t buf[256];
		struct packet_at at;
		size_t len = packet_write(&p, buf, sizeof(buf), &at);

		cr_assert(remark_ce(buf + at.l3, version == 6));
		cr_assert(packet_icrc_ok(buf, len));
		remark_dscp(buf + at.l3, version == 6, 63);
		cr_assert(packet_icrc_ok(buf, len));
	}
}

Test(remark, a_flipped_bit_is_one_bit_and_each_can_be_hit)
{
	enum { LEN = 100 };
	bool hit[LEN * 8] = {false};
	struct rng rng;
	unsigned int n = 0;

	rng_init(&rng, 4);
	for (unsigned int round = 0; round < 20000; round++) {
		uint8_t bytes[LEN + 1] = {0};

		remark_flip_bit(bytes, LEN, (uint32_t)rng_next(&rng));
		unsigned int set = 0;

		for (unsigned int i = 0; i < LEN * 8; i++)
			if (bytes[i / 8] >> (i % 8) & 1) {
				set++;
				hit[i] = true;
			}
		cr_assert_eq(set, 1);
		cr_assert_eq(bytes[LEN], 0);
	}
	for (unsigned int i = 0; i < LEN * 8; i++)
		n += hit[i];
	cr_assert_eq(n, LEN * 8);
}

Test(remark, the_ends_of_the_draw_are_the_first_and_the_last_bit)
{
	uint8_t bytes[9216] = {0};

	remark_flip_bit(bytes, sizeof(bytes), 0);
	cr_assert_eq(bytes[0], 1);
	remark_flip_bit(bytes, sizeof(bytes), UINT32_MAX);
	cr_assert_eq(bytes[sizeof(bytes) - 1], 0x80);
}
