/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests from the control thread that must run on a worker, answered by sequence number: a ring
 * with one producer (control) and one consumer (the worker, once per loop turn).
 */
#ifndef DP_MAILBOX_H
#define DP_MAILBOX_H

#include <stdint.h>

struct rte_ring;
struct worker;

enum mail_kind {
	MAIL_PROFILE, /* arg 1: measure cycles per stage from now on; 0: stop */
};

struct mail {
	uint64_t arg;
	uint32_t seq;
	uint32_t kind; /* enum mail_kind */
};

struct mailbox {
	struct rte_ring *ring;
	uint32_t sent; /* control's */
	uint32_t done; /* worker's: release store after the request is carried out */
};

int mailbox_init(struct mailbox *box); /* -ENOMEM */
void mailbox_fini(struct mailbox *box);

/* Returns the sequence number in *ret_seq; -EAGAIN when the worker has too many waiting. Control.
 */
int mailbox_send(struct mailbox *box, enum mail_kind kind, uint64_t arg, uint32_t *ret_seq);
/* True when request `seq` and all before it are done; what the worker wrote is then visible.
 * Control. */
int mailbox_done(const struct mailbox *box, uint32_t seq);

/* Carries out what waits. Worker, once per turn. */
void mailbox_poll(struct worker *w);

#endif
