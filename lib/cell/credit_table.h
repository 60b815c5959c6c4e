/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside lib/cell: whom an egress scheduler knows. VOQs by (source device, pipe, class), at most so
 * many; each is in a list of those that ask or of those that do not, the longest unheard first.
 * credit.c decides who gets what.
 */
#ifndef CELL_CREDIT_TABLE_H
#define CELL_CREDIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

#include "cell/credit.h"

struct rte_hash;

#define CREDIT_NONE UINT32_MAX

/* A VOQ is in one list of each kind at most. */
enum credit_link_kind {
	CREDIT_RING, /* those of a class that ask, in the order of their turns */
	CREDIT_AGE,  /* heard or idle */
	CREDIT_TELL, /* what they were granted is to be said again */
	CREDIT_LINKS
};

struct credit_link {
	uint32_t prev, next;
};

struct credit_list {
	uint32_t first, last;
};

struct credit_voq {
	uint64_t wanted, granted; /* of the session; granted <= wanted */
	uint64_t heard_ps;        /* its last REQUEST */
	uint32_t key;             /* source << 16 | pipe << 8 | class */
	uint32_t session;
	uint32_t round;   /* its next turn is in this */
	uint16_t out_idx; /* its place in the GRANTs of the turn, if it is there */
	bool asking : 1, telling : 1;
	bool joined : 1; /* asks, and has had no turn since it began to */
	struct credit_link link[CREDIT_LINKS];
} __rte_aligned(64);

_Static_assert(sizeof(struct credit_voq) == 64, "a VOQ costs one cache line");

struct credit_table {
	struct credit_voq *voq; /* by the position of its key in the hash */
	struct rte_hash *hash;
	struct credit_list heard; /* ask */
	struct credit_list idle;  /* do not */
	uint32_t n_max;
};

static inline uint32_t
credit_key(uint16_t source, uint8_t pipe, uint8_t class)
{
	return (uint32_t)source << 16 | (uint32_t)pipe << 8 | class;
}

/* Bytes of memory that credit_table_init() takes: a little more. Any thread. */
size_t credit_table_bytes(uint32_t n_max);

/* -ENOMEM. `name` is not used by another table of the process. Control thread. */
int credit_table_init(struct credit_table *t, const char *name, uint32_t n_max, int socket);
void credit_table_fini(struct credit_table *t);

/* Appends to a list, or takes out of it. Owner. */
void credit_list_push(
	struct credit_table *t, struct credit_list *l, enum credit_link_kind kind, uint32_t idx);
void credit_list_remove(
	struct credit_table *t, struct credit_list *l, enum credit_link_kind kind, uint32_t idx);

/* CREDIT_NONE: not known. Owner. */
uint32_t credit_table_find(const struct credit_table *t, uint32_t key);

/* A VOQ that is not known yet, idle and all zero. CREDIT_NONE: full. Owner. */
uint32_t credit_table_add(struct credit_table *t, uint32_t key, uint64_t now);

/* Forgets an idle VOQ that is in no other list. Owner. */
void credit_table_remove(struct credit_table *t, uint32_t idx);

#endif
