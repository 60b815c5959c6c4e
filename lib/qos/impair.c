/* SPDX-License-Identifier: BSD-3-Clause */
/* Seeded harm. stage_egress draws for each frame that enters a delay line. */
#include "qos/impair.h"

#include <errno.h>
#include <string.h>

#include "base/ps.h"

#define PPB       1000000000u
#define NS_MAX    (UINT64_C(60) * 1000000000)
#define N_CHANCES QOS_IMPAIR_BIT

int
qos_impair_init(
	struct qos_impair *i, const struct qos_impair_conf *conf, uint64_t seed, uint64_t now)
{
	const uint32_t ppb[N_CHANCES] = {
		[QOS_IMPAIR_LOSS] = conf->loss_ppb,
		[QOS_IMPAIR_CORRUPT] = conf->corrupt_ppb,
		[QOS_IMPAIR_DUPLICATE] = conf->duplicate_ppb,
		[QOS_IMPAIR_REORDER] = conf->reorder_ppb,
	};

	if (conf->jitter_ns > NS_MAX || conf->reorder_ns > NS_MAX)
		return -EINVAL;
	for (unsigned int k = 0; k < N_CHANCES; k++)
		if (ppb[k] > PPB)
			return -EINVAL;
	qos_impair_seed(i, seed);
	for (unsigned int k = 0; k < N_CHANCES; k++)
		i->chance[k] = ppb[k] == PPB ? UINT64_MAX
					     : (uint64_t)(((unsigned __int128)ppb[k] << 64) / PPB);
	i->jitter_ps = conf->jitter_ns * PS_PER_NS;
	i->reorder_ps = conf->reorder_ns * PS_PER_NS;
	i->last_ps[0] = i->last_ps[1] = now;
	return 0;
}

void
qos_impair_adopt(struct qos_impair *i, const struct qos_impair *from)
{
	memcpy(i->chance, from->chance, sizeof(i->chance));
	i->jitter_ps = from->jitter_ps;
	i->reorder_ps = from->reorder_ps;
}

void
qos_impair_seed(struct qos_impair *i, uint64_t seed)
{
	struct rng seeds;

	rng_init(&seeds, seed);
	for (unsigned int k = 0; k < QOS_IMPAIR_N; k++)
		rng_init(&i->rng[k], rng_next(&seeds));
}

static bool
hit(struct qos_impair *i, enum qos_impair_kind kind)
{
	return i->chance[kind] != 0 && rng_next(&i->rng[kind]) < i->chance[kind];
}

struct qos_impair_verdict
qos_impair_draw(struct qos_impair *i)
{
	struct qos_impair_verdict v = {
		.drop = hit(i, QOS_IMPAIR_LOSS),
		.corrupt = hit(i, QOS_IMPAIR_CORRUPT),
		.duplicate = hit(i, QOS_IMPAIR_DUPLICATE),
		.reorder = hit(i, QOS_IMPAIR_REORDER),
	};

	if (v.corrupt)
		v.corrupt_bit = (uint32_t)(rng_next(&i->rng[QOS_IMPAIR_BIT]) >> 32);
	if (i->jitter_ps != 0)
		v.extra_ps = rng_below(&i->rng[QOS_IMPAIR_JITTER], i->jitter_ps + 1);
	if (v.reorder)
		v.extra_ps += i->reorder_ps;
	return v;
}

uint64_t
qos_impair_release(struct qos_impair *i, bool reorder, bool behind, uint64_t at_ps)
{
	uint64_t *last = &i->last_ps[reorder];

	*last = at_ps + (behind ? ps_ahead(*last, at_ps) : 0);
	return *last;
}
