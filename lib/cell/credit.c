/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests in, grants out. Before it comes whoever sorts the control cells of the fabric links,
 * after it whoever sends the GRANTs. The table of VOQs is in credit_table.c.
 *
 * The pace is a word as in the shaper of a port: `due_ps` is when all that was granted so far would
 * have been sent at exactly the rate; there may be a grant when it is reached. A late turn catches
 * up, an idle one does not.
 *
 * Whose turn it is: each VOQ's next turn is in a round. A VOQ that was served goes to the end of
 * its class's ring and into the next round; of the classes that are not strict, one whose first VOQ
 * is still in this round is served. So all their VOQs take turns as in one ring, and a held class
 * can be left out without walking over its VOQs.
 *
 * The first turn of a VOQ among others that wants several is a part of credit_bytes, another one
 * for each. For VOQs with packets of one length that began together would all send two packets for
 * their credit in one round and one in the next, and the port run dry in between (8 VOQs of 9216
 * bytes: 2.4 %).
 */
#include "cell/credit.h"

#include <errno.h>
#include <stdio.h>

#include <rte_branch_prediction.h>
#include <rte_hash.h>
#include <rte_malloc.h>

#include "cell/credit_table.h"

#define CLASSES 8u

/* Bits behind the point of a time a byte: 1 part in 40,000 at CREDIT_RATE_MAX and twice that. */
#define PER_BYTE_SHIFT 20

/* At 400 Gbit/s, 16 KiB each, this is 80 us of turns; what is left comes in the next one. */
#define CHUNKS_MAX 256u

/* Silent VOQs given up in a turn: more than can fall silent between two, in the long run. */
#define SILENT_MAX 8u

struct credit {
	struct credit_table table;
	struct credit_list ring[CLASSES];
	struct credit_list tell;
	uint64_t due_ps;
	uint64_t ps_per_byte; /* << PER_BYTE_SHIFT; 0: stopped */
	uint32_t speedup_permille;
	uint32_t credit_bytes;
	uint32_t round;
	uint32_t part;  /* of 2^32: the next first turn */
	uint8_t asking; /* classes with a VOQ that asks */
	uint8_t strict;
	struct credit_stats stats;
};

/* What the turn has put out so far. */
struct turn {
	struct credit_grant_out *out;
	uint32_t n, max;
};

static int
rate_init(uint64_t rate_bps, uint32_t speedup_permille, uint64_t *ret_ps_per_byte)
{
	unsigned __int128 byte = (unsigned __int128)(8 * PS_PER_S * 1000) << PER_BYTE_SHIFT;
	unsigned __int128 rate = (unsigned __int128)rate_bps * speedup_permille;

	if (rate_bps == 0)
		*ret_ps_per_byte = 0;
	else if (rate_bps < CREDIT_RATE_MIN || rate_bps > CREDIT_RATE_MAX)
		return -ERANGE;
	else
		*ret_ps_per_byte = (uint64_t)((byte + rate / 2) / rate);
	return 0;
}

size_t
credit_memory(uint32_t n_voqs)
{
	return sizeof(struct credit) + RTE_CACHE_LINE_SIZE + credit_table_bytes(n_voqs);
}

int
credit_create(const struct credit_config *config, uint64_t now, struct credit **ret_credit)
{
	char name[RTE_HASH_NAMESIZE];
	struct credit *s;
	uint64_t ps_per_byte;

	if (config->credit_bytes < CREDIT_BYTES_MIN || config->credit_bytes > CREDIT_BYTES_MAX ||
		config->speedup_permille < CREDIT_SPEEDUP_MIN ||
		config->speedup_permille > CREDIT_SPEEDUP_MAX || config->n_voqs == 0 ||
		config->n_voqs > CREDIT_VOQS_MAX ||
		rate_init(config->rate_bps, config->speedup_permille, &ps_per_byte) < 0)
		return -ERANGE;
	s = rte_zmalloc_socket("credit", sizeof(*s), RTE_CACHE_LINE_SIZE, config->socket);
	if (s == NULL)
		return -ENOMEM;
	/* an address is one scheduler's only, in a process of many nodes too */
	snprintf(name, sizeof(name), "credit_%p", (void *)s);
	if (credit_table_init(&s->table, name, config->n_voqs, config->socket) < 0) {
		rte_free(s);
		return -ENOMEM;
	}
	for (unsigned int c = 0; c < CLASSES; c++)
		s->ring[c] = (struct credit_list){CREDIT_NONE, CREDIT_NONE};
	s->tell = (struct credit_list){CREDIT_NONE, CREDIT_NONE};
	s->due_ps = now;
	s->ps_per_byte = ps_per_byte;
	s->speedup_permille = config->speedup_permille;
	s->credit_bytes = config->credit_bytes;
	s->strict = config->strict;
	*ret_credit = s;
	return 0;
}

void
credit_free(struct credit *s)
{
	if (s == NULL)
		return;
	credit_table_fini(&s->table);
	rte_free(s);
}

static void
count(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static unsigned int
class_of(const struct credit_voq *v)
{
	return v->key & (CLASSES - 1);
}

/* It had its turn of this round. Whatever else its number says is old. */
static bool
is_ahead(const struct credit *s, const struct credit_voq *v)
{
	return v->round == s->round + 1;
}

/* Enters the VOQ where it belongs, now that its numbers changed. */
static void
settle(struct credit *s, uint32_t idx)
{
	struct credit_table *t = &s->table;
	struct credit_voq *v = &t->voq[idx];
	unsigned int class = class_of(v);
	bool asks = v->wanted > v->granted;

	if (asks == v->asking)
		return;
	credit_list_remove(t, asks ? &t->idle : &t->heard, CREDIT_AGE, idx);
	credit_list_push(t, asks ? &t->heard : &t->idle, CREDIT_AGE, idx);
	if (asks) {
		credit_list_push(t, &s->ring[class], CREDIT_RING, idx);
		s->asking |= (uint8_t)(1u << class);
	} else {
		credit_list_remove(t, &s->ring[class], CREDIT_RING, idx);
		if (s->ring[class].first == CREDIT_NONE)
			s->asking &= (uint8_t) ~(1u << class);
	}
	v->asking = v->joined = asks;
	count(&s->stats.asking, asks ? 1 : UINT64_MAX);
}

static void
tell(struct credit *s, uint32_t idx)
{
	if (s->table.voq[idx].telling)
		return;
	s->table.voq[idx].telling = true;
	credit_list_push(&s->table, &s->tell, CREDIT_TELL, idx);
}

static void
untell(struct credit *s, uint32_t idx)
{
	if (!s->table.voq[idx].telling)
		return;
	s->table.voq[idx].telling = false;
	credit_list_remove(&s->table, &s->tell, CREDIT_TELL, idx);
}

/* Of those that ask, the one unheard for longest; true when that is too long, and it is idle. */
static bool
give_up_silent(struct credit *s, uint64_t now)
{
	uint32_t idx = s->table.heard.first;
	struct credit_voq *v;

	if (idx == CREDIT_NONE)
		return false;
	v = &s->table.voq[idx];
	if (!ps_reached(v->heard_ps + CREDIT_SILENT_PS, now))
		return false;
	v->wanted = v->granted;
	settle(s, idx);
	count(&s->stats.silent, 1);
	return true;
}

/*
 * A place for a VOQ that is not known, perhaps that of one that is idle or gone. Who is forgotten
 * comes back with its own numbers. CREDIT_NONE: everybody asks.
 */
static uint32_t
make_room(struct credit *s, uint32_t key, uint64_t now)
{
	uint32_t idx = credit_table_add(&s->table, key, now);

	if (idx == CREDIT_NONE) {
		if (s->table.idle.first == CREDIT_NONE && !give_up_silent(s, now))
			return CREDIT_NONE;
		untell(s, s->table.idle.first);
		credit_table_remove(&s->table, s->table.idle.first);
		count(&s->stats.evicted, 1);
		count(&s->stats.known, UINT64_MAX);
		idx = credit_table_add(&s->table, key, now);
		if (idx == CREDIT_NONE)
			return CREDIT_NONE;
	}
	count(&s->stats.known, 1);
	return idx;
}

/* The last heard of its list. */
static void
heard(struct credit *s, uint32_t idx, uint64_t now)
{
	struct credit_voq *v = &s->table.voq[idx];
	struct credit_list *l = v->asking ? &s->table.heard : &s->table.idle;

	v->heard_ps = now;
	credit_list_remove(&s->table, l, CREDIT_AGE, idx);
	credit_list_push(&s->table, l, CREDIT_AGE, idx);
}

/* The numbers of a REQUEST; true: it wants more than was known. */
static bool
take_in(struct credit *s, struct credit_voq *v, const struct cell_request *q, bool is_new)
{
	bool wants_more;

	if (is_new || v->session != q->session) {
		count(&s->stats.sessions, 1);
		v->session = q->session;
		v->granted = v->wanted = 0;
	}
	v->granted = RTE_MAX(v->granted, q->granted);
	wants_more = q->wanted > v->wanted;
	v->wanted = RTE_MAX(v->wanted, q->wanted);
	v->wanted = RTE_MAX(v->wanted, v->granted);
	return wants_more;
}

int
credit_request(
	struct credit *s, const struct cell_header *h, const struct cell_request *q, uint64_t now)
{
	uint32_t key = credit_key(h->source, h->pipe, h->class & (CLASSES - 1));
	uint32_t idx = credit_table_find(&s->table, key);
	bool is_new = idx == CREDIT_NONE, nobody_asked = s->asking == 0, wants_more;
	struct credit_voq *v;

	count(&s->stats.requests, 1);
	if (is_new) {
		if (q->wanted <= q->granted)
			return 0; /* wants nothing: not worth a place */
		idx = make_room(s, key, now);
		if (idx == CREDIT_NONE) {
			count(&s->stats.refused, 1);
			return -ENOSPC;
		}
	}
	v = &s->table.voq[idx];
	wants_more = take_in(s, v, q, is_new);
	settle(s, idx);
	heard(s, idx, now);
	if (nobody_asked && ps_reached(s->due_ps, now))
		s->due_ps = now;
	/*
	 * It does not know of all. Perhaps that is on its way and has crossed the REQUEST; who
	 * wants more besides gets the next grant anyway, which says all.
	 */
	if (q->granted < v->granted && !wants_more)
		tell(s, idx);
	return 0;
}

static uint64_t
cost_ps(const struct credit *s, uint64_t bytes)
{
	return (uint64_t)((unsigned __int128)bytes * s->ps_per_byte >> PER_BYTE_SHIFT);
}

static uint8_t
servable(const struct credit *s, uint8_t held)
{
	return s->ps_per_byte == 0 ? 0 : s->asking & (uint8_t)~held;
}

/*
 * Whose turn it is; `classes` is not empty. A class that was held and is behind has no turns to
 * make good: it is served in this round, as others.
 */
static uint32_t
pick(const struct credit *s, uint8_t classes)
{
	uint32_t first = CREDIT_NONE;

	if (classes & s->strict)
		return s->ring[31 - __builtin_clz(classes & s->strict)].first;
	for (unsigned int left = classes; left != 0; left &= left - 1) {
		first = s->ring[__builtin_ctz(left)].first;
		if (!is_ahead(s, &s->table.voq[first]))
			break;
	}
	return first;
}

static struct credit_grant_out *
out_of(const struct turn *u, const struct credit_voq *v)
{
	struct credit_grant_out *o = &u->out[v->out_idx];

	return v->out_idx < u->n && credit_key(o->source, o->pipe, o->class) == v->key ? o : NULL;
}

/* What the VOQ was granted, all in all. False, and nothing changed: there is no room. */
static bool
put_out(struct turn *u, struct credit_voq *v, uint64_t granted)
{
	struct credit_grant_out *o = out_of(u, v);

	if (o == NULL) {
		if (u->n == u->max)
			return false;
		v->out_idx = (uint16_t)u->n;
		o = &u->out[u->n++];
	}
	*o = (struct credit_grant_out){
		.source = (uint16_t)(v->key >> 16),
		.pipe = (uint8_t)(v->key >> 8),
		.class = (uint8_t)(v->key & (CLASSES - 1)),
		.grant = {.session = v->session, .granted = granted},
	};
	return true;
}

/* Bytes of the VOQ's turn. Parts in steps of the golden ratio lie evenly, however many they are. */
static uint64_t
chunk(struct credit *s, struct credit_voq *v)
{
	uint64_t left = v->wanted - v->granted;

	if (left <= s->credit_bytes)
		return left;
	if (!v->joined || s->stats.asking == 1)
		return s->credit_bytes;
	s->part += UINT32_C(0x9e3779b9);
	return 1 + ((uint64_t)s->part * s->credit_bytes >> 32);
}

/* One turn of one VOQ; false: no room for its GRANT. */
static bool
grant(struct credit *s, struct turn *u, uint32_t idx)
{
	struct credit_voq *v = &s->table.voq[idx];
	struct credit_list *ring = &s->ring[class_of(v)];
	uint64_t bytes;

	if (out_of(u, v) == NULL && u->n == u->max)
		return false;
	bytes = chunk(s, v);
	put_out(u, v, v->granted + bytes);
	v->granted += bytes;
	v->joined = false;
	s->due_ps += cost_ps(s, bytes);
	count(&s->stats.granted_bytes, bytes);
	untell(s, idx);
	if (!(s->strict >> class_of(v) & 1)) {
		if (is_ahead(s, v))
			s->round++; /* nobody is left in the old one */
		v->round = s->round + 1;
	}
	if (v->wanted > v->granted) {
		credit_list_remove(&s->table, ring, CREDIT_RING, idx);
		credit_list_push(&s->table, ring, CREDIT_RING, idx);
	} else {
		settle(s, idx);
	}
	return true;
}

static void
repeat(struct credit *s, struct turn *u)
{
	while (s->tell.first != CREDIT_NONE) {
		struct credit_voq *v = &s->table.voq[s->tell.first];

		if (!put_out(u, v, v->granted))
			return;
		count(&s->stats.repeats, 1);
		untell(s, s->tell.first);
	}
}

uint32_t
credit_turn(
	struct credit *s, uint64_t now, uint8_t held, struct credit_grant_out *out, uint32_t max)
{
	/* a place for a repeat, so that grants do not keep them waiting for ever */
	struct turn u = {.out = out, .max = max - (s->tell.first != CREDIT_NONE)};
	uint64_t late = ps_ahead(s->due_ps, now) > 0 ? 0 : now - s->due_ps;

	for (unsigned int i = 0; i < SILENT_MAX && give_up_silent(s, now); i++)
		;
	if (unlikely(late > CREDIT_LATE_MAX_PS))
		s->due_ps = now - CREDIT_LATE_MAX_PS;
	for (unsigned int i = 0; i < CHUNKS_MAX && ps_reached(s->due_ps, now); i++) {
		uint8_t classes = servable(s, held);

		if (classes == 0) {
			s->due_ps = now;
			break;
		}
		if (!grant(s, &u, pick(s, classes)))
			break;
	}
	u.max = max;
	repeat(s, &u);
	count(&s->stats.grants, u.n);
	return u.n;
}

uint64_t
credit_next_ps(const struct credit *s, uint64_t now, uint8_t held)
{
	if (s->tell.first != CREDIT_NONE)
		return now;
	return servable(s, held) == 0 ? UINT64_MAX : now + ps_ahead(s->due_ps, now);
}

int
credit_set_rate(struct credit *s, uint64_t rate_bps, uint64_t now)
{
	uint64_t ps_per_byte, chunk_ps;

	if (rate_init(rate_bps, s->speedup_permille, &ps_per_byte) < 0)
		return -ERANGE;
	s->ps_per_byte = ps_per_byte;
	/* what was granted at a slow rate does not block a fast one */
	chunk_ps = cost_ps(s, s->credit_bytes);
	if (ps_ahead(s->due_ps, now) > chunk_ps)
		s->due_ps = now + chunk_ps;
	return 0;
}

const struct credit_stats *
credit_stats(const struct credit *s)
{
	return &s->stats;
}
