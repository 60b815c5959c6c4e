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
	bool flow[CONF_DEPTH_MAX];     /* they are in brackets */

	uint32_t closed[CONF_DEPTH_MAX]; /* those that an outdented line has closed */
	unsigned int n_closed;
	uint32_t closed_line;
	uint32_t stop_line; /* of what reading stopped at */
	bool is_yaml;       /* it stopped at a limit of ours, not of YAML's */
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
	b->stop_line = mark_pos(&ev->start_mark).line;
	b->is_yaml = true;
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
on_open(struct builder *b, const yaml_event_t *ev, struct tree_node node, bool flow)
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
	b->flow[b->depth] = flow;
	b->depth++;
	return 0;
}

/* Outside brackets, a list or mapping ends where the next line stands further left. */
static int
on_close(struct builder *b, const yaml_event_t *ev)
{
	struct conf_pos pos = mark_pos(&ev->start_mark);

	b->depth--;
	if (b->flow[b->depth])
		return 0;
	if (pos.line != b->closed_line)
		b->n_closed = 0;
	b->closed_line = pos.line;
	if (b->n_closed < CONF_DEPTH_MAX)
		b->closed[b->n_closed++] = b->open[b->depth];
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
				ev->data.sequence_start.tag),
			ev->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
	case YAML_MAPPING_START_EVENT:
		return on_open(b, ev,
			new_node(ev, TREE_MAP, ev->data.mapping_start.anchor,
				ev->data.mapping_start.tag),
			ev->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return on_close(b, ev);
	case YAML_STREAM_END_EVENT:
		b->done = true;
		return 0;
	default:
		return 0;
	}
}

/* A scanner that fails in what may be a key, or in quotes, has gone past the mistake. */
static uint32_t
stop_line(const yaml_parser_t *p)
{
	uint32_t line = mark_pos(&p->problem_mark).line, from = mark_pos(&p->context_mark).line;
	bool past = p->error == YAML_SCANNER_ERROR && p->context != NULL &&
		    strstr(p->context, "plain scalar") == NULL;

	return past && from < line ? from : line;
}

static int
parse_events(struct builder *b, const char *s, size_t len)
{
	int rc = 0;

	if (!yaml_parser_initialize(&b->parser))
		return -ENOMEM;
	yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b->parser, (const unsigned char *)s, len);
	while (rc == 0 && !b->done) {
		yaml_event_t ev;

		if (!yaml_parser_parse(&b->parser, &ev)) {
			b->stop_line = stop_line(&b->parser);
			rc = syntax_error(&b->parser, s, len, b->errors);
		} else {
			rc = on_event(b, &ev);
			yaml_event_delete(&ev);
		}
	}
	yaml_parser_delete(&b->parser);
	return rc;
}

/*
 * Says of the tree so far what may be judged. Not to be trusted: the line where reading stopped, a
 * value that is nothing because that line followed, and what is in brackets that were never closed
 * (with one missing, the rest reads as something else). Not known to be complete: what is still
 * open, and what ended only there, since that line's indentation may be the mistake.
 */
static void
leave_off(struct builder *b)
{
	struct tree *t = b->tree;

	t->partial = true;
	t->cut = (uint32_t)t->n;
	while (t->cut > 0 && t->node[t->cut - 1].line >= b->stop_line)
		t->cut--;
	if (t->cut > 0 && tree_is_null(t, t->cut - 1))
		t->cut--;
	for (unsigned int i = 0; i < b->depth; i++) {
		t->node[b->open[i]].open = 1;
		if (b->flow[i] && b->open[i] < t->cut)
			t->cut = b->open[i];
	}
	for (unsigned int i = 0; i < b->n_closed && b->closed_line >= b->stop_line; i++)
		t->node[b->closed[i]].open = 1;
}

/*
 * The lines before the one that is no YAML, once more: libyaml looks ahead, so its events stop
 * earlier than what it understood.
 */
static int
parse_again(struct tree *t, const char *s, size_t len, uint32_t line)
{
	struct conf_errors known = {0};
	struct builder b = {.tree = t, .errors = &known};
	int rc;

	tree_fini(t);
	rc = parse_events(&b, s, text_line_start(s, len, line));
	conf_errors_fini(&known);
	b.stop_line = line;
	leave_off(&b);
	return rc == -ENOMEM ? rc : 0;
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
	rc = parse_events(&b, s, len);
	if (rc == -EINVAL && b.is_yaml)
		leave_off(&b);
	else if (rc == -EINVAL && parse_again(t, s, len, b.stop_line) != 0)
		return -ENOMEM;
	if (rc == 0 && t->n == 0) {
		errors_add(e, (struct conf_pos){1, 1},
			"file: got nothing in it, want `version: 1` first");
		return -EINVAL;
	}
	return rc;
}
