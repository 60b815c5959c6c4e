/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of a hyper port within its item, run by field.c once its keys are read: its members are
 * long lines that can stand for each other. What takes the whole file is in check_hyper.c.
 */
#include "conf/hyper_item.h"

#include <string.h>

/* A member that is the port named by `v`, the i'th of the list. */
static bool
check_role(struct decode *d, const struct path *at, uint32_t v, const struct conf_port *port)
{
	if (port->role == CONF_ROLE_LONGHAUL)
		return true;
	path_error(d->errors, at, tree_pos(d->tree, v),
		"got %s, which has role %s, want a port of role longhaul", port->name,
		conf_role_name(port->role));
	return false;
}

/* A NIC that pauses would hold frames that have a number, and the far end wait for them. */
static void
check_pfc(struct decode *d, const struct path *at, uint32_t v, const struct conf_port *port)
{
	if (port->pfc.hardware)
		path_error(d->errors, at, tree_pos(d->tree, v),
			"got %s, whose pfc has `mode: hardware`, want `mode: software`: its NIC "
			"would hold packets that the far end waits for",
			port->name);
}

static bool
check_once(
	struct decode *d, const struct path *at, uint32_t v, const struct conf_hyper *h, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		if (h->member[j] != h->member[i])
			continue;
		path_error(d->errors, at, tree_pos(d->tree, v), "got %s again, want each port once",
			d->conf->port[h->member[i]].name);
		return false;
	}
	return true;
}

/* The ports a and b, as `key` has them. */
static void
unlike(struct decode *d, const struct path *at, uint32_t v, const struct conf_port *a,
	const struct conf_port *b, const char *key)
{
	path_error(d->errors, at, tree_pos(d->tree, v),
		"got %s, whose %s is another than that of %s, want one `%s` for all members",
		b->name, key, a->name, key);
}

static bool
same_pfc(const struct conf_pfc *a, const struct conf_pfc *b)
{
	return a->classes == b->classes && a->quanta == b->quanta && a->storm == b->storm;
}

/* What holds for a packet whichever member it takes. */
static void
check_alike(struct decode *d, const struct path *at, uint32_t v, const struct conf_port *a,
	const struct conf_port *b)
{
	if (a->mtu != b->mtu)
		unlike(d, at, v, a, b, "mtu");
	if ((a->rate_bps == 0) != (b->rate_bps == 0))
		path_error(d->errors, at, tree_pos(d->tree, v),
			"got %s, which has %s rate, and %s, which has %s, want one for all "
			"members, "
			"or for none",
			b->name, b->rate_bps == 0 ? "no" : "a", a->name,
			a->rate_bps == 0 ? "none" : "one");
	if (a->rate_l2 != b->rate_l2)
		unlike(d, at, v, a, b, "rate_layer");
	if (!same_pfc(&a->pfc, &b->pfc))
		unlike(d, at, v, a, b, "pfc");
	if (memcmp(a->dscp_class, b->dscp_class, sizeof(a->dscp_class)) != 0)
		unlike(d, at, v, a, b, "dscp_map");
	if (memcmp(a->dscp_rewrite, b->dscp_rewrite, sizeof(a->dscp_rewrite)) != 0)
		unlike(d, at, v, a, b, "dscp_rewrite");
}

static void
check_members(struct decode *d, uint32_t map, const struct path *p, const struct conf_hyper *h)
{
	struct path at_list = path_key(p, "members");
	uint32_t list = tree_get(d->tree, map, "members");
	uint32_t v = h->n_members != 0 ? tree_first(d->tree, list) : TREE_NONE;
	const struct conf_port *first = NULL;

	for (size_t i = 0; v != TREE_NONE && i < h->n_members; v = tree_next(d->tree, v), i++) {
		struct path here = {.up = &at_list, .idx = i};
		const struct conf_port *port;

		if (h->member[i] >= d->conf->n_ports)
			continue; /* has its error */
		port = &d->conf->port[h->member[i]];
		if (!check_role(d, &here, v, port) || !check_once(d, &here, v, h, i))
			continue;
		check_pfc(d, &here, v, port);
		if (first == NULL)
			first = port;
		else
			check_alike(d, &here, v, first, port);
	}
}

void
hyper_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct conf_hyper *h = out;
	struct path at_name = path_key(p, "name"), at_type = path_key(p, "ethertype");
	const char *owner = ethertype_owner(h->ethertype);

	if (h->name[0] != '\0' && conf_port_by_name(d->conf, h->name) >= 0)
		path_error(d->errors, &at_name, tree_pos(d->tree, tree_get(d->tree, map, "name")),
			"got %s, which is a port's name, want another one", h->name);
	if (owner != NULL)
		path_error(d->errors, &at_type,
			tree_pos(d->tree, tree_get(d->tree, map, "ethertype")),
			"got that of %s, want one that nothing else on the members has, such as "
			"0x88b6",
			owner);
	check_members(d, map, p, h);
}
