/* SPDX-License-Identifier: BSD-3-Clause */
/* One item of `classes`, on its way to conf.class_[number]. */
#ifndef CONF_CLASS_ITEM_H
#define CONF_CLASS_ITEM_H

#include "conf/conf.h"

struct class_item {
	uint8_t number; /* CONF_CLASSES: none was read */
	char name[CONF_NAME_MAX];
	struct conf_pos pos;
	uint64_t dscps;
};

#endif
