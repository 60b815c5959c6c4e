/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker polls which queue, on ports that are nothing but their capabilities. */
#include <errno.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "ctl/ports.h"
#include "eal.h"

static char said[4096];

static void
remember(void *ctx, enum node_severity severity, const char *sentence)
{
	size_t len = strlen(said);

	(void)ctx;
	(void)severity;
	snprintf(said + len, sizeof(said) - len, "%s\n", sentence);
}

#define PORTS_MAX 140u

struct bench {
	struct conf conf;
	struct node node;
	struct conf_worker worker[NODE_WORKERS_MAX + 1];
	uint16_t rx[PORTS_MAX];
	struct conf_port conf_port[PORTS_MAX];
	struct port port[PORTS_MAX];
	struct port *at[PORTS_MAX];
	struct placement pl;
};

/* `n_workers` listed workers that poll all of `n_ports` ports, which can `rxq` and `txq` queues. */
static struct bench *
bench_make(unsigned int n_workers, size_t n_ports, uint16_t rxq, uint16_t txq)
{
	struct bench *b = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(sizeof(*b), (size_t)RTE_CACHE_LINE_SIZE));

	memset(b, 0, sizeof(*b));
	said[0] = '\0';
	for (size_t p = 0; p < n_ports; p++) {
		b->rx[p] = (uint16_t)p;
		b->at[p] = &b->port[p];
		snprintf(b->port[p].name, sizeof(b->port[p].name), "p%zu", p);
		b->port[p].caps = (struct port_caps){.max_rxq = rxq,
			.max_txq = txq,
			.rss = rxq > 1,
			.socket = -1,
			.driver = "fake"};
	}
	for (unsigned int w = 0; w < n_workers; w++)
		b->worker[w] = (struct conf_worker){
			.lcore = (uint16_t)(w + 1), .rx = b->rx, .n_rx = n_ports};
	b->conf.worker = b->worker;
	b->conf.n_workers = n_workers;
	b->conf.port = b->conf_port;
	b->conf.n_ports = n_ports;
	b->node.conf = &b->conf;
	b->node.env.log.say = remember;
	b->node.env.replay = true; /* lcores are numbers here, the EAL has none of them */
	b->node.port = b->at;
	b->node.n_ports = n_ports;
	return b;
}

Test(place, listed_workers_get_a_queue_of_each_port_that_spreads_flows)
{
	struct bench *b = bench_make(3, 2, 4, 8);

	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(b->pl.n_workers, 3);
	for (uint16_t w = 0; w < 3; w++) {
		cr_assert_eq(b->pl.lcore[w], w + 1);
		cr_assert_eq(b->pl.n_rxq[w], 2);
		for (uint16_t q = 0; q < 2; q++) {
			cr_assert_eq(b->pl.rxq[w][q].port_idx, q);
			cr_assert_eq(b->pl.rxq[w][q].queue, w, "no two workers poll one queue");
		}
	}
	cr_assert_eq(b->pl.port_rxq[0], 3);
	cr_assert_eq(b->pl.port_txq[0], 3);
	cr_assert_str_empty(said);
	free(b);
}

Test(place, a_port_that_cannot_spread_flows_has_one_poller_and_it_is_said)
{
	struct bench *b = bench_make(3, 1, 1, 1);

	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(b->pl.port_rxq[0], 1);
	cr_assert_eq(b->pl.n_rxq[0], 1);
	cr_assert_eq(b->pl.n_rxq[1] + b->pl.n_rxq[2], 0);
	cr_assert_eq(b->pl.port_txq[0], 1);
	cr_assert_not_null(strstr(said, "lcore 2 does not poll it"), "%s", said);
	cr_assert_not_null(strstr(said, "1 TX queues for 3 workers"), "%s", said);
	free(b);
}

Test(place, no_more_queues_than_the_device_has)
{
	struct bench *b = bench_make(6, 1, 4, 2);

	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(b->pl.port_rxq[0], 4);
	cr_assert_eq(b->pl.port_txq[0], 2);
	cr_assert_eq(b->pl.n_rxq[4] + b->pl.n_rxq[5], 0);
	free(b);
}

Test(place, more_workers_than_a_node_may_have_are_refused)
{
	struct bench *b = bench_make(NODE_WORKERS_MAX + 1, 1, 256, 256);

	cr_assert_eq(ports_place(&b->node, &b->pl), -E2BIG);
	cr_assert_not_null(strstr(said, "129 workers"), "%s", said);
	b->conf.n_workers = NODE_WORKERS_MAX;
	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	/* lcores that the EAL was not given are refused by number */
	b->node.env.replay = false;
	cr_assert_eq(ports_place(&b->node, &b->pl), -EINVAL);
	cr_assert_not_null(strstr(said, "lcore"), "%s", said);
	free(b);
}

Test(place, a_worker_of_too_many_queues_is_refused)
{
	struct bench *b = bench_make(1, WORKER_RXQ_MAX, 1, 1);

	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(b->pl.n_rxq[0], WORKER_RXQ_MAX);
	/* a port listed twice by one worker, where the device could */
	b->port[0].caps.rss = true;
	b->port[0].caps.max_rxq = 2;
	b->rx[1] = 0;
	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(b->pl.port_rxq[0], 2);
	cr_assert_eq(b->pl.port_rxq[1], 1, "a port that nobody polls is set up all the same");
	free(b);
}

/* One lcore in all: control and worker take turns there. */
Test(place, without_a_list_the_main_lcore_polls_when_it_is_alone)
{
	struct bench *b = bench_make(0, 5, 4, 4);

	test_eal(64);
	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(b->pl.n_workers, 1);
	cr_assert_eq(b->pl.n_rxq[0], 5);
	for (uint16_t q = 0; q < 5; q++)
		cr_assert_eq(b->pl.port_rxq[q], 1);
	free(b);
}

/* net_af_packet with qpairs: the kernel fills every queue, and who does not poll one loses flows.
 */
static struct bench *
bench_fixed(unsigned int n_workers, uint16_t fixed)
{
	struct bench *b = bench_make(n_workers, 1, fixed, fixed);

	b->port[0].caps.rss = false;
	b->port[0].caps.fixed_rxq = fixed;
	return b;
}

/* Each queue of port 0 is polled once; returns how many of them worker `w` has. */
static unsigned int
expect_each_queue_once(const struct bench *b, uint16_t n_queues, unsigned int w)
{
	unsigned int polled[16] = {0};

	cr_assert_eq(b->pl.port_rxq[0], n_queues, "%u queues", b->pl.port_rxq[0]);
	for (unsigned int i = 0; i < b->pl.n_workers; i++)
		for (uint16_t k = 0; k < b->pl.n_rxq[i]; k++)
			polled[b->pl.rxq[i][k].queue]++;
	for (uint16_t q = 0; q < n_queues; q++)
		cr_assert_eq(polled[q], 1, "queue %u: %u pollers", q, polled[q]);
	return b->pl.n_rxq[w];
}

Test(place, one_worker_polls_every_queue_that_a_device_fills_by_itself)
{
	struct bench *b = bench_fixed(1, 4);

	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(expect_each_queue_once(b, 4, 0), 4);
	cr_assert_str_empty(said);
	free(b);
}

Test(place, queues_that_a_device_fills_are_shared_by_those_who_list_the_port)
{
	struct bench *b = bench_fixed(3, 5);

	b->worker[1].n_rx = 0;
	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(expect_each_queue_once(b, 5, 0), 3);
	cr_assert_eq(b->pl.n_rxq[1], 0, "it does not list the port");
	cr_assert_eq(b->pl.n_rxq[2], 2);
	cr_assert_str_empty(said);
	free(b);
}

Test(place, a_port_that_fills_its_queues_has_no_more_pollers_than_queues)
{
	struct bench *b = bench_fixed(3, 2);

	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(expect_each_queue_once(b, 2, 2), 0);
	cr_assert_not_null(strstr(said, "lcore 3 does not poll it"), "%s", said);
	free(b);
}

Test(place, without_a_list_queues_that_a_device_fills_are_polled_all)
{
	struct bench *b = bench_fixed(0, 3);

	test_eal(64);
	cr_assert_eq(ports_place(&b->node, &b->pl), 0);
	cr_assert_eq(expect_each_queue_once(b, 3, 0), 3);
	free(b);
}

Test(place, queues_that_a_device_fills_count_against_a_workers_most)
{
	struct bench *b = bench_fixed(1, WORKER_RXQ_MAX + 1);

	cr_assert_eq(ports_place(&b->node, &b->pl), -ENOSPC);
	cr_assert_not_null(strstr(said, "add workers"), "%s", said);
	free(b);
}
