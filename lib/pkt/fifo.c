/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool of chunks: how much memory, and its cutting. What a packet pays for is in fifo.h. */
#include "pkt/fifo.h"

#include <errno.h>

/*
 * n records behind a head index of up to 41 span at most (n - 2) / 42 + 2 chunks, rounded down; the
 * sum over the FIFOs is what is returned.
 */
size_t
pkt_chunks_bytes(uint64_t n_records, uint32_t n_fifos)
{
	return (size_t)(n_records / PKT_CHUNK_RECS + UINT64_C(2) * n_fifos) *
	       sizeof(struct pkt_chunk);
}

int
pkt_chunks_init(struct pkt_chunks *pool, void *mem, size_t bytes)
{
	struct pkt_chunk *chunk = mem;
	size_t n = bytes / sizeof(*chunk);

	if (n == 0 || n > UINT32_MAX || (uintptr_t)mem % RTE_CACHE_LINE_SIZE != 0)
		return -EINVAL;
	pool->free = NULL;
	for (size_t i = n; i-- > 0;) {
		chunk[i].next = pool->free;
		pool->free = &chunk[i];
	}
	pool->n = pool->n_free = (uint32_t)n;
	return 0;
}
