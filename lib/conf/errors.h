/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bounded list of errors in the order of their lines. When it is full, the ones furthest down the
 * file go: people mend a file from the top.
 */
#ifndef CONF_ERRORS_H
#define CONF_ERRORS_H

#include <stdarg.h>
#include <stdbool.h>

#include "conf/conf.h"

/* False when an error at `pos` would only be counted: spare yourself the text. */
bool errors_takes(const struct conf_errors *e, struct conf_pos pos);

/* Adds one; without memory it is counted as left out, so it is never lost as a verdict. */
void errors_add(struct conf_errors *e, struct conf_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void errors_vadd(struct conf_errors *e, struct conf_pos pos, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static inline bool
errors_any(const struct conf_errors *e)
{
	return e->n != 0 || e->n_left_out != 0;
}

#endif
