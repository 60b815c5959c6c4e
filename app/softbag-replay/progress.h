/* SPDX-License-Identifier: BSD-3-Clause */
/* A line a second on stderr while a run is long. */
#ifndef SOFTBAG_REPLAY_PROGRESS_H
#define SOFTBAG_REPLAY_PROGRESS_H

#include <stdint.h>

struct progress {
	uint64_t hz, start_tsc, next_tsc, last_tsc;
	uint64_t last_packets;
	uint64_t total; /* packets; UINT64_MAX: `seconds` say when it ends */
	double seconds;
};

void progress_init(struct progress *p, uint64_t tsc, uint64_t hz, uint64_t total, double seconds);
void progress_print(struct progress *p, uint64_t tsc, uint64_t packets);

/* Cheap: for each turn. */
static inline void
progress_turn(struct progress *p, uint64_t tsc, uint64_t packets)
{
	if (tsc >= p->next_tsc)
		progress_print(p, tsc, packets);
}

#endif
