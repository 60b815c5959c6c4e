/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From bytes to a struct by the table of a kind of file: what conf.c and topo.c share. Control
 * thread.
 */
#ifndef CONF_LOAD_H
#define CONF_LOAD_H

#include "conf/field.h"

struct load_kind {
	const struct schema *schema;
	/*
	 * What holds across items. Runs after the table, also when that found errors: what could
	 * not be read is zero then. Adds errors; -ENOMEM.
	 */
	int (*check)(struct decode *d);
};

/*
 * Reads `len` bytes into the zeroed struct at `out`. d->errors, and what the table's fields refer
 * to, are the caller's; d->tree is set for the time of the call. Returns 0; -EINVAL with errors;
 * -ENOMEM or -EFBIG with one. `out` is the caller's to free in any case.
 */
int load_text(
	struct decode *d, const struct load_kind *kind, const char *text, size_t len, void *out);

#endif
