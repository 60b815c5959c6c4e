/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resequencing: what happens to a frame, and when a number is given up. reseq.h has the rules;
 * dp/hyper_in.c calls it.
 *
 * Frames that wait stand at their number modulo the window. Each has a bit, so that the next one is
 * found by looking at words, however many numbers between are missing; and they form a list by age.
 * What next has passed goes to a ring of its own until it is taken.
 */
#include "hyper/reseq.h"

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "base/bits.h"
#include "base/ps.h"

#define AHEAD_MAX 32768u /* numbers: half of all */
#define NONE      UINT32_MAX

struct slot {
	struct rte_mbuf *m;
	uint64_t at_ps;
	uint32_t older, newer;
};

struct reseq {
	struct slot *slot;       /* by number % window */
	struct rte_mbuf **ready; /* a ring of 2 windows */
	uint64_t *held;          /* bit: a frame stands there */
	uint64_t gone[AHEAD_MAX /
		      64]; /* bit number % 2^15: of those behind next, it was delivered */
	uint32_t window;
	uint32_t oldest, newest;
	uint32_t ready_head, n_ready;
	uint16_t next;
	bool begun; /* next means something */
	bool sure;  /* a frame was delivered since: what is missing from next on is lost */
	uint64_t timeout_ps;
	uint64_t last_ps; /* of the last frame taken */
	struct reseq_stats stats;
};

/* Offsets in one block of memory. */
struct layout {
	size_t slot, ready, held, end;
};

static struct layout
lay_out(const struct reseq_config *c)
{
	struct layout at = {.slot = RTE_CACHE_LINE_ROUNDUP(sizeof(struct reseq))};

	at.ready = at.slot + c->window * sizeof(struct slot);
	at.held = at.ready + 2 * (size_t)c->window * sizeof(struct rte_mbuf *);
	at.end = at.held + c->window / 8;
	return at;
}

size_t
reseq_bytes(const struct reseq_config *c)
{
	return lay_out(c).end;
}

int
reseq_create(const struct reseq_config *c, struct reseq **ret_reseq)
{
	struct layout at;
	struct reseq *r;
	uint8_t *mem;

	if (c->window < RESEQ_WINDOW_MIN || c->window > RESEQ_WINDOW_MAX ||
		!bits_is_pow2(c->window) || c->timeout_ps == 0 || c->timeout_ps >= PS_AHEAD_MAX / 2)
		return -EINVAL;
	at = lay_out(c);
	mem = rte_zmalloc_socket("reseq", at.end, RTE_CACHE_LINE_SIZE, c->socket);
	if (mem == NULL)
		return -ENOMEM;
	r = (struct reseq *)mem;
	r->slot = (struct slot *)(mem + at.slot);
	r->ready = (struct rte_mbuf **)(mem + at.ready);
	r->held = (uint64_t *)(mem + at.held);
	r->window = c->window;
	r->timeout_ps = c->timeout_ps;
	r->oldest = r->newest = NONE;
	*ret_reseq = r;
	return 0;
}

void
reseq_free(struct reseq *r)
{
	if (r == NULL)
		return;
	reseq_drop_all(r);
	rte_free(r);
}

static inline uint32_t
place(const struct reseq *r, uint16_t seq)
{
	return seq & (r->window - 1);
}

static inline bool
is_held(const struct reseq *r, uint16_t seq)
{
	uint32_t at = place(r, seq);

	return r->held[at / 64] >> (at % 64) & 1;
}

/* next's frame leaves. */
static inline void
deliver(struct reseq *r, struct rte_mbuf *m)
{
	r->ready[(r->ready_head + r->n_ready++) & (2 * r->window - 1)] = m;
	r->gone[r->next % AHEAD_MAX / 64] |= UINT64_C(1) << (r->next % 64);
	r->next++;
	r->sure = true;
	r->stats.packets++;
}

static void
hold(struct reseq *r, uint16_t seq, struct rte_mbuf *m, uint64_t now)
{
	uint32_t at = place(r, seq);

	r->slot[at] = (struct slot){.m = m, .at_ps = now, .older = r->newest, .newer = NONE};
	if (r->newest == NONE)
		r->oldest = at;
	else
		r->slot[r->newest].newer = at;
	r->newest = at;
	r->held[at / 64] |= UINT64_C(1) << (at % 64);
	r->stats.n_held++;
	r->stats.peak_held = RTE_MAX(r->stats.peak_held, r->stats.n_held);
}

/* Takes the frame out of the window that stands there. */
static struct rte_mbuf *
release(struct reseq *r, uint32_t at)
{
	struct slot *s = &r->slot[at];

	if (s->older == NONE)
		r->oldest = s->newer;
	else
		r->slot[s->older].newer = s->newer;
	if (s->newer == NONE)
		r->newest = s->older;
	else
		r->slot[s->newer].older = s->older;
	r->held[at / 64] &= ~(UINT64_C(1) << (at % 64));
	r->stats.n_held--;
	return s->m;
}

/* The frame at next, which is held, leaves. */
static void
pass_one(struct reseq *r, uint64_t now)
{
	uint32_t at = place(r, r->next);
	uint64_t waited = now - r->slot[at].at_ps;

	r->stats.waited++;
	r->stats.wait_max_ps = RTE_MAX(r->stats.wait_max_ps, waited);
	deliver(r, release(r, at));
}

/* What is held from next on without a gap leaves. */
static void
go_on(struct reseq *r, uint64_t now)
{
	while (r->stats.n_held != 0 && is_held(r, r->next))
		pass_one(r, now);
}

/* Numbers from next to the first one that is held; AHEAD_MAX when none is. */
static uint32_t
gap(const struct reseq *r)
{
	uint32_t begin = place(r, r->next), w = begin / 64;
	uint64_t bits = r->held[w] & UINT64_MAX << (begin % 64);

	if (r->stats.n_held == 0)
		return AHEAD_MAX;
	while (bits == 0) {
		w = (w + 1) & (r->window / 64 - 1);
		bits = r->held[w];
	}
	return (w * 64 + (uint32_t)__builtin_ctzll(bits) - begin) & (r->window - 1);
}

/* next passes `n` numbers without a frame, at most AHEAD_MAX. */
static void
give_up(struct reseq *r, uint32_t n)
{
	while (n != 0) {
		uint32_t bit = r->next % 64, run = RTE_MIN(n, 64 - bit);

		r->gone[r->next % AHEAD_MAX / 64] &= ~(UINT64_MAX >> (64 - run) << bit);
		r->next = (uint16_t)(r->next + run);
		n -= run;
	}
}

/*
 * next passes `n` numbers: what is held of them leaves. Returns how many were given up that had to
 * be there. The work is that of frames and of words, not of numbers.
 */
static uint32_t
pass(struct reseq *r, uint32_t n, uint64_t now)
{
	uint32_t missing = 0;

	while (n != 0) {
		uint32_t skip = RTE_MIN(gap(r), n);

		missing += r->sure ? skip : 0;
		give_up(r, skip);
		n -= skip;
		if (n != 0) {
			pass_one(r, now);
			n--;
		}
	}
	go_on(r, now);
	return missing;
}

/* A window that ends with this number; nothing before it is known. */
static void
begin(struct reseq *r, uint16_t seq, uint64_t now)
{
	while (r->stats.n_held != 0)
		r->stats.lost += pass(r, gap(r) + 1, now);
	r->stats.restarts += r->begun;
	memset(r->gone, 0, sizeof(r->gone));
	r->next = (uint16_t)(seq - r->window + 1);
	r->begun = true;
	r->sure = false;
}

/* The number is outside the window. DROP_NONE: it is inside now. */
static enum drop_reason
admit(struct reseq *r, uint16_t seq, uint64_t now)
{
	uint32_t ahead = (uint16_t)(seq - r->next);

	if (!r->begun || now - r->last_ps >= 2 * r->timeout_ps) {
		begin(r, seq, now);
		return DROP_NONE;
	}
	if (ahead < AHEAD_MAX) {
		r->stats.overrun += pass(r, ahead - r->window + 1, now);
		return DROP_NONE;
	}
	if (r->gone[seq % AHEAD_MAX / 64] >> (seq % 64) & 1) {
		r->stats.duplicate++;
		return DROP_hyper_duplicate;
	}
	r->stats.late++;
	return DROP_hyper_late;
}

enum drop_reason
reseq_put(struct reseq *r, uint16_t seq, struct rte_mbuf *m, uint64_t now)
{
	uint32_t ahead = (uint16_t)(seq - r->next);

	if (unlikely(ahead >= r->window || !r->begun)) {
		enum drop_reason reason = admit(r, seq, now);

		if (reason != DROP_NONE)
			return reason;
	} else if (unlikely(is_held(r, seq))) {
		r->stats.duplicate++;
		return DROP_hyper_duplicate;
	}
	r->last_ps = now;
	if (seq != r->next) {
		hold(r, seq, m, now);
		return DROP_NONE;
	}
	deliver(r, m);
	go_on(r, now);
	return DROP_NONE;
}

uint16_t
reseq_take(struct reseq *r, struct rte_mbuf **out, uint16_t max)
{
	uint16_t n = (uint16_t)RTE_MIN(r->n_ready, (uint32_t)max);

	for (uint16_t i = 0; i < n; i++)
		out[i] = r->ready[(r->ready_head + i) & (2 * r->window - 1)];
	r->ready_head += n;
	r->n_ready -= n;
	return n;
}

void
reseq_turn(struct reseq *r, uint64_t now)
{
	while (r->oldest != NONE && ps_reached(r->slot[r->oldest].at_ps + r->timeout_ps, now)) {
		uint32_t ahead = (r->oldest - place(r, r->next)) & (r->window - 1);

		r->stats.lost += pass(r, ahead + 1, now);
	}
}

uint64_t
reseq_next_ps(const struct reseq *r, uint64_t now)
{
	if (r->n_ready != 0)
		return now;
	if (r->oldest == NONE)
		return UINT64_MAX;
	return now + ps_ahead(r->slot[r->oldest].at_ps + r->timeout_ps, now);
}

uint32_t
reseq_drop_all(struct reseq *r)
{
	uint32_t n = 0;

	for (; r->n_ready != 0; r->n_ready--, n++)
		rte_pktmbuf_free(r->ready[r->ready_head++ & (2 * r->window - 1)]);
	for (; r->oldest != NONE; n++)
		rte_pktmbuf_free(release(r, r->oldest));
	return n;
}

uint32_t
reseq_waiting(const struct reseq *r)
{
	return __atomic_load_n(&r->stats.n_held, __ATOMIC_RELAXED) +
	       __atomic_load_n(&r->n_ready, __ATOMIC_RELAXED);
}

const struct reseq_stats *
reseq_stats(const struct reseq *r)
{
	return &r->stats;
}
