/* SPDX-License-Identifier: BSD-3-Clause */
/* Help for somebody who mistyped a command. */
#ifndef SOFTBAG_SUGGEST_H
#define SOFTBAG_SUGGEST_H

#include <stdio.h>

/* One sentence on `line`, which is no command: the nearest one, or those that begin like it. No
 * newline. */
void suggest(const char *line, FILE *out);

#endif
