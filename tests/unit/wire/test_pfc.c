/* SPDX-License-Identifier: BSD-3-Clause */
/* Priority pause frames: built, read back, and everything that is none. */
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "wire/pfc.h"

static const uint8_t src[6] = {2, 0, 0, 0, 0, 9};
static const uint16_t quanta[8] = {1, 2, 3, 0xffff, 5, 6, 0x1234, 8};

/* Byte by byte, as 802.3 annex 31D draws it. */
static void
write_frame(uint8_t frame[PFC_FRAME_LEN])
{
	static const uint8_t bytes[] = {
		0x01,
		0x80,
		0xc2,
		0x00,
		0x00,
		0x01, /* to */
		0x02,
		0x00,
		0x00,
		0x00,
		0x00,
		0x09, /* from */
		0x88,
		0x08,
		0x01,
		0x01, /* MAC control, opcode */
		0x00,
		0x4a, /* classes 1, 3, 6 */
		0x00,
		0x00,
		0x00,
		0x02,
		0x00,
		0x00,
		0xff,
		0xff, /* times */
		0x00,
		0x00,
		0x00,
		0x00,
		0x12,
		0x34,
		0x00,
		0x00,
	};

	memset(frame, 0, PFC_FRAME_LEN);
	memcpy(frame, bytes, sizeof(bytes));
}

Test(pfc, a_built_frame_has_the_bytes_of_the_standard)
{
	uint8_t want[PFC_FRAME_LEN], have[PFC_FRAME_LEN + 4];

	write_frame(want);
	memset(have, 0xee, sizeof(have));
	pfc_build(have, src, 0x4a, quanta);
	cr_assert_arr_eq(have, want, sizeof(want));
	for (unsigned int i = PFC_FRAME_LEN; i < sizeof(have); i++)
		cr_assert_eq(have[i], 0xee);
}

Test(pfc, what_was_built_is_read_back)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (unsigned int vector = 0; vector < 256; vector++) {
		uint8_t frame[PFC_FRAME_LEN];
		uint16_t times[8];
		struct pfc pfc;

		for (unsigned int c = 0; c < 8; c++)
			times[c] = (uint16_t)rng_next(&rng);
		pfc_build(frame, src, (uint8_t)vector, times);
		cr_assert(pfc_parse(frame, sizeof(frame), &pfc));
		cr_assert_eq(pfc.vector, vector);
		for (unsigned int c = 0; c < 8; c++)
			cr_assert_eq(pfc.quanta[c], vector >> c & 1 ? times[c] : 0);
	}
}

Test(pfc, a_frame_cut_short_of_its_times_is_none)
{
	uint8_t frame[PFC_FRAME_LEN];

	write_frame(frame);
	for (uint32_t len = 0; len <= PFC_FRAME_LEN; len++) {
		struct pfc pfc = {.vector = 0x77};

		/* the rest is there, and is not looked at */
		cr_assert_eq(pfc_parse(frame, len, &pfc), len >= 34, "%u bytes", len);
		cr_assert_eq(pfc.vector, len >= 34 ? 0x4a : 0x77, "%u bytes", len);
	}
}

Test(pfc, any_other_address_type_or_opcode_is_none)
{
	for (unsigned int at = 0; at < 16; at++) {
		if (at >= 6 && at < 12) /* the source */
			continue;
		for (unsigned int bit = 0; bit < 8; bit++) {
			uint8_t frame[PFC_FRAME_LEN];
			struct pfc pfc;

			write_frame(frame);
			frame[at] ^= (uint8_t)(1u << bit);
			cr_assert_not(
				pfc_parse(frame, sizeof(frame), &pfc), "byte %u, bit %u", at, bit);
		}
	}
}

Test(pfc, a_tagged_frame_is_none)
{
	uint8_t frame[PFC_FRAME_LEN + 4], plain[PFC_FRAME_LEN];
	struct pfc pfc;

	write_frame(plain);
	memcpy(frame, plain, 12);
	memcpy(frame + 12, (const uint8_t[]){0x81, 0x00, 0x60, 0x64}, 4);
	memcpy(frame + 16, plain + 12, sizeof(plain) - 12);
	cr_assert_not(pfc_parse(frame, sizeof(frame), &pfc));
}

Test(pfc, the_source_may_be_zero_but_no_group_address)
{
	uint8_t frame[PFC_FRAME_LEN];
	struct pfc pfc;

	write_frame(frame);
	memset(frame + 6, 0, 6);
	cr_assert(pfc_parse(frame, sizeof(frame), &pfc));
	memset(frame + 6, 0xff, 6);
	cr_assert_not(pfc_parse(frame, sizeof(frame), &pfc));
}

Test(pfc, the_reserved_byte_of_the_vector_is_not_looked_at)
{
	for (unsigned int reserved = 0; reserved < 256; reserved++) {
		uint8_t frame[PFC_FRAME_LEN];
		struct pfc pfc;

		write_frame(frame);
		frame[16] = (uint8_t)reserved;
		cr_assert(pfc_parse(frame, sizeof(frame), &pfc));
		cr_assert_eq(pfc.vector, 0x4a);
	}
}

Test(pfc, bytes_behind_the_times_are_not_looked_at)
{
	uint8_t frame[PFC_FRAME_LEN];
	struct pfc pfc;

	write_frame(frame);
	memset(frame + 34, 0xa5, PFC_FRAME_LEN - 34);
	cr_assert(pfc_parse(frame, sizeof(frame), &pfc));
	cr_assert_eq(pfc.quanta[3], 0xffff);
	cr_assert_eq(pfc.quanta[6], 0x1234);
}
