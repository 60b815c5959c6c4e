/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow table of one worker: from a packet to a small entry that lasts as long as packets of its
 * flow come. rte_hash knows which entry; a direct-mapped array in front of it remembers the answer
 * by the parser's CRC, so that a packet of a known flow costs two loads and a comparison. Entries
 * keep their index, so that stages meet by index (pkt_meta.flow_idx).
 *
 * Owner and only writer: the worker. Readers: the control thread, with flow_table_read() while the
 * worker goes on: an entry's `life` is odd while it changes hands and another number afterwards, so
 * that a copy is of one flow. The words of a copy may be a few packets apart, as those of all
 * counters are. No lock, no allocation and no system call after creation.
 *
 * Bounds. At most `max` flows, in a hash twice as large, so that no bucket fills by chance; its
 * signature is keyed with a secret (key_inl.h), so that none fills by design. Should one be full
 * all the same, the search for room that rte_hash makes then (1,000 slots) is made once a burst at
 * most, and once in FLOW_RETRY_PS for a bucket. Packets without an entry go on by hash and are
 * counted in `full`.
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

#include "base/ps.h"
#include "pkt/burst.h"

#define FLOW_MIN  64u
#define FLOW_MAX  (1u << 22) /* 4 million; pkt_meta has 24 bits for an index */
#define FLOW_NONE 0xffffffu  /* pkt_meta.flow_idx of a packet without an entry */

#define FLOW_AGE_MIN_PS (100 * PS_PER_MS) /* `seen` is right to a millisecond */
#define FLOW_AGE_MAX_PS (3600 * PS_PER_S)
#define FLOW_RETRY_PS   PS_PER_MS /* some bursts: an attack pays for a search in each at most */

/*
 * What makes packets one flow. RoCEv2: addresses and destination QP; the UDP source port is not
 * part of it, NICs change it within a QP. All else: addresses, protocol, ports; fragments without
 * ports, so that all pieces of a datagram are one flow.
 */
struct flow_key {
	uint8_t addrs[32]; /* source, destination as in the header; of IPv4 8 bytes, then zeros */
	uint32_t l4;       /* destination QP, or source port << 16 | destination port */
	uint8_t proto;     /* IP protocol; 0 for RoCE */
	uint8_t kind;      /* FLOW_KEY_* */
	uint8_t zero[10];  /* 48 bytes: rte_hash compares them in three words */
};

enum {
	FLOW_KEY_IP6 = 1u << 0,
	FLOW_KEY_ROCE = 1u << 1,
	FLOW_KEY_USED = 1u << 7, /* in every key; an entry without it is free */
};

/* What a policy keeps of a flow. All zero in a new entry; the table never looks at it. Worker. */
struct flow_flowlet {
	uint64_t last_ps;    /* of the packet before this one */
	uint32_t generation; /* of the group that `member` was chosen in */
	uint8_t member;
	uint8_t set; /* 0 in a new entry: the fields above say nothing */
	uint8_t pad[2];
};

/* An entry: one cache line. */
struct flow {
	struct flow_flowlet flowlet;
	uint32_t life; /* odd: changes hands; a new number with each flow */
	uint32_t seen; /* time of the last packet, in units of 2^FLOW_SEEN_SHIFT ps */
	uint32_t l4;   /* these and `addrs` as in flow_key */
	uint8_t proto, kind;
	uint8_t zero[2];
	uint8_t addrs[32];
} __rte_cache_aligned;

_Static_assert(sizeof(struct flow) == 64, "an entry is one cache line");

#define FLOW_SEEN_SHIFT 30u /* 1.07 ms; 32 bits of it are 53 days */

/* The worker's; others read them relaxed. All but `entries` never go back. */
struct flow_counters {
	uint64_t entries;  /* now */
	uint64_t inserted; /* flows that got an entry */
	uint64_t aged;     /* entries that were idle for too long and went */
	uint64_t full;     /* packets without an entry: the table or their bucket is full */
	uint64_t searches; /* for room in a full bucket, in vain: the dear ones */
};

#define FLOW_BLOCKED 64u /* buckets that are known to be full */

struct flow_blocked {
	uint32_t bucket; /* its number + 1; 0: none */
	uint64_t until_ps;
};

struct rte_hash;

struct flow_table {
	struct flow *flow; /* max + 1: rte_hash has one position to spare */
	uint32_t *front;   /* by CRC: index of the flow that was there last */
	uint8_t *beside;   /* a record beside each entry, or NULL */
	size_t beside_len;
	struct rte_hash *hash;
	uint32_t front_mask, bucket_mask;
	uint32_t max;
	uint32_t age;    /* in units of `seen` */
	uint32_t cursor; /* flow_table_age(): the entry that is next */
	bool blocked_any;
	uint64_t step_ps, due_ps; /* from one entry to the next; when it is its turn */
	uint32_t key[10];         /* of the signature */
	uint64_t seed;
	void (*end)(void *ctx, const void *beside); /* before a record is zeroed */
	void *end_ctx;
	struct flow_counters count;
	struct flow_blocked blocked[FLOW_BLOCKED];
};

struct flow_table_config {
	const char *name; /* unique in the process, at most 25 characters */
	uint32_t max;     /* flows, a power of two, FLOW_MIN..FLOW_MAX */
	uint64_t age_ps;  /* FLOW_AGE_MIN_PS..FLOW_AGE_MAX_PS */
	uint64_t seed[2]; /* the secret of the signature */
	uint64_t now_ps;
	int socket;        /* NUMA node, or -1 */
	size_t beside_len; /* bytes of a record beside each entry, of cache lines; 0: none */
	/* NULL, or told of each record before it is zeroed or its entry goes. Worker. */
	void (*end)(void *ctx, const void *beside);
	void *end_ctx;
};

/* -EINVAL for a value out of range, -ENOMEM, -EEXIST for a name that is taken. Control. */
int flow_table_create(const struct flow_table_config *c, struct flow_table **ret_table);
void flow_table_free(struct flow_table *t); /* takes NULL */

/* Bytes that a table of this shape takes. Pure. */
size_t flow_table_bytes(uint32_t max, size_t beside_len);

/*
 * Sets flow_idx of all packets of the burst: the index of their flow's entry, a new one where there
 * was none and there is room; FLOW_NONE: go on by hash. `all`: of any protocol, else of RoCE only.
 * An entry that was idle for longer than the age begins anew. Worker.
 */
void flow_table_lookup_bulk(struct flow_table *t, struct burst *b, bool all, uint64_t now_ps);

/*
 * Lets go what was idle for too long: looks at as many entries as the time since the last call asks
 * for, to come by each 16 times within the age, and at FLOW_AGE_STEPS at most. Once a turn. Worker.
 */
#define FLOW_AGE_STEPS 64u
void flow_table_age(struct flow_table *t, uint64_t now_ps);

/* Indexes are 0..flow_table_slots() - 1; never FLOW_NONE. Any thread. */
static inline uint32_t
flow_table_slots(const struct flow_table *t)
{
	return t->max + 1;
}

static inline struct flow *
flow_table_at(const struct flow_table *t, uint32_t idx)
{
	return &t->flow[idx];
}

/* The record beside an entry; zeroed when the flow begins. beside_len is not 0. */
static inline void *
flow_table_beside(const struct flow_table *t, uint32_t idx)
{
	return t->beside + idx * t->beside_len;
}

/*
 * A copy of an entry and of its record (`ret_beside` may be NULL), of one and the same flow; false
 * when the entry is free or has changed hands meanwhile. One that is idle for too long and was not
 * looked at yet is still there. Any thread.
 */
bool flow_table_read(
	const struct flow_table *t, uint32_t idx, struct flow *ret_flow, void *ret_beside);

#endif
