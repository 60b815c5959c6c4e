/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which member a packet takes where its group is not plain. A part of stage_select, which comes
 * here only in a node that has such a group.
 *
 * The rule that all of it keeps: a packet that must stay in order goes where the packets of its
 * flow went before it. By hash, or in a flowlet whose gap has not passed. A flowlet's gap counts
 * from the moment at which its last packet will have left the node, so that what waits here never
 * counts as path difference.
 */
#include "dp/select_inl.h"
#include "nhg/policy_inl.h"
#include "pkt/inner.h"

struct select {
	struct worker *w;
	const struct alive *alive;
	bool all_alive;
};

static inline bool
is_live(const struct select *s, const struct nhg_group *g, uint8_t member)
{
	return nhg_is_live(g, s->alive, s->all_alive, member);
}

/* Of this burst: looked at once, and what went there since added. */
static inline struct load *
load_of(const struct select *s, uint16_t way)
{
	struct load *l = &s->w->load[way];

	if (unlikely(l->burst != s->w->n_bursts))
		load_look(s->w, way, l);
	return l;
}

/* Books a packet; returns how long the way out is busy then. */
static inline uint64_t
load_add(const struct select *s, uint16_t way, const struct pkt_meta *meta)
{
	struct load *l = load_of(s, way);

	l->ps += load_of_bytes(meta->l3_len + LOAD_OVERHEAD, l->ps_per_byte);
	return l->ps;
}

/*
 * `b` is better than `a`: less waits there, for its weight. A member of three times the weight may
 * have three times as much waiting, so that weights hold where ports are busy, too.
 */
static inline bool
is_better(const struct select *s, const struct nhg_group *g, uint8_t b, uint8_t a)
{
	const struct nhg_member *ma = &g->member[a], *mb = &g->member[b];

	return load_of(s, mb->port_idx)->ps * ma->weight <
	       load_of(s, ma->port_idx)->ps * mb->weight;
}

/*
 * The next member of the sequence, or one by chance that is better: the power of two choices
 * (Mitzenmacher, IEEE TPDS 12, 2001). That the first goes round makes an idle member's turn come
 * after one round at the latest; as long as nothing waits anywhere, shares are those of the
 * weights.
 */
static uint8_t
better_of_two(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c)
{
	uint8_t a = nhg_next(g, c, s->alive, s->all_alive), b;

	if (unlikely(a == NHG_NONE))
		return NHG_NONE;
	b = nhg_random(g->mode, &s->w->rng);
	return b != a && is_live(s, g, b) && is_better(s, g, b, a) ? b : a;
}

/* The bucket of the flow hash; the fields and the seed are what the group says. */
static uint8_t
by_hash(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c,
	const struct pkt_meta *meta)
{
	uint32_t flow = select_flow(meta, g);
	uint64_t seed = g->seed;

	if (g->hash_fields & NHG_HASH_FLOW_LABEL)
		flow = nhg_add_flow_label(meta, flow);
	if (g->hash_fields & NHG_HASH_VXLAN)
		flow = pkt_inner_flow(meta, flow, g->hash_fields & NHG_HASH_DEST_QP);
	if (g->mode->rotate_ps != 0 && nhg_is_marked(meta))
		seed = nhg_rotated_seed(g->mode, c, s->w->now_ps);
	return nhg_select(g, s->alive, s->all_alive, nhg_hash_finish(flow, seed));
}

/* One by one, and counted; NHG_NONE: by hash. */
static inline uint8_t
loose(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c,
	const struct pkt_meta *meta)
{
	uint8_t member;

	if (!nhg_is_loose(g->mode, meta))
		return NHG_NONE;
	member = g->policy == NHG_SPRAY ? nhg_next(g, c, s->alive, s->all_alive)
					: better_of_two(s, g, c);
	if (likely(member != NHG_NONE))
		counter_add(&s->w->counters->member[g->mode->loose_counter], 1, meta->l3_len);
	return member;
}

static uint8_t
choose(const struct select *s, const struct nhg_group *g, struct pkt_meta *meta)
{
	struct nhg_cursor *c = &g->mode->cursor[s->w->idx];
	uint8_t member = NHG_NONE;

	if (g->policy == NHG_SPRAY || g->policy == NHG_ADAPTIVE)
		member = loose(s, g, c, meta);
	if (member == NHG_NONE)
		member = by_hash(s, g, c, meta);
	if (g->policy == NHG_ADAPTIVE && member != NHG_NONE)
		load_add(s, g->member[member].port_idx, meta);
	return member;
}

static inline uint8_t
select_one(const struct select *s, struct nhg_group **group, struct pkt_meta *meta)
{
	const struct nhg_group *g = snapshot_group(group, meta->group);
	uint8_t member;

	if (g->mode == NULL)
		member = nhg_select(
			g, s->alive, s->all_alive, nhg_hash_finish(select_flow(meta, g), g->seed));
	else
		member = choose(s, g, meta);
	return select_to(g, member, meta);
}

void
select_by_policy(struct worker *w, struct burst *b)
{
	struct select s = {.w = w, .alive = &w->shared->alive};
	struct nhg_group **group = w->snapshot->group;
	unsigned int verdicts = 0, n = b->n;

	s.all_alive = alive_all(s.alive);
	w->n_bursts++;
	for (unsigned int i = 0; i < n; i++) {
		uint8_t verdict = select_one(&s, group, &b->meta[i]);

		if (unlikely(verdict != 0)) {
			b->meta[i].verdict = verdict;
			verdicts = 1;
		}
	}
	if (unlikely(verdicts != 0))
		burst_split(b);
}
