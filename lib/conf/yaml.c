/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libyaml's events to our tree. The event interface and not the document one: it resolves no
 * aliases (so none can explode), gives the mark of each node, and lets us count before we store.
 */
#include "conf/yaml.h"

#include <errno.h>
#include <string.h>

#include <yaml.h>

#include "conf/syntax.h"
#include "conf/text.h"

#define BOM "\xef\xbb\xbf"

struct builder {
	yaml_parser_t parser;
	struct tree *tree;
	struct conf_errors *errors;
	unsigned int depth;
	uint32_t open[CONF_DEPTH_MAX]; /* lists and mappings not yet closed */
	uint32_t last[CONF_DEPTH_MAX]; /* their last child, or TREE_NONE */
	bool done;
	unsigned int n_documents;
};

static struct conf_pos
mark_pos(const yaml_mark_t *m)
{
	return (struct conf_pos){.line = (uint32_t)m->line + 1, .col = (uint32_t)m->column + 1};
}

static int
refuse(struct builder *b, const yaml_event_t *ev, const char *what)
{
	errors_add(b->errors, mark_pos(&ev->start_mark), "file: %s", what);
	return -EINVAL;
}

/* Puts a node behind its elder sibling. */
static void
link_node(struct builder *b, uint32_t idx)
{
	struct tree_node *up;
	unsigned int d = b->depth;

	if (d == 0)
		return;
	up = &b->tree->node[b->open[d - 1]];
	if (b->last[d - 1] == TREE_NONE)
		up->at = idx;
	else
		b->tree->node[b->last[d - 1]].next = idx;
	b->last[d - 1] = idx;
	up->n++;
}

static struct tree_node
new_node(const yaml_event_t *ev, enum tree_type type, const void *anchor, const void *tag)
{
	struct conf_pos pos = mark_pos(&ev->start_mark);

	return (struct tree_node){
		.at = TREE_NONE,
		.next = TREE_NONE,
		.line = pos.line,
		.col = pos.col,
		.anchored = anchor != NULL,
		.tagged = tag != NULL,
		.type = type,
	};
}

static int
on_scalar(struct builder *b, const yaml_event_t *ev)
{
	struct tree_node node =
		new_node(ev, TREE_TEXT, ev->data.scalar.anchor, ev->data.scalar.tag);
	uint32_t idx;
	int rc;

	node.plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	rc = tree_add_text(
		b->tree, node, (const char *)ev->data.scalar.value, ev->data.scalar.length, &idx);
	if (rc == 0)
		link_node(b, idx);
	return rc;
}

static int
on_open(struct builder *b, const yaml_event_t *ev, struct tree_node node)
{
	uint32_t idx;
	int rc;

	if (b->depth == CONF_DEPTH_MAX)
		return refuse(
			b, ev, "got lists and mappings nested deeper than 16, want at most 16");
	rc = tree_add(b->tree, &node, &idx);
	if (rc != 0)
		return rc;
	link_node(b, idx);
	b->open[b->depth] = idx;
	b->last[b->depth] = TREE_NONE;
	b->depth++;
	return 0;
}

/* lint.c reports it, with its path. */
static int
on_alias(struct builder *b, const yaml_event_t *ev)
{
	struct tree_node node = new_node(ev, TREE_BAD, NULL, NULL);
	uint32_t idx;
	int rc = tree_add(b->tree, &node, &idx);

	if (rc == 0)
		link_node(b, idx);
	return rc;
}

static int
on_document(struct builder *b, const yaml_event_t *ev)
{
	if (b->n_documents++ != 0)
		return refuse(b, ev, "got a second document, want one a file");
	return 0;
}

static int
on_event(struct builder *b, const yaml_event_t *ev)
{
	if (b->tree->n >= CONF_NODES_MAX)
		return refuse(b, ev, "got more than 8388608 values, want at most as many");
	switch (ev->type) {
	case YAML_DOCUMENT_START_EVENT:
		return on_document(b, ev);
	case YAML_SCALAR_EVENT:
		return on_scalar(b, ev);
	case YAML_ALIAS_EVENT:
		return on_alias(b, ev);
	case YAML_SEQUENCE_START_EVENT:
		return on_open(b, ev,
			new_node(ev, TREE_LIST, ev->data.sequence_start.anchor,
				ev->data.sequence_start.tag));
	case YAML_MAPPING_START_EVENT:
		return on_open(b, ev,
			new_node(ev, TREE_MAP, ev->data.mapping_start.anchor,
				ev->data.mapping_start.tag));
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return 0;
	case YAML_STREAM_END_EVENT:
		b->done = true;
		return 0;
	default:
		return 0;
	}
}

static int
parse_events(struct builder *b, const char *s, size_t len)
{
	int rc = 0;

	yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b->parser, (const unsigned char *)s, len);
	while (rc == 0 && !b->done) {
		yaml_event_t ev;

		if (!yaml_parser_parse(&b->parser, &ev))
			return syntax_error(&b->parser, s, len, b->errors);
		rc = on_event(b, &ev);
		yaml_event_delete(&ev);
	}
	return rc;
}

static int
check_bytes(const char *s, size_t len, struct conf_errors *e)
{
	struct conf_pos pos;
	char what[64];

	if (len >= 2 && (memcmp(s, "\xff\xfe", 2) == 0 || memcmp(s, "\xfe\xff", 2) == 0)) {
		errors_add(e, (struct conf_pos){1, 1}, "file: got UTF-16, want UTF-8");
		return -EINVAL;
	}
	if (text_check(s, len, &pos, what, sizeof(what)) == 0)
		return 0;
	errors_add(e, pos, "file: got %s, want a text file in UTF-8", what);
	return -EINVAL;
}

int
yaml_to_tree(const char *s, size_t len, struct tree *t, struct conf_errors *e)
{
	struct builder b = {.tree = t, .errors = e};
	int rc;

	if (len >= 3 && memcmp(s, BOM, 3) == 0) {
		s += 3;
		len -= 3;
	}
	rc = check_bytes(s, len, e);
	if (rc != 0)
		return rc;
	if (!yaml_parser_initialize(&b.parser))
		return -ENOMEM;
	rc = parse_events(&b, s, len);
	yaml_parser_delete(&b.parser);
	if (rc == 0 && t->n == 0) {
		errors_add(e, (struct conf_pos){1, 1},
			"file: got nothing in it, want `version: 1` first");
		return -EINVAL;
	}
	return rc;
}
