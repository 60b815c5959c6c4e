/* SPDX-License-Identifier: BSD-3-Clause */
/* What all parts of a configuration have: a place in the file, and most of them a name. */
#ifndef CONF_POS_H
#define CONF_POS_H

#include <stdint.h>

#define CONF_NAME_MAX 32u /* with the NUL: fits a metric label and a table column */

struct conf_pos {
	uint32_t line, col; /* from 1; 0: not from the file */
};

#endif
