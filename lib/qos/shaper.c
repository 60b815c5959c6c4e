/* SPDX-License-Identifier: BSD-3-Clause */
/* The shaper's rate as a time a byte. What a packet pays for is in shaper.h. */
#include "qos/shaper.h"

#include <errno.h>

int
qos_rate_init(struct qos_rate *r, uint64_t rate_bps, bool l2)
{
	unsigned __int128 byte = (unsigned __int128)(8 * PS_PER_S) << QOS_PER_BYTE_SHIFT;

	if (rate_bps < QOS_RATE_MIN || rate_bps > QOS_RATE_MAX)
		return -ERANGE;
	r->tolerance_ps = QOS_SHAPER_TOLERANCE_PS;
	r->ps_per_byte = (uint64_t)((byte + rate_bps / 2) / rate_bps);
	r->overhead = l2 ? QOS_OVERHEAD_L2 : QOS_OVERHEAD_L1;
	r->urgent_ps = r->tolerance_ps + qos_rate_cost(r, QOS_FRAME_MAX);
	return 0;
}
