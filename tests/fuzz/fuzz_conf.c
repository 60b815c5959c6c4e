/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a configuration: refused with errors in order, or a tree whose indexes all point at
 * something. Warnings, explanation and the printed form run, too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#define HOLDS(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "does not hold: %s\n", #what);                             \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_errors(const struct conf_errors *e)
{
	char *text;
	size_t len, n_lines = 0;
	FILE *out = open_memstream(&text, &len);

	HOLDS(out != NULL);
	conf_errors_print(e, "f.yaml", out);
	fclose(out);
	for (size_t i = 0; i < len; i++) {
		HOLDS((unsigned char)text[i] >= 0x20 || text[i] == '\n');
		n_lines += text[i] == '\n';
	}
	HOLDS(n_lines == e->n + (e->n_left_out != 0)); /* an error is one line */
	free(text);
	HOLDS(e->n <= CONF_ERRORS_MAX);
	for (size_t i = 1; i < e->n; i++) {
		struct conf_pos a = e->error[i - 1].pos, b = e->error[i].pos;

		HOLDS(a.line < b.line || (a.line == b.line && a.col <= b.col));
	}
}

/* By a port that carries IP, or to a device. */
static void
check_member(const struct conf *c, const struct conf_member *m)
{
	if (m->device_idx != UINT16_MAX) {
		HOLDS(m->device_idx < c->dsf.n_devices && m->port_idx == UINT16_MAX);
		HOLDS(m->via.family == 0 && (!m->has_mac || m->system_port != 0));
		return;
	}
	HOLDS(m->port_idx < c->n_ports && m->system_port == 0);
	HOLDS(c->port[m->port_idx].role != CONF_ROLE_DSF);
	HOLDS(m->via.family != 0 || m->has_mac);
}

static void
check_fabric(const struct conf *c)
{
	const struct conf_dsf *f = &c->dsf;
	size_t n_links = 0;

	for (size_t i = 0; i < c->n_ports; i++) {
		if (c->port[i].role != CONF_ROLE_DSF)
			continue;
		n_links++;
		HOLDS(c->port[i].mtu >= f->cell_size + CONF_DSF_HEADER_LEN);
		HOLDS(c->port[i].pfc.classes == 0 && c->port[i].delay_ns == 0);
	}
	HOLDS(n_links <= CONF_DSF_LINKS_MAX && (n_links == 0 || f->pos.line != 0));
	HOLDS((f->device_id != 0) == (f->pos.line != 0));
	HOLDS(f->cell_size >= 256 && f->cell_size <= 9216 && f->ethertype >= 0x600);
	HOLDS(f->reassembly_cells >= 64 && f->credit_bytes >= 1000 && f->speedup_permille >= 500);
	HOLDS(f->min_links_remain >= 1 && f->min_links_remain <= f->min_links_join);
	for (size_t i = 0; i < f->n_devices; i++)
		HOLDS(f->device[i].id != 0 && f->device[i].id != f->device_id &&
			conf_device_by_name(c, f->device[i].name) == (int)i);
	for (size_t i = 0; i < f->n_system_ports; i++)
		HOLDS(f->system_port[i].number != 0 && f->system_port[i].port_idx < c->n_ports &&
			c->port[f->system_port[i].port_idx].role != CONF_ROLE_DSF);
}

static void
check_group(const struct conf *c, const struct conf_group *g)
{
	size_t weighted = 0;

	HOLDS(g->name[0] != '\0' && (g->hash_fields & CONF_HASH_5TUPLE) != 0);
	HOLDS(g->n_members >= 1 && g->n_members <= CONF_MEMBERS_MAX);
	HOLDS(g->buckets >= 64 && g->buckets <= 32768 && (g->buckets & (g->buckets - 1)) == 0);
	for (size_t i = 0; i < g->n_members; i++) {
		check_member(c, &g->member[i]);
		weighted += g->member[i].weight > 0;
	}
	HOLDS(weighted <= g->buckets);
}

/* Lines of text, for every configuration that is accepted. */
static void
check_explanation(const struct conf *c)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	HOLDS(out != NULL);
	HOLDS(conf_explain(c, out) == 0);
	fclose(out);
	for (size_t i = 0; i < len; i++)
		HOLDS((unsigned char)text[i] >= 0x20 || text[i] == '\n');
	HOLDS(len != 0 && text[len - 1] == '\n');
	free(text);
}

static void
check_conf(const struct conf *c)
{
	struct conf_errors w;

	HOLDS(c->node_id != 0 && c->node_name[0] != '\0');
	HOLDS(c->n_ports >= 1 && c->n_ports <= CONF_PORTS_MAX);
	for (size_t i = 0; i < c->n_ports; i++)
		HOLDS(c->port[i].device != NULL && conf_port_by_name(c, c->port[i].name) == (int)i);
	for (size_t i = 0; i < c->n_groups; i++)
		check_group(c, &c->group[i]);
	for (size_t i = 0; i < c->n_routes; i++)
		HOLDS(c->route[i].prefix.family != 0 && c->route[i].group_idx < c->n_groups);
	for (size_t i = 0; i < c->n_workers; i++)
		for (size_t j = 0; j < c->worker[i].n_rx; j++)
			HOLDS(c->worker[i].rx[j] < c->n_ports);
	check_fabric(c);
	HOLDS(c->burst >= 1 && c->burst <= 64 && c->memory >= 64000000);
	HOLDS(conf_warnings(c, &w) == 0);
	check_errors(&w);
	conf_errors_fini(&w);
	check_explanation(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf *c = NULL;
	struct conf_errors e;
	int rc = conf_parse("f.yaml", (const char *)data, size, &c, &e);

	HOLDS((rc == 0) == (c != NULL) && (rc == 0) == (e.n + e.n_left_out == 0));
	check_errors(&e);
	if (c != NULL)
		check_conf(c);
	conf_errors_fini(&e);
	conf_free(c);
	return 0;
}
