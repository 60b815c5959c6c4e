/* SPDX-License-Identifier: BSD-3-Clause */
/* The node of the pipeline tests: between a test and lib/ctl. */
#include "node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include <criterion/criterion.h>

#include "ctl/ports.h"
#include "eal.h"
#include "packet.h"
#include "port/port.h"

static void
remember(void *ctx, enum node_severity severity, const char *sentence)
{
	struct node_test *t = ctx;
	size_t len = strlen(t->said);

	snprintf(t->said + len, sizeof(t->said) - len, "%s%s\n",
		severity == NODE_ERROR ? "error: " : "", sentence);
}

unsigned int
node_test_said(const struct node_test *t, const char *words)
{
	unsigned int n = 0;

	for (const char *at = t->said; (at = strstr(at, words)) != NULL; at++)
		n++;
	return n;
}

struct conf *
node_test_conf(const char *yaml)
{
	struct conf_errors errors;
	struct conf *c = NULL;

	if (conf_parse("test.yaml", yaml, strlen(yaml), &c, &errors) != 0) {
		conf_errors_print(&errors, "test.yaml", stderr);
		cr_assert_fail("the test's own YAML is wrong");
	}
	conf_errors_fini(&errors);
	return c;
}

static int
try(struct node_test *t, unsigned int mb, const struct conf *conf, bool wired, uint64_t ticks)
{
	struct node_env env = {
		.clock = clock_manual(&t->ticks, NODE_TEST_HZ),
		.log = {.say = remember, .ctx = t},
		.replay = true,
		.wired = wired,
		.replay_depth = NODE_TEST_DEPTH,
	};

	memset(t, 0, sizeof(*t));
	t->ticks = ticks;
	test_eal(mb);
	return node_create(conf, &env, &t->node);
}

int
node_test_try(struct node_test *t, unsigned int mb, const struct conf *conf)
{
	return try(t, mb, conf, false, 0);
}

void
node_test_open_wired(struct node_test *t, unsigned int mb, const char *yaml)
{
	node_test_open_wired_at(t, mb, yaml, 0);
}

void
node_test_open_wired_at(struct node_test *t, unsigned int mb, const char *yaml, uint64_t ticks)
{
	struct conf *conf = node_test_conf(yaml);
	int rc = try(t, mb, conf, true, ticks);

	cr_assert_eq(rc, 0, "node_create: %s: %s", strerror(-rc), t->said);
	t->conf = conf;
}

void
node_test_open_conf(struct node_test *t, unsigned int mb, const struct conf *conf)
{
	int rc = node_test_try(t, mb, conf);

	cr_assert_eq(rc, 0, "node_create: %s: %s", strerror(-rc), t->said);
}

void
node_test_open(struct node_test *t, unsigned int mb, const char *yaml, ...)
{
	struct conf *conf;
	va_list args;
	char *text;
	int len;

	va_start(args, yaml);
	len = vasprintf(&text, yaml, args);
	va_end(args);
	cr_assert_geq(len, 0);
	conf = node_test_conf(text);
	free(text);
	node_test_open_conf(t, mb, conf);
	t->conf = conf;
}

int
node_test_reload(struct node_test *t, const char *yaml)
{
	struct conf *conf = node_test_conf(yaml);
	int rc = node_reload(t->node, conf);

	if (rc != 0) {
		conf_free(conf);
		return rc;
	}
	conf_free(t->conf);
	t->conf = conf;
	return 0;
}

void
node_test_close(struct node_test *t)
{
	node_stop(t->node);
	cr_assert_eq(node_waiting(t->node), 0, "something waits in a node that stands still");
	node_test_balance(t);
	for (size_t p = 0; p < t->node->n_ports; p++)
		node_test_discard(t, (uint16_t)p);
	cr_assert_eq(node_mbufs_out(t->node), 0, "%u packet buffers are missing",
		node_mbufs_out(t->node));
	cr_assert_eq(node_free(t->node), 0, "%s", t->said);
	conf_free(t->conf);
}

void
node_test_give_tx_queues(struct node_test *t, uint16_t n_txq)
{
	struct placement *pl = calloc(1, sizeof(*pl));
	struct node *n = t->node;

	cr_assert_not_null(pl);
	pl->n_workers = n->n_workers;
	for (unsigned int w = 0; w < n->n_workers; w++) {
		pl->n_rxq[w] = n->worker[w]->n_rxq;
		for (uint16_t q = 0; q < pl->n_rxq[w]; q++) {
			pl->rxq[w][q].port_idx = n->worker[w]->rxq[q].port_idx;
			pl->rxq[w][q].queue = n->worker[w]->rxq[q].queue;
		}
	}
	for (size_t p = 0; p < n->n_ports; p++) {
		pl->port_rxq[p] = 1;
		pl->port_txq[p] = n_txq;
	}
	cr_assert_eq(ports_attach(n, pl), 0);
	free(pl);
}

size_t
node_test_heap(void)
{
	struct rte_malloc_socket_stats heap;

	cr_assert_eq(rte_malloc_get_socket_stats(0, &heap), 0);
	return heap.heap_allocsz_bytes;
}

uint16_t
node_test_port(const struct node_test *t, const char *name)
{
	int idx = conf_port_by_name(t->node->conf, name);

	cr_assert_geq(idx, 0, "no port %s", name);
	return (uint16_t)idx;
}

uint32_t
node_test_group(const struct node_test *t, const char *name)
{
	int idx = conf_group_by_name(t->node->conf, name);

	cr_assert_geq(idx, 0, "no group %s", name);
	return (uint32_t)idx;
}

bool
node_test_put_mbuf(struct node_test *t, uint16_t port_idx, uint16_t queue, struct rte_mbuf *m)
{
	if (port_mem_put(t->node->port[port_idx], queue, &m, 1) != 1)
		return false;
	t->n_put++;
	return true;
}

bool
node_test_put(struct node_test *t, uint16_t port_idx, const uint8_t *frame, size_t len)
{
	struct rte_mbuf *m = packet_mbuf(t->node->pool, frame, len);

	cr_assert_not_null(m, "the node's pool is empty");
	if (node_test_put_mbuf(t, port_idx, 0, m))
		return true;
	rte_pktmbuf_free(m);
	return false;
}

void
node_test_run(struct node_test *t)
{
	while (node_turn(t->node, t->ticks) != 0)
		;
	node_turn(t->node, t->ticks);
}

void
node_test_step(struct node_test *t, uint64_t ns)
{
	t->ticks += ns;
	node_turn(t->node, t->ticks);
	node_test_balance(t);
}

struct rte_mbuf *
node_test_take_mbuf(struct node_test *t, uint16_t port_idx)
{
	struct rte_mbuf *m;

	if (port_mem_take(t->node->port[port_idx], &m, 1) != 1)
		return NULL;
	t->n_taken++;
	return m;
}

size_t
node_test_take(struct node_test *t, uint16_t port_idx, uint8_t *buf, size_t size)
{
	struct rte_mbuf *m = node_test_take_mbuf(t, port_idx);
	size_t len;

	if (m == NULL)
		return 0;
	len = packet_read(m, buf, size);
	cr_assert_leq(len, size, "a frame of %zu bytes for %zu", len, size);
	rte_pktmbuf_free(m);
	return len;
}

unsigned int
node_test_discard(struct node_test *t, uint16_t port_idx)
{
	unsigned int n = 0;

	for (struct rte_mbuf *m; (m = node_test_take_mbuf(t, port_idx)) != NULL; n++)
		rte_pktmbuf_free(m);
	return n;
}

int
node_test_pass(struct node_test *t, uint16_t in_port, const uint8_t *frame, size_t len,
	uint8_t *buf, size_t *ret_len)
{
	int left_by = -1;

	cr_assert(node_test_put(t, in_port, frame, len), "the port's ring is full");
	node_test_run(t);
	for (size_t p = 0; p < t->node->n_ports; p++) {
		struct rte_mbuf *m = node_test_take_mbuf(t, (uint16_t)p);

		if (m == NULL)
			continue;
		cr_assert_eq(left_by, -1, "one frame in, two out");
		*ret_len = packet_read(m, buf, PACKET_MAX);
		rte_pktmbuf_free(m);
		cr_assert_null(node_test_take_mbuf(t, (uint16_t)p), "one frame in, two out");
		left_by = (int)p;
	}
	return left_by;
}

static void
read_counters(const struct node_test *t, struct counters *ret_sum)
{
	node_counters(t->node, ret_sum, NULL);
}

uint64_t
node_test_drops(const struct node_test *t, enum drop_reason reason)
{
	struct counters sum;

	read_counters(t, &sum);
	return sum.drop[reason];
}

uint64_t
node_test_punts(const struct node_test *t, enum punt_kind kind)
{
	struct counters sum;

	read_counters(t, &sum);
	return sum.punt[kind];
}

uint64_t
node_test_member(const struct node_test *t, uint32_t group_idx, unsigned int member)
{
	struct counter *all = calloc(t->node->n_members + 1, sizeof(*all));
	struct counters sum;
	uint64_t packets;

	cr_assert_not_null(all);
	node_counters(t->node, &sum, all);
	packets = all[node_group_now(t->node, group_idx)->member[member].counter].packets;
	free(all);
	return packets;
}

struct node_test_sums
node_test_sums(const struct node_test *t)
{
	struct node_test_sums s = {0};
	struct counters sum;

	read_counters(t, &sum);
	for (unsigned int p = 0; p < DP_PORTS_MAX; p++) {
		s.in += sum.port_in[p].packets;
		s.out += sum.port_out[p].packets;
	}
	for (unsigned int r = 0; r < DROP_N; r++)
		s.dropped += sum.drop[r];
	for (unsigned int k = 0; k < PUNT_N; k++)
		s.punted += sum.punt[k];
	s.made = counters_made(&sum);
	s.ended = counters_ended(&sum);
	s.waiting = node_waiting(t->node);
	return s;
}

void
node_test_balance(const struct node_test *t)
{
	struct node_test_sums s = node_test_sums(t);

	cr_assert_eq(s.in + s.made, s.out + s.punted + s.dropped + s.ended + s.waiting,
		"in %lu, made %lu, out %lu, punted %lu, dropped %lu, ended %lu, waiting %lu", s.in,
		s.made, s.out, s.punted, s.dropped, s.ended, s.waiting);
	cr_assert_leq(s.in, t->n_put, "%lu put, %lu in", t->n_put, s.in);
}
