/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of all shapes are cut and put together again by a dull reader, byte by byte; every mbuf
 * comes back to its pool.
 */
#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cell/cut.h"
#include "eal.h"
#include "packet.h"

#define FRAME_MAX 16640u
#define ROOM      10240u /* data room of a whole buffer */
#define SEED      UINT64_C(0xce11)

static const uint8_t link_mac[6] = {0x02, 0, 0, 0, 0, 0x77};

enum shape {
	WHOLE,      /* one segment of its own */
	NO_ROOM,    /* the same, without headroom */
	FULL,       /* the same, without tailroom */
	CHAIN,      /* segments of its own, some of them empty */
	VIEW,       /* indirect mbufs, whose buffers nobody else has */
	CLONED,     /* somebody else has a view of its buffers */
	HELD_TWICE, /* somebody else has the very mbufs */
	EXTERNAL,   /* the buffer is no mbuf's */
};
#define N_SHAPES (EXTERNAL + 1)

struct lab {
	struct rte_mempool *small, *pool;
	struct cut cut;
	struct rng rng;
	uint8_t frame[FRAME_MAX];
	uint32_t packet_id;
	unsigned int n_external; /* buffers outside of the pools that are held */
};

static const struct cell_header header = {
	.flags = CELL_SYNC,
	.class = 5,
	.pipe = 3,
	.destination = 0x2345,
	.system_port = 0x6789,
};

static void
lab_set(struct lab *lab, uint16_t cell_size, bool one_segment)
{
	const struct cut_spec spec = {
		.small = lab->small,
		.pool = lab->pool,
		.cell_size = cell_size,
		.device = 0x1234,
		.ethertype = CELL_ETHERTYPE,
		.one_segment = one_segment,
	};

	cr_assert_eq(cut_init(&lab->cut, &spec), 0);
}

static void
lab_init(struct lab *lab)
{
	test_eal(64);
	lab->small = test_pool("small", 2048, 0);
	lab->pool = test_pool("whole", 512, ROOM);
	lab->packet_id = 0;
	lab->n_external = 0;
	rng_init(&lab->rng, SEED);
	for (unsigned int i = 0; i < FRAME_MAX; i++)
		lab->frame[i] = (uint8_t)rng_next(&lab->rng);
}

/* All came back. */
static void
lab_check(const struct lab *lab)
{
	cr_assert_eq(test_pool_used(lab->small), 0, "%u small", test_pool_used(lab->small));
	cr_assert_eq(test_pool_used(lab->pool), 0, "%u whole", test_pool_used(lab->pool));
	cr_assert_eq(lab->n_external, 0);
}

static void
add_empty_segments(struct lab *lab, struct rte_mbuf *m)
{
	for (struct rte_mbuf *seg = m; seg != NULL; seg = seg->next)
		if (rng_below(&lab->rng, 4) == 0) {
			struct rte_mbuf *empty = rte_pktmbuf_alloc(lab->pool);

			empty->next = seg->next;
			seg->next = empty;
			m->nb_segs++;
			seg = empty;
		}
}

static void
give_back(void *buf, void *n_held)
{
	(void)buf;
	--*(unsigned int *)n_held;
}

/* An mbuf whose buffer is outside of all pools. */
static struct rte_mbuf *
make_external(struct lab *lab, uint32_t len)
{
	static uint8_t buf[64 + FRAME_MAX];
	static struct rte_mbuf_ext_shared_info shared;
	struct rte_mbuf *m = rte_pktmbuf_alloc(lab->small);

	cr_assert_eq(lab->n_external, 0);
	shared.free_cb = give_back;
	shared.fcb_opaque = &lab->n_external;
	rte_mbuf_ext_refcnt_set(&shared, 1);
	rte_pktmbuf_attach_extbuf(m, buf, RTE_BAD_IOVA, sizeof(buf), &shared);
	m->data_off = 64;
	m->data_len = (uint16_t)len;
	m->pkt_len = len;
	memcpy(buf + 64, lab->frame, len);
	lab->n_external = 1;
	return m;
}

/* *ret_other is what somebody else has of it, or NULL. */
static struct rte_mbuf *
make(struct lab *lab, uint32_t len, enum shape shape, struct rte_mbuf **ret_other)
{
	uint32_t seg_len = 1 + (uint32_t)rng_below(&lab->rng, rng_below(&lab->rng, 2) ? 40 : 3000);
	bool whole = len <= ROOM && (shape <= FULL || rng_below(&lab->rng, 2) == 0);
	struct rte_mbuf *m, *clone;

	*ret_other = NULL;
	if (shape == EXTERNAL)
		return make_external(lab, len);
	m = packet_chain(lab->pool, lab->frame, len, whole ? len : RTE_MAX(seg_len, len / 50));
	cr_assert_not_null(m);
	m->ol_flags = RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_TX_UDP_CKSUM;
	switch (shape) {
	case WHOLE:
	case EXTERNAL:
		break;
	case NO_ROOM:
		memmove(m->buf_addr, rte_pktmbuf_mtod(m, void *), m->data_len);
		m->data_off = 0;
		break;
	case FULL:
		memmove((uint8_t *)m->buf_addr + m->buf_len - m->data_len,
			rte_pktmbuf_mtod(m, void *), m->data_len);
		m->data_off = (uint16_t)(m->buf_len - m->data_len);
		break;
	case CHAIN:
		add_empty_segments(lab, m);
		break;
	case VIEW:
	case CLONED:
		clone = rte_pktmbuf_clone(m, lab->small);
		cr_assert_not_null(clone);
		if (shape == VIEW)
			rte_pktmbuf_free(m);
		else
			*ret_other = m;
		m = clone;
		if (shape == CLONED && rng_below(&lab->rng, 2) == 0) {
			m = *ret_other;
			*ret_other = clone;
		}
		break;
	case HELD_TWICE:
		for (struct rte_mbuf *seg = m; seg != NULL; seg = seg->next)
			rte_mbuf_refcnt_update(seg, 1);
		*ret_other = m;
		break;
	}
	return m;
}

/* Bytes, lengths and headers of one cell, as docs/cells.md has them; returns its payload length. */
static uint32_t
check_cell(struct lab *lab, struct rte_mbuf *cell, uint32_t len, unsigned int i, uint32_t at)
{
	static const uint8_t dst[6] = CELL_DST_MAC;
	static _Alignas(8) uint8_t room[2 + FRAME_MAX + 100];
	uint8_t *b = room + 2; /* so that the header is aligned: the check reads words */
	uint32_t size = lab->cut.spec.cell_size, left = len - at, n_segs = 0, sum = 0;
	uint32_t want = left < size ? left : size, frame_len = 38 + want;
	struct cell_header h;

	if (frame_len < 60)
		frame_len = 60;
	for (struct rte_mbuf *seg = cell; seg != NULL; seg = seg->next) {
		cr_assert(seg == cell || seg->nb_segs == 1);
		cr_assert_leq(seg->data_off + seg->data_len, seg->buf_len);
		n_segs++;
		sum += seg->data_len;
	}
	cr_assert_eq(n_segs, cell->nb_segs);
	cr_assert_leq(n_segs, lab->cut.spec.one_segment ? 1 : CUT_SEGMENTS_MAX);
	cr_assert_eq(sum, cell->pkt_len);
	cr_assert_eq(
		cell->pkt_len, frame_len, "cell %u: %u bytes, not %u", i, cell->pkt_len, frame_len);
	cr_assert_eq(cell->ol_flags & ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL), 0);
	cr_assert_geq(cell->data_len, 38);
	cut_set_source(cell, link_mac);
	packet_read(cell, b, sizeof(room) - 2);
	cr_assert_eq(memcmp(b, dst, 6), 0);
	cr_assert_eq(memcmp(b + 6, link_mac, 6), 0);
	cr_assert(b[12] == 0x88 && b[13] == 0xb5);
	cr_assert_eq(cell_read(b + 14, frame_len - 14, &h), CELL_OK);
	cr_assert(h.type == CELL_DATA && h.class == 5 && h.pipe == 3 && h.source == 0x1234 &&
		  h.destination == 0x2345 && h.system_port == 0x6789);
	cr_assert(h.packet_id == lab->packet_id && h.packet_len == len && h.fragment == i);
	cr_assert_eq(h.payload_len, want);
	cr_assert_eq(
		h.flags, CELL_SYNC | (at == 0 ? CELL_FIRST : 0) | (left == want ? CELL_LAST : 0));
	cr_assert_eq(memcmp(b + 38, lab->frame + at, want), 0, "cell %u differs", i);
	for (uint32_t p = 38 + want; p < frame_len; p++)
		cr_assert_eq(b[p], 0);
	return want;
}

static int
cut(struct lab *lab, struct rte_mbuf *m, struct rte_mbuf **ret_cell)
{
	struct cell_header h = header;

	h.packet_id = ++lab->packet_id * 0x01000193u;
	lab->packet_id = h.packet_id;
	/* what the cut does not read */
	h.type = 7;
	h.flags |= CELL_FIRST | CELL_LAST;
	h.source = 9;
	h.fragment = 77;
	h.payload_len = h.packet_len = 3;
	return cut_packet(&lab->cut, m, &h, ret_cell);
}

static void
check_cells(struct lab *lab, struct rte_mbuf *const *cell, int n, uint32_t len)
{
	uint32_t at = 0;

	cr_assert_eq(n, (int)((len + lab->cut.spec.cell_size - 1) / lab->cut.spec.cell_size));
	for (int i = 0; i < n; i++)
		at += check_cell(lab, cell[i], len, (unsigned int)i, at);
	cr_assert_eq(at, len);
}

static void
check_other(struct lab *lab, const struct rte_mbuf *other, uint32_t len)
{
	static uint8_t b[FRAME_MAX];

	if (other == NULL)
		return;
	cr_assert_eq(packet_read(other, b, sizeof(b)), len);
	cr_assert_eq(memcmp(b, lab->frame, len), 0, "somebody else's packet changed");
}

/* In any order: cells leave by different links. */
static void
free_cells(struct lab *lab, struct rte_mbuf **cell, int n)
{
	for (; n > 0; n--) {
		unsigned int i = (unsigned int)rng_below(&lab->rng, (uint64_t)n);

		rte_pktmbuf_free(cell[i]);
		cell[i] = cell[n - 1];
	}
}

static void
check_packet(struct lab *lab, uint32_t len, enum shape shape)
{
	struct rte_mbuf *cell[CELL_FRAGMENTS_MAX], *other, *m = make(lab, len, shape, &other);
	int n = cut(lab, m, cell);

	cr_assert_gt(n, 0, "%u bytes in cells of %u, shape %u: %d", len, lab->cut.spec.cell_size,
		shape, n);
	check_cells(lab, cell, n, len);
	check_other(lab, other, len);
	free_cells(lab, cell, n);
	check_other(lab, other, len);
	rte_pktmbuf_free(other);
}

static const uint16_t cell_sizes[] = {256, 300, 512, 2048, 4096, 9216};

/* Every short one, all around multiples of the cell size, and some in between. */
static uint32_t
next_len(struct lab *lab, uint32_t len)
{
	uint32_t size = lab->cut.spec.cell_size, edge = (len + 70) / size * size;

	if (len < 120 || len + 2 >= RTE_MAX(edge, 2u))
		if (len < 120 || len < edge + 70)
			return len + 1;
	return RTE_MIN(len + 1 + (uint32_t)rng_below(&lab->rng, 60), edge + size - 2);
}

static void
check_all_lengths(bool one_segment)
{
	static struct lab lab;
	unsigned int n = 0;

	lab_init(&lab);
	for (unsigned int s = 0; s < BITS_ARRAY_LEN(cell_sizes); s++) {
		lab_set(&lab, cell_sizes[s], one_segment);
		for (uint32_t len = 14; len <= 9622; len = next_len(&lab, len))
			for (unsigned int shape = 0; shape < N_SHAPES; shape++, n++) {
				check_packet(&lab, len, (enum shape)shape);
				lab_check(&lab);
			}
	}
	cr_assert_gt(n, 10000);
}

Test(cut, packets_of_all_lengths_and_shapes_come_out_bit_exact, .timeout = 240)
{
	check_all_lengths(false);
}

Test(cut, single_segments_carry_the_same_cells, .timeout = 240)
{
	check_all_lengths(true);
}

/* Strips the headers and chains the payloads, as reassembly does; headers that are empty stay. */
static struct rte_mbuf *
join(struct lab *lab, struct rte_mbuf **cell, int n, uint32_t len)
{
	uint32_t at = 0;

	for (int i = 0; i < n; i++) {
		uint32_t want = RTE_MIN(len - at, (uint32_t)lab->cut.spec.cell_size);

		cr_assert_not_null(rte_pktmbuf_adj(cell[i], CELL_PREFIX_LEN));
		if (cell[i]->pkt_len > want)
			cr_assert_eq(
				rte_pktmbuf_trim(cell[i], (uint16_t)(cell[i]->pkt_len - want)), 0);
		at += want;
		if (i > 0)
			cr_assert_eq(rte_pktmbuf_chain(cell[0], cell[i]), 0);
	}
	return cell[0];
}

Test(cut, what_was_put_together_is_cut_again_and_again)
{
	static struct lab lab;

	lab_init(&lab);
	for (unsigned int turn = 0; turn < 3000; turn++) {
		struct rte_mbuf *cell[CELL_FRAGMENTS_MAX], *other, *m;
		uint32_t len = 14 + (uint32_t)rng_below(&lab.rng, 9609);
		int n;

		m = make(&lab, len, (enum shape)rng_below(&lab.rng, N_SHAPES), &other);
		for (unsigned int hop = 0; hop < 4; hop++) {
			lab_set(&lab, cell_sizes[rng_below(&lab.rng, BITS_ARRAY_LEN(cell_sizes))],
				rng_below(&lab.rng, 4) == 0);
			n = cut(&lab, m, cell);
			cr_assert_gt(n, 0, "turn %u: %d", turn, n);
			check_cells(&lab, cell, n, len);
			m = join(&lab, cell, n, len);
		}
		check_other(&lab, other, len);
		rte_pktmbuf_free(other);
		rte_pktmbuf_free(m);
		lab_check(&lab);
	}
}

/* A BAG passes cells on: each arrived in a buffer of its own, with room where its header was. */
Test(cut, cells_that_arrived_whole_leave_without_new_mbufs)
{
	static struct lab lab;
	struct rte_mbuf *cell[CELL_FRAGMENTS_MAX], *m;

	lab_init(&lab);
	lab_set(&lab, 512, false);
	for (unsigned int one_segment = 0; one_segment < 2; one_segment++) {
		int n;

		lab_set(&lab, 512, one_segment);
		m = packet_chain(lab.pool, lab.frame, 9000, 512);
		n = cut(&lab, m, cell);
		cr_assert_eq(n, 18);
		cr_assert_eq(test_pool_used(lab.small), 0);
		cr_assert_eq(test_pool_used(lab.pool), 18);
		check_cells(&lab, cell, n, 9000);
		free_cells(&lab, cell, n);
		lab_check(&lab);
	}
}

Test(cut, payloads_stay_where_they_are)
{
	static struct lab lab;
	struct rte_mbuf *cell[CELL_FRAGMENTS_MAX], *m;
	const uint8_t *data;
	int n;

	lab_init(&lab);
	lab_set(&lab, 2048, false);
	m = packet_mbuf(lab.pool, lab.frame, 9000);
	data = rte_pktmbuf_mtod(m, const uint8_t *);
	n = cut(&lab, m, cell);
	cr_assert_eq(n, 5);
	cr_assert_eq(cell[0], m);
	cr_assert_eq(m->nb_segs, 1);
	cr_assert_eq(rte_pktmbuf_mtod_offset(m, const uint8_t *, 38), data);
	for (int i = 1; i < n; i++) {
		cr_assert_eq(cell[i]->nb_segs, 2);
		cr_assert_eq(rte_pktmbuf_mtod(cell[i]->next, const uint8_t *), data + 2048 * i);
	}
	cr_assert_eq(test_pool_used(lab.pool), 1);
	cr_assert_eq(test_pool_used(lab.small), 8);
	free_cells(&lab, cell, n);
	/* 2048 and 60: the tail is copied behind its header */
	n = cut(&lab, packet_mbuf(lab.pool, lab.frame, 2108), cell);
	cr_assert_eq(n, 2);
	cr_assert_eq(cell[1]->nb_segs, 1);
	cr_assert_eq(test_pool_used(lab.small), 1);
	free_cells(&lab, cell, n);
	lab_check(&lab);
}

/* A packet as it is: every field and every byte of each segment and its buffer. */
struct snapshot {
	unsigned int n;
	struct rte_mbuf mbuf[80];
	uint32_t crc[80];
};

static void
snapshot(const struct rte_mbuf *m, struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	for (; m != NULL; m = m->next, s->n++) {
		cr_assert_lt(s->n, 80);
		s->mbuf[s->n] = *m;
		s->crc[s->n] = rte_hash_crc(m->buf_addr, m->buf_len, 1);
	}
}

/* All but `leave` mbufs of a pool, in `taken`. */
static unsigned int
drain(struct rte_mempool *pool, struct rte_mbuf **taken, unsigned int leave)
{
	unsigned int n = rte_mempool_avail_count(pool) - leave;

	cr_assert_eq(rte_pktmbuf_alloc_bulk(pool, taken, n), 0);
	return n;
}

/* With all but one of the mbufs that it needs, and all but two, and so on. */
static void
check_without(struct lab *lab, struct rte_mempool *pool, unsigned int need, struct rte_mbuf *m,
	struct rte_mbuf *other, uint32_t len)
{
	static struct rte_mbuf *taken[2048], *cell[CELL_FRAGMENTS_MAX];
	static struct snapshot before, after;

	snapshot(m, &before);
	for (unsigned int have = 0; have < need; have++) {
		unsigned int small, whole, n = drain(pool, taken, have);

		small = test_pool_used(lab->small);
		whole = test_pool_used(lab->pool);
		cr_assert_eq(cut(lab, m, cell), -ENOBUFS, "%u of %u", have, need);
		cr_assert_eq(test_pool_used(lab->small), small);
		cr_assert_eq(test_pool_used(lab->pool), whole);
		snapshot(m, &after);
		cr_assert_eq(memcmp(&before, &after, sizeof(after)), 0, "%u of %u", have, need);
		check_other(lab, other, len);
		rte_pktmbuf_free_bulk(taken, n);
	}
}

Test(cut, an_empty_pool_leaves_the_packet_as_it_was, .timeout = 240)
{
	static struct lab lab;
	unsigned int n_small = 0, n_whole = 0;

	lab_init(&lab);
	for (unsigned int turn = 0; turn < 420; turn++) {
		struct rte_mbuf *cell[CELL_FRAGMENTS_MAX], *other, *m;
		uint32_t len = 14 + (uint32_t)rng_below(&lab.rng, 9609);
		enum shape shape = (enum shape)(turn % N_SHAPES);
		uint64_t again = lab.rng.state;
		unsigned int small, whole;
		int n;

		lab_set(&lab, cell_sizes[turn % BITS_ARRAY_LEN(cell_sizes)],
			turn / N_SHAPES % 2 == 0);
		m = make(&lab, len, shape, &other);
		small = rte_mempool_avail_count(lab.small);
		whole = rte_mempool_avail_count(lab.pool);
		/* how many it takes at most; segments that are freed on the way hide some */
		n = cut(&lab, m, cell);
		cr_assert_gt(n, 0);
		small -= RTE_MIN(small, rte_mempool_avail_count(lab.small));
		whole -= RTE_MIN(whole, rte_mempool_avail_count(lab.pool));
		free_cells(&lab, cell, n);
		rte_pktmbuf_free(other);
		lab_check(&lab);

		lab.rng.state = again;
		m = make(&lab, len, shape, &other);
		check_without(&lab, lab.small, small, m, other, len);
		check_without(&lab, lab.pool, whole, m, other, len);
		n_small += small;
		n_whole += whole;
		n = cut(&lab, m, cell);
		check_cells(&lab, cell, n, len);
		free_cells(&lab, cell, n);
		rte_pktmbuf_free(other);
		lab_check(&lab);
	}
	cr_assert(n_small > 500 && n_whole > 100, "%u %u", n_small, n_whole);
}

Test(cut, too_long_and_too_short_packets_stay_as_they_were)
{
	static struct lab lab;
	static struct snapshot before, after;
	static const struct {
		uint32_t len;
		int rc;
	} packets[] = {{0, -EMSGSIZE}, {13, -EMSGSIZE}, {14, 1}, {16384, 64}, {16385, -EMSGSIZE}};

	lab_init(&lab);
	lab_set(&lab, 256, false);
	for (unsigned int i = 0; i < BITS_ARRAY_LEN(packets); i++) {
		struct rte_mbuf *cell[CELL_FRAGMENTS_MAX];
		struct rte_mbuf *m = packet_chain(lab.pool, lab.frame, packets[i].len, 8192);

		snapshot(m, &before);
		cr_assert_eq(cut(&lab, m, cell), packets[i].rc);
		if (packets[i].rc > 0) {
			check_cells(&lab, cell, packets[i].rc, packets[i].len);
			free_cells(&lab, cell, packets[i].rc);
		} else {
			snapshot(m, &after);
			cr_assert_eq(memcmp(&before, &after, sizeof(after)), 0);
			rte_pktmbuf_free(m);
		}
		lab_check(&lab);
	}
}

Test(cut, the_longest_packets_fit)
{
	static struct lab lab;
	struct rte_mbuf *cell[CELL_FRAGMENTS_MAX], *m, *last;
	uint32_t len = 0;
	int n;

	lab_init(&lab);
	lab_set(&lab, 2048, false);
	m = last = packet_mbuf(lab.pool, lab.frame, 10000);
	for (; m->pkt_len < UINT16_MAX; last = last->next) {
		last->next =
			packet_mbuf(lab.pool, lab.frame, RTE_MIN(UINT16_MAX - m->pkt_len, 10000u));
		m->pkt_len += last->next->data_len;
		m->nb_segs++;
	}
	n = cut(&lab, m, cell);
	cr_assert_eq(n, 32);
	for (int i = 0; i < n; i++)
		len += cell[i]->pkt_len - CELL_PREFIX_LEN;
	cr_assert_eq(len, UINT16_MAX);
	free_cells(&lab, cell, n);
	lab_check(&lab);

	m = packet_mbuf(lab.pool, lab.frame, 100);
	m->pkt_len = UINT16_MAX + 1u;
	cr_assert_eq(cut(&lab, m, cell), -EMSGSIZE);
	rte_pktmbuf_free(m);
	lab_check(&lab);
}

Test(cut, the_number_of_cells_is_the_quotient_rounded_up)
{
	struct cut cut;
	struct cut_spec spec = {.device = 1};

	test_eal(16);
	spec.small = spec.pool = test_pool("longest", 1, UINT16_MAX - RTE_PKTMBUF_HEADROOM);
	for (uint32_t size = CELL_PAYLOAD_MIN; size <= UINT16_MAX - 64u; size++) {
		spec.cell_size = (uint16_t)size;
		cr_assert_eq(cut_init(&cut, &spec), 0);
		for (uint32_t len = size; len < UINT16_MAX; len += size) {
			cr_assert_eq(cut_n_cells(&cut, len), len / size);
			cr_assert_eq(cut_n_cells(&cut, len + 1), len / size + 1);
		}
		cr_assert_eq(cut_n_cells(&cut, 1), 1);
		cr_assert_eq(cut_n_cells(&cut, UINT16_MAX), (UINT16_MAX + size - 1) / size);
	}
}

Test(cut, what_cannot_work_is_refused)
{
	static struct lab lab;
	struct rte_mempool *tiny;
	struct cut_spec good, spec;

	lab_init(&lab);
	tiny = rte_pktmbuf_pool_create("tiny", 1, 0, 0, CUT_SMALL_LEN - 1, SOCKET_ID_ANY);
	lab_set(&lab, 2048, false);
	good = lab.cut.spec;
#define REFUSED(field, value)                                                                      \
	do {                                                                                       \
		spec = good;                                                                       \
		spec.field = (value);                                                              \
		cr_assert_eq(cut_init(&lab.cut, &spec), -EINVAL, #field);                          \
	} while (0)
	REFUSED(cell_size, CELL_PAYLOAD_MIN - 1);
	REFUSED(cell_size, ROOM + RTE_PKTMBUF_HEADROOM - 63);
	REFUSED(device, 0);
	REFUSED(device, UINT16_MAX);
	REFUSED(small, tiny);
	REFUSED(pool, lab.small);
	spec = good;
	spec.small = spec.pool;
	spec.cell_size = ROOM + RTE_PKTMBUF_HEADROOM - 64;
	cr_assert_eq(cut_init(&lab.cut, &spec), 0);
}
