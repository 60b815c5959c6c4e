/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages of the pipeline, each called once per burst, each in a file of its own. A stage frees
 * nothing: it sets a verdict, and burst_split() moves the packet to the exits. Worker.
 */
#ifndef DP_STAGE_H
#define DP_STAGE_H

#include "dp/worker.h"

void stage_rx(struct worker *w, struct worker_rxq *q, struct burst *b);
void stage_impair(struct worker *w, struct worker_rxq *q, struct burst *b);
void stage_cell(struct worker *w, struct burst *b);
void stage_hyper(struct worker *w, struct dp_hyper *h, struct burst *b);
void stage_parse(struct worker *w, struct burst *b);
void stage_ingress(struct worker *w, struct burst *b);
void stage_route(struct worker *w, struct burst *b);
void stage_flow(struct worker *w, struct burst *b);
void stage_select(struct worker *w, struct burst *b);
void stage_enqueue(struct worker *w, struct burst *b);
void stage_fabric(struct worker *w);
void stage_egress(struct worker *w);
void stage_drop(struct worker *w, struct burst *b);

/* All of them in order for one RX queue; returns how many packets it had. */
unsigned int pipeline_run(struct worker *w, struct worker_rxq *q);

/* The stages of IP packets, from stage_parse to stage_drop, for a burst that is there. */
void pipeline_packets(struct worker *w, struct burst *b);

#endif
