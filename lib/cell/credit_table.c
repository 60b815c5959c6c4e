/* SPDX-License-Identifier: BSD-3-Clause */
/* rte_hash gives each key a position, and the position is the VOQ's place: no list of free ones. */
#include "cell/credit_table.h"

#include <errno.h>

#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>

#define HASH_MIN 8u /* rte_hash takes no less */

/* What rte_hash has for itself, besides keys, buckets and rings of free ones. */
#define HASH_BOOKS 4096u

size_t
credit_table_bytes(uint32_t n_max)
{
	size_t n = RTE_MAX(n_max, HASH_MIN), free_keys = rte_align32pow2((uint32_t)n + 1);
	size_t buckets = rte_align32pow2((uint32_t)n) / 8;

	/* a key has 16 bytes; a bucket two lines, its own and an extended one with its number */
	return n * (sizeof(struct credit_voq) + 16) + free_keys * sizeof(uint32_t) +
	       buckets * (2 * RTE_CACHE_LINE_SIZE + 2 * sizeof(uint32_t)) + HASH_BOOKS;
}

int
credit_table_init(struct credit_table *t, const char *name, uint32_t n_max, int socket)
{
	struct rte_hash_parameters params = {
		.name = name,
		.entries = RTE_MAX(n_max, HASH_MIN),
		.key_len = sizeof(uint32_t),
		.hash_func = rte_hash_crc,
		.socket_id = socket,
		/* every one of `entries` finds room, whatever the keys are */
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};

	*t = (struct credit_table){
		.heard = {CREDIT_NONE, CREDIT_NONE},
		.idle = {CREDIT_NONE, CREDIT_NONE},
		.n_max = n_max,
	};
	t->hash = rte_hash_create(&params);
	t->voq = rte_zmalloc_socket(
		"credit_voq", params.entries * sizeof(*t->voq), RTE_CACHE_LINE_SIZE, socket);
	if (t->hash != NULL && t->voq != NULL)
		return 0;
	credit_table_fini(t);
	return -ENOMEM;
}

void
credit_table_fini(struct credit_table *t)
{
	rte_hash_free(t->hash);
	rte_free(t->voq);
}

void
credit_list_push(
	struct credit_table *t, struct credit_list *l, enum credit_link_kind kind, uint32_t idx)
{
	t->voq[idx].link[kind] = (struct credit_link){.prev = l->last, .next = CREDIT_NONE};
	if (l->last == CREDIT_NONE)
		l->first = idx;
	else
		t->voq[l->last].link[kind].next = idx;
	l->last = idx;
}

void
credit_list_remove(
	struct credit_table *t, struct credit_list *l, enum credit_link_kind kind, uint32_t idx)
{
	struct credit_link link = t->voq[idx].link[kind];

	if (link.prev == CREDIT_NONE)
		l->first = link.next;
	else
		t->voq[link.prev].link[kind].next = link.next;
	if (link.next == CREDIT_NONE)
		l->last = link.prev;
	else
		t->voq[link.next].link[kind].prev = link.prev;
}

uint32_t
credit_table_find(const struct credit_table *t, uint32_t key)
{
	int32_t at = rte_hash_lookup(t->hash, &key);

	return at < 0 ? CREDIT_NONE : (uint32_t)at;
}

uint32_t
credit_table_add(struct credit_table *t, uint32_t key, uint64_t now)
{
	int32_t at;

	if ((uint32_t)rte_hash_count(t->hash) >= t->n_max)
		return CREDIT_NONE;
	at = rte_hash_add_key(t->hash, &key);
	if (at < 0)
		return CREDIT_NONE;
	t->voq[at] = (struct credit_voq){.key = key, .heard_ps = now};
	credit_list_push(t, &t->idle, CREDIT_AGE, (uint32_t)at);
	return (uint32_t)at;
}

void
credit_table_remove(struct credit_table *t, uint32_t idx)
{
	uint32_t key = t->voq[idx].key;

	credit_list_remove(t, &t->idle, CREDIT_AGE, idx);
	rte_hash_del_key(t->hash, &key);
}
