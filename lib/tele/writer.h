/* SPDX-License-Identifier: BSD-3-Clause */
/* Values into JSON objects, for report.c and report_fabric.c. Inside lib/tele only. */
#ifndef TELE_WRITER_H
#define TELE_WRITER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* json_object_set_new() takes NULL and then fails: `ok` remembers until the end. */
struct writer {
	bool ok;
};

static inline void
set(struct writer *w, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) != 0)
		w->ok = false;
}

static inline void
set_count(struct writer *w, json_t *object, const char *key, uint64_t n)
{
	set(w, object, key, json_integer((json_int_t)n));
}

/* Rounded to one in `scale`; null when there is nothing to say. */
static inline void
set_real(struct writer *w, json_t *object, const char *key, bool known, double x, double scale)
{
	double rounded = known ? (double)(int64_t)(x * scale + 0.5) / scale : 0;

	set(w, object, key, known ? json_real(rounded) : json_null());
}

static inline void
append(struct writer *w, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		w->ok = false;
}

#endif
