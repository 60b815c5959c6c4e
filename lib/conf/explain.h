/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of conf_explain() share. */
#ifndef CONF_EXPLAIN_H
#define CONF_EXPLAIN_H

#include "conf/conf.h"

/* `  label   value   how`, in columns; `how` may come to nothing. */
void explain_row(FILE *out, const char *label, const char *value, const char *how, ...)
	__attribute__((format(printf, 4, 5)));

/* The block of the cell fabric, of a node that has links. */
void explain_dsf(const struct conf *c, FILE *out);

#endif
