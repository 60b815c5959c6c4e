/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node for tests: made from YAML in replay mode, so that its ports are memory and the test steps
 * its workers. The clock stands still until the test moves it. node_test_close() holds every test
 * to two things: in + made = out + punted + dropped + ended, and each packet buffer back in its
 * pool.
 *
 * What goes wrong in here ends the test, with the sentence that the node said.
 */
#ifndef TEST_NODE_H
#define TEST_NODE_H

#include "ctl/node.h"

#define NODE_TEST_HZ    UINT64_C(1000000000) /* a tick is a nanosecond */
#define NODE_TEST_DEPTH 4096u                /* packets that a memory port holds */

struct node_test {
	struct conf *conf;
	struct node *node;
	uint64_t ticks;  /* the clock; the test's to move */
	char said[2048]; /* the node's sentences, a line each */
	uint64_t n_put, n_taken;
};

/* What a node did with its packets so far. */
struct node_test_sums {
	uint64_t in, made, out, punted, dropped, ended, waiting; /* dp/counters.h */
};

/* Starts the EAL with `mb` megabytes if need be and makes the node. printf-like. */
void node_test_open(struct node_test *t, unsigned int mb, const char *yaml, ...)
	__attribute__((format(printf, 3, 4)));

/* The same from a tree of the caller's; it stays the caller's. */
void node_test_open_conf(struct node_test *t, unsigned int mb, const struct conf *conf);

/* The same, and its fabric ports lead to other nodes of the test: REACH cells go out of them. */
void node_test_open_wired(struct node_test *t, unsigned int mb, const char *yaml);

/* The same, made at `ticks` of the clock: a node that comes back while others go on. */
void node_test_open_wired_at(
	struct node_test *t, unsigned int mb, const char *yaml, uint64_t ticks);

/* How often the node has said these words. */
unsigned int node_test_said(const struct node_test *t, const char *words);

/* node_create() alone: its result, nothing checked. */
int node_test_try(struct node_test *t, unsigned int mb, const struct conf *conf);

/* Text to a tree; ends the test on an error. */
struct conf *node_test_conf(const char *yaml);

/*
 * node_reload() to a tree of this text: its result. The node's tree before is freed at once when it
 * is 0, so nothing may lead to it any more.
 */
int node_test_reload(struct node_test *t, const char *yaml);

/* Stops and frees the node and checks the two things. */
void node_test_close(struct node_test *t);

/*
 * As if each port had `n_txq` TX queues: the first workers own one, the rest hand over. Before the
 * first packet, once; impairments at ways in are gone after it.
 */
void node_test_give_tx_queues(struct node_test *t, uint16_t n_txq);

/* Bytes of the EAL's heap in use: the sanitizers do not watch it. */
size_t node_test_heap(void);

/* The index of a port; of a group. */
uint16_t node_test_port(const struct node_test *t, const char *name);
uint32_t node_test_group(const struct node_test *t, const char *name);

/* A frame into a port's queue 0. False when the ring is full. */
bool node_test_put(struct node_test *t, uint16_t port_idx, const uint8_t *frame, size_t len);
/* An mbuf of the node's pool; refused, it is still the caller's. */
bool node_test_put_mbuf(struct node_test *t, uint16_t port_idx, uint16_t queue, struct rte_mbuf *m);

/* Turns until no worker finds a packet. The clock stands. */
void node_test_run(struct node_test *t);

/* The clock goes on by `ns`, then a turn of each worker; the sums must add up after it. */
void node_test_step(struct node_test *t, uint64_t ns);

/* The next frame that left by a port: its length and its bytes in `buf`; 0: none is left. */
size_t node_test_take(struct node_test *t, uint16_t port_idx, uint8_t *buf, size_t size);
/* The same as mbuf, the caller's to free; NULL: none. */
struct rte_mbuf *node_test_take_mbuf(struct node_test *t, uint16_t port_idx);
/* Takes and frees all that left by a port; returns how many. */
unsigned int node_test_discard(struct node_test *t, uint16_t port_idx);

/*
 * One frame in at `in_port`, turns, and the port that it left by with its bytes in `buf`; -1 when
 * it left by none. Ends the test when more than one frame comes out.
 */
int node_test_pass(struct node_test *t, uint16_t in_port, const uint8_t *frame, size_t len,
	uint8_t *buf, size_t *ret_len);

/* Counters of all workers together. */
uint64_t node_test_drops(const struct node_test *t, enum drop_reason reason);
uint64_t node_test_punts(const struct node_test *t, enum punt_kind kind);
uint64_t node_test_member(const struct node_test *t, uint32_t group_idx, unsigned int member);
struct node_test_sums node_test_sums(const struct node_test *t);

/*
 * Between turns: in + made = out + punted + dropped + ended + waiting, and in is at most what was
 * put. Ends the test when not.
 */
void node_test_balance(const struct node_test *t);

#endif
