/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of a replay. main.c makes the parts and reports. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>

#include "account.h"
#include "base/ps.h"

/*
 * Packets that wait and do not move: for so long no pause and no delay lasts (PS_AHEAD_MAX, 70 s;
 * twice for a pause that begins when a delay ends), and so many turns in which something is due
 * move it, be it a buffer's worth in each. Turns in which no packet buffer is free prove nothing: a
 * pause frame of ours may be due that has none, until a pause of the peer's ends.
 */
#define STILL_NS    (2 * PS_AHEAD_MAX / PS_PER_NS)
#define STILL_TURNS 1000000u

static bool
no_buffer_is_free(const struct run *r)
{
	return rte_mempool_avail_count(r->node->pool) == 0;
}

static int
never_moves(const struct run *r)
{
	fprintf(stderr,
		"softbag-replay: %" PRIu64
		" packets wait and none has moved for %.3f s of virtual time: %s.\n",
		node_waiting(r->node), (double)(r->now - r->moved_ns) / 1e9,
		no_buffer_is_free(r) ? "they are all packet buffers that there are; raise "
				       "runtime.mbufs"
				     : "a fault of softbag");
	return -EPROTO;
}

/* After a turn: something moves, or nothing is there to move, or it is known when something will.
 */
static int
check_moves(struct run *r, uint64_t next_ps)
{
	if (r->moved || node_waiting(r->node) == 0) {
		r->moved_ns = r->now;
		r->n_still = 0;
		return 0;
	}
	r->n_still += next_ps == 0 && !no_buffer_is_free(r);
	if (r->now - r->moved_ns > STILL_NS || r->n_still > STILL_TURNS ||
		(next_ps == DP_NEVER_PS && feed_done(&r->feed)))
		return never_moves(r);
	return 0;
}

/* What comes next; the clock moves on to it. False: nothing does. */
static bool
advance(struct run *r, uint64_t next_ps)
{
	uint64_t next = feed_done(&r->feed) ? UINT64_MAX : feed_next_ns(&r->feed, r->now, r->moved);

	if (feed_done(&r->feed) && (r->ended || (next_ps != 0 && node_waiting(r->node) == 0)))
		return false;
	if (next_ps == 0) /* the buffer was full, or there is none: at once, or when it helps */
		next = RTE_MIN(next, r->now + (r->moved ? 1 : FEED_TURN_NS));
	else if (next_ps != DP_NEVER_PS)
		next = RTE_MIN(next, r->now + (next_ps + PS_PER_NS - 1) / PS_PER_NS);
	if (next == UINT64_MAX)
		next = r->now + FEED_TURN_NS;
	series_until(&r->series, next);
	r->now = next;
	return true;
}

static int
step(struct run *r)
{
	uint64_t taken = r->sink.taken;
	unsigned int packets;
	int rc;

	feed_turn(&r->feed, r->now);
	packets = meter_turn(&r->meter, r->node, r->now);
	rc = sink_turn(&r->sink, r->now);
	progress_turn(&r->progress, r->meter.tsc, r->feed.put);
	r->moved = packets != 0 || r->sink.taken != taken;
	if (rc == 0 && r->feed.starved && packets == 0 && feed_in_flight(&r->feed) == 0 &&
		node_waiting(r->node) == 0) {
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
	uint64_t hz = rte_get_tsc_hz(), start = rte_rdtsc(), next_ps;
	int rc = 0;

	r->end_tsc = r->args->seconds > 0 ? start + (uint64_t)(r->args->seconds * (double)hz)
					  : UINT64_MAX;
	progress_init(&r->progress, start, hz, r->feed.total, r->args->seconds);
	if (feed_done(&r->feed))
		return 0;
	do {
		rc = step(r);
		if (*r->interrupted || r->meter.tsc >= r->end_tsc) {
			feed_end(&r->feed);
			r->ended = true;
		}
		next_ps = node_next_ps(r->node, r->now);
		if (rc == 0)
			rc = check_moves(r, next_ps);
	} while (rc == 0 && advance(r, next_ps));
	return rc;
}

int
run_finish(struct run *r)
{
	struct report_totals t;
	uint64_t own = account_own_frames(r->node);
	int rc;

	node_stop(r->node);
	rc = sink_turn(&r->sink, r->now);
	report_totals(r->node, &t);
	if (r->feed.n_starved != 0)
		fprintf(stderr,
			"softbag-replay: no packet buffer was free %" PRIu64
			" times, and frames came in later than they should; raise "
			"runtime.mbufs.\n",
			r->feed.n_starved);
	if (r->sink.taken == t.out + own && account_holds(&t))
		return rc;
	fprintf(stderr,
		"softbag-replay: %" PRIu64 " frames came out, and the counters say in %" PRIu64
		", duplicated %" PRIu64 ", made %" PRIu64 ", out %" PRIu64 ", punted %" PRIu64
		", dropped %" PRIu64 ", ended %" PRIu64 ", waiting %" PRIu64
		", pause and REACH frames out %" PRIu64 ": a fault of softbag.\n",
		r->sink.taken, t.in, t.duplicated, t.made, t.out, t.punted, t.dropped, t.ended,
		t.waiting, own);
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
