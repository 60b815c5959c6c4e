/* SPDX-License-Identifier: BSD-3-Clause */
/* Hyper ports in a file: what is refused, what members come to as one port, what is warned of. */
#include "conf/diff.h"
#include "conf/hyper.h"
#include "conf_test.h"

/* Three long lines; the hyper ports stand in line 8. */
#define LINES(a, b)                                                                                \
	HEAD "ports:\n"                                                                            \
	     "  - {name: lh0, device: d0, role: longhaul, " a "}\n"                                \
	     "  - {name: lh1, device: d1, role: longhaul, " b "}\n"                                \
	     "  - {name: p0, device: d2, role: nsf}\n"                                             \
	     "hyperports:\n"
#define HP(keys) "  - {name: hp0, members: [lh0, lh1]" keys "}\n"
#define TO(port)                                                                                   \
	"groups: [{name: g0, members: [{port: " port ", mac: 02:00:00:00:00:01}]}]\n"              \
	"routes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n"
#define SAME LINES("mtu: 4200", "mtu: 4200")

Test(check_hyper, members_are_one_port_to_groups)
{
	struct parsed p = good(
		LINES("mtu: 4200, rate: 10Gbit, distance: 80km, pfc: {classes: [3], "
		      "xon: 300KB, xoff: 400KB}, ecn: {kmin: 100KB, kmax: 200KB, pmax: "
		      "5%}",
			"mtu: 4200, rate: 40Gbit, distance: 110km, pfc: {classes: [3], xon: 100KB, "
			"xoff: "
			"1MB}, ecn: {kmin: 300KB, kmax: 600KB, pmax: 5%}")
			HP(", window: 1024, timeout: 2ms, require_all: false, ethertype: "
			   "0x9999") "classes: [{class: 3, name: r, lossless: true}]\n" TO("hp0"));
	const struct conf_hyper *h = &p.c->hyper[0];
	const struct conf_port *as = conf_out(p.c, 3);

	cr_assert_eq(p.c->n_hypers, 1);
	cr_expect_str_eq(h->name, "hp0");
	cr_expect_eq(h->window, 1024);
	cr_expect_eq(h->timeout_ns, 2000000);
	cr_expect_not(h->require_all);
	cr_expect_eq(h->ethertype, 0x9999);
	cr_expect_eq(h->pos.line, 8);
	cr_expect_eq(p.c->group[0].member[0].port_idx, 3, "behind the ports");
	cr_expect_eq(conf_first_port(p.c, 3), 0);
	cr_expect_eq(p.c->port[0].hyper, 1);
	cr_expect_eq(p.c->port[2].hyper, 0);
	cr_expect_str_eq(as->name, "hp0");
	cr_expect_eq(as->mtu, 4196);
	cr_expect_eq(as->rate_bps, UINT64_C(50000000000));
	cr_expect_eq(as->pfc.xoff, 1400000);
	cr_expect_eq(as->pfc.xon, 400000);
	cr_expect_eq(as->pfc.headroom,
		p.c->port[0].pfc.headroom + p.c->port[1].pfc.headroom + 1024 * 4238,
		"and a window of the largest frames, less than 2 ms of 50 Gbit/s");
	cr_expect_eq(as->class_ecn[0].mark.kmin, 400000);
	cr_expect_eq(as->class_ecn[0].mark.kmax, 800000);
	cr_expect_eq(as->delay_ns, 0);
	cr_expect_eq(conf_hyper_skew_ns(p.c, h), 150000);
	/* 150 us at 50 Gbit/s are 937,500 bytes, packets 3147 */
	cr_expect_eq(conf_hyper_frames(p.c, h), 297);
	parsed_fini(&p);
}

Test(check_hyper, defaults_are_all_or_none_and_five_milliseconds)
{
	struct parsed p = good(SAME HP("") TO("hp0"));

	cr_expect_eq(p.c->hyper[0].window, 4096);
	cr_expect_eq(p.c->hyper[0].timeout_ns, 5000000);
	cr_expect(p.c->hyper[0].require_all);
	cr_expect_eq(p.c->hyper[0].ethertype, 0x88b6);
	cr_expect_eq(p.c->hyper[0].as_port.rate_bps, 0);
	parsed_fini(&p);
}

Test(check_hyper, refuses_members_that_cannot_stand_for_each_other)
{
	static const struct row rows[] = {
		{SAME "  - {name: hp0, members: [lh0, p0]}\n",
			"8:32: hyperports.hp0.members[1]: got p0, which has role nsf, want a port "
			"of role longhaul"},
		{SAME "  - {name: hp0, members: [lh0, lh0]}\n",
			"8:32: hyperports.hp0.members[1]: got lh0 again, want each port once"},
		{SAME "  - {name: hp0, members: [lh0]}\n",
			"8:26: hyperports.hp0.members: got 1 items, want a list of 2 to 8"},
		{SAME "  - {name: hp0, members: [lh0, lh2]}\n",
			"8:32: hyperports.hp0.members[1]: got lh2, want the name of a port (the "
			"nearest is lh0)"},
		{LINES("mtu: 4200", "mtu: 9000") HP(""),
			"8:32: hyperports.hp0.members[1]: got lh1, whose mtu is another than that "
			"of lh0, want one `mtu` for all members"},
		{LINES("rate: 1Gbit", "mtu: 1500") HP(""),
			"8:32: hyperports.hp0.members[1]: got lh1, which has no rate, and lh0, "
			"which has one, want one for all members, or for none"},
		{LINES("dscp_map: [{dscp: [24], class: 3}]", "dscp_map: [{dscp: [24], class: 4}]")
				HP(""),
			"8:32: hyperports.hp0.members[1]: got lh1, whose dscp_map is another than "
			"that of lh0, want one `dscp_map` for all members"},
		{LINES("rate: 1Gbit, ecn: {kmin: 10KB, kmax: 20KB, pmax: 1%}", "rate: 1Gbit")
				HP(""),
			"8:5: hyperports.hp0.members: got members whose `ecn` is not of one kind, "
			"want one mode for all (its figures may differ)"},
	};

	EXPECT_ROWS(rows);
}

Test(check_hyper, refuses_a_member_that_is_used_beside_it)
{
	static const struct row rows[] = {
		{SAME HP("") TO("lh1"),
			"9:31: groups.g0.members[0].port: got lh1, which is a member of hyperport "
			"hp0, want `port: hp0`"},
		{SAME HP("") "  - {name: hp1, members: [lh1, lh0]}\n",
			"9:5: hyperports.hp1.members: got lh1, which is a member of hp0, want a "
			"port once\n"
			"9:5: hyperports.hp1.members: got lh0, which is a member of hp0, want a "
			"port once"},
	};

	EXPECT_ROWS(rows);
}

Test(check_hyper, refuses_names_and_numbers_that_cannot_be)
{
	static const struct row rows[] = {
		{SAME "  - {name: p0, members: [lh0, lh1]}\n",
			"8:12: hyperports.p0.name: got p0, which is a port's name, want another "
			"one"},
		{SAME HP(", window: 1000"),
			"8:46: hyperports.hp0.window: got 1000, want a power of two from 64 to "
			"16384 (this one is no power of two)"},
		{SAME HP(", ethertype: 0x0800"),
			"8:49: hyperports.hp0.ethertype: got that of IPv4, want one that nothing "
			"else on the members has, such as 0x88b6"},
		{LINES("rate: 1Gbit, delay: 1ms", "rate: 1Gbit, distance: 400km")
				HP(", timeout: 1ms"),
			"8:5: hyperports.hp0.timeout: got 1ms, want more than the skew of its "
			"members: lh1 400km x 5 ns/m - lh0 1ms = 1 ms"},
	};

	EXPECT_ROWS(rows);
}

Test(check_hyper, is_dumped_and_compared_by_name)
{
	struct parsed a = good(SAME HP(", window: 1024") TO("hp0"));
	struct parsed b = good(LINES("mtu: 4200", "mtu: 4200") HP(", window: 2048") TO("hp0"));
	struct conf_diff d;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	cr_assert_eq(conf_dump(a.c, out), 0);
	fclose(out);
	struct parsed again = good(text);

	cr_assert_eq(conf_diff(a.c, again.c, &d), 0);
	cr_expect_eq(d.n, 0, "%s", text);
	conf_diff_fini(&d);
	cr_assert_eq(conf_diff(a.c, b.c, &d), 0);
	cr_assert_eq(d.n, 1);
	cr_expect_str_eq(d.change[0].path, "hyperports.hp0.window");
	cr_expect_eq(d.change[0].kind, CONF_RESTART);
	conf_diff_fini(&d);
	free(text);
	parsed_fini(&again);
	parsed_fini(&a);
	parsed_fini(&b);
}

Test(check_hyper, warns_of_a_window_that_the_skew_does_not_fit)
{
#define SKEW LINES("mtu: 4200, rate: 100Gbit", "mtu: 4200, rate: 100Gbit, distance: 100km")
	expect_warnings(SKEW HP(", window: 4096") TO("hp0"), "");
	expect_warnings(SKEW HP(", window: 2048") TO("hp0"),
		"8:5: hyperports.hp0.window: got 2048 packets, want 3972: skew lh1 100km x 5 ns/m "
		"- lh0 0 = 500 us, x 200Gbit/s / 3147 B (3/4 of the MTU): as it is, those by the "
		"slower members are given up at the full rate");
}
