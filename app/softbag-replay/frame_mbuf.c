/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a capture become packets of the node. feed.c calls this for each. */
#include "frame_mbuf.h"

#include <string.h>

#include "nhg/hash_inl.h"
#include "pkt/parse.h"
#include "wire/ip.h"

/* Any number that no node's groups hash with by default: queue and member are then independent. */
#define STEER_SEED UINT64_C(0x51ee5)

struct rte_mbuf *
frame_to_mbuf(struct rte_mempool *pool, const uint8_t *bytes, uint32_t len, uint32_t segment_len)
{
	struct rte_mbuf *head = rte_pktmbuf_alloc(pool), *tail = head;
	uint32_t done = 0;

	while (tail != NULL) {
		uint32_t n = RTE_MIN(len - done, segment_len);

		if (n != 0)
			memcpy(rte_pktmbuf_mtod(tail, uint8_t *), bytes + done, n);
		tail->data_len = (uint16_t)n;
		done += n;
		if (done == len) {
			head->pkt_len = len;
			return head;
		}
		tail->next = rte_pktmbuf_alloc(pool);
		if (tail->next != NULL)
			head->nb_segs++;
		tail = tail->next;
	}
	rte_pktmbuf_free(head);
	return NULL;
}

uint32_t
frame_flow_hash(const uint8_t *bytes, uint32_t len)
{
	const struct parse_policy any = {.promiscuous = true};
	struct pkt_meta meta;
	/* the capture itself as a packet of one segment: the parser writes into segmented ones only
	 */
	struct rte_mbuf m = {
		.buf_addr = (void *)(uintptr_t)bytes,
		.data_len = (uint16_t)RTE_MIN(len, (uint32_t)UINT16_MAX),
		.pkt_len = len,
		.nb_segs = 1,
	};

	if (pkt_parse(&m, &any, &meta) != 0)
		return 0;
	return nhg_hash_finish(meta.flow[0], STEER_SEED);
}
