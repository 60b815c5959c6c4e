/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of long lines, against figures worked out by hand. */
#include "conf/headroom.h"
#include "conf_test.h"

#define GBIT UINT64_C(1000000000)
#define KM   UINT64_C(1000)

static struct conf_port
line(uint64_t gbit, uint64_t km)
{
	return (struct conf_port){.rate_bps = gbit * GBIT, .distance_m = km * KM, .mtu = 1500};
}

/* 1.25 bytes a metre and Gbit/s; two frames of 1538, a pause of 64; 12,500 bytes a Gbit/s. */
Test(headroom, agrees_with_figures_by_hand)
{
	static const struct {
		uint64_t gbit, km, one_way_ns, bdp, headroom, xon;
	} rows[] = {
		{10, 1, 5000, 12500, 12500 + 3076 + 64 + 125000, 100000},
		{100, 1, 5000, 125000, 125000 + 3140 + 1250000, 128076},
		{400, 1, 5000, 500000, 500000 + 3140 + 5000000, 503076},
		{10, 10, 50000, 125000, 253140, 128076},
		{100, 10, 50000, 1250000, 2503140, 1253076},
		{400, 10, 50000, 5000000, 10003140, 5003076},
		{10, 80, 400000, 1000000, 1128140, 1003076},
		{100, 80, 400000, 10000000, 11253140, 10003076},
		{400, 80, 400000, 40000000, 45003140, 40003076},
		{10, 1000, 5000000, 12500000, 12628140, 12503076},
		{100, 1000, 5000000, 125000000, 126253140, 125003076},
		{400, 1000, 5000000, 500000000, 505003140, 500003076},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct conf_port p = line(rows[i].gbit, rows[i].km);

		cr_expect_eq(conf_one_way_ns(&p), rows[i].one_way_ns, "row %zu", i);
		cr_expect_eq(conf_round_trip_ns(&p), 2 * rows[i].one_way_ns, "row %zu", i);
		cr_expect_eq(conf_bdp_bytes(&p), rows[i].bdp, "row %zu", i);
		cr_expect_eq(conf_headroom(&p).sum, rows[i].headroom, "row %zu", i);
		cr_expect_eq(conf_xon_auto(&p), rows[i].xon, "row %zu", i);
		cr_expect_eq(conf_xoff_auto(rows[i].xon, &p), rows[i].xon + 3076, "row %zu", i);
	}
}

Test(headroom, counts_the_largest_frame_of_the_port)
{
	struct conf_port p = line(100, 80);

	p.mtu = 9000;
	cr_expect_eq(conf_frame_bytes(&p), 9038);
	cr_expect_eq(conf_headroom(&p).frames, 18076);
	cr_expect_eq(conf_headroom(&p).sum, 10000000 + 18076 + 64 + 1250000);
}

Test(headroom, without_distance_is_frames_and_response)
{
	struct conf_port p = line(100, 0);

	cr_expect_eq(conf_bdp_bytes(&p), 0);
	cr_expect_eq(conf_headroom(&p).sum, 1253140);
	cr_expect_eq(conf_xon_auto(&p), 100000);
}

Test(headroom, bytes_round_up_and_do_not_wrap)
{
	cr_expect_eq(conf_bytes(8, 1000000000), 1);
	cr_expect_eq(conf_bytes(8, 1000000001), 2);
	cr_expect_eq(conf_bytes(8, 1), 1);
	cr_expect_eq(conf_bytes(0, 1000), 0);
	cr_expect_eq(conf_bytes(800 * GBIT, 10 * GBIT), UINT64_C(1000000000000));
	cr_expect_eq(conf_bytes(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

/* An emulated delay is the fibre; a fixed one comes on top of it. */
Test(headroom, delay_counts_once)
{
	struct conf_port p = line(100, 80);

	p.delay_emulate = true;
	p.delay_ns = 400000;
	cr_expect_eq(conf_one_way_ns(&p), 400000);
	p.delay_emulate = false;
	p.delay_ns = 5000000;
	cr_expect_eq(conf_one_way_ns(&p), 5400000);
	p.distance_m = 0;
	cr_expect_eq(conf_one_way_ns(&p), 5000000);
	cr_expect_eq(conf_bdp_bytes(&p), 125000000);
}

/* Azure, NSDI 2023: 40 Gbit/s and an RTT of 1.77 ms go with 1 MB, 2 MB, 5 %. */
Test(headroom, automatic_marking_follows_the_bdp)
{
	struct conf_port azure = line(40, 177), p = line(100, 80), near = line(10, 1);
	struct conf_curve c = conf_auto_curve(&azure);

	cr_expect_eq(conf_bdp_bytes(&azure), 8850000);
	cr_expect(c.kmin > 950000 && c.kmin < 1050000);
	cr_expect(c.kmax > 1950000 && c.kmax < 2050000);
	cr_expect_eq(c.pmax_ppm, 50000);
	c = conf_auto_curve(&p);
	cr_expect_eq(c.kmin, 1100000);
	cr_expect_eq(c.kmax, 2300000);
	c = conf_auto_curve(&near); /* 0.11 of 12,500 is less than a frame */
	cr_expect_eq(c.kmin, 2 * 1538);
	cr_expect_eq(c.kmax, 4 * 1538);
}

Test(headroom, automatic_marking_without_distance_follows_the_rate)
{
	struct conf_port p = line(100, 0);
	struct conf_curve c = conf_auto_curve(&p);

	cr_expect_eq(c.kmin, 400000);
	cr_expect_eq(c.kmax, 1600000);
	cr_expect_eq(c.pmax_ppm, 200000);
}

Test(headroom, curves_keep_their_shape_within_a_limit)
{
	struct conf_curve c = {.kmin = 1100, .kmax = 2300, .pmax_ppm = 50000};

	cr_expect_eq(conf_curve_within(c, 2300).kmin, 1100);
	cr_expect_eq(conf_curve_within(c, 230).kmin, 110);
	cr_expect_eq(conf_curve_within(c, 230).kmax, 230);
	cr_expect_eq(conf_curve_within(c, 230).pmax_ppm, 50000);
}

Test(headroom, delay_line_holds_the_rate_for_the_time)
{
	struct conf_port p = line(10, 0);

	cr_expect_eq(conf_delay_line_bytes(&p), 0);
	p.delay_ns = 50000000;
	cr_expect_eq(conf_delay_line_bytes(&p), 62500000);
	p.impair_out.jitter_ns = 1000000;
	cr_expect_eq(conf_delay_line_bytes(&p), 63750000);
	p.impair_out.reorder_ns = 100000; /* nothing is reordered */
	cr_expect_eq(conf_delay_line_bytes(&p), 63750000);
	p.impair_out.reorder_ppb = 1;
	cr_expect_eq(conf_delay_line_bytes(&p), 63875000);
}

/* 65,535 quanta: 335 us at 100, 84 at 400, 42 at 800 Gbit/s. */
Test(headroom, pauses_last_as_long_as_the_rate_says)
{
	struct conf_port p = line(100, 0);

	p.pfc.quanta = 65535;
	cr_expect_eq(conf_pause_ns(&p), 335539);
	p.rate_bps = 400 * GBIT;
	cr_expect_eq(conf_pause_ns(&p), 83884);
	p.rate_bps = 800 * GBIT;
	cr_expect_eq(conf_pause_ns(&p), 41942);
	p.rate_bps = 0;
	cr_expect_eq(conf_pause_ns(&p), 0);
}

/* 20 us, and two times 132 quanta where that is longer. */
Test(headroom, quanta_are_enough_to_be_renewed_by_their_half)
{
	cr_expect_eq(conf_quanta_least(10000000), 264);
	cr_expect_eq(conf_quanta_least(1 * GBIT), 264);
	cr_expect_eq(conf_quanta_least(10 * GBIT), 391);
	cr_expect_eq(conf_quanta_least(100 * GBIT), 3907);
	cr_expect_eq(conf_quanta_least(800 * GBIT), 31250);
	cr_expect_geq(conf_quanta_ns(391, 10 * GBIT), 20000);
	cr_expect_lt(conf_quanta_ns(390, 10 * GBIT), 20000);
	cr_expect_eq(conf_quanta_ns(31250, 800 * GBIT), 20000);
}
