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

#define METER_CYCLES_MAX 16384u /* a packet that costs more is counted here */

struct meter {
	uint64_t turns;           /* that found packets */
	uint64_t packets, cycles; /* of the turns measured as a whole */
	uint64_t tsc;             /* at the end of the last turn */
	bool profiling;
	/* of the same turns, packets by the cycles a packet of their turn */
	uint64_t histogram[METER_CYCLES_MAX + 1];
};

/* One turn of the node; returns how many packets it took. */
unsigned int meter_turn(struct meter *m, struct node *n, uint64_t now);

/*
 * Half of the packets were in turns that cost this much a packet or less: unlike the mean, it does
 * not know of the few turns in which the kernel ran something else. 0: nothing was measured.
 */
unsigned int meter_median(const struct meter *m);

#endif
