/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a flow table: made and given back by the control thread. What the worker does with
 * it is in table.c.
 */
#include <errno.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>

#include "base/bits.h"
#include "base/rng.h"
#include "flow/flow.h"

#define BUCKET_ENTRIES 8u  /* of rte_hash */
#define HASH_KEY_LEN   64u /* a key of 48 bytes and 8 of its own, at 16 */
#define HASH_BUCKET    64u
#define AGE_SWEEPS     16u /* an entry goes at most a 16th of the age too late */
#define NAME_MAX_LEN   25u /* rte_ring's, with what rte_hash puts before it */

/*
 * rte_hash rounds its entries up to a power of two buckets' worth. With one more than `max` that is
 * twice `max`: half full at most, where a key practically always finds a place in one of its two
 * buckets.
 */
static uint32_t
hash_entries(uint32_t max)
{
	return max + 1;
}

static size_t
hash_bytes(uint32_t max)
{
	size_t buckets = 2 * (size_t)max / BUCKET_ENTRIES;

	return (hash_entries(max) + 1) * (size_t)HASH_KEY_LEN + buckets * HASH_BUCKET +
	       2 * (size_t)max * sizeof(uint32_t) /* ring of free positions */;
}

size_t
flow_table_bytes(uint32_t max, size_t beside_len)
{
	size_t slots = (size_t)max + 1;

	return sizeof(struct flow_table) + hash_bytes(max) +
	       slots * (sizeof(struct flow) + beside_len) + 2 * (size_t)max * sizeof(uint32_t);
}

static int
check(const struct flow_table_config *c)
{
	if (c->max < FLOW_MIN || c->max > FLOW_MAX || !bits_is_pow2(c->max) ||
		c->age_ps < FLOW_AGE_MIN_PS || c->age_ps > FLOW_AGE_MAX_PS ||
		c->beside_len % RTE_CACHE_LINE_SIZE != 0 || c->name == NULL ||
		strlen(c->name) > NAME_MAX_LEN)
		return -EINVAL;
	return 0;
}

static int
create_hash(struct flow_table *t, const struct flow_table_config *c)
{
	struct rte_hash_parameters p = {
		.name = c->name,
		.entries = hash_entries(c->max),
		.key_len = sizeof(struct flow_key),
		.socket_id = c->socket,
	};

	t->hash = rte_hash_create(&p);
	if (t->hash != NULL)
		return 0;
	return rte_errno == EEXIST ? -EEXIST : -ENOMEM;
}

static void *
array_create(size_t len, int socket)
{
	return rte_zmalloc_socket("flow", len, RTE_CACHE_LINE_SIZE, socket);
}

int
flow_table_create(const struct flow_table_config *c, struct flow_table **ret_table)
{
	struct flow_table *t;
	size_t slots = (size_t)c->max + 1;
	struct rng rng;
	int rc = check(c);

	if (rc != 0)
		return rc;
	t = array_create(sizeof(*t), c->socket);
	if (t == NULL)
		return -ENOMEM;
	t->flow = array_create(slots * sizeof(*t->flow), c->socket);
	t->front = array_create(2 * (size_t)c->max * sizeof(*t->front), c->socket);
	if (c->beside_len != 0)
		t->beside = array_create(slots * c->beside_len, c->socket);
	rc = t->flow == NULL || t->front == NULL || (c->beside_len != 0 && t->beside == NULL)
		     ? -ENOMEM
		     : create_hash(t, c);
	if (rc != 0) {
		flow_table_free(t);
		return rc;
	}
	t->beside_len = c->beside_len;
	t->max = c->max;
	t->front_mask = 2 * c->max - 1;
	t->bucket_mask = 2 * c->max / BUCKET_ENTRIES - 1;
	t->age = (uint32_t)(c->age_ps >> FLOW_SEEN_SHIFT);
	t->step_ps = c->age_ps / AGE_SWEEPS / slots;
	t->due_ps = c->now_ps;
	t->end = c->end;
	t->end_ctx = c->end_ctx;
	rng_init(&rng, c->seed[0]);
	for (unsigned int i = 0; i < BITS_ARRAY_LEN(t->key); i++)
		t->key[i] = (uint32_t)(rng_next(&rng) >> 32);
	t->seed = c->seed[1];
	*ret_table = t;
	return 0;
}

void
flow_table_free(struct flow_table *t)
{
	if (t == NULL)
		return;
	rte_hash_free(t->hash);
	rte_free(t->beside);
	rte_free(t->front);
	rte_free(t->flow);
	rte_free(t);
}
