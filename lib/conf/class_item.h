/* SPDX-License-Identifier: BSD-3-Clause */
/* One item of `classes`, on its way to conf.class_[number]. */
#ifndef CONF_CLASS_ITEM_H
#define CONF_CLASS_ITEM_H

#include "conf/field.h"

struct class_item {
	uint8_t number; /* CONF_CLASSES: none was read */
	struct conf_class as;
};

/* The place() of its table: into the struct conf at `out`. */
void class_place(struct decode *d, uint32_t map, const struct path *p, const void *item, void *out);
/* The placed() of its table; `in` is a struct conf. */
bool class_placed(const void *in, size_t i, void *ret_item);
/* The text() of its table. */
const char *class_text(const void *in, const char *key);
/* The check() of its table. */
void class_check(struct decode *d, uint32_t map, const struct path *p, void *out);

#endif
