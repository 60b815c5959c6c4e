/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs as tables and reports see them: the workers' records put together by key, the first
 * of them in some order, and their sum. While workers run a record is as of about now. Inside
 * lib/tele and the console.
 */
#ifndef TELE_QP_VIEW_H
#define TELE_QP_VIEW_H

#include <stdbool.h>

#include "ctl/node.h"
#include "flow/flow.h"

enum qp_order {
	QP_BY_PACKETS,
	QP_BY_BYTES,
	QP_BY_CE, /* came in with it, or set here */
	QP_BY_GAPS,
	QP_BY_REORDERS,
	QP_BY_NAKS,
	QP_ORDERS_N
};

const char *qp_order_name(enum qp_order by);
/* False for a word that is none. */
bool qp_order_by_name(const char *word, enum qp_order *ret_by);

struct qp_row {
	struct flow_key key;
	struct qp_stats stats;
	uint32_t n_workers; /* that have met it */
};

struct qp_view {
	size_t n_qps;         /* that are in the tables now */
	struct qp_stats live; /* the sum of these */
	struct qp_stats gone; /* and of those that have aged out */
	struct qp_row
		*row; /* the first of them; of an order by what may be 0, only where it is not */
	size_t n_rows;
};

/* The node watches queue pairs: below are answers. */
bool qp_view_is_on(const struct node *n);

/* At most `max` rows. -ENOMEM; *ret_view is then untouched. */
int qp_view_create(const struct node *n, enum qp_order by, size_t max, struct qp_view *ret_view);
void qp_view_fini(struct qp_view *v);

/* Sums over both kinds of numbers. */
uint64_t qp_lost(const struct qp_stats *s);
uint64_t qp_reordered(const struct qp_stats *s);
uint64_t qp_repeated(const struct qp_stats *s);
uint64_t qp_naks(const struct qp_stats *s);

/* Source and destination address of a key; each `buf` holds INET6_ADDRSTRLEN. */
void qp_addrs(const struct flow_key *key, char *src, char *dst);

/* `RC WRITE first`, `CNP`, `0xc1`; `buf` holds at least OPCODE_TEXT_LEN bytes; returns it. */
#define OPCODE_TEXT_LEN 32u
const char *opcode_text(uint8_t opcode, char *buf);

#endif
