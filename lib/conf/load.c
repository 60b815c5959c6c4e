/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes to tree (yaml.c), lint (lint.c), tree to struct (field.c by a schema), checks across items.
 * Every step adds its errors to one list. Called by conf.c and topo.c, which own the structs.
 */
#include "conf/load.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/file.h"
#include "conf/yaml.h"

/*
 * The tree's lint and its meaning, in one list of errors. Of a partial tree, whose file has its
 * error already, what was read before that is judged, and nothing is missed that may come later.
 */
static int
decode_tree(struct decode *d, const struct load_kind *kind, void *out)
{
	int rc = tree_lint(d->tree, d->errors);

	if (d->tree->partial)
		tree_trim(d->tree);
	if (rc != 0 || d->tree->n == 0)
		return rc;
	schema_decode(d, kind->schema, 0, NULL, out);
	return d->rc != 0 ? d->rc : kind->check(d);
}

int
load_text(struct decode *d, const struct load_kind *kind, const char *text, size_t len, void *out)
{
	struct tree t = {0};
	int rc;

	if (len > CONF_FILE_MAX)
		return file_too_large(len, d->errors);
	d->tree = &t;
	rc = yaml_to_tree(text, len, &t, d->errors);
	if (rc == 0 || rc == -EINVAL)
		rc = decode_tree(d, kind, out);
	if (rc == 0 && errors_any(d->errors))
		rc = -EINVAL;
	if (rc == -ENOMEM)
		errors_add(d->errors, (struct conf_pos){0},
			"file: got no memory to read it, want more");
	tree_fini(&t);
	d->tree = NULL;
	return rc;
}
