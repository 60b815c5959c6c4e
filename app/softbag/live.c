/* SPDX-License-Identifier: BSD-3-Clause */
/* Load, check, diff, and the node's own reload (lib/ctl/reload.c). run.c and the console call it.
 */
#include "live.h"

#include <errno.h>
#include <string.h>

#include "conf/diff.h"

/* A reload is over once each worker has had a turn: one that has none in this time hangs. */
#define SETTLE_S 2u

void
live_init(struct live *l, struct node *node, struct conf *conf, const char *file)
{
	*l = (struct live){.node = node, .conf = conf, .file = file};
}

void
live_fini(struct live *l)
{
	conf_free(l->conf);
	conf_free(l->before);
}

static struct conf *
load(const char *file, FILE *out)
{
	struct conf_errors errors, warnings;
	struct conf *c = NULL;

	if (conf_load(file, &c, &errors) != 0) {
		conf_errors_print(&errors, file, out);
		c = NULL;
	} else if (conf_warnings(c, &warnings) == 0) {
		for (size_t i = 0; i < warnings.n; i++)
			fprintf(out, "%s:%u:%u: warning: %s\n", file, warnings.error[i].pos.line,
				warnings.error[i].pos.col, warnings.error[i].text);
		conf_errors_fini(&warnings);
	}
	conf_errors_fini(&errors);
	return c;
}

/* One reload at a time: waits for the end of the one before. */
static bool
settle(struct node *n)
{
	uint64_t begin = clock_now(&n->env.clock);

	while (!node_settled(n)) {
		uint64_t now = clock_now(&n->env.clock);

		if (now - begin > n->env.clock.hz * SETTLE_S)
			return false;
		node_poll(n, now);
	}
	return true;
}

/* 0: `c` runs, and what ran before is *ret_before. */
static int
take(struct live *l, struct conf *c, struct conf **ret_before, FILE *out)
{
	int rc = settle(l->node) ? node_reload(l->node, c) : -EBUSY;

	if (rc == -EBUSY)
		fputs("The reload before is not over: a worker has had no turn since.\n", out);
	if (rc != 0)
		return rc;
	*ret_before = l->conf;
	l->conf = c;
	return 0;
}

static int
print_diff(const struct live *l, const struct conf *c, FILE *out)
{
	struct conf_diff diff;
	int rc = conf_diff(l->conf, c, &diff);

	if (rc != 0) {
		fputs("There is no memory to compare the files.\n", out);
		return rc;
	}
	conf_diff_print(&diff, l->file, out);
	if (diff.n == 0)
		fprintf(out, "%s: no difference to what runs\n", l->file);
	conf_diff_fini(&diff);
	return 0;
}

int
live_reload(struct live *l, unsigned int confirm_s, FILE *out)
{
	struct conf *c, *before;
	int rc;

	if (l->before != NULL && confirm_s == 0) {
		fputs("A configuration waits for its commit; commit it, or wait until it is taken "
		      "back.\n",
			out);
		return -EBUSY;
	}
	c = load(l->file, out);
	if (c == NULL) {
		fputs("Nothing has changed.\n", out);
		return -EINVAL;
	}
	rc = print_diff(l, c, out);
	if (rc == 0)
		rc = take(l, c, &before, out);
	if (rc != 0) {
		conf_free(c);
		fputs("Nothing has changed.\n", out);
		return rc;
	}
	if (confirm_s != 0) {
		l->rollback_tsc =
			clock_now(&l->node->env.clock) + confirm_s * l->node->env.clock.hz;
		/* a second one does not make the first one good */
		if (l->before == NULL) {
			l->before = before;
			before = NULL;
		}
		fprintf(out, "%s runs; commit within %u s, or it is taken back.\n", l->file,
			confirm_s);
	} else {
		fprintf(out, "%s runs.\n", l->file);
	}
	conf_free(before);
	return 0;
}

bool
live_commit(struct live *l)
{
	bool any = l->before != NULL;

	conf_free(l->before);
	l->before = NULL;
	return any;
}

void
live_poll(struct live *l, uint64_t now)
{
	struct conf *tried;

	if (l->before == NULL || (int64_t)(now - l->rollback_tsc) < 0)
		return;
	/* what ran an instant ago fits; memory may be short, and is asked for again */
	if (take(l, l->before, &tried, stderr) != 0) {
		l->rollback_tsc = now + l->node->env.clock.hz;
		return;
	}
	l->before = NULL;
	conf_free(tried);
	fprintf(stderr, "softbag: nobody has committed %s: what ran before runs again.\n", l->file);
}
