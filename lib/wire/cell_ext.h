/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What follows the header of a control cell, in network order, written and read. The reader's
 * caller has had CELL_OK from cell_read(): the payload length is that of the type, and is there.
 * Bytes of zero are written, and not looked at. What the numbers mean is for who keeps them: any
 * number can come.
 */
#ifndef WIRE_CELL_EXT_H
#define WIRE_CELL_EXT_H

#include "wire/cell.h"

static inline void
cell_put64(uint8_t *p, uint64_t v)
{
	v = __builtin_bswap64(v);
	__builtin_memcpy(p, &v, sizeof(v));
}

/* Writes CELL_REQUEST_LEN bytes. */
static inline void
cell_write_request(uint8_t *p, const struct cell_request *r)
{
	cell_put32(p, r->session);
	cell_put32(p + 4, 0);
	cell_put64(p + 8, r->wanted);
	cell_put64(p + 16, r->granted);
}

static inline struct cell_request
cell_read_request(const uint8_t *p)
{
	return (struct cell_request){
		.session = wire_get32(p),
		.wanted = wire_get64(p + 8),
		.granted = wire_get64(p + 16),
	};
}

/* Writes CELL_GRANT_LEN bytes. */
static inline void
cell_write_grant(uint8_t *p, const struct cell_grant *g)
{
	cell_put32(p, g->session);
	cell_put32(p + 4, 0);
	cell_put64(p + 8, g->granted);
}

static inline struct cell_grant
cell_read_grant(const uint8_t *p)
{
	return (struct cell_grant){.session = wire_get32(p), .granted = wire_get64(p + 8)};
}

/* Writes one entry, CELL_REACH_LEN bytes; payload_len of the header is n times that. */
static inline void
cell_write_reach(uint8_t *p, const struct cell_reach *e)
{
	wire_put16(p, e->device);
	p[2] = e->hops;
	p[3] = 0;
	cell_put32(p + 4, e->capacity);
}

static inline struct cell_reach
cell_read_reach(const uint8_t *p)
{
	return (struct cell_reach){
		.device = wire_get16(p),
		.hops = p[2],
		.capacity = wire_get32(p + 4),
	};
}

#endif
