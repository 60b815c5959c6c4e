/* SPDX-License-Identifier: BSD-3-Clause */
/* Files checked and described, nothing started. */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

#include "conf/diff.h"
#include "ctl/node.h"
#include "log.h"

static void
print_warnings(const struct conf_errors *w, const char *file)
{
	for (size_t i = 0; i < w->n; i++)
		fprintf(stderr, "%s:%u:%u: warning: %s\n", file, w->error[i].pos.line,
			w->error[i].pos.col, w->error[i].text);
	if (w->n_left_out != 0)
		fprintf(stderr, "%s: %zu more warnings are left out\n", file, w->n_left_out);
}

struct conf *
check_load(const char *file)
{
	struct conf_errors errors, warnings;
	struct conf *c = NULL;

	if (conf_load(file, &c, &errors) != 0) {
		conf_errors_print(&errors, file, stderr);
		c = NULL;
	} else if (conf_warnings(c, &warnings) == 0) {
		print_warnings(&warnings, file);
		conf_errors_fini(&warnings);
	}
	conf_errors_fini(&errors);
	return c;
}

/* Comes before the verdict: the arithmetic is wanted most where it does not fit. */
static int
explain(const struct conf *c, const struct node_log *log)
{
	int rc;

	printf("%s: node %s\n\n", c->file, c->node_name);
	rc = conf_explain(c, stdout);
	fputc('\n', stdout);
	if (rc == 0)
		rc = node_explain(c, log, stdout);
	fputc('\n', stdout);
	fflush(stdout);
	return rc;
}

static int
check_one(const struct conf *c, bool explained, const struct node_log *log)
{
	uint64_t bytes;
	int rc = explained ? explain(c, log) : 0;

	if (rc == 0)
		rc = node_check(c, log, &bytes);
	if (rc == 0)
		printf("%s: ok: node %s, %zu ports, %zu groups, %zu routes; needs %" PRIu64
		       " of %" PRIu64 " MB\n",
			c->file, c->node_name, c->n_ports, c->n_groups, c->n_routes,
			bytes / 1000000 + 1, c->memory / 1000000);
	return rc;
}

/* What a node that runs `old` would have to take. */
static int
check_against(const struct conf *c, const struct conf *old)
{
	struct conf_diff diff;

	if (conf_diff(old, c, &diff) != 0) {
		fputs("softbag: error: no memory to compare the files.\n", stderr);
		return 1;
	}
	conf_diff_print(&diff, c->file, stdout);
	if (diff.n == 0)
		printf("%s: no difference to %s\n", c->file, old->file);
	else
		printf("%s: differences to %s: %zu live, %zu that need a restart\n", c->file,
			old->file, diff.n + diff.n_left_out - diff.n_restart, diff.n_restart);
	conf_diff_fini(&diff);
	return 0;
}

static int
against(const struct args *args, const struct conf *c)
{
	struct conf *old = check_load(args->against);
	int status = old == NULL ? 2 : check_against(c, old);

	conf_free(old);
	return status;
}

int
check_files(const struct args *args)
{
	struct conf *conf[ARGS_FILES_MAX];
	struct node_log log = log_stderr();
	struct conf_errors warnings;
	size_t n = 0;
	int status = 0;

	for (size_t i = 0; i < args->n_files; i++) {
		struct conf *c = check_load(args->file[i]);

		if (c == NULL || check_one(c, args->explain, &log) != 0)
			status = 2;
		if (c != NULL)
			conf[n++] = c;
	}
	if (args->against != NULL && n == 1 && status == 0)
		status = against(args, conf[0]);
	if (conf_warn_equal_seeds((const struct conf *const *)conf, n, &warnings) == 0) {
		for (size_t i = 0; i < warnings.n; i++)
			fprintf(stderr, "softbag: warning: %s\n", warnings.error[i].text);
		conf_errors_fini(&warnings);
	}
	for (size_t i = 0; i < n; i++)
		conf_free(conf[i]);
	return status;
}
