/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks of the hyper ports' table: within one item. */
#ifndef CONF_HYPER_ITEM_H
#define CONF_HYPER_ITEM_H

#include "conf/field.h"

/* check(); `out` is a struct conf_hyper. */
void hyper_check(struct decode *d, uint32_t map, const struct path *p, void *out);

/* EtherTypes that mean something else to a node that reads the frame: whose it is, or NULL. */
const char *ethertype_owner(uint16_t type);

#endif
