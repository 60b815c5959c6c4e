/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports and classes together: precedence, limits, and buffers that have to hold. */
#include "conf_test.h"

#define PFC80 "rate: 100Gbit, distance: 80km, pfc: {classes: [3]}"
#define NEED80                                                                                     \
	"2 x 80km x 5 ns/m x 100Gbit/s = 10 MB, 2 x (1500 + 38) B + 64 B = 3.14 KB, response 100 " \
	"us x 100Gbit/s = 1.25 MB; headroom 11.253 MB + xoff 10.006 MB = 21.259 MB"

Test(check_queue, classes_have_limits_and_schedulers)
{
	static const struct row rows[] = {
		{CLASS("limit: 10KB"), ""},
		{CLASS("limit: 9999B"),
			"5:32: classes.c.limit: got 9999B, want a size from 10KB to 1TB"},
		{CLASS("scheduler: strict"), ""},
		{CLASS("scheduler: {dwrr: 255}"), ""},
		{CLASS("scheduler: {dwrr: 0}"),
			"5:43: classes.c.scheduler.dwrr: got 0, want a number from 1 to 255"},
		{CLASS("scheduler: {}"), "5:36: classes.c.scheduler.dwrr: got nothing, want a "
					 "number from 1 to 255 (the key is required)"},
		{CLASS("scheduler: fair"),
			"5:36: classes.c.scheduler: got fair, want strict or a mapping"},
		{CLASS("lossless: yes"),
			"5:35: classes.c.lossless: got yes, want true or false (write true)"},
		{CLASS("ecn: {kmin: 1KB, kmax: 2KB, pmax: 1%}"), ""},
	};

	EXPECT_ROWS(rows);
}

Test(check_queue, defaults_go_by_class)
{
	struct parsed p =
		good(PORTS "classes: [{class: 3, name: a, lossless: true}, {class: 6, name: b, "
			   "scheduler: {dwrr: 2}}, {class: 7, name: c}]\n");
	const struct conf_class *k = p.c->class_;

	cr_expect_eq(k[3].limit, 32000000);
	cr_expect_not(k[3].has_limit);
	cr_expect_eq(k[0].limit, 16000000);
	cr_expect_eq(k[7].limit, 16000000);
	cr_expect_eq(k[3].dwrr, 1);
	cr_expect_not(k[3].strict);
	cr_expect_not(k[6].strict);
	cr_expect_eq(k[6].dwrr, 2);
	cr_expect(k[7].strict);
	cr_expect_not(k[5].strict);
	parsed_fini(&p);
}

Test(check_queue, marks_above_the_limit_are_refused)
{
	static const struct row rows[] = {
		{CLASS("limit: 400KB, ecn: {kmin: 1KB, kmax: 400KB, pmax: 1%}"), ""},
		{CLASS("limit: 399KB, ecn: {kmin: 1KB, kmax: 400KB, pmax: 1%}"),
			"5:44: classes.c.ecn.kmax: got 400KB for marking, which is above the limit "
			"of class 3 (c), 399KB, want it below: give the class a higher `limit`, or "
			"classes marks of their own (`ecn_by_class`)"},
		{PORT("ecn: {kmin: 1KB, kmax: 20MB, pmax: 1%}"),
			"4:44: ports.p0.ecn.kmax: got 20MB for marking, which is above the limit "
			"of "
			"class 0, 16MB, want it below: give the class a higher `limit`, or classes "
			"marks of their own (`ecn_by_class`)"},
		{PORT("ecn_by_class: [{class: 3, ecn: {kmin: 1KB, kmax: 20MB, pmax: 1%}}]"),
			"4:70: ports.p0.ecn_by_class.kmax: got 20MB for marking, which is above "
			"the "
			"limit of class 3, 16MB, want it below: give the class a higher `limit`, "
			"or "
			"classes marks of their own (`ecn_by_class`)"},
		{PORT("ecn_by_class: [{class: 3, ecn: {kmin: 1KB, kmax: 20MB, pmax: 1%}}]") "class"
											    "es: "
											    "[{"
											    "class:"
											    " 3, "
											    "name: "
											    "c, "
											    "limit:"
											    " 20MB}"
											    "]\n",
			""},
		{PORT("ecn: {kmin: 1KB, kmax: 2KB, pmax: 1%, drop: {kmin: 1MB, kmax: 20MB, pmax: "
		      "1%}}"),
			"4:44: ports.p0.ecn.kmax: got 20MB for dropping, which is above the limit "
			"of class 0, 16MB, want it below: give the class a higher `limit`, or "
			"classes marks of their own (`ecn_by_class`)"},
		{PORT("ecn: {mode: off, kmin: 1KB, kmax: 20MB, pmax: 1%}"), ""},
		{CLASS("limit: 399, ecn: {kmin: 1KB, kmax: 40MB, pmax: 1%}"), /* one error */
			"5:32: classes.c.limit: got 399, want a size from 10KB to 1TB (with its "
			"unit, such as 399MB)"},
		{CLASS("lossless: true, ecn: {kmin: 1KB, kmax: 4KB, pmax: 1%, drop: {kmin: 2KB, "
		       "kmax: 8KB, pmax: 1%}}"),
			"5:46: classes.c.ecn.drop: got a curve to drop class 3 by, which is "
			"lossless, want none"},
	};

	EXPECT_ROWS(rows);
}

/* The class that it is for, then the port, then the node's class. */
Test(check_queue, marking_goes_by_the_nearest_that_says)
{
	struct parsed p = good(
		HEAD "ports:\n"
		     "  - {name: a, device: a, role: nsf, ecn: {kmin: 1KB, kmax: 2KB, pmax: 1%}, "
		     "ecn_by_class: [{class: 3, ecn: {kmin: 3KB, kmax: 4KB, pmax: 1%}}]}\n"
		     "  - {name: b, device: b, role: nsf}\n"
		     "  - {name: c, device: c, role: nsf, ecn: off}\n"
		     "classes:\n"
		     "  - {class: 3, name: x, ecn: {kmin: 5KB, kmax: 6KB, pmax: 1%}}\n"
		     "  - {class: 4, name: y, ecn: {kmin: 7KB, kmax: 8KB, pmax: 1%}}\n");
	const struct conf_port *a = &p.c->port[0], *b = &p.c->port[1], *c = &p.c->port[2];

	cr_expect_eq(a->class_ecn[3].mark.kmin, 3000);
	cr_expect_eq(a->class_ecn[4].mark.kmin, 1000);
	cr_expect_eq(a->class_ecn[0].mark.kmin, 1000);
	cr_expect_eq(b->class_ecn[3].mark.kmin, 5000);
	cr_expect_eq(b->class_ecn[4].mark.kmin, 7000);
	cr_expect_eq(b->class_ecn[0].mode, CONF_ECN_OFF);
	for (unsigned int n = 0; n < CONF_CLASSES; n++)
		cr_expect_eq(c->class_ecn[n].mode, CONF_ECN_OFF);
	parsed_fini(&p);
}

Test(check_queue, a_classs_automatic_marking_holds_where_it_has_figures)
{
	struct parsed p = good(HEAD
		"ports:\n"
		"  - {name: a, device: a, role: longhaul, rate: 100Gbit, distance: 80km}\n"
		"  - {name: b, device: b, role: longhaul, rate: 10Gbit, distance: 80km}\n"
		"  - {name: c, device: c, role: nsf, rate: 100Gbit}\n"
		"  - {name: d, device: d, role: nsf}\n"
		"classes: [{class: 3, name: x, ecn: auto}, {class: 4, name: y, ecn: phantom}]\n");

	cr_expect_eq(p.c->port[0].class_ecn[3].mark.kmin, 1100000);
	cr_expect_eq(p.c->port[1].class_ecn[3].mark.kmin, 110000);
	cr_expect_eq(p.c->port[2].class_ecn[3].mode, CONF_ECN_OFF);
	cr_expect_eq(p.c->port[2].class_ecn[4].mode, CONF_ECN_PHANTOM);
	cr_expect_eq(p.c->port[2].class_ecn[4].mark.kmin, 400000);
	cr_expect_eq(p.c->port[3].class_ecn[4].mode, CONF_ECN_OFF);
	parsed_fini(&p);
}

/* 1000 km at 100 Gbit/s: kmax 28.75 MB, in classes of 16 MB. */
Test(check_queue, automatic_marks_stay_within_the_limit)
{
	struct parsed p =
		good(PORT("rate: 100Gbit, distance: 1000km, ecn: auto") "class"
									"es: [{class: 3, name: c, "
									"limit: 100MB}]\n");
	const struct conf_ecn *e = p.c->port[0].class_ecn;

	cr_expect_eq(e[3].mark.kmin, 13750000);
	cr_expect_eq(e[3].mark.kmax, 28750000);
	cr_expect_eq(e[0].mark.kmax, 16000000);
	cr_expect_eq(e[0].mark.kmin, UINT64_C(13750000) * 16000000 / 28750000);
	parsed_fini(&p);
}

Test(check_queue, paused_classes_are_lossless)
{
	static const struct row rows[] = {
		{PORT(PFC80),
			"4:75: ports.p0.pfc.classes: got class 3, which is not lossless, want "
			"`lossless: true` in its entry of `classes`"},
		{PORT(PFC80) "classes: [{class: 3, name: c, lossless: true}]\n", ""},
		{PORT(PFC80) "classes: [{class: 3, name: c, lossless: yes}]\n", /* one error */
			"5:41: classes.c.lossless: got yes, want true or false (write true)"},
	};

	EXPECT_ROWS(rows);
}

Test(check_queue, limits_hold_xoff_and_headroom_or_the_arithmetic_is_printed)
{
	static const struct row rows[] = {
		{PORT(PFC80) "classes: [{class: 3, name: c, lossless: true, limit: 22MB}]\n", ""},
		{PORT(PFC80) "classes: [{class: 3, name: c, lossless: true, limit: 21MB}]\n",
			"4:75: ports.p0.pfc: got a limit of 21MB for class 3 (c) and a need of "
			"more: " NEED80 ", want `limit: 22MB` at least"},
		{PORT("rate: 100Gbit, distance: 1000km, pfc: {classes: [3]}") "classes: [{class: "
									      "3, "
									      "name: c, lossless: "
									      "true}]\n",
			"4:77: ports.p0.pfc: got a limit of 32MB for class 3 (c) and a need of "
			"more: 2 x 1000km x 5 ns/m x 100Gbit/s = 125 MB, 2 x (1500 + 38) B + 64 B "
			"= "
			"3.14 KB, response 100 us x 100Gbit/s = 1.25 MB; headroom 126.253 MB + "
			"xoff "
			"125.006 MB = 251.259 MB, want `limit: 252MB` at least"},
		{PORT("rate: 1Gbit, pfc: {classes: [3], headroom: 30MB, xoff: 5MB}") "classes: "
										     "[{class: 3, "
										     "name: c, "
										     "lossless: "
										     "true}]\n",
			"4:57: ports.p0.pfc: got a limit of 32MB for class 3 (c) and a need of "
			"more: headroom 30 MB + xoff 5 MB = 35 MB, want `limit: 36MB` at least"},
		{PORT("rate: 100Gbit, delay: 5ms, distance: 1km, pfc: {classes: [3]}") "classes: "
										       "[{class: "
										       "3, name: "
										       "c, "
										       "lossless: "
										       "true}]\n",
			"4:86: ports.p0.pfc: got a limit of 32MB for class 3 (c) and a need of "
			"more: 2 x (1km x 5 ns/m + 5ms) x 100Gbit/s = 125.125 MB, 2 x (1500 + 38) "
			"B "
			"+ 64 B = 3.14 KB, response 100 us x 100Gbit/s = 1.25 MB; headroom 126.378 "
			"MB + xoff 125.131 MB = 251.509 MB, want `limit: 252MB` at least"},
		{PORT(PFC80) "classes: [{class: 3, name: c, lossless: true, limit: 21}]\n",
			"5:54: classes.c.limit: got 21, want a size from 10KB to 1TB (with its "
			"unit, "
			"such as 21MB)"},
	};

	EXPECT_ROWS(rows);
}

#define PAUSED(name) "  - {name: " name ", device: " name ", role: longhaul, " PFC80 "}\n"

Test(check_queue, limits_hold_what_all_ports_may_hold_for_one)
{
	static const struct row rows[] = {
		/* Two of them, and a third to send by. */
		{HEAD "ports:\n" PAUSED("a") PAUSED(
			 "b") "  - {name: z, device: z, role: nsf}\n"
			      "classes:\n  - {class: 3, name: c, lossless: true, limit: 43MB}\n",
			""},
		{HEAD "ports:\n" PAUSED("a") PAUSED(
			 "b") "  - {name: z, device: z, role: nsf}\n"
			      "classes:\n  - {class: 3, name: c, lossless: true, limit: 42MB}\n",
			"8:5: classes.c: got a limit of 42MB, and ports that may hold more of it "
			"for one port (xoff and headroom of each): a 21.259 MB + b 21.259 MB = "
			"42.518 MB, want `limit: 43MB` at least"},
		/* Nothing goes back where it came from. */
		{HEAD "ports:\n" PAUSED("a") PAUSED(
			 "b") "classes:\n  - {class: 3, name: c, lossless: true, limit: 22MB}\n",
			""},
	};

	EXPECT_ROWS(rows);
}
