/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory ports: packets come out as they went in, and none is lost. One EAL for all. */
#include <errno.h>
#include <string.h>

#include <rte_log.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "eal.h"
#include "packet.h"
#include "port/port.h"

#define DEPTH 64u

static struct rte_mempool *pool;

static struct rte_mbuf *
numbered(uint32_t i)
{
	struct rte_mbuf *m = packet_mbuf(pool, (const uint8_t *)&i, sizeof(i));

	cr_assert_not_null(m);
	return m;
}

static uint32_t
number_of(struct rte_mbuf *m)
{
	uint32_t i;

	memcpy(&i, rte_pktmbuf_mtod(m, uint8_t *), sizeof(i));
	rte_pktmbuf_free(m);
	return i;
}

static struct port *
create(uint16_t n_rxq)
{
	struct port *p = NULL;

	cr_assert_eq(port_create_mem("nsf0", n_rxq, DEPTH, &p), 0);
	cr_assert_not_null(p);
	return p;
}

static void
says_what_it_can(void)
{
	struct port_config config = {.mtu = 9000, .n_rxq = 3, .n_txq = 1};
	struct port_stats stats = {.missed = 7, .errors = 7};
	const char *why = NULL;
	struct port *p = create(3);

	cr_assert_str_eq(p->name, "nsf0");
	cr_assert_eq(p->caps.max_rxq, 3);
	cr_assert(p->caps.multi_seg_tx && p->caps.rss && !p->caps.fast_free);
	cr_assert_eq(port_configure(p, &config, NULL, &why), 0);
	cr_assert_eq(p->mtu, 9000);
	cr_assert_eq(port_speed(p), 0);
	config.pfc = 1 << 3;
	cr_assert_eq(port_configure(p, &config, NULL, &why), -ENOTSUP);
	cr_assert_not_null(strstr(why, "port nsf0: "), "%s", why);
	cr_assert_not_null(strstr(why, "`pfc: {mode: software}`."), "%s", why);
	config.pfc = 0;
	cr_assert_not(p->one_segment);
	cr_assert_eq(p->mac[0], 2, "a MAC of its own: local, unicast");
	config.has_mac = true;
	memcpy(config.mac, (uint8_t[]){2, 3, 4, 5, 6, 7}, 6);
	cr_assert_eq(port_configure(p, &config, NULL, &why), 0);
	cr_assert_eq(memcmp(p->mac, config.mac, 6), 0);
	cr_assert_eq(port_start(p), 0);
	cr_assert(port_link_up(p));
	port_stats(p, &stats);
	cr_assert(stats.missed == 0 && stats.errors == 0);
	port_stop(p);
	port_free(p);
}

static void
keeps_order_both_ways(void)
{
	struct rte_mbuf *m[DEPTH];
	struct port *p = create(1);

	for (uint32_t round = 0; round < 10; round++) {
		for (uint32_t i = 0; i < 30; i++)
			m[i] = numbered(round * 100 + i);
		cr_assert_eq(port_mem_put(p, 0, m, 30), 30);
		cr_assert_eq(port_rx(p, 0, m, 20), 20);
		cr_assert_eq(port_rx(p, 0, m + 20, DEPTH - 20), 10);
		cr_assert_eq(port_rx(p, 0, m + 30, 1), 0);
		cr_assert_eq(port_tx(p, 0, m, 30), 30);
		cr_assert_eq(port_mem_take(p, m, 7), 7);
		cr_assert_eq(port_mem_take(p, m + 7, DEPTH - 7), 23);
		for (uint32_t i = 0; i < 30; i++)
			cr_assert_eq(number_of(m[i]), round * 100 + i);
		cr_assert_eq(port_mem_take(p, m, 1), 0);
	}
	port_free(p);
}

/* What does not fit stays the caller's, and what went in comes out. */
static void
full_ring_takes_no_more(void)
{
	struct rte_mbuf *m[2 * DEPTH], *out[2 * DEPTH];
	struct port *p = create(1);
	uint16_t took;

	for (unsigned int way = 0; way < 2; way++) {
		for (uint32_t i = 0; i < 2 * DEPTH; i++)
			m[i] = numbered(i);
		took = way == 0 ? port_mem_put(p, 0, m, 2 * DEPTH) : port_tx(p, 0, m, 2 * DEPTH);
		cr_assert_eq(took, DEPTH);
		cr_assert_eq(
			way == 0 ? port_mem_put(p, 0, m + took, 1) : port_tx(p, 0, m + took, 1), 0);
		cr_assert_eq(
			way == 0 ? port_rx(p, 0, out, 2 * DEPTH) : port_mem_take(p, out, 2 * DEPTH),
			took);
		for (uint32_t i = 0; i < took; i++)
			cr_assert_eq(number_of(out[i]), i);
		for (uint32_t i = took; i < 2 * DEPTH; i++)
			cr_assert_eq(number_of(m[i]), i, "still the caller's");
	}
	port_free(p);
}

static void
queues_do_not_mix(void)
{
	struct rte_mbuf *m;
	struct port *p = create(64);

	for (uint16_t q = 0; q < 64; q++)
		for (uint32_t i = 0; i < 3; i++) {
			m = numbered(q * 10u + i);
			cr_assert_eq(port_mem_put(p, q, &m, 1), 1);
		}
	for (uint16_t q = 64; q-- > 0;) {
		for (uint32_t i = 0; i < 3; i++) {
			cr_assert_eq(port_rx(p, q, &m, 1), 1);
			cr_assert_eq(number_of(m), q * 10u + i);
		}
		cr_assert_eq(port_rx(p, q, &m, 1), 0);
	}
	/* All TX queues end in one ring. */
	for (uint16_t q = 0; q < 4; q++) {
		m = numbered(q);
		cr_assert_eq(port_tx(p, q, &m, 1), 1);
	}
	for (uint16_t q = 0; q < 4; q++) {
		cr_assert_eq(port_mem_take(p, &m, 1), 1);
		cr_assert_eq(number_of(m), q);
	}
	port_free(p);
}

/* Whoever stands for the other end of a cable says what the node sees of it. */
static void
link_and_speed_are_the_callers_and_rings_are_counted(void)
{
	struct rte_mbuf *m[DEPTH];
	struct port *p = create(2);

	port_mem_set_speed(p, UINT64_C(100000000000));
	port_mem_set_link(p, false);
	cr_assert_eq(port_speed(p), UINT64_C(100000000000));
	cr_assert_not(port_link_up(p));
	for (uint32_t i = 0; i < DEPTH; i++)
		m[i] = numbered(i);
	cr_assert_eq(port_mem_put(p, 0, m, 3) + port_mem_put(p, 1, m + 3, 2), 5);
	cr_assert_eq(port_mem_unread(p), 5);
	cr_assert_eq(port_mem_sent(p), 0);
	cr_assert_eq(port_rx(p, 1, m + 3, 2) + port_rx(p, 0, m, 3), 5);
	cr_assert_eq(port_mem_unread(p), 0);
	cr_assert_eq(
		port_tx(p, 0, m, DEPTH - 1), DEPTH - 1, "a cut cable leaves the ring as it is");
	cr_assert_eq(port_mem_sent(p), DEPTH - 1);
	cr_assert_not(port_mem_full(p));
	cr_assert_eq(port_tx(p, 0, m + DEPTH - 1, 1), 1);
	cr_assert(port_mem_full(p));
	port_mem_set_link(p, true);
	cr_assert(port_link_up(p));
	port_free(p);
}

static void
free_gives_back_what_is_inside(void)
{
	struct rte_mbuf *m;
	struct port *p = create(2);
	uint8_t frame[300] = {0};

	for (uint32_t i = 0; i < 10; i++) {
		m = numbered(i);
		port_mem_put(p, i % 2, &m, 1);
		m = packet_chain(pool, frame, sizeof(frame), 50);
		port_tx(p, 0, &m, 1);
	}
	cr_assert_eq(test_pool_used(pool), 70);
	port_free(p);
	cr_assert_eq(test_pool_used(pool), 0);
	port_free(NULL);
}

static void
bad_arguments_make_no_port(void)
{
	struct port *p = NULL;

	cr_assert_eq(port_create_mem("x", 0, DEPTH, &p), -EINVAL);
	cr_assert_eq(port_create_mem("x", UINT16_MAX, DEPTH, &p), -EINVAL);
	cr_assert_lt(port_create_mem("x", 1, 0, &p), 0);
	cr_assert_null(p, "untouched on failure");
}

static void
long_name_is_cut(void)
{
	struct port *p = NULL;

	cr_assert_eq(port_create_mem("a-name-of-more-than-thirty-two-characters", 1, DEPTH, &p), 0);
	cr_assert_eq(strlen(p->name), PORT_NAME_MAX - 1);
	port_free(p);
}

static void
many_live_side_by_side(void)
{
	struct port *p[300];

	for (size_t i = 0; i < BITS_ARRAY_LEN(p); i++)
		p[i] = create(1); /* all of one name */
	for (size_t i = 0; i < BITS_ARRAY_LEN(p); i++)
		port_free(p[i]);
}

Test(mem, port_holds_its_contract)
{
	test_eal(64);
	rte_log_set_level_pattern("*", RTE_LOG_EMERG); /* a depth is refused on purpose */
	pool = test_pool("mem", 511, 512);
	says_what_it_can();
	keeps_order_both_ways();
	full_ring_takes_no_more();
	queues_do_not_mix();
	link_and_speed_are_the_callers_and_rings_are_counted();
	free_gives_back_what_is_inside();
	bad_arguments_make_no_port();
	long_name_is_cut();
	many_live_side_by_side();
	cr_assert_eq(test_pool_used(pool), 0);
}
