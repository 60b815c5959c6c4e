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
