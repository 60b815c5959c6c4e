/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tree as a file, by the tables that parse: `show config`. It loads to a tree without a
 * difference (diff.c), which the tests hold it to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/diff.h"
#include "conf/field_text.h"
#include "conf/schema.h"

#define STEP 2

struct dump {
	const struct conf *c;
	FILE *out;
	int rc;
};

static void dump_map(
	struct dump *d, const struct schema *s, const void *in, int indent, bool first_is_item);

/* A key and its colon; the first of an item stands behind its dash. */
static void
key(struct dump *d, const char *text, int indent, bool *item)
{
	if (*item)
		fprintf(d->out, "%*s- %s:", indent - STEP, "", text);
	else
		fprintf(d->out, "%*s%s:", indent, "", text);
	*item = false;
}

/* What stands in an inner mapping, as a text; NULL without memory. */
static char *
inner_text(struct dump *d, const struct schema *s, const void *in, int indent)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct dump inner = {.c = d->c, .out = out};

	if (out != NULL)
		dump_map(&inner, s, in, indent, false);
	if (out == NULL || fclose(out) != 0 || inner.rc != 0) {
		d->rc = -ENOMEM;
		free(text);
		return NULL;
	}
	return text;
}

static void
dump_inner(struct dump *d, const struct field *f, const void *in, int indent, bool *item)
{
	char *text;

	if (!field_map_present(f, in))
		return;
	text = inner_text(d, f->item, field_at(f, in), indent + STEP);
	if (text == NULL)
		return;
	if (text[0] != '\0') {
		key(d, f->key, indent, item);
		fprintf(d->out, "\n%s", text);
	} else if (f->item->with_pos && !f->item->part && !f->with_defaults) {
		key(d, f->key, indent, item);
		fputs(" {}\n", d->out);
	}
	free(text);
}

static void
dump_items(struct dump *d, const struct field *f, const void *in, int indent, bool *item)
{
	const void *items;
	size_t n = field_list(f, in, &items);

	if (n == 0)
		return;
	key(d, f->key, indent, item);
	if (f->item == NULL) {
		fputc(' ', d->out);
		field_write(f, d->c, in, d->out);
		fputc('\n', d->out);
		return;
	}
	fputc('\n', d->out);
	for (size_t i = 0; i < n; i++)
		dump_map(d, f->item, (const char *)items + i * f->item_size, indent + 2 * STEP,
			true);
}

static void
dump_placed(struct dump *d, const struct field *f, const void *in, int indent, bool *item)
{
	char *one = malloc(f->item_size);
	bool any = false;

	if (one == NULL)
		d->rc = -ENOMEM;
	for (size_t i = 0; one != NULL && i < f->max; i++) {
		memset(one, 0, f->item_size);
		if (!f->placed(in, i, one) && !f->whole)
			continue;
		if (!any) {
			key(d, f->key, indent, item);
			fputc('\n', d->out);
		}
		any = true;
		dump_map(d, f->item, one, indent + 2 * STEP, true);
	}
	free(one);
}

static void
dump_field(struct dump *d, const struct schema *s, const struct field *f, const void *in,
	int indent, bool *item)
{
	const char *text = s->text == NULL ? NULL : s->text(in, f->key);

	if (text != NULL) {
		if (text[0] == '\0')
			return;
		key(d, f->key, indent, item);
		fprintf(d->out, " %s\n", text);
	} else if (f->type == FIELD_MAP) {
		dump_inner(d, f, in, indent, item);
	} else if (f->type == FIELD_LIST) {
		dump_items(d, f, in, indent, item);
	} else if (f->type == FIELD_PLACED) {
		dump_placed(d, f, in, indent, item);
	} else if (f->required || !field_is_default(f, in)) {
		key(d, f->key, indent, item);
		fputc(' ', d->out);
		field_write(f, d->c, in, d->out);
		fputc('\n', d->out);
	}
}

static void
dump_map(struct dump *d, const struct schema *s, const void *in, int indent, bool first_is_item)
{
	bool item = first_is_item;

	for (size_t i = 0; i < s->n && d->rc == 0; i++)
		if (s->field[i].refused == NULL && !s->field[i].elsewhere)
			dump_field(d, s, &s->field[i], in, indent, &item);
}

int
conf_dump(const struct conf *c, FILE *out)
{
	struct dump d = {.c = c, .out = out};

	dump_map(&d, &schema_file, c, 0, false);
	return d.rc != 0 ? d.rc : ferror(out) ? -EIO : 0;
}
