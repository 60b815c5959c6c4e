/* SPDX-License-Identifier: BSD-3-Clause */
/* Each fault that wire/cell.h finds has a counter of its own. */
#include "cell/fault.h"

enum drop_reason
cell_fault_reason(enum cell_fault fault)
{
	switch (fault) {
	case CELL_SHORT:
		return DROP_cell_short;
	case CELL_BAD_CHECK:
		return DROP_cell_check;
	case CELL_BAD_VERSION:
		return DROP_cell_version;
	case CELL_BAD_LEN:
		return DROP_cell_len;
	case CELL_BAD_FRAGMENT:
		return DROP_cell_fragment;
	case CELL_OK:
	case CELL_BAD_DEVICE:
		break;
	}
	return DROP_cell_device;
}
