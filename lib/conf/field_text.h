/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of a checked tree as a file would have them: the way back from field_scalar.c. For dumps
 * and for differences. Control thread.
 */
#ifndef CONF_FIELD_TEXT_H
#define CONF_FIELD_TEXT_H

#include <stdio.h>

#include "conf/field.h"

/* The place of a field's value in the struct `in` that its table describes. */
static inline const void *
field_at(const struct field *f, const void *in)
{
	return (const char *)in + f->offset;
}

/* False when it says nothing: an optional key that is not there, a name that is none. */
bool field_is_said(const struct field *f, const void *in);

/* True when it is what a file without the key would give. */
bool field_is_default(const struct field *f, const void *in);

/* Equal in what they mean: names are compared, not indexes. `ca`, `cb`: whose they are. */
bool field_same(const struct field *f, const struct conf *ca, const void *a, const struct conf *cb,
	const void *b);

/*
 * Writes the value of a text, a set, or a list of texts, on one line; `none` for what is not said.
 */
void field_write(const struct field *f, const struct conf *c, const void *in, FILE *out);

/* The items of a list: how many, and the first. */
size_t field_list(const struct field *f, const void *in, const void **ret_items);

/* True when the mapping of a FIELD_MAP is in the file, as far as its struct can tell. */
bool field_map_present(const struct field *f, const void *in);

#endif
