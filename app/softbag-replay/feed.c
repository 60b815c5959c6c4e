/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays captures into the node's memory ports. feed_setup.c made the plan; run.c calls this each
 * turn. */
#include "feed.h"

#include "frame_mbuf.h"

/* Virtual arrival of the input's next frame. */
static uint64_t
arrival_ns(const struct feed *f, const struct feed_input *in)
{
	return in->capture->frame[in->next].ns - f->origin_ns + in->round * in->period_ns;
}

/*
 * The input of the port whose turn it is, or NULL when all are played. As captured, that is the one
 * with the earliest frame; else one after the other, loop by loop. The first one given wins a tie.
 */
static struct feed_input *
pick(const struct feed *f, const struct feed_port *p)
{
	struct feed_input *best = NULL;
	uint64_t best_key = 0;

	for (size_t i = 0; i < p->n_inputs; i++) {
		struct feed_input *in = &p->input[i];
		uint64_t key;

		if (in->round == in->rounds)
			continue;
		key = f->asis ? arrival_ns(f, in) : in->round;
		if (best == NULL || key < best_key) {
			best = in;
			best_key = key;
		}
	}
	return best;
}

static void
advance(struct feed_input *in)
{
	if (++in->next == in->capture->n) {
		in->next = 0;
		in->round++;
	}
}

/* Packets of this port that wait in its rings. */
static uint64_t
port_in_flight(const struct feed *f, const struct feed_port *p)
{
	uint64_t taken = 0;

	for (unsigned int i = 0; i < f->node->n_workers; i++)
		taken += counter_read(&f->node->worker[i]->counters->port_in[p->port_idx].packets);
	return p->put - taken;
}

static bool
put_one(struct feed *f, struct feed_port *p, const struct feed_input *in)
{
	const struct frame *frame = &in->capture->frame[in->next];
	const uint8_t *bytes = capture_bytes(in->capture, frame);
	struct rte_mbuf *m = frame_to_mbuf(f->node->pool, bytes, frame->len, f->segment_len);
	uint16_t queue = p->queue[0];

	if (m == NULL) {
		f->starved = true;
		return false;
	}
	if (p->n_queues > 1)
		queue = p->queue[frame_flow_hash(bytes, frame->len) % p->n_queues];
	if (port_mem_put(p->port, queue, &m, 1) != 1) {
		rte_pktmbuf_free(m);
		return false;
	}
	return true;
}

static unsigned int
port_turn(struct feed *f, struct feed_port *p, uint64_t now)
{
	uint64_t waiting = port_in_flight(f, p);
	unsigned int n = 0;

	while (waiting + n < f->burst) {
		struct feed_input *in = pick(f, p);

		if (in == NULL || (f->asis && arrival_ns(f, in) > now) || !put_one(f, p, in))
			break;
		advance(in);
		n++;
	}
	p->put += n;
	return n;
}

unsigned int
feed_turn(struct feed *f, uint64_t now)
{
	unsigned int n = 0;

	f->starved = false;
	for (size_t i = 0; !f->ended && i < f->n_ports; i++)
		n += port_turn(f, &f->port[i], now);
	f->put += n;
	return n;
}

/* Until the first queue of the port may be polled again; 0 where no pace holds it back. */
static uint64_t
pace_wait_ns(const struct feed *f, const struct feed_port *p)
{
	uint64_t wait = UINT64_MAX;

	for (unsigned int i = 0; i < f->node->n_workers; i++) {
		const struct worker *w = f->node->worker[i];

		for (uint16_t k = 0; k < w->n_rxq; k++) {
			const struct worker_rxq *q = &w->rxq[k];
			uint64_t lacks = q->pace_tsc - RTE_MIN(q->credit_tsc, q->pace_tsc);

			if (q->port_idx == p->port_idx)
				wait = RTE_MIN(wait, lacks);
		}
	}
	return wait;
}

/* When something can next happen at the port: a whole number of turns from now, or an arrival. */
static uint64_t
port_next_ns(const struct feed *f, const struct feed_port *p, uint64_t now)
{
	uint64_t turns;

	if (port_in_flight(f, p) == 0) {
		const struct feed_input *in = f->ended ? NULL : pick(f, p);

		if (in == NULL)
			return UINT64_MAX;
		if (f->asis && arrival_ns(f, in) > now)
			return arrival_ns(f, in);
	}
	turns = (pace_wait_ns(f, p) + FEED_TURN_NS - 1) / FEED_TURN_NS;
	return now + RTE_MAX(turns, UINT64_C(1)) * FEED_TURN_NS;
}

uint64_t
feed_next_ns(const struct feed *f, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < f->n_ports; i++)
		next = RTE_MIN(next, port_next_ns(f, &f->port[i], now));
	return next == UINT64_MAX ? now + FEED_TURN_NS : next;
}

void
feed_end(struct feed *f)
{
	f->ended = true;
}

uint64_t
feed_in_flight(const struct feed *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_ports; i++)
		n += port_in_flight(f, &f->port[i]);
	return n;
}

bool
feed_done(const struct feed *f)
{
	for (size_t i = 0; !f->ended && i < f->n_ports; i++)
		if (pick(f, &f->port[i]) != NULL)
			return false;
	return feed_in_flight(f) == 0;
}
