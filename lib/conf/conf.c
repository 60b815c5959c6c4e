/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The front door of a node's file: load.c reads it by the table of schema.c, check.c looks across
 * items. One error and there is no conf.
 */
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "conf/check.h"
#include "conf/file.h"
#include "conf/load.h"

static void
free_ports(struct conf *c)
{
	for (size_t i = 0; i < c->n_ports; i++) {
		free(c->port[i].device);
		free(c->port[i].address);
		free(c->port[i].address_pos);
	}
	free(c->port);
}

void
conf_free(struct conf *c)
{
	if (c == NULL)
		return;
	free_ports(c);
	for (size_t i = 0; i < c->n_workers; i++)
		free(c->worker[i].rx);
	free(c->worker);
	for (size_t i = 0; i < c->n_eal; i++)
		free(c->eal[i]);
	free(c->eal);
	for (size_t i = 0; i < c->n_groups; i++)
		free(c->group[i].member);
	free(c->group);
	for (size_t i = 0; i < c->n_hypers; i++)
		free(c->hyper[i].member);
	free(c->hyper);
	free(c->dsf.system_port);
	free(c->dsf.device);
	free(c->route);
	free(c->file);
	free(c);
}

int
conf_parse(const char *file, const char *yaml, size_t len, struct conf **ret_conf,
	struct conf_errors *ret_errors)
{
	static const struct load_kind kind = {.schema = &schema_file, .check = check_file};
	struct decode d = {.errors = ret_errors, .conf = calloc(1, sizeof(*d.conf))};
	int rc = -ENOMEM;

	*ret_errors = (struct conf_errors){0};
	if (d.conf != NULL)
		d.conf->file = strdup(file);
	if (d.conf != NULL && d.conf->file != NULL)
		rc = load_text(&d, &kind, yaml, len, d.conf);
	else
		errors_add(ret_errors, (struct conf_pos){0},
			"file: got no memory to read it, want more");
	free(d.group_by_name);
	if (rc == 0)
		*ret_conf = d.conf;
	else
		conf_free(d.conf);
	return rc;
}

int
conf_load(const char *file, struct conf **ret_conf, struct conf_errors *ret_errors)
{
	char *yaml;
	size_t len;
	int rc;

	*ret_errors = (struct conf_errors){0};
	rc = file_read(file, &yaml, &len, ret_errors);
	if (rc != 0)
		return rc;
	rc = conf_parse(file, yaml, len, ret_conf, ret_errors);
	free(yaml);
	return rc;
}

/*
 * The id'th number of SplitMix64 from 0, as nhg/hash_inl.h has it (conf may not look there): far
 * apart for neighbouring ids.
 */
uint64_t
conf_seed(const struct conf *c)
{
	struct rng r;

	if (c->has_hash_seed)
		return c->hash_seed;
	rng_init(&r, c->node_id * UINT64_C(0x9e3779b97f4a7c15));
	return rng_next(&r);
}

uint64_t
conf_group_seed(const struct conf *c, const struct conf_group *g)
{
	return g->has_hash_seed ? g->hash_seed : conf_seed(c);
}

const char *
conf_role_name(enum conf_role role)
{
	return role == CONF_ROLE_DSF ? "dsf" : role == CONF_ROLE_LONGHAUL ? "longhaul" : "nsf";
}
