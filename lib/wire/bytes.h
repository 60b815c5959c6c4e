/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network-order fields at any alignment. The caller has checked the bounds. The compiler's own byte
 * swaps: DPDK's are volatile assembly, which keeps the compiler from folding them into compares.
 */
#ifndef WIRE_BYTES_H
#define WIRE_BYTES_H

#include <stdint.h>

static inline uint16_t
wire_get16(const uint8_t *p)
{
	uint16_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline uint32_t
wire_get24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t
wire_get32(const uint8_t *p)
{
	uint32_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline uint64_t
wire_get64(const uint8_t *p)
{
	uint64_t v;

	__builtin_memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline void
wire_put16(uint8_t *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	__builtin_memcpy(p, &v, sizeof(v));
}

#endif
