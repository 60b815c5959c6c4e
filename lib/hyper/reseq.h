/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resequencing: frames of a hyper port, which came by members of unequal delay, become one sequence
 * again. Before it: the stage that reads them from the members. After it: the pipeline.
 *
 * In it all that counts is `next`. A frame leaves when next passes its number; a number that next
 * passes without a frame is given up, and a frame that comes with it later is late. It moves on
 *
 *  - when the frame there comes,
 *  - when a later one has waited for `timeout_ps`: no frame waits longer,
 *  - when one comes that is `window` or more ahead: up to a window behind that one.
 *
 * Numbers are 16 bits. What is less than 2^15 ahead of next is ahead, the rest is behind.
 *
 * Where a sequence begins nobody says. The first frame opens a window that ends with it, and waits
 * like any other, so that what was sent before it and is slower still goes before it. A sender that
 * began anew is taken up in the same way by the first frame outside the window after nothing was
 * taken for twice the timeout: what is behind before that is taken for late.
 *
 * Owner: one worker; nothing in here is shared, but that stats are read.
 */
#ifndef HYPER_RESEQ_H
#define HYPER_RESEQ_H

#include <stddef.h>
#include <stdint.h>

#include "pkt/drop.h"

struct rte_mbuf;
struct reseq;

enum {
	RESEQ_WINDOW_MIN = 64,
	RESEQ_WINDOW_MAX = 16384, /* a quarter of all numbers: as many lie ahead of it */
	RESEQ_PUTS = 64,          /* between two reseq_take() that take all */
};

struct reseq_config {
	uint32_t window; /* a power of two in the range above: frames held at most */
	uint64_t timeout_ps;
	int socket; /* NUMA node, or -1 */
};

struct reseq_stats {
	uint64_t packets;           /* delivered */
	uint64_t waited;            /* of those: held for others */
	uint64_t lost;              /* numbers given up: the frames behind them waited too long */
	uint64_t overrun;           /* numbers given up: a frame came from beyond the window */
	uint64_t late, duplicate;   /* frames with a number that is given up, or was here */
	uint64_t restarts;          /* sequences that were taken up anew, the first not */
	uint64_t wait_max_ps;       /* the longest that a frame was held */
	uint32_t n_held, peak_held; /* now, and at most so far */
};

/* Bytes of memory that reseq_create() takes. Any thread. */
size_t reseq_bytes(const struct reseq_config *config);

/* -EINVAL: a number out of range; -ENOMEM. Control thread. */
int reseq_create(const struct reseq_config *config, struct reseq **ret_reseq);

/* Frees what is held, uncounted. Takes NULL. Control thread. */
void reseq_free(struct reseq *r);

/*
 * The frame with number `seq`. DROP_NONE: taken. Else why not (hyper_late, hyper_duplicate), and
 * `m` is the caller's, to free and to count. After RESEQ_PUTS of these at most, and before more,
 * the caller takes all that reseq_take() has. `now_ps` never goes back. Worker.
 */
enum drop_reason reseq_put(struct reseq *r, uint16_t seq, struct rte_mbuf *m, uint64_t now_ps);

/* Up to `max` frames in the order of their numbers. Worker. */
uint16_t reseq_take(struct reseq *r, struct rte_mbuf **out, uint16_t max);

/* Lets go what has waited for the timeout, and what waited for that. Worker. */
void reseq_turn(struct reseq *r, uint64_t now_ps);

/* When reseq_turn() or reseq_take() has something to do next; UINT64_MAX: nothing waits. Worker. */
uint64_t reseq_next_ps(const struct reseq *r, uint64_t now_ps);

/* Frees all that is held or ready; returns how many that were. The sequence goes on. Worker. */
uint32_t reseq_drop_all(struct reseq *r);

/* Frames held, and ready to be taken. Any thread, as of about now. */
uint32_t reseq_waiting(const struct reseq *r);

/* Any thread, as of about now. */
const struct reseq_stats *reseq_stats(const struct reseq *r);

#endif
