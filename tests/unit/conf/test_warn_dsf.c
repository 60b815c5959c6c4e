/* SPDX-License-Identifier: BSD-3-Clause */
/* What of the cell fabric is allowed and probably not meant. */
#include "conf_test.h"

#define TO_G0 "routes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n"
#define USED(keys)                                                                                 \
	FABRIC "dsf: {device_id: 11, devices: [{name: e21, id: 21}]" keys                          \
	       "}\ngroups: [{name: g0, members: [{device: e21}]}]\n" TO_G0
#define TWO_LINKS                                                                                  \
	HEAD "ports: [{name: f0, device: d0, role: dsf}, {name: f1, device: d1, role: dsf}]\n"

Test(warn_dsf, says_nothing_of_a_file_that_is_meant)
{
	expect_warnings(USED(""), "");
	expect_warnings(USED(", scheduling: push, credit_watchdog: off"), "");
	expect_warnings(TWO_LINKS "dsf: {device_id: 11, transit: true}\n", "");
}

Test(warn_dsf, names_a_fabric_without_a_link)
{
	expect_warnings(GROUP TO_G0 "dsf: {device_id: 11}\n",
		"6:6: dsf: got no port of role dsf, want one: as it is, no cell comes or goes");
}

Test(warn_dsf, names_a_node_that_passes_on_by_one_link)
{
	expect_warnings(FABRIC "dsf: {device_id: 11, transit: true}\n",
		"4:6: dsf.transit: got one port of role dsf, want two at least: a cell never goes "
		"back by the link that it came by");
}

Test(warn_dsf, names_a_node_that_sends_nothing)
{
	expect_warnings(FABRIC "dsf: {device_id: 11}\ngroups: [{name: g0, members: [" WAY
			       "]}]\n" TO_G0,
		"4:6: dsf: got no member with a device in any group and no `transit: true`, want "
		"one of them: as it is, cells come and none go");
}

Test(warn_dsf, names_devices_that_no_group_leads_to)
{
	expect_warnings(USED("") "#\n", "");
	expect_warnings(FABRIC
		"dsf: {device_id: 11, devices: [{name: e21, id: 21}, {name: e22, id: "
		"22}]}\ngroups: [{name: g0, members: [{device: e22}]}]\n" TO_G0,
		"4:32: dsf.devices.e21: got no group with a member to it, want one or no device");
}

Test(warn_dsf, names_more_links_to_join_than_there_are)
{
	expect_warnings(USED(", min_links_join: 2"),
		"4:6: dsf.min_links_join: got 2 and 1 ports of role dsf, want 1 at most: as it is, "
		"no device is ever reached");
}

Test(warn_dsf, names_hosts_whose_mac_is_not_known)
{
	expect_warnings(DEVICE("system_port: 4}, {device: e22, system_port: 4, mac: "
			       "02:00:00:00:00:01") TO_G0,
		"6:26: groups.g0.members[0]: got a system port and no mac, want the mac of the "
		"host behind it: without it the member's packets drop as unresolved");
}

Test(warn_dsf, names_credit_that_is_too_slow)
{
	expect_warnings(USED(", speedup: 99.5%"),
		"4:6: dsf.speedup: got 99.5 %, want 100% at least: as it "
		"is, a system port waits for the fabric");
}

Test(warn_dsf, names_a_bound_that_drops_come_before)
{
	expect_warnings(USED(", egress_bound: 20MB"),
		"4:6: dsf.egress_bound: got 20 MB, want less than the limit of class 0, 16MB: as "
		"it is, the class drops before the fabric stops sending to it");
	expect_warnings(USED("") "classes: [{class: 1, name: c, limit: 65536B}]\n",
		"4:6: dsf.egress_bound: got 65.536 KB, want less than the limit of class 1, "
		"65536B: as it is, the class drops before the fabric stops sending to it");
	expect_warnings(USED("") "classes: [{class: 1, name: c, limit: 65537B}]\n", "");
	expect_warnings(
		USED(", scheduling: push") "classes: [{class: 1, name: c, limit: 10KB}]\n", "");
}

Test(warn_dsf, names_lossless_classes_with_less_room_than_pauses_need)
{
	expect_warnings(HEAD
		"ports:\n  - {name: lh, device: d0, role: longhaul, rate: 100Gbit, distance: 80km, "
		"pfc: {classes: [3]}}\n  - {name: f0, device: d1, role: dsf}\n"
		"classes: [{class: 3, name: rdma, lossless: true}]\n"
		"dsf: {device_id: 11, devices: [{name: e21, id: 21}]}\n"
		"groups: [{name: g0, members: [{device: e21}]}]\n" TO_G0,
		"7:6: dsf.voq_limit: got 16MB, want 21.259 MB: that much of class 3 (rdma), which "
		"is lossless, may come in by ports with pfc (xoff and headroom of each) before "
		"their neighbours stop");
}
