/* SPDX-License-Identifier: BSD-3-Clause */
/* What topo.c, topo_schema.c and topo_check.c have of each other. Inside lib/conf only. */
#ifndef CONF_TOPO_ITEM_H
#define CONF_TOPO_ITEM_H

#include "conf/field.h"
#include "conf/topo.h"

extern const struct schema schema_topo;

/* Hooks of their tables; `out` is a struct topo_node, topo_event. */
void topo_node_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void topo_event_check(struct decode *d, uint32_t map, const struct path *p, void *out);

/*
 * After the table, with the nodes' configurations where they could be read: names that repeat,
 * ports that are not there, ports with two wires, inputs and events on the wrong ports; sorts the
 * events. -ENOMEM.
 */
int topo_check(struct decode *d);

#endif
