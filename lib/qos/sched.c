/* SPDX-License-Identifier: BSD-3-Clause */
/* Strict priority and deficit weighted round robin. stage_egress asks, then sends and charges. */
#include "qos/sched.h"

#include <string.h>

#include "base/bits.h"

void
qos_sched_init(struct qos_sched *s, const uint16_t weight[QOS_CLASSES])
{
	uint32_t lightest = UINT16_MAX, heaviest = 1, scale;

	*s = (struct qos_sched){.strict = 0};
	for (unsigned int c = 0; c < QOS_CLASSES; c++) {
		if (weight[c] != 0 && weight[c] < lightest)
			lightest = weight[c];
		if (weight[c] > heaviest)
			heaviest = weight[c];
	}
	/* a whole scale: the ratios of the weights stay exact */
	scale = heaviest > QOS_QUANTUM_MAX ? 1 : QOS_QUANTUM_MAX / heaviest;
	if (lightest * scale < 2)
		scale = 2; /* the inverse of 1 has 33 bits */
	for (unsigned int c = 0; c < QOS_CLASSES; c++) {
		if (weight[c] == 0) {
			s->strict |= (uint8_t)(1u << c);
			continue;
		}
		s->quantum[c] = weight[c] * scale;
		s->inverse[c] = (uint32_t)((UINT64_C(1) << 32) / s->quantum[c] + 1);
	}
}

void
qos_sched_adopt(struct qos_sched *s, const struct qos_sched *weights)
{
	memcpy(s->quantum, weights->quantum, sizeof(s->quantum));
	memcpy(s->inverse, weights->inverse, sizeof(s->inverse));
	s->strict = weights->strict;
}

/*
 * Once round the classes, from the one after whose turn it was: each that cannot send its first
 * frame yet gets a quantum. The first that can has the turn.
 */
static int
one_round(struct qos_sched *s, uint8_t eligible, const uint32_t *head_len)
{
	for (unsigned int i = 1; i <= QOS_CLASSES; i++) {
		unsigned int c = (s->turn + i) % QOS_CLASSES;

		if (!(eligible >> c & 1))
			continue;
		if (s->deficit[c] < head_len[c])
			s->deficit[c] += s->quantum[c];
		if (s->deficit[c] >= head_len[c]) {
			s->turn = (uint8_t)c;
			return (int)c;
		}
	}
	return -1;
}

/*
 * Nobody can send after a round: all get as many quanta as the first to be able to needs, less the
 * one that the next round brings. The inverse is rounded up, so that may be one round too many; it
 * is for all of them, and their ratio stays.
 */
static void
skip_rounds(struct qos_sched *s, uint8_t eligible, const uint32_t *head_len)
{
	uint32_t rounds = UINT32_MAX;

	for (unsigned int c = 0; c < QOS_CLASSES; c++)
		if (eligible >> c & 1) {
			uint64_t need = head_len[c] - s->deficit[c] - 1;
			uint32_t n = (uint32_t)(need * s->inverse[c] >> 32);

			if (n < rounds)
				rounds = n;
		}
	for (unsigned int c = 0; c < QOS_CLASSES; c++)
		if (eligible >> c & 1)
			s->deficit[c] += rounds * s->quantum[c];
}

int
qos_sched_pick(struct qos_sched *s, uint8_t eligible, const uint32_t head_len[QOS_CLASSES])
{
	uint8_t strict = eligible & s->strict, shared = eligible & (uint8_t)~s->strict;
	int c;

	if (strict != 0)
		return 31 - __builtin_clz(strict);
	if (shared == 0)
		return -1;
	if ((shared & (shared - 1)) == 0) { /* alone: nobody to be fair to */
		s->turn = (uint8_t)bits_lowest(shared);
		return s->turn;
	}
	if (shared >> s->turn & 1 && s->deficit[s->turn] >= head_len[s->turn])
		return s->turn;
	c = one_round(s, shared, head_len);
	if (c < 0) {
		skip_rounds(s, shared, head_len);
		c = one_round(s, shared, head_len);
	}
	return c;
}
