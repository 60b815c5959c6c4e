/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node that takes other groups and routes while packets flow: none is lost, none goes where its
 * route does not say, and flows of groups that are the same stay. What cannot be taken changes
 * nothing.
 */
#include <pthread.h>

#include "base/rng.h"
#include "expect.h"

#define FLOWS 256u /* of each prefix */

/* Ports in, p1..p4; packets to 10.<k>.0.0/16 are of prefix k. */
#define HEAD "version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 16384, memory: 128MB}\nports:\n"
#define PORTS                                                                                      \
	PIPE_PORT("in", "01")                                                                      \
	PIPE_PORT("p1", "02") PIPE_PORT("p2", "03") PIPE_PORT("p3", "04") PIPE_PORT("p4", "05")
#define VIA(port, n)         "{port: " #port ", mac: \"02:aa:00:00:00:0" #n "\"}"
#define WAY(port, n, w)      "{port: " #port ", mac: \"02:aa:00:00:00:0" #n "\", weight: " #w "}"
#define GROUP(name, members) "  - {name: " name ", members: [" members "]}\n"
#define ROUTE(prefix, group) "    - {prefix: " prefix ", group: " group "}\n"
#define SAME                 GROUP("same", VIA(p1, 1) ", " VIA(p2, 1) ", " VIA(p3, 1) ", " VIA(p4, 1))

#define ONE_GROUPS                                                                                 \
	"groups:\n" SAME GROUP("weights", WAY(p1, 2, 1) ", " WAY(p2, 2, 1)) GROUP(                 \
		"members", VIA(p1, 3) ", " VIA(p2, 3) ", " VIA(p3, 3)) GROUP("first", VIA(p1, 4))
#define ONE_ROUTES                                                                                 \
	"routes:\n  static:\n" ROUTE("0.0.0.0/0", "same") ROUTE("10.1.0.0/16", "same")             \
		ROUTE("10.2.0.0/16", "weights") ROUTE("10.3.0.0/16", "members")                    \
			ROUTE("10.4.0.0/16", "first") ROUTE("10.5.0.0/16", "weights")
#define ONE HEAD PORTS ONE_GROUPS ONE_ROUTES

/* Groups in another order, one gone, one more; routes elsewhere, one gone. */
#define TWO_GROUPS                                                                                 \
	"groups:\n" GROUP("second", VIA(p4, 5))                                                    \
		GROUP("members", VIA(p2, 3) ", " VIA(p3, 3) ", " VIA(p4, 3))                       \
			SAME GROUP("weights", WAY(p1, 2, 3) ", " WAY(p2, 2, 1))
#define TWO_ROUTES                                                                                 \
	"routes:\n  static:\n" ROUTE("10.2.0.0/16", "weights") ROUTE("10.1.0.0/16", "same")        \
		ROUTE("10.4.0.0/16", "second") ROUTE("10.3.0.0/16", "members")                     \
			ROUTE("0.0.0.0/0", "same")
#define TWO HEAD PORTS TWO_GROUPS TWO_ROUTES

/* The last byte of the next hop's MAC says which group: by prefix, in either file. */
static const uint8_t group_of[2][6] = {{1, 1, 2, 3, 4, 2}, {1, 1, 2, 3, 5, 1}};

/* A packet of flow `f` to prefix `k`, with a number. */
static size_t
make(uint8_t *frame, unsigned int k, unsigned int f, uint32_t number)
{
	static uint8_t payload[64];
	struct packet p = packet_udp(4);

	memcpy(payload, &number, sizeof(number));
	p.payload = payload;
	p.payload_len = 18;
	p.udp_checksum = false;
	p.dst4 = 0x0a000001 | k << 16 | f << 2;
	p.src4 = 0xc0a80000 | f;
	return packet_write(&p, frame, PACKET_MAX, NULL);
}

/* The packet with `number` goes in and comes out by a port of its group in file `file`. */
static uint8_t
pass(struct node_test *t, unsigned int file, unsigned int k, unsigned int f, uint32_t number)
{
	uint8_t frame[PACKET_MAX], out[PACKET_MAX];
	size_t len = make(frame, k, f, number), out_len = 0;
	int port = node_test_pass(t, 0, frame, len, out, &out_len);

	cr_assert_geq(port, 1, "packet %u of prefix %u left by no port", number, k);
	cr_assert_eq(memcmp(out + 42, &number, sizeof(number)), 0, "not the packet that went in");
	cr_assert_eq(out[5], group_of[file][k], "prefix %u went to next hop %u", k, out[5]);
	return (uint8_t)port;
}

static void
reload(struct node_test *t, const char *yaml)
{
	cr_assert_eq(node_test_reload(t, yaml), 0, "%s", t->said);
}

Test(reload, a_thousand_times_loses_nothing_and_moves_no_flow_of_an_unchanged_group)
{
	const char *const file[2] = {ONE, TWO};
	uint8_t same[FLOWS], weights[2][FLOWS], members[2][FLOWS];
	const struct nhg_group *object;
	struct node_test t;
	uint32_t number = 0;
	size_t heap = 0;

	node_test_open(&t, 128, ONE);
	object = node_group_now(t.node, node_test_group(&t, "same"));
	for (unsigned int f = 0; f < FLOWS; f++) {
		same[f] = pass(&t, 0, 1, f, number++);
		weights[0][f] = pass(&t, 0, 2, f, number++);
		members[0][f] = pass(&t, 0, 3, f, number++);
	}
	for (unsigned int round = 1; round <= 1000; round++) {
		unsigned int now = round % 2;

		reload(&t, file[now]);
		cr_assert_eq(node_group_now(t.node, node_test_group(&t, "same")), object);
		for (unsigned int i = 0; i < 24; i++) {
			unsigned int f = (round * 24 + i) % FLOWS, k = i % 6;
			uint8_t port = pass(&t, now, k, f, number++);

			if (k <= 1)
				cr_assert(k == 0 || port == same[f], "flow %u moved", f);
		}
		cr_assert(node_settled(t.node));
		cr_assert_leq(t.node->n_slots, DP_GROUP_FIRST + 5);
		if (round == 1)
			for (unsigned int f = 0; f < FLOWS; f++) {
				weights[1][f] = pass(&t, 1, 2, f, number++);
				members[1][f] = pass(&t, 1, 3, f, number++);
				/* only to the member that weighs more; only from one that went */
				cr_assert(weights[1][f] == weights[0][f] || weights[1][f] == 1);
				cr_assert(members[1][f] == members[0][f] || members[0][f] == 1);
			}
		if (round == 10)
			heap = node_test_heap();
		if (round % 100 == 0)
			cr_assert_eq(node_test_heap(), heap, "old tables stay in memory");
	}
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	node_test_close(&t);
}

Test(reload, members_that_stay_keep_their_counters_and_new_ones_begin_at_nothing)
{
	struct node_test t;
	uint64_t p2, p3;

	node_test_open(&t, 128, ONE);
	for (unsigned int f = 0; f < FLOWS; f++)
		pass(&t, 0, 3, f, f);
	p2 = node_test_member(&t, node_test_group(&t, "members"), 1);
	p3 = node_test_member(&t, node_test_group(&t, "members"), 2);
	cr_assert(p2 != 0 && p3 != 0);
	for (unsigned int round = 0; round < 50; round++) {
		uint32_t g;

		reload(&t, TWO);
		g = node_test_group(&t, "members");
		cr_assert_eq(node_test_member(&t, g, 0), p2);
		cr_assert_eq(node_test_member(&t, g, 1), p3);
		cr_assert_eq(node_test_member(&t, g, 2), 0);
		cr_assert_eq(node_test_member(&t, node_test_group(&t, "second"), 0), 0);
		pass(&t, 1, 4, 0, 0);
		cr_assert_eq(node_test_member(&t, node_test_group(&t, "second"), 0), 1);
		reload(&t, ONE);
		cr_assert_eq(node_test_member(&t, node_test_group(&t, "members"), 0), 0);
		pass(&t, 0, 4, 0, 0);
	}
	node_test_close(&t);
}

Test(reload, a_second_one_waits_until_the_first_is_over)
{
	struct node_test t;

	node_test_open(&t, 128, ONE);
	node_test_run(&t);
	reload(&t, TWO);
	cr_assert_not(node_settled(t.node));
	cr_assert_eq(node_test_reload(&t, ONE), -EBUSY);
	cr_assert_eq(node_test_reload(&t, ONE), -EBUSY);
	pass(&t, 1, 4, 0, 0);
	cr_assert(node_settled(t.node));
	reload(&t, ONE);
	/* and a node that is stopped before it is over gives all back */
	node_test_close(&t);
}

Test(reload, links_that_are_down_stay_unused_and_come_back)
{
	struct node_test t;

	node_test_open(&t, 128, ONE);
	node_set_link(t.node, 2, false);
	reload(&t, TWO);
	for (unsigned int f = 0; f < FLOWS; f++)
		cr_assert_neq(pass(&t, 1, 3, f, f), 2);
	node_set_link(t.node, 3, false); /* between a reload and the next */
	reload(&t, ONE);
	node_set_link(t.node, 2, true); /* in one */
	for (unsigned int f = 0; f < FLOWS; f++)
		cr_assert_neq(pass(&t, 0, 3, f, f), 3);
	node_set_link(t.node, 3, true);
	for (unsigned int f = 0; f < FLOWS; f++)
		cr_assert_leq(pass(&t, 0, 3, f, f), 3);
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	node_test_close(&t);
}

/* Each is refused with words, and the node is the one that it was. */
Test(reload, what_cannot_be_taken_changes_nothing)
{
	static const struct {
		const char *yaml, *said;
		int rc;
	} rows[] = {
		{"version: 1\nnode: {name: n, id: 8}\nruntime: {mbufs: 16384, memory: "
		 "128MB}\nports:\n" PORTS ONE_GROUPS ONE_ROUTES,
			"error: test.yaml:2:7: node.id: 7 -> 8 needs a restart.\n", -ENOTSUP},
		{"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 16384, memory: "
		 "128MB, burst: 32}\nports:\n" PORTS TWO_GROUPS TWO_ROUTES,
			"error: test.yaml:3:10: runtime.burst: 64 -> 32 needs a restart.\n",
			-ENOTSUP},
		{HEAD PIPE_PORT("in", "01") PIPE_PORT("p1", "02") PIPE_PORT("p3", "04")
				PIPE_PORT("p2", "03") PIPE_PORT("p4", "05") TWO_GROUPS TWO_ROUTES,
			"error: test.yaml: ports: in, p1, p2, p3, p4 -> in, p1, p3, p2, p4 needs a "
			"restart.\n",
			-ENOTSUP},
	};
	struct node_test t;
	const struct snapshot *snapshot;

	node_test_open(&t, 128, ONE);
	pass(&t, 0, 1, 0, 0);
	snapshot = t.node->snapshot;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t port = pass(&t, 0, 2, 3, 0);

		t.said[0] = '\0';
		cr_assert_eq(node_test_reload(&t, rows[i].yaml), rows[i].rc);
		cr_assert_str_eq(t.said, rows[i].said);
		cr_assert_eq(t.node->snapshot, snapshot);
		cr_assert(node_settled(t.node));
		cr_assert_eq(pass(&t, 0, 2, 3, 1), port);
	}
	node_test_close(&t);
}

static char *
many_members(unsigned int n_groups, unsigned int n_members)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs(HEAD PORTS "groups:\n" SAME, f);
	for (unsigned int g = 0; g < n_groups; g++) {
		fprintf(f, "  - {name: g%u, members: [", g);
		for (unsigned int m = 0; m < n_members; m++)
			fprintf(f, "%s{port: p1, mac: \"02:aa:00:%02x:%02x:01\"}",
				m == 0 ? "" : ", ", g, m);
		fputs("]}\n", f);
	}
	fputs("routes:\n  static:\n" ROUTE("0.0.0.0/0", "same"), f);
	fclose(f);
	return text;
}

Test(reload, more_members_than_there_are_counters_are_refused)
{
	char *fits = many_members(7, 128), *too_many = many_members(9, 128);
	struct node_test t;

	node_test_open(&t, 128, "%s",
		HEAD PORTS "groups:\n" SAME "routes:\n  static:\n" ROUTE("0.0.0.0/0", "same"));
	for (unsigned int i = 0; i < 5; i++) {
		cr_assert_eq(node_test_reload(&t, too_many), -ENOSPC);
		cr_assert_not_null(
			strstr(t.said, "more members than the running node has counters"));
		node_test_run(&t);
	}
	reload(&t, fits);
	node_test_run(&t);
	node_test_close(&t);
	free(fits);
	free(too_many);
}

/* From tables in the RIB to large ones and back, and beyond what a table has room for. */
Test(reload, routes_beyond_the_tables_room_get_new_tables)
{
	static const unsigned int n_routes[] = {10, 60, 3000, 3300, 20, 5000, 1};
	uint8_t frame[PACKET_MAX], out[PACKET_MAX];
	struct node_test t;
	size_t out_len;

	node_test_open(&t, 512, ONE);
	for (unsigned int k = 0; k < 7; k++) {
		char *text;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		fputs(HEAD PORTS ONE_GROUPS ONE_ROUTES, f);
		for (unsigned int i = 0; i < n_routes[k]; i++)
			fprintf(f, ROUTE("11.%u.%u.0/24", "first"), i / 250, i % 250);
		fclose(f);
		reload(&t, text);
		free(text);
		for (unsigned int i = 0; i < 5010; i += i < n_routes[k] ? 97 : 1000) {
			struct packet p = packet_udp(4);
			int port;

			p.dst4 = 0x0b000001 | (i / 250) << 16 | (i % 250) << 8;
			port = node_test_pass(&t, 0, frame,
				packet_write(&p, frame, PACKET_MAX, NULL), out, &out_len);
			cr_assert_geq(port, 1);
			cr_assert_eq(out[5], i < n_routes[k] ? 4 : 1, "%u of %u", i, n_routes[k]);
		}
		pass(&t, 0, 5, 1, 1);
	}
	node_test_close(&t);
}

/* One thread steps the worker and feeds it numbered packets, one reloads the node under it. */
struct traffic {
	struct node_test *t;
	bool stop;
	uint64_t sent, received;
	unsigned int wrong; /* came twice, or by a next hop that neither file has for it */
};

#define IN_FLIGHT 64u

static void
collect(struct traffic *tr, uint8_t *seen)
{
	struct rte_mbuf *m;

	for (unsigned int p = 1; p < tr->t->node->n_ports; p++)
		while (port_mem_take(tr->t->node->port[p], &m, 1) == 1) {
			const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
			unsigned int k = frame[31];
			uint8_t number = frame[42];

			tr->wrong += seen[number]++ != 0;
			tr->wrong += frame[5] != group_of[0][k] && frame[5] != group_of[1][k];
			tr->received++;
			rte_pktmbuf_free(m);
		}
}

static void *
run_traffic(void *arg)
{
	struct traffic *tr = arg;
	struct worker *w = tr->t->node->worker[0];
	uint8_t frame[PACKET_MAX];
	uint32_t round = 0;

	while (!__atomic_load_n(&tr->stop, __ATOMIC_RELAXED)) {
		uint8_t seen[IN_FLIGHT] = {0};

		for (uint32_t i = 0; i < IN_FLIGHT; i++) {
			size_t len = make(frame, i % 6, (round + i) % FLOWS, i);
			struct rte_mbuf *m = packet_mbuf(tr->t->node->pool, frame, len);

			tr->sent += port_mem_put(tr->t->node->port[0], 0, &m, 1);
		}
		worker_turn(w, round);
		worker_turn(w, round);
		collect(tr, seen);
		round++;
	}
	return NULL;
}

Test(reload, under_a_worker_that_never_stops_loses_nothing)
{
	const char *const file[2] = {ONE, TWO};
	struct node_test t;
	struct traffic tr = {.t = &t};
	pthread_t thread;

	node_test_open(&t, 128, ONE);
	cr_assert_eq(pthread_create(&thread, NULL, run_traffic, &tr), 0);
	for (unsigned int i = 1; i <= 300; i++) {
		reload(&t, file[i % 2]);
		while (!node_settled(t.node))
			node_poll(t.node, t.ticks);
	}
	__atomic_store_n(&tr.stop, true, __ATOMIC_RELAXED);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert_gt(tr.sent, 1000);
	cr_assert_eq(tr.received, tr.sent);
	cr_assert_eq(tr.wrong, 0);
	t.n_put = tr.sent;
	cr_assert_eq(node_test_sums(&t).dropped, 0);
	node_test_close(&t);
}
