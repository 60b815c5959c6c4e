/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The egress scheduler of a system port: who may send to it, and how much. REQUESTs of VOQs (see
 * cell/voq.h) come in, GRANTs go out, paced at the port's rate times a speedup, credit_bytes at a
 * time to each VOQ in turn, so that the fabric never queues more than the port can send.
 *
 * Owner: the worker that owns the port; nobody else touches it, but that the counters may be read
 * by anybody with relaxed loads.
 *
 * Bound. With r = rate x speedup, C = credit_bytes, L = the longest time between two turns (counted
 * up to CREDIT_LATE_MAX_PS), D = the longest time from a GRANT until what it lets go has reached
 * the egress queue (both ways, jitter, the source's own link; a lost GRANT counts from the first
 * one), n VOQs that send packets of at most P bytes, and `held` said in each turn in which the
 * egress queue has more than H bytes:
 *
 *	bytes in flight + bytes in the egress queue <= H + r x (D + L) + C + n x P
 *
 * For in the last turn that granted there were at most H queued; what was granted before and had
 * not come yet is D old at most; and each VOQ may be one packet ahead of its grants. H below
 * rate x (D + L) lets the port run dry between the end of a hold and the first packet of the next
 * grant; the speedup makes every H be reached under load.
 *
 * Pace: what is granted at times in [a, b] is at most r x (b - a) + C + r x L. A time in which
 * nobody asked who could be served saves nothing up: after it comes one credit_bytes.
 *
 * A source that asks and never sends costs the port its share (1/n), not more; one that falls
 * silent is taken for gone after CREDIT_SILENT_PS. Nothing here knows what has arrived.
 */
#ifndef CELL_CREDIT_H
#define CELL_CREDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ps.h"
#include "wire/cell.h"

#define CREDIT_RATE_MIN    UINT64_C(1000000)         /* 1 Mbit/s: a credit is within PS_AHEAD_MAX */
#define CREDIT_RATE_MAX    UINT64_C(100000000000000) /* 100 Tbit/s: a router with 250 x 400 Gbit/s */
#define CREDIT_BYTES_MIN   1000u
#define CREDIT_BYTES_MAX   1000000u
#define CREDIT_SPEEDUP_MIN 500u
#define CREDIT_SPEEDUP_MAX 2000u
#define CREDIT_VOQS_MAX    (1u << 20)

/* Half would lose rate when a worker's turn takes 50 us; double would only be a larger burst. */
#define CREDIT_LATE_MAX_PS (100 * PS_PER_US)

/* A VOQ that waits repeats its REQUEST each 10 ms at least; half of this and two lost would do. */
#define CREDIT_SILENT_PS (50 * PS_PER_MS)

struct credit_config {
	uint64_t rate_bps;         /* of the port, L1; 0: nothing is granted */
	uint32_t speedup_permille; /* of the rate */
	uint32_t credit_bytes;     /* a VOQ's turn */
	uint32_t n_voqs;           /* requesters known at most: 64 bytes and a hash entry each */
	uint8_t strict;            /* a bit a class: served first, the higher before the lower */
	int socket;
};

struct credit_grant_out {
	uint16_t source; /* device that the GRANT goes to */
	uint8_t pipe;
	uint8_t class;
	struct cell_grant grant;
};

/* Never reset. Only the two last go down. */
struct credit_stats {
	uint64_t requests;
	uint64_t refused;  /* REQUESTs that found the table full of VOQs that ask */
	uint64_t sessions; /* VOQs that began anew */
	uint64_t grants;   /* GRANT cells, with the repeats */
	uint64_t repeats;  /* of what was granted already */
	uint64_t granted_bytes;
	uint64_t evicted; /* forgotten to make room: idle, or silent */
	uint64_t silent;  /* asked, and were not heard of any more */
	uint64_t known, asking;
};

struct credit;

/* Bytes of memory that credit_create() takes for so many VOQs: a little more. Any thread. */
size_t credit_memory(uint32_t n_voqs);

/* -ERANGE: outside the limits above; -ENOMEM. Control thread, while the worker stands still. */
int credit_create(const struct credit_config *config, uint64_t now, struct credit **ret_credit);
void credit_free(struct credit *s); /* NULL is fine */

/* Another rate from now on; 0: nothing is granted. -ERANGE: nothing changed. Owner. */
int credit_set_rate(struct credit *s, uint64_t rate_bps, uint64_t now);

/*
 * A REQUEST that cell_read() took, for this port. Numbers that go back are ignored; a session that
 * is not known begins with what it says it was granted, so a scheduler that forgot everything goes
 * on where the VOQ is. -ENOSPC: no room, and everybody in it asks. Owner.
 */
int credit_request(
	struct credit *s, const struct cell_header *h, const struct cell_request *q, uint64_t now);

/*
 * The GRANTs to send now, at most `max` (2..65535; 32 does): `held` are the classes that get none,
 * a bit each. Several turns of one VOQ make one GRANT. The caller turns as often as it can, and at
 * least every CREDIT_LATE_MAX_PS to keep the rate. Owner.
 */
uint32_t credit_turn(
	struct credit *s, uint64_t now, uint8_t held, struct credit_grant_out *out, uint32_t max);

/* When credit_turn() has something to say; UINT64_MAX: not before a REQUEST comes. Owner. */
uint64_t credit_next_ps(const struct credit *s, uint64_t now, uint8_t held);

/* Lives as long as `s`. Any thread, relaxed loads. */
const struct credit_stats *credit_stats(const struct credit *s);

#endif
