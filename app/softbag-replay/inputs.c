/* SPDX-License-Identifier: BSD-3-Clause */
/* All captures, or none. main.c and lab_setup.c call it before a node is made. */
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>

void
captures_free(struct capture *capture, size_t n)
{
	for (size_t i = 0; i < n; i++)
		capture_fini(&capture[i]);
	free(capture);
}

struct capture *
captures_load(const struct args *a)
{
	struct capture *capture = calloc(a->n_inputs + 1, sizeof(*capture));
	char why[CAPTURE_WHY_MAX] = "memory ran out.";
	size_t i = 0;

	while (capture != NULL && i < a->n_inputs &&
		capture_load(a->input[i].file, &capture[i], why) == 0)
		i++;
	if (capture != NULL && i == a->n_inputs)
		return capture;
	fprintf(stderr, "softbag-replay: %s\n", why);
	if (capture != NULL)
		captures_free(capture, i);
	return NULL;
}
