/* SPDX-License-Identifier: BSD-3-Clause */
/* What of queues is allowed and probably not meant. */
#include "conf_test.h"

#define TO_G0                                                                                      \
	"groups: [{name: g0, members: [" WAY                                                       \
	"]}]\nroutes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n"
#define LONG(keys) HEAD "ports:\n  - {name: p0, device: d0, role: longhaul, " keys "}\n"
#define LOSSLESS   "classes: [{class: 3, name: rdma, lossless: true}]\n"

Test(warn_queue, says_nothing_of_what_is_meant)
{
	expect_warnings(LONG("ecn: off") TO_G0, "");
	expect_warnings(LONG("rate: 1Gbit, delay: 5ms") TO_G0, "");
	expect_warnings(PORT("rate: 1Gbit, pfc: {classes: [3]}") LOSSLESS TO_G0, "");
	expect_warnings(PORT("distance: 100m") TO_G0, "");
	expect_warnings(LONG("rate: 100Gbit, distance: 80km, ecn: auto, pfc: {classes: [3]}")
				LOSSLESS TO_G0,
		"");
	expect_warnings(LONG("rate: 1Gbit, distance: 80km") "classes: [{class: 3, name: c, ecn: "
							    "auto}]\n" TO_G0,
		"");
}

Test(warn_queue, names_distances_and_layers_without_a_rate)
{
	expect_warnings(LONG("distance: 80km") TO_G0,
		"4:5: ports.p0.distance: got it without a rate, want `rate:` beside it: as it is, "
		"nothing is computed from it");
	expect_warnings(LONG("rate_layer: l2") TO_G0,
		"4:5: ports.p0.rate_layer: got it without a rate, want both");
}

Test(warn_queue, names_lossless_classes_that_no_port_pauses)
{
	expect_warnings(PORT("rate: 1Gbit") LOSSLESS TO_G0,
		"5:11: classes.rdma.lossless: got a lossless class that no port pauses, want it in "
		"a port's pfc: as it is, it drops at its limit like any other");
}

Test(warn_queue, names_automatic_classes_without_figures)
{
	expect_warnings(PORT("rate: 1Gbit") "classes: [{class: 3, name: c, ecn: auto}]\n" TO_G0,
		"5:36: classes.c.ecn: got auto, and no port whose rate and distance give it "
		"figures, want `rate` and `distance` at a port: as it is, nothing is marked");
	expect_warnings(PORT("mtu: 1500") "classes: [{class: 3, name: c, ecn: phantom}]\n" TO_G0,
		"5:36: classes.c.ecn: got phantom, and no port whose rate and distance give it "
		"figures, want `rate` and `distance` at a port: as it is, nothing is marked");
}

Test(warn_queue, names_headroom_and_thresholds_that_are_short)
{
	expect_warnings(LONG("rate: 100Gbit, distance: 80km, pfc: {classes: [3], headroom: 5MB, "
			     "xoff: 5MB}") LOSSLESS TO_G0,
		"4:80: ports.p0.pfc.headroom: got 5MB, want 11.253 MB (auto): as it is, packets "
		"that are on their way when the port says XOFF may find no room\n"
		"4:80: ports.p0.pfc.xon: got 4996924B, want a round trip's 2 x 80km x 5 ns/m x "
		"100Gbit/s = 10 MB: as it is, the way out may run dry before the neighbour's first "
		"packet comes");
}

Test(warn_queue, names_pauses_that_a_loop_cannot_renew_in_time)
{
	expect_warnings(LONG("rate: 100Gbit, distance: 1km, pfc: {classes: [3], quanta: 10000}")
				LOSSLESS TO_G0,
		"4:79: ports.p0.pfc.quanta: got a pause of 51.2 us, want 200us: as it is, it may "
		"run out before softbag comes round to renew it");
	expect_warnings(LONG("rate: 400Gbit, distance: 1km, pfc: {classes: [3]}") LOSSLESS TO_G0,
		"4:79: ports.p0.pfc.quanta: got a pause of 83.884 us, want 200us: as it is, it may "
		"run out before softbag comes round to renew it; only `mode: hardware` is as fast "
		"as this rate");
	expect_warnings(LONG("rate: 400Gbit, distance: 1km, pfc: {classes: [3], mode: hardware}")
				LOSSLESS TO_G0,
		"");
	expect_warnings(
		LONG("rate: 160Gbit, distance: 1km, pfc: {classes: [3]}") LOSSLESS TO_G0, "");
}
