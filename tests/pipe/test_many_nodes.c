/* SPDX-License-Identifier: BSD-3-Clause */
/* A node is a value: the same input gives the same output, and nodes of one process are strangers.
 */
#include <errno.h>

#include "fan.h"

#define STREAM 3000u

/* What a node sends, port after port. */
struct log {
	uint8_t *bytes;
	size_t len, n;
};

static void
take_all(struct node_test *t, struct log *log)
{
	static uint8_t frame[PACKET_MAX];

	for (uint16_t p = 0; p < t->node->n_ports; p++) {
		for (size_t len; (len = node_test_take(t, p, frame, sizeof(frame))) != 0;
			log->n++) {
			log->bytes = realloc(log->bytes, log->len + len + 1);
			cr_assert_not_null(log->bytes);
			log->bytes[log->len] = (uint8_t)p;
			memcpy(log->bytes + log->len + 1, frame, len);
			log->len += len + 1;
		}
	}
}

/* The i-th packet of a stream with all there is: two IP versions, RoCE, fragments, drops. */
static struct packet
stream_packet(struct rng *r, unsigned int i)
{
	struct packet p = fan_flow(r, i % 3 == 0 ? 6 : 4);

	p.roce = i % 2;
	if (p.roce)
		p.dport = 4791;
	p.dest_qp = (uint32_t)rng_below(r, 1 << 24);
	p.payload_len = (uint32_t)rng_below(r, 200);
	p.ttl = (uint8_t)rng_below(r, 256);
	p.ip_frag = i % 11 == 0 ? 0x2000 : 0;
	return p;
}

static void
feed(struct node_test *t, struct rng *r, unsigned int i)
{
	static uint8_t frame[PACKET_MAX];
	struct packet p = stream_packet(r, i);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL);

	cr_assert(node_test_put(t, 0, frame, len));
}

Test(many_nodes, two_of_one_configuration_send_the_same_bytes)
{
	struct node_test t[2];
	struct log log[2] = {0};
	struct rng r[2];

	for (unsigned int k = 0; k < 2; k++) {
		fan_open(&t[k], 7, 5, (uint32_t[]){1, 2, 3, 4, 5});
		rng_init(&r[k], 1);
	}
	/* in step, then the second far behind the first: neither may matter */
	for (unsigned int i = 0; i < STREAM; i++)
		for (unsigned int k = 0; k < (i < STREAM / 2 ? 2u : 1u); k++)
			feed(&t[k], &r[k], i);
	node_test_run(&t[0]);
	take_all(&t[0], &log[0]);
	node_set_link(t[0].node, 2, false);
	for (unsigned int i = STREAM / 2; i < STREAM; i++)
		feed(&t[1], &r[1], i);
	node_test_run(&t[1]);
	take_all(&t[1], &log[1]);
	cr_assert_gt(log[0].n, STREAM / 2);
	cr_assert_eq(log[0].len, log[1].len);
	cr_assert_eq(memcmp(log[0].bytes, log[1].bytes, log[0].len), 0);
	for (unsigned int k = 0; k < 2; k++) {
		node_test_close(&t[k]);
		free(log[k].bytes);
	}
}

Test(many_nodes, links_weights_and_counters_of_one_are_not_those_of_another)
{
	struct node_test a, b;
	struct rng r;

	fan_open(&a, 7, 4, NULL);
	fan_open(&b, 8, 4, NULL);
	node_set_link(a.node, 1, false);
	cr_assert_eq(node_set_weights(a.node, 0, (uint32_t[]){1, 0, 0, 1}), 0);
	rng_init(&r, 2);
	for (unsigned int i = 0; i < 500; i++) {
		struct packet p = fan_flow(&r, 4);

		cr_assert_eq(fan_member(&a, &p), 3);
		fan_member(&b, &p);
	}
	for (unsigned int m = 0; m < 4; m++)
		cr_assert_gt(node_test_member(&b, 0, m), 0);
	cr_assert_eq(node_test_member(&a, 0, 3), 500);
	cr_assert_eq(node_test_sums(&b).in, 500);
	/* one may end, and the other goes on */
	node_test_close(&a);
	for (unsigned int i = 0; i < 100; i++) {
		struct packet p = fan_flow(&r, 6);

		fan_member(&b, &p);
	}
	node_test_close(&b);
}

/* A chain: what one sends, the next takes in. */
Test(many_nodes, twenty_in_a_row_forward_to_each_other)
{
	struct node_test *t = calloc(20, sizeof(*t));
	static uint8_t in[PACKET_MAX], out[PACKET_MAX];
	struct packet p = packet_roce(6);
	size_t len;

	p.ttl = 64;
	for (unsigned int k = 0; k < 20; k++)
		node_test_open(&t[k], 1024,
			"version: 1\nnode: {name: a-rather-long-name-of-a-node, id: %u}\n"
			"runtime: {mbufs: 4096}\nports:\n"
			"  - {name: in, device: a, role: nsf, promiscuous: true}\n"
			"  - {name: out, device: b, role: nsf, mac: \"02:00:00:00:01:%02x\"}\n"
			"groups: [{name: g, members: [{port: out, mac: "
			"\"02:aa:00:00:00:%02x\"}]}]\n"
			"routes: {static: [{prefix: \"::/0\", group: g}]}\n",
			k + 1, k, k);
	for (unsigned int i = 0; i < 100; i++) {
		p.psn = i;
		len = packet_write(&p, in, sizeof(in), NULL);
		for (unsigned int k = 0; k < 20; k++) {
			cr_assert_eq(node_test_pass(&t[k], 0, in, len, out, &len), 1);
			memcpy(in, out, len);
		}
		cr_assert(packet_icrc_ok(in, len));
		cr_assert_eq(in[21], 64 - 20);
	}
	for (unsigned int k = 0; k < 20; k++)
		node_test_close(&t[k]);
	free(t);
}

Test(many_nodes, a_process_makes_and_frees_them_over_and_over)
{
	struct node_test t;
	struct packet p = packet_udp(4);
	size_t heap = 0;

	for (unsigned int i = 0; i < 30; i++) {
		fan_open(&t, 1 + i, 3, NULL);
		fan_member(&t, &p);
		node_test_close(&t);
		if (i == 0)
			heap = node_test_heap(); /* the EAL keeps tables of its own from now on */
		cr_assert_eq(node_test_heap(), heap, "a freed node leaves memory behind");
	}
}

/* Half a node is taken down again: what it had taken is free for the next. */
Test(many_nodes, one_that_finds_no_memory_says_so_and_leaves_nothing_behind)
{
	char *yaml = fan_yaml(7, 3, NULL, "");
	struct conf *big = node_test_conf(yaml), *small = node_test_conf(yaml);
	struct node_test t;

	big->mbufs = 1u << 20;
	for (unsigned int i = 0; i < 3; i++) {
		cr_assert_eq(node_test_try(&t, 128, big), -ENOMEM);
		cr_assert(strstr(t.said, "runtime.memory") != NULL, "it said: %s", t.said);
		cr_assert_eq(strchr(t.said, '\n') + 1, t.said + strlen(t.said),
			"in one sentence: %s", t.said);
	}
	node_test_open_conf(&t, 128, small);
	node_test_close(&t);
	conf_free(big);
	conf_free(small);
	free(yaml);
}
