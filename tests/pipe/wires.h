/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several nodes of a test and the wires between them, on one clock. A wire copies what leaves a
 * port and puts it into the other one after its delay, in order; it may be cut, or lose frames.
 * softbag-replay --topology is the grown-up of this.
 */
#ifndef TEST_PIPE_WIRES_H
#define TEST_PIPE_WIRES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "node.h"
#include "wire/cell.h"

#define WIRES_MAX 64u
#define NODES_MAX 12u

struct wire_frame {
	struct wire_frame *next;
	uint64_t due_ns;
	uint32_t len;
	uint8_t byte[];
};

/* One direction. */
struct wire {
	struct node_test *from, *to;
	uint16_t from_port, to_port;
	uint64_t delay_ns, jitter_ns, last_ns;
	uint32_t loss_ppm;
	uint8_t loss_kinds; /* a bit for each type of cell that may be lost; 0: every frame */
	bool cut;
	struct wire_frame *head, **tail;
	uint64_t frames, lost, data_lost;
	uint64_t data, reach; /* cells of these types */
};

struct wires {
	struct node_test *node[NODES_MAX];
	unsigned int n_nodes, n_wires;
	struct wire wire[WIRES_MAX];
	struct rng rng;
	uint64_t now_ns;
};

static inline void
wires_add_one(struct wires *w, struct node_test *from, const char *from_port, struct node_test *to,
	const char *to_port, uint64_t delay_ns)
{
	struct wire *x = &w->wire[w->n_wires++];

	cr_assert_leq(w->n_wires, WIRES_MAX);
	*x = (struct wire){
		.from = from,
		.to = to,
		.from_port = node_test_port(from, from_port),
		.to_port = node_test_port(to, to_port),
		.delay_ns = delay_ns,
	};
	x->tail = &x->head;
}

/* Both directions; those of one pair stand side by side in wire[]. */
static inline void
wires_add(struct wires *w, struct node_test *a, const char *a_port, struct node_test *b,
	const char *b_port, uint64_t delay_ns)
{
	wires_add_one(w, a, a_port, b, b_port, delay_ns);
	wires_add_one(w, b, b_port, a, a_port, delay_ns);
}

static inline bool
wire_is(enum cell_type type, const uint8_t *frame, size_t len)
{
	return len >= 38 && frame[12] == 0x88 && frame[13] == 0xb5 && (frame[14] & 0xf) == type;
}

static inline bool
wire_is_data(const uint8_t *frame, size_t len)
{
	return wire_is(CELL_DATA, frame, len);
}

static inline bool
wire_is_lost(struct wires *w, const struct wire *x, const uint8_t *frame, size_t len)
{
	bool may = x->loss_kinds == 0 || (len >= 38 && x->loss_kinds >> (frame[14] & 0xf) & 1);

	return x->cut || (x->loss_ppm != 0 && may && rng_below(&w->rng, 1000000) < x->loss_ppm);
}

static inline void
wire_take(struct wires *w, struct wire *x)
{
	struct rte_mbuf *m;

	while ((m = node_test_take_mbuf(x->from, x->from_port)) != NULL) {
		uint32_t len = rte_pktmbuf_pkt_len(m);
		struct wire_frame *f = malloc(sizeof(*f) + len);
		const uint8_t *p = rte_pktmbuf_read(m, 0, len, f->byte);
		bool lost;

		if (p != f->byte)
			memcpy(f->byte, p, len);
		lost = wire_is_lost(w, x, f->byte, len);
		f->len = len;
		f->next = NULL;
		f->due_ns = w->now_ns + x->delay_ns +
			    (x->jitter_ns == 0 ? 0 : rng_below(&w->rng, x->jitter_ns));
		f->due_ns = RTE_MAX(f->due_ns, x->last_ns);
		rte_pktmbuf_free(m);
		x->frames++;
		x->data += wire_is_data(f->byte, len);
		x->reach += wire_is(CELL_REACH, f->byte, len);
		if (lost) {
			x->lost++;
			x->data_lost += wire_is_data(f->byte, len);
			free(f);
			continue;
		}
		x->last_ns = f->due_ns;
		*x->tail = f;
		x->tail = &f->next;
	}
}

static inline void
wire_give(struct wires *w, struct wire *x)
{
	struct wire_frame *f;

	while ((f = x->head) != NULL && f->due_ns <= w->now_ns) {
		x->head = f->next;
		if (x->head == NULL)
			x->tail = &x->head;
		if (x->cut)
			x->data_lost += wire_is_data(f->byte, f->len);
		else
			cr_assert(node_test_put(x->to, x->to_port, f->byte, f->len));
		free(f);
	}
}

/* The clock goes on by `ns`, frames that are due arrive, and each node has a turn. */
static inline void
wires_step(struct wires *w, uint64_t ns)
{
	w->now_ns += ns;
	for (unsigned int i = 0; i < w->n_wires; i++)
		wire_give(w, &w->wire[i]);
	for (unsigned int i = 0; i < w->n_nodes; i++)
		node_test_step(w->node[i], w->now_ns - w->node[i]->ticks);
	for (unsigned int i = 0; i < w->n_wires; i++)
		wire_take(w, &w->wire[i]);
}

static inline void
wires_run(struct wires *w, uint64_t ns, uint64_t step_ns)
{
	for (uint64_t end = w->now_ns + ns; w->now_ns < end;)
		wires_step(w, step_ns);
}

/* Carrier of a wire, both ends, both directions: wire[2 * pair] and the next. */
static inline void
wires_cut(struct wires *w, unsigned int pair, bool cut)
{
	for (unsigned int i = 2 * pair; i < 2 * pair + 2; i++) {
		w->wire[i].cut = cut;
		node_set_link(w->wire[i].from->node, w->wire[i].from_port, !cut);
	}
}

/* Every link is up and every node knows where the others are. */
static inline void
wires_begin(struct wires *w)
{
	for (unsigned int i = 0; i < w->n_nodes; i++)
		for (uint16_t p = 0; p < w->node[i]->node->n_ports; p++)
			node_set_link(w->node[i]->node, p, true);
	wires_run(w, 60000000, 100000);
}

/* What all nodes dropped, by reason. */
static inline const char *
wires_drops(const struct wires *w)
{
	static char text[1024];
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int r = 1; r < DROP_N; r++) {
		uint64_t n = 0;

		for (unsigned int i = 0; i < w->n_nodes; i++)
			n += node_test_drops(w->node[i], (enum drop_reason)r);
		if (n != 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s %lu",
				drop_name((enum drop_reason)r), n);
	}
	return text;
}

static inline uint64_t
wires_dropped(const struct wires *w)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < w->n_nodes; i++)
		n += node_test_sums(w->node[i]).dropped;
	return n;
}

static inline void
wires_close(struct wires *w)
{
	for (unsigned int i = 0; i < w->n_wires; i++) {
		struct wire_frame *f;

		while ((f = w->wire[i].head) != NULL) {
			w->wire[i].head = f->next;
			free(f);
		}
	}
	for (unsigned int i = 0; i < w->n_nodes; i++)
		node_test_close(w->node[i]);
}

#endif
