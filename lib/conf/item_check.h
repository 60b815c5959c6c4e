/* SPDX-License-Identifier: BSD-3-Clause */
/* What no single field can say, within one item: hooks of the tables in schema.c. */
#ifndef CONF_ITEM_CHECK_H
#define CONF_ITEM_CHECK_H

#include "conf/field.h"

/* Hooks of their tables; `out` is a struct conf_member, conf_group, conf. */
void member_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void group_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void runtime_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void worker_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void file_check(struct decode *d, uint32_t map, const struct path *p, void *out);

#endif
