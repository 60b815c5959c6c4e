/* SPDX-License-Identifier: BSD-3-Clause */
/* A place in the file. */
#ifndef CONF_POS_H
#define CONF_POS_H

#include <stdint.h>

struct conf_pos {
	uint32_t line, col; /* from 1; 0: not from the file */
};

#endif
