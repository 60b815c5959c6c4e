/* SPDX-License-Identifier: BSD-3-Clause */
/* How the keys of one group go together. A part of item_check.c. */
#ifndef CONF_GROUP_ITEM_H
#define CONF_GROUP_ITEM_H

#include "conf/field.h"

/* A key that the group's policy has no use for is an error. */
void group_policy_check(
	struct decode *d, uint32_t map, const struct path *p, const struct conf_group *g);

#endif
