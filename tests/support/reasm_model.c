/* SPDX-License-Identifier: BSD-3-Clause */
/* The dull reassembly; reasm_model.h says what it is for. */
#include "reasm_model.h"

#include <stddef.h>
#include <string.h>

void
model_init(struct reasm_model *m, uint32_t n_streams, uint32_t n_packets, uint32_t n_cells,
	uint32_t window, uint64_t timeout_ps)
{
	/* what lies beyond is never looked at; the fuzzer begins anew often */
	memset(m, 0, offsetof(struct reasm_model, stream));
	memset(m->packet, 0, n_packets * sizeof(m->packet[0]));
	m->n_streams_max = n_streams;
	m->n_packets_max = n_packets;
	m->n_cells_max = n_cells;
	m->window = window;
	m->timeout_ps = timeout_ps;
}

/* How far `id` is ahead of next_id; negative: behind. */
static int64_t
ahead(const struct model_stream *s, uint32_t id)
{
	return (int32_t)(id - s->next_id);
}

static struct model_packet *
find(struct reasm_model *m, uint32_t stream, uint32_t id)
{
	for (uint32_t i = 0; i < m->n_packets_max; i++) {
		struct model_packet *p = &m->packet[i];

		if (p->used && !p->ready && p->stream == stream && p->id == id)
			return p;
	}
	return NULL;
}

/* The waiting packet of the stream (or of any: -1) that came first. */
static struct model_packet *
oldest(struct reasm_model *m, int64_t stream)
{
	struct model_packet *best = NULL;

	for (uint32_t i = 0; i < m->n_packets_max; i++) {
		struct model_packet *p = &m->packet[i];

		if (p->used && !p->ready && (stream < 0 || p->stream == stream) &&
			(best == NULL || p->order < best->order))
			best = p;
	}
	return best;
}

static bool
whole(const struct model_packet *p)
{
	return p->n_fragments != 0 && p->n_cells == p->n_fragments;
}

static void
drop(struct reasm_model *m, struct model_packet *p, enum drop_reason reason)
{
	m->drop[reason] += p->n_cells;
	m->n_cells -= p->n_cells;
	m->packets_lost++;
	m->n_packets--;
	p->used = false;
}

static void
deliver_whole_ones(struct reasm_model *m, uint32_t stream)
{
	struct model_stream *s = &m->stream[stream];

	for (;;) {
		struct model_packet *p = find(m, stream, s->next_id);

		if (s->learning || p == NULL || !whole(p))
			return;
		p->ready = true;
		p->order = ++m->order;
		s->next_id++;
		s->sure = true;
	}
}

static void
give_up_to(struct reasm_model *m, uint32_t stream, uint32_t until)
{
	struct model_stream *s = &m->stream[stream];

	if (s->learning) {
		s->learning = false;
		while (oldest(m, stream) != NULL && find(m, stream, s->next_id) == NULL)
			s->next_id++;
	}
	while (ahead(s, until) >= 0) {
		struct model_packet *p = find(m, stream, s->next_id);

		if (p != NULL && whole(p)) {
			deliver_whole_ones(m, stream);
			continue;
		}
		if (p != NULL)
			drop(m, p, DROP_reassembly_timeout);
		else
			m->packets_lost += s->sure;
		s->next_id++;
	}
	deliver_whole_ones(m, stream);
}

static void
learn(struct reasm_model *m, struct model_stream *s, uint32_t id)
{
	s->next_id = id - m->window / 2;
	s->learning = true;
	s->synced = s->sure = false;
}

static enum drop_reason
see_sync(struct reasm_model *m, uint32_t stream, uint32_t id, bool idle)
{
	struct model_stream *s = &m->stream[stream];
	int64_t a = ahead(s, id);
	bool keep = s->learning && a >= 0 && a < m->window;

	if (s->synced && s->sync_id == id && a >= 0 && a < m->window)
		return DROP_NONE;
	if (!s->learning && a < 0 && a >= -(int64_t)m->window && !idle &&
		!(s->synced && s->sync_id != id))
		return DROP_reassembly_late;
	for (uint32_t i = 0; i < m->n_packets_max; i++) {
		struct model_packet *p = &m->packet[i];

		if (p->used && !p->ready && p->stream == stream &&
			!(keep && (int32_t)(p->id - id) >= 0))
			drop(m, p, DROP_reassembly_restart);
	}
	s->next_id = s->sync_id = id;
	s->synced = s->sure = true;
	s->learning = false;
	deliver_whole_ones(m, stream);
	return s->next_id == id ? DROP_NONE : DROP_reassembly_late;
}

static enum drop_reason
admit(struct reasm_model *m, uint32_t stream, const struct cell_header *h, uint64_t now)
{
	struct model_stream *s = &m->stream[stream];
	bool idle = oldest(m, stream) == NULL && now - s->last_ps >= m->timeout_ps;
	int64_t a = ahead(s, h->packet_id), window = m->window;

	if (h->flags & CELL_SYNC)
		return see_sync(m, stream, h->packet_id, idle);
	if (a >= 0 && a < window)
		return DROP_NONE;
	if (a >= window && a < 2 * window) {
		give_up_to(m, stream, h->packet_id - m->window);
		return DROP_NONE;
	}
	if (a < 0 && a >= -window && !s->learning)
		return DROP_reassembly_late;
	if (!idle)
		return DROP_reassembly_window;
	learn(m, s, h->packet_id);
	return DROP_NONE;
}

static int64_t
find_stream(const struct reasm_model *m, const struct cell_header *h)
{
	for (uint32_t i = 0; i < m->n_streams; i++) {
		const struct model_stream *s = &m->stream[i];

		if (s->source == h->source && s->system_port == h->system_port &&
			s->pipe == h->pipe && s->class == h->class)
			return i;
	}
	return -1;
}

static struct model_packet *
new_packet(struct reasm_model *m, uint32_t stream, const struct cell_header *h, uint64_t now)
{
	for (uint32_t i = 0; i < m->n_packets_max; i++) {
		struct model_packet *p = &m->packet[i];

		if (p->used)
			continue;
		*p = (struct model_packet){
			.used = true,
			.stream = stream,
			.id = h->packet_id,
			.first_ps = now,
			.order = ++m->order,
			.len = h->packet_len,
		};
		m->n_packets++;
		return p;
	}
	return NULL;
}

/* By division, where reassembly multiplies. */
static bool
possible(const struct cell_header *h)
{
	if (h->flags & CELL_LAST)
		return h->fragment == 0 || (h->packet_len - h->payload_len) / h->fragment >= 1;
	return (h->packet_len - 1) / h->payload_len > h->fragment &&
	       (h->packet_len + h->payload_len - 1) / h->payload_len <= CELL_FRAGMENTS_MAX;
}

static bool
contradicts(const struct model_packet *p, const struct cell_header *h)
{
	uint32_t unit = h->flags & CELL_LAST ? p->unit_len : h->payload_len;
	uint32_t n = h->flags & CELL_LAST ? h->fragment + 1u : p->n_fragments;
	uint32_t last_len = h->flags & CELL_LAST ? h->payload_len : p->last_len;

	if (h->packet_len != p->len || (h->flags & CELL_LAST && p->n_fragments != 0) ||
		(p->unit_len != 0 && unit != p->unit_len))
		return true;
	for (uint32_t i = 0; i < CELL_FRAGMENTS_MAX && n != 0; i++)
		if ((p->has[i] || (i == h->fragment)) && i >= n)
			return true;
	if (!(h->flags & CELL_LAST) && n != 0 && h->fragment == n - 1)
		return true;
	return n != 0 && unit != 0 && (n - 1) * unit + last_len != p->len;
}

static void
add(struct reasm_model *m, struct model_packet *p, const struct cell_header *h)
{
	p->has[h->fragment] = true;
	p->congestion |= (h->flags & CELL_CONGESTION) != 0;
	p->n_cells++;
	m->n_cells++;
	if (h->flags & CELL_LAST) {
		p->n_fragments = h->fragment + 1u;
		p->last_len = h->payload_len;
	} else {
		p->unit_len = h->payload_len;
	}
}

static enum drop_reason
stream_of(struct reasm_model *m, const struct cell_header *h, uint64_t now, uint32_t *ret)
{
	int64_t at = find_stream(m, h);

	*ret = (uint32_t)at;
	if (at >= 0)
		return admit(m, *ret, h, now);
	if (m->n_packets == m->n_packets_max)
		return DROP_reassembly_full;
	if (m->n_streams == m->n_streams_max)
		return DROP_reassembly_streams;
	*ret = m->n_streams++;
	m->stream[*ret] = (struct model_stream){
		.source = h->source,
		.system_port = h->system_port,
		.pipe = h->pipe,
		.class = h->class,
		.last_ps = now,
	};
	learn(m, &m->stream[*ret], h->packet_id);
	return h->flags & CELL_SYNC ? see_sync(m, *ret, h->packet_id, false) : DROP_NONE;
}

static uint32_t
waiting_cells(const struct reasm_model *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_packets_max; i++)
		n += m->packet[i].used && !m->packet[i].ready ? m->packet[i].n_cells : 0;
	return n;
}

/* No room: the packet that came first waits no longer; the first one held up to it goes or ends. */
static void
make_room(struct reasm_model *m, struct model_packet *first)
{
	struct model_packet *p = NULL;
	struct model_stream *s = &m->stream[first->stream];
	uint32_t stream = first->stream;

	while (s->learning && find(m, stream, s->next_id) == NULL)
		s->next_id++;
	s->learning = false;
	while ((p = find(m, stream, s->next_id)) == NULL) {
		m->packets_lost += s->sure;
		s->next_id++;
	}
	if (whole(p)) {
		p->ready = true;
		p->order = ++m->order;
		s->sure = true;
	} else {
		drop(m, p, DROP_reassembly_full);
	}
	s->next_id++;
	deliver_whole_ones(m, stream);
}

enum drop_reason
model_put(struct reasm_model *m, const struct cell_header *h, uint64_t now)
{
	struct model_packet *p;
	enum drop_reason reason;
	uint32_t stream;

	if (!possible(h))
		return DROP_reassembly_mismatch;
	p = oldest(m, -1);
	if (waiting_cells(m) >= m->n_cells_max &&
		!(p->id == h->packet_id && find_stream(m, h) == p->stream)) {
		make_room(m, p);
		if (waiting_cells(m) >= m->n_cells_max)
			return DROP_reassembly_full;
	}
	reason = stream_of(m, h, now, &stream);
	if (reason != DROP_NONE)
		return reason;
	p = find(m, stream, h->packet_id);
	if (p != NULL && p->has[h->fragment])
		return DROP_reassembly_duplicate;
	if (p != NULL && contradicts(p, h))
		return DROP_reassembly_mismatch;
	if (p == NULL)
		p = new_packet(m, stream, h, now);
	if (p == NULL)
		return DROP_reassembly_full;
	add(m, p, h);
	m->stream[stream].last_ps = now;
	deliver_whole_ones(m, stream);
	return DROP_NONE;
}

void
model_turn(struct reasm_model *m, uint64_t now)
{
	for (;;) {
		struct model_packet *p = oldest(m, -1);

		if (p == NULL || now - p->first_ps < m->timeout_ps)
			return;
		give_up_to(m, p->stream, p->id);
	}
}

static struct model_packet *
first_ready(const struct reasm_model *m)
{
	const struct model_packet *best = NULL;

	for (uint32_t i = 0; i < m->n_packets_max; i++) {
		const struct model_packet *p = &m->packet[i];

		if (p->used && p->ready && (best == NULL || p->order < best->order))
			best = p;
	}
	return (struct model_packet *)(uintptr_t)best;
}

const struct model_packet *
model_take(struct reasm_model *m)
{
	struct model_packet *p = first_ready(m);

	if (p == NULL)
		return NULL;
	p->used = false;
	m->n_packets--;
	m->n_cells -= p->n_cells;
	m->packets++;
	m->cells += p->n_cells;
	return p;
}

uint64_t
model_next_ps(const struct reasm_model *m, uint64_t now)
{
	const struct model_packet *p = oldest((struct reasm_model *)(uintptr_t)m, -1);

	if (first_ready(m) != NULL)
		return now;
	if (p == NULL)
		return UINT64_MAX;
	return now - p->first_ps >= m->timeout_ps ? now : p->first_ps + m->timeout_ps;
}
