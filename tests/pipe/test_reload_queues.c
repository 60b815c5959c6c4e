/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reloads of a node whose queues and delay lines are full: what waits goes on, in order; nothing is
 * lost but for a reason; what is counted of it comes back to nothing. node_test_close() looks for
 * every buffer, node_test_step() for every packet after each turn.
 */
#include "longhaul.h"
#include "pfc.h"

#define LOSSLESS "  - {class: 3, name: rdma, dscp: [26], lossless: true}\n"
#define PFC(keys)                                                                                  \
	"rate: 1Gbit, pfc: {classes: [3], xoff: 100KB, xon: 50KB, headroom: 200KB" keys "}"
#define PACKET_LEN 590u

static uint32_t next_number, next_out; /* put in and taken out, each in order */

static void
reload(struct node_test *t, const struct longhaul_conf *c)
{
	char *yaml = longhaul_yaml(c);

	cr_assert_eq(node_test_reload(t, yaml), 0, "%s", t->said);
	free(yaml);
}

/* Numbered packets that are all taken in. */
static void
put(struct node_test *t, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		longhaul_put_number(t, longhaul_udp(PACKET_LEN), next_number++);
		if (i % 64 == 63)
			node_test_step(t, 0);
	}
	node_test_run(t);
}

/* What has come out is next, and nothing is missing before it. Returns how many. */
static unsigned int
take(struct node_test *t)
{
	struct rte_mbuf *m;
	unsigned int n = 0;

	for (; (m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL; n++) {
		cr_assert_eq(longhaul_number(m), next_out, "%u came, want %u", longhaul_number(m),
			next_out);
		next_out++;
		rte_pktmbuf_free(m);
	}
	return n;
}

/* Steps of `ns` until all that was put in has come out; at most `n`. */
static void
drain(struct node_test *t, uint64_t ns, unsigned int n)
{
	for (unsigned int i = 0; i < n && next_out != next_number; i++) {
		node_test_step(t, ns);
		take(t);
	}
	cr_assert_eq(next_out, next_number, "%u of %u came out", next_out, next_number);
}

static uint64_t
dropped(const struct node_test *t)
{
	return node_test_sums(t).dropped;
}

static void
close_empty(struct node_test *t)
{
	cr_assert(node_settled(t->node));
	cr_assert_eq(node_waiting(t->node), 0);
	pfc_nothing_held(t);
	cr_assert_eq(t->node->paused_packets, 0);
	for (unsigned int w = 0; w < t->node->n_workers; w++)
		for (unsigned int p = 0; p < 2; p++) {
			const struct worker_queue *q = &t->node->worker[w]->queue[p];

			cr_assert_not(q->settling);
			cr_assert_eq(q->lined, t->node->policy[p].line);
			cr_assert_eq(q->line_max, t->node->policy[p].line_max);
		}
	for (unsigned int p = 0; p < 2; p++)
		cr_assert_eq(
			t->node->shared.commons[p].packets_max, t->node->policy[p].packets_max);
	cr_assert_eq(t->node->paused_max, t->node->policy[0].packets_pfc);
	node_test_close(t);
}

Test(reload_queues, a_rate_that_goes_while_packets_wait)
{
	struct node_test t;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 1Mbit"});
	put(&t, 2000);
	cr_assert_geq(longhaul_commons(&t)->packets, 1900);
	reload(&t, &(struct longhaul_conf){0});
	/* more than the port may hold without a rate come while it still holds what it held */
	put(&t, 300);
	drain(&t, LONGHAUL_US, 20);
	cr_assert_eq(dropped(&t), 0);
	cr_assert(t.node->worker[0]->tx[LONGHAUL_OUT].direct);
	put(&t, 10);
	cr_assert_eq(take(&t), 10);
	close_empty(&t);
}

Test(reload_queues, a_rate_that_comes_while_packets_wait)
{
	struct node_test t;
	uint64_t at;

	longhaul_open(&t, 256, &(struct longhaul_conf){0});
	put(&t, NODE_TEST_DEPTH + 200); /* the device is full */
	cr_assert_eq(node_waiting(t.node), 200);
	reload(&t, &(struct longhaul_conf){.out = "rate: 10Mbit"});
	put(&t, 1000);
	at = t.ticks;
	take(&t);
	drain(&t, 100 * LONGHAUL_US, 10000);
	cr_assert_eq(dropped(&t), 0);
	/* those behind the 200 that were in the TX buffer: 614 bytes each with preamble and gap */
	cr_assert_geq((t.ticks - at) / 1000, 990 * 614 * 8 / 10);
	reload(&t, &(struct longhaul_conf){.out = "rate: 10Gbit"});
	put(&t, 1000);
	take(&t);
	drain(&t, 100 * LONGHAUL_US, 20);
	close_empty(&t);
}

Test(reload_queues, a_delay_that_is_shortened_or_longer_keeps_the_order)
{
	static const char *const delay[] = {"rate: 10Gbit, delay: 50ms", "rate: 10Gbit, delay: 1ms",
		"rate: 10Gbit, delay: 5ms", "rate: 10Gbit, delay: 20ms, impair: {jitter: 3ms}",
		"rate: 10Gbit, delay: 2ms", "rate: 10Gbit", "rate: 10Gbit, delay: 3ms"};

	for (unsigned int n_workers = 1; n_workers <= 2; n_workers++) {
		struct node_test t;

		longhaul_open(&t, 256, &(struct longhaul_conf){.out = delay[0]});
		for (unsigned int k = 1; k <= 60; k++) {
			put(&t, 100);
			node_test_step(&t, 137 * LONGHAUL_US);
			take(&t);
			put(&t, 50);
			reload(&t, &(struct longhaul_conf){.out = delay[k % 7]});
			node_test_step(&t, 50 * LONGHAUL_US);
			take(&t);
		}
		drain(&t, LONGHAUL_MS, 60);
		cr_assert_eq(dropped(&t), 0);
		close_empty(&t);
	}
}

/* The packets on it come out sooner by the difference, at their distances. */
Test(reload_queues, a_shorter_line_lets_go_sooner_what_is_on_it)
{
	struct node_test t;

	longhaul_open(&t, 256, &(struct longhaul_conf){.out = "rate: 10Gbit, delay: 50ms"});
	for (unsigned int i = 0; i < 10; i++) {
		put(&t, 10);
		node_test_step(&t, LONGHAUL_MS);
	}
	cr_assert_eq(take(&t), 0);
	reload(&t, &(struct longhaul_conf){.out = "rate: 10Gbit, delay: 5ms"});
	node_test_step(&t, 0);
	node_test_step(&t, 0);
	cr_assert_eq(take(&t), 60, "those of 5 ms ago and before");
	node_test_step(&t, LONGHAUL_MS);
	cr_assert_eq(take(&t), 10);
	put(&t, 10);
	node_test_step(&t, 3 * LONGHAUL_MS);
	cr_assert_eq(take(&t), 30);
	node_test_step(&t, 2 * LONGHAUL_MS - 1);
	cr_assert_eq(take(&t), 0);
	node_test_step(&t, 1);
	cr_assert_eq(take(&t), 10, "what came after it has the new delay");
	close_empty(&t);
}

Test(reload_queues, a_full_line_of_a_second_that_is_turned_off)
{
	struct node_test t;

	longhaul_open(
		&t, 512, &(struct longhaul_conf){.out = "rate: 10Gbit, delay: 1s", .mbufs = 16384});
	for (unsigned int i = 0; i < 39; i++) {
		put(&t, 50);
		node_test_step(&t, 25 * LONGHAUL_MS);
	}
	cr_assert_eq(take(&t), 0);
	cr_assert_gt(t.node->worker[0]->queue[LONGHAUL_OUT].line.n, 1800);
	reload(&t, &(struct longhaul_conf){0});
	for (unsigned int i = 0; i < 30; i++) {
		put(&t, 30);
		take(&t);
	}
	drain(&t, 1, 40);
	cr_assert_eq(dropped(&t), 0);
	cr_assert(t.node->worker[0]->tx[LONGHAUL_OUT].direct);
	close_empty(&t);
}

Test(reload_queues, a_limit_below_the_backlog_drops_new_ones_only)
{
	struct node_test t;
	unsigned int before;

	longhaul_open(&t, 256,
		&(struct longhaul_conf){.out = "rate: 100Mbit",
			.classes = "  - {class: 0, name: d, limit: 2MB}\n"});
	put(&t, 2000);
	cr_assert_eq(dropped(&t), 0);
	reload(&t, &(struct longhaul_conf){.out = "rate: 100Mbit",
			   .classes = "  - {class: 0, name: d, limit: 10KB}\n"});
	before = next_number;
	for (unsigned int i = 0; i < 50; i++)
		longhaul_put_number(&t, longhaul_udp(PACKET_LEN), 1000000 + i);
	node_test_run(&t);
	cr_assert_eq(node_test_drops(&t, DROP_queue_full), 50);
	cr_assert_eq(dropped(&t), 50);
	next_number = before;
	drain(&t, 50 * LONGHAUL_US, 4000);
	put(&t, 10);
	drain(&t, 50 * LONGHAUL_US, 100);
	cr_assert_eq(dropped(&t), 50);
	close_empty(&t);
}

/* Pause frames that left by the way in: the last one's quanta for class 3, -1 for none. */
static int
heard(struct node_test *t, unsigned int *ret_n)
{
	uint8_t frame[128];
	int quanta = -1;
	size_t len;

	*ret_n = 0;
	while ((len = node_test_take(t, LONGHAUL_IN, frame, sizeof(frame))) != 0) {
		cr_assert(pfc_is(frame, len));
		quanta = pfc_quanta(frame, 3);
		(*ret_n)++;
	}
	return quanta;
}

static void
put_roce(struct node_test *t, unsigned int n)
{
	struct packet p = longhaul_roce(1026);

	for (unsigned int i = 0; i < n; i++) {
		longhaul_put(t, &p, 1);
		if (i % 64 == 63)
			node_test_step(t, 0);
	}
	node_test_run(t);
}

static void
drain_roce(struct node_test *t, unsigned int want)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < 1000 && n < want; i++) {
		node_test_step(t, 10 * LONGHAUL_US);
		n += node_test_discard(t, LONGHAUL_OUT);
	}
	cr_assert_eq(n, want);
}

/* The sender was told to stop, and what it is held by is gone: it must hear that it may go on. */
Test(reload_queues, a_class_that_is_stopped_and_loses_pfc_is_let_go)
{
	struct longhaul_conf with = {.in = PFC(""), .out = "rate: 1Gbit", .classes = LOSSLESS},
			     without = {.in = "rate: 1Gbit",
				     .out = "rate: 1Gbit",
				     .classes = LOSSLESS};
	struct node_test t;
	unsigned int n;

	longhaul_open(&t, 256, &with);
	put_roce(&t, 200);
	cr_assert_eq(heard(&t, &n), 65535);
	cr_assert_gt(t.node->shared.commons[LONGHAUL_IN].xoff[3].held, 150000);
	cr_assert_gt(t.node->paused_packets, 150);
	reload(&t, &without);
	node_test_step(&t, 0);
	cr_assert_eq(heard(&t, &n), 0, "an XON");
	cr_assert_eq(n, 1);
	/* those before are charged until they leave, those that come now are not */
	put_roce(&t, 100);
	cr_assert_leq(t.node->paused_packets, 200);
	cr_assert_leq(t.node->shared.commons[LONGHAUL_IN].xoff[3].held, 200 * 1026);
	drain_roce(&t, 300);
	heard(&t, &n);
	cr_assert_eq(n, 0, "once");
	cr_assert_eq(dropped(&t), 0);
	/* and back: packets that were not charged leave while it is paused again */
	put_roce(&t, 100);
	reload(&t, &with);
	put_roce(&t, 20);
	cr_assert_geq(t.node->shared.commons[LONGHAUL_IN].xoff[3].held, 0);
	cr_assert_leq(t.node->shared.commons[LONGHAUL_IN].xoff[3].held, 20 * 1026);
	drain_roce(&t, 120);
	cr_assert_eq(dropped(&t), 0);
	close_empty(&t);
}

/* No buffer for the XON, or a device that takes none: it is said in a later turn. */
Test(reload_queues, the_word_to_go_on_is_said_until_it_is_out)
{
	struct longhaul_conf with = {.in = PFC(""), .out = "rate: 1Gbit", .classes = LOSSLESS},
			     without = {.in = "rate: 1Gbit",
				     .out = "rate: 1Gbit",
				     .classes = LOSSLESS};
	struct rte_mbuf *m;
	struct node_test t;
	unsigned int n, filled = 0;

	longhaul_open(&t, 256, &with);
	put_roce(&t, 200);
	cr_assert_eq(heard(&t, &n), 65535);
	while ((m = rte_pktmbuf_alloc(t.node->pool)) != NULL &&
		port_tx(t.node->port[LONGHAUL_IN], 0, &m, 1) == 1)
		filled++;
	rte_pktmbuf_free(m);
	reload(&t, &without);
	for (unsigned int i = 0; i < 5; i++)
		node_test_step(&t, LONGHAUL_US);
	cr_assert_eq(node_next_ps(t.node, t.ticks), 0, "it is to be said");
	while (filled-- > 0)
		rte_pktmbuf_free(node_test_take_mbuf(&t, LONGHAUL_IN));
	for (unsigned int i = 0; i < 5; i++)
		node_test_step(&t, LONGHAUL_US);
	cr_assert_eq(heard(&t, &n), 0);
	cr_assert_eq(n, 1);
	drain_roce(&t, 200 - node_test_discard(&t, LONGHAUL_OUT));
	close_empty(&t);
}

/* xoff and headroom that are less than what is held already: what is on its way is not lost. */
Test(reload_queues, thresholds_below_what_is_held_lose_nothing)
{
	struct longhaul_conf many = {.in = "rate: 1Gbit, pfc: {classes: [3], xoff: 400KB, xon: "
					   "50KB, headroom: 100KB}",
				     .out = "rate: 1Gbit",
				     .classes = LOSSLESS},
			     few = {.in = "rate: 1Gbit, pfc: {classes: [3], xoff: 20KB, xon: 10KB, "
					  "headroom: 20KB}",
				     .out = "rate: 1Gbit",
				     .classes = LOSSLESS};
	struct node_test t;
	unsigned int n;

	longhaul_open(&t, 256, &many);
	put_roce(&t, 300);
	heard(&t, &n);
	cr_assert_eq(n, 0);
	reload(&t, &few);
	node_test_step(&t, 0);
	cr_assert_eq(heard(&t, &n), 65535);
	put_roce(&t, 80); /* came before the sender heard */
	cr_assert_eq(dropped(&t), 0);
	drain_roce(&t, 380);
	node_test_step(&t, LONGHAUL_US);
	cr_assert_eq(heard(&t, &n), 0);
	cr_assert_eq(t.node->shared.commons[LONGHAUL_IN].xoff[3].room, 40000);
	put_roce(&t, 100);
	cr_assert_gt(node_test_drops(&t, DROP_lossless_drop), 0, "a sender that heeds no pause");
	drain_roce(&t, (unsigned int)(100 - node_test_drops(&t, DROP_lossless_drop)));
	close_empty(&t);
}

Test(reload_queues, a_class_that_is_paused_and_loses_pfc_sends_at_once)
{
	struct longhaul_conf with = {.out = PFC(""), .classes = LOSSLESS, .both = true},
			     without = {.out = "rate: 1Gbit", .classes = LOSSLESS, .both = true};
	struct node_test t;

	longhaul_open(&t, 256, &with);
	pfc_put(&t, LONGHAUL_OUT, 1u << 3, 65535);
	put_roce(&t, 5);
	cr_assert_eq(node_waiting(t.node), 5);
	reload(&t, &without);
	node_test_step(&t, 0);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 5);
	close_empty(&t);
}

Test(reload_queues, a_storm_ends_with_the_pfc_of_its_class)
{
	struct longhaul_conf with = {.out = PFC(", watchdog: {detect: 10ms, restore: 10ms}"),
				     .classes = LOSSLESS,
				     .both = true},
			     without = {.out = "rate: 1Gbit", .classes = LOSSLESS, .both = true};
	struct node_test t;
	const struct qos_storm *storm;

	longhaul_open(&t, 256, &with);
	storm = &longhaul_commons(&t)->storm;
	put_roce(&t, 1);
	for (unsigned int i = 0; i < 500 && storm->mask == 0; i++) {
		if (i % 10 == 0)
			pfc_put(&t, LONGHAUL_OUT, 1u << 3, 65535);
		put_roce(&t, storm->mask == 0 && node_waiting(t.node) == 0);
		node_test_step(&t, 100 * LONGHAUL_US);
	}
	cr_assert_eq(storm->mask, 1u << 3);
	node_test_step(&t, 0); /* it drops what waited */
	node_test_discard(&t, LONGHAUL_OUT);
	reload(&t, &without);
	put_roce(&t, 5);
	cr_assert_eq(storm->mask, 0);
	cr_assert_eq(storm->n_detected, 1);
	cr_assert_eq(storm->n_restored, 1);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 5);
	/* it comes back without its old storm */
	node_test_step(&t, 50 * LONGHAUL_MS); /* the last pause is over */
	reload(&t, &with);
	put_roce(&t, 5);
	cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 5);
	cr_assert_eq(storm->detect_ps, 10 * PS_PER_MS);
	cr_assert_eq(storm->mask, 0);
	close_empty(&t);
}

/* Two classes with a backlog: their shares follow the weights of the moment. */
Test(reload_queues, weights_hold_from_the_next_packet_on)
{
	static const char *const classes[] = {
		"  - {class: 0, name: a, scheduler: {dwrr: 1}}\n"
		"  - {class: 1, name: b, dscp: [8], scheduler: {dwrr: 1}}\n",
		"  - {class: 0, name: a, scheduler: {dwrr: 9}}\n"
		"  - {class: 1, name: b, dscp: [8], scheduler: {dwrr: 1}}\n",
		"  - {class: 0, name: a, scheduler: {dwrr: 1}}\n"
		"  - {class: 1, name: b, dscp: [8], scheduler: strict}\n"};
	static const unsigned int share[] = {50, 90, 0};
	struct packet a = longhaul_udp(PACKET_LEN), b = a;
	struct node_test t;

	b.tos = 8 << 2;
	longhaul_open(
		&t, 256, &(struct longhaul_conf){.out = "rate: 100Mbit", .classes = classes[0]});
	for (unsigned int i = 0; i < 40; i++) {
		longhaul_put(&t, &a, 60);
		longhaul_put(&t, &b, 60);
		node_test_run(&t);
	}
	for (unsigned int k = 0; k < 3; k++) {
		unsigned int n[2] = {0};
		struct rte_mbuf *m;

		reload(&t, &(struct longhaul_conf){.out = "rate: 100Mbit", .classes = classes[k]});
		while (n[0] + n[1] < 600) {
			node_test_step(&t, 100 * LONGHAUL_US);
			while ((m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL) {
				n[*rte_pktmbuf_mtod_offset(m, uint8_t *, 15) >> 2 == 8]++;
				rte_pktmbuf_free(m);
			}
		}
		cr_assert(n[0] * 100 >= (n[0] + n[1]) * share[k] - 200 * (share[k] != 0) &&
				  n[0] * 100 <= (n[0] + n[1]) * (share[k] + 2),
			"weights %u: %u and %u", k, n[0], n[1]);
	}
	cr_assert_eq(dropped(&t), 0);
	node_test_close(&t);
}

/* Faults at both ends of the port, with two workers; a seed that stays goes on. */
Test(reload_queues, impairments_come_and_go)
{
	struct longhaul_conf good = {.n_workers = 2},
			     out = {.out = "impair: {loss: 100%}", .n_workers = 2},
			     in = {.in = "impair: {in: {loss: 100%}}", .n_workers = 2},
			     twice = {.in = "impair: {in: {duplicate: 100%}}", .n_workers = 2};
	const struct longhaul_conf *conf[] = {&good, &out, &good, &in, &twice, &good};
	static const unsigned int want[] = {64, 0, 64, 0, 128, 64};
	static uint8_t frame[2048];
	struct packet p = longhaul_udp(PACKET_LEN);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);
	struct node_test t;

	longhaul_open(&t, 256, &in);
	for (unsigned int k = 0; k < 6; k++) {
		reload(&t, conf[k]);
		for (uint16_t i = 0; i < 64; i++)
			longhaul_put_frame(&t, i % 2, frame, len);
		node_test_run(&t);
		cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), want[k], "%u", k);
	}
	close_empty(&t);
}

Test(reload_queues, marks_maps_and_paces_are_of_the_new_file)
{
	struct longhaul_conf plain = {0},
			     all = {.in = "pace: 1kpps, dscp_map: [{dscp: 0, class: 5}]",
				     .out = "ecn: {kmin: 0B, kmax: 1B, pmax: 100%}, dscp_rewrite: "
					    "[{dscp: 0, to: 9}]"};
	struct packet p = longhaul_udp(PACKET_LEN);
	struct node_test t;
	struct rte_mbuf *m;

	p.tos = 2;
	longhaul_open(&t, 256, &plain);
	for (unsigned int round = 0; round < 4; round++) {
		bool on = round % 2;

		reload(&t, on ? &all : &plain);
		node_test_step(&t, 100 * LONGHAUL_MS);
		longhaul_put(&t, &p, 1);
		for (unsigned int i = 0; i < 3; i++)
			node_test_step(&t, on ? LONGHAUL_MS : 0);
		m = node_test_take_mbuf(&t, LONGHAUL_OUT);
		cr_assert_not_null(m);
		cr_assert_eq(*rte_pktmbuf_mtod_offset(m, uint8_t *, 15), on ? 9 << 2 | 2 : 2);
		rte_pktmbuf_free(m);
		cr_assert_eq(longhaul_counters(&t).class_[5].packets, round / 2 * 51 + on);
		longhaul_put(&t, &p, 50);
		for (unsigned int i = 0; i < 10; i++)
			node_test_step(&t, LONGHAUL_MS);
		cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT) == 50, !on);
		while (node_test_sums(&t).in != t.n_put)
			node_test_step(&t, LONGHAUL_MS);
		node_test_discard(&t, LONGHAUL_OUT);
	}
	close_empty(&t);
}

/* Full queues and lines of several workers, reloaded and then stopped: every buffer is back. */
Test(reload_queues, reload_and_stop_with_full_queues_and_delay_lines)
{
	static const char *const out[] = {"rate: 1Gbit, delay: 5ms, impair: {jitter: 1ms, reorder: "
					  "10%}",
		"rate: 1Mbit", "rate: 10Gbit, delay: 1ms, ecn: phantom", NULL};

	for (unsigned int n = 1; n <= 4; n *= 2)
		for (unsigned int k = 0; k < 4; k++) {
			struct longhaul_conf c = {.out = out[k], .n_workers = n};
			struct node_test_sums before, after;
			struct node_test t;

			longhaul_open(&t, 256, &c);
			put(&t, 600);
			c.out = out[(k + 1) % 4];
			reload(&t, &c);
			/* also before the workers have seen it */
			if (k % 2 == 0)
				node_test_step(&t, 100 * LONGHAUL_US);
			put(&t, k % 2 == 0 ? 100 : 0);
			before = node_test_sums(&t);
			node_stop(t.node);
			after = node_test_sums(&t);
			cr_assert_eq(after.waiting, 0);
			cr_assert_eq(after.out - before.out + after.dropped - before.dropped,
				before.waiting);
			cr_assert_eq(after.dropped, node_test_drops(&t, DROP_stopped));
			node_test_close(&t);
		}
}
