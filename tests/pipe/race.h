/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A race: many flows by several ways of different length, and whoever comes in at the far end is
 * asked whether somebody of his flow who left later is there already. Time is virtual and goes in
 * steps; two that come in one step by different ports count as they stand in the ports' order, so
 * ways have to differ by more than a step from what a test forbids.
 */
#ifndef TESTS_PIPE_RACE_H
#define TESTS_PIPE_RACE_H

#include "base/rng.h"
#include "fan.h"

#define RACE_FLOWS 256u
#define RACE_HEAD  64u /* bytes of a frame that are written: headers, flow, number */
#define RACE_BURST 256u

struct race_conf {
	unsigned int members, workers;
	const char *port[FAN_PORTS_MAX]; /* keys of each way out */
	const uint32_t *weight;          /* NULL: 1 each */
	const char *group;               /* lines of keys */
	const char *more;                /* further sections, or NULL */
	uint8_t opcode, bth_byte8;
	uint16_t frame_len;
	unsigned int first;    /* the group lists its members from this one on, round to it */
	unsigned int left_out; /* and so many fewer */
};

struct race {
	struct node_test t;
	struct race_conf conf;
	struct rng rng;
	uint8_t head[RACE_FLOWS][RACE_HEAD];
	uint32_t sent[RACE_FLOWS];
	uint32_t next[RACE_FLOWS]; /* number after the highest that came */
	uint8_t by[RACE_FLOWS];    /* port of the last one */
	uint64_t n_sent, n_came, n_reordered, n_moved;
	uint64_t came[FAN_PORTS_MAX + 1]; /* by port index */
};

static inline void
race_heads(struct race *r)
{
	static uint8_t frame[16384];

	for (uint32_t f = 0; f < RACE_FLOWS; f++) {
		struct packet p = packet_roce(4);

		p.opcode = r->conf.opcode;
		p.bth_byte8 = r->conf.bth_byte8;
		p.dest_qp = 0x100 + f;
		p.sport = (uint16_t)(0xc000 + f);
		p.tos = 26 << 2; /* Not-ECT: nothing is marked */
		p.payload_len = r->conf.frame_len - 58u;
		packet_write(&p, frame, sizeof(frame), NULL);
		memcpy(r->head[f], frame, RACE_HEAD);
		memcpy(r->head[f] + 54, &f, 4);
	}
}

/* The caller frees it. */
static inline char *
race_yaml(const struct race_conf *c)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("version: 1\nnode: {name: race, id: 7}\nruntime:\n  mbufs: 65536\n  memory: 1GB\n"
	      "  workers:\n",
		f);
	for (unsigned int w = 0; w < c->workers; w++)
		fprintf(f, "    - {lcore: %u, rx: [in]}\n", w + 1);
	fputs("ports:\n  - {name: in, device: in, role: nsf, promiscuous: true}\n", f);
	for (unsigned int i = 0; i < c->members; i++)
		fprintf(f, "  - {name: o%u, device: o%u, role: longhaul%s%s}\n", i, i,
			c->port[i] != NULL ? ", " : "", c->port[i] != NULL ? c->port[i] : "");
	fprintf(f, "%sgroups:\n", c->more != NULL ? c->more : "");
	fprintf(f, "  - name: g\n%s    members:\n", c->group);
	for (unsigned int k = 0; k < c->members - c->left_out; k++) {
		unsigned int i = (c->first + k) % c->members;

		fprintf(f, "      - {port: o%u, mac: \"02:aa:00:00:00:%02x\", weight: %u}\n", i, i,
			c->weight != NULL ? c->weight[i] : 1);
	}
	fputs("routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n", f);
	fclose(f);
	return text;
}

static inline void
race_open(struct race *r, const struct race_conf *c)
{
	char *text = race_yaml(c);

	memset(r, 0, sizeof(*r));
	r->conf = *c;
	rng_init(&r->rng, 5);
	node_test_open(&r->t, 512, "%s", text);
	free(text);
	race_heads(r);
}

/* The node reads another file, which it has to take. */
static inline void
race_reload(struct race *r, const struct race_conf *c)
{
	char *text = race_yaml(c);

	cr_assert_eq(node_test_reload(&r->t, text), 0, "%s", r->t.said);
	free(text);
}

/* The next `n` packets, at most RACE_BURST, of the flows that `pick` names; each to its queue. */
static inline void
race_send(struct race *r, unsigned int n, uint32_t (*pick)(struct race *r))
{
	static struct rte_mbuf *queue[8][RACE_BURST];
	unsigned int n_queue[8] = {0};

	for (unsigned int i = 0; i < n; i++) {
		uint32_t f = pick(r);
		unsigned int q = f % r->conf.workers;
		struct rte_mbuf *m = rte_pktmbuf_alloc(r->t.node->pool);
		uint8_t *bytes;

		cr_assert_not_null(m);
		bytes = (uint8_t *)rte_pktmbuf_append(m, r->conf.frame_len);
		memcpy(bytes, r->head[f], RACE_HEAD);
		memcpy(bytes + 58, &r->sent[f], 4);
		r->sent[f]++;
		queue[q][n_queue[q]++] = m;
	}
	for (unsigned int q = 0; q < r->conf.workers; q++) {
		cr_assert_eq(port_mem_put(r->t.node->port[0], (uint16_t)q, queue[q],
				     (uint16_t)n_queue[q]),
			n_queue[q]);
		r->t.n_put += n_queue[q];
	}
	r->n_sent += n;
}

static inline void
race_see(struct race *r, uint16_t port, const struct rte_mbuf *m)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t f, number;

	memcpy(&f, bytes + 54, 4);
	memcpy(&number, bytes + 58, 4);
	r->n_reordered += number < r->next[f];
	if (number >= r->next[f])
		r->next[f] = number + 1;
	r->n_moved += r->by[f] != 0 && r->by[f] != port;
	r->by[f] = (uint8_t)port;
	r->came[port]++;
	r->n_came++;
}

static inline void
race_take(struct race *r)
{
	static struct rte_mbuf *m[RACE_BURST];
	uint16_t n;

	for (uint16_t p = 1; p <= r->conf.members; p++)
		while ((n = port_mem_take(r->t.node->port[p], m, RACE_BURST)) != 0) {
			for (uint16_t i = 0; i < n; i++)
				race_see(r, p, m[i]);
			rte_pktmbuf_free_bulk(m, n);
			r->t.n_taken += n;
		}
}

/* The clock goes on by `ns`, with a turn before and after what was sent is looked for. */
static inline void
race_step(struct race *r, uint64_t ns)
{
	r->t.ticks += ns;
	node_turn(r->t.node, r->t.ticks);
	race_take(r);
}

/* All that is on its way arrives. */
static inline void
race_finish(struct race *r)
{
	for (unsigned int i = 0; i < 100000 && node_waiting(r->t.node) != 0; i++)
		race_step(r, 1000);
	cr_assert_eq(node_waiting(r->t.node), 0);
}

static inline void
race_close(struct race *r)
{
	node_test_close(&r->t);
}

#endif
