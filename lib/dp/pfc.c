/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Priority pause: stage_ingress brings the frames that came in, worker_turn() asks once a turn
 * whether one must go out. Those go past all queues, straight to the device.
 */
#include "dp/pfc.h"

#include "dp/stage.h"
#include "wire/pfc.h"

/* One frame more, and one more of each class that it names. */
static void
count(uint64_t *frames, uint64_t by_class[DP_CLASSES], uint8_t vector)
{
	__atomic_fetch_add(frames, 1, __ATOMIC_RELAXED);
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (vector >> c & 1)
			__atomic_fetch_add(&by_class[c], 1, __ATOMIC_RELAXED);
}

void
pfc_receive(struct worker *w, uint16_t port_idx, const struct rte_mbuf *m)
{
	struct egress_commons *commons = &w->shared->commons[port_idx];
	uint8_t honoured = w->snapshot->egress[port_idx]->pfc;
	struct pfc pfc;

	/* the parser looked at the first segment too */
	if (!pfc_parse(rte_pktmbuf_mtod(m, const uint8_t *), rte_pktmbuf_data_len(m), &pfc))
		return;
	count(&commons->pfc_in, commons->pfc_class_in, pfc.vector);
	qos_pause_apply(&commons->pause, w->now_ps, pfc.vector & honoured, pfc.quanta);
}

/* One frame, straight to the device; false: it takes none now, or there is no buffer. */
static bool
send_frame(struct worker *w, uint16_t port_idx, uint8_t vector, const uint16_t *quanta)
{
	struct egress_commons *commons = &w->shared->commons[port_idx];
	struct worker_tx *tx = &w->tx[port_idx];
	struct rte_mbuf *m = rte_pktmbuf_alloc(w->shared->pool);
	uint8_t *frame;

	if (m == NULL)
		return false;
	frame = (uint8_t *)rte_pktmbuf_append(m, PFC_FRAME_LEN);
	if (frame != NULL) {
		pfc_build(frame, tx->port->mac, vector, quanta);
		if (port_tx(tx->port, tx->queue, &m, 1) == 1) {
			count(&commons->pfc_out, commons->pfc_class_out, vector);
			return true;
		}
	}
	rte_pktmbuf_free(m);
	return false;
}

/* By each live member of a hyper port; false: one takes none now, and all are told again. */
static bool
send_frames(struct worker *w, uint16_t port_idx, uint8_t vector, const uint16_t *quanta)
{
	const struct dp_hyper *h;
	bool all = true;

	if (likely(port_idx < w->n_ports))
		return send_frame(w, port_idx, vector, quanta);
	h = hyper_of(w, port_idx);
	for (uint16_t i = 0; i < h->n_members; i++)
		if (alive_test(&w->shared->alive, h->member[i]))
			all &= send_frame(w, h->member[i], vector, quanta);
	return all;
}

/* XOFF and XON of all classes that want one, in one frame. */
static void
generate(struct worker *w, uint16_t port_idx)
{
	const struct egress_policy *policy = w->snapshot->egress[port_idx];
	struct egress_commons *commons = &w->shared->commons[port_idx];
	uint16_t quanta[PFC_CLASSES] = {0};
	uint8_t vector = 0;

	for (unsigned int c = 0; c < DP_CLASSES; c++) {
		enum qos_xoff_say say = QOS_XOFF_NOTHING;

		if (policy->pfc >> c & 1)
			say = qos_xoff_turn(&commons->xoff[c], w->now_ps);
		else if (unlikely(commons->ending >> c & 1))
			say = qos_xoff_end(&commons->xoff[c]);
		if (say == QOS_XOFF_NOTHING)
			continue;
		vector |= (uint8_t)(1u << c);
		quanta[c] = say == QOS_XOFF_SEND_XOFF ? policy->quanta : 0;
	}
	if (vector == 0)
		return;
	if (send_frames(w, port_idx, vector, quanta)) {
		commons->ending &= (uint8_t)~vector;
		return;
	}
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		if (vector >> c & 1)
			qos_xoff_unsaid(&commons->xoff[c], w->now_ps);
}

/* Pauses end with the link at both ends: a peer that is back is told at once, not with the refresh.
 */
static void
look_at_link(struct worker *w, uint16_t port_idx)
{
	struct egress_commons *commons = &w->shared->commons[port_idx];
	bool up = alive_test(&w->shared->alive, port_idx);

	for (unsigned int c = 0; up && !commons->was_up && c < DP_CLASSES; c++)
		qos_xoff_again(&commons->xoff[c], w->now_ps);
	commons->was_up = up;
}

/* A member that is back, and has not been told what stands at its hyper port. */
static void
look_at_members(struct worker *w, uint16_t way)
{
	const struct dp_hyper *h = hyper_of(w, way);

	for (uint16_t i = 0; i < h->n_members; i++) {
		bool up = alive_test(&w->shared->alive, h->member[i]);

		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (up && !w->shared->commons[h->member[i]].was_up)
				qos_xoff_again(&w->shared->commons[way].xoff[c], w->now_ps);
		w->shared->commons[h->member[i]].was_up = up;
	}
}

uint8_t
pfc_paused(const struct worker *w, uint16_t port_idx, uint64_t now)
{
	uint8_t pfc = w->snapshot->egress[port_idx]->pfc;

	if (unlikely(port_idx >= w->n_ports))
		return hyper_paused(w, port_idx, now) & pfc;
	return qos_pause_mask(&w->shared->commons[port_idx].pause, now) & pfc;
}

static void
watch(struct worker *w, uint16_t port_idx)
{
	struct egress_commons *commons = &w->shared->commons[port_idx];
	uint8_t backlog = 0, sent;

	if (commons->storm.detect_ps == 0) /* no watchdog */
		return;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		backlog |= (uint8_t)((egress_backlog(commons, c) != 0) << c);
	sent = __atomic_exchange_n(&commons->sent, 0, __ATOMIC_RELAXED);
	qos_storm_turn(
		&commons->storm, w->now_ps, pfc_paused(w, port_idx, w->now_ps), backlog, sent);
}

void
pfc_turn(struct worker *w)
{
	for (uint16_t i = 0; i < w->snapshot->n_pfc_ports; i++) {
		if (likely(w->snapshot->pfc_port[i] < w->n_ports))
			look_at_link(w, w->snapshot->pfc_port[i]);
		else
			look_at_members(w, w->snapshot->pfc_port[i]);
		generate(w, w->snapshot->pfc_port[i]);
		watch(w, w->snapshot->pfc_port[i]);
	}
}

/* The watchdog's times, and the classes that it has to do with. */
static void
adopt_storm(struct worker *w, const struct egress_policy *policy, struct qos_storm *storm)
{
	if (storm->detect_ps == 0)
		storm->last_ps = w->now_ps; /* it was not asked for a while */
	if (policy->detect_ms != 0)
		qos_storm_set(storm, policy->detect_ms, policy->restore_ms);
	else
		storm->detect_ps = 0;
	qos_storm_keep(storm, policy->detect_ms != 0 ? policy->pfc : 0);
}

void
pfc_adopt(struct worker *w)
{
	const struct snapshot *s = w->snapshot;

	for (uint16_t i = 0; i < s->n_pfc_ports; i++) {
		const struct egress_policy *policy = s->egress[s->pfc_port[i]];
		struct egress_commons *commons = &w->shared->commons[s->pfc_port[i]];

		for (unsigned int c = 0; c < DP_CLASSES; c++) {
			uint8_t bit = (uint8_t)(1u << c);

			if (policy->pfc & bit) {
				qos_xoff_set(&commons->xoff[c], policy->xoff, policy->xon);
				commons->ending &= (uint8_t)~bit;
			} else if (commons->xoff[c].off) {
				commons->ending |= bit;
			}
		}
		adopt_storm(w, policy, &commons->storm);
	}
}

bool
pfc_is_busy(const struct worker *w)
{
	for (uint16_t i = 0; i < w->snapshot->n_pfc_ports; i++) {
		const struct egress_commons *m = &w->shared->commons[w->snapshot->pfc_port[i]];

		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if (m->xoff[c].off || qos_xoff_held(&m->xoff[c]) != 0)
				return true;
	}
	return false;
}
