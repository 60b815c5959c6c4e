/* SPDX-License-Identifier: BSD-3-Clause */
/* Which opcodes are control: all 256 against a list. */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "wire/roce.h"

Test(roce, acks_and_cnps_are_control_and_nothing_else_is)
{
	/* RC, RD, XRC: acknowledge, atomic acknowledge; RD RESYNC; CNP (IBTA table 38, A17.9.3) */
	static const uint8_t control[] = {0x11, 0x12, 0x51, 0x52, 0x55, 0xb1, 0xb2, 0x81};
	bool want[256] = {false};

	for (size_t i = 0; i < BITS_ARRAY_LEN(control); i++)
		want[control[i]] = true;
	for (unsigned int op = 0; op < 256; op++)
		cr_assert_eq(roce_is_control((uint8_t)op), want[op], "opcode 0x%02x", op);
}

Test(roce, what_carries_or_asks_for_data_is_marked)
{
	/* RC SEND only, WRITE middle, READ request and responses, CmpSwap, FetchAdd, UD SEND */
	static const uint8_t data[] = {0x04, 0x07, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x13, 0x14, 0x64};

	for (size_t i = 0; i < BITS_ARRAY_LEN(data); i++)
		cr_assert_not(roce_is_control(data[i]), "opcode 0x%02x", data[i]);
}

/* By their names in IBTA table 38, transport by transport; what is not here is nobody's. */
static const uint8_t sends[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x16, 0x17};
static const uint8_t immediates[] = {0x09, 0x0b};
static const uint8_t responses[] = {0x0d, 0x0e, 0x0f, 0x10};
static const uint8_t answers[] = {0x11, 0x12, 0x15};
static const uint8_t atomics[] = {0x13, 0x14, 0x1d};
static const uint8_t writes[] = {0x06, 0x07, 0x08, 0x0a};

static bool
is_one_of(uint8_t low, const uint8_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == low)
			return true;
	return false;
}

#define ONE_OF(low, list) is_one_of(low, list, sizeof(list))

Test(roce, the_order_of_each_of_256_opcodes_is_what_the_table_says)
{
	for (unsigned int op = 0; op < 256; op++) {
		uint8_t low = op & 0x1f, transport = (uint8_t)(op & 0xe0);
		bool kept = ONE_OF(low, sends) || ONE_OF(low, immediates) ||
			    ONE_OF(low, responses) || ONE_OF(low, answers) ||
			    ONE_OF(low, atomics) || transport == 0x80;
		bool has_writes = transport == 0x00 || transport == 0x20 || transport == 0x40 ||
				  transport == 0xa0;
		enum roce_order want = kept                                ? ROCE_IN_ORDER
				       : has_writes && ONE_OF(low, writes) ? ROCE_WRITE
									   : ROCE_OTHER;

		cr_assert_eq(roce_order((uint8_t)op), want, "opcode 0x%02x", op);
	}
}

Test(roce, what_is_control_is_in_order)
{
	for (unsigned int op = 0; op < 256; op++)
		if (roce_is_control((uint8_t)op))
			cr_assert_eq(roce_order((uint8_t)op), ROCE_IN_ORDER, "opcode 0x%02x", op);
	/* READ requests and FLUSH are neither */
	cr_assert_eq(roce_order(0x0c), ROCE_OTHER);
	cr_assert_eq(roce_order(0x1c), ROCE_OTHER);
}
