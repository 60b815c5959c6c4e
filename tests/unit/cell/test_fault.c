/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>

#include "cell/fault.h"

Test(fault, each_has_a_drop_reason_of_its_own)
{
	bool seen[DROP_N] = {false};

	for (unsigned int f = CELL_SHORT; f <= CELL_BAD_DEVICE; f++) {
		enum drop_reason r = cell_fault_reason((enum cell_fault)f);

		cr_assert_neq(r, DROP_NONE);
		cr_assert_not(seen[r], "%s", drop_name(r));
		seen[r] = true;
	}
}
