/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric's arithmetic, against figures worked out by hand. */
#include "conf/fabric.h"
#include "conf_test.h"

Test(fabric, a_frame_is_cut_into_cells)
{
	cr_expect_eq(conf_frame_cells(2048, 14), 1);
	cr_expect_eq(conf_frame_cells(2048, 2048), 1);
	cr_expect_eq(conf_frame_cells(2048, 2049), 2);
	cr_expect_eq(conf_frame_cells(256, 9622), 38);
	cr_expect_eq(conf_frame_cell_bytes(2048, 2048), 2110);
	cr_expect_eq(conf_frame_cell_bytes(256, 512), 2 * 318); /* 19.5 % of the line */
	cr_expect_eq(conf_frame_cell_bytes(256, 14), 84);       /* the smallest frame */
	cr_expect_eq(conf_frame_cell_bytes(256, 256 + 21), 318 + 84);
	cr_expect_eq(conf_frame_cell_bytes(256, 256 + 23), 318 + 85);
}

Test(fabric, a_bound_is_four_credits_or_20_us)
{
	struct conf_dsf f = {.credit_bytes = 16384};

	cr_expect_eq(conf_egress_bound(&f, 0), 65536);
	cr_expect_eq(conf_egress_bound(&f, UINT64_C(10000000000)), 65536);
	cr_expect_eq(conf_egress_bound(&f, UINT64_C(100000000000)), 250000);
	f.credit_bytes = 100000;
	cr_expect_eq(conf_egress_bound(&f, UINT64_C(100000000000)), 400000);
	f.egress_bound = 12345;
	cr_expect_eq(conf_egress_bound(&f, UINT64_C(100000000000)), 12345);
}

Test(fabric, links_without_a_rate_weigh_100_gbit)
{
	struct parsed p = good(HEAD "ports:\n"
				    "  - {name: a, device: a, role: dsf, rate: 25Gbit}\n"
				    "  - {name: b, device: b, role: dsf}\n"
				    "  - {name: c, device: c, role: nsf, rate: 400Gbit}\n"
				    "dsf: {device_id: 1}\n");

	cr_expect_eq(conf_dsf_links(p.c), 2);
	cr_expect_eq(conf_link_bps(&p.c->port[0]), UINT64_C(25000000000));
	cr_expect_eq(conf_link_bps(&p.c->port[1]), UINT64_C(100000000000));
	cr_expect_eq(conf_fabric_bps(p.c), UINT64_C(125000000000));
	parsed_fini(&p);
}

Test(fabric, the_router_is_as_fast_as_the_ports_behind_it)
{
	struct parsed p = good(HEAD "ports:\n"
				    "  - {name: a, device: a, role: dsf, rate: 25Gbit}\n"
				    "  - {name: b, device: b, role: nsf, rate: 10Gbit}\n"
				    "  - {name: c, device: c, role: longhaul, rate: 40Gbit}\n"
				    "dsf: {device_id: 1}\n");
	bool known = false;

	cr_expect_eq(conf_router_bps(p.c, &known), UINT64_C(50000000000));
	cr_expect(known);
	p.c->port[1].rate_bps = 0;
	cr_expect_eq(conf_router_bps(p.c, &known), UINT64_C(40000000000));
	cr_expect_not(known);
	p.c->dsf.router_rate_bps = 7;
	cr_expect_eq(conf_router_bps(p.c, &known), 7);
	cr_expect(known);
	parsed_fini(&p);
}

Test(fabric, reassembly_holds_what_comes_within_the_timeout)
{
	static const struct {
		const char *yaml;
		uint32_t cells;
	} row[] = {
		{DSF(""), 6104},
		{DSF("reassembly_timeout: 2ms"), 12208},
		{DSF("reassembly_timeout: 100us"), 4096},
		{DSF("cell_size: 256"), 32768},
		{DSF("cell_size: 512"), 24415},
		{DSF("cell_size: 256, reassembly_cells: 100000"), 100000},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct parsed p = good(row[i].yaml);

		cr_expect_eq(p.c->dsf.reassembly_cells, row[i].cells, "%s", row[i].yaml);
		parsed_fini(&p);
	}
}
