/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of reassembly: lists, chains and bits. What they mean is reasm.c's. */
#include "cell/reasm_table.h"

/* A new stream looks at so many others for an idle one: a flood of them stays cheap. */
#define FORGET_TRIES 16u

uint32_t
reasm_gap(const struct reasm *r, const struct reasm_stream *s)
{
	uint32_t begin = s->next_id & (r->window - 1), w = begin / 64;
	const uint64_t *word = reasm_held_word(r, s, 0);
	uint64_t bits = word[w] & UINT64_MAX << (begin % 64);

	if (s->n_slots == 0)
		return r->window;
	while (bits == 0) {
		w = (w + 1) & (r->words - 1);
		bits = word[w];
	}
	return (w * 64 + (uint32_t)__builtin_ctzll(bits) - begin) & (r->window - 1);
}

struct reasm_slot *
reasm_slot_take(
	struct reasm *r, const struct reasm_stream *s, const struct cell_header *h, uint64_t now)
{
	uint32_t idx = r->free_slot;
	struct reasm_slot *slot = &r->slot[idx];

	if (unlikely(idx == REASM_NONE))
		return NULL;
	r->free_slot = slot->next;
	slot->seen = 0;
	slot->first_ps = now;
	slot->packet_id = h->packet_id;
	slot->stream_idx = (uint32_t)(s - r->stream);
	slot->packet_len = h->packet_len;
	slot->unit_len = 0;
	slot->last_len = 0;
	slot->n_fragments = 0;
	slot->congestion = false;
	slot->source = h->source;
	slot->system_port = h->system_port;
	slot->class = h->class;
	r->stats.n_packets++;
	r->stats.peak_packets = RTE_MAX(r->stats.peak_packets, r->stats.n_packets);
	return slot;
}

void
reasm_slot_give(struct reasm *r, struct reasm_slot *slot)
{
	slot->next = r->free_slot;
	r->free_slot = (uint32_t)(slot - r->slot);
	r->stats.n_packets--;
}

void
reasm_slot_link(struct reasm *r, struct reasm_stream *s, struct reasm_slot *slot)
{
	uint32_t *bucket = reasm_slot_bucket(r, s, slot->packet_id);
	uint32_t idx = (uint32_t)(slot - r->slot);

	slot->next = *bucket;
	*bucket = idx;
	slot->older = r->newest;
	slot->newer = REASM_NONE;
	if (r->newest == REASM_NONE)
		r->oldest = idx;
	else
		r->slot[r->newest].newer = idx;
	r->newest = idx;
	*reasm_held_word(r, s, slot->packet_id) |= UINT64_C(1) << (slot->packet_id % 64);
	s->n_slots++;
}

void
reasm_slot_unlink(struct reasm *r, struct reasm_stream *s, struct reasm_slot *slot)
{
	uint32_t *link = reasm_slot_bucket(r, s, slot->packet_id);
	uint32_t idx = (uint32_t)(slot - r->slot);

	while (*link != idx)
		link = &r->slot[*link].next;
	*link = slot->next;
	if (slot->older == REASM_NONE)
		r->oldest = slot->newer;
	else
		r->slot[slot->older].newer = slot->newer;
	if (slot->newer == REASM_NONE)
		r->newest = slot->older;
	else
		r->slot[slot->newer].older = slot->older;
	*reasm_held_word(r, s, slot->packet_id) &= ~(UINT64_C(1) << (slot->packet_id % 64));
	s->n_slots--;
}

struct reasm_slot *
reasm_slot_find(const struct reasm *r, const struct reasm_stream *s, uint32_t packet_id)
{
	uint32_t stream_idx = (uint32_t)(s - r->stream);
	uint32_t idx = *reasm_slot_bucket(r, s, packet_id);

	while (r->slot[idx].packet_id != packet_id || r->slot[idx].stream_idx != stream_idx)
		idx = r->slot[idx].next;
	return &r->slot[idx];
}

/* The finaliser of base/rng.h's generator: full avalanche. */
static uint64_t
mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct reasm_stream *
reasm_stream_find(struct reasm *r, uint64_t key)
{
	uint32_t idx = r->last_stream;

	if (r->stream[idx].key == key)
		return &r->stream[idx];
	idx = r->stream_bucket[mix(key ^ r->seed) & r->stream_mask];
	while (idx != REASM_NONE && r->stream[idx].key != key)
		idx = r->stream[idx].hash_next;
	if (idx == REASM_NONE)
		return NULL;
	r->last_stream = idx;
	return &r->stream[idx];
}

static void
stream_forget(struct reasm *r, struct reasm_stream *s)
{
	uint32_t *link = &r->stream_bucket[mix(s->key ^ r->seed) & r->stream_mask];
	uint32_t idx = (uint32_t)(s - r->stream);

	while (*link != idx)
		link = &r->stream[*link].hash_next;
	*link = s->hash_next;
	s->key = 0;
	s->hash_next = r->free_stream;
	r->free_stream = idx;
	r->stats.streams--;
	r->stats.streams_forgotten++;
}

/* Time is compared by plain difference: one idle for 213 days seems busy for a moment, no more. */
static void
forget_an_idle_one(struct reasm *r, uint64_t now)
{
	for (uint32_t i = 0; i < RTE_MIN(FORGET_TRIES, r->n_streams); i++) {
		struct reasm_stream *s = &r->stream[r->hand];

		r->hand = r->hand + 1 < r->n_streams ? r->hand + 1 : 0;
		if (s->key != 0 && s->n_slots == 0 && now - s->last_ps >= r->idle_ps) {
			stream_forget(r, s);
			return;
		}
	}
}

struct reasm_stream *
reasm_stream_take(struct reasm *r, uint64_t key, uint64_t now)
{
	uint64_t hash = mix(key ^ r->seed);
	uint32_t idx, *bucket = &r->stream_bucket[hash & r->stream_mask];

	if (r->free_stream == REASM_NONE)
		forget_an_idle_one(r, now);
	idx = r->free_stream;
	if (idx == REASM_NONE)
		return NULL;
	struct reasm_stream *s = &r->stream[idx];

	r->free_stream = s->hash_next;
	*s = (struct reasm_stream){
		.key = key,
		.last_ps = now,
		.hash_next = *bucket,
		.salt = (uint32_t)(hash >> 32),
	};
	*bucket = idx;
	r->last_stream = idx;
	r->stats.streams++;
	r->stats.streams_new++;
	return s;
}
