/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where packets wait for a port: one FIFO a class, and behind the shaper the delay line. One of
 * these for each (worker, port); nobody but the worker touches it. A port without policy uses it
 * only while its device takes less than comes.
 */
#ifndef DP_QUEUE_H
#define DP_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/egress.h"
#include "pkt/burst.h"
#include "pkt/fifo.h"
#include "qos/impair.h"
#include "qos/sched.h"

#define QUEUE_FIFOS (DP_CLASSES + 2u)

struct worker;

/* pkt_rec.flags: its bytes are charged to the port that it came in by, until it leaves the queue.
 */
#define QUEUE_CHARGED 1u

/* Of a class of a port, as counters.h counts: only where packets pass the queues. */
struct queue_count {
	uint64_t packets, bytes; /* to the TX buffer, copies too */
	uint64_t dropped;        /* at the queue, in it and on the line behind it */
	uint64_t ce_marked;
};

struct worker_queue {
	struct qos_sched sched;
	uint32_t head_len[DP_CLASSES]; /* bytes of each class's first packet */
	uint8_t waiting;               /* bit: the class's FIFO is not empty */
	uint8_t used;                  /* classes that a packet came for, ever */
	bool lined;    /* packets go by the line: there is one, or there was and some are on it */
	bool settling; /* what is below is not the policy's yet */
	uint32_t line_max; /* packets on the line, at most; more than the policy's while they are */
	/* The delay that the line has, at most, and by how much its packets are sooner than they
	 * say: it was longer when they came. */
	uint64_t delay_ps, span_ps, sooner_ps;
	struct pkt_fifo fifo[DP_CLASSES];
	struct pkt_fifo line; /* in the order of at_ps, as `late` is */
	struct pkt_fifo late; /* packets that are to be overtaken */
	struct qos_impair impair;
	uint64_t impair_seed; /* that it draws from */
	struct queue_count count[DP_CLASSES];
} __rte_cache_aligned;

static inline bool
queue_is_empty(const struct worker_queue *q)
{
	return q->waiting == 0 && q->line.n == 0 && q->late.n == 0;
}

/*
 * Lets a frame of the class go by the port's rate, or not now. A strict one does not wait for what
 * other workers let go: they do not see each other's queues.
 */
static inline bool
queue_shape(struct egress_commons *commons, const struct egress_policy *policy,
	const struct worker_queue *q, uint64_t now_ps, unsigned int class, uint32_t len)
{
	if (q->sched.strict >> class & 1)
		return qos_shaper_take_urgent(&commons->shaper, &policy->rate, now_ps, len);
	return qos_shaper_take(&commons->shaper, &policy->rate, now_ps, len);
}

/*
 * Takes a packet that was routed to meta->port_idx: remarks, marks, and sends at once or queues.
 * Returns 0, or the drop reason; the packet is then the caller's. Worker.
 */
enum drop_reason queue_put(
	struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, const struct pkt_meta *meta);

/* What is known of a packet that comes to a queue now, and whether its bytes are charged. Worker.
 */
struct pkt_rec queue_record(
	const struct worker *w, uint16_t in_port_idx, struct rte_mbuf *m, uint8_t class);

/*
 * The parts of it, for hyper ports: what turns the packet away, marks and remarks it; what counts
 * it as waiting; what puts it into its class queue of this worker. Worker.
 */
enum drop_reason queue_admit(
	struct worker *w, const struct pkt_rec *rec, const struct pkt_meta *meta);
void queue_book(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx);
enum drop_reason queue_push(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx);

/* Takes the first packet of a class out; false when there is none. Worker. */
bool queue_pop(struct worker *w, uint16_t port_idx, unsigned int class, struct pkt_rec *ret_rec);

/* The packet is in no class queue any more: nobody is charged for it. Worker. */
void queue_unbook(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec);

/* Everything of a class is dropped and counted as `reason`. Worker. */
void queue_drop_class(
	struct worker *w, uint16_t port_idx, unsigned int class, enum drop_reason reason);

/*
 * Of a packet that a queue with a backlog takes: marks it, counts that in `ce_marked` too, or says
 * why it is dropped. Worker.
 */
enum drop_reason queue_red(struct worker *w, const struct egress_class *c,
	const struct pkt_meta *meta, uint64_t backlog, uint64_t *ce_marked);

/* Whom the bytes of a packet that came in by the port are charged to, or NULL. Worker. */
struct qos_xoff *queue_charged(const struct worker *w, uint16_t in_port_idx, uint8_t class);

/* Puts a cell behind others that wait for a link. 0, or the drop reason. Worker. */
enum drop_reason queue_wait(struct worker *w, const struct pkt_rec *rec, uint16_t port_idx);

/* Moves to the port's TX buffer what may go now, as far as there is room. Worker. */
void queue_serve(struct worker *w, uint16_t port_idx);

/* Takes over the policy of a snapshot that is new to the worker; what waits stays. Worker. */
void queue_adopt(struct worker *w, uint16_t port_idx);

/* The port's queue has what its policy says, as far as what is in it lets that be. Worker. */
void queue_settle(struct worker *w, uint16_t port_idx);

/* Packets that wait in it; any thread, as of about now. */
uint32_t queue_packets(const struct worker_queue *q);

/* Everything in it is dropped and counted as `reason`. Worker, or control when that stands still.
 */
void queue_drop_all(struct worker *w, uint16_t port_idx, enum drop_reason reason);

/* queue_serve.c to line.c: a packet that has left the class queues at `now`. Frees what it drops.
 */
void line_put(struct worker *w, uint16_t port_idx, const struct pkt_rec *rec);
/* Packets whose time has come go to the TX buffer. */
void line_serve(struct worker *w, uint16_t port_idx);

#endif
