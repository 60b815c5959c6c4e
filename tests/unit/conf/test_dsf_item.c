/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of the cell fabric: notations, ranges, and what goes with what in one item. */
#include "conf_test.h"

#define AT_LINK(keys)                                                                              \
	HEAD "ports:\n  - {name: f0, device: d0, role: dsf, " keys "}\ndsf: {device_id: 1}\n"

Test(dsf_item, numbers_and_words_have_their_ranges)
{
	static const struct row rows[] = {
		{DSF(""), ""},
		{DSF("cell_size: 256"), ""},
		{DSF("cell_size: 9216"), ""},
		{DSF("cell_size: 255"),
			"5:30: dsf.cell_size: got 255, want a number from 256 to 9216"},
		{DSF("cell_size: 9217"),
			"5:30: dsf.cell_size: got 9217, want a number from 256 to 9216"},
		{DSF("cell_size: 2KB"), "5:30: dsf.cell_size: got 2KB, want a number from 256 to "
					"9216 (plain digits, no unit)"},
		{DSF("scheduling: push"), ""},
		{DSF("scheduling: credit"), ""},
		{DSF("scheduling: credits"),
			"5:31: dsf.scheduling: got credits, want credit or push"},
		{DSF("transit: true"), ""},
		{DSF("transit: yes"),
			"5:28: dsf.transit: got yes, want true or false (write true)"},
		{DSF("min_links_join: 64, min_links_remain: 64"), ""},
		{DSF("min_links_join: 65"),
			"5:35: dsf.min_links_join: got 65, want a number from 1 to 64"},
		{DSF("min_links_remain: 0"),
			"5:37: dsf.min_links_remain: got 0, want a number from 1 to 64"},
		{DSF("reassembly_window: 64"), ""},
		{DSF("reassembly_window: 16384"), ""},
		{DSF("reassembly_window: 32"), "5:38: dsf.reassembly_window: got 32, want a power "
					       "of two from 64 to 16384"},
		{DSF("reassembly_window: 1000"),
			"5:38: dsf.reassembly_window: got 1000, want a power of two from 64 to "
			"16384 (this one is no power of two)"},
		{DSF("reassembly_cells: auto"), ""},
		{DSF("reassembly_cells: 64"), ""},
		{DSF("reassembly_cells: 63"), "5:37: dsf.reassembly_cells: got 63, want auto or a "
					      "number from 64 to 4194304"},
		{FABRIC "dsf:\n  {device_id: 0}\n",
			"5:15: dsf.device_id: got 0, want a number from 1 to 65534"},
		{FABRIC "dsf:\n  {device_id: 65535}\n",
			"5:15: dsf.device_id: got 65535, want a number from 1 to 65534"},
		{FABRIC "dsf: {}\n", "4:6: dsf.device_id: got nothing, want a number from 1 to "
				     "65534 (the key is required)"},
		{FABRIC "dsf: 11\n", "4:6: dsf: got 11, want a mapping"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, amounts_have_units_and_limits)
{
	static const struct row rows[] = {
		{DSF("reach_interval: 1ms"), ""},
		{DSF("reach_interval: 1s"), ""},
		{DSF("reach_interval: 999us"),
			"5:35: dsf.reach_interval: got 999us, want a time from 1ms to 1s"},
		{DSF("reach_interval: 10"), "5:35: dsf.reach_interval: got 10, want a time from "
					    "1ms to 1s (with its unit, such as 10ms)"},
		{DSF("reassembly_timeout: 10us"), ""},
		{DSF("reassembly_timeout: 2s"),
			"5:39: dsf.reassembly_timeout: got 2s, want a time from 10us to 1s"},
		{DSF("credit_bytes: 16KiB"), ""},
		{DSF("credit_bytes: 16384"), "5:33: dsf.credit_bytes: got 16384, want a size from "
					     "1KB to 1MB (with its unit, such as 16384MB)"},
		{DSF("credit_bytes: 2MB"),
			"5:33: dsf.credit_bytes: got 2MB, want a size from 1KB to 1MB"},
		{DSF("speedup: 100%"), ""},
		{DSF("speedup: 200%"), ""},
		{DSF("speedup: 201%"), "5:28: dsf.speedup: got 201%, want a part from 50% to 200%"},
		{DSF("speedup: 1.02"), "5:28: dsf.speedup: got 1.02, want a part from 50% to 200% "
				       "(with its unit, such as 1.02%)"},
		{DSF("speedup: 102.05%"), "5:28: dsf.speedup: got 102.05%, want a part from 50% to "
					  "200% (finer than 1000ppm)"},
		{DSF("credit_watchdog: off"), ""},
		{DSF("credit_watchdog: \"off\""), ""},
		{DSF("credit_watchdog: 60s"), ""},
		{DSF("credit_watchdog: 0"), "5:36: dsf.credit_watchdog: got 0, want off or a time "
					    "from 1ms to 60s (write \"off\")"},
		{DSF("credit_watchdog: 500"),
			"5:36: dsf.credit_watchdog: got 500, want off or a time from 1ms to 60s "
			"(with its unit, such as 500ms)"},
		{DSF("router_rate: 2.5Gbit"), ""},
		{DSF("router_rate: 0bit"),
			"5:32: dsf.router_rate: got 0bit, want a bit rate from 1Mbit to 100Tbit"},
		{DSF("voq_limit: 10KB"), ""},
		{DSF("voq_limit: 9KB"),
			"5:30: dsf.voq_limit: got 9KB, want a size from 10KB to 1TB"},
		{DSF("egress_bound: auto"), ""},
		{DSF("egress_bound: 64KB"), ""},
		{DSF("egress_bound: 1"), "5:33: dsf.egress_bound: got 1, want auto or a size from "
					 "10KB to 1TB (with its unit, such as 1MB)"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, an_ethertype_is_hexadecimal_and_nobody_elses)
{
	static const struct row rows[] = {
		{DSF("ethertype: 0x88b5"), ""},
		{DSF("ethertype: 0x88B6"), ""},
		{DSF("ethertype: \"0XFFFF\""), ""},
		{DSF("ethertype: 0x600"), ""},
		{DSF("ethertype: 0x5ff"), "5:30: dsf.ethertype: got 0x5ff, want a hexadecimal "
					  "number from 0x0600 to 0xffff"},
		{DSF("ethertype: 0x10000"), "5:30: dsf.ethertype: got 0x10000, want a hexadecimal "
					    "number from 0x0600 to 0xffff"},
		{DSF("ethertype: 34997"), "5:30: dsf.ethertype: got 34997, want a hexadecimal "
					  "number from 0x0600 to 0xffff (with 0x before it)"},
		{DSF("ethertype: 88b5"), "5:30: dsf.ethertype: got 88b5, want a hexadecimal number "
					 "from 0x0600 to 0xffff (with 0x before it)"},
		{DSF("ethertype: 0x"), "5:30: dsf.ethertype: got 0x, want a hexadecimal number "
				       "from 0x0600 to 0xffff (0x and hex digits)"},
		{DSF("ethertype: 0x88b5h"), "5:30: dsf.ethertype: got 0x88b5h, want a hexadecimal "
					    "number from 0x0600 to 0xffff (0x and hex digits)"},
		{DSF("ethertype: 0x11111111111111111"),
			"5:30: dsf.ethertype: got 0x11111111111111111, want a hexadecimal number "
			"from 0x0600 to 0xffff (more than 64 bits hold)"},
		{DSF("ethertype: cells"), "5:30: dsf.ethertype: got cells, want a hexadecimal "
					  "number from 0x0600 to 0xffff"},
		{DSF("ethertype: 0x0800"),
			"5:30: dsf.ethertype: got that of IPv4, want one that nothing else on the "
			"links has, such as 0x88b5 or 0x88b6"},
		{DSF("ethertype: 0x8808"),
			"5:30: dsf.ethertype: got that of MAC control (pauses), want one that "
			"nothing else on the links has, such as 0x88b5 or 0x88b6"},
	};

	EXPECT_ROWS(rows);
}

/* As the design and other switches spell them: the unit stands in the value here. */
Test(dsf_item, keys_with_a_unit_in_the_name_are_shown_the_right_one)
{
	static const struct row rows[] = {
		{DSF("reach_ms: 10"), "5:29: dsf.reach_ms: got a key that does not belong here, "
				      "want `reach_interval: 10ms`"},
		{DSF("credit_watchdog_ms: 500"),
			"5:39: dsf.credit_watchdog_ms: got a key that does not belong here, want "
			"`credit_watchdog: 500ms`"},
		{DSF("reach_intervall: 10ms"), "5:19: dsf.reach_intervall: got an unknown key, "
					       "want reach_interval (the nearest known one)"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, a_device_remains_with_no_more_links_than_it_joined_with)
{
	static const struct row rows[] = {
		{DSF("min_links_join: 3, min_links_remain: 2"), ""},
		{DSF("min_links_join: 2, min_links_remain: 2"), ""},
		{DSF("min_links_remain: 2"),
			"5:37: dsf.min_links_remain: got 2, want at most min_links_join, which is "
			"1: a device would come and go at once"},
		{DSF("min_links_join: x, min_links_remain: 1"),
			"5:35: dsf.min_links_join: got x, want a number from 1 to 64"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, a_link_has_no_keys_of_ports_that_carry_ip)
{
	static const struct row rows[] = {
		{AT_LINK("mac: 02:00:00:00:00:01, mtu: 9600, rate: 100Gbit, pace: 1kpps, impair: "
			 "{loss: 1%, jitter: 1us}"),
			""},
		{AT_LINK("addresses: [10.0.0.1/31]"),
			"4:50: ports.f0.addresses: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul"},
		{AT_LINK("promiscuous: true"),
			"4:52: ports.f0.promiscuous: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul"},
		{AT_LINK("rate: 1Gbit, rate_layer: l2"),
			"4:64: ports.f0.rate_layer: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul"},
		{AT_LINK("distance: 1km"),
			"4:49: ports.f0.distance: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul"},
		{AT_LINK("delay: emulate"),
			"4:46: ports.f0.delay: got it on a port of role dsf, which carries cells, "
			"want it on one of role nsf or longhaul"}, /* one error: nothing of a rate
								      or a distance */
		{AT_LINK("ecn: auto"), "4:44: ports.f0.ecn: got it on a port of role dsf, which "
				       "carries cells, want it on one of role nsf or longhaul"},
		{AT_LINK("ecn_by_class: [{class: 1, ecn: auto}]"),
			"4:53: ports.f0.ecn_by_class: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul"},
		{AT_LINK("pfc: {classes: [3]}"),
			"4:44: ports.f0.pfc: got it on a port of role dsf, which carries cells, "
			"want it on one of role nsf or longhaul"},
		{AT_LINK("dscp_map: [{dscp: 1, class: 1}], dscp_rewrite: [{dscp: 1, to: 2}]"),
			"4:49: ports.f0.dscp_map: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul\n"
			"4:86: ports.f0.dscp_rewrite: got it on a port of role dsf, which carries "
			"cells, want it on one of role nsf or longhaul"},
		{AT_LINK("impair: {reorder: 1%}"),
			"4:47: ports.f0.impair: got reordering on a port without a rate, want "
			"`rate:` beside it: packets that wait take rate x time of memory, which "
			"has no bound without one"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, system_ports_are_ports_that_carry_ip)
{
	static const struct row rows[] = {
		{DSF("system_ports: [{number: 1, port: p0}]"), ""},
		{DSF("system_ports: [{number: 0, port: p0}]"),
			"5:43: dsf.system_ports[0].number: got 0, want a number from 1 to 65535"},
		{DSF("system_ports: [{number: 65536, port: p0}]"),
			"5:43: dsf.system_ports[0].number: got 65536, want a number from 1 to "
			"65535"},
		{DSF("system_ports: [{number: 1, port: f0}]"),
			"5:52: dsf.system_ports[0].port: got f0, which has role dsf, want a port "
			"of role nsf or longhaul"},
		{DSF("system_ports: [{number: 1, port: p1}]"),
			"5:52: dsf.system_ports[0].port: got p1, want the name of a port (the "
			"nearest is p0)"},
		{DSF("system_ports: [{port: p0}]"),
			"5:34: dsf.system_ports[0].number: got nothing, want a number from 1 to "
			"65535 (the key is required)"},
		{DSF("system_ports: [{number: 1}]"),
			"5:34: dsf.system_ports[0].port: got nothing, want the name of a port (the "
			"key is required)"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, a_device_is_another_one)
{
	static const struct row rows[] = {
		{DSF("devices: [{name: a, id: 1}, {name: b, id: 65534}]"), ""},
		{DSF("devices: [{name: a, id: 1}, {name: me, id: 11}]"),
			"5:62: dsf.devices.me.id: got 11, which is this node's device_id, want "
			"another device's"},
		{DSF("devices: [{name: a, id: 0}]"),
			"5:43: dsf.devices.a.id: got 0, want a number from 1 to 65534"},
		{DSF("devices: [{name: A, id: 1}]"),
			"5:36: dsf.devices[0].name: got A, want a name like [a-z0-9][a-z0-9_.-]* "
			"of at most 31 characters (lower case)"},
		{DSF("devices: [{id: 1}]"),
			"5:29: dsf.devices[0].name: got nothing, want a name like "
			"[a-z0-9][a-z0-9_.-]* of at most 31 characters (the key is required)"},
		{FABRIC "dsf: {device_id: x, devices: [{name: a, id: 1}]}\n",
			"4:18: dsf.device_id: got x, want a number from 1 to 65534"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, a_member_leads_by_a_port_or_to_a_device)
{
	static const struct row rows[] = {
		{DEVICE("weight: 1"), ""},
		{DEVICE("system_port: 0"), ""},
		{DEVICE("system_port: 4"), ""},
		{DEVICE("system_port: 4, mac: 02:00:00:00:00:01"), ""},
		{DEVICE("port: p0, mac: 02:00:00:00:00:01"),
			"6:26: groups.g0.members[0]: got both port and device, want one of them"},
		{BEHIND "groups: [{name: g0, members: [{mac: 02:00:00:00:00:01}]}]\n",
			"5:31: groups.g0.members[0]: got neither port nor device, want one of "
			"them"},
		{DEVICE("via: 10.0.0.1"), "6:45: groups.g0.members[0].via: got it beside device, "
					  "want none: the fabric leads to a device by its id"},
		{DEVICE("mac: 02:00:00:00:00:01"),
			"6:45: groups.g0.members[0].mac: got it with system port 0, want none: the "
			"router of a device takes packets without"},
		{DEVICE("system_port: 0, mac: 02:00:00:00:00:01"),
			"6:61: groups.g0.members[0].mac: got it with system port 0, want none: the "
			"router of a device takes packets without"},
		{DEVICE("system_port: 65536, mac: 02:00:00:00:00:01"),
			"6:53: groups.g0.members[0].system_port: got 65536, want a number from 0 "
			"to 65535"}, /* one error */
		{BEHIND "groups: [{name: g0, members: [{port: p0, system_port: 1, mac: "
			"02:00:00:00:00:01}]}]\n",
			"5:55: groups.g0.members[0].system_port: got it beside port, want it "
			"beside device, whose system port it is"},
		{BEHIND "groups: [{name: g0, members: [{port: f0, mac: 02:00:00:00:00:01}]}]\n",
			"5:38: groups.g0.members[0].port: got f0, which has role dsf, want "
			"`device: NAME`, or a port of role nsf or longhaul"},
		{BEHIND "groups: [{name: g0, members: [{port: f0}]}]\n",
			"5:38: groups.g0.members[0].port: got f0, which has role dsf, want "
			"`device: NAME`, or a port of role nsf or longhaul"},
		{BEHIND "groups: [{name: g0, members: [{device: e23}]}]\n",
			"5:40: groups.g0.members[0].device: got e23, want the name of a device in "
			"dsf.devices (the nearest is e21)"},
		{PORTS "groups: [{name: g0, members: [{device: e21}]}]\n",
			"4:40: groups.g0.members[0].device: got e21, want the name of a device in "
			"dsf.devices (the file has no dsf.devices)"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, each_way_through_the_fabric_stands_once)
{
	static const struct row rows[] = {
		{DEVICE("weight: 1}, {device: e22}, {device: e21, system_port: 1}, {device: e21, "
			"system_port: 1, mac: 02:00:00:00:00:01"),
			""},
		{DEVICE("weight: 1}, {device: e21, weight: 2"),
			"6:52: groups.g0.members[1]: got the device, system port and mac of "
			"members[0] in line 6, want each way out once, with a weight"},
	};

	EXPECT_ROWS(rows);
}

Test(dsf_item, names_of_a_section_to_come_are_not_missed)
{
	static const struct row rows[] = {
		{"version: 1\ngroups: [{name: g, members: [{device: e9}]}]\n\t}\n",
			"3:1: syntax: got a tab, want spaces for indentation"},
		{BEHIND "groups: [{name: g, members: [{device: e9}]}]\n\t}\n",
			"5:39: groups.g.members[0].device: got e9, want the name of a device in "
			"dsf.devices\n"
			"6:1: syntax: got a tab, want spaces for indentation"},
		{FABRIC "\t}\n", "4:1: syntax: got a tab, want spaces for indentation"},
	};

	EXPECT_ROWS(rows);
}
