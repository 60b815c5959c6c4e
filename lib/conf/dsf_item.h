/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks of the fabric's tables, and the fabric's part of other hooks: within one item. */
#ifndef CONF_DSF_ITEM_H
#define CONF_DSF_ITEM_H

#include "conf/field.h"

/* check(); `out` is a struct conf_dsf, conf_system_port. */
void dsf_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void system_port_check(struct decode *d, uint32_t map, const struct path *p, void *out);

/*
 * A port of role dsf: refuses keys of ports that carry IP, and takes back what they said. An mtu
 * that is not said becomes 0, until check_dsf().
 */
void dsf_port_check(struct decode *d, uint32_t map, const struct path *p, struct conf_port *port);

/* A member with `device` and without `port`. */
void dsf_member_check(
	struct decode *d, uint32_t map, const struct path *p, const struct conf_member *m);

#endif
