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
