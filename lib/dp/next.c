/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The next event of a worker that stands between two turns. It asks what queue_serve.c, line.c and
 * pfc.c will ask, and changes nothing. ctl/node.c takes the earliest of all workers.
 */
#include "dp/next.h"

#include "base/bits.h"
#include "dp/pfc.h"
#include "dp/worker.h"

static uint64_t
ahead_of_record(const struct pkt_fifo *f, uint64_t now)
{
	const struct pkt_rec *rec = pkt_fifo_peek(f);

	if (rec == NULL)
		return DP_NEVER_PS;
	return ps_reached(rec->at_ps, now) ? 0 : rec->at_ps - now;
}

/* The class queues: a class goes when the shaper lets it and its pause is over. */
static uint64_t
classes_next(const struct worker *w, uint16_t port_idx, uint64_t now)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	const struct egress_commons *commons = &w->shared->commons[port_idx];
	uint64_t next = DP_NEVER_PS, shaper = 0, urgent = 0;
	uint8_t storm = qos_storm_mask(&commons->storm) & policy->pfc;

	if (policy->shaped) {
		shaper = ps_ahead(qos_shaper_next_ps(&commons->shaper, &policy->rate), now);
		urgent = ps_ahead(qos_shaper_next_urgent_ps(&commons->shaper, &policy->rate), now);
	}
	for (unsigned int c = 0; c < DP_CLASSES; c++) {
		uint64_t at = w->queue[port_idx].sched.strict >> c & 1 ? urgent : shaper;

		if (!(w->queue[port_idx].waiting >> c & 1))
			continue;
		if (!(policy->pfc >> c & 1))
			; /* no pause is for it */
		else if (!(storm >> c & 1))
			at = RTE_MAX(at, ps_ahead(qos_pause_until_ps(&commons->pause, c), now));
		else if (!policy->storm_forward)
			at = 0; /* the next turn drops it */
		next = RTE_MIN(next, at);
	}
	return next;
}

static uint64_t
port_next(const struct worker *w, uint16_t port_idx, uint64_t now)
{
	const struct worker_queue *q = &w->queue[port_idx];
	uint64_t by_line = now + q->sooner_ps;
	uint64_t line =
		RTE_MIN(ahead_of_record(&q->line, by_line), ahead_of_record(&q->late, by_line));

	if (w->tx[port_idx].n != 0)
		return 0;
	return RTE_MIN(line, classes_next(w, port_idx, now));
}

/* The pause frame that qos_xoff_turn() will ask for. */
static uint64_t
xoff_next(const struct qos_xoff *x, uint64_t now)
{
	int64_t held = qos_xoff_held(x);

	if (!x->off)
		return held > x->xoff_bytes ? 0 : DP_NEVER_PS;
	if (held <= x->xon_bytes || ps_reached(x->refresh_ps, now))
		return 0;
	return x->refresh_ps - now;
}

/* The watchdog's clock moves a step in a turn at most: without turns it would stand. */
static uint64_t
storm_next(const struct egress_commons *commons, uint8_t paused, uint64_t now)
{
	const struct qos_storm *storm = &commons->storm;
	uint8_t backlog = 0;

	if (storm->detect_ps == 0)
		return DP_NEVER_PS;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		backlog |= (uint8_t)((egress_backlog(commons, c) != 0) << c);
	if (storm->mask == 0 && (paused & backlog) == 0)
		return DP_NEVER_PS;
	return ps_ahead(storm->last_ps + storm->step_ps, now);
}

static uint64_t
pfc_next(const struct worker *w, uint64_t now)
{
	uint64_t next = DP_NEVER_PS;

	for (uint16_t i = 0; i < w->snapshot->n_pfc_ports; i++) {
		uint16_t port_idx = w->snapshot->pfc_port[i];
		const struct egress_commons *commons = &w->shared->commons[port_idx];
		uint8_t pfc = w->snapshot->egress[port_idx]->pfc;

		if (commons->ending != 0)
			return 0; /* an XON */
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (pfc >> c & 1)
				next = RTE_MIN(next, xoff_next(&commons->xoff[c], now));
		next = RTE_MIN(next, storm_next(commons, pfc_paused(w, port_idx, now), now));
	}
	return next;
}

uint64_t
worker_next_ps(const struct worker *w, uint64_t now_ps)
{
	uint64_t next = DP_NEVER_PS;

	if (w->snapshot == NULL) /* it has not had a turn */
		return DP_NEVER_PS;
	for (unsigned int word = 0; word < BITS_ARRAY_LEN(w->queued); word++) {
		uint64_t bits = w->queued[word] | w->tx_waiting[word];

		for (; bits != 0; bits &= bits - 1) {
			uint16_t way = (uint16_t)(word * 64 + bits_lowest(bits));

			next = RTE_MIN(next, way < w->n_ports
						     ? port_next(w, way, now_ps)
						     : hyper_queues_next_ps(w, way, now_ps));
		}
	}
	if (w->fabric != NULL)
		next = RTE_MIN(next, fabric_next_ps(w, now_ps));
	if (w->shared->n_hypers != 0)
		next = RTE_MIN(next, hyper_next_ps(w, now_ps));
	return w->idx == 0 ? RTE_MIN(next, pfc_next(w, now_ps)) : next;
}
