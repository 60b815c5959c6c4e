/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells that are for this device, at the worker that they belong to, and packets out of them.
 * stage_cell comes here; a packet for the router goes on by pipeline.c as if it had come in by a
 * port, one for a system port to that port's queues.
 */
#include "dp/stage.h"
#include "flow/flow.h"
#include "pkt/remark_inl.h"
#include "wire/cell_ext.h"

int
fabric_system_find(const struct dp_fabric *f, uint16_t number)
{
	unsigned int low = 0, high = f->n_systems;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (f->system[mid].number == number)
			return (int)mid;
		if (f->system[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

/* The extension of a control cell, read through segments if need be. */
static const uint8_t *
extension(const struct rte_mbuf *m, const struct cell_header *h, uint8_t *buf)
{
	return rte_pktmbuf_read(m, CELL_PREFIX_LEN, h->payload_len, buf);
}

static enum drop_reason
take_request(struct worker *w, const struct cell_header *h, struct rte_mbuf *m)
{
	int system = fabric_system_find(w->shared->fabric, h->system_port);
	uint8_t buf[CELL_REQUEST_LEN];
	struct cell_request q;

	if (unlikely(system < 0 || w->fabric->credit[system] == NULL))
		return DROP_system_port;
	q = cell_read_request(extension(m, h, buf));
	credit_request(w->fabric->credit[system], h, &q, w->now_ps);
	w->fabric->requests_in++;
	return DROP_NONE;
}

static enum drop_reason
take_grant(struct worker *w, const struct cell_header *h, struct rte_mbuf *m)
{
	int dest = fabric_dest_find(w->shared->fabric, h->source, h->system_port);
	uint8_t buf[CELL_GRANT_LEN];
	struct cell_grant g;

	if (unlikely(dest < 0))
		return DROP_system_port;
	g = cell_read_grant(extension(m, h, buf));
	voq_grant(&w->fabric->voq[(unsigned int)dest * DP_CLASSES + h->class], &g, w->now_ps);
	w->fabric->grants_in++;
	return DROP_NONE;
}

enum drop_reason
fabric_take(struct worker *w, const struct cell_header *h, struct rte_mbuf *m)
{
	enum drop_reason reason;

	if (likely(h->type == CELL_DATA)) {
		if (unlikely(h->system_port != CELL_ROUTER_PORT &&
			     fabric_system_find(w->shared->fabric, h->system_port) < 0))
			return DROP_system_port;
		return reasm_put(w->fabric->reasm, h, m, w->now_ps);
	}
	reason = h->type == CELL_REQUEST ? take_request(w, h, m) : take_grant(w, h, m);
	if (likely(reason == DROP_NONE)) {
		rte_pktmbuf_free(m);
		w->counters->control_in++;
	}
	return reason;
}

/* A cell of the packet met a deep queue. The parser sees to it that this is an IP packet. */
static void
mark_congestion(struct worker *w, struct rte_mbuf *m)
{
	static const struct parse_policy any = {.promiscuous = true};
	struct pkt_meta meta;

	if (pkt_parse(m, &any, &meta) != 0)
		return;
	if ((meta.tos & 3) == IP_ECN_NOT_ECT || (meta.tos & 3) == IP_ECN_CE)
		return;
	remark_ce(meta.l3, meta.flags & PKT_IP6);
	w->counters->ce_marked++;
}

/* What stage_enqueue wants to know of a packet for a system port. What is no IP goes as it is. */
static void
describe(const struct fabric_system *s, const struct reasm_packet *p, struct pkt_meta *meta)
{
	static const struct parse_policy any = {.promiscuous = true};

	if (pkt_parse(p->m, &any, meta) != 0) {
		memset(meta, 0, sizeof(*meta));
		meta->l2_len = ETH_HDR_LEN;
		meta->l3 = rte_pktmbuf_mtod_offset(p->m, uint8_t *, ETH_HDR_LEN);
		meta->l3_len = (uint16_t)(rte_pktmbuf_pkt_len(p->m) - ETH_HDR_LEN);
		meta->flags = PKT_NO_IP;
	}
	meta->verdict = 0;
	meta->class = p->class;
	meta->flow_idx = FLOW_NONE; /* no stage_flow has seen it */
	meta->port_idx = s->port_idx;
	meta->mtu = s->mtu;
	meta->counter = s->counter;
}

/* Packets for system ports, to their queues. */
static void
deliver_system(struct worker *w, struct burst *b, const struct reasm_packet *p, uint16_t n)
{
	const struct dp_fabric *f = w->shared->fabric;

	b->n = 0;
	for (uint16_t i = 0; i < n; i++) {
		int system;

		if (p[i].system_port == CELL_ROUTER_PORT)
			continue;
		/* it was there when the first cell came */
		system = fabric_system_find(f, p[i].system_port);
		b->mbuf[b->n] = p[i].m;
		describe(&f->system[system], &p[i], &b->meta[b->n++]);
	}
	if (b->n != 0) {
		stage_enqueue(w, b);
		stage_drop(w, b);
	}
}

static void
deliver_router(struct worker *w, struct burst *b, const struct reasm_packet *p, uint16_t n)
{
	b->n = 0;
	for (uint16_t i = 0; i < n; i++)
		if (p[i].system_port == CELL_ROUTER_PORT)
			b->mbuf[b->n++] = p[i].m;
	if (b->n != 0)
		pipeline_packets(w, b);
}

void
fabric_deliver(struct worker *w, struct burst *b)
{
	struct reasm_packet p[BURST_MAX];
	uint16_t n;

	b->in_port_idx = w->shared->fabric->in_port_idx;
	while ((n = reasm_take(w->fabric->reasm, p, BURST_MAX)) != 0) {
		for (uint16_t i = 0; i < n; i++)
			if (unlikely(p[i].congestion))
				mark_congestion(w, p[i].m);
		w->counters->packets_joined += n;
		w->counters->cells_joined = reasm_stats(w->fabric->reasm)->cells;
		deliver_router(w, b, p, n);
		deliver_system(w, b, p, n);
		stage_egress(w);
	}
}

/* A cell from another worker, which has read its header before. */
static enum drop_reason
take_handed(struct worker *w, struct rte_mbuf *m)
{
	const uint8_t *p = rte_pktmbuf_mtod_offset(m, const uint8_t *, ETH_HDR_LEN);
	struct cell_header h;

	if (unlikely(cell_read(p, rte_pktmbuf_pkt_len(m) - ETH_HDR_LEN, &h) != CELL_OK))
		return DROP_cell_check;
	return fabric_take(w, &h, m);
}

void
fabric_turn(struct worker *w)
{
	struct rte_ring *ring = w->shared->fabric->handoff[w->idx];
	struct burst *b = &w->burst;

	b->n_out = 0;
	if (w->shared->n_workers > 1) {
		b->n = (uint16_t)rte_ring_sc_dequeue_burst(ring, (void **)b->mbuf, BURST_MAX, NULL);
		w->collected |= b->n != 0;
		for (uint16_t i = 0; i < b->n; i++) {
			enum drop_reason reason = take_handed(w, b->mbuf[i]);

			if (likely(reason == DROP_NONE))
				continue;
			b->out_mbuf[b->n_out] = b->mbuf[i];
			b->out_verdict[b->n_out++] = verdict_drop(reason);
		}
		stage_drop(w, b);
	}
	reasm_turn(w->fabric->reasm, w->now_ps);
	fabric_deliver(w, b);
	stage_fabric(w);
}

uint64_t
fabric_waiting(const struct worker *w)
{
	const struct dp_fabric *f = w->shared->fabric;
	uint64_t n = reasm_cells(w->fabric->reasm) + rte_ring_count(f->handoff[w->idx]);

	for (unsigned int v = 0; v < f->n_dests * DP_CLASSES; v++)
		n += __atomic_load_n(&w->fabric->voq[v].fifo.n, __ATOMIC_RELAXED);
	return n;
}
