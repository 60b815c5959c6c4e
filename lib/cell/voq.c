/* SPDX-License-Identifier: BSD-3-Clause */
/* When a VOQ asks, and what it learns from the answers. What a packet pays for is in voq.h. */
#include "cell/voq.h"

/* 16 KiB doubled so often is more than any queue holds. */
#define UNANSWERED_MAX 15u

/* VOQ_WAIT_MIN_PS doubled so often is above VOQ_WAIT_MAX_PS. */
#define BACKOFF_MAX 9u

/* A grant that took so long moves the estimate by an eighth (RFC 6298 has the same gain). */
#define RTT_SHIFT 3u

static void
begin(struct voq *v, uint64_t now)
{
	v->wanted = v->granted = v->sent = v->asked = 0;
	v->ask_ps = v->since_ps = v->timer_ps = v->credit_ps = now;
	v->n_unanswered = v->backoff = 0;
	v->repeated = false;
}

void
voq_init(struct voq *v, uint32_t session, uint32_t packet_id, uint32_t credit_bytes, bool push,
	uint64_t now)
{
	*v = (struct voq){
		.session = session,
		.packet_id = packet_id,
		.credit_bytes = credit_bytes,
		.sync = true,
		.push = push,
	};
	begin(v, now);
}

bool
voq_drop(struct pkt_chunks *pool, struct voq *v, struct pkt_rec *ret_rec)
{
	if (!pkt_fifo_pop(pool, &v->fifo, ret_rec))
		return false;
	v->sent += voq_bytes(ret_rec->len);
	if (v->fifo.n == 0 && v->sent > v->granted && !v->push) {
		begin(v, v->timer_ps);
		v->session++;
		v->renewed = true;
	}
	return true;
}

static uint64_t
wait_ps(const struct voq *v)
{
	uint64_t wait =
		v->rtt_ps == 0 ? VOQ_WAIT_FIRST_PS : RTE_MAX(2 * v->rtt_ps, VOQ_WAIT_MIN_PS);

	return RTE_MIN(wait << v->backoff, VOQ_WAIT_MAX_PS);
}

static bool
asks_first(const struct voq *v)
{
	return v->asked <= v->granted;
}

static bool
asks_more(const struct voq *v)
{
	return v->wanted - v->asked >= (uint64_t)v->credit_bytes << v->n_unanswered;
}

/* How long until a REQUEST is due; UINT64_MAX: there is nothing to ask for. */
static uint64_t
ask_in_ps(const struct voq *v, uint64_t now)
{
	if (v->renewed)
		return 0;
	if (v->push || v->fifo.n == 0 || v->wanted <= v->granted)
		return UINT64_MAX;
	if (asks_first(v) || asks_more(v))
		return 0;
	return RTE_MIN(ps_ahead(v->timer_ps + wait_ps(v), now),
		ps_ahead(v->ask_ps + VOQ_WAIT_MAX_PS, now));
}

bool
voq_ask(struct voq *v, uint64_t now, struct cell_request *ret_request)
{
	if (ask_in_ps(v, now) != 0)
		return false;
	if (asks_first(v)) {
		v->since_ps = now;
		v->repeated = false;
	} else if (!asks_more(v) && ps_ahead(v->timer_ps + wait_ps(v), now) == 0) {
		v->repeated = true;
		v->backoff = RTE_MIN(v->backoff + 1u, BACKOFF_MAX);
	}
	v->n_unanswered = RTE_MIN(v->n_unanswered + 1u, UNANSWERED_MAX);
	v->ask_ps = v->timer_ps = now;
	v->asked = v->wanted;
	v->renewed = false;
	*ret_request = (struct cell_request){
		.session = v->session,
		.wanted = v->wanted,
		.granted = v->granted,
	};
	return true;
}

/*
 * An answer after a repeat may be that to either, so it measures nothing and the longer wait stays
 * until one comes that does (Karn, Partridge: Improving round-trip time estimates in reliable
 * transport protocols, SIGCOMM 1987).
 */
static void
learn(struct voq *v, uint64_t took_ps)
{
	if (v->repeated)
		return;
	took_ps = RTE_MIN(took_ps, VOQ_WAIT_MAX_PS);
	if (v->rtt_ps == 0)
		v->rtt_ps = took_ps;
	else
		v->rtt_ps += (took_ps >> RTT_SHIFT) - (v->rtt_ps >> RTT_SHIFT);
	v->backoff = 0;
}

bool
voq_grant(struct voq *v, const struct cell_grant *g, uint64_t now)
{
	if (g->session != v->session || g->granted <= v->granted || g->granted > v->wanted)
		return false;
	learn(v, now - v->since_ps);
	v->granted = g->granted;
	v->n_unanswered = 0;
	v->repeated = false;
	v->since_ps = v->timer_ps = v->credit_ps = now;
	return true;
}

bool
voq_stalled(struct voq *v, uint64_t now, uint64_t watchdog_ps, bool reachable)
{
	if (v->fifo.n == 0 || (reachable && voq_head(v) != NULL)) {
		v->credit_ps = now;
		return false;
	}
	return watchdog_ps != 0 && ps_reached(v->credit_ps + watchdog_ps, now);
}

uint64_t
voq_next_ps(const struct voq *v, uint64_t now)
{
	uint64_t in_ps = ask_in_ps(v, now);

	return in_ps == UINT64_MAX ? UINT64_MAX : now + in_ps;
}
