/* SPDX-License-Identifier: BSD-3-Clause */
/* The shaper's rate as a time a byte. What a packet pays for is in shaper.h. */
#include "qos/shaper.h"

#include <errno.h>

int
qos_shaper_init(struct qos_shaper *s, uint64_t rate_bps, bool l2, uint64_t now)
{
	unsigned __int128 byte = (unsigned __int128)(8 * PS_PER_S) << QOS_PER_BYTE_SHIFT;

	if (rate_bps < QOS_RATE_MIN || rate_bps > QOS_RATE_MAX)
		return -ERANGE;
	s->tat_ps = now;
	s->tolerance_ps = QOS_SHAPER_TOLERANCE_PS;
	s->ps_per_byte = (uint64_t)((byte + rate_bps / 2) / rate_bps);
	s->overhead = l2 ? QOS_OVERHEAD_L2 : QOS_OVERHEAD_L1;
	s->urgent_ps = s->tolerance_ps + qos_shaper_cost(s, QOS_FRAME_MAX);
	return 0;
}
