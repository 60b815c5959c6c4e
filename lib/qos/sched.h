/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the 8 classes of a port sends next: strict ones first, the higher number before the
 * lower, then deficit weighted round robin (Shreedhar, Varghese: Efficient fair queueing using
 * deficit round robin, SIGCOMM 1995).
 *
 * The quanta are small, 512 bytes for the heaviest class: with one whole frame (9600) two classes
 * of 64-byte packets would take turns of 150, and their shares over 1000 packets be 10 % apart;
 * with 512 for the lightest, weights of 50 and 50 would take turns of 400 where a class without
 * traffic has weight 1. The price is that a long frame needs many rounds of credit; they are
 * granted in one step.
 *
 * Owner: the worker; one for each (worker, port). Shares between the workers of a port are theirs
 * by the shaper, not by this.
 */
#ifndef QOS_SCHED_H
#define QOS_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#define QOS_CLASSES 8u

/* Bytes a round for the heaviest class: a share is right to 8 of the shortest packets. */
#define QOS_QUANTUM_MAX 512u

struct qos_sched {
	uint32_t deficit[QOS_CLASSES]; /* bytes that a class may still send in its turn */
	uint32_t quantum[QOS_CLASSES]; /* 0: strict */
	uint32_t inverse[QOS_CLASSES]; /* 2^32 / quantum, rounded up; quanta are 2 at least */
	uint8_t strict;                /* a bit a class */
	uint8_t turn;                  /* the class whose turn it is */
};

/*
 * `weight[class]` 1..65535, 0 for a strict class. Weights count among themselves: 1:1 and 50:50 are
 * the same. Above 512 the heaviest quantum is the weight, which keeps ratios exact. Control thread.
 */
void qos_sched_init(struct qos_sched *s, const uint16_t weight[QOS_CLASSES]);

/*
 * The weights of another one from now on. A class keeps what it has saved up, which a round or two
 * use up. Worker.
 */
void qos_sched_adopt(struct qos_sched *s, const struct qos_sched *weights);

/*
 * The class that sends next, or -1 when `eligible` is empty: bits of classes that have a frame
 * waiting and are not paused. `head_len` is the length of each eligible class's first frame,
 * 1..65,535. Asked again without a charge it says the same. A class that is not eligible for a
 * while keeps its deficit and its place in the round. Worker.
 */
int qos_sched_pick(struct qos_sched *s, uint8_t eligible, const uint32_t head_len[QOS_CLASSES]);

/*
 * Books a frame that the class sent. `emptied`: it was the last one, so the class loses what is
 * left of its deficit and cannot save up for later. Worker.
 */
static inline void
qos_sched_charge(struct qos_sched *s, unsigned int class, uint32_t len, bool emptied)
{
	uint32_t left = s->deficit[class];

	s->deficit[class] = emptied || left < len ? 0 : left - len;
}

#endif
