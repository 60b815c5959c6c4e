/* SPDX-License-Identifier: BSD-3-Clause */
/* Door four between control and workers; the worker's loop comes here first in each turn. */
#include "dp/mailbox.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "dp/worker.h"

#define MAILBOX_DEPTH 64u /* a person at a console and a metrics scrape together send a few */

int
mailbox_init(struct mailbox *box)
{
	ssize_t len = rte_ring_get_memsize_elem(sizeof(struct mail), MAILBOX_DEPTH);

	box->sent = box->done = 0;
	box->ring = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL((size_t)len, (size_t)RTE_CACHE_LINE_SIZE));
	if (box->ring == NULL)
		return -ENOMEM;
	return rte_ring_init(box->ring, "mail", MAILBOX_DEPTH, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

void
mailbox_fini(struct mailbox *box)
{
	free(box->ring);
	box->ring = NULL;
}

int
mailbox_send(struct mailbox *box, enum mail_kind kind, uint64_t arg, uint32_t *ret_seq)
{
	struct mail mail = {.arg = arg, .seq = box->sent + 1, .kind = kind};

	if (rte_ring_sp_enqueue_elem(box->ring, &mail, sizeof(mail)) != 0)
		return -EAGAIN;
	*ret_seq = ++box->sent;
	return 0;
}

int
mailbox_done(const struct mailbox *box, uint32_t seq)
{
	/* acquire: pairs with the release store in mailbox_poll() */
	return (int32_t)(__atomic_load_n(&box->done, __ATOMIC_ACQUIRE) - seq) >= 0;
}

void
mailbox_poll(struct worker *w)
{
	struct mail mail;

	while (rte_ring_sc_dequeue_elem(w->mailbox.ring, &mail, sizeof(mail)) == 0) {
		switch ((enum mail_kind)mail.kind) {
		case MAIL_PROFILE:
			w->profile = mail.arg != 0;
			break;
		}
		/* release: what the request wrote comes before its answer; pairs with
		 * mailbox_done() */
		__atomic_store_n(&w->mailbox.done, mail.seq, __ATOMIC_RELEASE);
	}
}
