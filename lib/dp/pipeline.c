/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hall: the stages in their order and nothing else. Workers, softbag-replay and the pipeline
 * tests all enter here.
 */
#include <rte_cycles.h>

#include "dp/stage.h"

/* Books the cycles since the last mark to a stage. Only while somebody asked for a profile. */
static void
profile_mark(struct worker *w, enum dp_stage stage)
{
	uint64_t now = rte_rdtsc();

	w->counters->stage_tsc[stage] += now - w->profile_tsc;
	w->profile_tsc = now;
}

#define STAGE(name, ...)                                                                           \
	do {                                                                                       \
		stage_##name(__VA_ARGS__);                                                         \
		if (unlikely(w->profile))                                                          \
			profile_mark(w, DP_STAGE_##name);                                          \
	} while (0)

void
pipeline_packets(struct worker *w, struct burst *b)
{
	STAGE(parse, w, b);
	STAGE(ingress, w, b);
	STAGE(route, w, b);
	STAGE(flow, w, b);
	STAGE(select, w, b);
	STAGE(enqueue, w, b);
	STAGE(drop, w, b);
}

/* A burst of cells. */
static void
run_cells(struct worker *w, struct burst *b)
{
	STAGE(cell, w, b);
	STAGE(drop, w, b);
	fabric_deliver(w, b);
	STAGE(fabric, w);
	STAGE(egress, w);
}

/* A burst from a member of a hyper port: what has no header goes on as from any port. */
static void
run_hyper(struct worker *w, struct dp_hyper *h, struct burst *b)
{
	STAGE(hyper, w, h, b);
	if (unlikely(b->n != 0))
		pipeline_packets(w, b);
	else
		STAGE(drop, w, b);
	if (h->worker == w->idx)
		hyper_deliver(w, h, b);
	if (unlikely(w->fabric != NULL))
		STAGE(fabric, w);
	STAGE(egress, w);
}

unsigned int
pipeline_run(struct worker *w, struct worker_rxq *q)
{
	struct burst *b = &w->burst;
	unsigned int n;

	if (unlikely(w->profile))
		w->profile_tsc = rte_rdtsc();
	stage_rx(w, q, b);
	n = b->n + b->n_out; /* an impairment may have left nothing but drops */
	if (n == 0)
		return 0;
	if (unlikely(w->profile)) {
		profile_mark(w, DP_STAGE_rx);
		w->counters->profile_packets += n;
	}
	if (unlikely(q->special)) {
		if (q->cells)
			run_cells(w, b);
		else
			run_hyper(w, q->hyper, b);
		return n;
	}
	pipeline_packets(w, b);
	if (unlikely(w->fabric != NULL))
		STAGE(fabric, w);
	STAGE(egress, w);
	return n;
}
