/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A virtual output queue: packets of one worker for one (device, system port, class), and what the
 * far egress scheduler (cell/credit.h there) lets go of them. It asks by REQUEST and is answered
 * by GRANT, both with cumulative bytes of a session, so that the next one heals a lost one. Before
 * it come the stages that choose the way, after it the cutting into cells.
 *
 * Owner: one worker; nobody else touches it.
 *
 * Bytes are those that the packet takes on the destination's wire (voq_bytes), or a port that is
 * granted its rate in short packets would get more than it can send.
 *
 * Bound: a packet may go while any credit is left, so a VOQ has sent less than one packet more
 * than it was granted; the debt is paid from the next grant.
 */
#ifndef CELL_VOQ_H
#define CELL_VOQ_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "base/ps.h"
#include "pkt/fifo.h"
#include "wire/cell.h"

#define VOQ_FRAME_MIN 60u /* without FCS: what is shorter, the MAC pads */
#define VOQ_OVERHEAD  24u /* FCS 4, preamble 8, gap 12 (802.3 clause 4) */

/*
 * An unanswered REQUEST is repeated after twice the time that answers take, doubled each time.
 * Least: half would repeat while a busy worker's turn is still on its way. Most: double would leave
 * a queue that lost its last grant in a long silence standing twice as long.
 */
#define VOQ_WAIT_MIN_PS   (20 * PS_PER_US)
#define VOQ_WAIT_FIRST_PS (100 * PS_PER_US) /* no answer has come yet */
#define VOQ_WAIT_MAX_PS   (10 * PS_PER_MS)

struct voq {
	struct pkt_fifo fifo;
	/* cumulative bytes of the session; sent and granted <= wanted */
	uint64_t wanted;  /* taken in */
	uint64_t granted; /* that we know of */
	uint64_t sent;
	uint64_t asked;     /* `wanted` of the last REQUEST */
	uint64_t ask_ps;    /* of the last REQUEST */
	uint64_t since_ps;  /* the wait for the next grant began: a first REQUEST, or a grant */
	uint64_t timer_ps;  /* the last REQUEST or grant */
	uint64_t credit_ps; /* the last grant, or when nothing kept packets from going */
	uint64_t rtt_ps;    /* smoothed time that a grant takes to come; 0: none has come */
	uint32_t session;
	uint32_t packet_id;    /* of the next packet that goes */
	uint32_t credit_bytes; /* grows by this: worth a REQUEST */
	uint8_t n_unanswered;  /* REQUESTs since the last grant */
	uint8_t backoff;       /* times that the wait is doubled */
	bool repeated;         /* a REQUEST was, since since_ps: no measure of rtt_ps */
	bool renewed;          /* a session that the other side does not know began */
	bool sync;             /* the next packet is the first of its stream */
	bool push;             /* no credit: packets go at once */
};

/*
 * An empty VOQ, at worker start. `session` and `packet_id` are chosen by chance, so that the other
 * side can tell a restart; `credit_bytes` 1..2^20, as the egress schedulers have it.
 */
void voq_init(struct voq *v, uint32_t session, uint32_t packet_id, uint32_t credit_bytes, bool push,
	uint64_t now);

/* Bytes that a frame of `len` (without FCS) counts as. */
static inline uint32_t
voq_bytes(uint32_t len)
{
	return RTE_MAX(len, VOQ_FRAME_MIN) + VOQ_OVERHEAD;
}

/*
 * Appends a packet; rec->at_ps is now. False, and nothing changed: the pool is empty. The limit of
 * the queue is the caller's. Worker.
 */
static inline bool
voq_push(struct pkt_chunks *pool, struct voq *v, const struct pkt_rec *rec)
{
	bool was_empty = v->fifo.n == 0;

	if (unlikely(!pkt_fifo_push(pool, &v->fifo, rec)))
		return false;
	if (was_empty)
		v->credit_ps = rec->at_ps;
	v->wanted += voq_bytes(rec->len);
	return true;
}

/* The packet that may go now, as v->packet_id and with v->sync, or NULL. Worker. */
static inline const struct pkt_rec *
voq_head(const struct voq *v)
{
	return v->push || v->sent < v->granted ? pkt_fifo_peek(&v->fifo) : NULL;
}

/* The head went as cells: takes it out and moves its id on. voq_head() was not NULL. Worker. */
static inline void
voq_pop(struct pkt_chunks *pool, struct voq *v, struct pkt_rec *ret_rec)
{
	if (unlikely(!pkt_fifo_pop(pool, &v->fifo, ret_rec)))
		return;
	v->sent += voq_bytes(ret_rec->len);
	v->packet_id++;
	v->sync = false;
}

/*
 * Takes the head out to be dropped, with or without credit: no buffers for its cells, or the VOQ is
 * emptied. No id is used up, so the receiver misses nothing; its bytes count as sent. When the last
 * one goes and more was dropped than granted, a new session begins and voq_ask() tells the other
 * side, so that it does not grant what will never come. False: empty. Worker.
 */
bool voq_drop(struct pkt_chunks *pool, struct voq *v, struct pkt_rec *ret_rec);

/*
 * True when a REQUEST must go now; it counts as sent. With the first packet; when `wanted` grew by
 * credit_bytes (doubled for each REQUEST that no grant followed yet); when no grant came in time;
 * and every VOQ_WAIT_MAX_PS while there is something to ask for, for the scheduler takes who is
 * silent for gone. Worker.
 */
bool voq_ask(struct voq *v, uint64_t now, struct cell_request *ret_request);

/*
 * What came back. Ignored: another session, no more than is known, more than was wanted. True:
 * there is more credit than before. Worker.
 */
bool voq_grant(struct voq *v, const struct cell_grant *g, uint64_t now);

/*
 * Packets have waited for credit, or for links that lead to their device (`reachable`), for
 * `watchdog_ps` (0: never): the caller drops them all. To be asked at least a few times in that
 * time. Worker.
 */
bool voq_stalled(struct voq *v, uint64_t now, uint64_t watchdog_ps, bool reachable);

/* When voq_ask() says true, if nothing happens until then; UINT64_MAX: never. Worker. */
uint64_t voq_next_ps(const struct voq *v, uint64_t now);

#endif
