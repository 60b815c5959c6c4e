/* SPDX-License-Identifier: BSD-3-Clause */
/* The known word that somebody probably meant. Pure, any thread. */
#ifndef CONF_NEAREST_H
#define CONF_NEAREST_H

#include <stddef.h>

/* Keeps the best candidate seen so far for one mistyped word. */
struct nearest {
	const char *word;
	const char *best; /* NULL: none is near */
	unsigned int distance;
};

/* A third of the letters may be wrong, at least one: `mut` finds mtu, `telemetry` finds nothing. */
void nearest_init(struct nearest *n, const char *word);
void nearest_offer(struct nearest *n, const char *candidate);

#endif
