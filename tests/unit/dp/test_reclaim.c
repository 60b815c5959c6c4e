/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing that a worker may still read is freed, and everything is freed in the end. */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "dp/reclaim.h"

#define READERS 3u

static unsigned int freed[64], n_freed;

static void
note(void *obj)
{
	freed[n_freed++] = *(unsigned int *)obj;
	free(obj);
}

static void
defer(struct reclaim *r, unsigned int number)
{
	unsigned int *obj = malloc(sizeof(*obj));

	*obj = number;
	cr_assert_eq(reclaim_reserve(r), 0);
	cr_assert_eq(reclaim_reserve(r), 0, "one spare is enough");
	reclaim_defer(r, note, obj);
}

static void
start(struct reclaim *r)
{
	cr_assert_eq(reclaim_init(r, READERS), 0);
	for (unsigned int i = 0; i < READERS; i++) {
		rte_rcu_qsbr_thread_register(r->qsbr, i);
		rte_rcu_qsbr_thread_online(r->qsbr, i);
	}
}

Test(reclaim, nothing_is_freed_before_every_reader_was_quiescent)
{
	struct reclaim r;

	start(&r);
	defer(&r, 1);
	for (unsigned int i = 0; i < READERS; i++) {
		cr_assert_eq(reclaim_poll(&r), 1);
		cr_assert_eq(n_freed, 0);
		rte_rcu_qsbr_quiescent(r.qsbr, i);
	}
	cr_assert_eq(reclaim_poll(&r), 0);
	cr_assert_eq(n_freed, 1);
	reclaim_fini(&r);
	cr_assert_eq(n_freed, 1);
}

Test(reclaim, a_quiescent_state_before_the_request_does_not_count)
{
	struct reclaim r;

	start(&r);
	for (unsigned int i = 0; i < READERS; i++)
		rte_rcu_qsbr_quiescent(r.qsbr, i);
	defer(&r, 1);
	cr_assert_eq(reclaim_poll(&r), 1);
	rte_rcu_qsbr_quiescent(r.qsbr, 0);
	rte_rcu_qsbr_quiescent(r.qsbr, 0);
	rte_rcu_qsbr_quiescent(r.qsbr, 1);
	cr_assert_eq(reclaim_poll(&r), 1, "reader 2 was never quiescent");
	rte_rcu_qsbr_quiescent(r.qsbr, 2);
	cr_assert_eq(reclaim_poll(&r), 0);
	reclaim_fini(&r);
}

Test(reclaim, what_was_retired_later_waits_longer)
{
	struct reclaim r;

	start(&r);
	defer(&r, 1);
	rte_rcu_qsbr_quiescent(r.qsbr, 0);
	rte_rcu_qsbr_quiescent(r.qsbr, 1);
	defer(&r, 2);
	rte_rcu_qsbr_quiescent(r.qsbr, 2);
	cr_assert_eq(reclaim_poll(&r), 1);
	cr_assert_eq(n_freed, 1);
	cr_assert_eq(freed[0], 1);
	rte_rcu_qsbr_quiescent(r.qsbr, 0);
	rte_rcu_qsbr_quiescent(r.qsbr, 1);
	cr_assert_eq(reclaim_poll(&r), 0);
	cr_assert_eq(freed[1], 2);
	/* empty, and it takes on again */
	defer(&r, 3);
	cr_assert_eq(reclaim_poll(&r), 1);
	reclaim_fini(&r);
	cr_assert_eq(n_freed, 3, "the end frees what waits");
}

Test(reclaim, readers_that_are_offline_or_gone_hold_nothing_up)
{
	struct reclaim r;

	start(&r);
	defer(&r, 1);
	rte_rcu_qsbr_quiescent(r.qsbr, 0);
	rte_rcu_qsbr_thread_offline(r.qsbr, 1);
	cr_assert_eq(reclaim_poll(&r), 1);
	rte_rcu_qsbr_thread_unregister(r.qsbr, 2);
	cr_assert_eq(reclaim_poll(&r), 0);
	/* no reader at all */
	rte_rcu_qsbr_thread_offline(r.qsbr, 0);
	defer(&r, 2);
	cr_assert_eq(reclaim_poll(&r), 0);
	reclaim_fini(&r);
}

Test(reclaim, many_are_freed_oldest_first)
{
	struct reclaim r;

	start(&r);
	for (unsigned int i = 0; i < 64; i++)
		defer(&r, i);
	cr_assert_eq(reclaim_poll(&r), 64);
	for (unsigned int i = 0; i < READERS; i++)
		rte_rcu_qsbr_quiescent(r.qsbr, i);
	cr_assert_eq(reclaim_poll(&r), 0);
	for (unsigned int i = 0; i < 64; i++)
		cr_assert_eq(freed[i], i);
	reclaim_fini(&r);
}

Test(reclaim, room_for_several_is_there_before_the_first_is_retired)
{
	struct reclaim_item *spare;
	struct reclaim r;

	start(&r);
	cr_assert_eq(reclaim_reserve_n(&r, 3), 0);
	spare = r.spare;
	cr_assert_eq(reclaim_reserve(&r), 0);
	cr_assert_eq(reclaim_reserve_n(&r, 2), 0);
	cr_assert_eq(r.spare, spare, "there is enough");
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int *obj = malloc(sizeof(*obj));

		*obj = i;
		reclaim_defer(&r, note, obj);
	}
	cr_assert_eq(r.n_spare, 1);
	cr_assert_eq(reclaim_poll(&r), 2);
	/* the one that was not used is freed with the rest: the sanitizer sees to it */
	reclaim_fini(&r);
	cr_assert_eq(n_freed, 2);
}
