/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow hash: CRC32C over the fields, then a full-avalanche finaliser keyed with the seed.
 *
 * CRC is linear over GF(2): a seed that is only its initial value XORs a constant into every
 * result, and two switches in a row would then split the same flows the same way (polarisation).
 * The finaliser is not linear, so the seed goes in between. Finaliser: fmix64 of MurmurHash3.
 */
#ifndef NHG_HASH_INL_H
#define NHG_HASH_INL_H

#include <nmmintrin.h>
#include <stdint.h>

/* The CPU's own CRC32C step (SSE4.2, below every CPU that DPDK runs on): no dispatch per word. */
static inline uint32_t
nhg_crc64(uint32_t crc, uint64_t word)
{
	return (uint32_t)_mm_crc32_u64(crc, word);
}

/* `addrs` = source << 32 | destination; ports = source << 16 | destination, 0 when there are none.
 */
static inline uint32_t
nhg_hash_addrs4(uint64_t addrs, uint32_t ports, uint8_t proto)
{
	return nhg_crc64(nhg_crc64(0, addrs), (uint64_t)proto << 32 | ports);
}

/* The same from two addresses in host order. */
static inline uint32_t
nhg_hash_v4(uint32_t src, uint32_t dst, uint32_t ports, uint8_t proto)
{
	return nhg_hash_addrs4((uint64_t)src << 32 | dst, ports, proto);
}

/* `addrs`: source and destination address as they stand in the header, 32 bytes, any alignment. */
static inline uint32_t
nhg_hash_v6(const uint8_t *addrs, uint32_t ports, uint8_t proto)
{
	uint64_t w[4];
	uint32_t h;

	__builtin_memcpy(w, addrs, sizeof(w));
	h = nhg_crc64(0, w[0]);
	h = nhg_crc64(h, w[1]);
	h = nhg_crc64(h, w[2]);
	h = nhg_crc64(h, w[3]);
	return nhg_crc64(h, (uint64_t)proto << 32 | ports);
}

/* Adds the RoCE destination QP (24 bits) to a flow hash: E-ECMP. */
static inline uint32_t
nhg_hash_qp(uint32_t h, uint32_t dest_qp)
{
	return _mm_crc32_u32(h, dest_qp);
}

/* Spreads a flow hash over 32 bits, keyed: every input bit flips every output bit half the time. */
static inline uint32_t
nhg_hash_finish(uint32_t h, uint64_t seed)
{
	uint64_t x = (((uint64_t)h << 32) | h) ^ seed;

	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= x >> 33;
	return (uint32_t)x;
}

/* The default seed of a node: far apart for neighbouring ids. */
static inline uint64_t
nhg_seed_from_id(uint32_t node_id)
{
	uint64_t z = (node_id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
