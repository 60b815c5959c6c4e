/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at a way out; see load.h for what counts. Once a burst and way that a policy asks about.
 */
#include "dp/load.h"

#include "dp/worker.h"

/* What a shaper let go counts in its own time, wherever it is by now. */
static uint64_t
port_ps(const struct worker *w, uint16_t port_idx, uint64_t ps_per_byte)
{
	const struct egress_commons *c = &w->shared->commons[port_idx];
	uint64_t bytes = 0;

	for (unsigned int k = 0; k < DP_CLASSES; k++)
		bytes += egress_backlog(c, k);
	if (w->snapshot->egress[port_idx]->shaped)
		return load_of_bytes(bytes, ps_per_byte) +
		       ps_ahead(__atomic_load_n(&c->shaper.tat_ps, __ATOMIC_RELAXED), w->now_ps);
	return load_of_bytes(bytes + w->tx[port_idx].bytes, ps_per_byte);
}

static uint64_t
dest_ps(const struct worker *w, uint16_t dest, uint64_t ps_per_byte)
{
	const struct voq *voq = &w->fabric->voq[dest * DP_CLASSES];
	uint64_t bytes = 0;

	for (unsigned int k = 0; k < DP_CLASSES; k++)
		bytes += voq[k].fifo.bytes;
	return load_of_bytes(bytes, ps_per_byte);
}

void
load_look(struct worker *w, uint16_t way, struct load *l)
{
	uint64_t ps;

	l->ps_per_byte = LOAD_PER_BYTE_DEFAULT;
	if (way < w->n_outs) {
		l->ps_per_byte =
			__atomic_load_n(&w->shared->commons[way].ps_per_byte, __ATOMIC_RELAXED);
		ps = port_ps(w, way, l->ps_per_byte);
	} else {
		ps = dest_ps(w, (uint16_t)(way - w->n_outs), l->ps_per_byte);
	}
	l->ps = RTE_MIN(ps, PS_AHEAD_MAX);
	l->burst = w->n_bursts;
}
