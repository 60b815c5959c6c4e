/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How busy a way out is, as a worker sees it: the time that it takes to send what waits there. The
 * policies that look where they send compare these.
 *
 * Of a port: bytes in the class queues of all workers (port commons), over the port's rate (else
 * its link's speed, else 100 Gbit/s); and what a shaper has let go ahead of its rate, or without
 * one what stands in this worker's TX buffer. Of a destination in the fabric: bytes in this
 * worker's own VOQs, at 100 Gbit/s; what other workers hold there is not seen. A delay line is
 * distance, not load.
 *
 * Owner: the worker. It looks at a way once a burst and adds what it sends there meanwhile, so that
 * the packets of a burst do not all go where it was empty when the burst came.
 */
#ifndef DP_LOAD_H
#define DP_LOAD_H

#include <stdint.h>

#include "base/ps.h"

/* Bits behind the point of a time a byte, as in qos/shaper.h. */
#define LOAD_PER_BYTE_SHIFT 20

/* 80 ps a byte: 100 Gbit/s, where nobody knows better. */
#define LOAD_PER_BYTE_DEFAULT (UINT64_C(80) << LOAD_PER_BYTE_SHIFT)

/* Preamble, FCS, gap and Ethernet header (802.3 clause 4), which the length of an IP packet lacks.
 */
#define LOAD_OVERHEAD 38u

struct load {
	uint64_t burst; /* of the worker: it looked in this one */
	uint64_t ps;    /* at most PS_AHEAD_MAX */
	uint64_t ps_per_byte;
};

struct worker;

/* Looks again. Worker. */
void load_look(struct worker *w, uint16_t way, struct load *l);

static inline uint64_t
load_of_bytes(uint64_t bytes, uint64_t ps_per_byte)
{
	return (uint64_t)((unsigned __int128)bytes * ps_per_byte >> LOAD_PER_BYTE_SHIFT);
}

#endif
