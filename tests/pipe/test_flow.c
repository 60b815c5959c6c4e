/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue pairs through the whole pipeline: what was lost, reordered, repeated and marked on purpose
 * is what the view says, and a table that is full keeps nobody's packet.
 */
#include "base/bits.h"
#include "flow/qp.h"
#include "longhaul.h"
#include "tele/qp_view.h"

#define QPS 8u

/* A node of longhaul.h's with `flows`; workers each poll a queue of the way in. */
static void
flow_open(struct node_test *t, const char *flows, const char *out, unsigned int n_workers)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("version: 1\nnode: {name: watch, id: 7}\nruntime:\n  mbufs: 16384\n  memory: 2GB\n"
	      "  workers:\n",
		f);
	for (unsigned int w = 0; w < n_workers; w++)
		fprintf(f, "    - {lcore: %u, rx: [in]}\n", w + 1);
	fprintf(f,
		"ports:\n"
		"  - {name: in, device: in, role: nsf, promiscuous: true, mtu: 4200}\n"
		"  - {name: out, device: out, role: longhaul, mtu: 4200%s}\n"
		"groups:\n  - {name: g, members: [{port: out, mac: \"02:aa:00:00:00:01\"}]}\n"
		"routes:\n  static: [{prefix: 0.0.0.0/0, group: g}, {prefix: \"::/0\", group: g}]\n"
		"%s\n",
		out, flows);
	fclose(f);
	node_test_open(t, 512, "%s", text);
	free(text);
}

/* A packet of the QP into a queue of the way in. */
static void
put(struct node_test *t, uint16_t queue, struct packet p, uint32_t qp, uint32_t psn)
{
	static uint8_t frame[PACKET_MAX];

	p.dest_qp = qp;
	p.psn = psn & 0xffffff;
	longhaul_put_frame(t, queue, frame, packet_write(&p, frame, sizeof(frame), NULL));
}

static struct qp_view
view(const struct node_test *t, enum qp_order by, size_t max)
{
	struct qp_view v;

	cr_assert_eq(qp_view_create(t->node, by, max, &v), 0);
	return v;
}

/* What was done to each QP, by number. */
struct truth {
	uint64_t packets, lost, reordered, repeated;
};

/*
 * Sends 3,000 numbers of a QP from `first` on. Every 50 numbers something happens that the view can
 * know for sure: a packet is lost, two change places, one comes twice, or one is lost and the
 * sender goes back to it.
 */
static void
send_planned(struct node_test *t, unsigned int version, uint32_t qp, uint32_t first, bool clean,
	struct truth *truth)
{
	struct packet p = packet_roce(version);

	*truth = (struct truth){0};
	for (uint32_t k = 0; k < 3000; k++) {
		unsigned int what = clean || k % 50 != 25 ? 0 : 1 + k / 50 % 4;

		if (what == 1) {
			truth->lost++;
		} else if (what == 2) {
			put(t, 0, p, qp, first + k + 1);
			put(t, 0, p, qp, first + k);
			k++;
			truth->packets += 2;
			truth->reordered++;
		} else if (what == 3) {
			put(t, 0, p, qp, first + k);
			put(t, 0, p, qp, first + k);
			truth->packets += 2;
			truth->repeated++;
		} else if (what == 4) {
			for (uint32_t i = 1; i <= 5; i++)
				put(t, 0, p, qp, first + k + i);
			for (uint32_t i = 0; i <= 5; i++)
				put(t, 0, p, qp, first + k + i);
			k += 5;
			truth->packets += 11;
			truth->lost++;
			truth->repeated += 6;
		} else {
			put(t, 0, p, qp, first + k);
			truth->packets++;
		}
		if (k % 64 >= 58) {
			node_test_run(t);
			node_test_discard(t, LONGHAUL_OUT);
		}
	}
	node_test_run(t);
	node_test_discard(t, LONGHAUL_OUT);
}

static const struct qp_row *
row_of(const struct qp_view *v, uint32_t qp, unsigned int version)
{
	for (size_t i = 0; i < v->n_rows; i++)
		if (v->row[i].key.l4 == qp &&
			(version == 6) == ((v->row[i].key.kind & FLOW_KEY_IP6) != 0))
			return &v->row[i];
	cr_assert_fail("QP %u of IPv%u is not in the view", qp, version);
	return NULL;
}

Test(flow, planned_loss_order_and_repetition_are_counted_exactly_and_clean_is_clean)
{
	struct truth truth[2][QPS];
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {qp_view: true}", "", 1);
	for (unsigned int six = 0; six < 2; six++)
		for (uint32_t qp = 0; qp < QPS; qp++)
			send_planned(&t, six ? 6 : 4, 1 + qp, qp % 4 < 2 ? 0xfffc00 : qp * 12345,
				qp % 2, &truth[six][qp]);
	v = view(&t, QP_BY_PACKETS, 100);
	cr_assert_eq(v.n_qps, 2 * QPS);
	for (unsigned int six = 0; six < 2; six++) {
		for (uint32_t qp = 0; qp < QPS; qp++) {
			const struct qp_row *r = row_of(&v, 1 + qp, six ? 6 : 4);
			const struct truth *want = &truth[six][qp];

			cr_assert_eq(r->stats.packets, want->packets);
			cr_assert_eq(qp_lost(&r->stats), want->lost, "QP %u: lost %lu, want %lu",
				qp, qp_lost(&r->stats), want->lost);
			cr_assert_eq(qp_reordered(&r->stats), want->reordered);
			cr_assert_eq(r->stats.request.extent_sum, want->reordered, "each by one");
			cr_assert_eq(qp_repeated(&r->stats), want->repeated);
			cr_assert_eq(want->lost == 0, qp % 2 == 1);
		}
	}
	qp_view_fini(&v);
	node_test_close(&t);
}

static void
put_opcode(struct node_test *t, uint8_t opcode, uint32_t psn, const void *payload, uint32_t len)
{
	struct packet p = packet_roce(4);

	p.opcode = opcode;
	p.payload = payload;
	p.payload_len = len;
	put(t, 0, p, 77, psn);
}

Test(flow, headers_behind_the_bth_are_counted_and_acks_have_no_order)
{
	static const uint8_t ack[4] = {0x1f}, seq[4] = {0x60}, rnr[4] = {0x2e}, other[4] = {0x63};
	/* of a RETH the last 4 bytes are the length: 5,000 and 2 numbers of 4,096 */
	static const uint8_t reth[16] = {[14] = 0x13, [15] = 0x88};
	static const uint8_t read_first[1028] = {0x1f};
	struct node_test t;
	struct qp_view v;
	struct qp_stats s;

	flow_open(&t, "flows: {qp_view: true}", "", 1);
	put_opcode(&t, 0x11, 500, ack, 4);
	put_opcode(&t, 0x11, 700, seq, 4);
	put_opcode(&t, 0x11, 600, rnr, 4);
	put_opcode(&t, 0x11, 650, other, 4);
	put_opcode(&t, 0x0c, 10, reth, 16);
	put_opcode(&t, 0x04, 12, NULL, 64);
	put_opcode(&t, 0x0d, 3000, read_first, 1028);
	put_opcode(&t, 0x0f, 3001, read_first, 1028);
	put_opcode(&t, 0x10, 3100, ack, 4);
	put_opcode(&t, 0x81, 0, NULL, 16);
	node_test_run(&t);
	v = view(&t, QP_BY_NAKS, 4);
	cr_assert(v.n_qps == 1 && v.n_rows == 1);
	s = v.row[0].stats;
	cr_assert(s.packets == 10 && s.acks == 4 && s.cnps == 1);
	cr_assert(s.nak_sequence == 1 && s.nak_rnr == 1 && s.nak_other == 1);
	cr_assert(s.messages == 1 && s.message_min == 5000 && s.message_max == 5000);
	cr_assert_eq(s.last_opcode, 0x81);
	cr_assert_eq(qp_lost(&s) + qp_reordered(&s) + qp_repeated(&s), 0);
	qp_view_fini(&v);
	node_test_close(&t);
}

Test(flow, what_is_no_sequence_of_a_queue_pair_is_not_taken_for_one)
{
	static const uint8_t none[] = {0x64, 0x44, 0x18, 0x3f, 0xc1, 0xe0};
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {qp_view: true}", "", 1);
	for (unsigned int i = 0; i < sizeof(none); i++)
		for (uint32_t psn = 0; psn < 90; psn += 3)
			put_opcode(&t, none[i], 90 - psn, NULL, 64);
	node_test_run(&t);
	v = view(&t, QP_BY_PACKETS, 4);
	cr_assert_eq(v.live.packets, sizeof(none) * 30);
	cr_assert_eq(qp_lost(&v.live) + qp_reordered(&v.live) + qp_repeated(&v.live), 0);
	qp_view_fini(&v);
	node_test_close(&t);
}

/* Ports in segments, tags, options and extension headers: the BTH is found where it is. */
Test(flow, bth_is_found_behind_tags_options_and_extension_headers)
{
	struct packet p;
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {qp_view: true}", "", 1);
	for (uint32_t psn = 0; psn < 40; psn++) {
		p = packet_roce(psn % 2 ? 6 : 4);
		p.n_tags = psn / 2 % 3;
		for (unsigned int i = 0; i < p.n_tags; i++)
			p.tag[i].tpid = 0x8100;
		if (psn % 2 == 0)
			p.options_len = (uint8_t)(psn % 11 * 4);
		else
			p.n_ext = psn % 4 == 1 ? 0 : 3;
		for (unsigned int i = 0; i < p.n_ext; i++)
			p.ext[i] = (struct packet_ext){.type = i == 1 ? 51 : 60};
		put(&t, 0, p, 5, psn / 2);
	}
	node_test_run(&t);
	v = view(&t, QP_BY_PACKETS, 4);
	cr_assert_eq(v.n_qps, 2);
	cr_assert_eq(v.live.packets, 40);
	cr_assert_eq(v.live.request.lost + v.live.request.reordered + v.live.request.repeated, 0);
	cr_assert_eq(v.live.request.restarts, 0);
	qp_view_fini(&v);
	node_test_close(&t);
}

Test(flow, table_that_is_full_keeps_nobodys_packet)
{
	struct packet p = packet_roce(4);
	const struct flow_table *f;
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {max: 64, qp_view: true}", "", 1);
	f = t.node->worker[0]->flow;
	for (uint32_t k = 0; k < 20000; k++) {
		put(&t, 0, p, 1 + k % 1000, k / 1000);
		if (k % 500 == 499) {
			node_test_run(&t);
			cr_assert_eq(node_test_discard(&t, LONGHAUL_OUT), 500);
		}
	}
	cr_assert_eq(f->count.entries, 64);
	cr_assert_eq(f->count.full, 20000 - 64 * 20);
	v = view(&t, QP_BY_PACKETS, 100);
	cr_assert(v.n_qps == 64 && v.live.packets == 64 * 20);
	cr_assert_eq(qp_lost(&v.live), 0);
	qp_view_fini(&v);
	node_test_close(&t);
}

Test(flow, queue_pairs_that_age_out_stay_in_the_sum)
{
	struct packet p = packet_roce(4);
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {age: 1s, qp_view: true}", "", 1);
	put(&t, 0, p, 1, 1);
	put(&t, 0, p, 1, 3);
	node_test_run(&t);
	for (unsigned int k = 0; k < 2000; k++) {
		if (k % 500 == 0)
			put(&t, 0, p, 2, k / 500);
		node_test_step(&t, LONGHAUL_MS);
	}
	v = view(&t, QP_BY_PACKETS, 100);
	cr_assert(v.n_qps == 1 && v.row[0].key.l4 == 2 && v.live.packets == 4);
	cr_assert(v.gone.packets == 2 && qp_lost(&v.gone) == 1);
	qp_view_fini(&v);
	node_test_close(&t);
}

Test(flow, parts_of_a_flow_that_wanders_between_workers_are_added_up)
{
	struct packet p = packet_roce(4);
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {qp_view: true}", "", 3);
	for (uint32_t psn = 0; psn < 300; psn++) {
		put(&t, (uint16_t)(psn / 100), p, 9, psn);
		put(&t, 1, p, 10, psn);
		node_test_run(&t);
	}
	v = view(&t, QP_BY_PACKETS, 100);
	cr_assert_eq(v.n_qps, 2);
	cr_assert_eq(row_of(&v, 9, 4)->stats.packets, 300);
	cr_assert_eq(row_of(&v, 9, 4)->n_workers, 3);
	cr_assert_eq(row_of(&v, 10, 4)->n_workers, 1);
	cr_assert_eq(qp_lost(&v.live) + qp_repeated(&v.live), 0);
	qp_view_fini(&v);
	node_test_close(&t);
}

Test(flow, marks_of_this_node_and_of_others_are_told_apart_by_queue_pair)
{
	struct packet p = packet_roce(4);
	uint64_t marked;
	struct node_test t;
	struct qp_view v;

	flow_open(&t, "flows: {qp_view: true}",
		", rate: 10Mbit, ecn: {kmin: 1KB, kmax: 1KB, pmax: 100%}", 1);
	for (uint32_t psn = 0; psn < 100; psn++)
		put(&t, 0, p, 4, psn);
	p.tos |= 3;
	for (uint32_t psn = 0; psn < 50; psn++)
		put(&t, 0, p, 5, psn);
	node_test_run(&t);
	marked = longhaul_counters(&t).ce_marked;
	v = view(&t, QP_BY_CE, 100);
	cr_assert_gt(marked, 50);
	cr_assert(row_of(&v, 4, 4)->stats.ce_set == marked && row_of(&v, 4, 4)->stats.ce_in == 0);
	cr_assert(row_of(&v, 5, 4)->stats.ce_set == 0 && row_of(&v, 5, 4)->stats.ce_in == 50);
	qp_view_fini(&v);
	node_test_close(&t);
}

Test(flow, view_lists_the_first_by_the_figure_that_was_asked_for)
{
	static const struct {
		enum qp_order by;
		uint32_t qp;
	} want[] = {{QP_BY_PACKETS, 1}, {QP_BY_BYTES, 2}, {QP_BY_GAPS, 3}, {QP_BY_REORDERS, 4}};
	struct packet p = packet_roce(4);
	struct node_test t;

	flow_open(&t, "flows: {qp_view: true}", "", 2);
	for (uint32_t psn = 0; psn < 50; psn++) {
		put(&t, 0, p, 1, psn);
		put(&t, 1, p, 3, psn * (psn < 20 ? 2 : 1) + (psn < 20 ? 0 : 19));
		if (psn < 40)
			put(&t, 0, p, 4, psn ^ 1);
		if (psn < 30) {
			p.payload_len = 2000;
			put(&t, 0, p, 2, psn);
			p.payload_len = 64;
		}
		node_test_run(&t);
	}
	for (unsigned int k = 0; k < BITS_ARRAY_LEN(want); k++) {
		struct qp_view v = view(&t, want[k].by, 1);

		cr_assert_eq(v.n_rows, 1);
		cr_assert_eq(v.row[0].key.l4, want[k].qp, "by %s: QP %u", qp_order_name(want[k].by),
			v.row[0].key.l4);
		qp_view_fini(&v);
	}
	node_test_close(&t);
}

Test(flow, node_that_needs_no_flows_has_no_table)
{
	struct packet p = packet_roce(4);
	struct node_test t;

	flow_open(&t, "", "", 2);
	put(&t, 0, p, 1, 1);
	node_test_run(&t);
	cr_assert(t.node->worker[0]->flow == NULL && t.node->worker[1]->flow == NULL);
	cr_assert_eq(t.node->snapshot->flows, 0);
	cr_assert_not(qp_view_is_on(t.node));
	node_test_close(&t);
}
