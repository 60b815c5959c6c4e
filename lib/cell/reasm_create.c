/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a reassembly: one block of memory, cut into its tables. reasm.c works on them. */
#include <errno.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "base/bits.h"
#include "base/ps.h"
#include "cell/reasm_table.h"

#define ENTRIES_MAX (1u << 20)

/* Offsets in the block. */
struct layout {
	size_t slot, stream, held, slot_bucket, stream_bucket, end;
	uint32_t n_slot_buckets, n_stream_buckets;
};

static struct layout
lay_out(const struct reasm_config *c)
{
	struct layout at = {
		.n_slot_buckets = rte_align32pow2(c->n_packets),
		.n_stream_buckets = rte_align32pow2(c->n_streams),
	};

	at.slot = RTE_CACHE_LINE_ROUNDUP(sizeof(struct reasm));
	at.stream = at.slot + c->n_packets * sizeof(struct reasm_slot);
	at.held = at.stream + c->n_streams * sizeof(struct reasm_stream);
	at.slot_bucket = at.held + (size_t)c->n_streams * c->window / 8;
	at.stream_bucket = at.slot_bucket + at.n_slot_buckets * sizeof(uint32_t);
	at.end = at.stream_bucket + at.n_stream_buckets * sizeof(uint32_t);
	return at;
}

size_t
reasm_bytes(const struct reasm_config *c)
{
	return lay_out(c).end;
}

static bool
is_valid(const struct reasm_config *c)
{
	return c->n_streams >= 1 && c->n_streams <= ENTRIES_MAX && c->n_packets >= 1 &&
	       c->n_packets <= REASM_PACKETS_MAX && c->n_cells >= 1 && c->n_cells < UINT32_MAX &&
	       c->window >= REASM_WINDOW_MIN && c->window <= REASM_WINDOW_MAX &&
	       bits_is_pow2(c->window) && c->timeout_ps >= 1 && c->timeout_ps < PS_AHEAD_MAX &&
	       c->drop != NULL;
}

static void
lists_init(struct reasm *r, const struct reasm_config *c, const struct layout *at)
{
	memset(r->slot_bucket, 0xff, at->n_slot_buckets * sizeof(uint32_t));
	memset(r->stream_bucket, 0xff, at->n_stream_buckets * sizeof(uint32_t));
	for (uint32_t i = 0; i < c->n_packets; i++)
		r->slot[i].next = i + 1 < c->n_packets ? i + 1 : REASM_NONE;
	for (uint32_t i = 0; i < c->n_streams; i++)
		r->stream[i].hash_next = i + 1 < c->n_streams ? i + 1 : REASM_NONE;
	r->oldest = r->newest = REASM_NONE;
	r->ready_head = r->ready_tail = REASM_NONE;
}

int
reasm_create(const struct reasm_config *c, struct reasm **ret_reasm)
{
	struct layout at;
	struct reasm *r;
	uint8_t *mem;

	if (!is_valid(c))
		return -EINVAL;
	at = lay_out(c);
	mem = rte_zmalloc_socket("reasm", at.end, RTE_CACHE_LINE_SIZE, c->socket);
	if (mem == NULL)
		return -ENOMEM;
	r = (struct reasm *)mem;
	*r = (struct reasm){
		.slot = (struct reasm_slot *)(mem + at.slot),
		.stream = (struct reasm_stream *)(mem + at.stream),
		.held = (uint64_t *)(mem + at.held),
		.slot_bucket = (uint32_t *)(mem + at.slot_bucket),
		.stream_bucket = (uint32_t *)(mem + at.stream_bucket),
		.slot_mask = at.n_slot_buckets - 1,
		.stream_mask = at.n_stream_buckets - 1,
		.window = c->window,
		.words = c->window / 64,
		.n_cells_max = c->n_cells,
		.n_streams = c->n_streams,
		.timeout_ps = c->timeout_ps,
		.idle_ps = RTE_MAX(c->timeout_ps, REASM_IDLE_MIN_PS),
		.seed = c->seed,
		.drop = c->drop,
	};
	lists_init(r, c, &at);
	*ret_reasm = r;
	return 0;
}

void
reasm_free(struct reasm *r)
{
	uint64_t uncounted[DROP_N] = {0};

	if (r == NULL)
		return;
	r->drop = uncounted;
	reasm_drop_all(r, DROP_stopped);
	rte_free(r);
}
