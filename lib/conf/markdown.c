/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/config.md's reference, from the same tables that parse. */
#include <inttypes.h>
#include <string.h>

#include "conf/field.h"

#define SCHEMAS_MAX 64u /* twice what there are */

static void
write_default(const struct field *f, FILE *out)
{
	char amount[AMOUNT_LEN];

	if (f->required) {
		fputs("required", out);
	} else if (f->def_text != NULL) {
		fputs(f->def_text, out);
	} else if (f->type == FIELD_AMOUNT) {
		fputs(amount_show(f->amount, f->def, amount), out);
	} else if (f->type == FIELD_BOOL) {
		fputs(f->def ? "true" : "false", out);
	} else if (f->type == FIELD_INT) {
		fprintf(out, f->hex ? "0x%04" PRIx64 : "%" PRIu64, f->def);
	} else if (f->type == FIELD_ENUM) {
		for (const struct field_word *w = f->words; w->word != NULL; w++)
			if (w->refused == NULL && w->value == f->def)
				fputs(w->word, out);
	} else if (f->type == FIELD_FLAGS) {
		const char *sep = "[";

		for (const struct field_word *w = f->words; w->word != NULL; w++, sep = ", ")
			if ((w->value & f->def) != 0)
				fprintf(out, "%s%s", sep, w->word);
		fputs("]", out);
	} else {
		fputs("none", out);
	}
}

static const char *
type_name(enum field_type type)
{
	static const char *const name[] = {
		[FIELD_INT] = "integer",
		[FIELD_BOOL] = "boolean",
		[FIELD_ENUM] = "word",
		[FIELD_NAME] = "name",
		[FIELD_STRING] = "text",
		[FIELD_MAC] = "MAC",
		[FIELD_ADDR] = "address",
		[FIELD_IFADDR] = "address/length",
		[FIELD_PREFIX] = "prefix",
		[FIELD_PORT] = "port, by name",
		[FIELD_GROUP] = "group, by name",
		[FIELD_DEVICE] = "device, by name",
		[FIELD_END] = "NODE.PORT",
		[FIELD_FLAGS] = "list of words",
		[FIELD_DSCPS] = "list of DSCPs",
		[FIELD_MAP] = "mapping",
		[FIELD_LIST] = "list",
		[FIELD_PLACED] = "list",
	};

	return name[type];
}

static void
write_type(const struct field *f, FILE *out)
{
	if (f->type == FIELD_LIST && f->element != NULL)
		fprintf(out, "list of %s", type_name(f->element->type));
	else if (f->type == FIELD_LIST || f->type == FIELD_PLACED)
		fputs("list of mappings", out);
	else if (f->type == FIELD_AMOUNT)
		fputs(amount_units(f->amount), out);
	else if (f->type == FIELD_MAP && f->words != NULL)
		fputs("word or mapping", out);
	else if (f->type == FIELD_MAP && f->list_is != NULL)
		fputs("list of words, or mapping", out);
	else
		fputs(type_name(f->type), out);
}

/* GitHub's anchor of a heading: no brackets, no dots. */
static const char *
anchor(const char *title, char buf[FIELD_WANT_LEN])
{
	size_t n = 0;

	for (; *title != '\0' && n + 1 < FIELD_WANT_LEN; title++)
		if (strchr("[].", *title) == NULL)
			buf[n++] = *title;
	buf[n] = '\0';
	return buf;
}

static void
write_words(const struct field *f, FILE *out)
{
	for (const struct field_word *w = f->words; w->word != NULL; w++)
		fprintf(out, "%s%s", w->word, w[1].word ? ", " : "; or ");
}

static void
write_range(const struct field *f, FILE *out)
{
	char want[FIELD_WANT_LEN];

	switch (f->type) {
	case FIELD_MAP:
		if (f->words != NULL)
			write_words(f, out);
		if (f->list_is != NULL)
			fprintf(out, "a list of `%s`; or ", f->list_is);
		fprintf(out, "see [%s](#%s)", f->item->title, anchor(f->item->title, want));
		break;
	default:
		fputs(field_want(f, want), out);
		if (f->item != NULL)
			fprintf(out, ", each as [%s](#%s)", f->item->title,
				anchor(f->item->title, want));
	}
}

/* A schema that several fields share has one table. */
struct written {
	const struct schema *schema[SCHEMAS_MAX];
	size_t n;
};

static bool
is_written(struct written *w, const struct schema *s)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->schema[i] == s)
			return true;
	if (w->n < SCHEMAS_MAX)
		w->schema[w->n++] = s;
	return false;
}

static void
write_table(const struct schema *s, struct written *w, FILE *out)
{
	if (is_written(w, s))
		return;
	fprintf(out, "\n## %s\n\n| key | type, unit | range | default | meaning |\n", s->title);
	fputs("|---|---|---|---|---|\n", out);
	for (size_t i = 0; i < s->n; i++) {
		const struct field *f = &s->field[i];

		if (f->refused != NULL)
			continue;
		fprintf(out, "| `%s` | ", f->key);
		write_type(f, out);
		fputs(" | ", out);
		write_range(f, out);
		fputs(" | ", out);
		write_default(f, out);
		fprintf(out, " | %s |\n", f->help);
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->field[i].item != NULL)
			write_table(s->field[i].item, w, out);
}

void
conf_schema_markdown(FILE *out)
{
	struct written w = {.n = 0};

	write_table(&schema_file, &w, out);
}
