/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields by their tables: types, ranges, words, references, keys. Each row checks position and
 * words. */
#include "conf_test.h"

#define PORT_KEYS                                                                                  \
	"name, device, role, mac, promiscuous, mtu, addresses, pace, rate, rate_layer, distance, " \
	"delay, ecn, ecn_by_class, pfc, impair, dscp_map, dscp_rewrite"

Test(field, numbers_are_plain_decimal_within_their_range)
{
	static const struct row rows[] = {
		{PORT("mtu: 1280"), ""},
		{PORT("mtu: 9600"), ""},
		{PORT("mtu: \"1500\""), ""},
		{PORT("mtu: 1279"),
			"4:44: ports.p0.mtu: got 1279, want a number from 1280 to 9600"},
		{PORT("mtu: 9601"),
			"4:44: ports.p0.mtu: got 9601, want a number from 1280 to 9600"},
		{PORT("mtu: 010"), "4:44: ports.p0.mtu: got 010, want a number from 1280 to 9600 "
				   "(no leading zeros: 10)"},
		{PORT("mtu: 01500"), "4:44: ports.p0.mtu: got 01500, want a number from 1280 to "
				     "9600 (no leading zeros: 1500)"},
		{PORT("mtu: 1e3"), "4:44: ports.p0.mtu: got 1e3, want a number from 1280 to 9600 "
				   "(digits written out, no exponent)"},
		{PORT("mtu: 1_000"), "4:44: ports.p0.mtu: got 1_000, want a number from 1280 to "
				     "9600 (plain digits, no '_' between them)"},
		{PORT("mtu: 0x10"), "4:44: ports.p0.mtu: got 0x10, want a number from 1280 to 9600 "
				    "(decimal, not hexadecimal)"},
		{PORT("mtu: 0o17"), "4:44: ports.p0.mtu: got 0o17, want a number from 1280 to 9600 "
				    "(decimal, not octal or binary)"},
		{PORT("mtu: 1500.0"), "4:44: ports.p0.mtu: got 1500.0, want a number from 1280 to "
				      "9600 (a whole number)"},
		{PORT("mtu: -1500"),
			"4:44: ports.p0.mtu: got -1500, want a number from 1280 to 9600 (no sign)"},
		{PORT("mtu: +1500"),
			"4:44: ports.p0.mtu: got +1500, want a number from 1280 to 9600 (no sign)"},
		{PORT("mtu: 1500B"), "4:44: ports.p0.mtu: got 1500B, want a number from 1280 to "
				     "9600 (plain digits, no unit)"},
		{PORT("mtu: 25:00"), "4:44: ports.p0.mtu: got 25:00, want a number from 1280 to "
				     "9600 (plain decimal, nothing to base 60)"},
		{PORT("mtu: no"), "4:44: ports.p0.mtu: got no, want a number from 1280 to 9600"},
		{PORT("mtu: on"), "4:44: ports.p0.mtu: got on, want a number from 1280 to 9600"},
		{PORT("mtu: ~"), "4:44: ports.p0.mtu: got ~, want a number from 1280 to 9600"},
		{PORT("mtu: \"\""),
			"4:44: ports.p0.mtu: got an empty text, want a number from 1280 to 9600"},
		{PORT("mtu: "), "4:44: ports.p0.mtu: got nothing, want a number from 1280 to 9600"},
		{PORT("mtu: [1500]"),
			"4:44: ports.p0.mtu: got a list, want a number from 1280 to 9600"},
		{PORT("mtu: {a: 1500}"),
			"4:44: ports.p0.mtu: got a mapping, want a number from 1280 to 9600"},
		{PORT("mtu: 99999999999999999999"),
			"4:44: ports.p0.mtu: got 99999999999999999999, want a number from 1280 to "
			"9600 (more than 64 bits hold)"},
		{PORTS "hash: {seed: 18446744073709551615}\n", ""},
		{PORTS "hash: {seed: 18446744073709551616}\n",
			"4:14: hash.seed: got 18446744073709551616, want a number from 0 to "
			"18446744073709551615 (more than 64 bits hold)"},
		{PORTS "hash: {seed: 0x1}\n", "4:14: hash.seed: got 0x1, want a number from 0 to "
					      "18446744073709551615 (decimal, not hexadecimal)"},
		{RUNTIME("burst: 0"), "5:10: runtime.burst: got 0, want a number from 1 to 64"},
		{RUNTIME("burst: 65"), "5:10: runtime.burst: got 65, want a number from 1 to 64"},
		{RUNTIME("main_lcore: 128"),
			"5:15: runtime.main_lcore: got 128, want a number from 0 to 127"},
		{RUNTIME("mbufs: auto"), ""},
		{RUNTIME("mbufs: lots"), "5:10: runtime.mbufs: got lots, want auto or a number "
					 "from 1024 to 16777216"},
		{RUNTIME("mbufs: 1023"), "5:10: runtime.mbufs: got 1023, want auto or a number "
					 "from 1024 to 16777216"},
		{RUNTIME("mbufs: 16777217"), "5:10: runtime.mbufs: got 16777217, want auto or a "
					     "number from 1024 to 16777216"},
		{GROUPS("buckets: 100"), "5:72: groups.g0.buckets: got 100, want a power of two "
					 "from 64 to 32768 (this one is no power of two)"},
		{GROUPS("buckets: 32"),
			"5:72: groups.g0.buckets: got 32, want a power of two from 64 to 32768"},
		{GROUPS("buckets: 65536"),
			"5:72: groups.g0.buckets: got 65536, want a power of two from 64 to 32768"},
		{MEMBER("mac: 02:00:00:00:00:01, weight: 65536"),
			"5:69: groups.g0.members[0].weight: got 65536, want a number from 0 to "
			"65535"},
		{"version: 1\nnode: {name: a, id: 0}\nports: [{name: p, device: d, role: nsf}]\n",
			"2:21: node.id: got 0, want a number from 1 to 65534"},
		{"version: 1\nnode: {name: a, id: 65535}\nports: [{name: p, device: d, role: "
		 "nsf}]\n",
			"2:21: node.id: got 65535, want a number from 1 to 65534"},
	};

	EXPECT_ROWS(rows);
}

Test(field, booleans_are_true_and_false_alone)
{
	static const struct row rows[] = {
		{PORT("promiscuous: true"), ""},
		{PORT("promiscuous: false"), ""},
		{PORT("promiscuous: yes"),
			"4:52: ports.p0.promiscuous: got yes, want true or false (write true)"},
		{PORT("promiscuous: no"),
			"4:52: ports.p0.promiscuous: got no, want true or false (write false)"},
		{PORT("promiscuous: on"),
			"4:52: ports.p0.promiscuous: got on, want true or false (write true)"},
		{PORT("promiscuous: Off"),
			"4:52: ports.p0.promiscuous: got Off, want true or false (write false)"},
		{PORT("promiscuous: True"),
			"4:52: ports.p0.promiscuous: got True, want true or false (write true)"},
		{PORT("promiscuous: 1"),
			"4:52: ports.p0.promiscuous: got 1, want true or false (write true)"},
		{PORT("promiscuous: maybe"),
			"4:52: ports.p0.promiscuous: got maybe, want true or false"},
	};

	EXPECT_ROWS(rows);
}

Test(field, words_of_yaml_1_1_stay_names)
{
	static const struct row rows[] = {
		{"version: 1\nnode: {name: no, id: 1}\nports: [{name: on, device: off, role: "
		 "nsf}]\n",
			""},
		{"version: 1\nnode: {name: 010, id: 1}\nports: [{name: 1e3, device: 1_000, role: "
		 "nsf}]\n",
			""},
		{"version: 1\nnode: {name: null, id: 1}\nports: [{name: 12.5, device: ~, role: "
		 "nsf}]\n",
			""},
	};

	EXPECT_ROWS(rows);
}

Test(field, amounts_come_with_their_unit)
{
	static const struct row rows[] = {
		{RUNTIME("memory: 64MB"), ""},
		{RUNTIME("memory: 1TB"), ""},
		{RUNTIME("memory: 512"), "5:11: runtime.memory: got 512, want a size from 64MB to "
					 "1TB (with its unit, such as 512MB)"},
		{RUNTIME("memory: 512mb"), "5:11: runtime.memory: got 512mb, want a size from 64MB "
					   "to 1TB (write 512MB)"},
		{RUNTIME("memory: 512 MB"), "5:11: runtime.memory: got \"512 MB\", want a size "
					    "from 64MB to 1TB (write 512MB)"},
		{RUNTIME("memory: 512M"), "5:11: runtime.memory: got 512M, want a size from 64MB "
					  "to 1TB (write 512MB)"},
		{RUNTIME("memory: 1.5GB"),
			"5:11: runtime.memory: got 1.5GB, want a size from 64MB to 1TB (a whole "
			"number and a unit; take a smaller unit)"},
		{RUNTIME("memory: 0512MB"), "5:11: runtime.memory: got 0512MB, want a size from "
					    "64MB to 1TB (no leading zeros: 512)"},
		{RUNTIME("memory: 1_000MB"), "5:11: runtime.memory: got 1_000MB, want a size from "
					     "64MB to 1TB (plain digits, no '_' between them)"},
		{RUNTIME("memory: 63MB"),
			"5:11: runtime.memory: got 63MB, want a size from 64MB to 1TB"},
		{RUNTIME("memory: 2TB"),
			"5:11: runtime.memory: got 2TB, want a size from 64MB to 1TB"},
		{RUNTIME("memory: MB"),
			"5:11: runtime.memory: got MB, want a size from 64MB to 1TB"},
		{RUNTIME("memory: 512Mbit"),
			"5:11: runtime.memory: got 512Mbit, want a size from 64MB to 1TB"},
		{RUNTIME("memory: 18446744073709551615TB"),
			"5:11: runtime.memory: got 18446744073709551615TB, want a size from 64MB "
			"to 1TB (more than 64 bits hold)"},
		{PORT("pace: 20kpps"), ""},
		{PORT("pace: 20"), "4:45: ports.p0.pace: got 20, want a rate from 1pps to 10Gpps "
				   "(with its unit, such as 20kpps)"},
		{PORT("pace: 20k"), "4:45: ports.p0.pace: got 20k, want a rate from 1pps to 10Gpps "
				    "(write 20kpps)"},
		{PORT("pace: 3mpps"), "4:45: ports.p0.pace: got 3mpps, want a rate from 1pps to "
				      "10Gpps (write 3Mpps)"},
		{PORT("pace: 0pps"),
			"4:45: ports.p0.pace: got 0pps, want a rate from 1pps to 10Gpps"},
		{PORT("pace: 11Gpps"),
			"4:45: ports.p0.pace: got 11Gpps, want a rate from 1pps to 10Gpps"},
		{PORT("pace: fast"),
			"4:45: ports.p0.pace: got fast, want a rate from 1pps to 10Gpps"},
	};

	EXPECT_ROWS(rows);
}

Test(field, macs_are_unicast_and_with_colons)
{
	static const struct row rows[] = {
		{PORT("mac: 02:11:22:33:44:55"), ""},
		{PORT("mac: 10:10:10:10:10:10"), ""},
		{PORT("mac: 02:AB:cd:Ef:00:01"), ""},
		{PORT("mac: 02-00-00-00-00-01"),
			"4:44: ports.p0.mac: got 02-00-00-00-00-01, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (colons between the pairs)"},
		{PORT("mac: 01:00:00:00:00:01"),
			"4:44: ports.p0.mac: got 01:00:00:00:00:01, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (this one is multicast: its first byte is odd)"},
		{PORT("mac: ff:ff:ff:ff:ff:ff"),
			"4:44: ports.p0.mac: got ff:ff:ff:ff:ff:ff, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (this one is multicast: its first byte is odd)"},
		{PORT("mac: 00:00:00:00:00:00"),
			"4:44: ports.p0.mac: got 00:00:00:00:00:00, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (this one is all zeros)"},
		{PORT("mac: 02:00:00:00:00"),
			"4:44: ports.p0.mac: got 02:00:00:00:00, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (six pairs of hex digits with colons)"},
		{PORT("mac: 02:00:00:00:00:01:02"),
			"4:44: ports.p0.mac: got 02:00:00:00:00:01:02, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (six pairs of hex digits with colons)"},
		{PORT("mac: 020000000001"),
			"4:44: ports.p0.mac: got 020000000001, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (six pairs of hex digits with colons)"},
		{PORT("mac: 2:0:0:0:0:1"),
			"4:44: ports.p0.mac: got 2:0:0:0:0:1, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (six pairs of hex digits with colons)"},
		{PORT("mac: 02:00:00:00:00:0g"),
			"4:44: ports.p0.mac: got 02:00:00:00:00:0g, want a unicast MAC such as "
			"\"02:00:00:00:00:01\" (six pairs of hex digits with colons)"},
	};

	EXPECT_ROWS(rows);
}

Test(field, words_that_come_later_are_refused_as_such)
{
	static const struct row rows[] = {
		{HEAD "ports: [{name: p, device: d, role: leaf}]\n",
			"3:36: ports.p.role: got leaf, want nsf, longhaul or dsf"},
		{GROUPS("policy: ecmp"), ""},
		{GROUPS("policy: random"), "5:71: groups.g0.policy: got random, want ecmp, "
					   "flowlet, spray or adaptive"},
		{RUNTIME("idle: sleep"), "5:9: runtime.idle: got sleep, want poll or adaptive"},
	};

	EXPECT_ROWS(rows);
}

Test(field, hash_is_a_set_with_5tuple)
{
	static const struct row rows[] = {
		{GROUPS("hash: [5tuple]"), ""},
		{GROUPS("hash: [dest_qp, 5tuple]"), ""},
		{GROUPS("hash: [dest_qp]"), "5:69: groups.g0.hash: got a list without 5tuple, want "
					    "a list of 5tuple, dest_qp, flow_label with it"},
		{GROUPS("hash: [5tuple, 5tuple]"),
			"5:78: groups.g0.hash[1]: got 5tuple again, want each once"},
		{GROUPS("hash: []"),
			"5:69: groups.g0.hash: got 0 items, want a list of 5tuple, dest_qp, "
			"flow_label"},
		{GROUPS("hash: 5tuple"),
			"5:69: groups.g0.hash: got 5tuple, want a list of 5tuple, dest_qp, "
			"flow_label, or a mapping"},
		{GROUPS("hash: [5tuple, src_mac]"),
			"5:78: groups.g0.hash[1]: got src_mac, want 5tuple, dest_qp or flow_label"},
		{GROUPS("hash: [5tuple, [dest_qp]]"),
			"5:78: groups.g0.hash[1]: got a list, want 5tuple, dest_qp or flow_label"},
	};

	EXPECT_ROWS(rows);
}

Test(field, names_are_short_and_plain)
{
	static const struct row rows[] = {
		{HEAD "ports: [{name: a-1_b.c, device: d, role: nsf}]\n", ""},
		{HEAD "ports: [{name: abcdefghijklmnopqrstuvwxyz01234, device: d, role: nsf}]\n",
			""},
		{HEAD "ports: [{name: abcdefghijklmnopqrstuvwxyz012345, device: d, role: nsf}]\n",
			"3:16: ports[0].name: got abcdefghijklmnopqrstuvwxyz012345, want a name "
			"like [a-z0-9][a-z0-9_.-]* of at most 31 characters (it has 32 "
			"characters)"},
		{HEAD "ports: [{name: Nsf0, device: d, role: nsf}]\n",
			"3:16: ports[0].name: got Nsf0, want a name like [a-z0-9][a-z0-9_.-]* of "
			"at most 31 characters (lower case)"},
		{HEAD "ports: [{name: -a, device: d, role: nsf}]\n",
			"3:16: ports[0].name: got -a, want a name like [a-z0-9][a-z0-9_.-]* of at "
			"most 31 characters"},
		{HEAD "ports: [{name: a b, device: d, role: nsf}]\n",
			"3:16: ports[0].name: got \"a b\", want a name like [a-z0-9][a-z0-9_.-]* "
			"of at most 31 characters"},
		{HEAD "ports: [{name: a/b, device: d, role: nsf}]\n",
			"3:16: ports[0].name: got a/b, want a name like [a-z0-9][a-z0-9_.-]* of at "
			"most 31 characters"},
		{HEAD "ports: [{name: \"a\\0b\", device: d, role: nsf}]\n",
			"3:16: ports[0].name: got \"a\\x00b\", want a name like "
			"[a-z0-9][a-z0-9_.-]* of at most 31 characters (without a NUL)"},
		{HEAD "ports: [{name: \"a\\e[31m\", device: d, role: nsf}]\n",
			"3:16: ports[0].name: got \"a\\x1b[31m\", want a name like "
			"[a-z0-9][a-z0-9_.-]* of at most 31 characters"},
		{HEAD "ports: [{name: \"\", device: d, role: nsf}]\n",
			"3:16: ports[0].name: got an empty text, want a name like "
			"[a-z0-9][a-z0-9_.-]* of at most 31 characters"},
		{HEAD "ports: [{name: p, device: \"\", role: nsf}]\n",
			"3:27: ports.p.device: got an empty text, want a text that is not empty"},
		{HEAD "ports: [{name: p, device: \"a\\tb\", role: nsf}]\n",
			"3:27: ports.p.device: got \"a\\x09b\", want a text that is not empty "
			"(without control "
			"characters)"},
		{RUNTIME("eal: [--log-level=8, \"\"]"),
			"5:24: runtime.eal[1]: got an empty text, want a text that is not empty"},
		{RUNTIME("eal: -l 1"), "5:8: runtime.eal: got \"-l 1\", want a list of at most 64"},
	};

	EXPECT_ROWS(rows);
}

Test(field, addresses_of_a_port_have_a_prefix_length)
{
	static const struct row rows[] = {
		{PORT("addresses: []"), ""},
		{PORT("addresses: [10.1.0.1/31, 10:10::1/64]"), ""},
		{PORT("addresses: [\"10:10::/127\"]"), ""},
		{PORT("addresses: [10.1.0.1]"),
			"4:51: ports.p0.addresses[0]: got 10.1.0.1, want an address with its "
			"prefix length (with its prefix length, such as 10.1.0.1/32)"},
		{PORT("addresses: [\"10:10::\"]"),
			"4:51: ports.p0.addresses[0]: got 10:10::, want an address with its prefix "
			"length (with its prefix length, such as 10:10::/128)"},
		{PORT("addresses: [10.1.0.1/33]"),
			"4:51: ports.p0.addresses[0]: got 10.1.0.1/33, want an address with its "
			"prefix length (a prefix length from 0 to 32)"},
		{PORT("addresses: [10:10::1/129]"),
			"4:51: ports.p0.addresses[0]: got 10:10::1/129, want an address with its "
			"prefix length (a prefix length from 0 to 128)"},
		{PORT("addresses: [10.1.0.01/31]"),
			"4:51: ports.p0.addresses[0]: got 10.1.0.01/31, want an address with its "
			"prefix length (four numbers from 0 to 255 without leading zeros)"},
		{PORT("addresses: [10.1.0.1/031]"),
			"4:51: ports.p0.addresses[0]: got 10.1.0.1/031, want an address with its "
			"prefix length (a prefix length from 0 to 32)"},
		{PORT("addresses: [10.1.0.1/0]"),
			"4:51: ports.p0.addresses[0]: got 10.1.0.1/0, want an address with its "
			"prefix length (a prefix length from 1 to 32)"},
		{PORT("addresses: [224.0.0.1/4]"),
			"4:51: ports.p0.addresses[0]: got 224.0.0.1/4, want an address with its "
			"prefix length (this one is multicast)"},
		{PORT("addresses: [ff02::1/64]"),
			"4:51: ports.p0.addresses[0]: got ff02::1/64, want an address with its "
			"prefix length (this one is multicast)"},
		{PORT("addresses: [0.0.0.0/8]"),
			"4:51: ports.p0.addresses[0]: got 0.0.0.0/8, want an address with its "
			"prefix length (this one is the unspecified address)"},
		{PORT("addresses: [127.0.0.1/8]"),
			"4:51: ports.p0.addresses[0]: got 127.0.0.1/8, want an address with its "
			"prefix length (this one is loopback)"},
		{PORT("addresses: [240.0.0.1/8]"),
			"4:51: ports.p0.addresses[0]: got 240.0.0.1/8, want an address with its "
			"prefix length (this one is reserved)"},
		{PORT("addresses: [fe80::1%eth0/64]"),
			"4:51: ports.p0.addresses[0]: got fe80::1%eth0/64, want an address with "
			"its prefix length (without a zone)"},
		{PORT("addresses: 10.1.0.1/31"),
			"4:50: ports.p0.addresses: got 10.1.0.1/31, want a list of at most 64"},
		{PORT("addresses: [host/31]"), "4:51: ports.p0.addresses[0]: got host/31, want an "
					       "address with its prefix length"},
	};

	EXPECT_ROWS(rows);
}

Test(field, ipv6_that_ends_in_colons_says_what_to_quote)
{
	static const struct row rows[] = {
		{MEMBER("via: \"10:10::\""), ""},
		{MEMBER("via: 10:10::"), "5:48: syntax: got a value that ends in ':', want quotes "
					 "around it (\"10:10::\") (begun at 5:42)"},
		{PORTS "groups:\n  - name: g0\n    members:\n      - port: p0\n        via: "
		       "10:10::\n",
			"8:20: syntax: got a ':' that makes no key here, want quotes around a "
			"value that holds ': ' or ends in ':' (\"10:10::\")"},
		{PORT("addresses: [10:10::]"), "4:57: syntax: got a value that ends in ':', want "
					       "quotes around it (\"10:10::\") (begun at 4:51)"},
		{HEAD "ports:\n  - name: p0\n    device: d0\n    role: nsf\n    addresses:\n      "
		      "- 10:10::\n",
			"8:9: ports.p0.addresses[0]: got a mapping, want an address with its "
			"prefix length (a text that ends in ':' needs quotes: \"10:10::\")"},
		{ROUTE("prefix: 10:10::, group: g0"),
			"7:22: syntax: got a value that ends in ':', want quotes around it "
			"(\"10:10::\") (begun at 7:16)"},
		{ROUTE("prefix: 10:10::/32, group: g0"), ""},
		{GROUP "routes:\n  static:\n    - prefix: 10:10::\n      group: g0\n",
			"7:21: syntax: got a ':' that makes no key here, want quotes around a "
			"value that holds ': ' or ends in ':' (\"10:10::\")"},
	};

	EXPECT_ROWS(rows);
}

Test(field, next_hops_are_unicast_addresses)
{
	static const struct row rows[] = {
		{MEMBER("via: 10.9.0.1"), ""},
		{MEMBER("via: 10.9.0.1, mac: 02:00:00:00:00:01"), ""},
		{MEMBER("via: 10.9.0.1/31"),
			"5:42: groups.g0.members[0].via: got 10.9.0.1/31, want an IPv4 or IPv6 "
			"unicast address (without a prefix length)"},
		{MEMBER("via: ff02::1"), "5:42: groups.g0.members[0].via: got ff02::1, want an "
					 "IPv4 or IPv6 unicast address (this one is multicast)"},
		{MEMBER("via: \"::\""),
			"5:42: groups.g0.members[0].via: got ::, want an IPv4 or IPv6 unicast "
			"address (this one is the unspecified address)"},
		{MEMBER("via: 256.1.1.1"),
			"5:42: groups.g0.members[0].via: got 256.1.1.1, want an IPv4 or IPv6 "
			"unicast address (four numbers from 0 to 255 without leading zeros)"},
		{MEMBER("via: nexthop"), "5:42: groups.g0.members[0].via: got nexthop, want an "
					 "IPv4 or IPv6 unicast address"},
		{MEMBER("weight: 2"), "5:26: groups.g0.members[0]: got neither via nor mac, want "
				      "one of them or both"},
	};

	EXPECT_ROWS(rows);
}

Test(field, prefixes_have_no_host_bits)
{
	static const struct row rows[] = {
		{ROUTE("prefix: 0.0.0.0/0, group: g0"), ""},
		{ROUTE("prefix: \"::/0\", group: g0"), ""},
		{ROUTE("prefix: 10.2.0.1/32, group: g0"), ""},
		{ROUTE("prefix: 10.2.0.1/16, group: g0"),
			"7:16: routes.static[0].prefix: got 10.2.0.1/16, want a prefix such as "
			"10.2.0.0/16 (host bits are set: 10.2.0.0/16)"},
		{ROUTE("prefix: 10.2.0.1/31, group: g0"),
			"7:16: routes.static[0].prefix: got 10.2.0.1/31, want a prefix such as "
			"10.2.0.0/16 (host bits are set: 10.2.0.0/31)"},
		{ROUTE("prefix: 10:10::1/32, group: g0"),
			"7:16: routes.static[0].prefix: got 10:10::1/32, want a prefix such as "
			"10.2.0.0/16 (host bits are set: 10:10::/32)"},
		{ROUTE("prefix: 2001:db8:ffff::/33, group: g0"),
			"7:16: routes.static[0].prefix: got 2001:db8:ffff::/33, want a prefix such "
			"as 10.2.0.0/16 (host bits are set: 2001:db8:8000::/33)"},
		{ROUTE("prefix: 10.2.0.0, group: g0"),
			"7:16: routes.static[0].prefix: got 10.2.0.0, want a prefix such as "
			"10.2.0.0/16 (with its prefix length, such as 10.2.0.0/32)"},
		{ROUTE("prefix: 10.2.0.0/33, group: g0"),
			"7:16: routes.static[0].prefix: got 10.2.0.0/33, want a prefix such as "
			"10.2.0.0/16 (a prefix length from 0 to 32)"},
		{ROUTE("prefix: 10.2.0.0/, group: g0"),
			"7:16: routes.static[0].prefix: got 10.2.0.0/, want a prefix such as "
			"10.2.0.0/16 (a prefix length from 0 to 32)"},
		{ROUTE("prefix: 0.0.0.0/00, group: g0"),
			"7:16: routes.static[0].prefix: got 0.0.0.0/00, want a prefix such as "
			"10.2.0.0/16 (a prefix length from 0 to 32)"},
		{ROUTE("prefix: /8, group: g0"),
			"7:16: routes.static[0].prefix: got /8, want a prefix such as 10.2.0.0/16"},
		{ROUTE("prefix: default, group: g0"), "7:16: routes.static[0].prefix: got default, "
						      "want a prefix such as 10.2.0.0/16"},
		{ROUTE("prefix: 10.2/16, group: g0"),
			"7:16: routes.static[0].prefix: got 10.2/16, want a prefix such as "
			"10.2.0.0/16 (four numbers from 0 to 255 without leading zeros)"},
	};

	EXPECT_ROWS(rows);
}

Test(field, references_are_by_name_and_offer_the_nearest)
{
	static const struct row rows[] = {
		{ROUTE("prefix: 10.2.0.0/16, group: g1"),
			"7:36: routes.static[0].group: got g1, want the name of a group (the "
			"nearest is g0)"},
		{ROUTE("prefix: 10.2.0.0/16, group: elsewhere"),
			"7:36: routes.static[0].group: got elsewhere, want the name of a group"},
		{ROUTE("prefix: 10.2.0.0/16, group: [g0]"),
			"7:36: routes.static[0].group: got a list, want the name of a group"},
		{PORTS "routes: {static: [{prefix: 10.2.0.0/16, group: g0}]}\n",
			"4:48: routes.static[0].group: got g0, want the name of a group (the file "
			"has no groups)"},
		{PORTS "groups: [{name: g0, members: [{port: pp0, mac: 02:00:00:00:00:01}]}]\n",
			"4:38: groups.g0.members[0].port: got pp0, want the name of a port (the "
			"nearest is p0)"},
		{RUNTIME("workers: [{lcore: 1, rx: [p0, nope]}]"),
			"5:33: runtime.workers[0].rx[1]: got nope, want the name of a port"},
	};

	EXPECT_ROWS(rows);
}

Test(field, unknown_keys_offer_the_nearest)
{
	static const struct row rows[] = {
		{PORT("mtuu: 1500"), "4:39: ports.p0.mtuu: got an unknown key, want mtu (the "
				     "nearest known one)"},
		{PORT("mut: 1500"),
			"4:39: ports.p0.mut: got an unknown key, want mtu (the nearest known one)"},
		{PORT("promiscous: true"), "4:39: ports.p0.promiscous: got an unknown key, want "
					   "promiscuous (the nearest known one)"},
		{PORT("Mtu: 1500"),
			"4:39: ports.p0.Mtu: got an unknown key, want mtu (the nearest known one)"},
		{PORT("distence: 80km"), "4:39: ports.p0.distence: got an unknown key, want "
					 "distance (the nearest known one)"},
		{PORT("punt: 80km"),
			"4:39: ports.p0.punt: got an unknown key, want one of " PORT_KEYS},
		{RUNTIME("main-lcore: 1"), "5:3: runtime.main-lcore: got an unknown key, want "
					   "main_lcore (the nearest known one)"},
		{GROUPS("bucket: 64"), "5:63: groups.g0.bucket: got an unknown key, want buckets "
				       "(the nearest known one)"},
		{MEMBER("mac: 02:00:00:00:00:01, wieght: 3"),
			"5:61: groups.g0.members[0].wieght: got an unknown key, want weight (the "
			"nearest known one)"},
		{ROUTE("prefix: 10.0.0.0/8, gruop: g0"),
			"7:7: routes.static[0].group: got nothing, want the name of a group (the "
			"key is required)\n"
			"7:28: routes.static[0].gruop: got an unknown key, want group (the nearest "
			"known one)"},
		{CLASS("dcsp: [1]"), "5:25: classes.c.dcsp: got an unknown key, want dscp (the "
				     "nearest known one)"},
		{PORTS "group: []\n",
			"4:1: group: got an unknown key, want groups (the nearest known one)"},
		{PORTS "classs: []\n",
			"4:1: classs: got an unknown key, want classes (the nearest known one)"},
		{PORTS "telemetry: {}\n",
			"4:1: telemetry: got an unknown key, want one of version, node, ports, "
			"runtime, classes, hyperports, dsf, hash, flows, groups, routes"},
		{GROUP "routes: {kernel: {table: main}}\n",
			"5:10: routes.kernel: got an unknown key, want one of static"},
		{PORT("\"a\\u202eb\": 1"), "4:39: ports.p0.\"a\\xe2\\x80\\xaeb\": got an unknown "
					   "key, want one of " PORT_KEYS},
	};

	EXPECT_ROWS(rows);
}

Test(field, keys_of_later_versions_are_unknown)
{
	static const char *const port_keys[] = {"vlan", "punt", "icmp"};
	static const char *const file_keys[] = {"telemetry", "console", "metrics", "kernel"};

	for (size_t i = 0; i < sizeof(port_keys) / sizeof(port_keys[0]); i++) {
		char yaml[512], want[512];

		snprintf(yaml, sizeof(yaml), PORT("%s: 1"), port_keys[i]);
		snprintf(want, sizeof(want),
			"4:39: ports.p0.%s: got an unknown key, want one of " PORT_KEYS,
			port_keys[i]);
		expect_errors(yaml, strlen(yaml), want);
	}
	for (size_t i = 0; i < sizeof(file_keys) / sizeof(file_keys[0]); i++) {
		char yaml[512], want[512];

		snprintf(yaml, sizeof(yaml), PORTS "%s: 1\n", file_keys[i]);
		snprintf(want, sizeof(want),
			"4:1: %s: got an unknown key, want one of version, node, ports, runtime, "
			"classes, hyperports, "
			"dsf, hash, flows, groups, routes",
			file_keys[i]);
		expect_errors(yaml, strlen(yaml), want);
	}
}

Test(field, missing_keys_point_at_their_mapping)
{
	static const struct row rows[] = {
		{HEAD, "1:1: ports: got nothing, want a list of 1 to 128 (the key is required)"},
		{HEAD "ports: []\n", "3:8: ports: got 0 items, want a list of 1 to 128"},
		{HEAD "ports: [{device: d, role: nsf}]\n",
			"3:9: ports[0].name: got nothing, want a name like [a-z0-9][a-z0-9_.-]* of "
			"at most 31 characters (the key is required)"},
		{HEAD "ports:\n  - name: p0\n",
			"4:5: ports.p0.device: got nothing, want a text that is not empty (the key "
			"is required)\n"
			"4:5: ports.p0.role: got nothing, want nsf, longhaul or dsf (the key is "
			"required)"},
		{"node: {name: a, id: 1}\nports: [{name: p, device: d, role: nsf}]\n",
			"1:1: version: got nothing, want 1 (the key is required)"},
		{"version: 1\nnode: {}\nports: [{name: p, device: d, role: nsf}]\n",
			"2:7: node.name: got nothing, want a name like [a-z0-9][a-z0-9_.-]* of at "
			"most 31 characters (the key is required)\n"
			"2:7: node.id: got nothing, want a number from 1 to 65534 (the key is "
			"required)"},
		{"version: 1\nports: [{name: p, device: d, role: nsf}]\n",
			"1:1: node: got nothing, want a mapping (the key is required)"},
		{ROUTE("group: g0"), "7:7: routes.static[0].prefix: got nothing, want a prefix "
				     "such as 10.2.0.0/16 (the key is required)"},
		{ROUTE("prefix: 10.2.0.0/16"), "7:7: routes.static[0].group: got nothing, want the "
					       "name of a group (the key is required)"},
		{PORTS "classes: [{name: c}]\n", "4:11: classes.c.class: got nothing, want a "
						 "number from 0 to 7 (the key is required)"},
		{RUNTIME("workers: [{lcore: 1}]"), "5:13: runtime.workers[0].rx: got nothing, want "
						   "a list of 1 to 128 (the key is required)"},
		{PORTS "groups: [{name: g0, members: []}]\n",
			"4:30: groups.g0.members: got 0 items, want a list of 1 to 128"},
	};

	EXPECT_ROWS(rows);
}

Test(field, version_stands_first_and_is_1)
{
	static const struct row rows[] = {
		{"node: {name: a, id: 1}\nversion: 1\nports: [{name: p, device: d, role: nsf}]\n",
			"2:10: version: got it after other keys, want `version: 1` as the first "
			"key of the file"},
		{"version: 2\nnode: {name: a, id: 1}\nports: [{name: p, device: d, role: nsf}]\n",
			"1:10: version: got 2, want 1"},
		{"version: 1.0\nnode: {name: a, id: 1}\nports: [{name: p, device: d, role: nsf}]\n",
			"1:10: version: got 1.0, want 1 (a whole number)"},
	};

	EXPECT_ROWS(rows);
}

Test(field, lists_and_mappings_are_not_taken_for_each_other)
{
	static const struct row rows[] = {
		{PORTS "runtime:\n", "4:9: runtime: got nothing, want a mapping"},
		{PORTS "runtime: []\n", "4:10: runtime: got a list, want a mapping"},
		{PORTS "groups: {}\n", "4:9: groups: got a mapping, want a list of at most 32000"},
		{PORTS "groups: [g0]\n", "4:10: groups[0]: got g0, want a mapping"},
		{PORTS "routes: {static: {}}\n",
			"4:18: routes.static: got a mapping, want a list of at most 8388608"},
		{HEAD "ports: [p0]\n", "3:9: ports[0]: got p0, want a mapping"},
		{HEAD "ports: p0\n", "3:8: ports: got p0, want a list of 1 to 128"},
		{RUNTIME("workers: []"),
			"5:12: runtime.workers: got 0 items, want a list of 1 to 128"},
		{RUNTIME("workers: [{lcore: 1, rx: []}]"),
			"5:28: runtime.workers[0].rx: got 0 items, want a list of 1 to 128"},
		{PORTS "classes: {}\n", "4:10: classes: got a mapping, want a list of at most 8"},
	};

	EXPECT_ROWS(rows);
}
