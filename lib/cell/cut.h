/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cut: from a packet that has its credit to the cells of it. Comes after the VOQ, before the
 * spray. The packet's bytes stay where they are: a cell is its own header and a view of them, or a
 * copy where the link sends single segments.
 *
 * A struct cut is immutable once built; any number of workers may share it.
 */
#ifndef CELL_CUT_H
#define CELL_CUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_mbuf.h>

#include "wire/cell.h"

enum {
	/*
	 * Headers stand right before a cache line, payloads that are copied right behind it: so a
	 * header is one line, and what is in front is room for two VLAN tags and more.
	 */
	CUT_DATA_OFF = 64 - CELL_PREFIX_LEN,
	/* Up to this much of a payload is copied behind its header: less work than a view of it. */
	CUT_COPY_MAX = 64,
	CUT_SMALL_LEN = 64 + CUT_COPY_MAX, /* data room of an mbuf of `small`, at least */
	/* Of a cell; more are copied into one. Intel's drivers send 8 (i40e, ice, iavf). */
	CUT_SEGMENTS_MAX = 8,
	CUT_CELL_SIZE_MAX = UINT16_MAX - CELL_PREFIX_LEN, /* a segment's length has 16 bits */
};

struct cut_spec {
	/* Headers and views come from here: mbufs of CUT_SMALL_LEN or more; may be `pool`. */
	struct rte_mempool *small;
	struct rte_mempool *pool; /* whole buffers, for copies */
	uint16_t cell_size;       /* payload of a cell, CELL_PAYLOAD_MIN..CUT_CELL_SIZE_MAX */
	uint16_t device;          /* the source: this node */
	uint16_t ethertype;
	bool one_segment; /* the links send single segments: copies instead of views */
};

struct cut {
	struct cut_spec spec;
	uint32_t inverse;         /* 2^32 / cell_size, rounded up */
	uint8_t eth[ETH_HDR_LEN]; /* of every cell, without the source MAC */
};

/*
 * -EINVAL: cell_size out of range, no such device, an mbuf of `small` is too small for a
 * header, or one of `pool` for a cell. Control thread.
 */
int cut_init(struct cut *cut, const struct cut_spec *spec);

/*
 * Cells of a packet of `len` bytes, 1..65535. Exact: the error of `inverse` is below 1 / 2^16, so
 * that of the product is below 1 / cell_size. Any thread.
 */
static inline unsigned int
cut_n_cells(const struct cut *cut, uint32_t len)
{
	return (unsigned int)((uint64_t)(len - 1) * cut->inverse >> 32) + 1;
}

/*
 * Cuts `m`, a frame without FCS of ETH_HDR_LEN..65535 bytes in any segments, and writes its cells
 * to ret_cell[], in order of fragments. `h` gives the destination, system port, class, pipe, packet
 * id and the flags that every cell carries (CELL_SYNC); the rest of it is not read. Each cell has
 * its Ethernet header, of which cut_set_source() completes the source, and is padded with zeros to
 * CELL_FRAME_MIN.
 *
 * Returns how many cells, 1..CELL_FRAGMENTS_MAX; m is theirs. -EMSGSIZE: the packet is longer or
 * shorter than that, or needs more cells; -ENOBUFS: a pool is empty. Then m is as it was, and the
 * caller's. Worker.
 *
 * Segments with a reference count of 1 go into cells themselves; into the headroom of those that
 * have a buffer of their own a header is written. Of others there are only views. The mbufs of a
 * cell come from several pools and may share buffers: they must not be sent with
 * RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE.
 */
int cut_packet(const struct cut *cut, struct rte_mbuf *m, const struct cell_header *h,
	struct rte_mbuf **ret_cell);

/* The source MAC of a cell: that of the link which it leaves by. Worker. */
static inline void
cut_set_source(struct rte_mbuf *cell, const uint8_t *mac)
{
	memcpy(rte_pktmbuf_mtod_offset(cell, uint8_t *, ETH_ADDR_LEN), mac, ETH_ADDR_LEN);
}

#endif
