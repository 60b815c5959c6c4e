/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of `show` share. */
#ifndef TESTS_TELE_SHOW_TEST_H
#define TESTS_TELE_SHOW_TEST_H

#include <stdio.h>
#include <stdlib.h>

/* Runs `call`, which prints to `f`; what it printed replaces what `text` held, on the heap. */
#define CAPTURE(text, call)                                                                        \
	do {                                                                                       \
		size_t capture_len;                                                                \
		FILE *f;                                                                           \
		free(text);                                                                        \
		f = open_memstream(&(text), &capture_len);                                         \
		call;                                                                              \
		fclose(f);                                                                         \
	} while (0)

#endif
