/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests from control: kept in order, refused when full, done when they are carried out. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "dp/worker.h"

/* A worker without memory of its own: no request here needs more. */
static struct worker *
bare_worker(void)
{
	struct worker *w = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*w));

	cr_assert_not_null(w);
	memset(w, 0, sizeof(*w));
	cr_assert_eq(mailbox_init(&w->mailbox), 0);
	return w;
}

static void
bare_free(struct worker *w)
{
	mailbox_fini(&w->mailbox);
	free(w);
}

Test(mailbox, a_request_is_done_when_the_worker_has_polled)
{
	struct worker *w = bare_worker();
	uint32_t seq = 0;

	cr_assert_eq(mailbox_send(&w->mailbox, MAIL_PROFILE, 1, &seq), 0);
	cr_assert_not(mailbox_done(&w->mailbox, seq));
	cr_assert_not(w->profile);
	mailbox_poll(w);
	cr_assert(mailbox_done(&w->mailbox, seq));
	cr_assert(w->profile);
	mailbox_poll(w);
	cr_assert(w->profile, "it is carried out once");
	bare_free(w);
}

Test(mailbox, requests_are_carried_out_in_their_order)
{
	struct worker *w = bare_worker();
	uint32_t first, last;

	cr_assert_eq(mailbox_send(&w->mailbox, MAIL_PROFILE, 1, &first), 0);
	cr_assert_eq(mailbox_send(&w->mailbox, MAIL_PROFILE, 0, &last), 0);
	cr_assert_eq(last, first + 1);
	mailbox_poll(w);
	cr_assert_not(w->profile);
	cr_assert(mailbox_done(&w->mailbox, first));
	cr_assert(mailbox_done(&w->mailbox, last));
	bare_free(w);
}

Test(mailbox, a_full_one_refuses_and_works_again_once_emptied)
{
	struct worker *w = bare_worker();
	uint32_t seq = 0, last = 0;
	unsigned int n = 0;

	while (mailbox_send(&w->mailbox, MAIL_PROFILE, n % 2, &seq) == 0) {
		last = seq;
		cr_assert_leq(++n, 1000, "it never fills");
	}
	cr_assert_gt(n, 16);
	seq = 12345;
	cr_assert_eq(mailbox_send(&w->mailbox, MAIL_PROFILE, 1, &seq), -EAGAIN);
	cr_assert_eq(seq, 12345, "untouched on failure");
	mailbox_poll(w);
	cr_assert(mailbox_done(&w->mailbox, last));
	cr_assert_eq(mailbox_send(&w->mailbox, MAIL_PROFILE, 1, &seq), 0);
	cr_assert_eq(seq, last + 1, "a refused request takes no number");
	cr_assert_not(mailbox_done(&w->mailbox, seq));
	bare_free(w);
}

Test(mailbox, numbers_may_wrap_around)
{
	struct worker *w = bare_worker();
	uint32_t seq[6];

	w->mailbox.sent = w->mailbox.done = UINT32_MAX - 2;
	for (unsigned int i = 0; i < 6; i++) {
		cr_assert_eq(mailbox_send(&w->mailbox, MAIL_PROFILE, 1, &seq[i]), 0);
		cr_assert_not(mailbox_done(&w->mailbox, seq[i]), "request %u", i);
	}
	mailbox_poll(w);
	for (unsigned int i = 0; i < 6; i++)
		cr_assert(mailbox_done(&w->mailbox, seq[i]), "request %u", i);
	bare_free(w);
}

static void *
poll_until_profiled(void *arg)
{
	struct worker *w = arg;

	while (!w->profile)
		mailbox_poll(w);
	return NULL;
}

/* The sanitizers' threads watch this one: a lock-free answer between two threads. */
Test(mailbox, a_worker_of_its_own_thread_answers)
{
	struct worker *w = bare_worker();
	pthread_t thread;
	uint32_t seq;

	cr_assert_eq(pthread_create(&thread, NULL, poll_until_profiled, w), 0);
	for (unsigned int i = 0; i < 2000; i++) {
		int rc;

		while ((rc = mailbox_send(&w->mailbox, MAIL_PROFILE, i == 1999, &seq)) == -EAGAIN)
			;
		cr_assert_eq(rc, 0);
	}
	while (!mailbox_done(&w->mailbox, seq))
		;
	cr_assert(w->profile, "done, and what the worker wrote is not to be seen");
	pthread_join(thread, NULL);
	bare_free(w);
}
