/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric across the file: links need a `dsf`, cells need room in every link's mtu, and the
 * destinations of all groups have to fit a worker's VOQs. Fills in what is computed. Called by
 * check.c, after dsf_item.c has done each item alone.
 */
#include "conf/check.h"
#include "conf/errors.h"
#include "conf/fabric.h"
#include "conf/unique.h"

#define CELL_SIZE_DEFAULT                                                                          \
	2048u /* 2.9 % of the line for headers, and a packet of 4 KB in 3 cells                    \
	       */
#define MTU_DEFAULT 1500u

/* Ports without the section, and more of them than there are bits. */
static void
check_links(struct decode *d)
{
	static const struct unique_kind role = {NULL, "ports", "role", false, NULL};
	const struct conf *c = d->conf;
	uint32_t list = unique_list(d, &role, c->n_ports);
	uint32_t v = list == TREE_NONE ? TREE_NONE : tree_first(d->tree, list);
	size_t n = 0;

	for (size_t i = 0; v != TREE_NONE; v = tree_next(d->tree, v), i++) {
		struct unique u = {.item = v, .idx = (uint32_t)i};

		if (c->port[i].role != CONF_ROLE_DSF)
			continue;
		u.node = tree_get(d->tree, v, "role");
		if (n == 0 && tree_get(d->tree, 0, "dsf") == TREE_NONE)
			unique_error(d, &role, &u,
				"got dsf in a file without `dsf`, want `dsf: {device_id: N}` in "
				"it, N from 1 to 65534");
		if (n++ == CONF_DSF_LINKS_MAX)
			unique_error(d, &role, &u, "got dsf for a 65th port, want 64 at most");
	}
}

/* What the file says can be read, and is what was stored: else it has its error. */
static bool
was_read(const struct decode *d, uint32_t v, uint64_t stored)
{
	uint64_t x = 0;

	return tree_at(d->tree, v)->type == TREE_TEXT &&
	       value_int(tree_text(d->tree, v), &x, NULL) == 0 && x == stored;
}

static void
check_mtu(struct decode *d, const struct unique_kind *mtu, uint32_t item, uint32_t idx)
{
	const struct conf_port *p = &d->conf->port[idx];
	unsigned int cell = d->conf->dsf.cell_size, need = cell + CONF_DSF_HEADER_LEN;
	struct unique u = {.item = item, .idx = idx, .node = tree_get(d->tree, item, mtu->key)};
	char text[256];

	if (u.node == TREE_NONE || p->mtu >= need || !was_read(d, u.node, p->mtu))
		return;
	snprintf(text, sizeof(text),
		"got %u, want %u at least: dsf.cell_size %u + %u bytes of cell header (or a "
		"cell_size of %u at most)",
		p->mtu, need, cell, CONF_DSF_HEADER_LEN, p->mtu - CONF_DSF_HEADER_LEN);
	unique_error(d, mtu, &u, text);
}

static void
resolve_mtus(struct decode *d)
{
	static const struct unique_kind mtu = {NULL, "ports", "mtu", false, NULL};
	unsigned int need = d->conf->dsf.cell_size + CONF_DSF_HEADER_LEN;
	uint32_t list = unique_list(d, &mtu, d->conf->n_ports);
	uint32_t v = list == TREE_NONE ? TREE_NONE : tree_first(d->tree, list);

	for (uint32_t i = 0; v != TREE_NONE; v = tree_next(d->tree, v), i++) {
		struct conf_port *p = &d->conf->port[i];

		if (p->role != CONF_ROLE_DSF)
			continue;
		if (p->mtu == 0)
			p->mtu = (uint16_t)(need > MTU_DEFAULT ? need : MTU_DEFAULT);
		else
			check_mtu(d, &mtu, v, i);
	}
}

/* (device, system port), each once. */
struct dests {
	struct {
		uint16_t device_idx, system_port;
	} dest[CONF_DSF_DESTS_MAX];
	size_t n;
};

/* False when there is no room for one more. */
static bool
dests_add(struct dests *s, const struct conf_member *m)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->dest[i].device_idx == m->device_idx &&
			s->dest[i].system_port == m->system_port)
			return true;
	if (s->n == CONF_DSF_DESTS_MAX)
		return false;
	s->dest[s->n].device_idx = m->device_idx;
	s->dest[s->n++].system_port = m->system_port;
	return true;
}

/* Of the member that is wrong; printf-like. */
static void __attribute__((format(printf, 4, 5)))
member_error(struct decode *d, const struct conf_group *g, size_t i, const char *fmt, ...)
{
	struct path groups = path_key(NULL, "groups");
	struct path group = {.up = &groups,
		.name = g->name[0] ? g->name : NULL,
		.idx = (size_t)(g - d->conf->group)};
	struct path members = path_key(&group, "members");
	struct path here = {.up = &members, .idx = i};
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	path_error(d->errors, &here, g->member[i].pos, "%s", text);
}

/* True when the member is all right. */
static bool
check_dest(struct decode *d, struct dests *s, const struct conf_group *g, size_t i)
{
	const struct conf_member *m = &g->member[i];
	const char *name;

	if (m->device_idx == UINT16_MAX)
		return true;
	name = d->conf->dsf.device[m->device_idx].name;
	/* a role that could not be read has its error */
	if (conf_dsf_links(d->conf) == 0 && !errors_any(d->errors)) {
		member_error(d, g, i,
			"got device %s in a file without a port of role dsf, want one: nothing "
			"leads to it",
			name);
		return false;
	}
	if (dests_add(s, m))
		return true;
	member_error(d, g, i,
		"got device %s with system port %u after %u others, want %u of such pairs at most "
		"in all groups",
		name, m->system_port, CONF_DSF_DESTS_MAX, CONF_DSF_DESTS_MAX);
	return false;
}

static void
check_dests(struct decode *d)
{
	struct dests s = {.n = 0};

	for (size_t g = 0; g < d->conf->n_groups; g++)
		for (size_t i = 0; i < d->conf->group[g].n_members; i++)
			if (!check_dest(d, &s, &d->conf->group[g], i))
				return;
}

void
check_dsf(struct decode *d)
{
	struct conf_dsf *f = &d->conf->dsf;
	uint32_t map = tree_get(d->tree, 0, "dsf");

	check_links(d);
	check_dests(d);
	if (f->cell_size == 0 && tree_get(d->tree, map, "cell_size") != TREE_NONE)
		return; /* has its error */
	if (f->cell_size == 0)
		f->cell_size = CELL_SIZE_DEFAULT;
	resolve_mtus(d);
	f->reassembly_auto = f->reassembly_cells == 0;
	if (f->reassembly_auto)
		f->reassembly_cells = conf_reassembly_auto(d->conf);
}
