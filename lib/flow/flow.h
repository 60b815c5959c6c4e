/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow table of one worker: from a packet's key to a small entry that lasts as long as packets
 * of the flow come. rte_hash finds the entry; entries stand in an array beside it and keep their
 * index, so that stages meet by index (pkt_meta.flow_idx).
 *
 * Owner and only writer: the worker. Readers: the control thread, which walks the array with
 * flow_table_read() while the worker goes on: an entry's `life` is odd while the key changes hands
 * and another number afterwards, so that a copy is of one flow; the words of a copy may be a few
 * packets apart, as all counters are. No lock, no allocation and no system call after creation.
 *
 * Bounds. At most `max` flows; the table is twice as large as that, so that no bucket fills by
 * chance. Its hash is keyed with a secret (key_inl.h), so that none fills by design. Should one be
 * full all the same, a search for room is made once a call and once in FLOW_RETRY_PS for each such
 * bucket; packets without an entry go on by hash and are counted in `full`.
 *
 * Who needs what: stage_flow fills `flow_idx`, stage_select may keep a flowlet in the entry,
 * the per-QP view has its own record beside each entry (qp.h).
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

#include "base/ps.h"
#include "pkt/burst.h"

#define FLOW_MIN 64u
#define FLOW_MAX (1u << 22)   /* 4 million: pkt_meta has 24 bits for an index */
#define FLOW_NONE 0xffffffu   /* pkt_meta.flow_idx of a packet without an entry */

#define FLOW_AGE_MIN_PS (1 * PS_PER_MS)
#define FLOW_AGE_MAX_PS (3600 * PS_PER_S)

/*
 * What makes packets one flow. RoCEv2: addresses and destination QP; the UDP source port is not
 * part of it, NICs change it within a QP. All else: addresses, protocol, ports; fragments without
 * ports, so all pieces of a datagram are one flow.
 */
struct flow_key {
	uint8_t src[16], dst[16]; /* network order; of IPv4 the first 4 bytes, then zeros */
	uint32_t l4;              /* destination QP, or source port << 16 | destination port */
	uint8_t proto;            /* IP protocol; 0 for RoCE */
	uint8_t kind;             /* FLOW_KEY_* */
	uint8_t zero[10];         /* 48 bytes: rte_hash compares them in three words */
};

enum {
	FLOW_KEY_IP6 = 1u << 0,
	FLOW_KEY_ROCE = 1u << 1,
};

/*
 * What a policy keeps of a flow: 16 bytes of its own, all zero in a new entry. The table never
 * looks at them. Worker.
 */
struct flow_flowlet {
	uint64_t last_ps;    /* of the packet before this one */
	uint32_t generation; /* of the group that `member` was chosen in; 0: none yet */
	uint8_t member;
	uint8_t set; /* 0 in a new entry: the fields above say nothing */
	uint8_t pad[2];
};

/* An entry: one cache line. */
struct flow {
	struct flow_flowlet flowlet;
	uint32_t life; /* odd: changes hands; a new number with each flow */
	uint32_t seen; /* time of the last packet, in units of 2^FLOW_SEEN_SHIFT ps */
	uint8_t used;
	uint8_t kind, proto;
	uint8_t pad;
	uint32_t l4;
	uint8_t src[16], dst[16];
} __rte_cache_aligned;

_Static_assert(sizeof(struct flow) == 64, "an entry is one cache line");

#define FLOW_SEEN_SHIFT 30u /* 1.07 ms; 32 bits of it are 53 days */

/* All monotone but `entries`; the worker's, others read them relaxed. */
struct flow_counters {
	uint64_t entries;  /* now */
	uint64_t inserted; /* flows that got an entry */
	uint64_t aged;     /* entries that were idle for too long and went */
	uint64_t full;     /* packets without an entry, for the table or their bucket is full */
	uint64_t searches; /* for room in a full bucket, in vain: the dear ones */
};

struct flow_table;

struct flow_table_config {
	const char *name;  /* unique in the process, at most 26 characters */
	uint32_t max;      /* flows, FLOW_MIN..FLOW_MAX */
	uint64_t age_ps;   /* FLOW_AGE_MIN_PS..FLOW_AGE_MAX_PS */
	uint64_t seed[2];  /* the secret of the hash */
	int socket;        /* NUMA node, or -1 */
	size_t beside_len; /* bytes of a record beside each entry (qp.h); 0: none */
};

/* -EINVAL, -ENOMEM, -EEXIST for a name that is taken. Control. */
int flow_table_create(const struct flow_table_config *c, struct flow_table **ret_table);
void flow_table_free(struct flow_table *t); /* takes NULL */

/* Bytes that a table of this shape takes. Pure. */
size_t flow_table_bytes(uint32_t max, size_t beside_len);

/*
 * The entry of each of `n` keys (at most BURST_MAX), a new one where there was none and there is
 * room; NULL: go on by hash. An entry that was idle for longer than `age_ps` begins anew. Two
 * packets of a flow have the same pointer. Worker.
 */
void flow_table_lookup_bulk(struct flow_table *t, const struct flow_key *key, unsigned int n,
	uint64_t now_ps, struct flow **ret_flow);

/* index 0..flow_table_slots() - 1, as pkt_meta.flow_idx has it; never FLOW_NONE. Any thread. */
struct flow *flow_table_at(const struct flow_table *t, uint32_t idx);
uint32_t flow_table_index(const struct flow_table *t, const struct flow *f);
uint32_t flow_table_slots(const struct flow_table *t);
/* The record beside an entry: zeroed when the entry begins. */
void *flow_table_beside(const struct flow_table *t, uint32_t idx);

/*
 * Lets go what was idle for too long: looks at a few entries, as many as the time since the last
 * call asks for to come by each entry 16 times in `age_ps`, FLOW_AGE_STEPS at most. Once a turn.
 * Worker.
 */
#define FLOW_AGE_STEPS 64u
void flow_table_age(struct flow_table *t, uint64_t now_ps);

const struct flow_counters *flow_table_counters(const struct flow_table *t); /* any thread */

#endif
