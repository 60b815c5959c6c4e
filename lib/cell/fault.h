/* SPDX-License-Identifier: BSD-3-Clause */
/* From what is wrong with a cell to the reason that its drop is counted under. */
#ifndef CELL_FAULT_H
#define CELL_FAULT_H

#include "pkt/drop.h"
#include "wire/cell.h"

/* `fault` is not CELL_OK. Any thread. */
enum drop_reason cell_fault_reason(enum cell_fault fault);

#endif
