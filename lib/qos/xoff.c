/* SPDX-License-Identifier: BSD-3-Clause */
/* When to stop a sender and when to let it go on. */
#include "qos/xoff.h"

#include <errno.h>

#include "base/ps.h"

uint64_t
qos_xoff_repeat_ps(uint64_t pause_ps, uint64_t quantum_ps)
{
	uint64_t least = RTE_MAX(QOS_XOFF_LEAST_PS, QOS_XOFF_LEAST_QUANTA * quantum_ps);

	return RTE_MAX(pause_ps / 4, least);
}

int
qos_xoff_init(struct qos_xoff *x, uint64_t xoff_bytes, uint64_t xon_bytes, uint64_t repeat_ps)
{
	if (xon_bytes > xoff_bytes || xoff_bytes > UINT64_C(1) << 62 || repeat_ps == 0)
		return -EINVAL;
	*x = (struct qos_xoff){
		.xoff_bytes = (int64_t)xoff_bytes,
		.xon_bytes = (int64_t)xon_bytes,
		.repeat_ps = repeat_ps,
	};
	return 0;
}

int
qos_xoff_set(struct qos_xoff *x, uint64_t xoff_bytes, uint64_t xon_bytes)
{
	if (xon_bytes > xoff_bytes || xoff_bytes > UINT64_C(1) << 62)
		return -EINVAL;
	x->xoff_bytes = (int64_t)xoff_bytes;
	x->xon_bytes = (int64_t)xon_bytes;
	return 0;
}

enum qos_xoff_say
qos_xoff_end(struct qos_xoff *x)
{
	if (!x->off)
		return QOS_XOFF_NOTHING;
	x->off = false;
	return QOS_XOFF_SEND_XON;
}

void
qos_xoff_repeat(struct qos_xoff *x, uint64_t repeat_ps)
{
	__atomic_store_n(&x->repeat_ps, repeat_ps, __ATOMIC_RELAXED);
}

enum qos_xoff_say
qos_xoff_turn(struct qos_xoff *x, uint64_t now)
{
	int64_t held = qos_xoff_held(x);

	if (!x->off && held <= x->xoff_bytes)
		return QOS_XOFF_NOTHING;
	if (x->off && held <= x->xon_bytes) {
		x->off = false;
		return QOS_XOFF_SEND_XON;
	}
	if (x->off && !ps_reached(x->refresh_ps, now))
		return QOS_XOFF_NOTHING;
	x->off = true;
	x->refresh_ps = now + __atomic_load_n(&x->repeat_ps, __ATOMIC_RELAXED);
	return QOS_XOFF_SEND_XOFF;
}

void
qos_xoff_unsaid(struct qos_xoff *x, uint64_t now)
{
	/* an XON when it is due, else an XOFF: both come from the state "told to stop" */
	x->off = true;
	x->refresh_ps = now;
}

void
qos_xoff_again(struct qos_xoff *x, uint64_t now)
{
	if (x->off)
		x->refresh_ps = now;
}
