/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The worker's side of the flow table: lookup of a burst, entries that begin and end. stage_flow
 * comes here; the memory is table_create.c's.
 */
#include <rte_hash.h>

#include "flow/key_inl.h"
#include "pkt/prefetch.h"

/* The entry changes hands between these two; control copies with flow_table_read(). */
static inline void
hands_open(struct flow *f)
{
	__atomic_store_n(&f->life, f->life + 1, __ATOMIC_RELAXED);
	/* else the stores that follow could be seen before the odd number; pairs with the acquire
	 * fence in flow_table_read() */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void
hands_shut(struct flow *f)
{
	/* release: what was written is seen before the even number; pairs with the acquire load in
	 * flow_table_read() */
	__atomic_store_n(&f->life, f->life + 1, __ATOMIC_RELEASE);
}

static void
end_record(struct flow_table *t, uint32_t idx)
{
	if (t->end != NULL)
		t->end(t->end_ctx, flow_table_beside(t, idx));
}

static void
begin(struct flow_table *t, uint32_t idx, const struct flow_key *key, uint32_t now)
{
	struct flow *f = &t->flow[idx];

	hands_open(f);
	memset(&f->flowlet, 0, sizeof(f->flowlet));
	memcpy(f->addrs, key->addrs, sizeof(f->addrs));
	memcpy(&f->l4, &key->l4, 8);
	f->seen = now;
	if (t->beside != NULL)
		memset(flow_table_beside(t, idx), 0, t->beside_len);
	hands_shut(f);
	t->count.inserted++;
}

/* The flow was away for longer than the age: what comes now is another one with the same key. */
static __attribute__((noinline)) void
restart(struct flow_table *t, uint32_t idx, uint32_t now)
{
	struct flow_key key;

	flow_key_of_entry(&t->flow[idx], &key);
	end_record(t, idx);
	begin(t, idx, &key, now);
	t->count.aged++;
}

static inline void
seen(struct flow_table *t, uint32_t idx, uint32_t now)
{
	struct flow *f = &t->flow[idx];

	if (unlikely(f->seen == now))
		return; /* the line stays as it is */
	if (unlikely(now - f->seen > t->age))
		restart(t, idx, now);
	f->seen = now;
}

/* The bucket is known to be full: nobody searches there before its time. */
static bool
is_blocked(const struct flow_table *t, uint32_t bucket, uint64_t now_ps)
{
	const struct flow_blocked *b = &t->blocked[bucket % FLOW_BLOCKED];

	return t->blocked_any && b->bucket == bucket + 1 && !ps_reached(b->until_ps, now_ps);
}

static void
block(struct flow_table *t, uint32_t bucket, uint64_t now_ps)
{
	t->blocked_any = true;
	t->blocked[bucket % FLOW_BLOCKED] = (struct flow_blocked){
		.bucket = bucket + 1,
		.until_ps = now_ps + FLOW_RETRY_PS,
	};
}

/* Packets of a burst that the front does not know. */
struct strangers {
	unsigned int n;
	uint8_t packet[BURST_MAX];
	struct flow_key key[BURST_MAX];
	const void *ptr[BURST_MAX];
	hash_sig_t sig[BURST_MAX];
	int32_t pos[BURST_MAX];
	bool searched; /* in vain, in this burst */
};

/* Room for a new flow; FLOW_NONE when there is none. */
static uint32_t
insert(struct flow_table *t, struct strangers *s, unsigned int k, uint64_t now_ps)
{
	uint32_t bucket = s->sig[k] & t->bucket_mask;
	uint32_t now = (uint32_t)(now_ps >> FLOW_SEEN_SHIFT);
	int32_t pos;

	if (t->count.entries >= t->max || s->searched || is_blocked(t, bucket, now_ps))
		return FLOW_NONE;
	pos = rte_hash_add_key_with_hash(t->hash, &s->key[k], s->sig[k]);
	if (unlikely(pos < 0)) {
		t->count.searches++;
		s->searched = true;
		block(t, bucket, now_ps);
		return FLOW_NONE;
	}
	if (t->flow[pos].kind == 0) {
		begin(t, (uint32_t)pos, &s->key[k], now);
		t->count.entries++;
	} /* else a packet before it in this burst has brought it in */
	return (uint32_t)pos;
}

static __attribute__((noinline)) void
meet(struct flow_table *t, struct burst *b, struct strangers *s, uint64_t now_ps)
{
	uint32_t now = (uint32_t)(now_ps >> FLOW_SEEN_SHIFT);

	for (unsigned int k = 0; k < s->n; k++) {
		flow_key_of_packet(&b->meta[s->packet[k]], &s->key[k]);
		s->sig[k] = flow_signature(t, &s->key[k]);
		s->ptr[k] = &s->key[k];
	}
	rte_hash_lookup_with_hash_bulk(t->hash, s->ptr, s->sig, s->n, s->pos);
	for (unsigned int k = 0; k < s->n; k++) {
		struct pkt_meta *meta = &b->meta[s->packet[k]];
		uint32_t *front = &t->front[meta->flow[1] & t->front_mask];
		uint32_t idx;

		if (s->pos[k] >= 0)
			idx = (uint32_t)s->pos[k];
		else if (flow_is(&t->flow[*front], meta))
			idx = *front; /* came in with this burst */
		else
			idx = insert(t, s, k, now_ps);
		meta->flow_idx = idx;
		if (unlikely(idx == FLOW_NONE)) {
			t->count.full++;
			continue;
		}
		seen(t, idx, now);
		*front = idx;
	}
}

void
flow_table_lookup_bulk(struct flow_table *t, struct burst *b, bool all, uint64_t now_ps)
{
	uint32_t now = (uint32_t)(now_ps >> FLOW_SEEN_SHIFT);
	uint8_t wanted = all ? 0 : PKT_ROCE;
	uint32_t idx[BURST_MAX];
	struct strangers s;
	unsigned int n = b->n;

	s.n = 0;
	s.searched = false;
	for (unsigned int i = 0; i < n; i++) {
		idx[i] = t->front[b->meta[i].flow[1] & t->front_mask];
		prefetch_entry(&t->flow[idx[i]]);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct pkt_meta *meta = &b->meta[i];

		meta->flow_idx = idx[i];
		if (unlikely((meta->flags & wanted) != wanted)) {
			meta->flow_idx = FLOW_NONE;
		} else if (likely(flow_is(&t->flow[idx[i]], meta))) {
			seen(t, idx[i], now);
		} else {
			s.packet[s.n++] = (uint8_t)i;
		}
	}
	if (unlikely(s.n != 0))
		meet(t, b, &s, now_ps);
}

/* Lets the entry go when it was idle for too long. */
static void
look_at(struct flow_table *t, uint32_t idx, uint32_t now)
{
	struct flow *f = &t->flow[idx];
	struct flow_key key;

	if (f->kind == 0 || now - f->seen <= t->age)
		return;
	flow_key_of_entry(f, &key);
	if (rte_hash_del_key_with_hash(t->hash, &key, flow_signature(t, &key)) < 0)
		return;
	end_record(t, idx);
	hands_open(f);
	f->kind = 0;
	hands_shut(f);
	t->count.entries--;
	t->count.aged++;
}

void
flow_table_age(struct flow_table *t, uint64_t now_ps)
{
	uint32_t now = (uint32_t)(now_ps >> FLOW_SEEN_SHIFT);
	uint64_t round_ps = t->step_ps * flow_table_slots(t);

	for (unsigned int k = 0; k < FLOW_AGE_STEPS && ps_reached(t->due_ps, now_ps); k++) {
		look_at(t, t->cursor, now);
		t->cursor = t->cursor + 1 == flow_table_slots(t) ? 0 : t->cursor + 1;
		t->due_ps += t->step_ps;
	}
	/* turns that came too rarely: one round is due, not many */
	if (ps_reached(t->due_ps + round_ps, now_ps))
		t->due_ps = now_ps - round_ps;
}

bool
flow_table_read(const struct flow_table *t, uint32_t idx, struct flow *ret_flow, void *ret_beside)
{
	const struct flow *f = &t->flow[idx];
	/* acquire: what belongs to this number is seen; pairs with hands_shut() */
	uint32_t life = __atomic_load_n(&f->life, __ATOMIC_ACQUIRE);

	if (life & 1)
		return false;
	*ret_flow = *f;
	if (ret_beside != NULL)
		memcpy(ret_beside, flow_table_beside(t, idx), t->beside_len);
	/* the copy is made before the number is read again; pairs with hands_open() */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ret_flow->kind != 0 && __atomic_load_n(&f->life, __ATOMIC_RELAXED) == life;
}
