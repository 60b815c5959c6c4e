/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths for messages. Used by whoever walks the tree: lint.c, field.c, check.c. */
#include "conf/path.h"

#include <stdlib.h>
#include <string.h>

#include "conf/text.h"

struct path
path_key(const struct path *up, const char *key)
{
	return (struct path){.up = up, .key = key};
}

struct path
path_item(const struct path *up, const struct tree *t, uint32_t item, size_t idx)
{
	return (struct path){.up = up, .name = tree_item_name(t, item), .idx = idx};
}

static size_t
write_frame(const struct path *p, char *buf, size_t size)
{
	char shown[4 * TEXT_SHOW_MAX];
	const char *text = p->key ? p->key : p->name;
	int n;

	if (text == NULL)
		n = snprintf(buf, size, "[%zu]", p->idx);
	else
		n = snprintf(buf, size, "%s%s", p->up ? "." : "",
			text_show(text, strlen(text), shown, sizeof(shown)));
	return (size_t)n < size ? (size_t)n : size - 1;
}

static size_t
write_frames(const struct path *p, char *buf, size_t size)
{
	size_t n = p->up ? write_frames(p->up, buf, size) : 0;

	return n + write_frame(p, buf + n, size - n);
}

const char *
path_write(const struct path *p, char *buf, size_t size)
{
	if (p == NULL)
		snprintf(buf, size, "file");
	else
		write_frames(p, buf, size);
	return buf;
}

void
path_error(struct conf_errors *e, const struct path *p, struct conf_pos pos, const char *fmt, ...)
{
	char path[PATH_MAX_LEN];
	char *text = NULL;
	va_list ap;

	if (!errors_takes(e, pos)) {
		e->n_left_out++;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	errors_add(e, pos, "%s: %s", path_write(p, path, sizeof(path)), text ? text : fmt);
	free(text);
}
