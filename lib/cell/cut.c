/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cutting a packet. First a plan, which changes nothing: what each cell is made of, and how many
 * mbufs that takes. Then all mbufs at once, or none. Then the cells, which cannot fail any more.
 *
 * The plan is binding: a reference count that another worker lowers in between must not change it.
 */
#include "cell/cut.h"

#include <errno.h>

#include <rte_branch_prediction.h>
#include <rte_mempool.h>

enum kind {
	IN_PLACE, /* the header goes into the headroom of the first piece */
	VIEWS,    /* a header mbuf, then the pieces */
	SMALL,    /* one header mbuf with the payload copied into it */
	COPY,     /* one whole buffer with the payload copied into it */
};

struct cell_plan {
	uint8_t kind;
	uint8_t own; /* bit: this piece is the segment's own mbuf, not a view; not of copies */
};

_Static_assert(CUT_SEGMENTS_MAX <= 8, "a bit for each piece");

struct plan {
	unsigned int n_cells, n_small, n_whole;
	struct cell_plan cell[CELL_FRAGMENTS_MAX];
};

/* Where the cut has come to. The segment's fields as they were: it may be part of a cell now. */
struct cursor {
	struct rte_mbuf *seg, *next;
	uint16_t data_off;
	uint16_t off, left; /* bytes of the segment before and behind the cut */
	bool used;          /* its mbuf is in a cell already */
};

static inline void
cursor_enter(struct cursor *c, struct rte_mbuf *seg)
{
	c->seg = seg;
	c->next = seg->next;
	c->data_off = seg->data_off;
	c->off = 0;
	c->left = seg->data_len;
	c->used = false;
}

/* The next `want` bytes at most, of one segment; 0: it is at its end. */
static inline uint16_t
cursor_take(struct cursor *c, uint32_t want)
{
	uint16_t n = (uint16_t)RTE_MIN(want, (uint32_t)c->left);

	c->off += n;
	c->left -= n;
	return n;
}

/*
 * The header of a cell may stand before its bytes in the segment, which is only ours. Bytes of the
 * segment that are before them and in no cell were copied already.
 */
static inline bool
has_headroom(const struct rte_mbuf *seg)
{
	return RTE_MBUF_DIRECT(seg) && seg->data_off >= CELL_PREFIX_LEN;
}

static inline bool
has_padding(const struct rte_mbuf *seg, uint32_t payload_len)
{
	return CELL_PREFIX_LEN + payload_len >= CELL_FRAME_MIN ||
	       rte_pktmbuf_tailroom(seg) >= CELL_FRAME_MIN - CELL_PREFIX_LEN - payload_len;
}

/* What a cell is made of whose pieces have been counted. */
static inline void
plan_cell(const struct cut *cut, struct plan *p, struct cell_plan *cell, unsigned int n_pieces,
	uint32_t payload_len)
{
	unsigned int limit = cut->spec.one_segment ? 1 : CUT_SEGMENTS_MAX;
	unsigned int n_views = n_pieces - (unsigned int)__builtin_popcount(cell->own);

	if (cell->kind == IN_PLACE && n_pieces <= limit) {
		p->n_small += n_views;
	} else if (payload_len <= CUT_COPY_MAX) {
		cell->kind = SMALL;
		p->n_small++;
	} else if (n_pieces + 1 <= limit) {
		cell->kind = VIEWS;
		p->n_small += 1 + n_views;
	} else {
		cell->kind = COPY;
		p->n_whole++;
	}
}

/*
 * Takes the bytes of a cell; returns how many pieces they are. IN_PLACE is what it could be: a
 * short cell in pieces is not, it is copied, and padded, as one.
 */
static unsigned int
plan_pieces(struct cursor *c, uint32_t payload_len, struct cell_plan *cell)
{
	unsigned int n_pieces = 0;

	*cell = (struct cell_plan){.kind = VIEWS};
	for (uint32_t want = payload_len; want > 0;) {
		uint16_t n = cursor_take(c, want);

		want -= n;
		if (n == 0) {
			cursor_enter(c, c->next);
			continue;
		}
		if (n_pieces < CUT_SEGMENTS_MAX && !c->used && rte_mbuf_refcnt_read(c->seg) == 1) {
			if (n_pieces == 0 && has_headroom(c->seg) &&
				(n == payload_len || payload_len > CUT_COPY_MAX) &&
				has_padding(c->seg, payload_len))
				cell->kind = IN_PLACE;
			cell->own |= (uint8_t)(1u << n_pieces);
			c->used = true;
		}
		n_pieces++;
	}
	return n_pieces;
}

static void
plan_cells(const struct cut *cut, struct rte_mbuf *m, struct plan *p)
{
	uint32_t rest = m->pkt_len;
	struct cursor c;

	cursor_enter(&c, m);
	for (unsigned int i = 0; i < p->n_cells; i++) {
		uint32_t payload_len = RTE_MIN(rest, (uint32_t)cut->spec.cell_size);
		struct cell_plan *cell = &p->cell[i];
		struct cursor before = c;
		unsigned int n_pieces = plan_pieces(&c, payload_len, cell);

		plan_cell(cut, p, cell, n_pieces, payload_len);
		if (cell->kind >= SMALL) /* a copy leaves the segment for the next cell */
			c.used = c.seg == before.seg && before.used;
		rest -= payload_len;
	}
}

/* The frequent packet, of which cut_packet() says is_single(). As plan_cells() would have it. */
static inline void
plan_single(const struct cut *cut, const struct rte_mbuf *m, struct plan *p)
{
	unsigned int last = p->n_cells - 1;
	uint32_t last_len = m->pkt_len - last * cut->spec.cell_size;

	p->cell[0] = (struct cell_plan){.kind = IN_PLACE, .own = 1};
	for (unsigned int i = 1; i <= last; i++) {
		p->cell[i] = (struct cell_plan){.kind = VIEWS};
		plan_cell(cut, p, &p->cell[i], 1, i < last ? UINT32_MAX : last_len);
	}
}

static inline bool
is_single(const struct rte_mbuf *m)
{
	return m->nb_segs == 1 && rte_mbuf_refcnt_read(m) == 1 && has_headroom(m) &&
	       has_padding(m, m->pkt_len);
}

/* While cells are built. */
struct work {
	struct cursor at;
	struct rte_mbuf **small, **whole; /* the next one of each */
	/* of the cell that was written last; aligned: its check is read in words of 8 bytes */
	_Alignas(8) uint8_t header[CELL_HEADER_LEN];
};

static inline void
release(const struct cursor *c)
{
	if (!c->used)
		rte_pktmbuf_free_seg(c->seg);
}

/* As cursor_take(), but goes on to the segment that has bytes; want > 0. */
static inline uint16_t
work_take(struct work *w, uint32_t want)
{
	while (w->at.left == 0) {
		release(&w->at);
		cursor_enter(&w->at, w->at.next);
	}
	return cursor_take(&w->at, want);
}

/* The last `n` bytes that were taken, as a segment by themselves. */
static inline struct rte_mbuf *
work_piece(struct work *w, uint16_t n, bool own)
{
	struct rte_mbuf *piece = w->at.seg;

	if (own) {
		w->at.used = true;
	} else {
		piece = *w->small++;
		rte_pktmbuf_attach(piece, w->at.seg);
	}
	piece->data_off = (uint16_t)(w->at.data_off + w->at.off - n);
	piece->data_len = n;
	piece->nb_segs = 1;
	return piece;
}

static inline struct rte_mbuf *
build_views(struct work *w, const struct cell_plan *cell, uint32_t payload_len)
{
	unsigned int own = cell->own;
	uint16_t n_segs = 1;
	struct rte_mbuf *head, *last;

	if (cell->kind == IN_PLACE) {
		uint16_t n = work_take(w, payload_len);

		head = work_piece(w, n, true);
		payload_len -= n;
		own >>= 1;
	} else {
		head = *w->small++;
		head->data_off = CUT_DATA_OFF + CELL_PREFIX_LEN;
		head->data_len = 0;
	}
	for (last = head; payload_len > 0; own >>= 1) {
		uint16_t n = work_take(w, payload_len);

		last = last->next = work_piece(w, n, own & 1);
		payload_len -= n;
		n_segs++;
	}
	last->next = NULL;
	head->nb_segs = n_segs;
	head->ol_flags &= RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
	return head;
}

static struct rte_mbuf *
build_copy(struct work *w, struct rte_mbuf *head, uint32_t payload_len)
{
	uint8_t *to;

	head->data_off = CUT_DATA_OFF + CELL_PREFIX_LEN;
	head->data_len = (uint16_t)payload_len;
	to = rte_pktmbuf_mtod(head, uint8_t *);
	for (uint16_t n; payload_len > 0; payload_len -= n, to += n) {
		n = work_take(w, payload_len);
		memcpy(to, (const uint8_t *)w->at.seg->buf_addr + w->at.data_off + w->at.off - n,
			n);
	}
	return head;
}

/* `head` holds the payload, or nothing yet; the header goes before it, and padding behind it. */
static inline void
put_header(
	const struct cut *cut, struct rte_mbuf *head, const uint8_t *header, uint32_t payload_len)
{
	uint8_t *p;

	head->data_off -= CELL_PREFIX_LEN;
	head->data_len += CELL_PREFIX_LEN;
	head->pkt_len = CELL_PREFIX_LEN + payload_len;
	p = rte_pktmbuf_mtod(head, uint8_t *);
	memcpy(p, cut->eth, ETH_HDR_LEN);
	memcpy(p + ETH_HDR_LEN, header, CELL_HEADER_LEN);
	if (unlikely(head->pkt_len < CELL_FRAME_MIN)) {
		memset(p + head->pkt_len, 0, CELL_FRAME_MIN - head->pkt_len);
		head->data_len = CELL_FRAME_MIN;
		head->pkt_len = CELL_FRAME_MIN;
	}
}

/* From the header of one cell to that of a later one: offsets as in cell_write(). */
static inline void
next_header(uint8_t *header, uint8_t flags, uint32_t payload_len, unsigned int fragment)
{
	header[1] = flags;
	wire_put16(header + 10, (uint16_t)payload_len);
	wire_put16(header + 16, (uint16_t)fragment);
	cell_put32(header + 20, cell_check(header));
}

static void
build_cells(const struct cut *cut, struct work *w, const struct plan *p, uint32_t packet_len,
	struct rte_mbuf **ret_cell)
{
	uint8_t flags = w->header[1] & (uint8_t)~CELL_FIRST;
	uint32_t rest = packet_len;

	for (unsigned int i = 0; i < p->n_cells; i++) {
		const struct cell_plan *cell = &p->cell[i];
		uint32_t payload_len = RTE_MIN(rest, (uint32_t)cut->spec.cell_size);
		struct rte_mbuf *head;

		rest -= payload_len;
		if (i > 0)
			next_header(
				w->header, rest == 0 ? flags | CELL_LAST : flags, payload_len, i);
		if (cell->kind == SMALL)
			head = build_copy(w, *w->small++, payload_len);
		else if (cell->kind == COPY)
			head = build_copy(w, *w->whole++, payload_len);
		else
			head = build_views(w, cell, payload_len);
		put_header(cut, head, w->header, payload_len);
		ret_cell[i] = head;
	}
	release(&w->at);
	while (w->at.next != NULL) { /* empty segments at the end */
		cursor_enter(&w->at, w->at.next);
		release(&w->at);
	}
}

static void
first_header(const struct cut *cut, const struct cell_header *h, uint32_t packet_len,
	uint8_t header[CELL_HEADER_LEN])
{
	struct cell_header first = *h;

	first.type = CELL_DATA;
	first.flags = (h->flags & (uint8_t)~CELL_LAST) | CELL_FIRST;
	if (packet_len <= cut->spec.cell_size)
		first.flags |= CELL_LAST;
	first.source = cut->spec.device;
	first.payload_len = (uint16_t)RTE_MIN(packet_len, (uint32_t)cut->spec.cell_size);
	first.packet_len = (uint16_t)packet_len;
	first.fragment = 0;
	cell_write(header, &first);
}

static int
cut_planned(const struct cut *cut, struct rte_mbuf *m, struct work *w, const struct plan *p,
	struct rte_mbuf **ret_cell)
{
	struct rte_mbuf *small[CELL_FRAGMENTS_MAX * CUT_SEGMENTS_MAX];
	struct rte_mbuf *whole[CELL_FRAGMENTS_MAX];

	if (p->n_small > 0 && rte_pktmbuf_alloc_bulk(cut->spec.small, small, p->n_small) != 0)
		return -ENOBUFS;
	if (p->n_whole > 0 && rte_pktmbuf_alloc_bulk(cut->spec.pool, whole, p->n_whole) != 0) {
		rte_pktmbuf_free_bulk(small, p->n_small);
		return -ENOBUFS;
	}
	w->small = small;
	w->whole = whole;
	cursor_enter(&w->at, m);
	build_cells(cut, w, p, m->pkt_len, ret_cell);
	return (int)p->n_cells;
}

int
cut_packet(const struct cut *cut, struct rte_mbuf *m, const struct cell_header *h,
	struct rte_mbuf **ret_cell)
{
	uint32_t len = m->pkt_len;
	struct plan p;
	struct work w;

	if (unlikely(len < ETH_HDR_LEN || len > UINT16_MAX))
		return -EMSGSIZE;
	p.n_cells = cut_n_cells(cut, len);
	if (unlikely(p.n_cells > CELL_FRAGMENTS_MAX))
		return -EMSGSIZE;
	first_header(cut, h, len, w.header);
	p.n_small = p.n_whole = 0;
	if (likely(is_single(m))) {
		if (p.n_cells == 1) {
			m->ol_flags = 0;
			put_header(cut, m, w.header, len);
			ret_cell[0] = m;
			return 1;
		}
		plan_single(cut, m, &p);
	} else {
		plan_cells(cut, m, &p);
	}
	return cut_planned(cut, m, &w, &p, ret_cell);
}

int
cut_init(struct cut *cut, const struct cut_spec *spec)
{
	static const uint8_t dst[ETH_ADDR_LEN] = CELL_DST_MAC;

	if (spec->cell_size < CELL_PAYLOAD_MIN || spec->cell_size > CUT_CELL_SIZE_MAX ||
		spec->device < CELL_DEVICE_MIN || spec->device > CELL_DEVICE_MAX ||
		rte_pktmbuf_data_room_size(spec->small) < CUT_SMALL_LEN ||
		rte_pktmbuf_data_room_size(spec->pool) <
			(uint32_t)CUT_DATA_OFF + CELL_PREFIX_LEN + spec->cell_size)
		return -EINVAL;
	*cut = (struct cut){.spec = *spec};
	cut->inverse = (uint32_t)(((UINT64_C(1) << 32) + spec->cell_size - 1) / spec->cell_size);
	memcpy(cut->eth, dst, sizeof(dst));
	wire_put16(cut->eth + ETH_OFF_TYPE, spec->ethertype);
	return 0;
}
