/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of a file before YAML sees them, and texts on their way into a message. Pure, any thread.
 */
#ifndef CONF_TEXT_H
#define CONF_TEXT_H

#include <stddef.h>

#include "conf/conf.h"

/* Long enough for a device string's head, short enough that a message stays a line. */
#define TEXT_SHOW_MAX 48u

/*
 * Finds the first thing that YAML 1.1 (section 4.1, c-printable) does not allow in `len` bytes:
 * UTF-8 that is none, a NUL, a control character. Returns 0, or -EINVAL with *ret_pos and in
 * `what` a phrase like `the byte 0xff, which is no UTF-8`.
 */
int text_check(const char *s, size_t len, struct conf_pos *ret_pos, char *what, size_t size);

/*
 * Writes a text as a message shows it: as it stands if it is plain, else in quotes with escapes,
 * and cut at TEXT_SHOW_MAX characters. Returns `buf`.
 */
const char *text_show(const char *s, size_t len, char *buf, size_t size);

/* The character at a position (both from 1), as text_check() counts; 0 past the end. */
unsigned char text_at(const char *s, size_t len, struct conf_pos pos);

/* Bytes before a line (from 1), as text_check() counts them; `len` past the end. */
size_t text_line_start(const char *s, size_t len, uint32_t line);

#endif
