/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of a replay. main.c makes the parts and reports. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>

static int
step(struct run *r)
{
	unsigned int packets;
	int rc;

	feed_turn(&r->feed, r->now);
	packets = meter_turn(&r->meter, r->node, r->now);
	rc = sink_turn(&r->sink, r->now);
	progress_turn(&r->progress, r->meter.tsc, r->feed.put);
	if (rc == 0 && r->feed.starved && packets == 0 && feed_in_flight(&r->feed) == 0) {
		fprintf(stderr,
			"softbag-replay: %u of %u packet buffers did not come back: a fault of "
			"softbag.\n",
			node_mbufs_out(r->node), r->node->pool->size);
		rc = -EPROTO;
	}
	return rc;
}

int
run_turns(struct run *r)
{
	uint64_t hz = rte_get_tsc_hz(), start = rte_rdtsc();
	int rc = 0;

	r->end_tsc = r->args->seconds > 0 ? start + (uint64_t)(r->args->seconds * (double)hz)
					  : UINT64_MAX;
	progress_init(&r->progress, start, hz, r->feed.total, r->args->seconds);
	while (rc == 0 && !feed_done(&r->feed)) {
		rc = step(r);
		if (*r->interrupted || r->meter.tsc >= r->end_tsc)
			feed_end(&r->feed);
		if (!feed_done(&r->feed))
			r->now = feed_next_ns(&r->feed, r->now);
	}
	return rc;
}

int
run_finish(struct run *r)
{
	struct report_totals t;
	int rc;

	node_stop(r->node);
	rc = sink_turn(&r->sink, r->now);
	report_totals(r->node, &t);
	if (t.out == r->sink.taken && t.in == t.out + t.punted + t.dropped)
		return rc;
	fprintf(stderr,
		"softbag-replay: %" PRIu64 " packets came out, and the counters say in %" PRIu64
		", out %" PRIu64 ", punted %" PRIu64 ", dropped %" PRIu64 ": a fault of softbag.\n",
		r->sink.taken, t.in, t.out, t.punted, t.dropped);
	return -EPROTO;
}

void
run_report(const struct run *r, struct report_run *ret_report)
{
	*ret_report = (struct report_run){
		.virtual_ns = r->now,
		.packets = r->meter.packets,
		.cycles = r->meter.cycles,
		.median = meter_median(&r->meter),
	};
}
