/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The front door of a topology: load.c reads it by the table of topo_schema.c, then the nodes'
 * configurations are read, then topo_check.c looks across all of it.
 */
#include "conf/topo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/file.h"
#include "conf/load.h"
#include "conf/topo_item.h"

void
topo_free(struct topo *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->n_nodes; i++) {
		free(t->node[i].config);
		free(t->node[i].path);
		conf_free(t->node[i].conf);
	}
	for (size_t i = 0; i < t->n_inputs; i++) {
		free(t->input[i].capture);
		free(t->input[i].path);
	}
	free(t->node);
	free(t->wire);
	free(t->input);
	free(t->event);
	free(t->file);
	free(t);
}

void
topo_errors_fini(struct topo_errors *e)
{
	conf_errors_fini(&e->own);
	for (size_t i = 0; i < e->n_files; i++) {
		conf_errors_fini(&e->file[i].errors);
		free(e->file[i].path);
	}
	free(e->file);
	*e = (struct topo_errors){0};
}

void
topo_errors_print(const struct topo_errors *e, const char *file, FILE *out)
{
	conf_errors_print(&e->own, file, out);
	for (size_t i = 0; i < e->n_files; i++)
		conf_errors_print(&e->file[i].errors, e->file[i].path, out);
}

/* `name` seen from the folder of `file`. NULL: no memory. */
static char *
beside(const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');
	char *path;

	if (slash == NULL || name[0] == '/')
		return strdup(name);
	if (asprintf(&path, "%.*s/%s", (int)(slash - file), file, name) < 0)
		return NULL;
	return path;
}

static bool
is_told(const struct topo_errors *e, const char *path)
{
	for (size_t i = 0; i < e->n_files; i++)
		if (strcmp(e->file[i].path, path) == 0)
			return true;
	return false;
}

/* Takes over the errors. */
static int
keep_errors(struct topo_errors *e, const char *path, struct conf_errors *errors)
{
	void *bigger = reallocarray(e->file, e->n_files + 1, sizeof(*e->file));
	char *copy = strdup(path);

	if (bigger != NULL)
		e->file = bigger;
	if (bigger == NULL || copy == NULL) {
		free(copy);
		conf_errors_fini(errors);
		return -ENOMEM;
	}
	e->file[e->n_files].path = copy;
	e->file[e->n_files].errors = *errors;
	e->n_files++;
	return 0;
}

static int
load_node(struct topo *t, struct topo_node *n)
{
	struct conf_errors errors;
	int rc;

	if (n->config == NULL)
		return 0;
	n->path = beside(t->file, n->config);
	if (n->path == NULL)
		return -ENOMEM;
	if (t->source == NULL)
		rc = conf_load(n->path, &n->conf, &errors);
	else
		rc = t->source->load(t->source->ctx, n->path, &n->conf, &errors);
	if (rc != 0 && !is_told(t->errors, n->path))
		return keep_errors(t->errors, n->path, &errors);
	conf_errors_fini(&errors);
	return 0;
}

static int
load_and_check(struct decode *d)
{
	struct topo *t = d->topo;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < t->n_nodes; i++)
		rc = load_node(t, &t->node[i]);
	for (size_t i = 0; rc == 0 && i < t->n_inputs; i++) {
		if (t->input[i].capture == NULL)
			continue;
		t->input[i].path = beside(t->file, t->input[i].capture);
		rc = t->input[i].path == NULL ? -ENOMEM : 0;
	}
	return rc != 0 ? rc : topo_check(d);
}

int
topo_parse(const char *file, const char *yaml, size_t len, const struct topo_source *source,
	struct topo **ret_topo, struct topo_errors *ret_errors)
{
	static const struct load_kind kind = {.schema = &schema_topo, .check = load_and_check};
	struct topo *t = calloc(1, sizeof(*t));
	struct decode d = {.errors = &ret_errors->own, .topo = t};
	int rc = -ENOMEM;

	*ret_errors = (struct topo_errors){0};
	if (t != NULL) {
		t->file = strdup(file);
		t->source = source;
		t->errors = ret_errors;
	}
	if (t != NULL && t->file != NULL)
		rc = load_text(&d, &kind, yaml, len, t);
	else
		errors_add(&ret_errors->own, (struct conf_pos){0},
			"file: got no memory to read it, want more");
	if (rc == 0 && ret_errors->n_files != 0)
		rc = -EINVAL;
	if (rc != 0) {
		topo_free(t);
		return rc;
	}
	t->source = NULL;
	t->errors = NULL;
	*ret_topo = t;
	return 0;
}

int
topo_load(const char *file, struct topo **ret_topo, struct topo_errors *ret_errors)
{
	char *yaml;
	size_t len;
	int rc;

	*ret_errors = (struct topo_errors){0};
	rc = file_read(file, &yaml, &len, &ret_errors->own);
	if (rc != 0)
		return rc;
	rc = topo_parse(file, yaml, len, NULL, ret_topo, ret_errors);
	free(yaml);
	return rc;
}
