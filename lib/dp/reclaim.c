/* SPDX-License-Identifier: BSD-3-Clause */
/* Deferred frees over rte_rcu_qsbr; the readers report in worker_turn(). */
#include "dp/reclaim.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct reclaim_item {
	struct reclaim_item *next;
	uint64_t token;
	void (*done)(void *obj);
	void *obj;
};

int
reclaim_init(struct reclaim *r, unsigned int n_workers)
{
	size_t len = rte_rcu_qsbr_get_memsize(n_workers);

	r->head = r->tail = r->spare = NULL;
	r->n = r->n_spare = 0;
	r->qsbr = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(len, (size_t)RTE_CACHE_LINE_SIZE));
	if (r->qsbr == NULL)
		return -ENOMEM;
	return rte_rcu_qsbr_init(r->qsbr, n_workers) == 0 ? 0 : -EINVAL;
}

static void
pop(struct reclaim *r)
{
	struct reclaim_item *item = r->head;

	r->head = item->next;
	if (r->head == NULL)
		r->tail = NULL;
	r->n--;
	item->done(item->obj);
	free(item);
}

static struct reclaim_item *
take_spare(struct reclaim *r)
{
	struct reclaim_item *item = r->spare;

	r->spare = item->next;
	r->n_spare--;
	return item;
}

void
reclaim_fini(struct reclaim *r)
{
	while (r->head != NULL)
		pop(r);
	while (r->spare != NULL)
		free(take_spare(r));
	free(r->qsbr);
	r->qsbr = NULL;
}

int
reclaim_reserve(struct reclaim *r)
{
	return reclaim_reserve_n(r, 1);
}

int
reclaim_reserve_n(struct reclaim *r, unsigned int n)
{
	for (; r->n_spare < n; r->n_spare++) {
		struct reclaim_item *item = malloc(sizeof(*item));

		if (item == NULL)
			return -ENOMEM;
		item->next = r->spare;
		r->spare = item;
	}
	return 0;
}

void
reclaim_defer(struct reclaim *r, void (*done)(void *obj), void *obj)
{
	struct reclaim_item *item = take_spare(r);

	/* rte_rcu_qsbr_start() is a release: the new pointer is visible before the token counts */
	*item = (struct reclaim_item){
		.token = rte_rcu_qsbr_start(r->qsbr), .done = done, .obj = obj};
	if (r->tail != NULL)
		r->tail->next = item;
	else
		r->head = item;
	r->tail = item;
	r->n++;
}

size_t
reclaim_poll(struct reclaim *r)
{
	while (r->head != NULL && rte_rcu_qsbr_check(r->qsbr, r->head->token, false) == 1)
		pop(r);
	return r->n;
}
