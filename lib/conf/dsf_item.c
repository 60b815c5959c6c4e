/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of the fabric within one item, run by field.c once its keys are read. What takes the whole
 * file is in check_dsf.c.
 */
#include "conf/dsf_item.h"

#include <string.h>

#include "base/bits.h"
#include "conf/hyper_item.h"

void
dsf_port_check(struct decode *d, uint32_t map, const struct path *p, struct conf_port *port)
{
	static const char *const not_here[] = {"promiscuous", "addresses", "rate_layer", "distance",
		"delay", "ecn", "ecn_by_class", "pfc", "dscp_map", "dscp_rewrite"};

	for (size_t i = 0; i < BITS_ARRAY_LEN(not_here); i++) {
		uint32_t v = tree_get(d->tree, map, not_here[i]);
		struct path here = path_key(p, not_here[i]);

		if (v != TREE_NONE)
			path_error(d->errors, &here, tree_pos(d->tree, v),
				"got it on a port of role dsf, which carries cells, want it on one "
				"of role nsf or longhaul");
	}
	port->distance_m = 0;
	port->delay_ns = 0;
	port->ecn = (struct conf_ecn){0};
	memset(port->class_ecn, 0, sizeof(port->class_ecn));
	port->pfc = (struct conf_pfc){0};
	if (tree_get(d->tree, map, "mtu") == TREE_NONE)
		port->mtu = 0;
}

/* EtherTypes that mean something else to a node that reads the frame. */
static const struct {
	uint16_t type;
	const char *whose;
} taken[] = {
	{0x0800, "IPv4"},
	{0x0806, "ARP"},
	{0x8100, "802.1Q VLAN tags"},
	{0x86dd, "IPv6"},
	{0x8808, "MAC control (pauses)"},
	{0x8809, "slow protocols (LACP)"},
	{0x8847, "MPLS"},
	{0x88a8, "802.1ad VLAN tags"},
	{0x88cc, "LLDP"},
};

const char *
ethertype_owner(uint16_t type)
{
	for (size_t i = 0; i < BITS_ARRAY_LEN(taken); i++)
		if (taken[i].type == type)
			return taken[i].whose;
	return NULL;
}

static void
check_ethertype(struct decode *d, uint32_t map, const struct path *p, const struct conf_dsf *f)
{
	struct path here = path_key(p, "ethertype");
	uint32_t v = tree_get(d->tree, map, "ethertype");
	const char *owner = ethertype_owner(f->ethertype);

	if (v != TREE_NONE && owner != NULL)
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got that of %s, want one that nothing else on the links has, such as "
			"0x88b5 or 0x88b6",
			owner);
}

static void
check_own_id(struct decode *d, uint32_t map, const struct path *p, const struct conf_dsf *f)
{
	uint32_t list = tree_get(d->tree, map, "devices");
	struct path at_list = path_key(p, "devices");
	uint32_t v = f->n_devices != 0 ? tree_first(d->tree, list) : TREE_NONE;

	for (size_t i = 0; v != TREE_NONE && i < f->n_devices; v = tree_next(d->tree, v), i++) {
		struct path item = path_item(&at_list, d->tree, v, i);
		struct path here = path_key(&item, "id");

		if (f->device_id != 0 && f->device[i].id == f->device_id)
			path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, v, "id")),
				"got %u, which is this node's device_id, want another device's",
				f->device_id);
	}
}

void
dsf_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf_dsf *f = out;
	struct path here = path_key(p, "min_links_remain");
	uint32_t v = tree_get(d->tree, map, "min_links_remain");

	check_ethertype(d, map, p, f);
	check_own_id(d, map, p, f);
	if (v != TREE_NONE && f->min_links_remain > f->min_links_join)
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got %u, want at most min_links_join, which is %u: a device would come and "
			"go at once",
			f->min_links_remain, f->min_links_join);
}

void
system_port_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf_system_port *s = out;
	struct path here = path_key(p, "port");

	if (s->port_idx >= d->conf->n_ports || d->conf->port[s->port_idx].role != CONF_ROLE_DSF)
		return;
	path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, map, "port")),
		"got %s, which has role dsf, want a port of role nsf or longhaul",
		d->conf->port[s->port_idx].name);
}

void
dsf_member_check(struct decode *d, uint32_t map, const struct path *p, const struct conf_member *m)
{
	uint32_t via = tree_get(d->tree, map, "via"), mac = tree_get(d->tree, map, "mac");
	uint32_t port = tree_get(d->tree, map, "system_port");
	struct path at_via = path_key(p, "via"), at_mac = path_key(p, "mac");

	if (via != TREE_NONE)
		path_error(d->errors, &at_via, tree_pos(d->tree, via),
			"got it beside device, want none: the fabric leads to a device by its id");
	if (mac != TREE_NONE && m->system_port == 0 &&
		(port == TREE_NONE || tree_is(d->tree, port, "0")))
		path_error(d->errors, &at_mac, tree_pos(d->tree, mac),
			"got it with system port 0, want none: the router of a device takes "
			"packets without");
}
