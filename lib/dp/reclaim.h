/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Publishing and freeing what workers may still read. Control thread only; it never waits: what is
 * retired is freed by reclaim_poll() once every worker has passed a quiescent state since, so the
 * same code serves threads and a caller that steps workers by hand.
 */
#ifndef DP_RECLAIM_H
#define DP_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include <rte_rcu_qsbr.h>

struct reclaim_item;

struct reclaim {
	struct rte_rcu_qsbr *qsbr;
	struct reclaim_item *head, *tail; /* oldest first */
	struct reclaim_item *spare;       /* n_spare of them */
	size_t n, n_spare;
};

/* Up to `n_workers` readers. -ENOMEM. */
int reclaim_init(struct reclaim *r, unsigned int n_workers);
/* No reader is left: frees all that waits. */
void reclaim_fini(struct reclaim *r);

/* Makes sure that the next reclaim_defer() has what it needs; the next `n` of them. -ENOMEM. */
int reclaim_reserve(struct reclaim *r);
int reclaim_reserve_n(struct reclaim *r, unsigned int n);

/*
 * Calls done(obj) after a grace period that begins now. The caller has already replaced the pointer
 * that led to `obj`, and called reclaim_reserve() before it did.
 */
void reclaim_defer(struct reclaim *r, void (*done)(void *obj), void *obj);

/* Frees what is ripe; returns how much still waits. */
size_t reclaim_poll(struct reclaim *r);

#endif
