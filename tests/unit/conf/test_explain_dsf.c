/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric's figures as a person reads them. */
#include "conf_test.h"

/* The fabric's block alone. */
static char *
explain_fabric(const char *yaml)
{
	struct parsed p = good(yaml);
	char *text, *from, *end;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	cr_expect_eq(conf_explain(p.c, out), 0);
	fclose(out);
	parsed_fini(&p);
	from = strstr(text, "fabric: ");
	if (from == NULL) {
		free(text);
		return strdup("");
	}
	end = strstr(from, "\n\n");
	end[1] = '\0';
	from = strdup(from);
	free(text);
	return from;
}

static void
expect_fabric(const char *yaml, const char *want)
{
	char *got = explain_fabric(yaml);

	cr_expect_str_eq(got, want, "got\n%s", got);
	free(got);
}

Test(explain_dsf, a_node_with_credit_is_worked_out_line_by_line)
{
	expect_fabric(HEAD "ports:\n"
			   "  - {name: nsf0, device: d0, role: nsf, rate: 10Gbit, mtu: 4200}\n"
			   "  - {name: nsf1, device: d1, role: nsf, rate: 40Gbit, mtu: 9000}\n"
			   "  - {name: nsf2, device: d2, role: nsf, rate: 40Gbit, mtu: 4200}\n"
			   "  - {name: fab0, device: d3, role: dsf, rate: 25Gbit}\n"
			   "  - {name: fab1, device: d4, role: dsf}\n"
			   "dsf: {device_id: 11, system_ports: [{number: 4, port: nsf1}]}\n",

		"fabric: device 11, EtherType 0x88b5\n"
		"  link fab0         25Gbit          mtu 2072\n"
		"  link fab1         100Gbit         mtu 2072; taken for this fast where the "
		"device says nothing\n"
		"  together          125Gbit\n"
		"  cell              2048 B          2110 B on the line: frame, preamble and gap "
		"take 62 B more\n"
		"    mtu 4200        3 cells         4214 B in 4400 B on the line: 4.2 % of it "
		"headers\n"
		"    mtu 9000        5 cells         9014 B in 9324 B on the line: 3.3 % of it "
		"headers\n"
		"  reach             10 ms           a silent link is dead after 30 ms; a device "
		"is used from 1 link on, given up below 1\n"
		"  reassembly        7630 cells      1 ms x 125Gbit/s, from 4096 to 32768 cells; "
		"of a worker, at most\n"
		"    memory          15.626 MB       7630 x 2048 B of payload; each takes a packet "
		"buffer\n"
		"    timeout         1 ms            then a packet with missing cells is given up\n"
		"    window          1024 packets    of a stream\n"
		"  voq               16 MB           may wait for a class of a system port of a "
		"device\n"
		"  credit            16.384 KB       at a time\n"
		"    system port 0   91.8 Gbit       the router: 102 % of its rate, a credit each "
		"1.427 us; none for a class with 225 KB waiting\n"
		"    system port 4   40.8 Gbit       nsf1: 102 % of its rate, a credit each 3.212 "
		"us; none for a class with 100 KB waiting\n"
		"    watchdog        500 ms          without credit, and a queue is emptied\n");
}

Test(explain_dsf, what_is_given_and_what_is_off_is_said)
{
	expect_fabric(FABRIC "dsf: {device_id: 7, transit: true, reassembly_cells: 100, "
			     "credit_watchdog: off, cell_size: 9216, min_links_join: 2, "
			     "system_ports: [{number: 1, port: p0}]}\n",

		"fabric: device 7, EtherType 0x88b5, passes on cells to other devices\n"
		"  link f0           100Gbit         mtu 9240; taken for this fast where the "
		"device says nothing\n"
		"  together          100Gbit\n"
		"  cell              9216 B          9278 B on the line: frame, preamble and gap "
		"take 62 B more\n"
		"    mtu 1500        1 cell          1514 B in 1576 B on the line: 3.9 % of it "
		"headers\n"
		"  reach             10 ms           a silent link is dead after 30 ms; a device "
		"is used from 2 links on, given up below 1\n"
		"  reassembly        100 cells       as given; of a worker, at most\n"
		"    memory          921.6 KB        100 x 9216 B of payload; each takes a packet "
		"buffer\n"
		"    timeout         1 ms            then a packet with missing cells is given up\n"
		"    window          1024 packets    of a stream\n"
		"  voq               16 MB           may wait for a class of a system port of a "
		"device\n"
		"  credit            16.384 KB       at a time\n"
		"    system port 0   -               the router: its rate is known when the "
		"devices say theirs\n"
		"    system port 1   -               p0: its rate is known when the device says "
		"it\n"
		"    watchdog        off\n");
	expect_fabric(FABRIC "dsf: {device_id: 7, scheduling: push}\n",
		"fabric: device 7, EtherType 0x88b5\n"
		"  link f0           100Gbit         mtu 2072; taken for this fast where the "
		"device says nothing\n"
		"  together          100Gbit\n"
		"  cell              2048 B          2110 B on the line: frame, preamble and gap "
		"take 62 B more\n"
		"    mtu 1500        1 cell          1514 B in 1576 B on the line: 3.9 % of it "
		"headers\n"
		"  reach             10 ms           a silent link is dead after 30 ms; a device "
		"is used from 1 link on, given up below 1\n"
		"  reassembly        6104 cells      1 ms x 100Gbit/s, from 4096 to 32768 cells; "
		"of a worker, at most\n"
		"    memory          12.5 MB         6104 x 2048 B of payload; each takes a packet "
		"buffer\n"
		"    timeout         1 ms            then a packet with missing cells is given up\n"
		"    window          1024 packets    of a stream\n"
		"  voq               16 MB           may wait for a class of a system port of a "
		"device\n"
		"  push              -               packets enter the fabric at once\n");
}

Test(explain_dsf, a_fabric_node_keeps_no_packet)
{
	expect_fabric(HEAD "ports:\n"
			   "  - {name: down0, device: d0, role: dsf, rate: 25Gbit}\n"
			   "  - {name: up0, device: d1, role: dsf, rate: 25Gbit}\n"
			   "dsf: {device_id: 9, transit: true, reach_interval: 5ms}\n",
		"fabric: device 9, EtherType 0x88b5, passes on cells to other devices\n"
		"  link down0        25Gbit          mtu 2072\n"
		"  link up0          25Gbit          mtu 2072\n"
		"  together          50Gbit\n"
		"  cell              2048 B          2110 B on the line: frame, preamble and gap "
		"take 62 B more\n"
		"  reach             5 ms            a silent link is dead after 15 ms; a device "
		"is used from 1 link on, given up below 1\n");
}

Test(explain_dsf, a_node_without_links_has_no_block)
{
	expect_fabric(GROUP, "");
	expect_fabric(GROUP "dsf: {device_id: 7}\n", "");
}

Test(explain_dsf, links_have_no_block_of_their_own)
{
	struct parsed p = good(DSF(""));
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	p.c->port[1].rate_bps = 1000000;
	cr_expect_eq(conf_explain(p.c, out), 0);
	fclose(out);
	cr_expect_null(strstr(text, "port f0"));
	free(text);
	parsed_fini(&p);
}
