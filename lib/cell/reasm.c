/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reassembly: what happens to a cell, and when a packet goes or is given up. The tables are in
 * reasm_table.c, the mbufs in reasm_join.c.
 *
 * In a stream all that counts is next_id. Packets leave when it passes them: delivered if they are
 * whole, given up if not, lost if nobody ever saw them. It moves on when the packet there is whole,
 * when a later one is too old to wait, and when a cell comes from beyond the window.
 */
#include <rte_mbuf.h>

#include "base/ps.h"
#include "cell/reasm_table.h"

static void
ready(struct reasm *r, struct reasm_slot *slot)
{
	uint32_t idx = (uint32_t)(slot - r->slot);

	reasm_join(slot);
	r->n_ready_cells += slot->n_fragments;
	slot->next = REASM_NONE;
	if (r->ready_head == REASM_NONE)
		r->ready_head = idx;
	else
		r->slot[r->ready_tail].next = idx;
	r->ready_tail = idx;
}

static inline bool
is_whole(const struct reasm_slot *slot)
{
	return slot->n_fragments != 0 &&
	       slot->seen == UINT64_MAX >> (CELL_FRAGMENTS_MAX - slot->n_fragments);
}

/* Its slot is not linked any more. */
static void
drop_cells(struct reasm *r, struct reasm_slot *slot, enum drop_reason reason)
{
	uint32_t n = (uint32_t)__builtin_popcountll(slot->seen);

	reasm_free_cells(slot);
	r->drop[reason] += n;
	r->stats.n_cells -= n;
	reasm_slot_give(r, slot);
}

/* The packet at next_id is held: it goes if it is whole, or is given up. */
static void
pass_one(struct reasm *r, struct reasm_stream *s, struct reasm_slot *slot, enum drop_reason reason)
{
	reasm_slot_unlink(r, s, slot);
	s->next_id++;
	if (is_whole(slot)) {
		s->sure = true;
		ready(r, slot);
	} else {
		r->stats.packets_lost++;
		drop_cells(r, slot, reason);
	}
}

/* What is whole from next_id on goes. */
static void
go_on(struct reasm *r, struct reasm_stream *s)
{
	while (s->n_slots != 0 && reasm_is_held(r, s, s->next_id)) {
		struct reasm_slot *slot = reasm_slot_find(r, s, s->next_id);

		if (!is_whole(slot))
			return;
		pass_one(r, s, slot, DROP_NONE);
	}
}

/*
 * next_id passes `until`, which is in the window: what waits up to there waits no longer. At most
 * `budget` packets that are held; returns what is left of it. The work is that of cells that came
 * and of words of the window, not of ids between. Cells of pieces count as `reason`.
 */
static uint32_t
pass(struct reasm *r, struct reasm_stream *s, uint32_t until, uint32_t budget,
	enum drop_reason reason)
{
	if (s->learning) {
		s->learning = false;
		s->next_id += s->n_slots != 0 ? reasm_gap(r, s) : 0;
	}
	while (budget != 0 && until - s->next_id < r->window) {
		uint32_t gap = RTE_MIN(reasm_gap(r, s), until + 1 - s->next_id);

		r->stats.packets_lost += s->sure ? gap : 0;
		s->next_id += gap;
		if (until - s->next_id >= r->window)
			break;
		pass_one(r, s, reasm_slot_find(r, s, s->next_id), reason);
		budget--;
	}
	if (until - s->next_id >= r->window)
		go_on(r, s);
	return budget;
}

/* Everything held of the ids before `end`, or of all when `all`. The stream began anew. */
static void
drop_pieces(struct reasm *r, struct reasm_stream *s, bool all, uint32_t end)
{
	while (s->n_slots != 0) {
		s->next_id += reasm_gap(r, s);
		if (!all && end - s->next_id - 1 >= r->window)
			return;
		struct reasm_slot *slot = reasm_slot_find(r, s, s->next_id);

		reasm_slot_unlink(r, s, slot);
		r->stats.packets_lost++;
		drop_cells(r, slot, DROP_reassembly_restart);
	}
}

/* Nothing is held: the ids around this one are taken until it is clear where to begin. */
static void
learn(struct reasm *r, struct reasm_stream *s, uint32_t packet_id)
{
	s->next_id = packet_id - r->window / 2;
	s->learning = true;
	s->synced = s->sure = false;
	r->stats.learned++;
}

static void
begin(struct reasm_stream *s, uint32_t packet_id)
{
	s->next_id = s->sync_id = packet_id;
	s->learning = false;
	s->synced = s->sure = true;
}

/* Nothing is held and the last cell came long ago: cells of before are not on their way. */
static bool
is_idle(const struct reasm *r, const struct reasm_stream *s, uint64_t now)
{
	return s->n_slots == 0 && now - s->last_ps >= r->timeout_ps;
}

/*
 * A SYNC cell that is not of the packet that the stream is known to have begun with, or of that
 * one, but behind the window's begin. A stream begins once: another id is another beginning. The
 * same id behind us is a straggler, unless the stream stood still: then its source came back and
 * counts from where it counted from before.
 */
static enum drop_reason
admit_sync(struct reasm *r, struct reasm_stream *s, uint32_t packet_id, uint64_t now)
{
	bool behind = s->next_id - packet_id - 1 < r->window && !s->learning;
	bool another = s->synced && packet_id != s->sync_id;

	if (behind && !another && !is_idle(r, s, now))
		return DROP_reassembly_late;
	if (s->learning && packet_id - s->next_id < r->window) {
		drop_pieces(r, s, false, packet_id);
	} else {
		drop_pieces(r, s, true, 0);
		r->stats.restarts++;
	}
	begin(s, packet_id);
	go_on(r, s); /* it may be here whole, sent once without SYNC */
	return s->next_id == packet_id ? DROP_NONE : DROP_reassembly_late;
}

/* DROP_NONE: the id is in the window now. */
static enum drop_reason
admit(struct reasm *r, struct reasm_stream *s, const struct cell_header *h, uint64_t now)
{
	uint32_t ahead = h->packet_id - s->next_id;

	if (unlikely(h->flags & CELL_SYNC) &&
		!(s->synced && h->packet_id == s->sync_id && ahead < r->window))
		return admit_sync(r, s, h->packet_id, now);
	if (likely(ahead < r->window))
		return DROP_NONE;
	if (ahead < 2 * r->window) {
		/* a whole window came after it: what is missing there will not */
		pass(r, s, h->packet_id - r->window, UINT32_MAX, DROP_reassembly_timeout);
		return DROP_NONE;
	}
	if (0 - ahead <= r->window && !s->learning)
		return DROP_reassembly_late;
	if (!is_idle(r, s, now))
		return DROP_reassembly_window;
	learn(r, s, h->packet_id);
	return DROP_NONE;
}

/* What the lengths of one cell rule out by themselves. */
static bool
is_possible(const struct cell_header *h)
{
	uint32_t unit = h->payload_len;

	if (h->flags & CELL_LAST)
		return (uint32_t)h->packet_len - unit >= h->fragment;
	return unit * (h->fragment + 1u) < h->packet_len &&
	       unit * CELL_FRAGMENTS_MAX >= h->packet_len;
}

/*
 * Payloads are of one length up to the last, and end where the packet does: when all are there,
 * packet_len bytes are.
 */
static bool
fits(const struct reasm_slot *slot, const struct cell_header *h)
{
	bool last = h->flags & CELL_LAST;
	uint32_t unit = last ? slot->unit_len : h->payload_len;
	uint32_t before_last = last ? h->fragment : slot->n_fragments - 1u;
	uint32_t last_len = last ? h->payload_len : slot->last_len;

	if (h->packet_len != slot->packet_len)
		return false;
	if (last ? slot->n_fragments != 0 || slot->seen >> h->fragment != 0
		 : slot->unit_len != 0 && slot->unit_len != h->payload_len)
		return false;
	if (!last && slot->n_fragments == 0)
		return true;
	return (last || h->fragment < before_last) &&
	       (unit == 0 || unit * before_last + last_len == h->packet_len);
}

static void
add(struct reasm *r, struct reasm_slot *slot, const struct cell_header *h, struct rte_mbuf *m)
{
	slot->cell[h->fragment] = reasm_payload(m, h->payload_len);
	slot->seen |= UINT64_C(1) << h->fragment;
	slot->congestion |= (h->flags & CELL_CONGESTION) != 0;
	if (h->flags & CELL_LAST) {
		slot->n_fragments = (uint8_t)(h->fragment + 1);
		slot->last_len = h->payload_len;
	} else {
		slot->unit_len = h->payload_len;
	}
	r->stats.n_cells++;
	r->stats.peak_cells = RTE_MAX(r->stats.peak_cells, r->stats.n_cells);
}

/* The stream of the cell, with the cell's id in its window. */
static enum drop_reason
find_stream(struct reasm *r, const struct cell_header *h, uint64_t now, struct reasm_stream **ret)
{
	struct reasm_stream *s = reasm_stream_find(r, reasm_key(h));

	*ret = s;
	if (likely(s != NULL))
		return admit(r, s, h, now);
	if (r->free_slot == REASM_NONE)
		return DROP_reassembly_full;
	*ret = s = reasm_stream_take(r, reasm_key(h), now);
	if (s == NULL)
		return DROP_reassembly_streams;
	if (h->flags & CELL_SYNC)
		begin(s, h->packet_id);
	else
		learn(r, s, h->packet_id);
	return DROP_NONE;
}

/* A cell of a packet of which others are here. */
static enum drop_reason
put_more(struct reasm *r, struct reasm_stream *s, const struct cell_header *h, struct rte_mbuf *m)
{
	struct reasm_slot *slot = reasm_slot_find(r, s, h->packet_id);

	if (slot->seen >> h->fragment & 1)
		return DROP_reassembly_duplicate;
	if (!fits(slot, h))
		return DROP_reassembly_mismatch;
	add(r, slot, h, m);
	if (h->packet_id == s->next_id && !s->learning)
		go_on(r, s);
	return DROP_NONE;
}

/* The first cell that comes of its packet; often the only one, and its turn. */
static enum drop_reason
put_first(struct reasm *r, struct reasm_stream *s, const struct cell_header *h, struct rte_mbuf *m,
	uint64_t now)
{
	struct reasm_slot *slot = reasm_slot_take(r, s, h, now);

	if (slot == NULL)
		return DROP_reassembly_full;
	add(r, slot, h, m);
	if (h->packet_id != s->next_id || s->learning || !is_whole(slot)) {
		reasm_slot_link(r, s, slot);
		return DROP_NONE;
	}
	s->next_id++;
	s->sure = true;
	ready(r, slot);
	go_on(r, s);
	return DROP_NONE;
}

/* What is ready is as good as gone: it does not count. */
static inline bool
is_full(const struct reasm *r)
{
	return r->stats.n_cells - r->n_ready_cells >= r->n_cells_max;
}

/*
 * The packet that waits longest waits no more, nor do those before it; a cell of its own is what it
 * waits for, and always finds room. Were cells refused instead, each would be missing from a packet
 * of its own, for which the next ones wait until it is full again: one loss would go on for ever.
 */
static bool
make_room(struct reasm *r, const struct cell_header *h)
{
	const struct reasm_slot *slot;
	struct reasm_stream *s;

	if (r->oldest == REASM_NONE)
		return false;
	slot = &r->slot[r->oldest];
	s = &r->stream[slot->stream_idx];
	if (slot->packet_id == h->packet_id && s->key == reasm_key(h))
		return true;
	pass(r, s, slot->packet_id, 1, DROP_reassembly_full);
	go_on(r, s); /* what is whole behind that one waits for nothing, the oldest or not */
	return !is_full(r);
}

enum drop_reason
reasm_put(struct reasm *r, const struct cell_header *h, struct rte_mbuf *m, uint64_t now)
{
	struct reasm_stream *s;
	enum drop_reason reason;

	if (unlikely(m->data_len < CELL_PREFIX_LEN ||
		     m->pkt_len < (uint32_t)CELL_PREFIX_LEN + h->payload_len))
		return DROP_cell_short;
	if (unlikely(!is_possible(h)))
		return DROP_reassembly_mismatch;
	if (unlikely(is_full(r)) && !make_room(r, h))
		return DROP_reassembly_full;
	reason = find_stream(r, h, now, &s);
	if (unlikely(reason != DROP_NONE))
		return reason;
	reason = reasm_is_held(r, s, h->packet_id) ? put_more(r, s, h, m)
						   : put_first(r, s, h, m, now);
	if (likely(reason == DROP_NONE))
		s->last_ps = now;
	return reason;
}

uint16_t
reasm_take(struct reasm *r, struct reasm_packet *out, uint16_t max)
{
	uint16_t n = 0;

	while (n < max && r->ready_head != REASM_NONE) {
		struct reasm_slot *slot = &r->slot[r->ready_head];

		r->ready_head = slot->next;
		out[n++] = (struct reasm_packet){
			.m = slot->cell[0],
			.source = slot->source,
			.system_port = slot->system_port,
			.class = slot->class,
			.congestion = slot->congestion,
		};
		r->stats.packets++;
		r->stats.bytes += slot->packet_len;
		r->stats.cells += slot->n_fragments;
		r->stats.n_cells -= slot->n_fragments;
		r->n_ready_cells -= slot->n_fragments;
		reasm_slot_give(r, slot);
	}
	return n;
}

void
reasm_turn(struct reasm *r, uint64_t now)
{
	uint32_t budget = REASM_TURN_PACKETS;

	while (r->oldest != REASM_NONE && budget != 0) {
		const struct reasm_slot *slot = &r->slot[r->oldest];

		if (!ps_reached(slot->first_ps + r->timeout_ps, now))
			return;
		budget = pass(r, &r->stream[slot->stream_idx], slot->packet_id, budget,
			DROP_reassembly_timeout);
	}
}

uint64_t
reasm_next_ps(const struct reasm *r, uint64_t now)
{
	if (r->ready_head != REASM_NONE)
		return now;
	if (r->oldest == REASM_NONE)
		return UINT64_MAX;
	return now + ps_ahead(r->slot[r->oldest].first_ps + r->timeout_ps, now);
}

uint32_t
reasm_cells(const struct reasm *r)
{
	return r->stats.n_cells;
}

void
reasm_drop_all(struct reasm *r, enum drop_reason reason)
{
	while (r->oldest != REASM_NONE) {
		struct reasm_slot *slot = &r->slot[r->oldest];

		reasm_slot_unlink(r, &r->stream[slot->stream_idx], slot);
		r->stats.packets_lost++;
		drop_cells(r, slot, reason);
	}
	while (r->ready_head != REASM_NONE) {
		struct reasm_slot *slot = &r->slot[r->ready_head];

		r->ready_head = slot->next;
		r->stats.packets_lost++;
		rte_pktmbuf_free(slot->cell[0]);
		slot->seen = 0;
		r->drop[reason] += slot->n_fragments;
		r->stats.n_cells -= slot->n_fragments;
		r->n_ready_cells -= slot->n_fragments;
		reasm_slot_give(r, slot);
	}
}

const struct reasm_stats *
reasm_stats(const struct reasm *r)
{
	return &r->stats;
}
