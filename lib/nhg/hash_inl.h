/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow hash: the parser's CRC32C over the fields (pkt/flow_inl.h), then this full-avalanche
 * finaliser keyed with the seed.
 *
 * CRC is linear over GF(2): a seed that is only its initial value XORs a constant into every
 * result, and two switches in a row would then split the same flows the same way (polarisation).
 * The finaliser is not linear, so the seed goes in between. Finaliser: fmix64 of MurmurHash3.
 */
#ifndef NHG_HASH_INL_H
#define NHG_HASH_INL_H

#include <stdint.h>

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
