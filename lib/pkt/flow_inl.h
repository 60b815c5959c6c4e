/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow of a packet as a CRC32C over its fields, taken by the parser while they are in
 * registers. Linear over GF(2), so no hash to choose a way by: nhg_hash_finish() makes one of it.
 */
#ifndef PKT_FLOW_INL_H
#define PKT_FLOW_INL_H

#include <nmmintrin.h>
#include <stdint.h>

/* The CPU's own CRC32C step (SSE4.2, below every CPU that DPDK runs on): no dispatch per word. */
static inline uint32_t
flow_crc64(uint32_t crc, uint64_t word)
{
	return (uint32_t)_mm_crc32_u64(crc, word);
}

/* Both IPv4 addresses, source << 32 | destination in host order. */
static inline uint32_t
flow_crc_addrs4(uint64_t addrs)
{
	return flow_crc64(0, addrs);
}

/* `addrs`: source and destination address as they stand in the header, 32 bytes, any alignment. */
static inline uint32_t
flow_crc_addrs6(const uint8_t *addrs)
{
	uint64_t w[4];

	__builtin_memcpy(w, addrs, sizeof(w));
	return flow_crc64(flow_crc64(flow_crc64(flow_crc64(0, w[0]), w[1]), w[2]), w[3]);
}

/* Adds what stands above the addresses; ports = source << 16 | destination, 0 without any. */
static inline uint32_t
flow_crc_l4(uint32_t crc, uint32_t ports, uint8_t proto)
{
	return flow_crc64(crc, (uint64_t)proto << 32 | ports);
}

/* Adds the RoCE destination QP (24 bits): E-ECMP. */
static inline uint32_t
flow_crc_qp(uint32_t crc, uint32_t dest_qp)
{
	return _mm_crc32_u32(crc, dest_qp);
}

#endif
