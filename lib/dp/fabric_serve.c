/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out of the virtual output queues: what has credit is cut into cells, and those are sprayed over
 * the links that lead to their device. stage_fabric comes here, and stage_cell with cells that only
 * pass through.
 */
#include "base/bits.h"
#include "dp/stage.h"
#include "wire/cell_ext.h"

/* Set `set` - 1 of the table, or NULL; the worker's cursors are of the same table. */
static const struct spray_set *
links_of(struct worker *w, uint16_t set, struct spray **ret_cursor)
{
	const struct fabric_table *t = w->snapshot->fabric;
	struct worker_fabric *f = w->fabric;

	if (unlikely(f->table_generation != t->generation)) {
		for (uint32_t i = 0; i < t->n_sets; i++)
			spray_init(&f->cursor[i], &t->set[i], rng_next(&w->rng));
		f->table_generation = t->generation;
	}
	if (set == 0)
		return NULL;
	*ret_cursor = &f->cursor[set - 1];
	return &t->set[set - 1];
}

/* To the TX buffer of a link that has room. */
static inline void
to_link(struct worker *w, uint16_t port_idx, struct rte_mbuf *m)
{
	struct worker_tx *tx = &w->tx[port_idx];

	cut_set_source(m, tx->port->mac);
	tx->mbuf[tx->n++] = m;
	tx->bytes += rte_pktmbuf_pkt_len(m);
	w->tx_waiting[port_idx / 64] |= UINT64_C(1) << (port_idx % 64);
}

/* Cells that wait for the link, the device's own rings left out. */
static inline uint32_t
link_depth(const struct worker *w, uint16_t port_idx)
{
	const struct worker_tx *tx = &w->tx[port_idx];

	return tx->n + (likely(tx->direct) ? 0 : queue_packets(&w->queue[port_idx]));
}

/* A bit for each link of the set that takes no cells now; *ret_room: cells that the others take. */
static uint64_t
full_links(const struct worker *w, const struct spray_set *set, uint32_t *ret_room)
{
	const struct alive *alive = &w->shared->alive;
	uint64_t full = 0;

	*ret_room = 0;
	for (unsigned int i = 0; i < set->n_links; i++) {
		const struct worker_tx *tx = &w->tx[set->port_idx[i]];

		if (!tx->direct || tx->n == WORKER_TX_MAX)
			full |= UINT64_C(1) << i;
		else if (alive_test(alive, set->port_idx[i]))
			*ret_room += WORKER_TX_MAX - tx->n;
	}
	return full;
}

enum drop_reason
fabric_send(
	struct worker *w, const struct cell_header *h, struct rte_mbuf *m, uint16_t not_port_idx)
{
	const struct fabric_table *t = w->snapshot->fabric;
	uint16_t set_of = t->set_of[h->destination];
	struct spray *cursor;
	const struct spray_set *set;
	struct pkt_rec rec = {
		.m = m,
		.at_ps = w->now_ps,
		.len = rte_pktmbuf_pkt_len(m),
		.in_port_idx = w->shared->fabric->in_port_idx,
		.class = h->type == CELL_DATA ? h->class : DP_CLASS_ROUTING,
	};
	struct worker_tx *tx;
	uint16_t port_idx;
	int link;

	if (unlikely(set_of == 0))
		set_of = t->last_of[h->destination];
	set = links_of(w, set_of, &cursor);
	if (unlikely(set == NULL))
		return DROP_unreachable;
	link = spray_next(set, cursor, &w->shared->alive, 0, not_port_idx);
	if (unlikely(link < 0))
		return DROP_unreachable;
	port_idx = set->port_idx[link];
	tx = &w->tx[port_idx];
	if (h->type == CELL_DATA && unlikely(link_depth(w, port_idx) >= FABRIC_DEEP_CELLS))
		cell_mark_congestion(rte_pktmbuf_mtod_offset(m, uint8_t *, ETH_HDR_LEN));
	if (likely(tx->direct && tx->n < WORKER_TX_MAX)) {
		to_link(w, port_idx, m);
		return DROP_NONE;
	}
	cut_set_source(m, tx->port->mac);
	return queue_wait(w, &rec, port_idx);
}

/* The packet has left its VOQ: nobody is charged for it any more. */
static void
unbook(struct worker *w, const struct pkt_rec *rec)
{
	bool charged = rec->flags & QUEUE_CHARGED;

	if (charged)
		ledger_add(&w->ledger.held,
			&w->shared->commons[rec->in_port_idx].xoff[rec->class].held,
			-(int64_t)rec->len);
	ledger_add(&w->ledger.room,
		charged ? w->shared->paused_packets : &w->shared->fabric->packets, -1);
}

static void
drop_head(struct worker *w, unsigned int voq, enum drop_reason reason)
{
	struct pkt_rec rec;

	if (!voq_drop(&w->chunks, &w->fabric->voq[voq], &rec))
		return;
	unbook(w, &rec);
	rte_pktmbuf_free(rec.m);
	w->counters->drop[reason]++;
	w->fabric->count[voq].dropped++;
}

static void
drop_voq(struct worker *w, unsigned int voq, enum drop_reason reason)
{
	while (w->fabric->voq[voq].fifo.n != 0)
		drop_head(w, voq, reason);
}

/* One packet to cells to links; false: the links have no room for all of them. */
static bool
send_head(struct worker *w, unsigned int voq, const struct spray_set *set, struct spray *cursor,
	uint64_t *full, uint32_t *room)
{
	const struct dp_fabric *f = w->shared->fabric;
	const struct fabric_dest *dest = &f->dest[voq / DP_CLASSES];
	struct voq *v = &w->fabric->voq[voq];
	struct pkt_rec rec = *voq_head(v);
	struct rte_mbuf *cell[CELL_FRAGMENTS_MAX];
	struct cell_header h = {
		.flags = v->sync ? CELL_SYNC : 0,
		.class = (uint8_t)(voq % DP_CLASSES),
		.pipe = (uint8_t)w->idx,
		.source = f->device,
		.destination = dest->device,
		.system_port = dest->system_port,
		.packet_id = v->packet_id,
	};
	int n;

	if (cut_n_cells(&f->cut, rec.len) > *room)
		return false;
	n = cut_packet(&f->cut, rec.m, &h, cell);
	if (unlikely(n < 0)) {
		drop_head(w, voq, n == -EMSGSIZE ? DROP_too_big : DROP_cell_buffer);
		return true;
	}
	voq_pop(&w->chunks, v, &rec);
	unbook(w, &rec);
	w->counters->packets_cut++;
	w->counters->cells_made += (unsigned int)n;
	w->fabric->count[voq].packets++;
	w->fabric->count[voq].bytes += rec.len;
	*room -= (unsigned int)n;
	for (int i = 0; i < n; i++) {
		int link = spray_next(set, cursor, &w->shared->alive, *full, UINT16_MAX);

		if (unlikely(link < 0)) { /* the last one died since it was counted */
			rte_pktmbuf_free(cell[i]);
			w->counters->drop[DROP_unreachable]++;
			continue;
		}
		to_link(w, set->port_idx[link], cell[i]);
		if (w->tx[set->port_idx[link]].n == WORKER_TX_MAX)
			*full |= UINT64_C(1) << link;
	}
	return true;
}

static void
ask(struct worker *w, unsigned int voq)
{
	const struct fabric_dest *dest = &w->shared->fabric->dest[voq / DP_CLASSES];
	struct cell_request request;
	uint8_t ext[CELL_REQUEST_LEN];
	struct cell_header h = {
		.type = CELL_REQUEST,
		.class = (uint8_t)(voq % DP_CLASSES),
		.pipe = (uint8_t)w->idx,
		.destination = dest->device,
		.system_port = dest->system_port,
		.payload_len = CELL_REQUEST_LEN,
	};

	if (!voq_ask(&w->fabric->voq[voq], w->now_ps, &request))
		return;
	cell_write_request(ext, &request);
	w->fabric->requests_out++;
	fabric_control(w, &h, ext);
}

/*
 * The VOQs of a destination, urgent classes first; true when a packet went. A packet that finds too
 * little room keeps it from those behind it, or shorter ones would take it for ever: from classes
 * less urgent, and from destinations behind the same links (*no_room: their set).
 */
static bool
serve_dest(struct worker *w, unsigned int dest, uint16_t *no_room)
{
	uint64_t went = w->counters->packets_cut;
	const struct dp_fabric *f = w->shared->fabric;
	struct spray *cursor = NULL;
	uint16_t set_of = w->snapshot->fabric->set_of[f->dest[dest].device];
	const struct spray_set *set = links_of(w, set_of, &cursor);
	uint64_t full = 0;
	uint32_t room = 0;
	bool left = false, short_of_room = false;

	if (set != NULL && set_of != *no_room)
		full = full_links(w, set, &room);
	for (unsigned int c = DP_CLASSES; c-- > 0;) {
		unsigned int voq = dest * DP_CLASSES + c;
		struct voq *v = &w->fabric->voq[voq];

		if (v->fifo.n == 0 && !v->renewed)
			continue;
		while (voq_head(v) != NULL && room != 0)
			if (!send_head(w, voq, set, cursor, &full, &room)) {
				short_of_room = true;
				room = 0;
			}
		if (!f->push)
			ask(w, voq);
		if (unlikely(v->fifo.n != 0 &&
			     voq_stalled(v, w->now_ps, f->watchdog_ps, set != NULL)))
			drop_voq(
				w, voq, voq_head(v) == NULL ? DROP_voq_watchdog : DROP_unreachable);
		left |= v->fifo.n != 0 || v->renewed;
	}
	if (!left)
		w->fabric->queued[dest / 64] &= ~(UINT64_C(1) << (dest % 64));
	if (unlikely(short_of_room && w->counters->packets_cut == went))
		*no_room = set_of;
	return w->counters->packets_cut != went;
}

/*
 * Who comes first takes what room the links have. So the destination behind the first one of which
 * a packet went is first in the next turn: a turn in which there was no room is nobody's.
 */
void
fabric_serve(struct worker *w)
{
	struct worker_fabric *f = w->fabric;
	const unsigned int n_words = BITS_ARRAY_LEN(f->queued);
	uint64_t behind = UINT64_MAX << (f->first % 64);
	unsigned int word = f->first / 64;
	uint16_t no_room = 0;
	bool went = false;

	/* the word of the first one comes twice: its end, and at last its begin */
	for (unsigned int i = 0; i <= n_words; i++) {
		uint64_t queued = f->queued[word];

		queued &= i == 0 ? behind : i == n_words ? ~behind : UINT64_MAX;
		for (; queued != 0; queued &= queued - 1) {
			unsigned int dest = word * 64 + bits_lowest(queued);

			if (!serve_dest(w, dest, &no_room) || went)
				continue;
			went = true;
			f->first = (uint16_t)(dest + 1 == FABRIC_DESTS_MAX ? 0 : dest + 1);
		}
		word = word + 1 == n_words ? 0 : word + 1;
	}
	ledger_flush(&w->ledger);
}

void
fabric_drop_all(struct worker *w, enum drop_reason reason)
{
	const struct dp_fabric *f = w->shared->fabric;
	struct rte_mbuf *m;

	for (unsigned int v = 0; v < f->n_dests * DP_CLASSES; v++)
		drop_voq(w, v, reason);
	ledger_flush(&w->ledger);
	memset(w->fabric->queued, 0, sizeof(w->fabric->queued));
	while (rte_ring_sc_dequeue(f->handoff[w->idx], (void **)&m) == 0) {
		rte_pktmbuf_free(m);
		w->counters->drop[reason]++;
	}
	reasm_drop_all(w->fabric->reasm, reason);
}
