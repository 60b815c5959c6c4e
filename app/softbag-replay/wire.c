/* SPDX-License-Identifier: BSD-3-Clause */
/* Wires between nodes. lab.c calls it around the nodes' turns. */
#include "wire.h"

#include <stdlib.h>

#include "base/ps.h"
#include "frame_mbuf.h"
#include "wire/cell.h"

#define ALL UINT64_C(1000000000) /* 100 % of loss */

struct wire_frame {
	struct wire_frame *next;
	uint64_t at_ns; /* there */
	uint32_t len;
	bool periodic;
	uint8_t bytes[];
};

void
wire_init(struct wire *w)
{
	w->head = NULL;
	w->tail = &w->head;
	w->next_ns = WIRE_NEVER;
}

void
wire_fini(struct wire *w)
{
	while (w->head != NULL) {
		struct wire_frame *f = w->head;

		w->head = f->next;
		free(f);
	}
}

static uint64_t
ns_from_ps(wire_ps ps)
{
	return (uint64_t)((ps + PS_PER_NS - 1) / PS_PER_NS);
}

static void
plan(struct wire *w)
{
	w->next_ns = w->head == NULL ? WIRE_NEVER : w->head->at_ns;
	if (!w->down && w->n_seen != 0)
		w->next_ns = RTE_MIN(w->next_ns, ns_from_ps(w->free_ps));
}

/* Cells that say who can be reached are sent for ever: no reason to go on. */
static bool
is_periodic(const uint8_t *bytes, uint32_t len)
{
	struct cell_header h;

	/* whatever the EtherType, which nodes may choose: the check makes a mistake unlikely */
	return len >= CELL_PREFIX_LEN &&
	       cell_read(bytes + ETH_HDR_LEN, len - ETH_HDR_LEN, &h) == CELL_OK &&
	       h.type == CELL_REACH;
}

static struct wire_frame *
copy(const struct rte_mbuf *m)
{
	uint32_t len = rte_pktmbuf_pkt_len(m);
	struct wire_frame *f = malloc(sizeof(*f) + len);
	const void *bytes;

	if (f == NULL)
		return NULL;
	/* one segment is not copied by this, more are: into the place given */
	bytes = rte_pktmbuf_read(m, 0, len, f->bytes);
	if (bytes != f->bytes && len != 0)
		memcpy(f->bytes, bytes, len);
	f->next = NULL;
	f->len = len;
	f->periodic = is_periodic(f->bytes, len);
	return f;
}

static bool
by_chance(struct rng *r, uint64_t part)
{
	return part != 0 && rng_below(r, ALL) < part;
}

/* The frame occupies the wire; returns when its last bit is there. */
static wire_ps
send_bits(struct wire *w, uint32_t len, uint64_t now_ns)
{
	wire_ps now_ps = (wire_ps)now_ns * PS_PER_NS, there;
	uint64_t work;

	if (w->n_seen != 0) {
		w->n_seen--; /* it was waiting for the one before: no gap */
	} else if (w->free_ps < now_ps) {
		w->free_ps = now_ps;
		w->part = 0;
	}
	/* 262,144 bytes x 8 x 10^12 and a part below 2^41: fits */
	work = frame_wire_bits(len) * PS_PER_S + w->part;
	w->free_ps += work / w->rate_bps;
	w->part = work % w->rate_bps;
	there = w->free_ps + (wire_ps)w->delay_ns * PS_PER_NS;
	if (w->jitter_ns != 0)
		there += rng_below(&w->late, w->jitter_ns * PS_PER_NS + 1);
	if (there < w->last_ps)
		there = w->last_ps;
	w->last_ps = there;
	return there;
}

/* Returns 1 for a frame for which a run goes on. */
static unsigned int
take_one(struct wire *w, struct rte_mbuf *m, uint64_t now_ns)
{
	struct wire_frame *f = copy(m);
	wire_ps there = send_bits(w, rte_pktmbuf_pkt_len(m), now_ns);
	unsigned int matters;

	rte_pktmbuf_free(m);
	w->count.taken++;
	if (f == NULL) {
		w->failed = true;
		w->count.lost++;
		return 0;
	}
	matters = !f->periodic;
	if (by_chance(&w->luck, w->loss)) {
		w->count.lost++;
		free(f);
		return matters;
	}
	f->at_ns = ns_from_ps(there);
	*w->tail = f;
	w->tail = &f->next;
	w->n_frames++;
	w->n_periodic += f->periodic;
	return matters;
}

unsigned int
wire_serve(struct wire *w, uint64_t now_ns)
{
	wire_ps now_ps = (wire_ps)now_ns * PS_PER_NS;
	struct rte_mbuf *m;
	unsigned int n = 0;

	while (!w->down && w->free_ps <= now_ps && port_mem_take(w->from.port, &m, 1) == 1)
		n += take_one(w, m, now_ns);
	w->n_seen = port_mem_sent(w->from.port);
	plan(w);
	return n;
}

static struct wire_frame *
unlink_head(struct wire *w)
{
	struct wire_frame *f = w->head;

	w->head = f->next;
	if (w->head == NULL)
		w->tail = &w->head;
	w->n_frames--;
	w->n_periodic -= f->periodic;
	return f;
}

static bool
hand_over(struct wire *w, const struct wire_frame *f)
{
	struct rte_mbuf *m = frame_to_mbuf(w->to.node->pool, f->bytes, f->len, w->segment_len);
	uint16_t queue = w->queue[0];

	if (m == NULL)
		return false;
	if (w->n_queues > 1)
		queue = w->queue[frame_flow_hash(f->bytes, f->len) % w->n_queues];
	if (port_mem_put(w->to.port, queue, &m, 1) == 1)
		return true;
	rte_pktmbuf_free(m);
	return false;
}

unsigned int
wire_deliver(struct wire *w, uint64_t now_ns)
{
	unsigned int n = 0;

	while (w->head != NULL && w->head->at_ns <= now_ns) {
		struct wire_frame *f = unlink_head(w);

		if (hand_over(w, f))
			w->count.delivered++;
		else
			w->count.no_buffer++;
		n += !f->periodic;
		free(f);
	}
	plan(w);
	return n;
}

void
wire_set_up(struct wire *w, bool up, uint64_t now_ns)
{
	wire_ps now_ps = (wire_ps)now_ns * PS_PER_NS;

	while (!up && w->head != NULL) {
		free(unlink_head(w));
		w->count.lost_down++;
	}
	w->down = !up;
	if (up && w->free_ps < now_ps) {
		w->free_ps = now_ps;
		w->part = 0;
	}
	w->n_seen = port_mem_sent(w->from.port);
	plan(w);
}

bool
wire_is_busy(const struct wire *w)
{
	return w->n_frames != w->n_periodic || (!w->down && w->n_seen != 0) ||
	       port_mem_unread(w->to.port) != 0;
}

void
wire_end(struct wire *w)
{
	uint32_t unread = port_mem_unread(w->to.port);
	struct rte_mbuf *m;

	while (port_mem_take(w->from.port, &m, 1) == 1) {
		rte_pktmbuf_free(m);
		w->count.taken++;
		if (w->down)
			w->count.lost_down++;
		else
			w->n_frames++;
	}
	w->count.delivered -= unread;
	w->n_frames += unread;
}
