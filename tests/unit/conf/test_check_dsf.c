/* SPDX-License-Identifier: BSD-3-Clause */
/* The cell fabric across the file: links, room for cells, destinations; and what a file gives. */
#include "conf/fabric.h"
#include "conf_test.h"

static struct parsed
load_fabric(void)
{
	const char *root = getenv("SOFTBAG_ROOT");
	struct parsed p = {0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/conf/dsf.yaml", root ? root : ".");
	p.rc = conf_load(path, &p.c, &p.e);
	if (p.rc != 0)
		conf_errors_print(&p.e, path, stderr);
	cr_assert_eq(p.rc, 0, "%s", path);
	return p;
}

Test(check_dsf, whole_file_gives_the_fabric)
{
	struct parsed p = load_fabric();
	const struct conf_dsf *f = &p.c->dsf;

	cr_expect_eq(f->pos.line, 14);
	cr_expect_eq(f->device_id, 65534);
	cr_expect_eq(f->cell_size, 4096);
	cr_expect_eq(f->scheduling, CONF_SCHEDULING_PUSH);
	cr_expect_eq(f->ethertype, 0x88b6);
	cr_expect(f->transit);
	cr_expect_eq(f->reach_interval_ns, 2500000);
	cr_expect_eq(f->min_links_join, 2);
	cr_expect_eq(f->min_links_remain, 1);
	cr_expect_eq(f->reassembly_timeout_ns, 250000);
	cr_expect_eq(f->reassembly_window, 4096);
	cr_expect_eq(f->reassembly_cells, 5000);
	cr_expect_not(f->reassembly_auto);
	cr_expect_eq(f->credit_bytes, 32768);
	cr_expect_eq(f->speedup_permille, 1055);
	cr_expect_eq(f->credit_watchdog_ns, 0);
	cr_expect_eq(f->router_rate_bps, UINT64_C(80000000000));
	cr_expect_eq(f->voq_limit, 64000000);
	cr_expect_eq(f->egress_bound, 200000);
	cr_assert_eq(f->n_system_ports, 2);
	cr_expect_eq(f->system_port[0].number, 4);
	cr_expect_eq(f->system_port[0].port_idx, 1);
	cr_expect_eq(f->system_port[1].number, 65535);
	cr_expect_eq(f->system_port[1].port_idx, 0);
	cr_expect_eq(f->system_port[1].pos.line, 33);
	cr_assert_eq(f->n_devices, 2);
	cr_expect_str_eq(f->device[0].name, "bag-11");
	cr_expect_eq(f->device[0].id, 11);
	cr_expect_eq(f->device[1].id, 22);
	cr_expect_eq(f->device[1].pos.line, 36);
	cr_expect_eq(conf_device_by_name(p.c, "edge-22"), 1);
	cr_expect_eq(conf_device_by_name(p.c, "edge-23"), -1);
	cr_expect_eq(conf_device_by_name(p.c, ""), -1);
	parsed_fini(&p);
}

Test(check_dsf, whole_file_gives_links)
{
	static const uint8_t mac[6] = {0x02, 0, 0, 0, 0, 0x0f};
	struct parsed p = load_fabric();
	const struct conf_port *port = p.c->port;

	cr_assert_eq(p.c->n_ports, 5);
	cr_expect_eq(port[3].role, CONF_ROLE_DSF);
	cr_expect_eq(port[3].mtu, 9240);
	cr_expect_eq(port[3].rate_bps, UINT64_C(100000000000));
	cr_expect_arr_eq(port[3].mac, mac, 6);
	cr_expect_eq(port[3].impair_out.loss_ppb, 10000000);
	cr_expect_eq(port[3].impair_out.jitter_ns, 5000);
	cr_expect_neq(port[3].impair_out.seed, 0);
	cr_expect_eq(port[4].mtu, 4096 + 24);
	cr_expect_eq(port[4].rate_bps, 0);
	cr_expect_eq(port[4].pace_pps, 20000);
	for (unsigned int n = 0; n < CONF_CLASSES; n++)
		cr_expect_eq(port[3].class_ecn[n].mode, CONF_ECN_OFF);
	cr_expect_str_eq(conf_role_name(port[0].role), "nsf");
	cr_expect_str_eq(conf_role_name(port[2].role), "longhaul");
	cr_expect_str_eq(conf_role_name(port[4].role), "dsf");
	parsed_fini(&p);
}

Test(check_dsf, whole_file_gives_members)
{
	struct parsed p = load_fabric();
	const struct conf_member *a = p.c->group[0].member, *b = p.c->group[1].member;

	cr_expect_eq(a[0].device_idx, 0);
	cr_expect_eq(a[0].port_idx, UINT16_MAX);
	cr_expect_eq(a[0].system_port, 0);
	cr_expect_eq(a[0].weight, 3);
	cr_expect_not(a[0].has_mac);
	cr_expect_eq(a[1].device_idx, UINT16_MAX);
	cr_expect_eq(a[1].port_idx, 2);
	cr_expect_eq(b[0].device_idx, 1);
	cr_expect_eq(b[0].system_port, 4);
	cr_expect(b[0].has_mac);
	cr_expect_eq(b[1].system_port, 65535);
	cr_expect_eq(b[1].mac[5], 5);
	cr_expect_eq(b[2].mac[5], 6);
	parsed_fini(&p);
}

Test(check_dsf, a_short_section_gives_defaults)
{
	struct parsed p = good(DSF(""));
	const struct conf_dsf *f = &p.c->dsf;

	cr_expect_eq(f->device_id, 11);
	cr_expect_eq(f->cell_size, 2048);
	cr_expect_eq(f->scheduling, CONF_SCHEDULING_CREDIT);
	cr_expect_eq(f->ethertype, 0x88b5);
	cr_expect_not(f->transit);
	cr_expect_eq(f->reach_interval_ns, 10000000);
	cr_expect_eq(f->min_links_join, 1);
	cr_expect_eq(f->min_links_remain, 1);
	cr_expect_eq(f->reassembly_timeout_ns, 1000000);
	cr_expect_eq(f->reassembly_window, 1024);
	cr_expect_eq(f->reassembly_cells, 6104); /* 100 Gbit/s x 1 ms of 2048 bytes */
	cr_expect(f->reassembly_auto);
	cr_expect_eq(f->credit_bytes, 16384);
	cr_expect_eq(f->speedup_permille, 1020);
	cr_expect_eq(f->credit_watchdog_ns, 500000000);
	cr_expect_eq(f->router_rate_bps, 0);
	cr_expect_eq(f->voq_limit, 16000000);
	cr_expect_eq(f->egress_bound, 0);
	cr_expect_eq(f->n_system_ports, 0);
	cr_expect_eq(f->n_devices, 0);
	cr_expect_eq(p.c->port[1].mtu, 2072);
	cr_expect_eq(p.c->port[0].mtu, 1500);
	parsed_fini(&p);
}

Test(check_dsf, without_a_section_there_is_no_device)
{
	struct parsed p = good(GROUP);

	cr_expect_eq(p.c->dsf.pos.line, 0);
	cr_expect_eq(p.c->dsf.device_id, 0);
	cr_expect_eq(p.c->dsf.cell_size, 2048);
	cr_expect_eq(p.c->group[0].member[0].device_idx, UINT16_MAX);
	cr_expect_eq(p.c->group[0].member[0].system_port, 0);
	parsed_fini(&p);
}

Test(check_dsf, links_need_a_section)
{
	static const struct row rows[] = {
		{FABRIC, "3:73: ports.f0.role: got dsf in a file without `dsf`, want `dsf: "
			 "{device_id: N}` in it, N from 1 to 65534"},
		{HEAD "ports:\n  - {name: f0, device: d0, role: dsf}\n  - {name: f1, device: d1, "
		      "role: dsf}\n",
			"4:34: ports.f0.role: got dsf in a file without `dsf`, want `dsf: "
			"{device_id: N}` in it, N from 1 to 65534"},
		{FABRIC "dsf:\n", "4:5: dsf: got nothing, want a mapping"},
	};

	EXPECT_ROWS(rows);
}

Test(check_dsf, cells_fit_the_mtu_of_every_link)
{
	static const struct row rows[] = {
#define MTU(m, dsf)                                                                                \
	HEAD "ports:\n  - {name: p0, device: d0, role: nsf, mtu: 1280}\n  - {name: f0, device: "   \
	     "d1, role: dsf, mtu: " m "}\ndsf: {device_id: 1" dsf "}\n"
		{MTU("2072", ""), ""},
		{MTU("2071", ""),
			"5:44: ports.f0.mtu: got 2071, want 2072 at least: dsf.cell_size 2048 + 24 "
			"bytes of cell header (or a cell_size of 2047 at most)"},
		{MTU("9240", ", cell_size: 9216"), ""},
		{MTU("9239", ", cell_size: 9216"),
			"5:44: ports.f0.mtu: got 9239, want 9240 at least: dsf.cell_size 9216 + 24 "
			"bytes of cell header (or a cell_size of 9215 at most)"},
		{MTU("1500", ", cell_size: 1476"), ""},
		{MTU("1500", ", cell_size: 1477"),
			"5:44: ports.f0.mtu: got 1500, want 1501 at least: dsf.cell_size 1477 + 24 "
			"bytes of cell header (or a cell_size of 1476 at most)"},
		/* One error each. */
		{MTU("1500", ", cell_size: x"),
			"6:32: dsf.cell_size: got x, want a number from 256 to 9216"},
		{MTU("15000", ""),
			"5:44: ports.f0.mtu: got 15000, want a number from 1280 to 9600"},
		{HEAD "ports:\n  - {name: f0, device: d0, role: dsf, mtu: 1500}\n  - {name: f1, "
		      "device: d1, role: dsf}\n  - {name: f2, device: d2, role: dsf, mtu: "
		      "1600}\ndsf: {device_id: 1}\n",
			"4:44: ports.f0.mtu: got 1500, want 2072 at least: dsf.cell_size 2048 + 24 "
			"bytes of cell header (or a cell_size of 1476 at most)\n"
			"6:44: ports.f2.mtu: got 1600, want 2072 at least: dsf.cell_size 2048 + 24 "
			"bytes of cell header (or a cell_size of 1576 at most)"},
	};

	EXPECT_ROWS(rows);
}

Test(check_dsf, a_member_with_a_device_needs_a_link)
{
	const char *yaml = PORTS "dsf: {device_id: 11, devices: [{name: e21, id: 21}]}\n"
				 "groups: [{name: g0, members: [" WAY ", {device: e21}]}]\n";

	expect_errors(yaml, strlen(yaml),
		"5:67: groups.g0.members[1]: got device e21 in a file without a port of role dsf, "
		"want one: nothing leads to it");
}

Test(check_dsf, a_link_without_an_mtu_has_room_for_a_cell_and_1500_at_least)
{
	static const struct {
		const char *yaml;
		uint16_t mtu;
	} row[] = {
		{DSF("cell_size: 256"), 1500},
		{DSF("cell_size: 1476"), 1500},
		{DSF("cell_size: 1477"), 1501},
		{DSF("cell_size: 9216"), 9240},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct parsed p = good(row[i].yaml);

		cr_expect_eq(p.c->port[1].mtu, row[i].mtu);
		parsed_fini(&p);
	}
}

Test(check_dsf, what_names_a_device_or_a_port_stands_once)
{
	static const struct row rows[] = {
		{DSF("devices: [{name: a, id: 1}, {name: a, id: 2}]"),
			"5:54: dsf.devices.a.name: got a, which line 5 has, want a name of its "
			"own"},
		{DSF("devices: [{name: a, id: 1}, {name: b, id: 1}]"),
			"5:61: dsf.devices.b.id: got 1, which line 5 has, want an id of its own"},
		{HEAD "ports:\n  - {name: p0, device: d0, role: nsf}\n  - {name: p1, device: d1, "
		      "role: nsf}\ndsf:\n  device_id: 1\n  system_ports: [{number: 1, port: p0}, "
		      "{number: 1, port: p1}]\n",
			"8:50: dsf.system_ports[1].number: got 1, which line 8 has, want a number "
			"of its own"},
		{DSF("system_ports: [{number: 1, port: p0}, {number: 2, port: p0}]"),
			"5:75: dsf.system_ports[1].port: got p0, which line 5 has, want a port of "
			"its own"},
	};

	EXPECT_ROWS(rows);
}

/* Groups of up to 128 members, each to a (device, system port) of its own. */
static char *
many_dests(unsigned int n, size_t *ret_len)
{
	char *yaml;
	FILE *out = open_memstream(&yaml, ret_len);

	fputs(BEHIND "groups:\n", out);
	for (unsigned int i = 0; i < n; i++) {
		if (i % 128 == 0)
			fprintf(out, "  - name: g%u\n    members:\n", i / 128);
		fprintf(out, "      - {device: e2%u, system_port: %u}\n", 1 + i % 2, i / 2);
	}
	fputs("  - name: again\n    members: [{device: e21, system_port: 3}]\n", out);
	fclose(out);
	return yaml;
}

Test(check_dsf, destinations_of_all_groups_fit_the_voqs_of_a_worker)
{
	size_t len;
	char *yaml = many_dests(CONF_DSF_DESTS_MAX, &len);

	expect_errors(yaml, len, "");
	free(yaml);
	yaml = many_dests(CONF_DSF_DESTS_MAX + 2, &len);
	expect_errors(yaml, len,
		"398:9: groups.g3.members[0]: got device e21 with system port 192 after 384 "
		"others, want 384 of such pairs at most in all groups");
	free(yaml);
}

Test(check_dsf, there_are_64_links_at_most)
{
	for (unsigned int n = 64; n <= 66; n++) {
		char *yaml;
		size_t len;
		FILE *out = open_memstream(&yaml, &len);

		fputs(HEAD "dsf: {device_id: 1}\nports:\n", out);
		for (unsigned int i = 0; i < n; i++)
			fprintf(out, "  - {name: f%u, device: d%u, role: dsf}\n", i, i);
		fclose(out);
		expect_errors(yaml, len,
			n == 64 ? ""
				: "69:36: ports.f64.role: got dsf for a 65th port, want 64 at "
				  "most");
		free(yaml);
	}
}

/* What waits for the fabric is not in a class queue: a link is no port that all else may wait at.
 */
Test(check_dsf, a_link_does_not_ask_for_lossless_room)
{
#define LH(name, device)                                                                           \
	"{name: " name ", device: " device                                                         \
	", role: longhaul, rate: 100Gbit, distance: 80km, pfc: "                                   \
	"{classes: [3]}}"
#define ROOM "classes: [{class: 3, name: rdma, lossless: true, limit: 22MB}]\n"
	static const struct row rows[] = {
		{HEAD "ports: [" LH("a", "a") ", " LH("b", "b") "]\n" ROOM, ""},
		{HEAD "ports: [" LH("a", "a") ", " LH("b", "b") ", {name: f0, device: f0, role: "
								"dsf}]\n" ROOM
								"dsf: {device_id: 1}\n",
			""},
	};

	EXPECT_ROWS(rows);
}
