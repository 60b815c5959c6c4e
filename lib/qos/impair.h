/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a bad line does to frames, by chance from a seed: one for each (port, direction) and worker.
 * Each kind of harm draws from a generator of its own, so that a run with jitter loses the very
 * frames that one without loses. The delay line behind it does what the verdict says.
 */
#ifndef QOS_IMPAIR_H
#define QOS_IMPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

/* Chances in parts of 10^9, times at most 60 s. */
struct qos_impair_conf {
	uint32_t loss_ppb, corrupt_ppb, duplicate_ppb, reorder_ppb;
	uint64_t jitter_ns;  /* up to this much more delay, uniform */
	uint64_t reorder_ns; /* how much later a reordered frame goes */
};

/* The kinds of harm, each with a generator; QOS_IMPAIR_BIT says which bit is flipped. */
enum qos_impair_kind {
	QOS_IMPAIR_LOSS,
	QOS_IMPAIR_CORRUPT,
	QOS_IMPAIR_DUPLICATE,
	QOS_IMPAIR_REORDER,
	QOS_IMPAIR_BIT,
	QOS_IMPAIR_JITTER,
	QOS_IMPAIR_N
};

struct qos_impair {
	struct rng rng[QOS_IMPAIR_N];
	uint64_t chance[QOS_IMPAIR_BIT]; /* of 2^64; UINT64_MAX is certain but for 2^-64 */
	uint64_t jitter_ps, reorder_ps;
	uint64_t last_ps[2]; /* release times given so far: in order, reordered */
};

struct qos_impair_verdict {
	bool drop; /* and nothing else counts */
	bool duplicate;
	bool corrupt;
	bool reorder;         /* goes by the late line: see qos_impair_release() */
	uint32_t corrupt_bit; /* uniform; the caller scales it: remark_flip_bit() */
	uint64_t extra_ps;    /* on top of the line's delay */
};

/*
 * -EINVAL: a chance above 10^9, or a time above 60 s. The same configuration and seed give the same
 * verdicts. Control thread.
 */
int qos_impair_init(
	struct qos_impair *i, const struct qos_impair_conf *conf, uint64_t seed, uint64_t now);

/* The chances and times of another one from now on; what was drawn goes on. Worker. */
void qos_impair_adopt(struct qos_impair *i, const struct qos_impair *from);

/* Draws from a seed from now on. Worker. */
void qos_impair_seed(struct qos_impair *i, uint64_t seed);

/* What happens to the next frame. Worker. */
struct qos_impair_verdict qos_impair_draw(struct qos_impair *i);

/*
 * The release time of a frame that would go at `at_ps`, extra_ps included: never before the one
 * given last, so that a FIFO holds them and jitter does not reorder. Reordered frames have a second
 * line, with an order of its own; the caller keeps a second FIFO for them. `behind`: another frame
 * is still on that line; without one there is nothing to keep an order with, and a time given last
 * that nobody used for 213 days would seem to be ahead again. Worker.
 */
uint64_t qos_impair_release(struct qos_impair *i, bool reorder, bool behind, uint64_t at_ps);

#endif
