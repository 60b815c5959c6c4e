/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares names of files before anything is opened. main.c and lab_main.c call it. */
#include "paths.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

int
path_check_output(const char *path, const char *const *read, size_t n_read)
{
	for (size_t i = 0; i < n_read; i++) {
		if (!same_file(path, read[i]))
			continue;
		fprintf(stderr,
			"softbag-replay: %s would overwrite the input %s; write elsewhere.\n", path,
			read[i]);
		return -EINVAL;
	}
	return 0;
}

bool
path_same(const char *a, const char *b)
{
	char dir_a[PATH_MAX], dir_b[PATH_MAX];
	char copy_a[PATH_MAX + 64], copy_b[PATH_MAX + 64];

	if (strcmp(a, b) == 0)
		return true;
	snprintf(copy_a, sizeof(copy_a), "%s", a);
	snprintf(copy_b, sizeof(copy_b), "%s", b);
	if (strcmp(basename(copy_a), basename(copy_b)) != 0)
		return false;
	snprintf(copy_a, sizeof(copy_a), "%s", a);
	snprintf(copy_b, sizeof(copy_b), "%s", b);
	return realpath(dirname(copy_a), dir_a) != NULL &&
	       realpath(dirname(copy_b), dir_b) != NULL && strcmp(dir_a, dir_b) == 0;
}
