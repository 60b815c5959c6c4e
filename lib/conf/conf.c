/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The front door: bytes to tree (yaml.c), lint (lint.c), tree to struct conf (field.c by schema.c),
 * checks across items (check.c). Every step adds its errors; one error and there is no conf.
 */
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "conf/check.h"
#include "conf/file.h"
#include "conf/yaml.h"

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
	free(c->route);
	free(c->file);
	free(c);
}

static int
decode_tree(struct decode *d)
{
	int rc;

	schema_decode(d, &schema_file, 0, NULL, d->conf);
	rc = d->rc ? d->rc : check_file(d);
	free(d->group_by_name);
	return rc;
}

/*
 * The tree's lint and its meaning, in one list of errors. Of a partial tree, whose file has its
 * error already, what was read before that is judged, and nothing is missed that may come later.
 */
static int
tree_to_conf(struct tree *t, const char *file, struct conf **ret_conf, struct conf_errors *errors)
{
	struct decode d = {.tree = t, .errors = errors};
	int rc;

	d.conf = calloc(1, sizeof(*d.conf));
	if (d.conf == NULL)
		return -ENOMEM;
	d.conf->file = strdup(file);
	rc = d.conf->file == NULL ? -ENOMEM : tree_lint(t, errors);
	if (t->partial)
		tree_trim(t);
	if (rc == 0 && t->n != 0)
		rc = decode_tree(&d);
	if (rc == 0 && errors_any(errors))
		rc = -EINVAL;
	if (rc == 0)
		*ret_conf = d.conf;
	else
		conf_free(d.conf);
	return rc;
}

int
conf_parse(const char *file, const char *yaml, size_t len, struct conf **ret_conf,
	struct conf_errors *ret_errors)
{
	struct tree t = {0};
	int rc;

	*ret_errors = (struct conf_errors){0};
	if (len > CONF_FILE_MAX)
		return file_too_large(len, ret_errors);
	rc = yaml_to_tree(yaml, len, &t, ret_errors);
	if (rc == 0 || rc == -EINVAL)
		rc = tree_to_conf(&t, file, ret_conf, ret_errors);
	if (rc == -ENOMEM)
		errors_add(ret_errors, (struct conf_pos){0},
			"file: got no memory to read it, want more");
	tree_fini(&t);
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
