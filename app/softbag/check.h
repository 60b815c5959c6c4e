/* SPDX-License-Identifier: BSD-3-Clause */
/* softbag --check. */
#ifndef SOFTBAG_CHECK_H
#define SOFTBAG_CHECK_H

#include "args.h"
#include "conf/conf.h"

/* Loads one file; prints its errors and warnings. NULL when it has errors. */
struct conf *check_load(const char *file);

/* Checks all files, alone and against each other; returns the exit status. */
int check_files(const struct args *args);

#endif
