/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of lib/conf share: small configurations, and parsing them in one line. */
#ifndef TESTS_CONF_TEST_H
#define TESTS_CONF_TEST_H

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "conf/conf.h"

/* A file that is right, in parts. The line after HEAD is 3, after PORTS 4, after GROUP 5. */
#define HEAD  "version: 1\nnode: {name: a, id: 1}\n"
#define PORTS HEAD "ports: [{name: p0, device: d0, role: nsf}, {name: p1, device: d1, role: nsf}]\n"
#define WAY   "{port: p0, mac: 02:00:00:00:00:01}"
#define GROUP PORTS "groups: [{name: g0, members: [" WAY "]}]\n"

/* One with more keys in an item. Their lines: 4, 5, 5, 5, 7, 5. */
#define PORT(keys)   HEAD "ports:\n  - {name: p0, device: d0, role: nsf, " keys "}\n"
#define RUNTIME(key) PORTS "runtime:\n  " key "\n"
#define GROUPS(keys) PORTS "groups:\n  - {name: g0, members: [" WAY "], " keys "}\n"
#define MEMBER(keys) PORTS "groups:\n  - {name: g0, members: [{port: p0, " keys "}]}\n"
#define ROUTE(keys)  GROUP "routes:\n  static:\n    - {" keys "}\n"
#define CLASS(keys)  PORTS "classes:\n  - {class: 3, name: c, " keys "}\n"

/* A file with a link of the cell fabric. The dsf section's keys stand in line 5, after FABRIC comes
 * line 4, after BEHIND 5. A device member stands in line 6. */
#define FABRIC                                                                                     \
	HEAD "ports: [{name: p0, device: d0, role: nsf}, {name: f0, device: d1, role: dsf}]\n"
#define DSF(keys)    FABRIC "dsf:\n  {device_id: 11, " keys "}\n"
#define BEHIND       FABRIC "dsf: {device_id: 11, devices: [{name: e21, id: 21}, {name: e22, id: 22}]}\n"
#define DEVICE(keys) BEHIND "groups:\n  - {name: g0, members: [{device: e21, " keys "}]}\n"

struct parsed {
	struct conf *c; /* NULL: refused */
	struct conf_errors e;
	int rc;
};

static inline struct parsed
parse_bytes(const char *yaml, size_t len)
{
	struct parsed p = {0};

	p.rc = conf_parse("t.yaml", yaml, len, &p.c, &p.e);
	return p;
}

static inline struct parsed
parse(const char *yaml)
{
	return parse_bytes(yaml, strlen(yaml));
}

static inline void
parsed_fini(struct parsed *p)
{
	conf_free(p->c);
	conf_errors_fini(&p->e);
}

/* All errors, `line:col: text`, one a line, no newline at the end. The caller frees it. */
static inline char *
errors_text(const struct conf_errors *e)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; i < e->n; i++)
		fprintf(out, "%s%u:%u: %s", i ? "\n" : "", e->error[i].pos.line,
			e->error[i].pos.col, e->error[i].text);
	fclose(out);
	return text;
}

struct row {
	const char *yaml;
	const char *errors; /* "" for a file that is right */
};

static inline void
expect_errors(const char *yaml, size_t len, const char *want)
{
	struct parsed p = parse_bytes(yaml, len);
	char *got = errors_text(&p.e);

	cr_expect_str_eq(got, want, "of\n%s\n  got  %s\n  want %s", yaml, got, want);
	cr_expect_eq(p.rc != 0, want[0] != '\0', "of\n%s\n  status %d", yaml, p.rc);
	cr_expect_eq(p.c == NULL, p.rc != 0);
	free(got);
	parsed_fini(&p);
}

static inline void
expect_rows(const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		expect_errors(row[i].yaml, strlen(row[i].yaml), row[i].errors);
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof((rows)[0]))

/* What has to be right. */
static inline struct parsed
good(const char *yaml)
{
	struct parsed p = parse(yaml);

	if (p.rc != 0)
		conf_errors_print(&p.e, "t.yaml", stderr);
	cr_assert_eq(p.rc, 0, "%s", yaml);
	return p;
}

/* All warnings of a right file. */
static inline void
expect_warnings(const char *yaml, const char *want)
{
	struct parsed p = parse(yaml);
	struct conf_errors w;
	char *got;

	cr_assert_eq(p.rc, 0, "%s", yaml);
	cr_assert_eq(conf_warnings(p.c, &w), 0);
	got = errors_text(&w);
	cr_expect_str_eq(got, want, "got %s", got);
	free(got);
	conf_errors_fini(&w);
	parsed_fini(&p);
}

#endif
