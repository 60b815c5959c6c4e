/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several workers: the order of each flow holds and nothing is lost, also where a port has fewer TX
 * queues than the node has workers and the others hand their packets to the queue's owner.
 */
#include <pthread.h>

#include "ctl/ports.h"
#include "fan.h"

#define WORKERS 4u
#define N_FLOWS 64u
#define N_OUT   3u

/* Both ports in are polled by all workers. Ports: in 0, in2 1, o0-o2 2-4. */
static void
workers_open(struct node_test *t)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("version: 1\nnode: {name: many, id: 7}\nruntime:\n  mbufs: 32768\n  workers:\n", f);
	for (unsigned int w = 0; w < WORKERS; w++)
		fprintf(f, "    - {lcore: %u, rx: [in, in2]}\n", w + 1);
	fputs("ports:\n  - {name: in, device: in, role: nsf, promiscuous: true}\n"
	      "  - {name: in2, device: in2, role: nsf, promiscuous: true}\n",
		f);
	for (unsigned int i = 0; i < N_OUT; i++)
		fprintf(f, "  - {name: o%u, device: o%u, role: nsf}\n", i, i);
	fputs("groups:\n", f);
	fan_group(f, "g", N_OUT, NULL, "");
	fputs("routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n", f);
	fclose(f);
	node_test_open(t, 256, "%s", text);
	free(text);
	cr_assert_eq(t->node->n_workers, WORKERS);
}

/* The sending and the receiving end of all flows. */
struct flows {
	struct node_test *t;
	uint32_t sent[N_FLOWS], received[N_FLOWS];
	uint64_t n_sent, n_received;
	uint32_t disordered;
};

/* The next packet of a flow, into the queue that RSS would choose: always the same one. */
static bool
send_one(struct flows *f, uint32_t flow)
{
	struct packet p = packet_udp(4);
	uint8_t frame[128], payload[8];
	struct rte_mbuf *m;
	size_t len;

	memcpy(payload, &flow, 4);
	memcpy(payload + 4, &f->sent[flow], 4);
	p.src4 += flow;
	p.payload = payload;
	p.payload_len = sizeof(payload);
	len = packet_write(&p, frame, sizeof(frame), NULL);
	m = packet_mbuf(f->t->node->pool, frame, len);
	cr_assert_not_null(m);
	if (!node_test_put_mbuf(f->t, flow % 2, (uint16_t)(flow / 2 % WORKERS), m)) {
		rte_pktmbuf_free(m);
		return false;
	}
	f->sent[flow]++;
	f->n_sent++;
	return true;
}

static void
receive_all(struct flows *f)
{
	for (uint16_t p = 2; p < 2 + N_OUT; p++) {
		struct rte_mbuf *m;

		while ((m = node_test_take_mbuf(f->t, p)) != NULL) {
			const uint8_t *payload = rte_pktmbuf_mtod_offset(m, const uint8_t *, 42);
			uint32_t flow, seq;

			memcpy(&flow, payload, 4);
			memcpy(&seq, payload + 4, 4);
			f->disordered += seq != f->received[flow];
			f->received[flow]++;
			f->n_received++;
			rte_pktmbuf_free(m);
		}
	}
}

static void
expect_all_in_order(const struct flows *f)
{
	cr_assert_eq(f->n_received, f->n_sent, "%lu of %lu", f->n_received, f->n_sent);
	cr_assert_eq(f->disordered, 0, "%u packets out of the order of their flow", f->disordered);
}

/* Bursts of random flows, stepped by this thread. */
static void
step_traffic(struct node_test *t)
{
	struct flows f = {.t = t};
	struct rng r;

	rng_init(&r, 4);
	for (unsigned int round = 0; round < 500; round++) {
		for (unsigned int i = 0; i < 200; i++)
			cr_assert(send_one(&f, (uint32_t)rng_below(&r, N_FLOWS)));
		node_turn(t->node, t->ticks);
		receive_all(&f);
	}
	node_test_run(t);
	node_test_run(t);
	receive_all(&f);
	expect_all_in_order(&f);
	for (unsigned int w = 0; w < WORKERS; w++)
		cr_assert_gt(t->node->worker[w]->counters->busy_turns, 0, "worker %u idles", w);
}

Test(workers, four_stepped_by_one_thread_keep_the_order_of_flows)
{
	struct node_test t;

	workers_open(&t);
	step_traffic(&t);
	node_test_close(&t);
}

Test(workers, ports_of_one_tx_queue_get_everything_in_order)
{
	struct node_test t;

	workers_open(&t);
	node_test_give_tx_queues(&t, 1);
	cr_assert_eq(t.node->worker[0]->n_owned, 5);
	step_traffic(&t);
	for (unsigned int w = 1; w < WORKERS; w++)
		for (unsigned int p = 0; p < t.node->n_ports; p++)
			cr_assert_eq(t.node->worker[w]->counters->port_out[p].packets, 0,
				"worker %u sends by a queue that is not its own", w);
	node_test_close(&t);
}

Test(workers, ports_of_two_tx_queues_serve_four_workers)
{
	struct node_test t;

	workers_open(&t);
	node_test_give_tx_queues(&t, 2);
	step_traffic(&t);
	cr_assert_gt(t.node->worker[1]->counters->port_out[2].packets, 0);
	cr_assert_eq(t.node->worker[2]->counters->port_out[2].packets, 0);
	node_test_close(&t);
}

/*
 * A port that takes nothing: its ring, the owner's buffer, the hand-off ring and the others'
 * buffers fill one after the other, and what waits in each of them is counted at the end.
 */
Test(workers, what_waits_in_a_hand_off_ring_at_the_end_is_counted)
{
	struct node_test t;
	struct flows f = {.t = &t};
	uint64_t stopped;

	workers_open(&t);
	node_test_give_tx_queues(&t, 1);
	for (unsigned int round = 0; round < 800; round++) {
		for (uint32_t flow = 0; flow < N_FLOWS; flow++)
			cr_assert(send_one(&f, flow));
		node_turn(t.node, t.ticks);
	}
	node_test_run(&t);
	cr_assert_gt(node_test_drops(&t, DROP_tx_full), 0);
	node_stop(t.node);
	stopped = node_test_drops(&t, DROP_stopped);
	cr_assert_eq(stopped,
		N_OUT * (WORKERS * WORKER_TX_MAX + PORTS_HANDOFF - 1 + EGRESS_PLAIN_PACKETS), "%lu",
		stopped);
	cr_assert_eq(
		stopped + node_test_drops(&t, DROP_tx_full) + N_OUT * NODE_TEST_DEPTH, f.n_sent);
	node_test_close(&t);
}

Test(workers, a_stop_sends_what_was_handed_over)
{
	struct node_test t;
	struct flows f = {.t = &t};

	workers_open(&t);
	node_test_give_tx_queues(&t, 1);
	/* workers 1 to 3 have handed over, and the owner has not had its turn since */
	for (uint32_t flow = 0; flow < N_FLOWS; flow++)
		cr_assert(send_one(&f, flow));
	node_turn(t.node, t.ticks);
	receive_all(&f);
	cr_assert_lt(f.n_received, f.n_sent);
	node_stop(t.node);
	receive_all(&f);
	expect_all_in_order(&f);
	node_test_close(&t);
}

struct stepper {
	struct worker *worker;
	const bool *stop;
	pthread_t thread;
};

static void *
step(void *arg)
{
	struct stepper *s = arg;

	while (!__atomic_load_n(s->stop, __ATOMIC_RELAXED))
		if (worker_turn(s->worker, 0) == 0)
			sched_yield();
	return NULL;
}

/* Never more in flight than the smallest buffer on the way holds, so nothing may be lost. */
static void
threaded_traffic(struct node_test *t)
{
	struct flows f = {.t = t};
	struct stepper s[WORKERS];
	bool stop = false;
	struct rng r;

	rng_init(&r, 6);
	for (unsigned int w = 0; w < WORKERS; w++) {
		s[w] = (struct stepper){.worker = t->node->worker[w], .stop = &stop};
		cr_assert_eq(pthread_create(&s[w].thread, NULL, step, &s[w]), 0);
	}
	while (f.n_received < 50000) {
		while (f.n_sent < 50000 && f.n_sent - f.n_received < WORKER_TX_MAX)
			if (!send_one(&f, (uint32_t)rng_below(&r, N_FLOWS)))
				break;
		receive_all(&f);
		sched_yield();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned int w = 0; w < WORKERS; w++)
		pthread_join(s[w].thread, NULL);
	expect_all_in_order(&f);
}

Test(workers, four_threads_keep_the_order_of_flows, .timeout = 60)
{
	struct node_test t;

	workers_open(&t);
	threaded_traffic(&t);
	node_test_close(&t);
}

Test(workers, four_threads_share_ports_of_one_tx_queue, .timeout = 60)
{
	struct node_test t;

	workers_open(&t);
	node_test_give_tx_queues(&t, 1);
	threaded_traffic(&t);
	node_test_close(&t);
}

/* A replay of a node whose workers are more than any machine here has CPUs. */
Test(workers, twenty_workers_of_one_port_get_a_queue_each)
{
	struct node_test t;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("version: 1\nnode: {name: many, id: 7}\nruntime:\n  workers:\n", f);
	for (unsigned int w = 0; w < 20; w++)
		fprintf(f, "    - {lcore: %u, rx: [in]}\n", w + 1);
	fputs("ports:\n" PIPE_PORT("in", "01"), f);
	fclose(f);
	node_test_open(&t, 256, "%s", text);
	cr_assert_eq(t.node->n_workers, 20);
	for (uint16_t w = 0; w < 20; w++) {
		cr_assert_eq(t.node->worker[w]->n_rxq, 1);
		cr_assert_eq(t.node->worker[w]->rxq[0].queue, w);
	}
	node_test_close(&t);
	free(text);
}
