/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of queues at one port: notations, what needs what, and what auto comes to. */
#include "conf/headroom.h"
#include "conf_test.h"

#define LOSSLESS "classes: [{class: 3, name: rdma, lossless: true}]\n"
#define WANT_ECN "want auto, phantom, off or a mapping"

Test(queue_port, rates_distances_and_delays_have_units_and_limits)
{
	static const struct row rows[] = {
		{PORT("rate: 1Mbit"), ""},
		{PORT("rate: 800Gbit"), ""},
		{PORT("rate: 2.5Gbit, rate_layer: l1"), ""},
		{PORT("rate: 1Gbit, rate_layer: l2"), ""},
		{PORT("rate: 999kbit"), "4:45: ports.p0.rate: got 999kbit, want a bit rate from "
					"1Mbit to 800Gbit"},
		{PORT("rate: 801Gbit"), "4:45: ports.p0.rate: got 801Gbit, want a bit rate from "
					"1Mbit to 800Gbit"},
		{PORT("rate: 10Gbps"), "4:45: ports.p0.rate: got 10Gbps, want a bit rate from "
				       "1Mbit to 800Gbit (write 10Gbit)"},
		{PORT("rate: 10"), "4:45: ports.p0.rate: got 10, want a bit rate from 1Mbit to "
				   "800Gbit (with its unit, such as 10Gbit)"},
		{PORT("rate: 1Gbit, rate_layer: l3"),
			"4:64: ports.p0.rate_layer: got l3, want l1 or l2"},
		{PORT("distance: 0.5km"), ""},
		{PORT("distance: 20000km"), ""},
		{PORT("distance: 0m"), "4:49: ports.p0.distance: got 0m, want a distance from 1m "
				       "to 20000km"},
		{PORT("distance: 20001km"), "4:49: ports.p0.distance: got 20001km, want a distance "
					    "from 1m to 20000km"},
		{PORT("distance: 0.0001km"), "4:49: ports.p0.distance: got 0.0001km, want a "
					     "distance from 1m to 20000km (finer than 1m)"},
		{PORT("rate: 1Gbit, delay: 5ms"), ""},
		{PORT("rate: 1Gbit, delay: 1s"), ""},
		{PORT("rate: 1Gbit, delay: 2s"), "4:59: ports.p0.delay: got 2s, want off, emulate "
						 "or a time from 1ns to 1s"},
		{PORT("delay: off"), ""},
		{PORT("delay: \"off\""), ""},
		{PORT("delay: false"), "4:46: ports.p0.delay: got false, want off, emulate or a "
				       "time from 1ns to 1s (write \"off\")"},
		{PORT("delay: Off"), "4:46: ports.p0.delay: got Off, want off, emulate or a time "
				     "from 1ns to 1s (write \"off\")"},
		{PORT("delay: 0"), "4:46: ports.p0.delay: got 0, want off, emulate or a time from "
				   "1ns to 1s (write \"off\")"},
		{PORT("delay: 5"), "4:46: ports.p0.delay: got 5, want off, emulate or a time from "
				   "1ns to 1s (with its unit, such as 5ms)"},
	};

	EXPECT_ROWS(rows);
}

#define NO_RATE                                                                                    \
	"want `rate:` beside it: the delay line takes rate x delay of memory, which has no bound " \
	"without one"

Test(queue_port, delays_need_a_rate_and_emulation_a_distance)
{
	static const struct row rows[] = {
		{PORT("rate: 1Gbit, distance: 80km, delay: emulate"), ""},
		{PORT("rate: 1Gbit, delay: emulate"),
			"4:59: ports.p0.delay: got emulate on a port without a distance, want "
			"`distance:` beside it, such as 80km"},
		{PORT("delay: 5ms"),
			"4:46: ports.p0.delay: got a delay on a port without a rate, " NO_RATE},
		{PORT("distance: 80km, delay: emulate"),
			"4:62: ports.p0.delay: got a delay on a port without a rate, " NO_RATE},
		{PORT("distance: 80, rate: 1Gbit, delay: emulate"), /* one error, not two */
			"4:49: ports.p0.distance: got 80, want a distance from 1m to 20000km (with "
			"its unit, such as 80km)"},
		{PORT("rate: 1, delay: 5ms"), "4:45: ports.p0.rate: got 1, want a bit rate from "
					      "1Mbit to 800Gbit (with its unit, such as 1Gbit)"},
		{PORT("impair: {jitter: 10us}"),
			"4:47: ports.p0.impair: got jitter on a port without a rate, want `rate:` "
			"beside it: packets that wait take rate x time of memory, which has no "
			"bound without one"},
		{PORT("impair: {reorder: 1%}"),
			"4:47: ports.p0.impair: got reordering on a port without a rate, want "
			"`rate:` beside it: packets that wait take rate x time of memory, which "
			"has no bound without one"},
	};

	EXPECT_ROWS(rows);
}

Test(queue_port, ecn_is_a_word_or_a_mapping)
{
	static const struct row rows[] = {
		{PORT("ecn: \"off\""), ""},
		{PORT("ecn: off"), ""},
		{PORT("rate: 1Gbit, distance: 1km, ecn: auto"), ""},
		{PORT("rate: 1Gbit, ecn: phantom"), ""},
		{PORT("ecn: {kmin: 100KB, kmax: 400KB, pmax: 20%}"), ""},
		{PORT("ecn: {kmin: 100KB, kmax: 100KB, pmax: 100%}"), ""},
		{PORT("ecn: {mode: off}"), ""},
		{PORT("rate: 1Gbit, ecn: {mode: phantom, drain: 90%, control: true}"), ""},
		{PORT("ecn: on"), "4:44: ports.p0.ecn: got on, " WANT_ECN},
		{PORT("ecn: no"), "4:44: ports.p0.ecn: got no, " WANT_ECN " (write \"off\")"},
		{PORT("ecn: "), "4:44: ports.p0.ecn: got nothing, " WANT_ECN},
		{PORT("ecn: [auto]"), "4:44: ports.p0.ecn: got a list, " WANT_ECN},
		{PORT("ecn: {kmin: 1KB, kmix: 2KB, kmax: 2KB, pmax: 1%}"),
			"4:56: ports.p0.ecn.kmix: got an unknown key, want kmin (the nearest known "
			"one)"},
	};

	EXPECT_ROWS(rows);
}

Test(queue_port, ecn_figures_belong_together)
{
	static const struct row rows[] = {
		{PORT("ecn: {kmin: 400KB, kmax: 100KB, pmax: 20%}"),
			"4:51: ports.p0.ecn.kmin: got 400KB, want at most kmax, which is 100KB"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 0%}"),
			"4:73: ports.p0.ecn.pmax: got 0%, want a part from 1ppm to 100%"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 101%}"),
			"4:73: ports.p0.ecn.pmax: got 101%, want a part from 1ppm to 100%"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 0.00001%}"),
			"4:73: ports.p0.ecn.pmax: got 0.00001%, want a part from 1ppm to 100%"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 1.00001%}"),
			"4:73: ports.p0.ecn.pmax: got 1.00001%, want a part from 1ppm to 100% "
			"(finer than 1ppm)"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB}"),
			"4:44: ports.p0.ecn.pmax: got nothing, want kmin, kmax and pmax (or `mode: "
			"auto`)"},
		{PORT("rate: 1Gbit, distance: 1km, ecn: {mode: auto, kmin: 1KB}"),
			"4:91: ports.p0.ecn.kmin: got a figure beside `mode: auto`, which computes "
			"it, want `mode: red` or no figure"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 1%, drain: 90%}"),
			"4:84: ports.p0.ecn.drain: got it without `mode: phantom`, whose virtual "
			"queue it is for, want both"},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 1%, drop: {kmin: 1KB, kmax: 2KB, pmax: "
		      "1%}}"),
			""},
		{PORT("ecn: {kmin: 3KB, kmax: 4KB, pmax: 1%, drop: {kmin: 1KB, kmax: 2KB, pmax: "
		      "1%}}"),
			"4:44: ports.p0.ecn.kmin: got 3KB for marking, which is above the drop "
			"curve's kmin of 1KB, want marks before drops\n"
			"4:44: ports.p0.ecn.kmax: got 4KB for marking, which is above the drop "
			"curve's kmax of 2KB, want marks before drops"},
		{PORT("ecn: {kmin: 1KB, kmax: 4KB, pmax: 1%, drop: {kmin: 6KB, kmax: 5KB, pmax: "
		      "1%}}"),
			"4:90: ports.p0.ecn.drop.kmin: got 6KB, want at most kmax, which is 5KB"},
		{PORT("ecn: {kmin: 1KB, kmax: 4KB, pmax: 1%, drop: {kmin: 6KB, kmax: 7KB}}"),
			"4:83: ports.p0.ecn.drop.pmax: got nothing, want a part from 1ppm to 100% "
			"(the key is required)"},
		{PORT("rate: 100Gbit, distance: 80km, ecn: {mode: auto, drop: {kmin: 1MB, kmax: "
		      "3MB, pmax: 1%}}"),
			"4:75: ports.p0.ecn.kmin: got 1100KB for marking, which is above the drop "
			"curve's kmin of 1MB, want marks before drops"},
	};

	EXPECT_ROWS(rows);
}

#define BOTH "want both beside it, such as `rate: 100Gbit, distance: 80km` (or kmin, kmax and pmax)"

Test(queue_port, automatic_marking_needs_rate_and_distance)
{
	static const struct row rows[] = {
		{PORT("ecn: auto"), "4:44: ports.p0.ecn: got auto on a port without a rate and a "
				    "distance, " BOTH},
		{PORT("distance: 80km, ecn: auto"), "4:60: ports.p0.ecn: got auto on a port "
						    "without a rate, want `rate:` beside "
						    "it, such as 100Gbit"},
		{PORT("rate: 1Gbit, ecn: auto"),
			"4:57: ports.p0.ecn: got auto on a port without a distance, want "
			"`distance:` beside it, such as 80km (or kmin, kmax and pmax)"},
		{PORT("rate: 1Gbit, delay: off, ecn: auto"),
			"4:69: ports.p0.ecn: got auto on a port without a distance, want "
			"`distance:` beside it, such as 80km (or kmin, kmax and pmax)"},
		{PORT("rate: 1Gbit, delay: 5ms, ecn: auto"), ""},
		{PORT("ecn: phantom"), "4:44: ports.p0.ecn: got phantom on a port without a rate, "
				       "want `rate:` beside it, such as 100Gbit"},
		{PORT("ecn: {mode: phantom, kmin: 1KB, kmax: 2KB, pmax: 1%}"),
			"4:44: ports.p0.ecn: got phantom on a port without a rate, want `rate:` "
			"beside it, such as 100Gbit"},
		{PORT("ecn_by_class: [{class: 3, ecn: auto}]"),
			"4:70: ports.p0.ecn_by_class: got auto on a port without a rate and a "
			"distance, " BOTH},
		{PORT("ecn_by_class: [{class: 3, ecn: off}, {class: 3, ecn: off}]"),
			"4:84: ports.p0.ecn_by_class[1].class: got 3, which line 4 has, want each "
			"class once"},
		{PORT("ecn_by_class: [{class: 8, ecn: off}, {class: 3}]"),
			"4:62: ports.p0.ecn_by_class[0].class: got 8, want a number from 0 to 7\n"
			"4:76: ports.p0.ecn_by_class[1].ecn: got nothing, " WANT_ECN
			" (the key is required)"},
	};

	EXPECT_ROWS(rows);
}

Test(queue_port, pfc_has_classes_and_a_rate)
{
	static const struct row rows[] = {
		{PORT("rate: 1Gbit, pfc: {classes: [3]}") LOSSLESS, ""},
		{PORT("rate: 1Gbit, pfc: {classes: [3], headroom: auto, xoff: auto, xon: auto, "
		      "quanta: 264, mode: software, watchdog: {action: \"off\"}}") LOSSLESS,
			""},
		{PORT("rate: 1Gbit, pfc: {classes: [3], watchdog: off}") LOSSLESS, ""},
		{PORT("rate: 1Gbit, pfc: {}"),
			"4:57: ports.p0.pfc.classes: got nothing, want a list of 0, 1, 2, 3, 4, 5, "
			"6, 7 (the key is required)"},
		{PORT("rate: 1Gbit, pfc: {classes: [8]}"),
			"4:68: ports.p0.pfc.classes[0]: got 8, want 0, 1, 2, 3, 4, 5, 6 or 7"},
		{PORT("rate: 1Gbit, pfc: {classes: []}"),
			"4:67: ports.p0.pfc.classes: got 0 items, want a list of 0, 1, 2, 3, 4, 5, "
			"6, 7"},
		{PORT("pfc: {classes: [3]}") LOSSLESS,
			"4:44: ports.p0.pfc: got pfc on a port without a rate, want `rate:` beside "
			"it, such as 100Gbit: headroom and thresholds are made of it"},
		{PORT("pfc: 3"), "4:44: ports.p0.pfc: got 3, want a mapping"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], xoff: 10KB, xon: 10KB}") LOSSLESS,
			"4:89: ports.p0.pfc.xon: got 10KB, want less than xoff, which is 10KB"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], headroom: 1}") LOSSLESS,
			"4:82: ports.p0.pfc.headroom: got 1, want auto or a size from 0MB to 1TB "
			"(with its unit, such as 1MB)"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], quanta: 263}") LOSSLESS,
			"4:80: ports.p0.pfc.quanta: got 263, want 264 at least at 1Gbit (a pause "
			"of 135.168 us): shorter ones would be renewed so often that they fill the "
			"line"},
		{PORT("rate: 100Gbit, pfc: {classes: [3], quanta: 3906}") LOSSLESS,
			"4:82: ports.p0.pfc.quanta: got 3906, want 3907 at least at 100Gbit (a "
			"pause of 20.003 us): shorter ones would be renewed so often that they "
			"fill the line"},
		{PORT("rate: 100Gbit, pfc: {classes: [3], quanta: 3907}") LOSSLESS, ""},
		{PORT("rate: 1Gbit, pfc: {classes: [3], quanta: 1, mode: hardware}") LOSSLESS, ""},
		{PORT("pfc: {classes: [3], quanta: 1}") LOSSLESS,
			"4:44: ports.p0.pfc: got pfc on a port without a rate, want `rate:` beside "
			"it, such as 100Gbit: headroom and thresholds are made of it"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], quanta: 65536}") LOSSLESS,
			"4:80: ports.p0.pfc.quanta: got 65536, want a number from 1 to 65535"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], watchdog: on}") LOSSLESS,
			"4:82: ports.p0.pfc.watchdog: got on, want off or a mapping"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], watchdog: {detect: 1500us}}") LOSSLESS,
			"4:91: ports.p0.pfc.watchdog.detect: got 1500us, want a time from 1ms to "
			"60s (finer than 1ms)"},
	};

	EXPECT_ROWS(rows);
}

Test(queue_port, impairments_are_of_a_direction)
{
	static const struct row rows[] = {
		{PORT("impair: {loss: 0.1%, corrupt: 1ppm, duplicate: 1%, seed: 1}"), ""},
		{PORT("impair: {in: {loss: 100%}, out: {loss: 0%}}"), ""},
		{PORT("rate: 1Gbit, impair: {jitter: 10us, reorder: 1%, reorder_delay: 1ms}"), ""},
		{PORT("impair: {loss: 101%}"),
			"4:54: ports.p0.impair.loss: got 101%, want a part from 0% to 100%"},
		{PORT("impair: {loss: 0.1}"), "4:54: ports.p0.impair.loss: got 0.1, want a part "
					      "from 0% to 100% (with its unit, such as 0.1%)"},
		{PORT("impair: {seed: 0}"), "4:54: ports.p0.impair.seed: got 0, want a number from "
					    "1 to 18446744073709551615"},
		{PORT("impair: {loss: 1%, in: {loss: 1%}}"),
			"4:54: ports.p0.impair.loss: got it beside `in` or `out`, want it under "
			"one of them"},
		{PORT("impair: {in: {jitter: 10us}}"),
			"4:61: ports.p0.impair.in.jitter: got a key that does not belong here, "
			"want "
			"it under `out`: it takes the delay line, which stands at the way out "
			"(impair the neighbour's way out instead)"},
		{PORT("impair: {in: {reorder: 1%}}"),
			"4:62: ports.p0.impair.in.reorder: got a key that does not belong here, "
			"want it under `out`: it takes the delay line, which stands at the way out "
			"(impair the neighbour's way out instead)"},
	};

	EXPECT_ROWS(rows);
}

Test(queue_port, dscps_are_mapped_and_rewritten_once)
{
	static const struct row rows[] = {
		{PORT("dscp_map: [{dscp: [24-31], class: 3}, {dscp: 0, class: 7}]"), ""},
		{PORT("dscp_rewrite: [{dscp: 24, to: 26}, {dscp: [0, 2-4], to: 63}]"), ""},
		{PORT("dscp_map: [{dscp: [24-31], class: 3}, {dscp: 30, class: 4}]"),
			"4:84: ports.p0.dscp_map[1].dscp: got DSCP 30 again, want each once"},
		{PORT("dscp_rewrite: [{dscp: 1, to: 2}, {dscp: 1, to: 2}]"),
			"4:79: ports.p0.dscp_rewrite[1].dscp: got DSCP 1 again, want each once"},
		{PORT("dscp_rewrite: [{dscp: 64, to: 64}]"),
			"4:61: ports.p0.dscp_rewrite[0].dscp: got 64, want a DSCP or a range of "
			"them from 0 to 63 (plain decimal, at most 63)\n"
			"4:69: ports.p0.dscp_rewrite[0].to: got 64, want a number from 0 to 63"},
		{PORT("dscp_map: [{dscp: {a: 1}, class: 8}]"),
			"4:57: ports.p0.dscp_map[0].dscp: got a mapping, want a DSCP, a range or a "
			"list of DSCPs from 0 to 63 such as [24-31, 48]\n"
			"4:72: ports.p0.dscp_map[0].class: got 8, want a number from 0 to 7"},
	};

	EXPECT_ROWS(rows);
}

Test(queue_port, automatic_pauses_come_from_the_ports_own_line)
{
	struct parsed p = good(PORT("rate: 100Gbit, distance: 80km, pfc: {classes: [3]}") LOSSLESS);
	const struct conf_pfc *f = &p.c->port[0].pfc;

	cr_expect(f->headroom_auto);
	cr_expect_eq(f->headroom, 11253140);
	cr_expect_eq(f->xon, 10003076);
	cr_expect_eq(f->xoff, 10006152);
	cr_expect_eq(f->quanta, 65535);
	cr_expect_not(f->hardware);
	cr_expect_eq(f->storm, CONF_STORM_DROP);
	cr_expect_eq(f->detect_ms, 200);
	cr_expect_eq(f->restore_ms, 200);
	cr_expect_eq(f->classes, 8);
	parsed_fini(&p);
}

Test(queue_port, one_given_threshold_moves_the_other)
{
	struct parsed p = good(PORT("rate: 1Gbit, pfc: {classes: [3], xoff: 1MB}") LOSSLESS);

	cr_expect_eq(p.c->port[0].pfc.xon, 1000000 - 3076);
	parsed_fini(&p);
	p = good(PORT("rate: 1Gbit, pfc: {classes: [3], xoff: 4KB}") LOSSLESS);
	cr_expect_eq(p.c->port[0].pfc.xon, 2000);
	parsed_fini(&p);
	p = good(PORT("rate: 1Gbit, pfc: {classes: [3], xon: 1MB}") LOSSLESS);
	cr_expect_eq(p.c->port[0].pfc.xoff, 1000000 + 3076);
	parsed_fini(&p);
	p = good(PORT("rate: 1Gbit, pfc: {classes: [3], watchdog: off, headroom: 0B}") LOSSLESS);
	cr_expect_eq(p.c->port[0].pfc.storm, CONF_STORM_OFF);
	cr_expect_eq(p.c->port[0].pfc.headroom, 0);
	cr_expect_not(p.c->port[0].pfc.headroom_auto);
	parsed_fini(&p);
}

Test(queue_port, impairments_stand_at_the_way_out_unless_said)
{
	struct parsed p = good(PORT("impair: {loss: 1%}"));

	cr_expect_eq(p.c->port[0].impair_out.loss_ppb, 10000000);
	cr_expect_eq(p.c->port[0].impair_out.pos.line, 4);
	cr_expect_eq(p.c->port[0].impair_out.reorder_ns, 100000);
	cr_expect_neq(p.c->port[0].impair_out.seed, 0);
	cr_expect_eq(p.c->port[0].impair_in.pos.line, 0);
	parsed_fini(&p);
	p = good(PORT("impair: {in: {loss: 1%}}"));
	cr_expect_eq(p.c->port[0].impair_in.loss_ppb, 10000000);
	cr_expect_eq(p.c->port[0].impair_out.pos.line, 0);
	parsed_fini(&p);
}

Test(queue_port, seeds_differ_by_node_port_and_direction)
{
	static const char yaml[] = "ports: [{name: a, device: a, role: nsf, impair: {in: {}, out: "
				   "{}}}, {name: b, device: b, role: nsf, impair: {in: {}, out: "
				   "{}}}]\n";
	uint64_t seed[8];
	size_t n = 0;

	for (unsigned int id = 1; id <= 2; id++) {
		char text[512];
		struct parsed p;

		snprintf(text, sizeof(text), "version: 1\nnode: {name: a, id: %u}\n%s", id, yaml);
		p = good(text);
		for (size_t i = 0; i < 2; i++) {
			seed[n++] = p.c->port[i].impair_in.seed;
			seed[n++] = p.c->port[i].impair_out.seed;
		}
		parsed_fini(&p);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			cr_expect_neq(seed[i], seed[j]);
}

Test(queue_port, phantom_marks_by_distance_or_else_by_rate)
{
	struct parsed p = good(PORT("rate: 100Gbit, distance: 80km, ecn: phantom"));

	cr_expect_eq(p.c->port[0].ecn.mode, CONF_ECN_PHANTOM);
	cr_expect_eq(p.c->port[0].ecn.mark.kmin, 1100000);
	cr_expect_eq(p.c->port[0].ecn.phantom_permille, 950);
	parsed_fini(&p);
	p = good(PORT("rate: 100Gbit, ecn: phantom"));
	cr_expect_eq(p.c->port[0].ecn.mark.kmin, 400000);
	cr_expect_eq(p.c->port[0].ecn.mark.pmax_ppm, 200000);
	parsed_fini(&p);
}
