/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as its readers get it: written as JSON, read back, looked into by paths. */
#ifndef TESTS_TELE_REPORT_TEST_H
#define TESTS_TELE_REPORT_TEST_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "tele/report.h"

/* The caller's to give back. */
static inline json_t *
report_of(const struct node *n, const struct report_run *run)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	json_error_t error;
	json_t *root;

	cr_assert_eq(report_json(n, run, f), 0);
	fclose(f);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	cr_assert_not_null(root, "%d: %s", error.line, error.text);
	free(text);
	return root;
}

/* The value at a path of keys and indexes such as "groups.far.members.0.port". */
static inline json_t *
report_at(json_t *root, const char *path)
{
	char copy[128], *save = NULL;
	json_t *o = root;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *key = strtok_r(copy, ".", &save); key != NULL; key = strtok_r(NULL, ".", &save))
		o = json_is_array(o) ? json_array_get(o, strtoul(key, NULL, 10))
				     : json_object_get(o, key);
	cr_assert_not_null(o, "no %s in the report", path);
	return o;
}

static inline json_int_t
report_number(json_t *root, const char *path)
{
	json_t *o = report_at(root, path);

	cr_assert(json_is_integer(o), "%s is no integer", path);
	return json_integer_value(o);
}

#endif
