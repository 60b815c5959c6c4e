/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual output queues that nobody gives credit: how much they hold, what they mark, and that who
 * fills them is told to stop. The test is the far end: it makes the GRANTs and takes the cells.
 */
#include "ctl/fabric.h"
#include "pfc.h"
#include "wire/cell_ext.h"

enum { HOST, FAB };
enum { FAR, OTHER, DESTS }; /* as the node sorts them, by device */

#define MB    200u
#define LIMIT 100000u
#define LEN   1202u /* of the packets */
#define ROOM  178u  /* packets: two full queues of three quarters of the MTU, and one */

#define YAML                                                                                       \
	"version: 1\nnode: {name: n, id: 1}\nruntime: {mbufs: 8192, memory: 200MB}\n"              \
	"ports:\n"                                                                                 \
	"  - {name: host, device: a, role: nsf, mac: \"02:00:00:00:00:01\", promiscuous: true, "   \
	"mtu: 1500, rate: 10Gbit, pfc: {classes: [3], xoff: 20000B, xon: 10000B, headroom: "       \
	"60KB}}\n"                                                                                 \
	"  - {name: fab, device: b, role: dsf, rate: 100Gbit}\n"                                   \
	"classes:\n" PFC_CLASS(3, 24, "lossless: true") PFC_CLASS(                                 \
		4, 32, "ecn: {kmin: 40KB, kmax: 40KB, pmax: 100%%}") PFC_CLASS(5, 40,              \
		"limit: 1MB") "dsf:\n  device_id: 1\n  voq_limit: 100KB\n  credit_watchdog: "      \
			      "\"off\"\n  devices: [{name: far, id: 7}, {name: other, id: 8}]\n"   \
			      "groups:\n  - {name: far, members: [{device: far}]}\n"               \
			      "  - {name: other, members: [{device: other}]}\n"                    \
			      "routes:\n  static: [{prefix: 10.2.0.0/16, group: far}, "            \
			      "{prefix: 10.3.0.0/16, group: other}]\n"

/* `n` packets of a class to device 7 or 8, of this ECN field. */
static void
put(struct node_test *t, unsigned int dest, unsigned int class, unsigned int ecn, unsigned int n)
{
	static uint8_t frame[PACKET_MAX];
	struct packet p = packet_roce(4);
	size_t len;

	p.tos = (uint8_t)(class * 8 << 2 | ecn);
	p.dst4 = (10u << 24) + ((2 + dest) << 16) + 1;
	p.payload_len = LEN - 58;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	cr_assert_eq(len, LEN);
	while (n-- != 0)
		cr_assert(node_test_put(t, HOST, frame, len));
	node_test_run(t);
}

static struct voq *
voq(const struct node_test *t, unsigned int dest, unsigned int class)
{
	return &t->node->worker[0]->fabric->voq[dest * DP_CLASSES + class];
}

/* All that a queue wants is granted, as its device would. */
static void
grant(struct node_test *t, unsigned int dest, unsigned int class)
{
	const struct voq *v = voq(t, dest, class);
	uint8_t cell[CELL_FRAME_MIN] = CELL_DST_MAC;
	struct cell_header h = {
		.type = CELL_GRANT,
		.class = (uint8_t) class,
		.source = t->node->fabric->dp.dest[dest].device,
		.destination = 1,
		.payload_len = CELL_GRANT_LEN,
	};
	struct cell_grant g = {.session = v->session, .granted = v->wanted};

	wire_put16(cell + ETH_OFF_TYPE, CELL_ETHERTYPE);
	cell_write(cell + ETH_HDR_LEN, &h);
	cell_write_grant(cell + CELL_PREFIX_LEN, &g);
	cr_assert(node_test_put(t, FAB, cell, sizeof(cell)));
	node_test_run(t);
}

/* The packet of the next DATA cell that left (each is one cell), without its cell; 0: none. */
static size_t
take(struct node_test *t, uint8_t *packet)
{
	static uint8_t frame[PACKET_MAX];
	struct cell_header h;
	size_t len;

	while ((len = node_test_take(t, FAB, frame, sizeof(frame))) != 0) {
		cr_assert_eq(
			cell_read(frame + ETH_HDR_LEN, (uint32_t)len - ETH_HDR_LEN, &h), CELL_OK);
		if (h.type != CELL_DATA)
			continue;
		memcpy(packet, frame + CELL_PREFIX_LEN, h.payload_len);
		return h.payload_len;
	}
	return 0;
}

static unsigned int
take_all(struct node_test *t)
{
	static uint8_t packet[PACKET_MAX];
	unsigned int n = 0;

	while (take(t, packet) != 0)
		n++;
	return n;
}

Test(fabric_voq, holds_its_limit_to_the_byte_and_harms_no_other)
{
	const unsigned int fit = LIMIT / LEN;
	struct node_test t;

	node_test_open(&t, MB, YAML);
	cr_assert_eq(t.node->fabric->dp.n_dests, DESTS);
	put(&t, FAR, 5, 2, fit + 20);
	cr_assert_eq(voq(&t, FAR, 5)->fifo.n, fit);
	cr_assert_eq(node_test_drops(&t, DROP_voq_full), 20);
	put(&t, OTHER, 5, 2, fit);
	put(&t, FAR, 0, 2, 10); /* no class has this DSCP: it goes by default to class 3 */
	cr_assert_eq(node_test_drops(&t, DROP_voq_full), 20);
	cr_assert_eq(node_test_sums(&t).waiting, 2 * fit + 10);
	/* all queues have buffers together; those who are told to stop have their own */
	put(&t, FAR, 4, 2, ROOM - 2 * fit + 7);
	cr_assert_eq(node_test_drops(&t, DROP_buffer_full), 7);
	cr_assert_eq(take_all(&t), 0);
	grant(&t, FAR, 4);
	cr_assert_eq(take_all(&t), ROOM - 2 * fit);
	grant(&t, FAR, 5);
	cr_assert_eq(take_all(&t), fit);
	cr_assert_eq(voq(&t, OTHER, 5)->fifo.n, fit);
	put(&t, FAR, 5, 2, fit);
	cr_assert_eq(node_test_drops(&t, DROP_voq_full), 20, "what left makes room");
	for (unsigned int d = 0; d < DESTS; d++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			grant(&t, d, c);
	cr_assert_eq(take_all(&t), 2 * fit + 10);
	cr_assert_eq(t.node->fabric->dp.packets, 0);
	pfc_nothing_held(&t);
	node_test_close(&t);
}

Test(fabric_voq, marks_by_the_curve_of_its_class)
{
	static const unsigned int ecn[] = {1, 2, 0, 3};
	const unsigned int below = 40000 / LEN + 1; /* the last of them finds less than kmin */
	static uint8_t packet[PACKET_MAX];
	struct counters sum;
	struct node_test t;

	node_test_open(&t, MB, YAML);
	put(&t, FAR, 4, 2, below);
	for (unsigned int i = 0; i < 4; i++)
		put(&t, FAR, 4, ecn[i], 5);
	put(&t, FAR, 5, 2, below + 20);
	node_counters(t.node, &sum, NULL);
	cr_assert_eq(sum.ce_marked, 10);
	cr_assert_eq(sum.would_mark_not_ect, 5);
	cr_assert_eq(t.node->worker[0]->fabric->count[FAR * DP_CLASSES + 4].ce_marked, 10);
	grant(&t, FAR, 4);
	for (unsigned int i = 0; i < below + 20; i++) {
		static const unsigned int want[] = {3, 3, 0, 3};

		cr_assert_eq(take(&t, packet), LEN);
		cr_assert(packet_icrc_ok(packet, LEN));
		cr_assert_eq(packet[15] & 3, i < below ? 2 : want[(i - below) / 5], "packet %u", i);
	}
	grant(&t, FAR, 5);
	while (take(&t, packet) != 0)
		cr_assert_eq(packet[15] & 3, 2, "a class without a curve");
	node_test_close(&t);
}

/* The last pause frame of the host's port: its quanta for class 3; -1: there was none. */
static int
pause(struct node_test *t)
{
	static uint8_t frame[PACKET_MAX];
	int quanta = -1;
	size_t len;

	while ((len = node_test_take(t, HOST, frame, sizeof(frame))) != 0) {
		cr_assert(pfc_is(frame, len));
		quanta = pfc_quanta(frame, 3);
	}
	return quanta;
}

Test(fabric_voq, pauses_who_fills_it_and_lets_go_when_it_is_empty)
{
	struct node_test t;

	node_test_open(&t, MB, YAML);
	put(&t, FAR, 3, 2, 8);
	put(&t, OTHER, 3, 2, 8);
	cr_assert_eq(pause(&t), -1);
	put(&t, FAR, 3, 2, 1); /* 20,434 bytes of one way in, in two queues */
	cr_assert_eq(t.node->shared.commons[HOST].xoff[3].held, 17 * LEN);
	cr_assert_eq(pause(&t), 65535);
	grant(&t, OTHER, 3);
	cr_assert_eq(pause(&t), -1, "10,818 bytes wait");
	grant(&t, FAR, 3);
	cr_assert_eq(pause(&t), 0);
	cr_assert_eq(take_all(&t), 17);
	pfc_nothing_held(&t);
	node_test_close(&t);
}
