/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a topology whose nodes are all alike: refused with errors in order, or one whose
 * ends are ports that are there, each with one wire at most.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/topo.h"

#define HOLDS(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "does not hold: %s\n", #what);                             \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#define PORTS_OF_ALL 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
load(void *ctx, const char *path, struct conf **ret_conf, struct conf_errors *ret_errors)
{
	const char *yaml =
		"version: 1\nnode: {name: a, id: 1}\nports: [{name: p0, device: a, role: "
		"nsf}, {name: p1, device: b, role: nsf}, {name: p.2, device: c, role: "
		"nsf}]\n";

	(void)ctx;
	return conf_parse(path, yaml, strlen(yaml), ret_conf, ret_errors);
}

static void
check_end(const struct topo *t, const struct topo_end *e)
{
	HOLDS(e->node_idx < t->n_nodes && e->port_idx < PORTS_OF_ALL);
	HOLDS(strcmp(t->node[e->node_idx].conf->port[e->port_idx].name, e->port) == 0);
}

static bool
same(const struct topo_end *a, const struct topo_end *b)
{
	return a->node_idx == b->node_idx && a->port_idx == b->port_idx;
}

static void
check_topo(const struct topo *t)
{
	HOLDS(t->n_nodes >= 1);
	for (size_t i = 0; i < t->n_nodes; i++)
		HOLDS(strchr(t->node[i].name, '.') == NULL && t->node[i].conf != NULL);
	for (size_t i = 0; i < t->n_wires; i++) {
		const struct topo_wire *w = &t->wire[i];

		check_end(t, &w->from);
		check_end(t, &w->to);
		HOLDS(!same(&w->from, &w->to) && w->rate_bps != 0);
		for (size_t k = 0; k < i; k++)
			HOLDS(!same(&w->from, &t->wire[k].from) && !same(&w->to, &t->wire[k].to));
	}
	for (size_t i = 0; i < t->n_inputs; i++) {
		check_end(t, &t->input[i].port);
		HOLDS(t->input[i].path != NULL);
	}
	for (size_t i = 0; i < t->n_events; i++) {
		HOLDS(t->event[i].wire_idx < t->n_wires);
		HOLDS(i == 0 || t->event[i - 1].at_ns <= t->event[i].at_ns);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topo_source source = {.load = load};
	struct topo *t = NULL;
	struct topo_errors e;
	int rc = topo_parse("f.yaml", (const char *)data, size, &source, &t, &e);

	HOLDS((rc == 0) == (t != NULL) && (rc == 0) == (e.own.n + e.own.n_left_out == 0));
	for (size_t i = 1; i < e.own.n; i++) {
		struct conf_pos a = e.own.error[i - 1].pos, b = e.own.error[i].pos;

		HOLDS(a.line < b.line || (a.line == b.line && a.col <= b.col));
	}
	if (t != NULL)
		check_topo(t);
	topo_errors_fini(&e);
	topo_free(t);
	return 0;
}
