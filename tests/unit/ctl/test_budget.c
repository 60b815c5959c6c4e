/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a configuration is said to cost. On plain memory of just that much the node must come up,
 * and it must use a fair part of it: too little told is a crash later, too much a node refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include <criterion/criterion.h>

#include "ctl/build.h"
#include "ctl/ports.h"
#include "node.h"

#define MIB UINT64_C(1048576)

static char said[1024];

static void
remember(void *ctx, enum node_severity severity, const char *sentence)
{
	(void)ctx;
	(void)severity;
	snprintf(said, sizeof(said), "%s", sentence);
}

static const struct node_log test_log = {.say = remember};

/* `n_ports` ports of an MTU, `n_groups` groups of 16 members. */
static struct conf *
make(unsigned int n_ports, unsigned int mtu, unsigned int n_groups, unsigned int buckets)
{
	struct conf *c;
	char *yaml;
	size_t len;
	FILE *f = open_memstream(&yaml, &len);

	fputs("version: 1\nnode: {name: n, id: 1}\nports:\n", f);
	for (unsigned int p = 0; p < n_ports; p++)
		fprintf(f, "  - {name: p%u, device: d%u, role: nsf, mtu: %u}\n", p, p, mtu);
	if (n_groups != 0)
		fputs("groups:\n", f);
	for (unsigned int g = 0; g < n_groups; g++) {
		fprintf(f, "  - name: g%u\n    buckets: %u\n    members:\n", g, buckets);
		for (unsigned int m = 0; m < 16; m++)
			fprintf(f, "      - {port: p%u, via: 10.0.%u.%u}\n", m % n_ports, m, m);
	}
	fclose(f);
	c = node_test_conf(yaml);
	free(yaml);
	return c;
}

static void
expect_enough_and_not_absurd(struct conf *c, unsigned int percent)
{
	struct rte_malloc_socket_stats heap;
	struct node_test t;
	uint64_t told;

	c->memory = UINT64_C(1) << 40;
	cr_assert_eq(node_check(c, &test_log, &told), 0, "%s", said);
	node_test_open_conf(&t, (unsigned int)(told / MIB + 1), c);
	rte_malloc_get_socket_stats(0, &heap);
	cr_assert_geq(heap.heap_allocsz_bytes * 100, (told - 24000000) * percent,
		"told %lu, used %zu", told, heap.heap_allocsz_bytes);
	node_test_close(&t);
	conf_free(c);
}

Test(budget, holds_for_ports_of_1500_bytes)
{
	expect_enough_and_not_absurd(make(8, 1500, 4, 512), 80);
}

Test(budget, holds_for_jumbo_ports)
{
	expect_enough_and_not_absurd(make(8, 9600, 4, 512), 80);
}

Test(budget, holds_for_a_roce_path_mtu_of_4096)
{
	expect_enough_and_not_absurd(make(4, 4200, 4, 512), 80);
}

/* Half of it: each group may stand beside the one that it replaces. */
Test(budget, holds_for_two_thousand_groups)
{
	expect_enough_and_not_absurd(make(2, 1500, 2000, 4096), 45);
}

/* `n_links` links and 20 ports, of which the first `n_systems` are system ports. */
static struct conf *
make_fabric(unsigned int n_links, unsigned int n_systems)
{
	struct conf *c;
	char *yaml;
	size_t len;
	FILE *f = open_memstream(&yaml, &len);

	fputs("version: 1\nnode: {name: n, id: 1}\nports:\n", f);
	for (unsigned int l = 0; l < n_links; l++)
		fprintf(f, "  - {name: f%u, device: f%u, role: dsf, rate: 100Gbit}\n", l, l);
	for (unsigned int p = 0; p < 20; p++)
		fprintf(f, "  - {name: p%u, device: d%u, role: nsf}\n", p, p);
	fputs("dsf:\n  device_id: 1\n  reassembly_cells: 8192\n  voq_limit: 4MB\n", f);
	fputs(n_systems == 0 ? "" : "  system_ports:\n", f);
	for (unsigned int p = 0; p < n_systems; p++)
		fprintf(f, "    - {number: %u, port: p%u}\n", p + 1, p);
	fclose(f);
	c = node_test_conf(yaml);
	free(yaml);
	return c;
}

Test(budget, holds_for_a_fabric)
{
	expect_enough_and_not_absurd(make_fabric(12, 20), 80);
}

static size_t
heap_of(struct conf *c, uint64_t *ret_told)
{
	struct node_test t;
	size_t heap;

	c->memory = UINT64_C(1) << 40;
	cr_assert_eq(node_check(c, &test_log, ret_told), 0, "%s", said);
	node_test_open_conf(&t, 1000, c);
	heap = node_test_heap();
	node_test_close(&t);
	conf_free(c);
	return heap;
}

Test(budget, counts_the_credit_of_each_system_port)
{
	uint64_t told[2];
	size_t without = heap_of(make_fabric(2, 0), &told[0]);
	size_t with = heap_of(make_fabric(2, 20), &told[1]), takes = with - without;

	cr_assert_gt(takes, 20 * sizeof(uint64_t) * 8 * 4096);
	cr_assert_geq(told[1] - told[0], takes, "%lu told, %zu taken", told[1] - told[0], takes);
	cr_assert_leq(told[1] - told[0], takes * 5 / 4);
}

Test(budget, holds_for_a_table_of_flows)
{
	struct conf *c = make(2, 1500, 1, 512);

	c->flows.qp_view = true;
	c->flows.max = 262144;
	expect_enough_and_not_absurd(c, 80);
}

/* Two long lines as one: its window, and two rings between workers. */
Test(budget, holds_what_hyper_ports_hold)
{
	struct conf *c =
		node_test_conf("version: 1\nnode: {name: n, id: 1}\nports:\n"
			       "  - {name: a, device: a, role: longhaul, rate: 1Gbit}\n"
			       "  - {name: b, device: b, role: longhaul, rate: 1Gbit}\n"
			       "hyperports: [{name: h, members: [a, b], window: 16384}]\n");
	struct budget b;

	cr_assert_eq(build_budget(c, budget_users(c), &test_log, &b), 0);
	cr_assert_eq(b.packets.hypers, 16384 + 64 + 2 * 1024);
	cr_assert_geq(b.n_mbufs, b.packets.rings + b.packets.workers + b.packets.hypers);
	/* queues are the hyper port's alone; its members have a device's hiccup */
	cr_assert_eq(b.packets.queues, 2 * 256 + 16000000 / (1496 * 3 / 4) + 1);
	expect_enough_and_not_absurd(c, 80);
}

Test(budget, adds_up)
{
	struct conf *c = make(4, 1500, 4, 512);
	struct budget_users by_one = budget_users(c),
			    by_four = {.n_workers = 4, .n_queues = 32, .depth = 1024};
	struct budget one, four, more;

	cr_assert_eq(by_one.n_workers, 1);
	cr_assert_eq(by_one.n_queues, 8, "a queue in and one out for each port");
	cr_assert_eq(build_budget(c, by_one, &test_log, &one), 0);
	cr_assert_eq(build_budget(c, by_four, &test_log, &four), 0);
	/* what a NIC's rings hold never leaves the others without */
	cr_assert_gt(one.n_mbufs, 8 * PORTS_DESC);
	cr_assert_gt(four.n_mbufs, 32 * PORTS_DESC + 4 * PORTS_HANDOFF);
	cr_assert_gt(one.total, one.fib + one.groups + one.mbufs + one.workers);
	cr_assert_eq(four.workers, 4 * one.workers);
	cr_assert_gt(four.n_mbufs, one.n_mbufs);
	cr_assert_eq(four.fib, one.fib);
	cr_assert_eq(four.groups, one.groups);
	c->mbufs = 65536;
	cr_assert_eq(build_budget(c, by_four, &test_log, &more), 0);
	cr_assert_eq(more.n_mbufs, 65536, "the configuration's own number");
	conf_free(c);
}

Test(budget, buffers_hold_the_largest_frame_of_any_port)
{
	for (unsigned int mtu = 1280; mtu <= 9600; mtu += 64) {
		struct conf *c = make(2, 1500, 0, 0);

		c->port[1].mtu = (uint16_t)mtu;
		cr_assert_geq(ports_mbuf_len(c), RTE_PKTMBUF_HEADROOM + mtu + 14 + 8);
		cr_assert_geq(ports_mbuf_len(c), RTE_PKTMBUF_HEADROOM + 2048);
		cr_assert_leq(ports_mbuf_len(c), UINT16_MAX);
		conf_free(c);
	}
}

Test(budget, too_little_memory_is_refused_with_the_sum_and_the_cure)
{
	struct conf *c = make(16, 9600, 4, 512);
	uint64_t told = 7;
	const char *cure;

	c->memory = 64000000;
	cr_assert_eq(node_check(c, &test_log, &told), -ENOSPC);
	cr_assert_eq(told, 7);
	cure = strstr(said, "set memory: ");
	cr_assert_not_null(cure, "%s", said);
	cr_assert_not_null(strstr(said, "packet buffers"));
	/* the cure cures, and nothing much less does */
	c->memory = strtoull(cure + strlen("set memory: "), NULL, 10) * 1000000;
	cr_assert_eq(node_check(c, &test_log, NULL), 0, "%s", said);
	c->memory -= 65000000;
	cr_assert_eq(node_check(c, &test_log, NULL), -ENOSPC);
	conf_free(c);
}

/* Two ports of 100 Gbit/s over 100 km, and what a lab has of classes. */
#define LONG_HAUL(runtime)                                                                         \
	"version: 1\nnode: {name: n, id: 1}\n" runtime "ports:\n"                                  \
	"  - {name: a, device: a, role: longhaul, rate: 100Gbit, distance: 100km, ecn: auto,\n"    \
	"     delay: emulate, pfc: {classes: [3]}}\n"                                              \
	"  - {name: b, device: b, role: longhaul, rate: 100Gbit, distance: 100km, ecn: auto,\n"    \
	"     delay: emulate, pfc: {classes: [3]}}\n"                                              \
	"classes:\n  - {class: 0, name: default}\n  - {class: 3, name: rdma, lossless: true}\n"    \
	"  - {class: 6, name: cnp}\n  - {class: 7, name: routing}\n"

Test(budget, two_long_haul_ports_fit_the_default_memory)
{
	struct conf *c = node_test_conf(LONG_HAUL(""));
	uint64_t told;

	cr_assert_eq(c->memory, 512000000);
	cr_assert_eq(node_check(c, &test_log, &told), 0, "%s", said);
	cr_assert_leq(told, c->memory);
	conf_free(c);
}

Test(budget, mbufs_that_cannot_hold_lines_and_headroom_are_refused)
{
	struct conf *c = node_test_conf(LONG_HAUL("runtime: {mbufs: 16384}\n"));
	/* lines: rate x 500 us and a turn's slack; held: xoff 12.506 MB and headroom 13.753 MB */
	const uint64_t line = 6250000 / 1125 + 1 + 256, held = 26259444 / 1125 + 1;
	const uint64_t base = 4 * PORTS_DESC + 2 * WORKER_TX_MAX + BURST_MAX + 2 * PORTS_POOL_CACHE;
	char want[512];

	cr_assert_eq(node_check(c, &test_log, NULL), -ENOSPC);
	snprintf(want, sizeof(want),
		"the node needs %lu packet buffers (%lu for the devices' rings and bursts, %lu for "
		"delay lines, %lu for xoff and headroom of the ports with pfc, in frames of three "
		"quarters of the MTU) and runtime.mbufs is 16384; set mbufs: %lu or more, or auto "
		"(",
		base + 2 * line + 2 * held, base, 2 * line, 2 * held,
		RTE_ALIGN_CEIL(base + 2 * line + 2 * held, 1024UL));
	cr_assert_eq(strncmp(said, want, strlen(want)), 0, "%s\n%s", said, want);
	c->mbufs = (uint32_t)(base + 2 * line + 2 * held);
	cr_assert_eq(node_check(c, &test_log, NULL), 0, "%s", said);
	c->mbufs--;
	cr_assert_eq(node_check(c, &test_log, NULL), -ENOSPC);
	/* without lines and pause the number is the user's own affair */
	conf_free(c);
	c = make(2, 1500, 0, 0);
	c->mbufs = 1024;
	cr_assert_eq(node_check(c, &test_log, NULL), 0, "%s", said);
	conf_free(c);
}

Test(budget, what_waits_is_named_where_memory_is_too_small)
{
	struct conf *c = node_test_conf(LONG_HAUL("runtime: {memory: 256MB}\n"));
	char want[128];

	cr_assert_eq(node_check(c, &test_log, NULL), -ENOSPC);
	snprintf(want, sizeof(want), "(%u of them for class queues, %u for delay lines)",
		2 * (16000000 / 1125 + 1 + 26259444 / 1125 + 1), 2 * (6250000 / 1125 + 1 + 256));
	cr_assert_not_null(strstr(said, want), "%s\n%s", said, want);
	cr_assert_not_null(strstr(said, "a smaller limit."), "%s", said);
	conf_free(c);
}

/* The rows' figures are those of the budget, and they add up. */
Test(budget, an_explanation_adds_up)
{
	struct conf *c = node_test_conf(LONG_HAUL(""));
	unsigned long sum = 0, total = 0, one;
	struct budget b;
	char *text, *line, *save;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cr_assert_eq(build_budget(c, budget_users(c), &test_log, &b), 0);
	cr_assert_eq(node_explain(c, &test_log, f), 0);
	fclose(f);
	for (line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "    packets %lu", &one) == 1)
			total = one;
		else if (strncmp(line, "      ", 6) == 0 && strstr(line, "of it for") == NULL &&
			 sscanf(line + 30, "%lu", &one) == 1)
			sum += one;
	}
	cr_assert_eq(total, b.packets.sum);
	cr_assert_eq(sum, total);
	cr_assert_eq(total, b.n_mbufs);
	free(text);
	conf_free(c);
}
