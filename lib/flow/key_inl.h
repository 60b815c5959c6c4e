/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What makes a packet one of a flow: compared with an entry where both stand, made a key of for
 * rte_hash, and the key's signature.
 *
 * The signature is NH of UMAC (RFC 4418 section 5.2.2) over the ten words of a key, with words
 * drawn from a secret: two keys that somebody chose without knowing it have the same sum with a
 * chance of 2^-32. A CRC is none of that: it is linear, so keys that collide do so whatever it
 * starts with.
 */
#ifndef FLOW_KEY_INL_H
#define FLOW_KEY_INL_H

#include <string.h>

#include "flow/flow.h"
#include "wire/ip.h"

_Static_assert(sizeof(struct flow_key) == 48, "three words of 16 bytes");
_Static_assert((int)FLOW_KEY_IP6 == (int)PKT_IP6 && (int)FLOW_KEY_ROCE == (int)PKT_ROCE,
	"the bits of a key are those of the metadata");

/* l4, proto and kind as one word, as they stand in keys and entries. */
static inline uint64_t
flow_tail(const struct pkt_meta *meta)
{
	bool roce = meta->flags & PKT_ROCE;
	uint32_t l4 = roce ? meta->dest_qp : meta->l4_ports;
	uint8_t proto = roce ? 0 : meta->proto;
	uint8_t kind = (uint8_t)(FLOW_KEY_USED | (meta->flags & (PKT_IP6 | PKT_ROCE)));

	return (uint64_t)kind << 40 | (uint64_t)proto << 32 | l4;
}

_Static_assert(offsetof(struct flow, proto) == offsetof(struct flow, l4) + 4 &&
		       offsetof(struct flow, kind) == offsetof(struct flow, l4) + 5 &&
		       offsetof(struct flow, addrs) == offsetof(struct flow, l4) + 8,
	"flow_tail()'s word");

static inline bool
flow_same_addrs6(const uint8_t *a, const uint8_t *b)
{
	uint64_t x[4], y[4];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) == 0;
}

/* The packet is of the flow that the entry stands for. */
static inline bool
flow_is(const struct flow *f, const struct pkt_meta *meta)
{
	uint64_t tail, a, b;

	memcpy(&tail, &f->l4, sizeof(tail));
	if (tail != flow_tail(meta))
		return false;
	if (meta->flags & PKT_IP6)
		return flow_same_addrs6(f->addrs, meta->l3 + IP6_OFF_SRC);
	memcpy(&a, f->addrs, sizeof(a));
	memcpy(&b, meta->l3 + IP4_OFF_SRC, sizeof(b));
	return a == b;
}

static inline void
flow_key_of_packet(const struct pkt_meta *meta, struct flow_key *ret_key)
{
	bool ip6 = meta->flags & PKT_IP6;
	uint64_t tail = flow_tail(meta);

	memset(ret_key, 0, sizeof(*ret_key));
	memcpy(ret_key->addrs, meta->l3 + (ip6 ? IP6_OFF_SRC : IP4_OFF_SRC), ip6 ? 32 : 8);
	memcpy(&ret_key->l4, &tail, sizeof(tail));
}

static inline void
flow_key_of_entry(const struct flow *f, struct flow_key *ret_key)
{
	memset(ret_key, 0, sizeof(*ret_key));
	memcpy(ret_key->addrs, f->addrs, sizeof(f->addrs));
	memcpy(&ret_key->l4, &f->l4, 8);
}

/* 32 bits for rte_hash: the bucket from below, what it keeps of a key from above. */
static inline uint32_t
flow_signature(const struct flow_table *t, const struct flow_key *key)
{
	uint32_t w[10];
	uint64_t x = t->seed;

	memcpy(w, key, sizeof(w));
	for (unsigned int i = 0; i < 10; i += 2)
		x += (uint64_t)(w[i] + t->key[i]) * (w[i + 1] + t->key[i + 1]);
	/* the sum's bits are of unlike quality: the finaliser of SplitMix64 spreads them */
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((x ^ (x >> 31)) >> 32);
}

#endif
