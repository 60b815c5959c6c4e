/* SPDX-License-Identifier: BSD-3-Clause */
/* pkt_pullup() at its edges: full, shared, foreign and empty segments. One EAL for all. */
#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "eal.h"
#include "packet.h"
#include "pkt/parse.h"

#define ROOM  512u
#define FRAME 1000u

static struct rte_mempool *pool;
static uint8_t frame[FRAME];

static void
setup(void)
{
	struct rng rng;

	test_eal(64);
	if (pool == NULL)
		pool = test_pool("pullup", 2047, ROOM);
	rng_init(&rng, 3);
	for (unsigned int i = 0; i < FRAME; i++)
		frame[i] = (uint8_t)rng_next(&rng);
}

static void
check_content(const struct rte_mbuf *m, size_t len)
{
	uint8_t copy[FRAME];
	const char *why;

	cr_assert_eq(packet_read(m, copy, sizeof(copy)), len);
	cr_assert_eq(memcmp(copy, frame, len), 0);
	cr_assert_eq(rte_mbuf_check(m, 1, &why), 0, "%s", why);
}

/* Refused, and the packet is as it was, segment by segment. */
static void
check_refused(struct rte_mbuf *m, uint16_t want, size_t len)
{
	const struct rte_mbuf *seg[1024];
	uint16_t data_len[1024], n = 0;

	for (const struct rte_mbuf *s = m; s != NULL; s = s->next) {
		seg[n] = s;
		data_len[n++] = s->data_len;
	}
	cr_assert_eq(pkt_pullup(m, want), -ENOSPC);
	cr_assert_eq(m->nb_segs, n);
	for (const struct rte_mbuf *s = m; s != NULL; s = s->next, n--) {
		cr_assert_eq(s, seg[m->nb_segs - n]);
		cr_assert_eq(s->data_len, data_len[m->nb_segs - n]);
	}
	check_content(m, len);
}

/* rte_mbuf_check() refuses empty segments by itself, so these go into a chain by hand. */
static void
insert_empty(struct rte_mbuf *head, unsigned int after)
{
	struct rte_mbuf *at = head, *empty = rte_pktmbuf_alloc(pool);

	cr_assert_not_null(empty);
	while (after-- > 0)
		at = at->next;
	empty->next = at->next;
	at->next = empty;
	head->nb_segs++;
}

static void
every_want_of_every_segmentation(void)
{
	static const size_t seg_lens[] = {1, 2, 3, 63, 64, 65, 300, 511, 512};

	for (size_t s = 0; s < sizeof(seg_lens) / sizeof(seg_lens[0]); s++)
		for (uint16_t want = 0; want <= 512; want++) {
			size_t len = 1 + want * 7u % 700, target = RTE_MIN(len, (size_t)want);
			struct rte_mbuf *m = packet_chain(pool, frame, len, seg_lens[s]);

			cr_assert_not_null(m);
			size_t before = m->data_len;

			cr_assert_eq(pkt_pullup(m, want), 0);
			cr_assert_eq(m->data_len, RTE_MAX(before, target), "not a byte more");
			check_content(m, len);
			rte_pktmbuf_free(m);
			cr_assert_eq(test_pool_used(pool), 0);
		}
}

static void
want_beyond_the_packet_takes_all_of_it(void)
{
	struct rte_mbuf *m = packet_chain(pool, frame, 400, 50);

	cr_assert_eq(pkt_pullup(m, UINT16_MAX), 0);
	cr_assert_eq(m->nb_segs, 1);
	cr_assert_eq(m->data_len, 400);
	check_content(m, 400);
	rte_pktmbuf_free(m);
}

static void
first_segment_without_room(void)
{
	struct rte_mbuf *m = packet_chain(pool, frame, 1000, 500);

	cr_assert_eq(pkt_pullup(m, 512), 0, "512 is what it holds");
	rte_pktmbuf_free(m);
	m = packet_chain(pool, frame, 1000, 500);
	check_refused(m, 513, 1000);
	/* Headroom does not count: the data stays where it is. */
	rte_pktmbuf_free(m);
	m = packet_chain(pool, frame, 1000, 20);
	rte_pktmbuf_free(m);
}

static void
shared_first_segment(void)
{
	struct rte_mbuf *m = packet_chain(pool, frame, 300, 100);

	rte_mbuf_refcnt_update(m, 1);
	check_refused(m, 200, 300);
	cr_assert_eq(pkt_pullup(m, 100), 0, "there is nothing to move");
	rte_mbuf_refcnt_update(m, -1);
	cr_assert_eq(pkt_pullup(m, 200), 0);
	check_content(m, 300);
	rte_pktmbuf_free(m);
}

static void
shared_later_segment(void)
{
	struct rte_mbuf *m = packet_chain(pool, frame, 300, 100), *last = m->next->next;

	/* Somebody else holds it and must find it as it was. */
	rte_mbuf_refcnt_update(m->next, 1);
	check_refused(m, 101, 300);
	check_refused(m, 300, 300);
	rte_mbuf_refcnt_update(m->next, -1);
	rte_mbuf_refcnt_update(last, 1);
	check_refused(m, 201, 300);
	cr_assert_eq(pkt_pullup(m, 200), 0, "up to the shared one is free");
	cr_assert_eq(last->data_len, 100);
	rte_mbuf_refcnt_update(last, -1);
	check_content(m, 300);
	rte_pktmbuf_free(m);
}

static void
indirect_segments(void)
{
	struct rte_mbuf *m = packet_chain(pool, frame, 300, 100);
	struct rte_mbuf *clone = rte_pktmbuf_clone(m, pool);

	cr_assert_not_null(clone);
	check_refused(clone, 200, 300);
	check_refused(m, 200, 300);
	rte_pktmbuf_free(m);
	check_refused(clone, 200, 300);
	check_content(clone, 300);
	rte_pktmbuf_free(clone);
	cr_assert_eq(test_pool_used(pool), 0);
	/* A first segment of its own, and behind it a clone's: reading that is no harm. */
	m = packet_chain(pool, frame + 100, 200, 100);
	clone = rte_pktmbuf_clone(m, pool);
	struct rte_mbuf *head = packet_mbuf(pool, frame, 100);

	cr_assert_eq(rte_pktmbuf_chain(head, clone), 0);
	cr_assert_eq(pkt_pullup(head, 250), 0);
	check_content(head, 300);
	cr_assert_eq(m->data_len, 100);
	cr_assert_eq(m->next->data_len, 100);
	cr_assert_eq(memcmp(rte_pktmbuf_mtod(m, uint8_t *), frame + 100, 100), 0);
	rte_pktmbuf_free(head);
	rte_pktmbuf_free(m);
}

static void
empty_segments(void)
{
	uint8_t copy[FRAME];

	for (unsigned int at = 0; at < 4; at++)
		for (uint16_t want = 90; want <= 300; want += 10) {
			struct rte_mbuf *m = packet_chain(pool, frame, 300, 100);

			insert_empty(m, RTE_MIN(at, 2u));
			if (at == 3)
				insert_empty(m, 2);
			cr_assert_eq(pkt_pullup(m, want), 0);
			cr_assert_geq(m->data_len, want);
			cr_assert_eq(packet_read(m, copy, sizeof(copy)), 300);
			cr_assert_eq(memcmp(copy, frame, 300), 0);
			rte_pktmbuf_free(m);
			cr_assert_eq(test_pool_used(pool), 0);
		}
	/* The first one itself. */
	struct rte_mbuf *head = rte_pktmbuf_alloc(pool), *m = packet_chain(pool, frame, 300, 100);

	cr_assert_eq(rte_pktmbuf_chain(head, m), 0);
	cr_assert_eq(pkt_pullup(head, 150), 0);
	cr_assert_eq(head->data_len, 150);
	check_content(head, 300);
	rte_pktmbuf_free(head);
}

static void
whole_packet_is_left_alone(void)
{
	struct rte_mbuf *m = packet_mbuf(pool, frame, 300);

	rte_mbuf_refcnt_update(m, 1); /* nothing moves, so it may be shared */
	cr_assert_eq(pkt_pullup(m, 512), 0);
	cr_assert_eq(pkt_pullup(m, 0), 0);
	rte_mbuf_refcnt_update(m, -1);
	check_content(m, 300);
	rte_pktmbuf_free(m);
}

Test(pullup, holds_at_its_edges, .init = setup)
{
	every_want_of_every_segmentation();
	want_beyond_the_packet_takes_all_of_it();
	first_segment_without_room();
	shared_first_segment();
	indirect_segments();
	empty_segments();
	whole_packet_is_left_alone();
	cr_assert_eq(test_pool_used(pool), 0);
}

Test(pullup, leaves_a_shared_later_segment_to_its_holder, .init = setup)
{
	shared_later_segment();
	cr_assert_eq(test_pool_used(pool), 0);
}
