/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the VOQs, the egress schedulers of this worker's system ports, the rounds of reachability
 *        that control wrote.
 * Sets:  the TX buffers of the links: cells, REQUESTs, GRANTs; REACH goes straight to the device.
 * Next:  stage_egress.
 * Drops: what leaves the VOQs and is no cell: too_big, cell_buffer, unreachable, voq_watchdog.
 */
#include "dp/next.h"
#include "dp/stage.h"
#include "wire/cell_ext.h"

/* Classes whose packets pile up behind a system port. */
static uint8_t
held_classes(const struct worker *w, const struct fabric_system *s)
{
	const uint64_t bound = __atomic_load_n(&s->bound, __ATOMIC_RELAXED);
	uint16_t first = s->port_idx, last = s->port_idx;
	uint8_t held = 0;

	if (s->number == CELL_ROUTER_PORT) {
		first = 0;
		last = (uint16_t)(w->n_outs - 1);
	}
	for (uint16_t p = first; p <= last; p++) {
		const struct egress_commons *commons = &w->shared->commons[p];
		uint64_t buffered = w->tx[p].bytes;

		if (w->snapshot->egress[p]->link)
			continue;
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (egress_backlog(commons, c) + buffered > bound)
				held |= (uint8_t)(1u << c);
	}
	return held;
}

static void
grant(struct worker *w, uint16_t system)
{
	const struct fabric_system *s = &w->shared->fabric->system[system];
	struct credit *credit = w->fabric->credit[system];
	uint64_t rate = __atomic_load_n(&s->rate_bps, __ATOMIC_RELAXED);
	struct credit_grant_out out[BURST_MAX];
	uint32_t n;

	if (unlikely(w->fabric->rate_bps[system] != rate)) {
		w->fabric->rate_bps[system] = rate;
		credit_set_rate(credit, rate, w->now_ps);
	}
	n = credit_turn(credit, w->now_ps, held_classes(w, s), out, BURST_MAX);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t ext[CELL_GRANT_LEN];
		struct cell_header h = {
			.type = CELL_GRANT,
			.class = out[i].class,
			.pipe = out[i].pipe,
			.destination = out[i].source,
			.system_port = s->number,
			.payload_len = CELL_GRANT_LEN,
		};

		cell_write_grant(ext, &out[i].grant);
		w->fabric->grants_out++;
		fabric_control(w, &h, ext);
	}
}

/* VOQs: the next REQUEST; links with room are looked for in every turn. */
static uint64_t
voqs_next(const struct worker *w, uint64_t now)
{
	const struct dp_fabric *f = w->shared->fabric;
	uint64_t next = DP_NEVER_PS;

	for (unsigned int d = 0; d < f->n_dests; d++) {
		if (!(w->fabric->queued[d / 64] >> (d % 64) & 1))
			continue;
		for (unsigned int c = 0; c < DP_CLASSES; c++) {
			const struct voq *v = &w->fabric->voq[d * DP_CLASSES + c];

			if (voq_head(v) != NULL && w->snapshot->fabric->set_of[f->dest[d].device])
				return 0;
			if (!f->push)
				next = RTE_MIN(next, ps_ahead(voq_next_ps(v, now), now));
			if (v->fifo.n != 0 && f->watchdog_ps != 0)
				next = RTE_MIN(next, f->watchdog_ps / 4);
		}
	}
	return next;
}

uint64_t
fabric_next_ps(const struct worker *w, uint64_t now)
{
	const struct dp_fabric *f = w->shared->fabric;
	uint64_t next = voqs_next(w, now), at = reasm_next_ps(w->fabric->reasm, now);

	if (at != UINT64_MAX)
		next = RTE_MIN(next, ps_ahead(at, now));
	for (uint16_t s = 0; s < f->n_systems; s++) {
		if (w->fabric->credit[s] == NULL)
			continue;
		at = credit_next_ps(w->fabric->credit[s], now, held_classes(w, &f->system[s]));
		if (at != UINT64_MAX)
			next = RTE_MIN(next, ps_ahead(at, now));
	}
	if (rte_ring_count(f->handoff[w->idx]) != 0 ||
		(w->idx == 0 && rte_ring_count(f->from_control) != 0))
		return 0;
	return next;
}

void
stage_fabric(struct worker *w)
{
	if (w->idx == 0)
		fabric_reach(w);
	for (uint16_t s = 0; s < w->shared->fabric->n_systems; s++)
		if (w->fabric->credit[s] != NULL)
			grant(w, s);
	fabric_serve(w);
}
