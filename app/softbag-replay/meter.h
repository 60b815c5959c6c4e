/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles. Of 16 turns that find packets one is measured stage by stage, which itself costs cycles,
 * and the others as a whole: so neither figure spoils the other. Reading captures, making packets
 * and writing them is outside of both.
 */
#ifndef SOFTBAG_REPLAY_METER_H
#define SOFTBAG_REPLAY_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctl/node.h"

struct meter {
	uint64_t turns;           /* that found packets */
	uint64_t packets, cycles; /* of the turns measured as a whole */
	uint64_t tsc;             /* at the end of the last turn */
	bool profiling;
};

/* One turn of the node; returns how many packets it took. */
unsigned int meter_turn(struct meter *m, struct node *n, uint64_t now);

#endif
