/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reload for which memory ends, at each of its allocations in turn: the node is the one that it
 * was, and nothing is kept. The linker leads the library's calls here (--wrap, meson.build).
 */
#include <stdlib.h>

#include <rte_malloc.h>

#include "expect.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_rte_zmalloc_socket(const char *type, size_t size, unsigned int align, int socket);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_rte_zmalloc_socket(const char *type, size_t size, unsigned int align, int socket);

static bool armed;
static unsigned int n_calls, refused; /* that one; from 1 */

static bool
refuse(void)
{
	return armed && ++n_calls == refused;
}

void *
__wrap_malloc(size_t size)
{
	return refuse() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : __real_calloc(n, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}

void *
__wrap_rte_zmalloc_socket(const char *type, size_t size, unsigned int align, int socket)
{
	return refuse() ? NULL : __real_rte_zmalloc_socket(type, size, align, socket);
}

#define HEAD                                                                                       \
	"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: 16384, memory: "                     \
	"128MB}\nports:\n" PIPE_PORT("in", "01")
#define OUT(keys)                                                                                  \
	"  - {name: out, device: out, role: longhaul, mac: \"02:00:00:00:00:02\", mtu: 1500" keys  \
	"}\n"
#define A "{port: out, mac: \"02:aa:00:00:00:01\"}"
#define B "{port: out, mac: \"02:aa:00:00:00:02\"}"
#define ONE                                                                                        \
	HEAD OUT("") "groups:\n  - {name: a, members: [" A "]}\n  - {name: gone, members: [" A     \
		     "]}\nroutes:\n  static:\n    - {prefix: 0.0.0.0/0, group: a}\n"
#define TWO                                                                                        \
	HEAD OUT(", rate: 10Gbit, delay: 1us, ecn: phantom") "groups:\n  - {name: b, members: [" B \
							     "]}\n  - {name: a, members: [" A      \
							     ", " B "]}\nroutes:\n  static:\n    " \
							     "- {prefix: 0.0.0.0/0, group: b}\n  " \
							     "  - {prefix: 10.0.0.0/8, group: "    \
							     "a}\n"

/* node_reload() with the `at`-th allocation refused; 0: none. */
static int
reload(struct node_test *t, const struct conf *c, unsigned int at)
{
	int rc;

	n_calls = 0;
	refused = at;
	armed = true;
	rc = node_reload(t->node, c);
	armed = false;
	return rc;
}

static void
expect_leaves(struct node_test *t, uint8_t next_hop)
{
	uint8_t frame[PACKET_MAX], out[PACKET_MAX];
	struct packet p = packet_udp(4);
	size_t len = packet_write(&p, frame, sizeof(frame), NULL), out_len = 0;

	cr_assert(node_test_put(t, 0, frame, len));
	for (unsigned int i = 0; i < 3; i++)
		node_test_step(t, 1000);
	out_len = node_test_take(t, 1, out, sizeof(out));
	cr_assert_neq(out_len, 0);
	cr_assert_eq(out[5], next_hop);
}

Test(reload_memory, that_ends_at_any_point_changes_nothing)
{
	struct conf *two = node_test_conf(TWO);
	const struct snapshot *snapshot;
	unsigned int n = 0, n_failed = 0;
	struct node_test t;
	size_t heap;

	node_test_open(&t, 128, ONE);
	expect_leaves(&t, 1);
	/* the FIB's second slot comes with the first try and stays */
	cr_assert_eq(fib_ensure_second(t.node->fib), 0);
	snapshot = t.node->snapshot;
	heap = node_test_heap();
	for (unsigned int at = 1; n == 0; at++) {
		int rc = reload(&t, two, at);

		if (rc == 0) {
			n = n_calls;
			cr_assert_lt(n, at, "a reload came through without its memory");
			break;
		}
		n_failed++;
		cr_assert_eq(rc, -ENOMEM, "%u: %d", at, rc);
		cr_assert_not_null(strstr(t.said, "memory"), "%u: %s", at, t.said);
		cr_assert_eq(t.node->snapshot, snapshot);
		cr_assert_eq(t.node->conf, t.conf);
		cr_assert(node_settled(t.node));
		cr_assert_eq(node_test_heap(), heap, "%u: something is kept", at);
		expect_leaves(&t, 1);
		t.said[0] = '\0';
	}
	cr_assert_geq(n_failed, 20);
	expect_leaves(&t, 2);
	cr_assert(node_settled(t.node));
	conf_free(t.conf);
	t.conf = two;
	node_test_close(&t);
}

/* What is left to do after the grace period wants memory, too: it waits for some. */
Test(reload_memory, that_ends_after_it_was_published_is_asked_for_again)
{
	struct node_test t;

	node_test_open(&t, 128, ONE);
	expect_leaves(&t, 1);
	cr_assert_eq(node_test_reload(&t, TWO), 0);
	for (unsigned int i = 0; i < 5; i++) {
		n_calls = 0;
		refused = 1;
		armed = true;
		node_turn(t.node, t.ticks);
		armed = false;
		cr_assert_not(node_settled(t.node));
		cr_assert_eq(node_test_reload(&t, ONE), -EBUSY);
	}
	expect_leaves(&t, 2);
	cr_assert(node_settled(t.node));
	cr_assert_eq(node_test_reload(&t, ONE), 0);
	expect_leaves(&t, 1);
	node_test_close(&t);
}
