/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a lab: topology, captures, EAL, nodes, files, run, reports. main.c comes before. */
#include "lab_main.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctl/eal.h"
#include "json_file.h"
#include "lab.h"
#include "paths.h"

static void
say(void *ctx, enum node_severity severity, const char *sentence)
{
	const struct args *a = ctx;

	if (severity == NODE_ERROR || a->verbose)
		fprintf(stderr, "softbag-replay: %s\n", sentence);
}

/* Everything that is read. NULL: no memory. */
static const char **
inputs_of(const struct topo *t, size_t *ret_n)
{
	const char **path = calloc(1 + t->n_nodes + t->n_inputs, sizeof(*path));
	size_t n = 0;

	if (path == NULL)
		return NULL;
	path[n++] = t->file;
	for (size_t i = 0; i < t->n_nodes; i++)
		path[n++] = t->node[i].path;
	for (size_t i = 0; i < t->n_inputs; i++)
		path[n++] = t->input[i].path;
	*ret_n = n;
	return path;
}

static int
check_capture(const struct args *a, const struct topo_node *n, const char *port,
	const char *const *read, size_t n_read)
{
	char path[PATH_MAX + 128], prefix[CONF_NAME_MAX + 1];

	snprintf(prefix, sizeof(prefix), "%s.", n->name);
	sink_path(a->out_dir, prefix, port, path, sizeof(path));
	if (path_check_output(path, read, n_read) != 0)
		return -EINVAL;
	if (a->json == NULL || a->json_only || !path_same(a->json, path))
		return 0;
	fprintf(stderr,
		"softbag-replay: --json %s is what port %s%s writes; give it another name.\n",
		a->json, prefix, port);
	return -EINVAL;
}

/* Nothing that is written overwrites what is read, or what else is written. */
static int
check_outputs(const struct args *a, const struct topo *t)
{
	size_t n_read = 0;
	const char **read = inputs_of(t, &n_read);
	int rc = read == NULL ? -ENOMEM : 0;

	if (rc == 0 && a->json != NULL && !a->json_only)
		rc = path_check_output(a->json, read, n_read);
	for (size_t i = 0; a->out_dir != NULL && i < t->n_nodes; i++)
		for (size_t p = 0; rc == 0 && p < t->node[i].conf->n_ports; p++)
			rc = check_capture(
				a, &t->node[i], t->node[i].conf->port[p].name, read, n_read);
	free(read);
	return rc;
}

/* Two nodes that hash alike are allowed, and seldom meant. */
static void
warn_seeds(const struct topo *t, const struct conf *const *conf)
{
	struct conf_errors warnings;

	if (conf_warn_equal_seeds(conf, t->n_nodes, &warnings) == 0)
		conf_errors_print(&warnings, t->file, stderr);
	conf_errors_fini(&warnings);
}

static int
close_sinks(struct lab *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_nodes; i++) {
		struct sink *s = &l->node[i].sink;

		if (sink_close(s) != 0 || s->failed)
			rc = -EIO;
	}
	return rc;
}

/* With everything open: the run and its reports. */
static int
run_and_report(struct lab *l, FILE *json)
{
	struct lab_totals totals;
	int rc = lab_run(l), ended = lab_end(l, &totals);

	rc = rc != 0 ? rc : ended;
	if (close_sinks(l) != 0) {
		fprintf(stderr,
			"softbag-replay: the captures in %s are not whole, so there is no report; "
			"give --out a place with room.\n",
			l->args->out_dir);
		json_discard(l->args, json);
		return -EIO;
	}
	if (!l->args->json_only)
		lab_text(l, &totals, stdout);
	if (json != NULL && json_close(l->args, json, lab_json(l, &totals, json)) != 0 && rc == 0)
		rc = -EIO;
	return rc;
}

static int
open_and_run(struct lab *l)
{
	const struct args *a = l->args;
	FILE *json = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->n_nodes; i++) {
		struct lab_node *n = &l->node[i];

		rc = sink_open(n->node, a->out_dir, n->prefix, n->wired, &n->sink);
	}
	if (rc == 0 && a->json != NULL) {
		json = json_open(a);
		rc = json == NULL ? -EIO : 0;
	}
	if (rc == 0)
		rc = run_and_report(l, json);
	close_sinks(l);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILED;
}

static int
with_topology(const struct args *a, const struct topo *t, const struct conf *const *conf,
	const volatile sig_atomic_t *interrupted)
{
	struct node_log log = {.say = say, .ctx = (void *)(uintptr_t)a};
	struct lab l = {.args = a, .topo = t, .interrupted = interrupted};
	int status = lab_load_captures(&l);
	bool started = status == 0 && eal_start_many(conf, t->n_nodes, &log) == 0;

	if (started)
		status = lab_init(&l, a, t);
	else if (status == 0)
		status = EXIT_FAILED;
	if (status == 0)
		status = open_and_run(&l);
	if (lab_fini(&l) != 0 && status == EXIT_SUCCESS)
		status = EXIT_FAILED;
	if (started)
		eal_stop();
	return status;
}

int
lab_main(const struct args *a, const volatile sig_atomic_t *interrupted)
{
	struct topo_errors errors;
	const struct conf **conf;
	struct topo *t = NULL;
	int status = EXIT_WRONG;

	if (topo_load(a->topology, &t, &errors) != 0)
		topo_errors_print(&errors, a->topology, stderr);
	topo_errors_fini(&errors);
	if (t == NULL)
		return EXIT_WRONG;
	conf = calloc(t->n_nodes, sizeof(*conf));
	for (size_t i = 0; conf != NULL && i < t->n_nodes; i++)
		conf[i] = t->node[i].conf;
	if (conf == NULL) {
		fputs("softbag-replay: memory ran out.\n", stderr);
		status = EXIT_FAILED;
	} else if (check_outputs(a, t) == 0) {
		warn_seeds(t, conf);
		status = with_topology(a, t, conf, interrupted);
	}
	free(conf);
	topo_free(t);
	return status;
}
