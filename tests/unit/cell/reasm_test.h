/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of reassembly share: a reassembly with its counters, cells made by hand, and
 * packets whose bytes tell which they are. */
#ifndef REASM_TEST_H
#define REASM_TEST_H

#include <string.h>

#include <criterion/criterion.h>

#include "base/ps.h"
#include "base/rng.h"
#include "cell/reasm.h"
#include "eal.h"
#include "packet.h"
#include "wire/cell.h"

#define TIMEOUT_PS    PS_PER_MS
#define PATTERN_BYTES (65536u + 4096u)

struct bench {
	struct reasm *r;
	struct rte_mempool *pool;
	uint64_t drop[DROP_N]; /* in reasm_put(), too: bench_put() counts those */
	uint64_t n_in;
	uint8_t pattern[PATTERN_BYTES];
};

static inline struct reasm_config
bench_config(struct bench *b)
{
	return (struct reasm_config){
		.n_streams = 64,
		.n_packets = 4096,
		.n_cells = 16384,
		.window = REASM_WINDOW,
		.timeout_ps = TIMEOUT_PS,
		.seed = 1,
		.socket = -1,
		.drop = b->drop,
	};
}

/* `room` bytes of payload a cell. */
static inline void
bench_open(struct bench *b, const struct reasm_config *c, unsigned int n_mbufs, unsigned int room)
{
	struct rng rng;

	test_eal(256);
	rng_init(&rng, 99);
	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i < PATTERN_BYTES; i++)
		b->pattern[i] = (uint8_t)rng_next(&rng);
	b->pool = test_pool("cells", n_mbufs, (uint16_t)(room + CELL_PREFIX_LEN));
	cr_assert_eq(reasm_create(c, &b->r), 0);
}

static inline uint64_t
bench_dropped(const struct bench *b)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < DROP_N; i++)
		n += b->drop[i];
	return n;
}

/* Every cell that went in is in a packet that came out, or counted, or held. */
static inline void
bench_conserves(const struct bench *b)
{
	const struct reasm_stats *s = reasm_stats(b->r);

	if (b->n_in != s->cells + bench_dropped(b) + reasm_cells(b->r))
		cr_assert_fail("%lu cells in, %lu joined, %lu dropped, %u held", b->n_in, s->cells,
			bench_dropped(b), reasm_cells(b->r));
}

static inline void
bench_close(struct bench *b)
{
	bench_conserves(b);
	reasm_free(b->r);
	cr_assert_eq(test_pool_used(b->pool), 0);
	rte_mempool_free(b->pool);
}

/* Where in the pattern the bytes of a packet begin. */
static inline const uint8_t *
packet_bytes(const struct bench *b, const struct cell_header *h)
{
	uint64_t key = (uint64_t)h->source << 32 | (uint64_t)h->pipe << 24 | h->system_port << 8 |
		       h->class;

	return b->pattern + (key * 2654435761u + h->packet_id * UINT64_C(40503)) % 4096;
}

/* Where in its packet a cell's payload begins. */
static inline uint32_t
payload_at(const struct cell_header *h)
{
	return h->flags & CELL_LAST ? (uint32_t)(h->packet_len - h->payload_len)
				    : (uint32_t)h->fragment * (uint32_t)h->payload_len;
}

static inline uint32_t
n_cells_of(uint32_t packet_len, uint32_t cell_size)
{
	return (packet_len + cell_size - 1) / cell_size;
}

/* Header of a fragment of a packet; `flags` beside FIRST and LAST. */
static inline struct cell_header
cell_of(uint16_t source, uint32_t packet_id, uint16_t packet_len, uint16_t cell_size,
	uint16_t fragment, uint8_t flags)
{
	uint32_t n = n_cells_of(packet_len, cell_size);

	return (struct cell_header){
		.flags = (uint8_t)(flags | (fragment == 0 ? CELL_FIRST : 0) |
				   (fragment == n - 1 ? CELL_LAST : 0)),
		.class = 3,
		.pipe = 1,
		.source = source,
		.destination = 7,
		.system_port = 5,
		.payload_len = (uint16_t)(fragment == n - 1 ? packet_len - (n - 1) * cell_size
							    : cell_size),
		.packet_id = packet_id,
		.fragment = fragment,
		.packet_len = packet_len,
	};
}

/* The frame of a cell, padded, in one segment; CELL_OK is asserted. */
static inline struct rte_mbuf *
cell_frame(struct bench *b, const struct cell_header *h)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->pool);
	uint32_t len = CELL_PREFIX_LEN + h->payload_len;
	uint8_t *p;

	if (m == NULL)
		cr_assert_fail("no mbuf");
	p = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)RTE_MAX(len, (uint32_t)CELL_FRAME_MIN));
	memset(p, 0xee, ETH_HDR_LEN);
	cell_write(p + ETH_HDR_LEN, h);
	memcpy(p + CELL_PREFIX_LEN, packet_bytes(b, h) + payload_at(h), h->payload_len);
	if (len < CELL_FRAME_MIN)
		memset(p + len, 0xdd, CELL_FRAME_MIN - len);
	return m;
}

/* Puts a frame, counts and frees it when it is not taken. */
static inline enum drop_reason
bench_put_frame(struct bench *b, const struct cell_header *h, struct rte_mbuf *m, uint64_t now)
{
	enum drop_reason reason = reasm_put(b->r, h, m, now);

	b->n_in++;
	if (reason != DROP_NONE) {
		b->drop[reason]++;
		rte_pktmbuf_free(m);
	}
	return reason;
}

static inline enum drop_reason
bench_put(struct bench *b, const struct cell_header *h, uint64_t now)
{
	return bench_put_frame(b, h, cell_frame(b, h), now);
}

static inline bool
is_packet(const struct bench *b, const struct rte_mbuf *m, const struct cell_header *h)
{
	const uint8_t *want = packet_bytes(b, h);
	uint32_t at = 0, n_segs = 0;

	for (const struct rte_mbuf *seg = m; seg != NULL; seg = seg->next) {
		if (seg->data_len == 0 || at + seg->data_len > h->packet_len ||
			memcmp(rte_pktmbuf_mtod(seg, const uint8_t *), want + at, seg->data_len) !=
				0)
			return false;
		at += seg->data_len;
		n_segs++;
	}
	rte_mbuf_sanity_check(m, 1);
	return at == h->packet_len && m->pkt_len == at && m->nb_segs == n_segs;
}

/* The next packet is this one; frees it. */
static inline void
bench_expect(struct bench *b, uint16_t source, uint32_t packet_id, uint16_t packet_len)
{
	struct cell_header h = cell_of(source, packet_id, packet_len, packet_len, 0, 0);
	struct reasm_packet p;

	cr_assert_eq(reasm_take(b->r, &p, 1), 1, "packet %u did not come", packet_id);
	cr_assert(is_packet(b, p.m, &h), "not the bytes of packet %u", packet_id);
	cr_assert(p.source == source && p.system_port == h.system_port && p.class == h.class);
	rte_pktmbuf_free(p.m);
}

static inline void
bench_expect_none(struct bench *b)
{
	struct reasm_packet p;

	cr_assert_eq(reasm_take(b->r, &p, 1), 0);
}

/* All cells of a packet, in order, each of which must be taken. */
static inline void
bench_packet(struct bench *b, uint16_t source, uint32_t packet_id, uint16_t packet_len,
	uint16_t cell_size, uint8_t flags, uint64_t now)
{
	for (uint16_t i = 0; i < n_cells_of(packet_len, cell_size); i++) {
		struct cell_header h = cell_of(source, packet_id, packet_len, cell_size, i, flags);

		cr_assert_eq(bench_put(b, &h, now), DROP_NONE, "packet %u, cell %u", packet_id, i);
	}
}

static inline enum drop_reason
bench_one(struct bench *b, uint16_t source, uint32_t packet_id, uint8_t flags, uint64_t now)
{
	struct cell_header h = cell_of(source, packet_id, 100, 256, 0, flags);

	return bench_put(b, &h, now);
}

#endif
