/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets that go one by one: who may, how even they are shared, and that all others keep to one
 * way. What leaves by one port leaves in the order in which it came.
 */
#include "fan.h"
#include "pcapfile.h"
#include "wire/roce.h"

#define MEMBERS 4u

static void
open_policy(struct node_test *t, unsigned int n, const uint32_t *weight, const char *keys)
{
	char *yaml = fan_yaml(7, n, weight, keys);

	node_test_open(t, 256, "%s", yaml);
	free(yaml);
}

/* Ports that `n` packets of one flow leave by, as bits. */
static uint32_t
ports_of(struct node_test *t, const struct packet *p, unsigned int n)
{
	uint32_t used = 0;

	for (unsigned int i = 0; i < n; i++)
		used |= 1u << fan_member(t, p);
	return used;
}

/* In 16 packets in a row of a sequence of 4 members each is there 3 times at least. */
#define ALL_MEMBERS ((1u << MEMBERS) - 1)

static bool
may_go_alone(unsigned int opcode, bool ar, unsigned int spray_if)
{
	enum roce_order order = roce_order((uint8_t)opcode);

	if (order == ROCE_IN_ORDER)
		return false;
	return spray_if == 0 ? ar : spray_if == 1 ? order == ROCE_WRITE : true;
}

/* What must stay in order of a QP all has one way: that of its hash, whatever the opcode. */
static void
every_opcode(const char *policy)
{
	static const char *const spray_if[] = {"ar_bit", "write", "any"};

	for (unsigned int k = 0; k < 3; k++) {
		struct node_test t;
		char keys[128];

		snprintf(keys, sizeof(keys), "    policy: %s\n    spray_if: %s\n", policy,
			spray_if[k]);
		open_policy(&t, MEMBERS, NULL, keys);
		for (unsigned int version = 4; version <= 6; version += 2) {
			struct packet p = packet_roce(version);
			uint32_t home = ports_of(&t, &p, 1);

			for (unsigned int op = 0; op < 512; op++) {
				bool ar = op >= 256;
				uint32_t used;

				p.opcode = (uint8_t)op;
				p.bth_byte8 = ar ? 0x40 : 0x80;
				used = ports_of(&t, &p, 16);
				if (may_go_alone(op & 0xff, ar, k))
					cr_assert_eq(__builtin_popcount(used), MEMBERS,
						"%s: opcode 0x%02x went by %x", spray_if[k],
						op & 0xff, used);
				else
					cr_assert_eq(used, home, "%s: opcode 0x%02x went by %x",
						spray_if[k], op & 0xff, used);
			}
		}
		node_test_close(&t);
	}
}

Test(spray, only_what_spray_if_allows_leaves_its_flows_way)
{
	every_opcode("spray");
}

Test(spray, adaptive_sends_the_same_packets_alone)
{
	every_opcode("adaptive");
}

Test(spray, what_is_no_roce_is_never_sprayed)
{
	struct node_test t;
	struct rng r;

	rng_init(&r, 8);
	open_policy(&t, MEMBERS, NULL, "    policy: spray\n    spray_if: any\n");
	for (unsigned int i = 0; i < 200; i++) {
		struct packet p = fan_flow(&r, i % 2 ? 4 : 6);

		cr_assert_eq(__builtin_popcount(ports_of(&t, &p, 8)), 1);
		p.proto = 6;
		cr_assert_eq(__builtin_popcount(ports_of(&t, &p, 8)), 1);
		/* the port of RoCE, and too short for it */
		p = fan_flow(&r, 4);
		p.dport = 4791;
		cr_assert_eq(__builtin_popcount(ports_of(&t, &p, 8)), 1);
		/* a fragment of RoCE tells no opcode */
		p = packet_roce(4);
		p.src4 += i;
		p.opcode = 0x0a;
		p.bth_byte8 = 0x40;
		p.ip_frag = 0x2000;
		cr_assert_eq(__builtin_popcount(ports_of(&t, &p, 8)), 1);
	}
	node_test_close(&t);
}

/* `n` sprayed packets of several QPs by several workers; the members' counters. */
static void
spray_many(struct node_test *t, unsigned int n)
{
	static uint8_t frame[64][256];
	size_t len = 0;

	for (unsigned int q = 0; q < 64; q++) {
		struct packet p = packet_roce(4);

		p.opcode = 0x07;
		p.bth_byte8 = 0x40;
		p.dest_qp = q;
		p.payload_len = 16;
		len = packet_write(&p, frame[q], sizeof(frame[q]), NULL);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *m = packet_mbuf(t->node->pool, frame[i % 64], len);

		cr_assert_not_null(m);
		cr_assert(node_test_put_mbuf(t, 0, (uint16_t)(i % t->node->n_workers), m));
		if (i % 48 == 47 || i + 1 == n) {
			node_test_run(t);
			for (uint16_t p = 1; p < t->node->n_ports; p++)
				node_test_discard(t, p);
		}
	}
}

static void
expect_shares(unsigned int n, const uint32_t *weight, unsigned int workers, double most)
{
	const unsigned int packets = 10000;
	struct node_test t;
	uint64_t sum = 0;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("version: 1\nnode: {name: fan, id: 7}\nruntime:\n  mbufs: 32768\n  workers:\n", f);
	for (unsigned int w = 0; w < workers; w++)
		fprintf(f, "    - {lcore: %u, rx: [in]}\n", w + 1);
	fputs("ports:\n  - {name: in, device: in, role: nsf, promiscuous: true}\n", f);
	for (unsigned int i = 0; i < n; i++) {
		fprintf(f, "  - {name: o%u, device: o%u, role: nsf}\n", i, i);
		sum += weight == NULL ? 1 : weight[i];
	}
	fputs("groups:\n", f);
	fan_group(f, "g", n, weight, "    policy: spray\n");
	fputs("routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n", f);
	fclose(f);
	node_test_open(&t, 256, "%s", text);
	free(text);
	for (unsigned int round = 0; round < 3; round++) {
		uint64_t before[FAN_PORTS_MAX];

		for (unsigned int m = 0; m < n; m++)
			before[m] = node_test_member(&t, 0, m);
		spray_many(&t, packets);
		for (unsigned int m = 0; m < n; m++) {
			double due =
				(double)packets * (weight == NULL ? 1 : weight[m]) / (double)sum;
			double got = (double)(node_test_member(&t, 0, m) - before[m]);

			cr_assert_leq(got / due, most, "member %u: %.0f of %.1f", m, got, due);
		}
	}
	node_test_close(&t);
}

Test(spray, ten_thousand_packets_are_even_for_equal_weights)
{
	expect_shares(2, NULL, 1, 1.01);
	expect_shares(4, NULL, 1, 1.01);
	expect_shares(7, NULL, 3, 1.01);
	expect_shares(16, NULL, 1, 1.01);
	/* each worker's sequence is cut somewhere else: a packet or two each */
	expect_shares(16, NULL, 4, 1.02);
}

Test(spray, ten_thousand_packets_are_even_for_unequal_weights)
{
	expect_shares(2, (const uint32_t[]){3, 1}, 1, 1.01);
	expect_shares(2, (const uint32_t[]){6, 4}, 3, 1.01);
	expect_shares(4, (const uint32_t[]){4, 4, 4, 2}, 1, 1.01);
	expect_shares(5, (const uint32_t[]){1, 2, 3, 4, 5}, 2, 1.01);
	expect_shares(3, (const uint32_t[]){65535, 65534, 30001}, 1, 1.01);
}

/* From the bit alone, before anything is rebuilt; then rebuilt; then back. */
static void
expect_live_only(const char *keys)
{
	struct packet p = packet_roce(4);
	struct node_test t;

	p.opcode = 0x0a;
	p.bth_byte8 = 0x40;
	open_policy(&t, MEMBERS, NULL, keys);
	cr_assert_eq(ports_of(&t, &p, 64), ALL_MEMBERS);
	alive_set(&t.node->shared.alive, 2, false);
	cr_assert_eq(ports_of(&t, &p, 64), ALL_MEMBERS & ~2u, "the next burst knows");
	node_set_link(t.node, 3, false);
	cr_assert_eq(ports_of(&t, &p, 64), ALL_MEMBERS & ~6u);
	node_set_link(t.node, 4, false);
	cr_assert_eq(ports_of(&t, &p, 64), 1u);
	node_set_link(t.node, 1, false);
	static uint8_t frame[256], out[256];
	size_t len = packet_write(&p, frame, sizeof(frame), NULL), out_len;

	cr_assert_eq(node_test_pass(&t, 0, frame, len, out, &out_len), -1);
	cr_assert_eq(node_test_drops(&t, DROP_no_member), 1);
	alive_set(&t.node->shared.alive, 2, true);
	for (uint16_t port = 1; port <= MEMBERS; port++)
		node_set_link(t.node, port, true);
	node_set_link(t.node, 2, false);
	node_set_link(t.node, 2, true);
	cr_assert_eq(ports_of(&t, &p, 64), ALL_MEMBERS);
	node_test_close(&t);
}

Test(spray, the_burst_after_a_death_meets_live_members_only)
{
	expect_live_only("    policy: spray\n");
	expect_live_only("    policy: adaptive\n");
}

/* One without a MAC is out in the same way (tests/unit/nhg/test_sequence.c): here all have one. */
Test(spray, a_member_of_weight_0_gets_nothing)
{
	struct packet p = packet_roce(4);
	struct node_test t;

	p.opcode = 0x0a;
	p.bth_byte8 = 0x40;
	open_policy(&t, MEMBERS, NULL, "    policy: spray\n");
	cr_assert_eq(node_set_weights(t.node, 0, (const uint32_t[]){1, 0, 1, 1}), 0);
	cr_assert_eq(ports_of(&t, &p, 64), ALL_MEMBERS & ~2u, "weight 0 is excluded");
	node_test_close(&t);
}

#define QPS_MAX 512u

struct qp {
	uint8_t dst_qp[7]; /* the end of the destination address, and the QP */
	int port;
};

/* The QP of a RoCE frame; NULL: it is none. */
static struct qp *
find_qp(struct qp *qp, unsigned int *n, const uint8_t *frame, size_t bth)
{
	uint8_t key[7];

	memcpy(key, frame + bth - 12, 4);
	memcpy(key + 4, frame + bth + 5, 3);
	for (unsigned int i = 0; i < *n; i++)
		if (memcmp(qp[i].dst_qp, key, sizeof(key)) == 0)
			return &qp[i];
	cr_assert_lt(*n, QPS_MAX);
	memcpy(qp[*n].dst_qp, key, sizeof(key));
	qp[*n].port = -1;
	return &qp[(*n)++];
}

/* Of each QP of a capture: what must stay in order leaves by one port; the rest by all. */
static void
replay_capture(const char *name, bool loose_too)
{
	struct pcapfile capture = pcapfile_load(name);
	static struct qp qp[QPS_MAX];
	unsigned int n_qps = 0, kept = 0;
	uint32_t alone = 0;
	struct node_test t;

	open_policy(&t, MEMBERS, NULL, "    policy: spray\n    spray_if: any\n");
	for (size_t i = 0; i < capture.n; i++) {
		static uint8_t out[PACKET_MAX];
		const uint8_t *frame = capture.frame[i].bytes;
		size_t out_len, l3 = expect_l3(frame), bth;
		int port = node_test_pass(&t, 0, frame, capture.frame[i].len, out, &out_len);
		struct qp *q;

		bth = l3 + (frame[l3] >> 4 == 4 ? 20 : 40) + 8;
		if (port < 0 || frame[bth - 6] != 0x12 || frame[bth - 5] != 0xb7)
			continue;
		if (roce_order(frame[bth]) != ROCE_IN_ORDER) {
			alone |= 1u << port;
			continue;
		}
		q = find_qp(qp, &n_qps, frame, bth);
		cr_assert(q->port == -1 || q->port == port, "%s: opcode 0x%02x left its way", name,
			frame[bth]);
		q->port = port;
		kept++;
	}
	cr_assert_gt(kept, 0, "%s holds nothing that has an order", name);
	cr_assert_eq(__builtin_popcount(alone), loose_too ? MEMBERS : 0, "%s", name);
	pcapfile_free(&capture);
	node_test_close(&t);
}

Test(spray, captures_of_a_real_stack_keep_their_order)
{
	replay_capture("rxe_cm_mix_v4_m1024.pcap", true);
	replay_capture("rxe_ecn_ce_write_v6.pcap", true);
	replay_capture("rxe_ud_send_v4_m1024.pcap", false);
}
