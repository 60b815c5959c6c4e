/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which member of a hyper port the next frame takes: of those that may, the one that has sent least
 * for its weight. Bytes count, not frames, so that long ones do not all meet on one member.
 *
 * A member that could not send for a while (it was dead, paused, its buffer full) makes up for
 * HYPER_SHARE_SLACK bytes of it at most: what it missed beyond that is over.
 *
 * Owner: the worker that sends for the hyper port.
 */
#ifndef HYPER_SHARE_H
#define HYPER_SHARE_H

#include <stdint.h>

#define HYPER_MEMBERS_MAX 8u
/* What waits in a TX buffer of 256 small frames; a member whose device stops longer starts anew. */
#define HYPER_SHARE_SLACK 16384u

struct hyper_share {
	uint64_t served[HYPER_MEMBERS_MAX]; /* bytes x cost, modulo 2^64 */
	uint64_t floor;                     /* the furthest that one stood when it was chosen */
	uint32_t cost[HYPER_MEMBERS_MAX];   /* of a byte: 2^16 at the heaviest, more at others */
	uint32_t n;
};

/*
 * `n` members, 1..HYPER_MEMBERS_MAX, with weights in any unit. One of less than 1/65535 of the
 * heaviest, 0 too, counts as that. Control thread.
 */
void hyper_share_init(struct hyper_share *s, const uint64_t *weight, unsigned int n);

/* The member that is next among those of `mask`; -1: none is in it. Worker. */
static inline int
hyper_share_pick(struct hyper_share *s, uint32_t mask)
{
	const int64_t slack = -((int64_t)HYPER_SHARE_SLACK << 16);
	int best = -1;

	for (unsigned int i = 0; i < s->n; i++) {
		if (!(mask >> i & 1))
			continue;
		if ((int64_t)(s->served[i] - s->floor) < slack)
			s->served[i] = s->floor + (uint64_t)slack;
		if (best < 0 || (int64_t)(s->served[i] - s->served[best]) < 0)
			best = (int)i;
	}
	return best;
}

/* The member that was picked sent `bytes`, below 2^16. Worker. */
static inline void
hyper_share_charge(struct hyper_share *s, unsigned int i, uint32_t bytes)
{
	if ((int64_t)(s->served[i] - s->floor) > 0)
		s->floor = s->served[i];
	s->served[i] += (uint64_t)bytes * s->cost[i];
}

#endif
