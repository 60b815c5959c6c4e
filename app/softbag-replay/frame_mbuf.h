/* SPDX-License-Identifier: BSD-3-Clause */
/* What a NIC does to a frame: puts it into buffers, and picks a queue. */
#ifndef SOFTBAG_REPLAY_FRAME_MBUF_H
#define SOFTBAG_REPLAY_FRAME_MBUF_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "qos/shaper.h"

/* Segments that a frame takes when each holds `segment_len` bytes; a frame of no bytes takes one.
 */
static inline uint32_t
frame_segments(uint32_t len, uint32_t segment_len)
{
	return len == 0 ? 1 : (len - 1) / segment_len + 1;
}

/* Bits that it takes on the wire, with preamble, FCS and gap. */
static inline uint64_t
frame_wire_bits(uint32_t len)
{
	return (RTE_MAX(len, QOS_FRAME_MIN) + (uint64_t)QOS_OVERHEAD_L1) * 8;
}

/* A copy of the frame. NULL: the pool has not got enough, and nothing was taken from it. */
struct rte_mbuf *frame_to_mbuf(
	struct rte_mempool *pool, const uint8_t *bytes, uint32_t len, uint32_t segment_len);

/*
 * Receive side scaling: a hash of IP addresses, protocol and ports, so that a flow stays on one
 * queue; fragments by addresses and protocol; what is not IP is 0.
 */
uint32_t frame_flow_hash(const uint8_t *bytes, uint32_t len);

#endif
