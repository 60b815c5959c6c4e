/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of softbag. */
#ifndef SOFTBAG_ARGS_H
#define SOFTBAG_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#define ARGS_FILES_MAX 64u

struct args {
	const char *file[ARGS_FILES_MAX]; /* more than one only with --check */
	size_t n_files;
	bool check;
	bool explain;        /* implies check */
	const char *against; /* with check, one file: what a node runs now */
	bool interactive;
	bool live;
	unsigned int seconds; /* 0: until told to stop */
};

/*
 * 0: *ret_args is filled. Otherwise the program ends with *ret_status: help and version were
 * printed (0), or a sentence about what is wrong (2).
 */
int args_parse(int argc, char **argv, struct args *ret_args, int *ret_status);

#endif
