/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside reassembly: its memory. Streams and slots (a slot is a packet, from its first cell until
 * it is taken) come from fixed pools and name each other by index. Both are found by chained
 * hashes. A stream has one bit for each id of its window that has a slot, so that the next one is
 * found by looking at words, however many ids between are missing.
 */
#ifndef CELL_REASM_TABLE_H
#define CELL_REASM_TABLE_H

#include <rte_common.h>

#include "cell/reasm.h"

#define REASM_NONE UINT32_MAX

struct reasm_slot {
	uint64_t seen; /* bit: the fragment is here */
	uint64_t first_ps;
	uint32_t packet_id;
	uint32_t stream_idx;
	uint32_t next;         /* in its hash chain; or free, or ready */
	uint32_t older, newer; /* by first_ps, of all streams; not while ready */
	uint16_t packet_len;
	uint16_t unit_len;   /* payload of every cell but the last; 0: none has come */
	uint16_t last_len;   /* payload of the last one, once n_fragments is known */
	uint8_t n_fragments; /* 0: the last one has not come */
	bool congestion;
	uint16_t source, system_port; /* copies: a ready packet needs no stream */
	uint8_t class;
	struct rte_mbuf *cell[CELL_FRAGMENTS_MAX]; /* payload only; ready: [0] is the packet */
} __rte_cache_aligned;

_Static_assert(offsetof(struct reasm_slot, cell) <= 56, "a packet of one cell takes one line");

struct reasm_stream {
	uint64_t key;       /* 0: not used */
	uint64_t last_ps;   /* of the last cell taken */
	uint32_t next_id;   /* the packet that goes next; the window begins here */
	uint32_t sync_id;   /* the first packet of the stream, if `synced` */
	uint32_t n_slots;   /* in pieces or waiting */
	uint32_t hash_next; /* in its chain, or the next free one */
	uint32_t salt;      /* of the hash of its slots */
	bool learning;      /* nothing goes, next_id is a guess */
	bool synced;        /* a SYNC cell said where it began */
	bool sure;          /* what is missing from next_id on is lost, not from before us */
} __rte_aligned(64);

struct reasm {
	struct reasm_slot *slot;
	struct reasm_stream *stream;
	uint64_t *held; /* window / 64 words a stream: bit packet_id % window */
	uint32_t *slot_bucket, *stream_bucket;
	uint32_t slot_mask, stream_mask; /* of the buckets */
	uint32_t window, words;          /* words: of a stream's bits */
	uint32_t n_cells_max, n_streams;
	uint32_t n_ready_cells; /* of stats.n_cells */
	uint64_t timeout_ps, idle_ps, seed;
	uint64_t *drop;
	uint32_t free_slot, free_stream;
	uint32_t oldest, newest; /* slots in pieces or waiting */
	uint32_t ready_head, ready_tail;
	uint32_t last_stream; /* the one of the cell before: most often the next one's too */
	uint32_t hand;        /* where the search for a stream to forget goes on */
	struct reasm_stats stats;
};

/* The key of a stream, never 0: a source is 1 at least. */
static inline uint64_t
reasm_key(const struct cell_header *h)
{
	return (uint64_t)h->source << 48 | (uint64_t)h->system_port << 32 | (uint64_t)h->pipe << 8 |
	       h->class;
}

/* Ids that follow each other never share a chain; streams lie anywhere. */
static inline uint32_t *
reasm_slot_bucket(const struct reasm *r, const struct reasm_stream *s, uint32_t packet_id)
{
	return &r->slot_bucket[(s->salt + packet_id) & r->slot_mask];
}

static inline uint64_t *
reasm_held_word(const struct reasm *r, const struct reasm_stream *s, uint32_t packet_id)
{
	size_t stream_idx = (size_t)(s - r->stream);

	return &r->held[stream_idx * r->words + (packet_id & (r->window - 1)) / 64];
}

static inline bool
reasm_is_held(const struct reasm *r, const struct reasm_stream *s, uint32_t packet_id)
{
	return *reasm_held_word(r, s, packet_id) >> (packet_id % 64) & 1;
}

/* Ids from next_id to the first one that has a slot; the window's size when none has. */
uint32_t reasm_gap(const struct reasm *r, const struct reasm_stream *s);

/* A slot that is not in any list, for the id of the cell; NULL: all are used. */
struct reasm_slot *reasm_slot_take(
	struct reasm *r, const struct reasm_stream *s, const struct cell_header *h, uint64_t now);
void reasm_slot_give(struct reasm *r, struct reasm_slot *slot);

/* Into and out of the stream's window, its hash chain, and the list by age. */
void reasm_slot_link(struct reasm *r, struct reasm_stream *s, struct reasm_slot *slot);
void reasm_slot_unlink(struct reasm *r, struct reasm_stream *s, struct reasm_slot *slot);

/* The slot of an id that is held. */
struct reasm_slot *reasm_slot_find(
	const struct reasm *r, const struct reasm_stream *s, uint32_t packet_id);

/* The stream of the key, or NULL. */
struct reasm_stream *reasm_stream_find(struct reasm *r, uint64_t key);

/* A new one, of which nothing is set but its key; forgets an idle one for it. NULL: none is. */
struct reasm_stream *reasm_stream_take(struct reasm *r, uint64_t key, uint64_t now);

/* Takes off what stands before the payload and behind it; returns the payload's own head. */
struct rte_mbuf *reasm_payload(struct rte_mbuf *m, uint16_t payload_len);

/* Chains the cells of a complete slot; the packet is then in cell[0]. */
void reasm_join(struct reasm_slot *slot);

/* Frees the cells of a slot that is not joined. */
void reasm_free_cells(struct reasm_slot *slot);

#endif
