/* SPDX-License-Identifier: BSD-3-Clause */
/* A file's bytes, within CONF_FILE_MAX. */
#ifndef CONF_FILE_H
#define CONF_FILE_H

#include "conf/errors.h"

/*
 * Reads a file (a pipe will do) into the heap. Returns 0; or -errno with one error: -EFBIG when it
 * is larger than CONF_FILE_MAX, which is said without reading it.
 */
int file_read(const char *file, char **ret_bytes, size_t *ret_len, struct conf_errors *e);

/* Adds the error for `len` bytes, and returns -EFBIG. */
int file_too_large(size_t len, struct conf_errors *e);

#endif
