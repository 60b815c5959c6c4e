/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker has booked on the port commons and not told the others yet. A burst mostly goes to
 * one port and class: its packets are added up here, and each shared word gets one atomic add.
 *
 * Owner: the worker. Empty between stages: stage_enqueue and queue_serve() flush it at their end,
 * so that limits, pauses and sums are at most one burst of each other worker behind.
 */
#ifndef DP_LEDGER_H
#define DP_LEDGER_H

#include <stdint.h>

#include <rte_branch_prediction.h>

#include "dp/egress.h"

struct ledger_sum {
	int64_t *word; /* of the commons; NULL only while n is 0 */
	int64_t n;
};

struct ledger {
	struct egress_backlog *backlog;
	int64_t bytes;          /* for `backlog` */
	struct ledger_sum held; /* of a qos_xoff */
	struct ledger_sum room; /* packets that wait */
};

static inline void
ledger_tell_backlog(struct ledger *l)
{
	struct egress_backlog *backlog = l->backlog;
	int64_t bytes;

	if (l->bytes == 0)
		return;
	bytes = __atomic_add_fetch(&backlog->bytes, l->bytes, __ATOMIC_RELAXED);
	l->bytes = 0;
	/* not exact between workers: a mark lost to a race is one burst lower */
	if (bytes > 0 && (uint64_t)bytes > __atomic_load_n(&backlog->peak, __ATOMIC_RELAXED))
		__atomic_store_n(&backlog->peak, (uint64_t)bytes, __ATOMIC_RELAXED);
}

static inline void
ledger_tell(struct ledger_sum *s)
{
	if (s->n != 0)
		__atomic_fetch_add(s->word, s->n, __ATOMIC_RELAXED);
	s->n = 0;
}

/* All that is booked becomes everybody's. */
static inline void
ledger_flush(struct ledger *l)
{
	ledger_tell_backlog(l);
	ledger_tell(&l->held);
	ledger_tell(&l->room);
}

static inline void
ledger_add_backlog(struct ledger *l, struct egress_backlog *backlog, int64_t bytes)
{
	if (unlikely(l->backlog != backlog)) {
		ledger_tell_backlog(l);
		l->backlog = backlog;
	}
	l->bytes += bytes;
}

static inline void
ledger_add(struct ledger_sum *s, int64_t *word, int64_t n)
{
	if (unlikely(s->word != word)) {
		ledger_tell(s);
		s->word = word;
	}
	s->n += n;
}

/* The words as this worker knows them: what it has booked counts. */
static inline int64_t
ledger_read(const struct ledger_sum *s, const int64_t *word)
{
	int64_t n = __atomic_load_n(word, __ATOMIC_RELAXED);

	return s->word == word ? n + s->n : n;
}

/* Bytes that wait; another worker may have told what it took out before what it put in. */
static inline uint64_t
ledger_backlog(const struct ledger *l, const struct egress_backlog *backlog)
{
	int64_t bytes = __atomic_load_n(&backlog->bytes, __ATOMIC_RELAXED);

	bytes += l->backlog == backlog ? l->bytes : 0;
	return bytes < 0 ? 0 : (uint64_t)bytes;
}

#endif
