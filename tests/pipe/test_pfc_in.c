/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pause frames that come in: which are taken notice of, that none leaves by a port, and for how
 * long which class then waits.
 */
#include <stdlib.h>

#include "ctl/egress.h"
#include "pfc.h"

enum { IN, OUT };

/* Classes 3 and 4 of `out` heed pauses; 5 does not. */
#define IN_YAML                                                                                    \
	PIPE_HEAD "ports:\n" PIPE_PORT("in",                                                       \
		"01") "  - {name: out, device: out, role: longhaul, mac: \"02:00:00:00:00:02\", "  \
		      "mtu: "                                                                      \
		      "1500, rate: %s, distance: 1km, pfc: {classes: [3, 4]}}\n"                   \
		      "classes:\n" PFC_CLASS(3, 24, "lossless: true") PFC_CLASS(                   \
			      4, 32, "lossless: true") PFC_CLASS(5, 40,                            \
			      "limit: 1MB") "groups:\n  - {name: g, members: [{port: out, mac: "   \
					    "\"02:aa:00:00:00:01\"}]}\n"                           \
					    "routes:\n  static: [{prefix: 0.0.0.0/0, group: g}]\n"

static uint8_t frame[2048];

static uint8_t
paused(const struct node_test *t, uint16_t port_idx)
{
	return qos_pause_mask(&t->node->shared.commons[port_idx].pause, t->node->worker[0]->now_ps);
}

/* `len` bytes of `frame` in by a port: dropped for `reason`, gone; and whether class 3 waits. */
static void
expect_consumed(struct node_test *t, uint16_t port_idx, struct rte_mbuf *m, enum drop_reason reason,
	const char *what)
{
	struct egress_commons *commons = &t->node->shared.commons[port_idx];
	uint64_t before = node_test_drops(t, reason), all = node_test_sums(t).dropped;
	uint64_t pfc_in = commons->pfc_in;
	bool honoured = reason == DROP_pfc && port_idx == OUT;

	cr_assert_not_null(m);
	cr_assert(node_test_put_mbuf(t, port_idx, 0, m));
	node_test_run(t);
	cr_assert_eq(node_test_drops(t, reason), before + 1, "%s: not %s", what, drop_name(reason));
	cr_assert_eq(node_test_sums(t).dropped, all + 1, "%s", what);
	cr_assert_eq(node_test_discard(t, IN) + node_test_discard(t, OUT), 0, "%s left", what);
	cr_assert_eq(commons->pfc_in, pfc_in + (reason == DROP_pfc), "%s", what);
	cr_assert_eq(paused(t, port_idx), honoured ? 1 << 3 : 0, "%s", what);
	cr_assert_eq(paused(t, !port_idx), 0, "%s: the other port", what);
	t->ticks += 100 * MS; /* it ends */
	node_test_run(t);
	cr_assert_eq(paused(t, port_idx), 0, "%s: without end", what);
}

static void
expect_at_both(struct node_test *t, size_t len, enum drop_reason reason, const char *what)
{
	for (uint16_t p = IN; p <= OUT; p++)
		expect_consumed(t, p, packet_mbuf(t->node->pool, frame, len), reason, what);
}

static void
write_pause(void)
{
	memset(frame, 0, sizeof(frame));
	pfc_write(frame, 1 << 3, 1000);
}

Test(pfc_in, frames_of_every_shape_end_here_under_the_right_name)
{
	static const uint16_t opcode[] = {0x0000, 0x0001, 0x0002, 0x0100, 0x0102, 0x8101, 0xffff};
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	write_pause();
	expect_at_both(&t, 60, DROP_pfc, "a pause");
	expect_at_both(&t, 64, DROP_pfc, "with its FCS");
	expect_at_both(&t, 1514, DROP_pfc, "padded without need");
	memset(frame + 6, 0, 6);
	expect_at_both(&t, 60, DROP_pfc, "from nobody");
	frame[6] = 1;
	expect_at_both(&t, 60, DROP_mac_control, "from a group");
	write_pause();
	frame[16] = 0xff;
	expect_at_both(&t, 60, DROP_pfc, "reserved bits of the vector");
	memset(frame + 34, 0xff, 26);
	expect_at_both(&t, 60, DROP_pfc, "padding that is not zero");
	for (unsigned int i = 0; i < RTE_DIM(opcode); i++) {
		frame[14] = (uint8_t)(opcode[i] >> 8);
		frame[15] = (uint8_t)opcode[i];
		expect_at_both(&t, 60, DROP_mac_control, "another opcode");
	}
	write_pause();
	memcpy(frame, "\x02\0\0\0\0\x01", 6);
	expect_at_both(&t, 60, DROP_mac_control, "to the MAC of one port");
	memcpy(frame, "\x02\0\0\0\0\x02", 6);
	expect_at_both(&t, 60, DROP_mac_control, "to the MAC of the other");
	memset(frame, 0xff, 6);
	expect_at_both(&t, 60, DROP_mac_control, "to everybody");
	memcpy(frame, pfc_group, 6);
	frame[5] = 0;
	expect_at_both(&t, 60, DROP_mac_control, "to the bridge group");
	frame[5] = 0x0f;
	expect_at_both(&t, 60, DROP_mac_control, "to the last link-local group");
	node_test_close(&t);
}

Test(pfc_in, tagged_frames_are_no_pauses)
{
	static const uint8_t tag[4][2] = {{0x81, 0x00}, {0x88, 0xa8}, {0x91, 0x00}, {0x81, 0x00}};
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	for (unsigned int n = 1; n <= 3; n++) {
		uint8_t rest[64];

		write_pause();
		memcpy(rest, frame + 12, 48);
		for (unsigned int i = 0; i < n; i++) {
			memcpy(frame + 12 + 4 * i, tag[i], 2);
			frame[14 + 4 * i] = 0x60; /* priority 3 */
			frame[15 + 4 * i] = 0;
		}
		memcpy(frame + 12 + 4 * n, rest, 48);
		expect_at_both(&t, 60 + 4 * n, n > 2 ? DROP_vlan_depth : DROP_mac_control, "tags");
	}
	node_test_close(&t);
}

Test(pfc_in, truncated_to_any_length_or_in_pieces_they_end_here)
{
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	write_pause();
	for (size_t len = 1; len <= 60; len++) {
		char what[32];

		snprintf(what, sizeof(what), "%zu bytes", len);
		/* 34 bytes hold all eight times */
		expect_at_both(&t, len,
			len < 14   ? DROP_runt
			: len < 34 ? DROP_mac_control
				   : DROP_pfc,
			what);
	}
	for (size_t seg = 1; seg < 60; seg += 7)
		for (uint16_t p = IN; p <= OUT; p++)
			expect_consumed(&t, p, packet_chain(t.node->pool, frame, 60, seg), DROP_pfc,
				"in segments");
	node_test_close(&t);
}

/* A packet of a class waits at `out` until `ns` from now, to the nanosecond. */
static void
expect_leaves_after(struct node_test *t, uint64_t ns)
{
	uint64_t start = t->ticks;

	if (ns != 0) {
		t->ticks = start + ns - 1;
		node_turn(t->node, t->ticks);
		cr_assert_eq(node_test_discard(t, OUT), 0, "before %lu ns", ns);
		pfc_balance(t);
		t->ticks++;
		node_turn(t->node, t->ticks);
	}
	cr_assert_eq(node_test_discard(t, OUT), 1, "after %lu ns", ns);
}

static void
put_waiting(struct node_test *t, unsigned int class)
{
	pfc_put_data(t, IN, class, 602);
	node_turn(t->node, t->ticks);
}

/* Ticks of the clock until a pause of `quanta` is over. */
static uint64_t
pause_ns(uint16_t quanta, uint64_t rate)
{
	return (quanta * UINT64_C(512) * 1000000000 + rate - 1) / rate;
}

Test(pfc_in, a_class_waits_for_quanta_of_512_bit_times_at_the_rate_of_its_port)
{
	static const struct {
		const char *name;
		uint64_t bps;
	} rate[] = {{"1Gbit", 1000000000}, {"10Gbit", 10000000000}, {"100Gbit", 100000000000}};
	static const uint16_t quanta[] = {1, 2, 1000, 32768, 65535};

	for (unsigned int r = 0; r < RTE_DIM(rate); r++) {
		struct node_test t;

		node_test_open(&t, 128, IN_YAML, rate[r].name);
		for (unsigned int q = 0; q < RTE_DIM(quanta); q++) {
			pfc_put(&t, OUT, 1 << 3, quanta[q]);
			put_waiting(&t, 3);
			expect_leaves_after(&t, pause_ns(quanta[q], rate[r].bps));
			t.ticks += MS; /* the shaper has forgotten it */
		}
		pfc_nothing_held(&t);
		node_test_close(&t);
	}
}

/* A shaper of 1 Gbit/s on a link of 100: quanta are of the link. */
Test(pfc_in, quanta_are_of_the_link_where_its_speed_is_known)
{
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	egress_set_speed(t.node, OUT, 100000000000);
	egress_set_speed(t.node, IN, 100000000000);
	pfc_put(&t, OUT, 1 << 3, 65535);
	put_waiting(&t, 3);
	expect_leaves_after(&t, pause_ns(65535, 100000000000));
	/* and our own are repeated in time */
	cr_assert_eq(t.node->shared.commons[OUT].xoff[3].repeat_ps, 65535 * UINT64_C(5120) / 4);
	cr_assert_eq(t.node->shared.commons[OUT].xoff[5].repeat_ps, 0);
	/* not known: as it was */
	egress_set_speed(t.node, OUT, 0);
	t.ticks += MS;
	pfc_put(&t, OUT, 1 << 3, 65535);
	put_waiting(&t, 3);
	expect_leaves_after(&t, pause_ns(65535, 100000000000));
	node_test_close(&t);
}

static void
expect_said(struct node_test *t, uint64_t bps, const char *want)
{
	t->said[0] = '\0';
	egress_set_speed(t->node, OUT, bps);
	cr_assert_str_eq(t->said, want, "%s", t->said);
}

/* What the file cannot know: packets wait in the device, where no pause holds them. */
Test(pfc_in, a_rate_that_fills_its_link_is_told_of_once)
{
	static const char full[] =
		"port out: its rate of 1Gbit fills its link of 1Gbit, so that packets wait in the "
		"device too, where a neighbour's pause does not hold them; give it `rate: "
		"990Mbit`.\n";
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	expect_said(&t, 0, "");
	expect_said(&t, 1000000000, full);
	expect_said(&t, 1000000000, "");
	expect_said(&t, 0, ""); /* the link is down */
	expect_said(&t, 1000000000, "");
	expect_said(&t, 1000000001, "");
	expect_said(&t, 10000000000, "");
	expect_said(&t, 1000000000, full); /* it is another link now */
	t.said[0] = '\0';
	egress_set_speed(t.node, IN, 1000); /* has no pfc */
	cr_assert_str_empty(t.said);
	node_test_close(&t);
	/* frames of 1518 bytes are 1538 on the wire: 0.987 Gbit/s of them fill a gigabit */
	node_test_open(&t, 128, IN_YAML, "988Mbit, rate_layer: l2");
	expect_said(&t, 1000000000,
		"port out: its rate of 988Mbit (l2) fills its link of 1Gbit, so that packets wait "
		"in the device too, where a neighbour's pause does not hold them; give it `rate: "
		"990Mbit` with `rate_layer: l1`.\n");
	node_test_close(&t);
	node_test_open(&t, 128, IN_YAML, "986Mbit, rate_layer: l2");
	expect_said(&t, 1000000000, "");
	node_test_close(&t);
}

/* 1000 quanta are 512 us at the rate and 5.12 us on the link. */
Test(pfc_in, quanta_that_are_too_few_on_their_link_are_told_of)
{
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	t.conf->port[OUT].pfc.quanta = 1000;
	expect_said(&t, 25000000000, "");
	expect_said(&t, 100000000000,
		"port out: its pauses of 1000 quanta are 5.12 us on its link of 100Gbit, and end "
		"before they are renewed; give its pfc `quanta: 3907` at least.\n");
	node_test_close(&t);
}

/* The same time in quanta of three speeds is the same time inside. */
Test(pfc_in, speed_counts_nowhere_but_where_quanta_become_time)
{
	static const char *const rate[] = {"1Gbit", "10Gbit", "100Gbit"};
	uint16_t quanta = 600;

	for (unsigned int r = 0; r < RTE_DIM(rate); r++, quanta = (uint16_t)(quanta * 10)) {
		struct node_test t;

		node_test_open(&t, 128, IN_YAML, rate[r]);
		t.ticks = 777 * MS;
		pfc_put(&t, OUT, 1 << 4, quanta);
		cr_assert_eq(
			t.node->shared.commons[OUT].pause.until_ps[4] - t.node->worker[0]->now_ps,
			UINT64_C(600) * 512000);
		node_test_close(&t);
	}
}

Test(pfc_in, zero_quanta_resume_and_a_refresh_counts_from_its_arrival)
{
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "1Gbit");
	pfc_put(&t, OUT, 1 << 3, 65535);
	put_waiting(&t, 3);
	t.ticks += 5 * MS;
	pfc_put(&t, OUT, 1 << 3, 0);
	expect_leaves_after(&t, 0);
	/* longer */
	pfc_put(&t, OUT, 1 << 3, 1000);
	put_waiting(&t, 3);
	for (unsigned int i = 0; i < 10; i++) {
		t.ticks += 500 * US;
		pfc_put(&t, OUT, 1 << 3, 1000);
		cr_assert_eq(node_test_discard(&t, OUT), 0);
	}
	expect_leaves_after(&t, 512 * US);
	/* and shorter */
	pfc_put(&t, OUT, 1 << 3, 65535);
	put_waiting(&t, 3);
	pfc_put(&t, OUT, 1 << 3, 10);
	expect_leaves_after(&t, 5120);
	/* resuming what was not paused is nothing */
	pfc_put(&t, OUT, 0xff, 0);
	put_waiting(&t, 3);
	expect_leaves_after(&t, 0);
	node_test_close(&t);
}

Test(pfc_in, only_classes_of_the_vector_that_heed_pauses_wait)
{
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "10Gbit");
	for (unsigned int vector = 0; vector < 256; vector++) {
		uint8_t waits = vector & (1 << 3 | 1 << 4);

		pfc_put(&t, OUT, (uint8_t)vector, 65535);
		cr_assert_eq(paused(&t, OUT), waits);
		for (unsigned int c = 3; c <= 5; c++) {
			put_waiting(&t, c);
			cr_assert_eq(node_test_discard(&t, OUT), !(waits >> c & 1),
				"vector %02x class %u", vector, c);
		}
		cr_assert_eq(node_waiting(t.node), (unsigned int)__builtin_popcount(waits));
		pfc_balance(&t);
		pfc_put(&t, OUT, 0xff, 0);
		cr_assert_eq(node_test_discard(&t, OUT), (unsigned int)__builtin_popcount(waits));
		t.ticks += 100 * US;
	}
	/* each class its own time */
	pfc_write(frame, 1 << 3 | 1 << 4, 1000);
	frame[18 + 2 * 4] = 0;
	frame[19 + 2 * 4] = 100;
	cr_assert(node_test_put(&t, OUT, frame, PFC_TEST_LEN));
	node_turn(t.node, t.ticks);
	put_waiting(&t, 3);
	put_waiting(&t, 4);
	expect_leaves_after(&t, 5120);
	expect_leaves_after(&t, 51200 - 5120);
	node_test_close(&t);
}

/* By the port that it came in by; what came by another is not held back. */
Test(pfc_in, a_pause_is_of_its_port_alone)
{
	struct node_test t;

	node_test_open(&t, 128, IN_YAML, "10Gbit");
	pfc_put(&t, IN, 0xff, 65535);
	for (unsigned int c = 3; c <= 5; c++) {
		put_waiting(&t, c);
		cr_assert_eq(node_test_discard(&t, OUT), 1);
	}
	cr_assert_eq(t.node->shared.commons[IN].pfc_in, 1);
	cr_assert_eq(t.node->shared.commons[OUT].pfc_in, 0);
	node_test_close(&t);
}
