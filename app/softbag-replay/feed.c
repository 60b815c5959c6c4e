/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays captures into the node's memory ports. feed_setup.c made the plan; run.c calls this each
 * turn. */
#include "feed.h"

#include "frame_mbuf.h"

/* Virtual arrival of the input's next frame, if that is the port's next. */
static uint64_t
arrival_ns(const struct feed *f, const struct feed_port *p, const struct feed_input *in)
{
	switch (p->clock) {
	case FEED_CAPTURED:
		return in->capture->frame[in->next].ns - f->origin_ns + in->round * in->period_ns;
	case FEED_RATED:
		/* from the sum each time: nothing is rounded twice, so nothing drifts */
		return (uint64_t)(p->units * 1000000000u / p->rate->per_s);
	case FEED_BURSTS:
	default:
		return p->due_ns;
	}
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
		key = p->clock == FEED_CAPTURED ? arrival_ns(f, p, in) : in->round;
		if (best == NULL || key < best_key) {
			best = in;
			best_key = key;
		}
	}
	return best;
}

uint64_t
feed_units(const struct args_rate *rate, uint32_t frame_len)
{
	if (rate->packets)
		return 1;
	return frame_wire_bits(frame_len);
}

static void
advance(struct feed_port *p, struct feed_input *in)
{
	if (p->rate != NULL)
		p->units += feed_units(p->rate, in->capture->frame[in->next].len);
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

		if (in == NULL || arrival_ns(f, p, in) > now || !put_one(f, p, in))
			break;
		advance(p, in);
		n++;
	}
	if (p->due_ns <= now)
		p->due_ns = now + FEED_TURN_NS;
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
	f->n_starved += f->starved;
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

/* Frames of the port wait in its rings: when the node may take some. */
static uint64_t
poll_ns(const struct feed *f, const struct feed_port *p, uint64_t now, bool moved)
{
	uint64_t turns = (pace_wait_ns(f, p) + FEED_TURN_NS - 1) / FEED_TURN_NS;

	if (turns == 0 && moved && p->clock != FEED_BURSTS)
		return now;
	return now + RTE_MAX(turns, UINT64_C(1)) * FEED_TURN_NS;
}

static uint64_t
port_next_ns(const struct feed *f, const struct feed_port *p, uint64_t now, bool moved)
{
	uint64_t waiting = port_in_flight(f, p), next = UINT64_MAX;
	const struct feed_input *in = f->ended ? NULL : pick(f, p);

	if (waiting != 0)
		next = poll_ns(f, p, now, moved);
	/* bursts come when the one before is gone */
	if (in != NULL && (waiting == 0 || (p->clock != FEED_BURSTS && waiting < f->burst))) {
		uint64_t at = arrival_ns(f, p, in);

		if (at <= now)
			at = moved && !f->starved ? now : now + FEED_TURN_NS;
		next = RTE_MIN(next, at);
	}
	return next;
}

uint64_t
feed_next_ns(const struct feed *f, uint64_t now, bool moved)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < f->n_ports; i++)
		next = RTE_MIN(next, port_next_ns(f, &f->port[i], now, moved));
	return next;
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
