/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  the frames of a burst from a member of a hyper port.
 * Sets:  takes those out that have its header: into the sequence, here or at the hyper port's
 *        owner. The others stay, packed: pauses, LLDP, plain packets.
 * Next:  stage_parse, for what stays; what is in order goes there too, by hyper_deliver().
 * Drops: hyper_short, hyper_late, hyper_duplicate, segments, handoff_full.
 */
#include "dp/stage.h"
#include "wire/hyper.h"

/* True when the frame has the header; *ret_reason is why it cannot be read all the same. */
static inline bool
has_header(const struct dp_hyper *h, struct rte_mbuf *m, enum drop_reason *ret_reason)
{
	*ret_reason = DROP_NONE;
	if (unlikely(rte_pktmbuf_data_len(m) < HYPER_PREFIX_LEN)) {
		if (rte_pktmbuf_pkt_len(m) < ETH_HDR_LEN)
			return false; /* the parser knows such frames */
		if (m->nb_segs > 1 && pkt_pullup(m, HYPER_PREFIX_LEN) != 0) {
			*ret_reason = DROP_segments;
			return true;
		}
	}
	if (wire_get16(rte_pktmbuf_mtod_offset(m, const uint8_t *, HYPER_OFF_TYPE)) != h->ethertype)
		return false;
	if (unlikely(rte_pktmbuf_pkt_len(m) < HYPER_PREFIX_LEN))
		*ret_reason = DROP_hyper_short;
	return true;
}

/* To the owner, with others of this burst; those that its ring does not take are dropped. */
static void
hand_over(struct dp_hyper *h, struct burst *b, struct rte_mbuf **m, uint16_t n)
{
	unsigned int sent = rte_ring_mp_enqueue_burst(h->in, (void *const *)m, n, NULL);

	for (; sent < n; sent++) {
		b->out_mbuf[b->n_out] = m[sent];
		b->out_verdict[b->n_out++] = verdict_drop(DROP_handoff_full);
	}
}

void
stage_hyper(struct worker *w, struct dp_hyper *h, struct burst *b)
{
	struct rte_mbuf *other[BURST_MAX];
	bool ours = h->worker == w->idx;
	uint16_t kept = 0, n_other = 0;

	for (unsigned int i = 0; i < b->n; i++) {
		struct rte_mbuf *m = b->mbuf[i];
		enum drop_reason reason;

		if (unlikely(!has_header(h, m, &reason))) {
			b->mbuf[kept++] = m;
			continue;
		}
		if (likely(reason == DROP_NONE && ours))
			reason = hyper_take(w, h, m);
		else if (reason == DROP_NONE)
			other[n_other++] = m;
		if (unlikely(reason != DROP_NONE)) {
			b->out_mbuf[b->n_out] = m;
			b->out_verdict[b->n_out++] = verdict_drop(reason);
		}
	}
	b->n = kept;
	if (n_other != 0)
		hand_over(h, b, other, n_other);
}
