/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where packets wait: FIFOs of records, in chunks of 1024 bytes from a pool. Class queues and delay
 * lines are FIFOs; an empty one holds no chunk, so that hundreds of them cost nothing.
 *
 * Owner: one worker has a pool and all FIFOs that live from it; no other thread touches either.
 * The control thread gives the memory before the worker starts and takes it back when it stands
 * still. A record carries what is needed later, so that the packet's own lines stay cold.
 */
#ifndef PKT_FIFO_H
#define PKT_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

struct rte_mbuf;

struct pkt_rec {
	struct rte_mbuf *m;
	uint64_t at_ps;       /* when it came; in a delay line, when it may go */
	uint32_t len;         /* bytes of the frame, without FCS */
	uint16_t in_port_idx; /* whom its bytes are charged to */
	uint8_t class;        /* 0-7 */
	uint8_t flags;        /* the stages' own */
};

_Static_assert(sizeof(struct pkt_rec) == 24, "42 records and a link are 1024 bytes");

/* 16 bytes of link for 1008 of records; a chunk of half the size would double that share. */
#define PKT_CHUNK_RECS 42u

struct pkt_chunk {
	struct pkt_chunk *next;
	uint64_t unused;
	struct pkt_rec rec[PKT_CHUNK_RECS];
} __rte_cache_aligned;

_Static_assert(sizeof(struct pkt_chunk) == 1024, "a chunk is a power of two");

struct pkt_chunks {
	struct pkt_chunk *free;
	uint32_t n_free, n;
};

/* All zero: empty. */
struct pkt_fifo {
	struct pkt_chunk *head, *tail;
	uint64_t bytes; /* sum of len */
	uint32_t n;     /* records */
	uint16_t head_idx;
	uint16_t tail_room; /* records that the last chunk still takes */
};

/*
 * Bytes of memory with which `n_fifos` FIFOs can always hold `n_records` between them, however they
 * are spread: each may have its first and its last chunk partly filled.
 */
size_t pkt_chunks_bytes(uint64_t n_records, uint32_t n_fifos);

/*
 * Cuts `mem`, aligned to 64 bytes, into chunks; every one is written, so its pages are there.
 * -EINVAL: not aligned, no chunk fits, or more than 2^32 do. Control thread.
 */
int pkt_chunks_init(struct pkt_chunks *pool, void *mem, size_t bytes);

static inline bool
pkt_fifo_grow(struct pkt_chunks *pool, struct pkt_fifo *f)
{
	struct pkt_chunk *c = pool->free;

	if (unlikely(c == NULL))
		return false;
	pool->free = c->next;
	pool->n_free--;
	c->next = NULL;
	if (f->n == 0)
		f->head = c;
	else
		f->tail->next = c;
	f->tail = c;
	f->tail_room = PKT_CHUNK_RECS;
	return true;
}

/* Appends a copy of `rec`. False, and nothing changed: the pool is empty. Worker. */
static inline bool
pkt_fifo_push(struct pkt_chunks *pool, struct pkt_fifo *f, const struct pkt_rec *rec)
{
	if (f->tail_room == 0 && !pkt_fifo_grow(pool, f))
		return false;
	f->tail->rec[PKT_CHUNK_RECS - f->tail_room--] = *rec;
	f->bytes += rec->len;
	f->n++;
	return true;
}

/* The first record, or NULL; it stays where it is until the next pop. Worker. */
static inline const struct pkt_rec *
pkt_fifo_peek(const struct pkt_fifo *f)
{
	return f->n == 0 ? NULL : &f->head->rec[f->head_idx];
}

/* Takes the first record out; false when there is none. Worker. */
static inline bool
pkt_fifo_pop(struct pkt_chunks *pool, struct pkt_fifo *f, struct pkt_rec *ret_rec)
{
	struct pkt_chunk *c = f->head;

	if (f->n == 0)
		return false;
	*ret_rec = c->rec[f->head_idx++];
	f->bytes -= ret_rec->len;
	f->n--;
	if (f->n == 0 || f->head_idx == PKT_CHUNK_RECS) {
		f->head = c->next;
		f->head_idx = 0;
		if (f->n == 0)
			f->tail_room = 0;
		c->next = pool->free;
		pool->free = c;
		pool->n_free++;
	}
	return true;
}

#endif
