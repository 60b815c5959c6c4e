/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DSF cells: the open format that docs/cells.md is the reference of. Behind an Ethernet header with
 * CELL_ETHERTYPE come 24 bytes in network order, then the payload of this cell.
 */
#ifndef WIRE_CELL_H
#define WIRE_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_hash_crc.h>

#include "wire/bytes.h"
#include "wire/eth.h"

enum {
	CELL_ETHERTYPE = 0x88b5, /* IEEE 802 local experimental 1; dsf.ethertype says another */
	CELL_VERSION = 1,
	CELL_HEADER_LEN = 24,
	CELL_PREFIX_LEN = ETH_HDR_LEN + CELL_HEADER_LEN, /* before the payload */
	CELL_FRAME_MIN = 60,                             /* shorter ones are padded; without FCS */
	CELL_PAYLOAD_MIN = 256,                          /* dsf.cell_size */
	CELL_FRAGMENTS_MAX = 64, /* of a packet: 16 KB at 256 bytes a cell */
	CELL_DEVICE_MIN = 1,
	CELL_DEVICE_MAX = 65534,
	CELL_CLASSES = 8,
	CELL_ROUTER_PORT = 0, /* system port: the L3 of the device */
};

enum cell_type {
	CELL_DATA = 0,
	CELL_REQUEST = 1, /* this and the next two have extensions: wire/cell_ext.h */
	CELL_GRANT = 2,
	CELL_REACH = 3,
};

enum {
	CELL_FIRST = 0x01,
	CELL_LAST = 0x02,
	CELL_CONGESTION =
		0x04,     /* a fabric node met a deep queue; becomes CE if the packet is ECT */
	CELL_SYNC = 0x08, /* of the first packet of a stream: none comes before it */
};

/*
 * In host order. Of DATA: a stream is (source, pipe, system port, class) at the destination. Every
 * fragment of a packet but the last has one payload length, and the last one is no longer.
 */
struct cell_header {
	uint8_t type; /* enum cell_type */
	uint8_t flags;
	uint8_t class;        /* 0-7 */
	uint8_t pipe;         /* the worker of the source device */
	uint16_t source;      /* device */
	uint16_t destination; /* device; of REACH: 0, the neighbour */
	uint16_t system_port; /* of the destination; of GRANT: of the source, which grants */
	uint16_t payload_len; /* of this cell */
	uint32_t packet_id;
	uint16_t fragment;
	uint16_t packet_len; /* of the whole packet, without FCS */
};

/* Of REQUEST: what the VOQ wants and knows, in cumulative bytes since its session began. */
struct cell_request {
	uint32_t session; /* another one: the VOQ starts anew, from 0 */
	uint64_t wanted;  /* bytes that it has taken in */
	uint64_t granted; /* that it knows of */
};

/* Of GRANT, which goes back to the VOQ's device and pipe. */
struct cell_grant {
	uint32_t session; /* of the REQUEST that it answers */
	uint64_t granted; /* bytes in all */
};

/* Of REACH: an entry. */
struct cell_reach {
	uint16_t device;
	uint8_t hops;      /* 0: the sender itself .. CELL_HOPS_MAX */
	uint32_t capacity; /* Mbit/s that the sender has out toward it; CELL_CAPACITY_ANY: itself */
};

enum {
	CELL_REQUEST_LEN = 24, /* session, 4 bytes of zero, wanted, granted */
	CELL_GRANT_LEN = 16,   /* session, 4 bytes of zero, granted */
	CELL_REACH_LEN = 8,    /* device, hops, a byte of zero, capacity */
	CELL_HOPS_MAX = 3,
};

#define CELL_CAPACITY_ANY UINT32_MAX

/*
 * The destination MAC of every cell: a group address of local administration, so that no switch in
 * between learns or owns it. The source MAC is the link's. Neither means anything to the receiver.
 */
#define CELL_DST_MAC                                                                               \
	{                                                                                          \
		0x03, 0x00, 0x00, 0x00, 0x88, 0xb5                                                 \
	}

/* What is wrong with a cell. CELL_OK is 0. */
enum cell_fault {
	CELL_OK,
	CELL_SHORT,        /* the frame ends before the header or the payload does */
	CELL_BAD_CHECK,    /* the header check is wrong */
	CELL_BAD_VERSION,  /* or a type or class that this version does not know */
	CELL_BAD_LEN,      /* lengths that contradict each other, or the type */
	CELL_BAD_FRAGMENT, /* a number beyond CELL_FRAGMENTS_MAX, or flags that contradict it */
	CELL_BAD_DEVICE,   /* source 0 or 65535, or a destination that is none */
};

/*
 * CRC-32C (Castagnoli, RFC 3720 12.1) of the 20 bytes before the check. Loads of any alignment: a
 * header is 14 bytes into its frame, and rte_hash_crc() itself wants 8 bytes aligned.
 */
static inline uint32_t
cell_check(const uint8_t *header)
{
	uint64_t a, b;
	uint32_t c;

	__builtin_memcpy(&a, header, sizeof(a));
	__builtin_memcpy(&b, header + 8, sizeof(b));
	__builtin_memcpy(&c, header + 16, sizeof(c));
	return ~rte_hash_crc_4byte(c, rte_hash_crc_8byte(b, rte_hash_crc_8byte(a, UINT32_MAX)));
}

static inline void
cell_put32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	__builtin_memcpy(p, &v, sizeof(v));
}

/* Writes the CELL_HEADER_LEN bytes of a header and its check. */
static inline void
cell_write(uint8_t *p, const struct cell_header *h)
{
	p[0] = (uint8_t)(CELL_VERSION << 4 | h->type);
	p[1] = h->flags;
	p[2] = (uint8_t)(h->class << 4);
	p[3] = h->pipe;
	wire_put16(p + 4, h->source);
	wire_put16(p + 6, h->destination);
	wire_put16(p + 8, h->system_port);
	wire_put16(p + 10, h->payload_len);
	cell_put32(p + 12, h->packet_id);
	wire_put16(p + 16, h->fragment);
	wire_put16(p + 18, h->packet_len);
	cell_put32(p + 20, cell_check(p));
}

/* Says in a header that is right, and stays so, that a deep queue was met. */
static inline void
cell_mark_congestion(uint8_t *p)
{
	p[1] |= CELL_CONGESTION;
	cell_put32(p + 20, cell_check(p));
}

/*
 * DATA: lengths, fragment number and flags tell one story. The fragments up to this one are as long
 * as it is or longer. If it is not the last, something comes behind it, and CELL_FRAGMENTS_MAX of
 * its length hold the packet. That the last one leaves a whole number of equal ones before it is
 * seen when they meet.
 */
static inline enum cell_fault
cell_check_data(const struct cell_header *h)
{
	bool first = h->flags & CELL_FIRST, last = h->flags & CELL_LAST;
	uint32_t len = h->payload_len, up_to = (h->fragment + 1u) * len;

	if (h->fragment >= CELL_FRAGMENTS_MAX || first != (h->fragment == 0))
		return CELL_BAD_FRAGMENT;
	if (len == 0 || h->packet_len < ETH_HDR_LEN || up_to > h->packet_len)
		return CELL_BAD_LEN;
	if (last)
		return first && len != h->packet_len ? CELL_BAD_LEN : CELL_OK;
	if (up_to == h->packet_len || len * CELL_FRAGMENTS_MAX < h->packet_len)
		return CELL_BAD_LEN;
	return CELL_OK;
}

/*
 * Reads a header of which `len` bytes of frame follow the Ethernet header (this header included;
 * padding too). *ret is whole when the result is CELL_OK. Nothing of an extension is read.
 */
static inline enum cell_fault
cell_read(const uint8_t *p, uint32_t len, struct cell_header *ret)
{
	if (len < CELL_HEADER_LEN)
		return CELL_SHORT;
	if (wire_get32(p + 20) != cell_check(p))
		return CELL_BAD_CHECK;
	*ret = (struct cell_header){
		.type = p[0] & 0xf,
		.flags = p[1],
		.class = p[2] >> 4,
		.pipe = p[3],
		.source = wire_get16(p + 4),
		.destination = wire_get16(p + 6),
		.system_port = wire_get16(p + 8),
		.payload_len = wire_get16(p + 10),
		.packet_id = wire_get32(p + 12),
		.fragment = wire_get16(p + 16),
		.packet_len = wire_get16(p + 18),
	};
	if (p[0] >> 4 != CELL_VERSION || ret->type > CELL_REACH || ret->class >= CELL_CLASSES)
		return CELL_BAD_VERSION;
	if (ret->payload_len > len - CELL_HEADER_LEN)
		return CELL_SHORT;
	if (ret->source < CELL_DEVICE_MIN || ret->source > CELL_DEVICE_MAX ||
		ret->destination > CELL_DEVICE_MAX ||
		(ret->destination == 0) != (ret->type == CELL_REACH))
		return CELL_BAD_DEVICE;
	switch (ret->type) {
	case CELL_DATA:
		return cell_check_data(ret);
	case CELL_REQUEST:
		return ret->payload_len == CELL_REQUEST_LEN ? CELL_OK : CELL_BAD_LEN;
	case CELL_GRANT:
		return ret->payload_len == CELL_GRANT_LEN ? CELL_OK : CELL_BAD_LEN;
	default: /* REACH */
		return ret->payload_len % CELL_REACH_LEN == 0 ? CELL_OK : CELL_BAD_LEN;
	}
}

#endif
