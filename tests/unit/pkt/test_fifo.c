/* SPDX-License-Identifier: BSD-3-Clause */
/* FIFOs of chunks against a dull list: random pushes and pops, an empty pool, all comes back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "pkt/fifo.h"

#define FIFOS    7u
#define LIST_MAX 4096u

static struct pkt_chunks
make_pool(uint64_t n_records, uint32_t n_fifos, void **ret_mem)
{
	struct pkt_chunks pool;
	size_t bytes = pkt_chunks_bytes(n_records, n_fifos);

	*ret_mem = aligned_alloc(64, bytes);
	cr_assert_not_null(*ret_mem);
	memset(*ret_mem, 0xa5, bytes);
	cr_assert_eq(pkt_chunks_init(&pool, *ret_mem, bytes), 0);
	cr_assert_eq(pool.n, bytes / 1024);
	cr_assert_eq(pool.n_free, pool.n);
	return pool;
}

static struct pkt_rec
random_rec(struct rng *rng)
{
	struct pkt_rec rec;
	uint64_t words[3] = {rng_next(rng), rng_next(rng), rng_next(rng)};

	memcpy(&rec, words, sizeof(rec));
	return rec;
}

/* An array that is never reused: no wrap to get wrong. */
struct list {
	struct pkt_rec rec[LIST_MAX];
	unsigned int first, end;
	uint64_t bytes;
};

static void
assert_same(const struct pkt_fifo *f, const struct list *l)
{
	cr_assert_eq(f->n, l->end - l->first);
	cr_assert_eq(f->bytes, l->bytes);
	if (f->n == 0) {
		cr_assert_null(pkt_fifo_peek(f));
		cr_assert(f->head == NULL && f->tail_room == 0, "an empty FIFO holds a chunk");
	} else {
		cr_assert_eq(
			memcmp(pkt_fifo_peek(f), &l->rec[l->first], sizeof(struct pkt_rec)), 0);
	}
}

static void
push_both(struct pkt_chunks *pool, struct pkt_fifo *f, struct list *l, struct rng *rng)
{
	struct pkt_rec rec = random_rec(rng);
	struct pkt_fifo was = *f;
	bool room = pool->n_free > 0 || f->tail_room > 0;

	if (l->end == LIST_MAX)
		return;
	cr_assert_eq(pkt_fifo_push(pool, f, &rec), room);
	if (!room) {
		cr_assert_eq(memcmp(&was, f, sizeof(was)), 0, "a refused push changes nothing");
		return;
	}
	l->rec[l->end++] = rec;
	l->bytes += rec.len;
}

static void
pop_both(struct pkt_chunks *pool, struct pkt_fifo *f, struct list *l)
{
	struct pkt_rec rec = {.len = 77};

	if (l->first == l->end) {
		cr_assert_not(pkt_fifo_pop(pool, f, &rec));
		cr_assert_eq(rec.len, 77);
		return;
	}
	cr_assert(pkt_fifo_pop(pool, f, &rec));
	cr_assert_eq(memcmp(&rec, &l->rec[l->first], sizeof(rec)), 0);
	l->bytes -= l->rec[l->first++].len;
}

/* One pool, several FIFOs, and now more pushes than pops, now fewer. */
static void
play(uint64_t seed, struct pkt_chunks *pool)
{
	static struct list lists[FIFOS];
	struct pkt_fifo fifos[FIFOS] = {0};
	bool exhausted = false;
	struct rng rng;

	memset(lists, 0, sizeof(lists));
	rng_init(&rng, seed);
	for (unsigned int step = 0; step < 20000; step++) {
		unsigned int k = (unsigned int)rng_below(&rng, FIFOS);
		bool filling = step / 500 % 2 == 0;

		if (rng_below(&rng, 100) < (filling ? 70 : 25))
			push_both(pool, &fifos[k], &lists[k], &rng);
		else
			pop_both(pool, &fifos[k], &lists[k]);
		assert_same(&fifos[k], &lists[k]);
		exhausted |= pool->n_free == 0;
	}
	cr_assert_eq(exhausted, pool->n <= 10, "%u chunks", pool->n);
	for (unsigned int k = 0; k < FIFOS; k++)
		while (fifos[k].n != 0)
			pop_both(pool, &fifos[k], &lists[k]);
	cr_assert_eq(pool->n_free, pool->n, "every chunk comes back");
}

Test(fifo, any_order_of_pushes_and_pops_is_a_list)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		void *mem;
		struct pkt_chunks pool = make_pool(5000, FIFOS, &mem);

		play(seed, &pool);
		free(mem);
	}
}

Test(fifo, an_empty_pool_refuses_and_nothing_is_lost)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		void *mem;
		struct pkt_chunks pool = make_pool(84, 4, &mem);

		cr_assert_eq(pool.n, 10);
		play(seed, &pool);
		free(mem);
	}
}

Test(fifo, a_pool_for_so_many_records_holds_them_however_they_are_spread)
{
	struct rng rng;

	rng_init(&rng, 9);
	for (unsigned int round = 0; round < 300; round++) {
		uint32_t n_fifos = 1 + (uint32_t)rng_below(&rng, FIFOS);
		unsigned int want = 1 + (unsigned int)rng_below(&rng, 400);
		struct pkt_fifo fifos[FIFOS] = {0};
		struct pkt_rec rec = {.len = 1};
		void *mem;
		struct pkt_chunks pool = make_pool(want, n_fifos, &mem);

		for (unsigned int n = 0; n < want; n++)
			cr_assert(pkt_fifo_push(&pool, &fifos[rng_below(&rng, n_fifos)], &rec));
		/* from now on one out of any, one into any: chunks are partly filled at both ends
		 */
		for (unsigned int n = 0; n < 5000; n++) {
			struct pkt_fifo *from = &fifos[rng_below(&rng, n_fifos)];

			if (!pkt_fifo_pop(&pool, from, &rec))
				continue;
			cr_assert(pkt_fifo_push(&pool, &fifos[rng_below(&rng, n_fifos)], &rec));
		}
		free(mem);
	}
}

Test(fifo, a_fifo_that_breathes_needs_two_chunks_at_most)
{
	void *mem;
	struct pkt_chunks pool = make_pool(42, 1, &mem);
	struct pkt_fifo f = {0};

	for (uint64_t n = 0; n < 1000; n++) {
		struct pkt_rec rec = {.at_ps = n, .len = 64};

		cr_assert(pkt_fifo_push(&pool, &f, &rec));
		if (n < 41)
			continue;
		cr_assert(pkt_fifo_pop(&pool, &f, &rec));
		cr_assert_eq(rec.at_ps, n - 41);
	}
	free(mem);
}

Test(fifo, memory_that_will_not_do_is_refused)
{
	struct pkt_chunks pool = {.n = 5};
	void *mem = aligned_alloc(64, 2048);

	cr_assert_eq(pkt_chunks_init(&pool, mem, 1023), -EINVAL);
	cr_assert_eq(pkt_chunks_init(&pool, (uint8_t *)mem + 8, 1024), -EINVAL);
	cr_assert_eq(pool.n, 5);
	cr_assert_eq(pkt_chunks_init(&pool, mem, 2047), 0);
	cr_assert_eq(pool.n, 1);
	free(mem);
}
