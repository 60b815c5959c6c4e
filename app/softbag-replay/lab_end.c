/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the last step and the reports: everything that went somewhere is counted once. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "account.h"
#include "lab.h"

/* Frames that wires took from the node, and handed to it. */
static void
count_wires(const struct lab *l, size_t node_idx, uint64_t *ret_taken, uint64_t *ret_delivered)
{
	*ret_taken = *ret_delivered = 0;
	for (size_t i = 0; i < l->n_wires; i++) {
		const struct wire *w = &l->wire[i];

		*ret_taken += w->from.node_idx == node_idx ? w->count.taken : 0;
		*ret_delivered += w->to.node_idx == node_idx ? w->count.delivered : 0;
	}
}

static int
check_node(const struct lab *l, size_t i, struct lab_totals *sum)
{
	const struct lab_node *n = &l->node[i];
	uint64_t own = account_own_frames(n->node), taken, delivered;
	uint64_t fed = n->feed.put - feed_in_flight(&n->feed);
	struct report_totals t;

	report_totals(n->node, &t);
	count_wires(l, i, &taken, &delivered);
	sum->in += fed;
	sum->made += own + t.duplicated + t.made;
	sum->ended += t.ended;
	sum->out += n->sink.taken;
	sum->punted += t.punted;
	sum->dropped += t.dropped;
	if (account_holds(&t) && n->sink.taken + taken == t.out + own && fed + delivered == t.in)
		return 0;
	fprintf(stderr,
		"softbag-replay: node %s: %" PRIu64 " frames came in by captures, %" PRIu64
		" by wires, %" PRIu64 " left by wires, %" PRIu64
		" otherwise, and the counters say in %" PRIu64 ", duplicated %" PRIu64
		", out %" PRIu64 ", punted %" PRIu64 ", dropped %" PRIu64 ", waiting %" PRIu64
		", pause frames out %" PRIu64 ": a fault of softbag.\n",
		n->topo->name, fed, delivered, taken, n->sink.taken, t.in, t.duplicated, t.out,
		t.punted, t.dropped, t.waiting, own);
	return -EPROTO;
}

static int
check_wire(const struct wire *w, struct lab_totals *sum)
{
	const struct wire_count *c = &w->count;
	uint64_t lost = c->lost + c->lost_down + c->no_buffer;

	sum->wire_lost += lost;
	sum->in_flight += w->n_frames;
	return c->taken == c->delivered + lost + w->n_frames ? 0 : -EPROTO;
}

static void
say_starved(const struct lab *l)
{
	for (size_t i = 0; i < l->n_nodes; i++)
		if (l->node[i].feed.n_starved != 0)
			fprintf(stderr,
				"softbag-replay: node %s: no packet buffer was free %" PRIu64
				" times, and frames came in later than they should; raise "
				"runtime.mbufs.\n",
				l->node[i].topo->name, l->node[i].feed.n_starved);
}

int
lab_end(struct lab *l, struct lab_totals *ret_totals)
{
	struct lab_totals *t = ret_totals;
	int rc = 0, one;

	*t = (struct lab_totals){0};
	for (size_t i = 0; i < l->n_nodes; i++) {
		node_stop(l->node[i].node);
		one = sink_turn(&l->node[i].sink, l->now < l->start_ns ? 0 : l->now - l->start_ns);
		rc = rc == 0 ? one : rc;
	}
	for (size_t i = 0; i < l->n_wires; i++)
		wire_end(&l->wire[i]);
	say_starved(l);
	for (size_t i = 0; i < l->n_nodes; i++) {
		one = check_node(l, i, t);
		rc = rc == 0 ? one : rc;
	}
	for (size_t i = 0; i < l->n_wires; i++) {
		one = check_wire(&l->wire[i], t);
		rc = rc == 0 ? one : rc;
	}
	if (t->in + t->made ==
		t->out + t->punted + t->dropped + t->ended + t->wire_lost + t->in_flight)
		return rc;
	fprintf(stderr,
		"softbag-replay: all together: in %" PRIu64 ", made %" PRIu64 ", out %" PRIu64
		", punted %" PRIu64 ", dropped %" PRIu64 ", ended %" PRIu64
		", lost on wires %" PRIu64 ", in flight %" PRIu64 ": a fault of softbag.\n",
		t->in, t->made, t->out, t->punted, t->dropped, t->ended, t->wire_lost,
		t->in_flight);
	return -EPROTO;
}
