/* SPDX-License-Identifier: BSD-3-Clause */
/* One replay: the node and its surroundings, from the first turn to the last. */
#ifndef SOFTBAG_REPLAY_RUN_H
#define SOFTBAG_REPLAY_RUN_H

#include <signal.h>
#include <stdint.h>

#include "args.h"
#include "feed.h"
#include "meter.h"
#include "progress.h"
#include "series.h"
#include "sink.h"
#include "tele/report.h"

struct run {
	const struct args *args;
	struct node *node;
	struct feed feed;
	struct sink sink;
	struct meter meter;
	struct progress progress;
	struct series series;
	uint64_t now;      /* virtual: the node's clock, ns */
	uint64_t end_tsc;  /* with --seconds; else UINT64_MAX */
	bool ended;        /* by time or by the user: what waits does not leave any more */
	bool moved;        /* the last turn took a packet in, or sent one */
	uint64_t moved_ns; /* when one last did, or when last nothing waited */
	uint64_t n_still;  /* turns since then in which something was due and had a buffer */
	const volatile sig_atomic_t *interrupted;
};

/*
 * Turns until all is played and nothing waits, or time or the user ends it. -errno, said on stderr;
 * -EPROTO: what waits never moves, a fault of softbag if a packet buffer is free.
 */
int run_turns(struct run *r);

/*
 * Stops the node, takes what is left, and holds the counters to each other. -EPROTO when they
 * disagree: a fault of softbag, said on stderr.
 */
int run_finish(struct run *r);

void run_report(const struct run *r, struct report_run *ret_report);

#endif
