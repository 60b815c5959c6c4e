/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joining the first segments of a packet, for devices that hand frames out in small pieces. The
 * parser comes here before it looks at a segmented packet; whole frames never do.
 */
#include <errno.h>
#include <string.h>

#include "pkt/parse.h"

/*
 * Bytes move behind the first segment's data, so its room must be ours alone; and the segments that
 * they leave change, so somebody else's view of those must not exist either.
 */
static int
check_room(const struct rte_mbuf *m, uint32_t target)
{
	uint32_t have = m->data_len;

	if (!RTE_MBUF_DIRECT(m) || rte_mbuf_refcnt_read(m) != 1)
		return -ENOSPC;
	if ((uint32_t)(m->buf_len - m->data_off) < target)
		return -ENOSPC;
	for (const struct rte_mbuf *seg = m->next; have < target; seg = seg->next) {
		if (seg == NULL || rte_mbuf_refcnt_read(seg) != 1)
			return -ENOSPC;
		have += seg->data_len;
	}
	return 0;
}

int
pkt_pullup(struct rte_mbuf *m, uint16_t want)
{
	uint32_t target = RTE_MIN(rte_pktmbuf_pkt_len(m), (uint32_t)want);

	if (m->data_len >= target)
		return 0;
	if (check_room(m, target) != 0)
		return -ENOSPC;
	while (m->data_len < target) {
		struct rte_mbuf *seg = m->next;
		uint16_t n = (uint16_t)RTE_MIN(target - m->data_len, (uint32_t)seg->data_len);

		memcpy(rte_pktmbuf_mtod_offset(m, uint8_t *, m->data_len),
			rte_pktmbuf_mtod(seg, const uint8_t *), n);
		m->data_len += n;
		seg->data_off += n;
		seg->data_len -= n;
		if (seg->data_len == 0) {
			m->next = seg->next;
			m->nb_segs--;
			rte_pktmbuf_free_seg(seg);
		}
	}
	return 0;
}
