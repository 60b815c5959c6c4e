/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames in and out of mbufs: whole, in segments, and without a pool. */
#include <string.h>

#include "packet.h"

struct rte_mbuf *
packet_mbuf(struct rte_mempool *pool, const uint8_t *frame, size_t len)
{
	return packet_chain(pool, frame, len, len == 0 ? 1 : len);
}

struct rte_mbuf *
packet_chain(struct rte_mempool *pool, const uint8_t *frame, size_t len, size_t seg_len)
{
	struct rte_mbuf *head = rte_pktmbuf_alloc(pool), *last = head;

	for (size_t at = 0; head != NULL && at < len;) {
		size_t n = RTE_MIN(seg_len, len - at);

		if (at > 0) {
			last->next = rte_pktmbuf_alloc(pool);
			last = last->next;
		}
		if (last == NULL || n > rte_pktmbuf_tailroom(last)) {
			rte_pktmbuf_free(head);
			return NULL;
		}
		memcpy(rte_pktmbuf_mtod(last, uint8_t *), frame + at, n);
		last->data_len = (uint16_t)n;
		head->pkt_len += (uint32_t)n;
		at += n;
		head->nb_segs = (uint16_t)(head->nb_segs + (at < len));
	}
	return head;
}

size_t
packet_read(const struct rte_mbuf *m, uint8_t *buf, size_t size)
{
	size_t len = m->pkt_len, at = 0;

	for (; m != NULL && at < size; m = m->next) {
		size_t n = RTE_MIN((size_t)m->data_len, size - at);

		memcpy(buf + at, rte_pktmbuf_mtod(m, const uint8_t *), n);
		at += n;
	}
	return len;
}

void
packet_wrap(struct rte_mbuf *m, void *bytes, size_t len)
{
	memset(m, 0, sizeof(*m));
	m->buf_addr = bytes;
	m->buf_len = (uint16_t)RTE_MIN(len, (size_t)UINT16_MAX);
	m->data_len = m->buf_len;
	m->pkt_len = (uint32_t)len;
	m->nb_segs = 1;
	m->refcnt = 1;
}
