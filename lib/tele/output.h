/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what a program printed got there. */
#ifndef TELE_OUTPUT_H
#define TELE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * True when something printed to `out` was lost, as on a full disk. A reader that went away, or a
 * stream that was closed from the start, is nobody's loss.
 */
bool output_is_lost(FILE *out);

#endif
