/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion within the fabric: a fabric node whose link is deep says so in the cells that wait for
 * it, and at the far end their packets become CE, where they are ECN-capable.
 */
#include "dp/fabric.h"
#include "expect.h"
#include "wire/cell.h"

#define MB   300u
#define OURS 7u

/* Links p0, p1; device 9 is behind each of them. */
#define SPINE                                                                                      \
	"version: 1\nnode: {name: s, id: 100}\nruntime: {mbufs: 16384, memory: 300MB}\n"           \
	"ports:\n  - {name: p0, device: a, role: dsf, rate: 100Gbit, mac: "                        \
	"\"02:00:00:00:00:01\"}\n"                                                                 \
	"  - {name: p1, device: b, role: dsf, rate: 100Gbit, mac: \"02:00:00:00:00:02\"}\n"        \
	"dsf: {device_id: 100, transit: true, devices: [{name: far, id: 9}]}\n"

#define EDGE                                                                                       \
	"version: 1\nnode: {name: e, id: 7}\nruntime: {mbufs: 8192, memory: 200MB}\n"              \
	"ports:\n  - {name: host, device: a, role: nsf, mtu: 1500, mac: \"02:00:00:00:00:01\"}\n"  \
	"  - {name: fab, device: b, role: dsf, rate: 100Gbit}\n"                                   \
	"dsf: {device_id: 7, system_ports: [{number: 4, port: host}]}\n"                           \
	"groups: [{name: out, members: [{port: host, mac: \"02:aa:00:00:00:01\"}]}]\n"             \
	"routes: {static: [{prefix: 10.2.0.0/16, group: out}, {prefix: \"2001:db8:2::/48\", "      \
	"group: out}]}\n"

/* A packet as one cell; returns the frame's length. */
static size_t
make_cell(uint8_t *cell, uint16_t device, uint16_t system_port, uint32_t id, uint8_t flags,
	const uint8_t *packet, size_t len)
{
	static const uint8_t dst[] = CELL_DST_MAC;
	struct cell_header h = {
		.flags = (uint8_t)(CELL_FIRST | CELL_LAST | flags),
		.source = 3,
		.destination = device,
		.system_port = system_port,
		.payload_len = (uint16_t)len,
		.packet_id = id,
		.packet_len = (uint16_t)len,
	};

	memset(cell, 0, CELL_PREFIX_LEN);
	memcpy(cell, dst, sizeof(dst));
	wire_put16(cell + ETH_OFF_TYPE, CELL_ETHERTYPE);
	cell_write(cell + ETH_HDR_LEN, &h);
	memcpy(cell + CELL_PREFIX_LEN, packet, len);
	return CELL_PREFIX_LEN + len;
}

/* A link that takes nothing: its ring fills, its TX buffer, and then cells wait. */
Test(fabric_congestion, cells_that_find_a_deep_link_say_so_and_no_others)
{
	static uint8_t cell[PACKET_MAX], got[PACKET_MAX];
	const uint8_t payload[100] = {0};
	const uint32_t n = NODE_TEST_DEPTH + FABRIC_DEEP_CELLS + 100;
	struct node_test t;
	uint32_t marked = 0;

	node_test_open(&t, MB, SPINE);
	for (uint32_t id = 0; id < n; id++) {
		size_t len = make_cell(cell, 9, 0, id, 0, payload, sizeof(payload));

		cr_assert(node_test_put(&t, 0, cell, len));
		node_test_run(&t);
	}
	for (uint32_t id = 0; id < n; id++) {
		struct cell_header h;
		size_t len = node_test_take(&t, 1, got, sizeof(got));

		cr_assert_neq(len, 0, "%u of %u came", id, n);
		cr_assert_eq(
			cell_read(got + ETH_HDR_LEN, (uint32_t)len - ETH_HDR_LEN, &h), CELL_OK);
		cr_assert_eq(h.packet_id, id);
		cr_assert_eq((h.flags & CELL_CONGESTION) != 0,
			id >= NODE_TEST_DEPTH + FABRIC_DEEP_CELLS, "cell %u", id);
		marked += (h.flags & CELL_CONGESTION) != 0;
		node_test_run(&t);
	}
	cr_assert_eq(marked, 100);
	node_test_close(&t);
}

/* A packet of each ECN field, in a cell that met congestion and in one that did not. */
static void
arrive(struct node_test *t, unsigned int version, uint16_t system_port, uint32_t *id)
{
	static uint8_t packet[PACKET_MAX], cell[PACKET_MAX], got[PACKET_MAX];

	for (unsigned int i = 0; i < 8; i++) {
		struct packet p = packet_roce(version);
		unsigned int ecn = i / 2, want = i % 2 != 0 && ecn != 0 ? 3 : ecn;
		size_t len, out;

		p.tos = (uint8_t)(26 << 2 | ecn);
		len = packet_write(&p, packet, sizeof(packet), NULL);
		cr_assert(node_test_put(t, 1, cell,
			make_cell(cell, OURS, system_port, (*id)++,
				(uint8_t)(i == 0       ? CELL_SYNC
					  : i % 2 != 0 ? CELL_CONGESTION
						       : 0),
				packet, len)));
		node_test_run(t);
		out = node_test_take(t, 0, got, sizeof(got));
		cr_assert_eq(out, len);
		cr_assert(packet_icrc_ok(got, out));
		if (version == 4) {
			cr_assert_eq(got[15], 26 << 2 | want, "ECN %u, congestion %u", ecn, i % 2);
			packet[15] = (uint8_t)(26 << 2 | want);
			packet[22] = got[22]; /* the router takes from the TTL */
			packet_fix_ip4(packet + 14);
		} else {
			cr_assert_eq(got[15] >> 4, (want | 26 << 2) & 0xf);
			packet[14] = 0x60 | 26 >> 2;
			packet[15] = (uint8_t)((26 << 2 | want) << 4 | (packet[15] & 0xf));
			packet[21] = got[21];
		}
		cr_assert_eq(memcmp(got + 14, packet + 14, len - 14), 0, "more than ECN changed");
	}
}

Test(fabric_congestion, becomes_ce_in_packets_that_know_ecn)
{
	struct node_test t;
	struct counters sum;
	uint32_t id = 1000;

	node_test_open(&t, MB, EDGE);
	for (unsigned int version = 4; version <= 6; version += 2) {
		arrive(&t, version, 0, &id);
		arrive(&t, version, 4, &id);
	}
	node_counters(t.node, &sum, NULL);
	/* ECT(0) and ECT(1) of each of four rounds; what was CE is none of ours */
	cr_assert_eq(sum.ce_marked, 8);
	node_test_close(&t);
}
