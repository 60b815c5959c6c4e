/* SPDX-License-Identifier: BSD-3-Clause */
/* What `show` prints: tables of a node's state. They read, and change nothing. Control thread. */
#ifndef TELE_SHOW_H
#define TELE_SHOW_H

#include <stdio.h>

#include "ctl/node.h"

/*
 * Counters at an earlier moment: `clear stats` and rates subtract them. Zeroed: since the start.
 * `member` has n_members entries, `queue` DP_CLASSES for each port
 * and hyper port.
 */
struct show_base {
	struct counters sum;
	struct counter *member;
	struct queue_count *queue;
	uint64_t tsc;
	uint64_t n_reloads; /* before it: counters of members since then have no part in it */
};

int show_base_init(struct show_base *base, const struct node *n); /* -ENOMEM; all zero */
void show_base_fini(struct show_base *base);
/* Moves the baseline to now. */
void show_base_take(struct show_base *base, const struct node *n, uint64_t now);

void show_port(const struct node *n, const struct show_base *base, FILE *out);
/* All groups, or the one called `name`; -ENOENT. */
int show_group(const struct node *n, const struct show_base *base, const char *name, FILE *out);
/* Routes, at most `max` of them, and how many there are. */
void show_route(const struct node *n, size_t max, FILE *out);
void show_fib(const struct node *n, FILE *out);
void show_drops(const struct node *n, const struct show_base *base, FILE *out);
/*
 * Of the port called `port`, or (NULL) of all that have something to tell; -ENOENT. What waits by
 * class and in delay lines; marking; pause.
 */
int show_queue(const struct node *n, const struct show_base *base, const char *port, FILE *out);
int show_ecn(const struct node *n, const struct show_base *base, const char *port, FILE *out);
int show_pfc(const struct node *n, const char *port, FILE *out);
/*
 * The fabric: links and devices; queues into it; what this node's system ports grant; what it puts
 * together. One sentence where a node has none.
 */
void show_fabric(const struct node *n, const struct show_base *base, FILE *out);
void show_voq(const struct node *n, FILE *out);
void show_credit(const struct node *n, FILE *out);
void show_reassembly(const struct node *n, FILE *out);
/*
 * The first `max` queue pairs in the order `by` (NULL: packets), and the sum of all; -ENOENT for an
 * order that is none: show_qp_orders() lists them. One sentence where they are not watched.
 */
int show_qp(const struct node *n, size_t max, const char *by, FILE *out);
void show_qp_orders(FILE *out);
/* The workers' flow tables. */
void show_flow(const struct node *n, FILE *out);
/* Hyper ports, since the start. */
void show_hyper(const struct node *n, FILE *out);
void show_worker(const struct node *n, FILE *out);
void show_version(FILE *out);
void show_hash(const struct node *n, FILE *out);
/* The live view, one screen: rates since `base`, drops since the start. */
void show_live(const struct node *n, const struct show_base *base, uint64_t now, FILE *out);
/* After node_stop(): totals and whether they add up; false when they do not. */
bool show_sum(const struct node *n, FILE *out);

#endif
