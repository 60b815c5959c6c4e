/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c and lab_main.c call it around a run. */
#include "json_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *
json_open(const struct args *a)
{
	FILE *f = a->json_only ? stdout : fopen(a->json, "w");

	if (f == NULL)
		fprintf(stderr, "softbag-replay: %s: %s.\n", a->json, strerror(errno));
	return f;
}

int
json_close(const struct args *a, FILE *f, int rc)
{
	if (!a->json_only && fclose(f) != 0 && rc == 0)
		rc = -EIO;
	if (rc != 0)
		fprintf(stderr, "softbag-replay: %s: the report cannot be written: %s.\n", a->json,
			strerror(-rc));
	return rc;
}

void
json_discard(const struct args *a, FILE *f)
{
	struct stat s;

	if (f == NULL || a->json_only)
		return;
	if (fstat(fileno(f), &s) == 0 && S_ISREG(s.st_mode))
		unlink(a->json);
	fclose(f);
}
