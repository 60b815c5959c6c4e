/* SPDX-License-Identifier: BSD-3-Clause */
/* Many sources to one system port at four times its rate: nothing is lost, and they share it. */
#include "cell/credit.h"
#include "fabric_lab.h"

#define MB          2000u
#define RATE        UINT64_C(10000000000)
#define OFFERED     4u
#define STEP_NS     1000u
#define BURST_NS    4000000u /* offered for so long, sent for four times that */
#define STEADY_NS   2000000u /* from here */
#define STEADY_TILL 14000000u
#define SAVED_NS    100000u
#define DELAY_NS    2000u
#define JITTER_NS   1500u
#define PAYLOAD_MAX 4000u
#define FLOWS_MAX   64u

struct flow {
	uint32_t sent, came;
	uint64_t steady; /* bytes on the wire that left in the steady part */
};

struct incast {
	struct lab lab;
	unsigned int n_edges, n_workers;
	struct node_test *sink;
	struct flow flow[FLOWS_MAX];
	uint64_t begin_ns, out_bytes, steady, most;
	int64_t bits; /* to offer; negative: too many were */
	unsigned int next;
};

static void
open_incast(struct incast *t, unsigned int n_edges, unsigned int n_workers, const char *limit)
{
	struct lab_edge sink = {
		.id = LAB_SINK,
		.n_links = 4,
		.n_workers = 1,
		.rate = "10Gbit",
		.dsf = "  voq_limit: 1MB\n",
	};
	struct node_test *edge[NODES_MAX], *spine;

	memset(t, 0, sizeof(*t));
	t->lab.mb = MB;
	t->n_edges = n_edges;
	t->n_workers = n_workers;
	rng_init(&t->lab.w.rng, n_edges * 8 + n_workers);
	for (unsigned int i = 0; i < n_edges; i++)
		edge[i] = lab_edge(&t->lab, &(struct lab_edge){
						    .id = i + 1,
						    .n_links = 2,
						    .n_workers = n_workers,
						    .dsf = limit,
					    });
	t->sink = lab_edge(&t->lab, &sink);
	for (unsigned int s = 0; s < 2; s++) {
		spine = lab_spine(&t->lab, s, n_edges + 2);
		for (unsigned int i = 0; i < n_edges; i++)
			lab_wire(&t->lab, edge[i], s, spine, i, DELAY_NS + 300 * s);
		for (unsigned int l = 0; l < 2; l++)
			lab_wire(&t->lab, t->sink, 2 * s + l, spine, n_edges + l, DELAY_NS);
	}
	for (unsigned int i = 0; i < t->lab.w.n_wires; i++)
		t->lab.w.wire[i].jitter_ns = JITTER_NS;
	wires_begin(&t->lab.w);
	t->begin_ns = t->lab.w.now_ns;
}

/* A part of the REQUESTs and GRANTs gets lost on each wire, and nothing else. */
static void
lose_credit(struct incast *t, uint32_t ppm)
{
	for (unsigned int i = 0; i < t->lab.w.n_wires; i++) {
		t->lab.w.wire[i].loss_ppm = ppm;
		t->lab.w.wire[i].loss_kinds = 1u << CELL_REQUEST | 1u << CELL_GRANT;
	}
}

static uint64_t
lost(const struct incast *t)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < t->lab.w.n_wires; i++)
		n += t->lab.w.wire[i].lost;
	return n;
}

/* Four times the rate, all sources in turns. */
static void
offer(struct incast *t)
{
	unsigned int n = t->n_edges * t->n_workers;

	for (t->bits += (int64_t)(OFFERED * RATE / 1000000000 * STEP_NS); t->bits > 0; t->next++) {
		unsigned int edge = t->next % t->n_edges,
			     flow = t->next / t->n_edges % t->n_workers;
		uint32_t payload = (uint32_t)rng_below(&t->lab.w.rng, PAYLOAD_MAX);
		struct flow *f = &t->flow[t->next % n];
		size_t len =
			lab_put(&t->lab.node[edge], edge + 1, LAB_SINK, flow, payload, f->sent++);

		t->bits -= 8 * (int64_t)voq_bytes((uint32_t)len);
	}
}

/* What left by the port of the sink: each flow in order, each packet once. */
static unsigned int
collect(struct incast *t)
{
	static uint8_t got[PACKET_MAX];
	uint64_t at = t->lab.w.now_ns - t->begin_ns;
	unsigned int n = 0;
	size_t len;

	for (; (len = node_test_take(t->sink, 0, got, sizeof(got))) != 0; n++) {
		unsigned int who = lab_from(got) - 1 + lab_flow(got) * t->n_edges;
		uint32_t bytes = voq_bytes((uint32_t)len);

		cr_assert_lt(who, t->n_edges * t->n_workers);
		cr_assert_eq(lab_psn(got), t->flow[who].came, "source %u: %u, want %u", who,
			lab_psn(got), t->flow[who].came);
		cr_assert(packet_icrc_ok(got, len));
		t->flow[who].came++;
		t->out_bytes += bytes;
		if (at >= STEADY_NS && at < STEADY_TILL) {
			t->flow[who].steady += bytes;
			t->steady += bytes;
		}
	}
	return n;
}

/* Bytes that left a VOQ and are not out of the sink. */
static uint64_t
backlog(const struct incast *t)
{
	uint64_t sent = 0;

	for (unsigned int i = 0; i < t->n_edges; i++)
		for (unsigned int w = 0; w < t->n_workers; w++)
			for (unsigned int v = 0; v < 8; v++)
				sent += t->lab.node[i].node->worker[w]->fabric->voq[v].sent;
	return sent - t->out_bytes;
}

/* That of cell/credit.h. */
static uint64_t
bound(const struct incast *t)
{
	const struct dp_fabric *f = t->sink->node->shared.fabric;
	/* a grant's way and a packet's: two wires each, and a turn at each of the nodes */
	uint64_t d_ns = 4 * (DELAY_NS + 300 + JITTER_NS) + 8 * STEP_NS;
	uint64_t rate = RATE / 1000 * 1020;

	return f->system[1].bound + rate / 8 * (d_ns + STEP_NS) / 1000000000 + 16384 +
	       t->n_edges * t->n_workers * (PAYLOAD_MAX + 100);
}

static double
jain(const struct incast *t)
{
	double sum = 0, squares = 0;
	unsigned int n = t->n_edges * t->n_workers;

	for (unsigned int i = 0; i < n; i++) {
		sum += (double)t->flow[i].steady;
		squares += (double)t->flow[i].steady * (double)t->flow[i].steady;
	}
	return sum * sum / (n * squares);
}

static void
incast(unsigned int n_edges, unsigned int n_workers, const char *limit, uint32_t lost_ppm)
{
	static struct incast t;
	uint32_t came = 0;
	uint64_t end_ns;
	double busy, fair;

	open_incast(&t, n_edges, n_workers, limit);
	lose_credit(&t, lost_ppm);
	end_ns = t.begin_ns + (OFFERED + 1) * BURST_NS;
	while (t.lab.w.now_ns < end_ns) {
		if (t.lab.w.now_ns - t.begin_ns < BURST_NS)
			offer(&t);
		wires_step(&t.lab.w, STEP_NS);
		came += collect(&t);
		t.most = RTE_MAX(t.most, backlog(&t));
	}
	/* what the shaper of the port has saved before may go in that time, too */
	busy = ((double)t.steady * 8 * 1e9 / (double)RATE - SAVED_NS) / (STEADY_TILL - STEADY_NS);
	fair = jain(&t);
	fprintf(stderr,
		"%u sources, %lu control cells lost: %lu bytes in the fabric at most, bound %lu; "
		"Jain %.5f, busy %.4f\n",
		n_edges * n_workers, lost(&t), t.most, bound(&t), fair, busy);
	cr_assert_eq(wires_dropped(&t.lab.w), 0, "drops:%s", wires_drops(&t.lab.w));
	cr_assert_eq(came, t.next, "%u sent, %u came", t.next, came);
	cr_assert_eq(backlog(&t), 0);
	cr_assert_eq(lost(&t) != 0, lost_ppm != 0);
	/* a lost grant is in the bound by the time of the next one, which is not this test's */
	if (lost_ppm == 0)
		cr_assert_leq(t.most, bound(&t), "%lu, bound %lu", t.most, bound(&t));
	cr_assert_geq(fair, 0.99, "Jain %f", fair);
	cr_assert_geq(busy, lost_ppm == 0 ? 0.98 : 0.97, "busy %f", busy);
	wires_close(&t.lab.w);
}

Test(fabric_incast, of_two_sources_loses_nothing_and_is_shared)
{
	incast(2, 1, "  voq_limit: 16MB\n", 0);
}

Test(fabric_incast, of_eight_sources_loses_nothing_and_is_shared)
{
	incast(8, 1, "  voq_limit: 6MB\n", 0);
}

Test(fabric_incast, of_64_sources_loses_nothing_and_is_shared)
{
	incast(8, 8, "  voq_limit: 6MB\n", 0);
}

Test(fabric_incast, keeps_its_port_busy_when_one_in_a_hundred_credits_is_lost)
{
	incast(8, 1, "  voq_limit: 6MB\n", 10000);
}

Test(fabric_incast, of_one_source_keeps_its_port_busy_when_one_in_a_hundred_credits_is_lost)
{
	incast(1, 1, "  voq_limit: 24MB\n", 10000);
}
