/* SPDX-License-Identifier: BSD-3-Clause */
/* A turn of the node between two looks at the time stamp counter. run.c calls it. */
#include "meter.h"

#include <rte_cycles.h>

/*
 * Each 16th: often enough for a mean over a small capture, and a turn's caches are those that 15
 * turns without the profile left behind. Not the first one, which finds every cache cold.
 */
#define METER_PERIOD 16u
#define METER_PHASE  1u

static void
set_profile(struct meter *m, struct node *n, bool on)
{
	uint32_t seq;

	if (m->profiling == on)
		return;
	m->profiling = on;
	for (unsigned int i = 0; i < n->n_workers; i++)
		mailbox_send(&n->worker[i]->mailbox, MAIL_PROFILE, on, &seq);
}

unsigned int
meter_turn(struct meter *m, struct node *n, uint64_t now)
{
	uint64_t start;
	unsigned int packets;

	set_profile(m, n, m->turns % METER_PERIOD == METER_PHASE);
	start = rte_rdtsc();
	packets = node_turn(n, now);
	m->tsc = rte_rdtsc();
	if (packets == 0)
		return 0;
	if (!m->profiling) {
		uint64_t each = (m->tsc - start) / packets;

		m->cycles += m->tsc - start;
		m->packets += packets;
		m->histogram[RTE_MIN(each, (uint64_t)METER_CYCLES_MAX)] += packets;
	}
	m->turns++;
	return packets;
}

unsigned int
meter_median(const struct meter *m)
{
	uint64_t below = 0;

	for (unsigned int i = 0; i <= METER_CYCLES_MAX; i++) {
		below += m->histogram[i];
		if (below != 0 && below >= m->packets - below)
			return i;
	}
	return 0;
}
