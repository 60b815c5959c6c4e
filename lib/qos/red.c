/* SPDX-License-Identifier: BSD-3-Clause */
/* Marking curves and phantom queues from a configuration's figures. The draws are in red.h. */
#include "qos/red.h"

#include <errno.h>

#include "qos/shaper.h"

int
qos_red_init(struct qos_red *r, uint64_t kmin, uint64_t kmax, uint32_t pmax_ppm)
{
	unsigned __int128 pmax64, slope;

	if (kmin > kmax || pmax_ppm > 1000000)
		return -EINVAL;
	*r = (struct qos_red){.kmin = kmin, .kmax = kmax};
	if (kmax == 0)
		r->kmin = r->kmax = UINT64_MAX;
	if (r->kmin == r->kmax)
		return 0;
	/* rounded up, so that the chance at kmax is pmax and not a little less */
	pmax64 = ((unsigned __int128)pmax_ppm << 64) / 1000000;
	slope = (pmax64 + (kmax - kmin) - 1) / (kmax - kmin);
	r->slope = slope > UINT64_MAX ? UINT64_MAX : (uint64_t)slope;
	return 0;
}

int
qos_drain_init(struct qos_drain *d, uint64_t rate_bps, uint32_t permille, uint64_t cap_bytes)
{
	unsigned __int128 byte_ps = (unsigned __int128)(8 * PS_PER_S) << QOS_PHANTOM_SHIFT, cap;
	uint64_t drain = (uint64_t)((unsigned __int128)rate_bps * permille / 1000);

	if (permille == 0 || permille > 1000 || drain < QOS_RATE_MIN || drain > QOS_RATE_MAX)
		return -ERANGE;
	d->ps_per_byte = (uint64_t)((byte_ps + drain / 2) / drain);
	/* rounded up: a time that is a whole number of bytes comes back as that number */
	d->bytes_per_ps = (uint64_t)(((unsigned __int128)drain << 64) / (8 * PS_PER_S)) + 1;
	cap = (unsigned __int128)cap_bytes * d->ps_per_byte >> QOS_PHANTOM_SHIFT;
	d->cap_ps = cap > QOS_PHANTOM_CAP_MAX_PS ? QOS_PHANTOM_CAP_MAX_PS : (uint64_t)cap;
	return 0;
}
