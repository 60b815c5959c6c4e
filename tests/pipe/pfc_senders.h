/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four senders at line rate into one port of a quarter of their sum, at the end of long fibres.
 *
 * The sender is a model, not softbag: it sends frames back to back, finishes the frame that it has
 * begun, and stops for the quanta that it was told. A frame takes one way to get here, a pause
 * frame one way to get there; then the sender takes 40 us to heed it. With turns of 50 us that is
 * nearly all of the 100 us that the headroom grants for answering, so that half of it must not do.
 *
 * A fifth port, `side`, may flood the same way out with what nobody can be paused for.
 */
#ifndef TESTS_PIPE_PFC_SENDERS_H
#define TESTS_PIPE_PFC_SENDERS_H

#include <stdio.h>
#include <stdlib.h>

#include "pfc.h"

#define SENDERS  4u
#define CLASS    3u
#define ON_WIRE  24u /* FCS, preamble, gap */
#define PS       UINT64_C(1000)
#define RESPONSE (40 * US * PS)

struct times { /* a ring of times, each with a number */
	unsigned int first, n, size;
	struct {
		uint64_t at_ps;
		uint32_t what;
	} * of;
};

struct sender {
	uint16_t port_idx;
	bool deaf;              /* heeds no pause */
	uint64_t free_ps;       /* its frame before has left */
	uint64_t paused_ps;     /* until then */
	struct times data, pfc; /* frames on their way here: lengths; pauses on theirs: quanta */
	uint64_t n_sent, n_out; /* frames that came here; and that left by the port out */
	uint64_t n_xoff, n_xon;
};

struct world {
	struct node_test t;
	uint64_t rate, one_way_ps, until_ps;
	struct sender sender[SENDERS];
	uint16_t out;
	uint64_t out_bytes; /* on the wire */
	struct rng rng;
	bool mixed; /* lengths */
	/* since the port out was busy for the first time */
	bool started;
	uint64_t start_ps, start_bytes;
	/* frames of `side` in each turn */
	unsigned int flood, flood_class, flood_len;
	uint64_t n_flood_out;
	uint64_t taken_ps; /* a port out without a rate: its device has taken so much; 0: all */
};

static inline struct times
times_make(unsigned int size)
{
	struct times r = {.size = size};

	r.of = calloc(size, sizeof(*r.of));
	cr_assert_not_null(r.of);
	return r;
}

static inline void
times_push(struct times *r, uint64_t at_ps, uint32_t what)
{
	unsigned int i = (r->first + r->n++) % r->size;

	cr_assert_leq(r->n, r->size);
	r->of[i].at_ps = at_ps;
	r->of[i].what = what;
}

static inline bool
times_due(const struct times *r, uint64_t at_ps)
{
	return r->n != 0 && r->of[r->first].at_ps <= at_ps;
}

static inline uint32_t
times_pop(struct times *r)
{
	uint32_t what = r->of[r->first].what;

	r->first = (r->first + 1) % r->size;
	r->n--;
	return what;
}

static inline uint64_t
wire_ps(const struct world *w, uint64_t bytes)
{
	return bytes * 8 * 1000000000000 / w->rate;
}

/* A pause frame reaches the sender. */
static inline void
heed(const struct world *w, struct sender *s)
{
	uint64_t at_ps = s->pfc.of[s->pfc.first].at_ps;
	uint32_t quanta = times_pop(&s->pfc);

	if (!s->deaf)
		s->paused_ps = at_ps + wire_ps(w, quanta * 64);
}

static inline uint32_t
draw_len(struct world *w)
{
	return w->mixed && rng_next(&w->rng) % 2 ? 1082 : 1514;
}

/* All that it does up to now, in the order of time. */
static inline void
sender_run(struct world *w, struct sender *s, uint64_t now_ps)
{
	for (;;) {
		uint64_t start = RTE_MAX(s->free_ps, s->paused_ps);

		if (times_due(&s->pfc, RTE_MIN(start, now_ps))) {
			heed(w, s);
			continue;
		}
		if (start > now_ps || start >= w->until_ps)
			return;
		uint32_t len = draw_len(w);

		s->free_ps = start + wire_ps(w, len + ON_WIRE);
		times_push(&s->data, s->free_ps + w->one_way_ps, len);
	}
}

static inline void
arrive(struct world *w, struct sender *s, uint64_t now_ps)
{
	static uint8_t frame[PACKET_MAX];

	while (times_due(&s->data, now_ps)) {
		size_t len =
			pfc_data(frame, CLASS, (unsigned int)(s - w->sender), times_pop(&s->data));

		cr_assert(node_test_put(&w->t, s->port_idx, frame, len));
		s->n_sent++;
	}
}

/* What the node sends to a sender: pauses, and nothing else. */
static inline void
collect_pfc(struct world *w, struct sender *s, uint64_t now_ps)
{
	uint8_t frame[256];
	size_t len;

	while ((len = node_test_take(&w->t, s->port_idx, frame, sizeof(frame))) != 0) {
		int quanta;

		cr_assert(pfc_is(frame, len));
		cr_assert_eq(frame[17], 1u << CLASS);
		quanta = pfc_quanta(frame, CLASS);
		s->n_xoff += quanta != 0;
		s->n_xon += quanta == 0;
		times_push(&s->pfc, now_ps + wire_ps(w, 84) + w->one_way_ps + RESPONSE,
			(uint32_t)quanta);
	}
}

static inline void
collect_out(struct world *w, uint64_t now_ps)
{
	struct rte_mbuf *m;

	while ((w->taken_ps == 0 || w->taken_ps < now_ps) &&
		(m = node_test_take_mbuf(&w->t, w->out)) != NULL) {
		uint8_t from = rte_pktmbuf_mtod(m, const uint8_t *)[14 + 12 + 3];
		uint64_t bytes = rte_pktmbuf_pkt_len(m) + ON_WIRE;

		if (from == SENDERS + 1)
			w->n_flood_out++;
		else
			w->sender[from - 1].n_out++;
		w->out_bytes += bytes;
		w->taken_ps += w->taken_ps == 0 ? 0 : wire_ps(w, bytes);
		rte_pktmbuf_free(m);
	}
}

static inline void
flood(struct world *w)
{
	static uint8_t frame[PACKET_MAX];
	size_t len = pfc_data(frame, w->flood_class, SENDERS, w->flood_len);

	for (unsigned int i = 0; i < w->flood; i++)
		cr_assert(node_test_put(&w->t, SENDERS, frame, len));
}

/* As long as something waits, the bytes out are rate x time, but for one frame. */
static inline void
expect_busy(struct world *w, uint64_t now_ps)
{
	const struct egress_commons *out = &w->t.node->shared.commons[w->out];
	uint64_t bytes, want;

	if (!w->started) {
		w->started = egress_backlog(out, CLASS) != 0;
		w->start_ps = now_ps;
		w->start_bytes = w->out_bytes;
		return;
	}
	cr_assert_gt(egress_backlog(out, CLASS), 0, "idle at %lu us", now_ps / 1000000);
	bytes = w->out_bytes - w->start_bytes;
	want = (uint64_t)((__uint128_t)(now_ps - w->start_ps) * w->rate / 8000000000000);
	cr_assert(bytes + 1538 >= want && bytes <= want + 1538, "%lu us: %lu bytes out, want %lu",
		now_ps / 1000000, bytes, want);
}

static inline void
step(struct world *w, uint64_t turn_ns)
{
	uint64_t now_ps;

	w->t.ticks += turn_ns;
	now_ps = w->t.ticks * PS;
	for (unsigned int i = 0; i < SENDERS; i++) {
		sender_run(w, &w->sender[i], now_ps);
		arrive(w, &w->sender[i], now_ps);
	}
	if (w->flood != 0)
		flood(w);
	node_test_run(&w->t);
	for (unsigned int i = 0; i < SENDERS; i++)
		collect_pfc(w, &w->sender[i], now_ps);
	collect_out(w, now_ps);
	pfc_balance(&w->t);
}

/* Ports of the senders, `in0` to `in3`. */
static inline void
senders_yaml(FILE *f, const char *line, const char *pfc)
{
	for (unsigned int i = 0; i < SENDERS; i++)
		fprintf(f,
			"  - {name: in%u, device: in%u, role: longhaul, mac: "
			"\"02:00:00:00:01:0%u\", promiscuous: true, mtu: 1500, %s%s}\n",
			i, i, i, line, pfc);
}

static inline char *
world_yaml(
	const char *workers, const char *out, const char *line, const char *pfc, const char *limit)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("version: 1\nnode: {name: n, id: 7}\n"
	      "runtime:\n  mbufs: 49152\n  memory: 400MB\n  burst: 64\n",
		f);
	fprintf(f, "%sports:\n", workers);
	senders_yaml(f, line, pfc);
	fprintf(f,
		"  - {name: side, device: side, role: nsf, promiscuous: true, mtu: 1500}\n"
		"  - {name: out, device: out, role: longhaul, mac: \"02:00:00:00:00:02\", mtu: "
		"1500%s}\n"
		"classes:\n  - {class: 3, name: lossless, dscp: [24], lossless: true%s}\n"
		"  - {class: 0, name: lossy, dscp: [0], limit: 1MB}\n",
		out, limit);
	fputs("groups:\n  - {name: g, members: [{port: out, mac: \"02:aa:00:00:00:01\"}]}\n"
	      "routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n",
		f);
	fclose(f);
	return text;
}

static inline void
world_open(struct world *w, const char *yaml, unsigned int km)
{
	unsigned int on_line;

	memset(w, 0, sizeof(*w));
	node_test_open(&w->t, 256, "%s", yaml);
	rng_init(&w->rng, km);
	w->out = node_test_port(&w->t, "out");
	w->rate = w->t.conf->port[0].rate_bps;
	w->one_way_ps = (uint64_t)km * 5 * US * PS;
	w->until_ps = UINT64_MAX;
	on_line = (unsigned int)(w->one_way_ps / wire_ps(w, 1082)) + 256;
	for (unsigned int i = 0; i < SENDERS; i++) {
		w->sender[i].port_idx = (uint16_t)i;
		w->sender[i].data = times_make(on_line);
		w->sender[i].pfc = times_make(256);
	}
}

/* The senders stop; all that is on its way and waits comes out. */
static inline void
world_close(struct world *w, bool lossless)
{
	uint64_t end_ns = w->t.ticks;
	unsigned int turns = 0;

	w->flood = 0;
	w->until_ps = end_ns * PS;
	do {
		step(w, 50 * US);
		cr_assert_lt(++turns, 100000);
	} while (node_waiting(w->t.node) != 0 ||
		 (w->taken_ps != 0 && w->taken_ps >= w->t.ticks * PS) ||
		 w->t.ticks < end_ns + 2 * w->one_way_ps / PS + 100 * US);
	for (unsigned int i = 0; i < SENDERS; i++) {
		if (lossless)
			cr_assert_eq(w->sender[i].n_out, w->sender[i].n_sent);
		free(w->sender[i].data.of);
		free(w->sender[i].pfc.of);
	}
	pfc_nothing_held(&w->t);
	node_test_close(&w->t);
}

#endif
