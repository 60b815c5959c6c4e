/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reassembly's hands: from frames to payloads, from payloads to packets. Bytes stay where they are;
 * only lengths and links change, so an indirect segment does as well as a direct one.
 */
#include <rte_mbuf.h>

#include "cell/reasm_table.h"

/* What the device said about the cell's frame says nothing about the packet. */
#define FLAGS_KEPT (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)

/* Frees the head segment of a chain that goes on behind it. */
static struct rte_mbuf *
without_head(struct rte_mbuf *m)
{
	struct rte_mbuf *next = m->next;

	next->pkt_len = m->pkt_len;
	next->nb_segs = (uint16_t)(m->nb_segs - 1);
	next->port = m->port;
	m->next = NULL;
	m->nb_segs = 1;
	rte_pktmbuf_free_seg(m);
	return next;
}

/* Of a chain: `payload_len` bytes and no empty segment remain. */
static void
trim_chain(struct rte_mbuf *m, uint16_t payload_len)
{
	uint32_t left = payload_len;

	for (struct rte_mbuf *seg = m, **link = NULL; seg != NULL; seg = *link) {
		if (left != 0 && seg->data_len != 0) {
			seg->data_len = (uint16_t)RTE_MIN(left, (uint32_t)seg->data_len);
			left -= seg->data_len;
			link = &seg->next;
			continue;
		}
		*link = seg->next; /* never the first: it is not empty */
		m->nb_segs--;
		rte_pktmbuf_free_seg(seg);
	}
}

struct rte_mbuf *
reasm_payload(struct rte_mbuf *m, uint16_t payload_len)
{
	m->data_off += CELL_PREFIX_LEN;
	m->data_len -= CELL_PREFIX_LEN;
	while (unlikely(m->data_len == 0) && m->next != NULL)
		m = without_head(m);
	m->ol_flags &= FLAGS_KEPT;
	m->packet_type = 0;
	m->pkt_len = payload_len;
	if (likely(m->next == NULL))
		m->data_len = payload_len;
	else
		trim_chain(m, payload_len);
	return m;
}

void
reasm_join(struct reasm_slot *slot)
{
	struct rte_mbuf *head = slot->cell[0], *last = rte_pktmbuf_lastseg(head);

	for (unsigned int i = 1; i < slot->n_fragments; i++) {
		struct rte_mbuf *m = slot->cell[i];

		last->next = m;
		last = rte_pktmbuf_lastseg(m);
		head->nb_segs = (uint16_t)(head->nb_segs + m->nb_segs);
	}
	head->pkt_len = slot->packet_len;
}

void
reasm_free_cells(struct reasm_slot *slot)
{
	for (uint64_t seen = slot->seen; seen != 0; seen &= seen - 1)
		rte_pktmbuf_free(slot->cell[__builtin_ctzll(seen)]);
}
