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
#include "flow/flow.h"
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
 * What does not count as waiting: a burst of 64 over 4 members is 16 packets each, and shares are
 * to be those of the weights while ports keep up. Half of it would see a burst as a backlog; twice
 * as much would be 26 us at 10 Gbit/s.
 */
#define LITTLE_BYTES 16384u

/*
 * The next member of the sequence, or another one by chance that is better: the power of two
 * choices (Mitzenmacher, IEEE TPDS 12, 2001). That the first goes round makes an idle member's turn
 * come after one round at the latest.
 */
static uint8_t
better_of_two(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c)
{
	uint8_t a = nhg_next(g, c, s->alive, s->all_alive), b;
	const struct load *l;

	if (unlikely(a == NHG_NONE))
		return NHG_NONE;
	l = load_of(s, g->member[a].port_idx);
	if (l->ps <= load_of_bytes(LITTLE_BYTES, l->ps_per_byte))
		return a;
	b = nhg_other(g, &s->w->rng, a, s->alive, s->all_alive);
	return b != NHG_NONE && is_better(s, g, b, a) ? b : a;
}

/* The member with the least waiting; of equal ones the next of the sequence. */
static uint8_t
least(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c)
{
	uint8_t best = nhg_next(g, c, s->alive, s->all_alive);

	if (unlikely(best == NHG_NONE))
		return NHG_NONE;
	for (uint8_t m = 0; m < g->n_members; m++)
		if (g->member[m].weight != 0 && g->member[m].mtu != 0 && is_live(s, g, m) &&
			is_better(s, g, m, best))
			best = m;
	return best;
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
		counter_add(&s->w->counters->member[g->mode->choice_counter], 1, meta->l3_len);
	return member;
}

/*
 * The member that the flow went to, or NHG_NONE: none yet, it died or is excluded since, or it was
 * one of a group that is gone.
 */
static uint8_t
member_of_flowlet(const struct select *s, const struct nhg_group *g, const struct flow_flowlet *f)
{
	const struct nhg_mode *mode = g->mode;
	uint8_t member = f->member;

	if (!f->set)
		return NHG_NONE;
	if (unlikely(f->generation != mode->generation)) {
		if (f->generation != mode->before_generation || member >= NHG_MEMBERS_MAX)
			return NHG_NONE;
		member = mode->was[member];
	}
	if (unlikely(member >= g->n_members || g->member[member].weight == 0 ||
		     g->member[member].mtu == 0 || !is_live(s, g, member)))
		return NHG_NONE;
	return member;
}

/*
 * Nobody knows when packets leave a port that is paused; they stay in front of those of their
 * flow's that come later.
 */
static bool
is_paused(const struct select *s, uint16_t way, uint8_t class)
{
	const struct worker *w = s->w;

	if (way >= w->n_ports || !(w->snapshot->egress[way]->pfc >> class & 1))
		return false;
	return qos_pause_mask(&w->shared->commons[way].pause, w->now_ps) >> class & 1;
}

/* The flow has made a pause, and its last packet has left. */
static bool
is_over(const struct select *s, const struct nhg_group *g, const struct flow_flowlet *f,
	uint8_t member, const struct pkt_meta *meta)
{
	return ps_reached(f->last_ps + g->mode->gap_ps, s->w->now_ps) &&
	       !is_paused(s, g->member[member].port_idx, meta->class);
}

/*
 * Where a flow that is new or has made a pause goes. Once the table was full a flow without an
 * entry may be one whose packets have just gone by hash: it stays there until it pauses.
 */
static uint8_t
begin_flowlet(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c,
	const struct flow_flowlet *f, const struct pkt_meta *meta)
{
	uint8_t member;

	if (unlikely(!f->set && s->w->flow->count.full != 0))
		return by_hash(s, g, c, meta);
	counter_add(&s->w->counters->member[g->mode->choice_counter], 1, 0);
	member = g->policy == NHG_FLOWLET ? least(s, g, c) : better_of_two(s, g, c);
	return likely(member != NHG_NONE) ? member : by_hash(s, g, c, meta);
}

/*
 * The end of a flowlet's last packet is reckoned as if it left when all that waits at its port has
 * left: exact where a port has a rate and one class, and with the pause asked for besides.
 */
static uint8_t
by_flowlet(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c,
	const struct pkt_meta *meta)
{
	struct flow_flowlet *f;
	uint8_t member;

	if (unlikely(s->w->flow == NULL || meta->flow_idx == FLOW_NONE))
		return by_hash(s, g, c, meta);
	f = &flow_table_at(s->w->flow, meta->flow_idx)->flowlet;
	member = member_of_flowlet(s, g, f);
	if (unlikely(member == NHG_NONE || is_over(s, g, f, member, meta)))
		member = begin_flowlet(s, g, c, f, meta);
	if (unlikely(member == NHG_NONE))
		return NHG_NONE;
	f->member = member;
	f->generation = g->mode->generation;
	f->last_ps = s->w->now_ps + load_add(s, g->member[member].port_idx, meta);
	f->set = 1;
	return member;
}

static uint8_t
by_packet(const struct select *s, const struct nhg_group *g, struct nhg_cursor *c,
	const struct pkt_meta *meta)
{
	uint8_t member = loose(s, g, c, meta);

	if (member == NHG_NONE)
		member = by_hash(s, g, c, meta);
	if (g->policy == NHG_ADAPTIVE && likely(member != NHG_NONE))
		load_add(s, g->member[member].port_idx, meta);
	return member;
}

static inline uint8_t
choose(const struct select *s, const struct nhg_group *g, const struct pkt_meta *meta)
{
	struct nhg_cursor *c = &g->mode->cursor[s->w->idx];

	switch (g->policy) {
	case NHG_SPRAY:
	case NHG_ADAPTIVE:
		return by_packet(s, g, c, meta);
	case NHG_FLOWLET:
	case NHG_ADAPTIVE_FLOWLET:
		return by_flowlet(s, g, c, meta);
	default:
		return by_hash(s, g, c, meta);
	}
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
