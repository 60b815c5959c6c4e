/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of reassembly, one by one. test_reasm_model.c holds all of them against a dull
 * reference, test_reasm_links.c lets cells race over links. */
#include <errno.h>

#include "reasm_test.h"

static struct bench b;

static void
open_window(uint32_t window)
{
	struct reasm_config c = bench_config(&b);

	c.window = window;
	bench_open(&b, &c, 4095, 256);
}

Test(reasm, numbers_out_of_range_are_refused)
{
	struct reasm_config good = bench_config(&b), c;
	struct reasm *r = NULL;

	test_eal(256);
#define REFUSES(field, value)                                                                      \
	c = good;                                                                                  \
	c.field = value;                                                                           \
	cr_assert_eq(reasm_create(&c, &r), -EINVAL, #field);                                       \
	cr_assert_null(r)
	REFUSES(n_streams, 0);
	REFUSES(n_streams, (1u << 20) + 1);
	REFUSES(n_packets, 0);
	REFUSES(n_packets, UINT32_MAX);
	REFUSES(n_cells, 0);
	REFUSES(window, 32);
	REFUSES(window, 1000);
	REFUSES(window, 65536);
	REFUSES(timeout_ps, 0);
	REFUSES(timeout_ps, PS_AHEAD_MAX);
	REFUSES(drop, NULL);
	c = good;
	c.n_packets = 1u << 20; /* 600 MB, of 256 */
	cr_assert_eq(reasm_create(&c, &r), -ENOMEM);
	cr_assert_null(r);
	cr_assert_gt(reasm_bytes(&good), 4096 * sizeof(void *) * CELL_FRAGMENTS_MAX);
	reasm_free(NULL);
}

Test(reasm, fragments_in_any_order_make_one_packet)
{
	static const uint16_t order[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};

	open_window(64);
	for (uint32_t k = 0; k < 4; k++) {
		for (unsigned int i = 0; i < 4; i++) {
			struct cell_header h =
				cell_of(1, k, 1000, 256, order[k][i], k == 0 ? CELL_SYNC : 0);

			bench_expect_none(&b);
			h.flags |= i == k ? CELL_CONGESTION : 0;
			cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
		}
		struct cell_header h = cell_of(1, k, 1000, 256, 0, 0);
		struct reasm_packet p;

		cr_assert_eq(reasm_next_ps(b.r, 5), 5, "a packet is there to be taken");
		cr_assert_eq(reasm_take(b.r, &p, 1), 1);
		cr_assert(is_packet(&b, p.m, &h));
		cr_assert(p.congestion, "cell %u said so", k);
		cr_assert_eq(p.m->nb_segs, 4);
		rte_pktmbuf_free(p.m);
		cr_assert_eq(reasm_next_ps(b.r, 5), UINT64_MAX);
	}
	cr_assert_eq(bench_dropped(&b), 0);
	bench_close(&b);
}

Test(reasm, streams_do_not_wait_for_each_other)
{
	struct cell_header h[5];

	open_window(64);
	for (unsigned int i = 0; i < 5; i++)
		h[i] = cell_of(1, 9, 100, 256, 0, CELL_SYNC);
	h[1].source = 2;
	h[2].pipe = 2;
	h[3].system_port = 2;
	h[4].class = 2;
	for (unsigned int i = 0; i < 5; i++) {
		struct cell_header later = h[i];

		later.packet_id++;
		later.flags &= (uint8_t)~CELL_SYNC;
		cr_assert_eq(bench_put(&b, &later, 0), DROP_NONE);
	}
	bench_expect_none(&b);
	for (unsigned int i = 0; i < 5; i++) {
		struct reasm_packet p[3];

		cr_assert_eq(bench_put(&b, &h[i], 0), DROP_NONE);
		cr_assert_eq(reasm_take(b.r, p, 3), 2);
		for (unsigned int k = 0; k < 2; k++) {
			cr_assert(p[k].source == h[i].source && p[k].class == h[i].class &&
				  p[k].system_port == h[i].system_port);
			cr_assert(is_packet(&b, p[k].m, &h[i]));
			h[i].packet_id++;
			rte_pktmbuf_free(p[k].m);
		}
	}
	cr_assert_eq(reasm_stats(b.r)->streams, 5);
	bench_close(&b);
}

Test(reasm, padding_and_empty_segments_are_not_in_the_packet)
{
	struct reasm_config c = bench_config(&b);
	struct cell_header h;
	uint8_t frame[400];

	bench_open(&b, &c, 63, 512);
	for (uint32_t k = 0; k < 12; k++) {
		/* 38: a first segment that is all header; 294: behind it all is padding */
		static const size_t seg_len[] = {
			38, 39, 40, 60, 128, 293, 294, 295, 400, 38, 50, 300};

		for (uint16_t i = 0; i < 2; i++) {
			h = cell_of(1, k, 260, 256, i, k == 0 ? CELL_SYNC : 0);
			struct rte_mbuf *m = cell_frame(&b, &h);
			size_t len = packet_read(m, frame, sizeof(frame));

			memset(frame + len, 0xcc, sizeof(frame) - len);
			rte_pktmbuf_free(m);
			m = packet_chain(b.pool, frame, sizeof(frame), seg_len[k]);
			if (k == 9) { /* an empty segment in the middle */
				struct rte_mbuf *empty = rte_pktmbuf_alloc(b.pool);

				empty->next = m->next;
				m->next = empty;
				m->nb_segs++;
			}
			m->port = 4;
			m->ol_flags |= RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_VLAN_STRIPPED;
			m->packet_type = RTE_PTYPE_L3_IPV4;
			cr_assert_eq(bench_put_frame(&b, &h, m, 0), DROP_NONE);
		}
		struct reasm_packet p;

		cr_assert_eq(reasm_take(b.r, &p, 1), 1);
		cr_assert(is_packet(&b, p.m, &h), "segments of %zu", seg_len[k]);
		cr_assert(p.m->port == 4 && p.m->ol_flags == 0 && p.m->packet_type == 0);
		rte_pktmbuf_free(p.m);
		cr_assert_eq(test_pool_used(b.pool), 0);
	}
	bench_close(&b);
}

/* As the sender makes them: a header of its own and a reference into the packet. */
Test(reasm, indirect_payloads_are_chained_as_they_are)
{
	open_window(64);
	struct cell_header whole = cell_of(1, 0, 256, 256, 0, CELL_SYNC);
	struct rte_mbuf *packet = cell_frame(&b, &whole);
	const uint8_t *bytes = rte_pktmbuf_mtod_offset(packet, uint8_t *, CELL_PREFIX_LEN);

	rte_pktmbuf_adj(packet, CELL_PREFIX_LEN);
	for (uint16_t i = 0; i < 3; i++) {
		struct cell_header h = cell_of(1, 0, 256, 100, i, CELL_SYNC);
		struct rte_mbuf *head = cell_frame(&b, &h), *piece = rte_pktmbuf_alloc(b.pool);

		rte_pktmbuf_trim(head, (uint16_t)(head->data_len - CELL_PREFIX_LEN));
		rte_pktmbuf_attach(piece, packet);
		rte_pktmbuf_adj(piece, (uint16_t)(i * 100));
		rte_pktmbuf_trim(piece, (uint16_t)(piece->data_len - h.payload_len));
		cr_assert_eq(rte_pktmbuf_chain(head, piece), 0);
		cr_assert_eq(bench_put_frame(&b, &h, head, 0), DROP_NONE);
	}
	struct reasm_packet p;

	cr_assert_eq(reasm_take(b.r, &p, 1), 1);
	cr_assert(is_packet(&b, p.m, &whole));
	cr_assert_eq(rte_pktmbuf_mtod(p.m, const uint8_t *), bytes, "no copy");
	cr_assert_eq(test_pool_used(b.pool), 4);
	rte_pktmbuf_free(p.m);
	cr_assert_eq(rte_mbuf_refcnt_read(packet), 1);
	rte_pktmbuf_free(packet);
	bench_close(&b);
}

Test(reasm, a_lost_cell_costs_its_packet_only)
{
	struct cell_header h = cell_of(1, 1, 1000, 256, 0, 0);

	open_window(64);
	bench_packet(&b, 1, 0, 1000, 256, CELL_SYNC, 0);
	bench_expect(&b, 1, 0, 1000);
	for (uint16_t i = 0; i < 4; i++) {
		h = cell_of(1, 1, 1000, 256, i, 0);
		if (i != 2)
			cr_assert_eq(bench_put(&b, &h, 1000), DROP_NONE);
	}
	for (uint32_t k = 2; k < 5; k++)
		bench_packet(&b, 1, k, 1000, 256, 0, 2000);
	bench_expect_none(&b);
	cr_assert_eq(reasm_next_ps(b.r, 2000), 1000 + TIMEOUT_PS);
	reasm_turn(b.r, 999 + TIMEOUT_PS);
	bench_expect_none(&b);
	cr_assert_eq(reasm_cells(b.r), 15);
	reasm_turn(b.r, 1000 + TIMEOUT_PS);
	for (uint32_t k = 2; k < 5; k++)
		bench_expect(&b, 1, k, 1000);
	cr_assert_eq(b.drop[DROP_reassembly_timeout], 3);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 1);
	cr_assert_eq(reasm_next_ps(b.r, 0), UINT64_MAX);
	/* and what still comes of it is late */
	h = cell_of(1, 1, 1000, 256, 2, 0);
	cr_assert_eq(bench_put(&b, &h, 1001 + TIMEOUT_PS), DROP_reassembly_late);
	bench_close(&b);
}

Test(reasm, packets_that_nobody_saw_hold_up_the_next_for_the_timeout)
{
	open_window(64);
	cr_assert_eq(bench_one(&b, 1, UINT32_MAX - 1, CELL_SYNC, 0), DROP_NONE);
	bench_expect(&b, 1, UINT32_MAX - 1, 100);
	cr_assert_eq(bench_one(&b, 1, 5, 0, 10), DROP_NONE); /* the ids come round */
	cr_assert_eq(bench_one(&b, 1, 2, 0, 20), DROP_NONE);
	bench_expect_none(&b);
	reasm_turn(b.r, 10 + TIMEOUT_PS);
	bench_expect(&b, 1, 2, 100);
	bench_expect(&b, 1, 5, 100);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 5, "-1, 0, 1, 3 and 4");
	cr_assert_eq(bench_dropped(&b), 0);
	bench_close(&b);
}

Test(reasm, a_cell_from_beyond_the_window_ends_the_wait)
{
	struct cell_header h = cell_of(1, 1, 1000, 256, 0, 0);

	open_window(64);
	cr_assert_eq(bench_one(&b, 1, 0, CELL_SYNC, 0), DROP_NONE);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	for (uint32_t id = 2; id < 65; id++)
		cr_assert_eq(bench_one(&b, 1, id, 0, 0), DROP_NONE);
	bench_expect(&b, 1, 0, 100);
	bench_expect_none(&b);
	cr_assert_eq(bench_one(&b, 1, 65, 0, 0), DROP_NONE);
	for (uint32_t id = 2; id < 66; id++)
		bench_expect(&b, 1, id, 100);
	cr_assert_eq(b.drop[DROP_reassembly_timeout], 1);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 1);
	/* the last id that does so, and the first that does not */
	cr_assert_eq(bench_one(&b, 1, 66 + 128, 0, 0), DROP_reassembly_window);
	cr_assert_eq(bench_one(&b, 1, 66 + 127, 0, 0), DROP_NONE);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 1 + 64);
	bench_close(&b);
}

Test(reasm, ids_far_off_are_refused_and_those_just_behind_are_late)
{
	open_window(64);
	cr_assert_eq(bench_one(&b, 1, 1000, CELL_SYNC, 0), DROP_NONE);
	bench_expect(&b, 1, 1000, 100);
	cr_assert_eq(bench_one(&b, 1, 1000, 0, 1), DROP_reassembly_late);
	cr_assert_eq(bench_one(&b, 1, 1001 - 64, 0, 1), DROP_reassembly_late);
	cr_assert_eq(bench_one(&b, 1, 1000 - 64, 0, 1), DROP_reassembly_window);
	cr_assert_eq(bench_one(&b, 1, 1001 + 128, 0, 1), DROP_reassembly_window);
	cr_assert_eq(bench_one(&b, 1, 1001 + (1u << 31), 0, 1), DROP_reassembly_window);
	cr_assert_eq(bench_one(&b, 1, 1001, 0, 1), DROP_NONE);
	bench_expect(&b, 1, 1001, 100);
	bench_close(&b);
}

Test(reasm, a_stream_that_stood_still_may_go_on_anywhere)
{
	open_window(64);
	cr_assert_eq(bench_one(&b, 1, 1000, CELL_SYNC, 0), DROP_NONE);
	bench_expect(&b, 1, 1000, 100);
	cr_assert_eq(bench_one(&b, 1, 9000, 0, TIMEOUT_PS - 1), DROP_reassembly_window);
	cr_assert_eq(bench_one(&b, 1, 9000, 0, TIMEOUT_PS), DROP_NONE);
	cr_assert_eq(bench_one(&b, 1, 8999, 0, TIMEOUT_PS), DROP_NONE);
	bench_expect_none(&b);
	reasm_turn(b.r, 2 * TIMEOUT_PS);
	bench_expect(&b, 1, 8999, 100);
	bench_expect(&b, 1, 9000, 100);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 0);
	cr_assert_eq(reasm_stats(b.r)->learned, 1);
	bench_close(&b);
}

Test(reasm, without_sync_the_timeout_says_where_a_stream_begins)
{
	struct cell_header h = cell_of(1, 498, 1000, 256, 3, 0);

	open_window(64);
	cr_assert_eq(bench_one(&b, 1, 500, 0, 0), DROP_NONE);
	cr_assert_eq(bench_one(&b, 1, 502, 0, 0), DROP_NONE);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE); /* we came up in its middle */
	cr_assert_eq(bench_one(&b, 1, 500 - 33, 0, 0), DROP_reassembly_window);
	cr_assert_eq(bench_one(&b, 1, 500 + 31, 0, 0), DROP_NONE);
	bench_expect_none(&b);
	reasm_turn(b.r, TIMEOUT_PS);
	bench_expect(&b, 1, 500, 100);
	bench_expect(&b, 1, 502, 100);
	bench_expect(&b, 1, 531, 100);
	cr_assert_eq(b.drop[DROP_reassembly_timeout], 1);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 1 + 1 + 28, "498 in pieces; 501; 503 to 530");
	cr_assert_eq(bench_one(&b, 1, 532, 0, TIMEOUT_PS), DROP_NONE);
	bench_expect(&b, 1, 532, 100);
	bench_close(&b);
}

Test(reasm, sync_ends_the_learning_at_once)
{
	open_window(64);
	cr_assert_eq(bench_one(&b, 1, 11, 0, 0), DROP_NONE);
	cr_assert_eq(bench_one(&b, 1, 9, 0, 0), DROP_NONE); /* of before the source began anew */
	bench_expect_none(&b);
	cr_assert_eq(bench_one(&b, 1, 10, CELL_SYNC, 0), DROP_NONE);
	bench_expect(&b, 1, 10, 100);
	bench_expect(&b, 1, 11, 100);
	cr_assert_eq(b.drop[DROP_reassembly_restart], 1);
	cr_assert_eq(reasm_stats(b.r)->restarts, 0);
	bench_close(&b);
}

Test(reasm, a_restarted_source_begins_anew_at_once)
{
	static const uint32_t begins[] = {700000, 5, 700064 + 3, UINT32_MAX, 700010};
	struct cell_header h;
	uint64_t n_pieces = 0;

	open_window(64);
	cr_assert_eq(bench_one(&b, 1, 700000, CELL_SYNC, 0), DROP_NONE);
	bench_expect(&b, 1, 700000, 100);
	for (uint32_t i = 1; i < 5; i++) {
		uint32_t next = begins[i - 1] + 1;

		/* one in pieces, one that waits */
		h = cell_of(1, next, 1000, 256, 1, 0);
		cr_assert_eq(bench_put(&b, &h, i), DROP_NONE);
		cr_assert_eq(bench_one(&b, 1, next + 1, 0, i), DROP_NONE);
		n_pieces += 2;
		for (uint16_t k = 0; k < 4; k++) {
			h = cell_of(1, begins[i], 1000, 256, 3 - k, CELL_SYNC);
			cr_assert_eq(bench_put(&b, &h, i), DROP_NONE);
			cr_assert_eq(b.drop[DROP_reassembly_restart], n_pieces);
		}
		bench_expect(&b, 1, begins[i], 1000);
		/* a straggler of its first packet begins nothing */
		cr_assert_eq(bench_put(&b, &h, i), DROP_reassembly_late);
	}
	cr_assert_eq(reasm_stats(b.r)->restarts, 4);
	bench_close(&b);
}

/* Only when the stream stood still can its first cell of before not be meant. */
Test(reasm, a_source_may_restart_from_the_id_it_began_with)
{
	open_window(64);
	for (uint32_t round = 0; round < 3; round++) {
		uint64_t now = round * TIMEOUT_PS;

		for (uint32_t id = 0; id < 5; id++) {
			cr_assert_eq(bench_one(&b, 1, id, id == 0 ? CELL_SYNC : 0, now), DROP_NONE);
			bench_expect(&b, 1, id, 100);
		}
		cr_assert_eq(bench_one(&b, 1, 0, CELL_SYNC, now), DROP_reassembly_late);
	}
	bench_close(&b);
}

Test(reasm, cells_that_contradict_their_packet_are_dropped_and_it_goes_all_the_same)
{
	struct reasm_config c = bench_config(&b);
	struct cell_header h, good = cell_of(1, 0, 1000, 256, 1, CELL_SYNC);

	bench_open(&b, &c, 255, 1024);
	cr_assert_eq(bench_put(&b, &good, 0), DROP_NONE);
	cr_assert_eq(bench_put(&b, &good, 0), DROP_reassembly_duplicate);
#define MISMATCH(change)                                                                           \
	change;                                                                                    \
	cr_assert_eq(bench_put(&b, &h, 0), DROP_reassembly_mismatch, #change)
	h = cell_of(1, 0, 1000, 256, 0, CELL_SYNC);
	MISMATCH(h.packet_len = 1001);
	h = cell_of(1, 0, 1000, 256, 2, CELL_SYNC);
	MISMATCH(h.payload_len = 255);
	MISMATCH((h.payload_len = 232, h.flags |= CELL_LAST)); /* ends too early */
	h = cell_of(1, 0, 1000, 256, 3, CELL_SYNC);
	MISMATCH(h.payload_len = 231);
	MISMATCH((h.payload_len = 256, h.flags = CELL_SYNC)); /* runs over the end */
	h = cell_of(1, 0, 1000, 256, 3, CELL_SYNC);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	MISMATCH((h.fragment = 4, h.payload_len = 0xe8));
	h.fragment = 2;
	MISMATCH(h.payload_len = 232);
	h = cell_of(1, 0, 1000, 256, 0, CELL_SYNC);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	h = cell_of(1, 0, 1000, 256, 2, CELL_SYNC);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	bench_expect(&b, 1, 0, 1000);
	/* the last one first: then it says what the others are */
	h = cell_of(1, 1, 1000, 256, 3, 0);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	h = cell_of(1, 1, 1000, 256, 0, 0);
	MISMATCH(h.payload_len = 255);
	for (uint16_t i = 0; i < 3; i++) {
		h = cell_of(1, 1, 1000, 256, i, 0);
		cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	}
	bench_expect(&b, 1, 1, 1000);
	/* a last one before one that is here, though its end is right */
	h = cell_of(1, 2, 1000, 256, 2, 0);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	MISMATCH((h.fragment = 1, h.payload_len = 744, h.flags = CELL_LAST));
	bench_packet(&b, 1, 3, 1000, 256, 0, 0);
	/* more than 64 of that length would be needed; more bytes than fit before the last */
	h = cell_of(1, 4, 256 * 64 + 1, 256, 5, 0);
	MISMATCH((void)h);
	h = cell_of(1, 4, 300, 256, 1, 0);
	MISMATCH((h.fragment = 63, h.payload_len = 250));
	bench_close(&b);
}

Test(reasm, the_longest_and_the_shortest_packets_fit)
{
	struct reasm_config c = bench_config(&b);

	bench_open(&b, &c, 255, 9300);
	bench_packet(&b, 1, 0, 64 * 256, 256, CELL_SYNC, 0);
	bench_expect(&b, 1, 0, 64 * 256);
	bench_packet(&b, 1, 1, 65535, 9216, 0, 0);
	bench_expect(&b, 1, 1, 65535);
	bench_packet(&b, 1, 2, 14, 256, 0, 0);
	bench_expect(&b, 1, 2, 14);
	bench_packet(&b, 1, 3, 64, 1, 0, 0);
	bench_expect(&b, 1, 3, 64);
	bench_close(&b);
}

/* Frames cut short: cell_read() refuses them, and if it is not asked, reassembly does. */
Test(reasm, no_truncated_frame_is_taken)
{
	struct cell_header h = cell_of(1, 0, 100, 256, 0, CELL_SYNC), read;

	open_window(64);
	for (uint16_t len = 0; len < CELL_PREFIX_LEN + 100; len++) {
		struct rte_mbuf *m = cell_frame(&b, &h);

		rte_pktmbuf_trim(m, (uint16_t)(m->data_len - len));
		if (len >= ETH_HDR_LEN)
			cr_assert_eq(cell_read(rte_pktmbuf_mtod_offset(m, uint8_t *, ETH_HDR_LEN),
					     len - ETH_HDR_LEN, &read),
				CELL_SHORT);
		cr_assert_eq(bench_put_frame(&b, &h, m, 0), DROP_cell_short);
	}
	cr_assert_eq(reasm_stats(b.r)->streams, 0);
	bench_close(&b);
}

Test(reasm, a_flood_of_first_fragments_is_bounded_and_ends)
{
	struct reasm_config c = bench_config(&b);
	uint64_t now = 0, step = PS_PER_US;

	c.n_packets = 500;
	bench_open(&b, &c, 1023, 256);
	cr_assert_eq(bench_one(&b, 9, 0, CELL_SYNC, 0), DROP_NONE);
	for (uint32_t i = 0; i < 100000; i++, now += step) {
		struct cell_header h =
			cell_of((uint16_t)(1 + i % 7), i / 7, 1000, 256, 0, i < 7 ? CELL_SYNC : 0);

		bench_put(&b, &h, now);
		reasm_turn(b.r, now);
		cr_assert(reasm_stats(b.r)->n_packets <= 500 && reasm_cells(b.r) <= 500);
		bench_conserves(&b);
	}
	cr_assert_gt(b.drop[DROP_reassembly_full], 0);
	cr_assert_gt(b.drop[DROP_reassembly_timeout], 40000);
	/* 64 a turn */
	now += 2 * TIMEOUT_PS;
	for (unsigned int turns = 0; reasm_next_ps(b.r, now) == now; turns++) {
		uint32_t before = reasm_cells(b.r);
		struct reasm_packet p;

		cr_assert_lt(turns, 10);
		reasm_turn(b.r, now);
		cr_assert_leq(before - reasm_cells(b.r), REASM_TURN_PACKETS);
		if (reasm_take(b.r, &p, 1) == 1)
			rte_pktmbuf_free(p.m);
	}
	cr_assert_eq(reasm_cells(b.r), 0);
	/* a stream in good order was never blocked for good */
	cr_assert_eq(bench_one(&b, 9, 1, 0, now), DROP_NONE);
	bench_expect(&b, 9, 1, 100);
	bench_close(&b);
}

Test(reasm, when_cells_are_used_up_the_head_of_line_still_gets_its_own)
{
	struct reasm_config c = bench_config(&b);
	struct cell_header h = cell_of(1, 0, 1000, 256, 0, CELL_SYNC);

	c.n_cells = 20;
	bench_open(&b, &c, 255, 256);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	for (uint32_t id = 1; id < 20; id++)
		cr_assert_eq(bench_one(&b, 1, id, 0, 1), DROP_NONE);
	for (uint16_t i = 1; i < 4; i++) {
		h = cell_of(1, 0, 1000, 256, i, CELL_SYNC);
		cr_assert_eq(bench_put(&b, &h, 2), DROP_NONE);
	}
	cr_assert_eq(reasm_stats(b.r)->peak_cells, 23);
	bench_expect(&b, 1, 0, 1000);
	for (uint32_t id = 1; id < 20; id++)
		bench_expect(&b, 1, id, 100);
	bench_close(&b);
}

Test(reasm, when_cells_are_used_up_the_oldest_packet_ends_and_the_next_cell_has_room)
{
	struct reasm_config c = bench_config(&b);
	struct cell_header h = cell_of(1, 0, 1000, 256, 0, CELL_SYNC);

	c.n_cells = 20;
	bench_open(&b, &c, 255, 256);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	for (uint32_t id = 1; id < 20; id++)
		cr_assert_eq(bench_one(&b, 1, id, 0, 1), DROP_NONE);
	cr_assert_eq(bench_one(&b, 1, 20, 0, 2), DROP_NONE);
	cr_assert_eq(b.drop[DROP_reassembly_full], 1);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 1);
	for (uint32_t id = 1; id <= 20; id++)
		bench_expect(&b, 1, id, 100);
	bench_close(&b);
}

/* The oldest, id 3, is further on: what it waits for ends, and what is whole before it goes. */
Test(reasm, when_cells_are_used_up_what_is_whole_behind_the_lost_one_goes)
{
	struct reasm_config c = bench_config(&b);
	struct cell_header third = cell_of(1, 3, 1000, 256, 0, 0);
	struct cell_header first = cell_of(1, 0, 1000, 256, 0, CELL_SYNC);
	struct cell_header other = cell_of(2, 0, 1000, 256, 0, CELL_SYNC);

	c.n_cells = 4;
	bench_open(&b, &c, 255, 256);
	cr_assert_eq(bench_put(&b, &third, 0), DROP_NONE);
	cr_assert_eq(bench_put(&b, &first, 1), DROP_NONE);
	for (uint32_t id = 1; id < 3; id++)
		cr_assert_eq(bench_one(&b, 1, id, 0, 2), DROP_NONE);
	bench_expect_none(&b);
	cr_assert_eq(bench_put(&b, &other, 3), DROP_NONE);
	cr_assert_eq(b.drop[DROP_reassembly_full], 1);
	for (uint32_t id = 1; id < 3; id++)
		bench_expect(&b, 1, id, 100);
	bench_expect_none(&b);
	bench_close(&b);
}

/* A cell a microsecond, and room for a tenth of those of a timeout: bursts of 16, taken each. */
Test(reasm, one_loss_with_too_little_room_for_the_timeout_costs_one_packet)
{
	struct reasm_config c = bench_config(&b);
	uint64_t now = 0;
	struct reasm_packet p;

	c.n_cells = 100;
	bench_open(&b, &c, 1023, 256);
	for (uint32_t id = 0; id < 20000; id++, now += PS_PER_US) {
		if (id != 500)
			cr_assert_eq(bench_one(&b, 1, id, id == 0 ? CELL_SYNC : 0, now), DROP_NONE,
				"packet %u", id);
		reasm_turn(b.r, now);
		while (id % 16 == 15 && reasm_take(b.r, &p, 1) == 1)
			rte_pktmbuf_free(p.m);
		cr_assert_leq(reasm_cells(b.r), 100 + 16);
	}
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 1);
	cr_assert_eq(reasm_stats(b.r)->packets, 19999);
	bench_close(&b);
}

Test(reasm, all_65534_sources_have_their_stream_where_there_is_room)
{
	struct reasm_config c = bench_config(&b);

	c.n_streams = CELL_DEVICE_MAX;
	c.window = 64;
	bench_open(&b, &c, 255, 256);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t source = 1; source <= CELL_DEVICE_MAX; source++) {
			cr_assert_eq(bench_one(&b, (uint16_t)source, source * 77 + round,
					     round == 0 ? CELL_SYNC : 0, 0),
				DROP_NONE);
			bench_expect(&b, (uint16_t)source, source * 77 + round, 100);
		}
	cr_assert_eq(reasm_stats(b.r)->streams, CELL_DEVICE_MAX);
	bench_close(&b);
}

Test(reasm, more_streams_than_room_are_refused_until_one_was_idle_for_long)
{
	struct reasm_config c = bench_config(&b);
	uint64_t now = 100 * PS_PER_MS;
	uint32_t n_taken = 0;

	c.n_streams = 40;
	c.n_packets = 30;
	bench_open(&b, &c, 255, 256);
	for (uint32_t source = 1; source <= CELL_DEVICE_MAX; source++) {
		enum drop_reason reason = bench_one(&b, (uint16_t)source, 0, CELL_SYNC, 0);

		cr_assert_eq(reason, source <= 40 ? DROP_NONE : DROP_reassembly_streams);
		if (source <= 40)
			bench_expect(&b, (uint16_t)source, 0, 100);
	}
	/* one that something waits in stays, and so does one that was just used */
	cr_assert_eq(bench_one(&b, 1, 2, 0, 0), DROP_NONE);
	cr_assert_eq(bench_one(&b, 2, 1, 0, now - 1), DROP_NONE);
	bench_expect(&b, 2, 1, 100);
	for (uint32_t source = 1000; source < 2000; source++)
		if (bench_one(&b, (uint16_t)source, 0, CELL_SYNC, now) == DROP_NONE) {
			bench_expect(&b, (uint16_t)source, 0, 100);
			n_taken++;
		}
	cr_assert_eq(n_taken, 38);
	cr_assert_eq(reasm_stats(b.r)->streams_forgotten, 38);
	cr_assert_eq(bench_one(&b, 1, 1, 0, now), DROP_NONE);
	bench_expect(&b, 1, 1, 100);
	bench_expect(&b, 1, 2, 100);
	cr_assert_eq(bench_one(&b, 2, 2, 0, now), DROP_NONE);
	bench_expect(&b, 2, 2, 100);
	/* a flood that only learns takes what packets there are, and no more */
	for (uint32_t source = 3000; source < 9000; source++)
		bench_one(&b, (uint16_t)source, 0, 0, 3 * now);
	cr_assert_eq(reasm_stats(b.r)->peak_packets, 30);
	cr_assert_eq(b.drop[DROP_reassembly_full], 6000 - 30);
	cr_assert_eq(reasm_stats(b.r)->streams, 40);
	bench_close(&b);
}

Test(reasm, at_the_stop_everything_comes_back_and_is_counted)
{
	struct cell_header h = cell_of(1, 3, 1000, 256, 2, 0);

	open_window(64);
	bench_packet(&b, 1, 0, 1000, 256, CELL_SYNC, 0);
	bench_packet(&b, 1, 2, 1000, 256, 0, 0);
	cr_assert_eq(bench_put(&b, &h, 0), DROP_NONE);
	cr_assert_eq(reasm_cells(b.r), 9);
	reasm_drop_all(b.r, DROP_stopped);
	cr_assert_eq(b.drop[DROP_stopped], 9);
	cr_assert_eq(reasm_stats(b.r)->n_packets, 0);
	cr_assert_eq(test_pool_used(b.pool), 0);
	cr_assert_eq(reasm_next_ps(b.r, 0), UINT64_MAX);
	bench_expect_none(&b);
	/* it goes on where it was */
	bench_packet(&b, 1, 1, 1000, 256, 0, 0);
	bench_expect(&b, 1, 1, 1000);
	/* freed with something in it: reasm_free() says nothing and leaks nothing */
	cr_assert_eq(bench_one(&b, 1, 3, 0, 0), DROP_NONE);
	bench_close(&b);
}
