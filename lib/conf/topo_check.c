/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no single field of a topology can say: the ports it names against those that the nodes have,
 * and who claims which. Called by field.c for one item, by topo.c for all. What could not be read
 * is empty here and is passed over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/topo_item.h"
#include "conf/unique.h"

int
ref_end(const struct decode *d, uint32_t idx, void *out, struct hint *h)
{
	const char *s = tree_text(d->tree, idx), *dot = strchr(s, '.');
	size_t len = tree_at(d->tree, idx)->n, i = 0;
	struct topo_end end = {.pos = tree_pos(d->tree, idx)};
	const struct topo *t = d->topo;
	char name[CONF_NAME_MAX];
	struct nearest near;

	if (dot == NULL || dot == s || dot - s >= (ptrdiff_t)sizeof(name) ||
		value_name(dot + 1, len - (size_t)(dot + 1 - s), h) != 0)
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - s), s);
	nearest_init(&near, name);
	for (; i < t->n_nodes && strcmp(t->node[i].name, name) != 0; i++)
		nearest_offer(&near, t->node[i].name);
	if (i == t->n_nodes)
		return near.best != NULL ? hint_say(h, "no node is called %s; the nearest is %s",
						   name, near.best)
					 : hint_say(h, "no node is called %s", name);
	strcpy(end.port, dot + 1);
	end.node_idx = (uint16_t)i;
	memcpy(out, &end, sizeof(end));
	return 0;
}

void
topo_node_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	const struct topo_node *n = out;
	struct path here = path_key(p, "name");

	if (strchr(n->name, '.') != NULL)
		path_error(d->errors, &here, tree_pos(d->tree, tree_get(d->tree, map, "name")),
			"got %s, want a name without a dot: one parts node and port", n->name);
}

static const char *const event_key[TOPO_EVENT_KINDS] = {
	[TOPO_DOWN] = "down", [TOPO_UP] = "up", [TOPO_DRAIN] = "drain", [TOPO_UNDRAIN] = "undrain"};

void
topo_event_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	struct topo_event *e = out;
	unsigned int n = 0;

	for (unsigned int k = 0; k < TOPO_EVENT_KINDS; k++) {
		if (tree_get(d->tree, map, event_key[k]) == TREE_NONE)
			continue;
		e->kind = (enum topo_event_kind)k;
		n++;
	}
	if (n == 0)
		path_error(d->errors, p, tree_pos(d->tree, map),
			"got no event, want down, up, drain or undrain");
	else if (n > 1)
		path_error(d->errors, p, tree_pos(d->tree, map),
			"got %u events, want an item for each", n);
}

/* Who has a port: a wire, in line `line`; or inputs, at `rate_bps`. */
struct claim {
	uint32_t line; /* 0: nobody */
	uint32_t wire_idx;
	uint32_t input_line;
	uint64_t rate_bps;
};

struct check {
	struct decode *d;
	struct topo *t;
	struct claim **claim; /* by node, by port; NULL where there is no configuration */
};

/* An end of item i of a list, as messages name it. */
static void __attribute__((format(printf, 6, 7))) end_error(struct check *c, const char *list,
	size_t i, const char *key, const struct topo_end *e, const char *format, ...)
{
	struct path at_list = path_key(NULL, list);
	struct path item = {.up = &at_list, .idx = i};
	struct path here = path_key(&item, key);
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	path_error(c->d->errors, &here, e->pos, "got %s.%s, %s", c->t->node[e->node_idx].name,
		e->port, text);
}

/* The claim of a port that is there; NULL after an error, and where nothing can be known. */
static struct claim *
resolve(struct check *c, const char *list, size_t i, const char *key, struct topo_end *e)
{
	const struct conf *conf;
	struct nearest near;
	int port_idx;

	if (e->port[0] == '\0' || c->claim[e->node_idx] == NULL)
		return NULL;
	conf = c->t->node[e->node_idx].conf;
	port_idx = conf_port_by_name(conf, e->port);
	if (port_idx >= 0) {
		e->port_idx = (uint16_t)port_idx;
		return &c->claim[e->node_idx][port_idx];
	}
	nearest_init(&near, e->port);
	for (size_t p = 0; p < conf->n_ports; p++)
		nearest_offer(&near, conf->port[p].name);
	end_error(c, list, i, key, e, "want a port of %s%s%s%s", conf->file,
		near.best == NULL ? "" : " (the nearest is ", near.best == NULL ? "" : near.best,
		near.best == NULL ? "" : ")");
	return NULL;
}

static void
claim_end(struct check *c, size_t i, const char *key, struct topo_end *e)
{
	struct claim *claim = resolve(c, "wires", i, key, e);

	if (claim == NULL)
		return;
	if (claim->line != 0) {
		end_error(c, "wires", i, key, e, "which has a wire in line %u, want one a port",
			claim->line);
		return;
	}
	claim->line = e->pos.line;
	claim->wire_idx = (uint32_t)i;
}

static void
check_input(struct check *c, size_t i)
{
	struct topo_input *in = &c->t->input[i];
	struct claim *claim = resolve(c, "inputs", i, "port", &in->port);

	if (claim == NULL)
		return;
	if (claim->line != 0)
		end_error(c, "inputs", i, "port", &in->port,
			"which has a wire in line %u, want a port without", claim->line);
	else if (claim->input_line != 0 && claim->rate_bps != in->rate_bps)
		end_error(c, "inputs", i, "port", &in->port,
			"which has another rate in line %u, want one rate a port",
			claim->input_line);
	if (claim->input_line == 0)
		claim->rate_bps = in->rate_bps;
	claim->input_line = in->port.pos.line;
}

static bool
is_link(const struct topo *t, const struct topo_end *end)
{
	return t->node[end->node_idx].conf->port[end->port_idx].role == CONF_ROLE_DSF;
}

static void
check_event(struct check *c, size_t i)
{
	struct topo_event *e = &c->t->event[i];
	const char *key = event_key[e->kind];
	struct topo_end *end = &e->end[e->kind];
	struct claim *claim = resolve(c, "events", i, key, end);

	if (claim == NULL)
		return;
	if (claim->line == 0)
		end_error(c, "events", i, key, end, "which has no wire, want a port with one");
	else if (e->kind >= TOPO_DRAIN && !is_link(c->t, end))
		end_error(c, "events", i, key, end,
			"which is no fabric link, want a port of role dsf");
	else
		e->wire_idx = claim->wire_idx;
}

static bool
node_name(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return unique_text(d->topo->node[i].name, ret_key, ret_len);
}

static int
check_names(struct decode *d)
{
	static const struct unique_kind kind = {NULL, "nodes", "name", false, "a name of its own"};

	return unique_check_items(d, &kind, d->topo->n_nodes, node_name);
}

static int
by_time(const void *pa, const void *pb)
{
	const struct topo_event *a = pa, *b = pb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->pos.line != b->pos.line)
		return a->pos.line < b->pos.line ? -1 : 1;
	return (a->pos.col > b->pos.col) - (a->pos.col < b->pos.col);
}

static int
check_ports(struct check *c)
{
	struct topo *t = c->t;

	for (size_t i = 0; i < t->n_nodes; i++) {
		if (t->node[i].conf == NULL)
			continue;
		c->claim[i] = calloc(t->node[i].conf->n_ports, sizeof(*c->claim[i]));
		if (c->claim[i] == NULL)
			return -ENOMEM;
	}
	for (size_t i = 0; i < t->n_wires; i++) {
		claim_end(c, i, "from", &t->wire[i].from);
		claim_end(c, i, "to", &t->wire[i].to);
	}
	for (size_t i = 0; i < t->n_inputs; i++)
		check_input(c, i);
	if (!tree_has_all(c->d->tree, "wires"))
		return 0;
	for (size_t i = 0; i < t->n_events; i++)
		check_event(c, i);
	return 0;
}

int
topo_check(struct decode *d)
{
	struct topo *t = d->topo;
	struct check c = {.d = d, .t = t, .claim = calloc(t->n_nodes + 1, sizeof(*c.claim))};
	int rc = c.claim == NULL ? -ENOMEM : check_names(d);

	if (rc == 0)
		rc = check_ports(&c);
	for (size_t i = 0; c.claim != NULL && i < t->n_nodes; i++)
		free(c.claim[i]);
	free(c.claim);
	if (rc == 0 && t->n_events != 0)
		qsort(t->event, t->n_events, sizeof(t->event[0]), by_time);
	return rc;
}
