/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks of schema_queue.c, schema_port.c and classes.c on the way back, from a checked tree to what
 * a file says: what queue_item.c and queue_port.c have resolved stands there in figures. For dump.c
 * and diff.c.
 */
#include <string.h>

#include "conf/queue_item.h"

bool
ecn_is_off(const struct conf_ecn *e)
{
	return e->mode == CONF_ECN_OFF && e->drop.kmax == 0;
}

/* What holds for the class, whoever said so; without a word of `auto`, and of what is off. */
bool
class_ecn_placed(const void *in, size_t i, void *ret_item)
{
	const struct conf_port *port = in;
	struct class_ecn_item *item = ret_item;

	item->number = (uint8_t)i;
	if (!ecn_is_off(&port->class_ecn[i]))
		item->ecn = port->class_ecn[i];
	item->ecn.pos = port->class_ecn[i].pos.line != 0 ? port->class_ecn[i].pos : port->pos;
	item->ecn.is_auto = false;
	return !ecn_is_off(&port->class_ecn[i]);
}

static bool
dscps_placed(const uint8_t *table, size_t to, struct dscp_item *ret_item)
{
	ret_item->to = (uint8_t)to;
	for (unsigned int d = 0; d < CONF_DSCPS; d++)
		if (table[d] == to)
			ret_item->dscps |= UINT64_C(1) << d;
	return ret_item->dscps != 0;
}

bool
dscp_map_placed(const void *in, size_t i, void *ret_item)
{
	const struct conf_port *port = in;

	return dscps_placed(port->dscp_class, i, ret_item);
}

bool
dscp_rewrite_placed(const void *in, size_t i, void *ret_item)
{
	const struct conf_port *port = in;

	return dscps_placed(port->dscp_rewrite, i, ret_item);
}

const char *
ecn_text(const void *in, const char *key)
{
	const struct conf_ecn *e = in;
	bool figure = key[0] == 'k' || strcmp(key, "pmax") == 0;

	if (e->is_auto && e->mode == CONF_ECN_RED && strcmp(key, "mode") == 0)
		return "auto";
	if (strcmp(key, "drop") == 0 && e->drop.kmax == 0)
		return "";
	/* where it is not known yet, or what is off has none */
	return figure && e->mark.kmax == 0 ? "" : NULL;
}

const char *
class_ecn_text(const void *in, const char *key)
{
	const struct class_ecn_item *i = in;

	return strcmp(key, "ecn") == 0 && ecn_is_off(&i->ecn) ? "\"off\"" : NULL;
}

const char *
port_text(const void *in, const char *key)
{
	const struct conf_port *p = in;

	if (strcmp(key, "delay") == 0 && p->delay_emulate)
		return "emulate";
	if (strcmp(key, "ecn_by_class") != 0)
		return NULL;
	for (unsigned int c = 0; c < CONF_CLASSES; c++)
		if (p->class_ecn[c].pos.line != 0)
			return NULL;
	return "";
}

/* The device is told at its start. */
bool
pfc_fixed(const void *in)
{
	const struct conf_pfc *p = in;

	return p->hardware;
}

/* What a fabric port carries is its neighbours', too. */
bool
port_fixed(const void *in)
{
	const struct conf_port *p = in;

	return p->role == CONF_ROLE_DSF;
}
