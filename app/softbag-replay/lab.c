/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of a lab. At each time: events, then what wires and captures hand over, then a turn of
 * each node that has something to do, then wires take what nodes sent. The clock moves on to the
 * next time at which any of them has something to do.
 */
#include "lab.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>

#include "base/ps.h"
#include "ctl/fabric.h"

/* As run.c has it: no pause and no delay lasts longer. */
#define STILL_NS (2 * PS_AHEAD_MAX / PS_PER_NS)

/* Captures, events and timestamps count from the start; the nodes' clock runs before it. */
static uint64_t
since_start(const struct lab *l)
{
	return l->now < l->start_ns ? 0 : l->now - l->start_ns;
}

static uint64_t
lab_time(const struct lab *l, uint64_t ns)
{
	return ns == UINT64_MAX ? UINT64_MAX : RTE_MAX(ns + l->start_ns, l->start_ns);
}

static void
set_link(struct lab *l, uint32_t wire_idx, bool up)
{
	for (unsigned int way = 0; way < 2; way++) {
		struct wire *w = &l->wire[2 * wire_idx + way];
		struct lab_node *n = &l->node[w->from.node_idx];

		wire_set_up(w, up, l->now);
		port_mem_set_link(w->from.port, up);
		node_look_at_links(n->node);
		n->due_ns = l->now;
	}
}

static void
drain(struct lab *l, const struct topo_end *end, bool drained)
{
	struct lab_node *n = &l->node[end->node_idx];

	fabric_drain(n->node, (uint16_t)fabric_link(n->node, (uint16_t)end->port_idx), drained);
	n->due_ns = l->now;
}

/* What is due of the topology's events. */
static void
apply_events(struct lab *l)
{
	const struct topo *t = l->topo;

	for (; l->next_event < t->n_events; l->next_event++) {
		const struct topo_event *e = &t->event[l->next_event];

		if (e->at_ns + l->start_ns > l->now)
			return;
		switch (e->kind) {
		case TOPO_DOWN:
		case TOPO_UP:
			set_link(l, e->wire_idx, e->kind == TOPO_UP);
			break;
		case TOPO_DRAIN:
		case TOPO_UNDRAIN:
			drain(l, &e->end[e->kind], e->kind == TOPO_DRAIN);
			break;
		}
	}
}

static void
move_wires(struct lab *l)
{
	for (size_t i = 0; i < l->n_wires; i++) {
		struct wire *w = &l->wire[i];
		uint64_t taken = w->count.taken;

		if (w->next_ns > l->now)
			continue;
		l->moved |= wire_deliver(w, l->now) != 0;
		if (port_mem_unread(w->to.port) != 0)
			l->node[w->to.node_idx].due_ns = l->now;
		l->moved |= wire_serve(w, l->now) != 0;
		l->failed |= w->failed;
		/* there is room in the ring again: if the node has something for it, it may go */
		if (w->count.taken != taken)
			l->node[w->from.node_idx].due_ns = l->now;
	}
}

static uint64_t
waits_at(const struct node *n, size_t port_idx)
{
	uint64_t packets = 0;

	for (unsigned int i = 0; i < n->n_workers; i++)
		packets += queue_packets(&n->worker[i]->queue[port_idx]) +
			   n->worker[i]->tx[port_idx].n;
	return packets;
}

/* Packets of the node that may yet move: not those for a wire that is cut and stays so. */
static uint64_t
waiting(const struct lab *l, const struct lab_node *n)
{
	uint64_t packets = node_waiting(n->node);

	for (size_t p = 0; packets != 0 && p < n->node->n_ports; p++)
		if (n->out[p] != NULL && n->out[p]->down && l->next_event == l->topo->n_events)
			packets -= waits_at(n->node, p);
	return packets;
}

/* All that waits does so because a wire has not taken what was sent before: the wire wakes it. */
static bool
is_blocked(const struct lab_node *n)
{
	const struct node *node = n->node;
	uint64_t blocked = 0;

	if (node->snapshot->n_pfc_ports != 0)
		return false;
	for (size_t p = 0; p < node->n_ports; p++)
		if (n->out[p] != NULL && port_mem_full(node->port[p]))
			blocked += waits_at(node, p);
	return blocked != 0 && blocked == node_waiting(node);
}

static bool
has_unread(const struct lab_node *n)
{
	for (size_t p = 0; p < n->node->n_ports; p++)
		if (n->wired[p] && port_mem_unread(n->node->port[p]) != 0)
			return true;
	return false;
}

/* When the node has its next turn, if nothing comes in before. */
static void
plan_turn(struct lab_node *n, uint64_t now, bool moved)
{
	uint64_t next_ps = node_next_ps(n->node, now);

	if (next_ps == DP_NEVER_PS)
		n->due_ns = UINT64_MAX;
	else if (next_ps != 0)
		n->due_ns = now + (next_ps + PS_PER_NS - 1) / PS_PER_NS;
	else if (moved)
		n->due_ns = now + 1;
	else
		n->due_ns = is_blocked(n) ? UINT64_MAX : now + FEED_TURN_NS;
	if (has_unread(n))
		n->due_ns = RTE_MIN(n->due_ns, moved ? now : now + FEED_TURN_NS);
	n->feed_ns = lab_time(n->lab, feed_next_ns(&n->feed, since_start(n->lab), moved));
}

static int
turn(struct lab *l, struct lab_node *n)
{
	uint64_t out = n->sink.taken, put = n->feed.put;
	bool moved;
	int rc;

	if (l->now >= l->start_ns)
		feed_turn(&n->feed, since_start(l));
	l->put += n->feed.put - put;
	l->moved |= n->feed.put != put;
	moved = meter_turn(&n->meter, n->node, l->now) != 0;
	progress_turn(&l->progress, n->meter.tsc, l->put);
	for (size_t p = 0; p < n->node->n_ports; p++) {
		struct wire *w = n->out[p];

		if (w == NULL || port_mem_sent(n->node->port[p]) == w->n_seen)
			continue;
		moved = true;
		l->moved |= wire_serve(w, l->now) != 0;
		l->failed |= w->failed;
	}
	rc = sink_turn(&n->sink, since_start(l));
	l->moved |= n->sink.taken != out;
	plan_turn(n, l->now, moved || n->sink.taken != out);
	return rc;
}

static bool
feeds_are_done(const struct lab *l)
{
	for (size_t i = 0; i < l->n_nodes; i++)
		if (!feed_done(&l->node[i].feed))
			return false;
	return true;
}

static uint64_t
all_waiting(const struct lab *l)
{
	uint64_t packets = 0;

	for (size_t i = 0; i < l->n_nodes; i++)
		packets += waiting(l, &l->node[i]);
	return packets;
}

/* Nodes may have work that comes round for ever: what counts is that nothing waits. */
static bool
is_finished(const struct lab *l)
{
	if (l->next_event != l->topo->n_events || l->now < l->start_ns)
		return false;
	for (size_t i = 0; i < l->n_wires; i++)
		if (wire_is_busy(&l->wire[i]))
			return false;
	return feeds_are_done(l) && all_waiting(l) == 0;
}

static uint64_t
node_next_ns(const struct lab_node *n)
{
	return RTE_MIN(n->due_ns, n->feed_ns);
}

static uint64_t
next_ns(const struct lab *l)
{
	uint64_t next = UINT64_MAX;

	if (l->next_event < l->topo->n_events)
		next = lab_time(l, l->topo->event[l->next_event].at_ns);
	for (size_t i = 0; i < l->n_nodes; i++)
		next = RTE_MIN(next, node_next_ns(&l->node[i]));
	for (size_t i = 0; i < l->n_wires; i++)
		next = RTE_MIN(next, l->wire[i].next_ns);
	return next;
}

static int
check_moves(struct lab *l, uint64_t next)
{
	uint64_t packets;

	if (l->moved) {
		l->moved_ns = l->now;
		return 0;
	}
	if (l->now - l->moved_ns <= STILL_NS && next != UINT64_MAX)
		return 0;
	packets = all_waiting(l);
	if (packets == 0 && next != UINT64_MAX) {
		l->moved_ns = l->now;
		return 0;
	}
	fprintf(stderr,
		"softbag-replay: %" PRIu64
		" packets wait in nodes and none has moved for %.3f s of virtual time: a fault of "
		"softbag.\n",
		packets, (double)(l->now - l->moved_ns) / 1e9);
	return -EPROTO;
}

static int
step(struct lab *l)
{
	int rc = 0;

	l->moved = false;
	apply_events(l);
	move_wires(l);
	for (size_t i = 0; rc == 0 && i < l->n_nodes; i++)
		if (node_next_ns(&l->node[i]) <= l->now)
			rc = turn(l, &l->node[i]);
	if (rc != 0 || !l->failed)
		return rc;
	fputs("softbag-replay: memory ran out for frames on wires.\n", stderr);
	return -ENOMEM;
}

int
lab_run(struct lab *l)
{
	uint64_t total = 0, next;
	int rc = 0;

	for (size_t i = 0; i < l->n_nodes; i++)
		total += l->node[i].feed.total;
	progress_init(&l->progress, rte_rdtsc(), rte_get_tsc_hz(), total, 0);
	while (rc == 0) {
		rc = step(l);
		if (*l->interrupted)
			return rc;
		if (rc != 0 || is_finished(l))
			return rc;
		next = next_ns(l);
		rc = check_moves(l, next);
		l->now = rc == 0 ? next : l->now;
	}
	return rc;
}
