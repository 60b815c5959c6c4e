/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: a set of weighted ways out that a route points to.
 *
 * A group is immutable once built. The control thread builds a new one, swaps the pointer in the
 * group table with a release store, and frees the old one after a grace period; workers load the
 * pointer with acquire and never write.
 *
 * Buckets. `n_buckets` is a power of two. The base table gives each member buckets in proportion to
 * its weight, in a permuted order. The live table is what the workers index: the base table with
 * every bucket of a dead member given to another one by nhg_probe(). The worker's own fallback in
 * the moment between a link's death and the rebuilt group runs the same probe over the same base
 * table, so a flow moves once, and only if its own member died (resilient hashing; compare Linux's
 * nexthop-group-resilient).
 *
 * Policies. Buckets serve every group: what must stay in order goes by them whatever the policy is,
 * and so does everything when a policy finds no member. A group of another policy than ecmp has a
 * sequence besides (sequence.h), and a cursor in it for each worker. Cursors are the one thing in a
 * group that workers write; each its own, in a cache line of its own.
 */
#ifndef NHG_GROUP_H
#define NHG_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

#include "base/ps.h"

#define NHG_MEMBERS_MAX     128u   /* a bucket is one byte, and 0xff says none */
#define NHG_BUCKETS_MIN     64u    /* below that 16 members differ by a quarter */
#define NHG_BUCKETS_DEFAULT 512u   /* a share of 1/16 is right to 3 % */
#define NHG_BUCKETS_MAX     32768u /* Jericho3's ECMP member table; 32 KB a group */
#define NHG_WEIGHT_MAX      65535u
#define NHG_NONE            0xffu

enum nhg_policy {
	NHG_ECMP,             /* bucket of the flow hash */
	NHG_FLOWLET,          /* a flow's member until a gap, then the one with the least waiting */
	NHG_SPRAY,            /* loose packets one by one, in the order of the sequence */
	NHG_ADAPTIVE,         /* loose packets one by one, to the better of two */
	NHG_ADAPTIVE_FLOWLET, /* a flow's member until a gap, then the better of two */
};

/* Which RoCE packets are loose, that is, may overtake others of their QP. */
enum nhg_spray_if {
	NHG_SPRAY_AR_BIT, /* those whose sender says so, in opcodes that need no order */
	NHG_SPRAY_WRITE,  /* WRITE without immediate data */
	NHG_SPRAY_ANY,    /* all but opcodes that need order */
};

/* What goes into the flow hash; bits. */
enum {
	NHG_HASH_5TUPLE = 1u << 0,
	NHG_HASH_DEST_QP = 1u << 1,    /* E-ECMP: the RoCE destination QP too */
	NHG_HASH_FLOW_LABEL = 1u << 2, /* of IPv6 (RFC 6437) */
	NHG_HASH_VXLAN = 1u << 3,      /* of VXLAN the inner flow too */
	NHG_HASH_ALL = (1u << 4) - 1,
};

/* FBOSS's period; half would be a new way for every few packets of a flow at 100 Gbit/s. */
#define NHG_ROTATE_MIN_PS (100 * PS_PER_US)

/* One way out. 32 bytes: two in a cache line. */
struct nhg_member {
	uint8_t l2[12];     /* destination and source MAC, as they go on the wire */
	uint16_t port_idx;  /* index of the node's port, and of its liveness bit */
	uint16_t mtu;       /* bytes of IP packet that fit the port; 0 when not resolved */
	uint32_t counter;   /* index into the member counters of a worker */
	uint32_t weight;    /* 0..NHG_WEIGHT_MAX; 0 takes no buckets */
	uint32_t n_buckets; /* in the base table */
	uint8_t resolved;   /* 0: its MAC is not known, packets drop as `unresolved` */
	uint8_t pad[3];
};

/*
 * Where a worker is in a group. Owner: the worker; nobody else looks at it once the group is
 * published.
 */
struct nhg_cursor {
	uint32_t pos;       /* in the sequence */
	uint32_t left;      /* entries of this pass */
	uint64_t rotate_ps; /* when the next seed of marked packets begins */
	uint64_t seed;      /* of marked packets, until then */
	bool rotates;       /* rotate_ps is set */
} __rte_cache_aligned;

/* What a group has that is not plain. */
struct nhg_mode {
	const uint8_t *sequence;    /* n_entries member indexes */
	struct nhg_cursor *cursor;  /* by worker */
	uint16_t n_entries;         /* 0: no live member has a weight and a MAC */
	uint16_t n_skip;            /* entries left out after each pass */
	uint32_t choice_counter;    /* counts packets sent one by one, or flowlets begun */
	uint64_t gap_ps;            /* of flowlets */
	uint64_t rotate_ps;         /* 0: the seed stays */
	uint32_t generation;        /* of the indexes of its members; not 0 */
	uint32_t before_generation; /* of the group before, if its indexes were others; or 0 */
	uint8_t spray_if;           /* enum nhg_spray_if */
	/* further cache lines */
	uint8_t need[256];            /* by opcode: flags that a loose packet has */
	uint8_t was[NHG_MEMBERS_MAX]; /* from an index in before_generation, or NHG_NONE */
} __rte_cache_aligned;

struct nhg_group {
	uint64_t seed;
	uint32_t bucket_mask;
	uint16_t n_members;
	uint8_t policy;      /* enum nhg_policy */
	uint8_t hash_fields; /* NHG_HASH_* */
	const struct nhg_member *member;
	const uint8_t *bucket;       /* live table: member index or NHG_NONE */
	const uint8_t *base;         /* base table, the same length */
	const struct nhg_mode *mode; /* NULL: plain, see nhg_is_plain() */
} __rte_cache_aligned;

/* What a group is built from. `member[].n_buckets` is ignored on input. */
struct nhg_spec {
	enum nhg_policy policy;
	enum nhg_spray_if spray_if; /* of SPRAY and ADAPTIVE */
	uint8_t hash_fields;
	uint16_t n_workers;      /* that will have a cursor; 0 only where nhg_is_plain() */
	uint64_t gap_ps;         /* FLOWLET, ADAPTIVE_FLOWLET: above 0 */
	uint64_t rotate_ps;      /* 0, or NHG_ROTATE_MIN_PS and more */
	uint32_t generation;     /* another one for each group that is built; not 0 */
	uint32_t choice_counter; /* index into the member counters of a worker */
	uint32_t n_buckets;      /* power of two, NHG_BUCKETS_MIN..NHG_BUCKETS_MAX */
	uint64_t seed;
	uint16_t n_members; /* 0..NHG_MEMBERS_MAX */
	const struct nhg_member *member;
	/*
	 * Where the member stood in the group this one replaces (its index there, NHG_NONE for a
	 * new one); NULL with `before`.
	 */
	const uint8_t *old_idx;
	const bool *dead; /* per member: its link is down; NULL: all live */
};

/*
 * Builds a group. With `before` the base table moves the fewest buckets from there. `socket` is the
 * NUMA node of its memory, or -1. Errors: -EINVAL for a spec out of range, or for more members with
 * a weight than buckets; -ENOMEM. *ret_group is untouched on failure. Control thread.
 */
int nhg_group_create(const struct nhg_spec *spec, const struct nhg_group *before, int socket,
	struct nhg_group **ret_group);

/*
 * The same in place, for memory of the caller's: `g` is at a cache line and has nhg_group_bytes()
 * bytes. No EAL is needed. Nothing of `g` may be read after a failure.
 */
int nhg_group_init(
	struct nhg_group *g, const struct nhg_spec *spec, const struct nhg_group *before);

/* Takes NULL. Only after a grace period once published. Control thread. */
void nhg_group_free(struct nhg_group *g);

/*
 * How many of `n_buckets` each weight gets: in proportion, at least 1 for a weight above 0, then
 * the largest trimmed until the sum fits (largest remainders rounded up first). The sum is
 * n_buckets, or 0 when all weights are 0. -EINVAL when more weights are above 0 than buckets exist.
 */
int nhg_buckets_apportion(
	const uint32_t *weight, unsigned int n, uint32_t n_buckets, uint32_t *ret_count);

/*
 * Nothing but 5-tuple, QP and buckets decides: such a group needs neither sequence nor cursors.
 * Pure.
 */
static inline bool
nhg_is_plain(enum nhg_policy policy, uint8_t hash_fields, uint64_t rotate_ps)
{
	return policy == NHG_ECMP && rotate_ps == 0 &&
	       (hash_fields & ~(NHG_HASH_5TUPLE | NHG_HASH_DEST_QP)) == 0;
}

/* Bytes of memory that a group of this shape takes. `n_workers` 0: of a plain one. */
size_t nhg_group_bytes(unsigned int n_members, uint32_t n_buckets, unsigned int n_workers);

#endif
