/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router of a device, system port 0, is granted the rate of all its ports. Where all that comes
 * is for one of them, credit stops while that port's queue is over the bound: nothing is lost, the
 * queue stays at the source, and the port does not idle.
 */
#include "cell/credit.h"
#include "ctl/fabric.h"
#include "expect.h"
#include "wires.h"

#define MB       1000u
#define LINKS    2u
#define RATE     UINT64_C(10000000000) /* of each of two ports */
#define STEP_NS  1000u
#define OFFER_NS 1000000u /* at four times the rate */
#define PAYLOAD  4000u
#define DELAY_NS 2000u

/* The port that all goes to comes last, behind the one that nothing goes to and the links. */
static const char sink[] =
	"version: 1\nnode: {name: sink, id: 2}\nruntime: {mbufs: 16384, memory: 1GB}\nports:\n"
	"  - {name: idle, device: a, role: nsf, mtu: 4200, mac: \"02:00:00:00:00:01\", "
	"rate: 10Gbit}\n"
	"  - {name: fab0, device: b, role: dsf, mtu: 4200, rate: 100Gbit}\n"
	"  - {name: fab1, device: c, role: dsf, mtu: 4200, rate: 100Gbit}\n"
	"  - {name: busy, device: d, role: nsf, mtu: 4200, mac: \"02:00:00:00:00:02\", "
	"rate: 10Gbit}\n"
	"dsf: {device_id: 2, reassembly_cells: 4096}\n"
	"groups: [{name: out, members: [{port: busy, mac: \"02:aa:00:00:00:01\"}]}]\n"
	"routes: {static: [{prefix: 0.0.0.0/0, group: out}]}\n";

static const char source[] =
	"version: 1\nnode: {name: source, id: 1}\nruntime: {mbufs: 16384, memory: 1GB}\nports:\n"
	"  - {name: host, device: a, role: nsf, mtu: 4200, mac: \"02:00:00:00:00:01\"}\n"
	"  - {name: fab0, device: b, role: dsf, mtu: 4200, rate: 100Gbit}\n"
	"  - {name: fab1, device: c, role: dsf, mtu: 4200, rate: 100Gbit}\n"
	"dsf: {device_id: 1, reassembly_cells: 4096, devices: [{name: far, id: 2}]}\n"
	"groups: [{name: far, members: [{device: far}]}]\n"
	"routes: {static: [{prefix: 0.0.0.0/0, group: far}]}\n";

struct router {
	struct node_test from, to;
	struct wires w;
	uint32_t sent, came;
	int64_t bits;
	uint64_t last_ns, begin_ns;
};

static void
open_router(struct router *r)
{
	memset(r, 0, sizeof(*r));
	node_test_open_wired(&r->from, MB, source);
	node_test_open_wired(&r->to, MB, sink);
	r->w.node[0] = &r->from;
	r->w.node[1] = &r->to;
	r->w.n_nodes = 2;
	rng_init(&r->w.rng, 1);
	wires_add(&r->w, &r->from, "fab0", &r->to, "fab0", DELAY_NS);
	wires_add(&r->w, &r->from, "fab1", &r->to, "fab1", DELAY_NS);
	wires_begin(&r->w);
	r->begin_ns = r->w.now_ns;
}

static void
offer(struct router *r)
{
	static uint8_t frame[PACKET_MAX];
	struct packet p = packet_roce(4);
	size_t len;

	p.payload_len = PAYLOAD;
	len = packet_write(&p, frame, sizeof(frame), NULL);
	for (r->bits += (int64_t)(4 * RATE / 1000000000 * STEP_NS); r->bits > 0; r->sent++) {
		cr_assert(node_test_put(&r->from, 0, frame, len));
		r->bits -= 8 * (int64_t)voq_bytes((uint32_t)len);
	}
}

static void
step(struct router *r)
{
	unsigned int n;

	wires_step(&r->w, STEP_NS);
	n = node_test_discard(&r->to, node_test_port(&r->to, "busy"));
	r->came += n;
	if (n != 0)
		r->last_ns = r->w.now_ns;
}

/* That of cell/credit.h, of one VOQ: two ways, a turn each time, at the rate of both ports. */
static uint64_t
most(const struct router *r)
{
	uint64_t d_ns = 2 * DELAY_NS + 6 * STEP_NS, rate = 2 * RATE / 1000 * 1020;

	return r->to.node->fabric->dp.system[0].bound + rate / 8 * (d_ns + STEP_NS) / 1000000000 +
	       16384 + PAYLOAD + 100;
}

Test(fabric_router, holds_back_what_one_of_its_ports_cannot_send)
{
	static struct router r;
	const struct egress_commons *busy;
	uint64_t peak, ideal_ns;

	open_router(&r);
	busy = &r.to.node->shared.commons[node_test_port(&r.to, "busy")];
	cr_assert_eq(r.to.node->fabric->dp.system[0].rate_bps, 2 * RATE);
	while (r.w.now_ns < r.begin_ns + OFFER_NS) {
		offer(&r);
		step(&r);
	}
	for (unsigned int i = 0; i < 5000 && r.came < r.sent; i++)
		step(&r);
	peak = busy->class_[3].peak;
	ideal_ns = r.sent * (uint64_t)voq_bytes(PAYLOAD + 58) * 8 / (RATE / 1000000000);
	fprintf(stderr,
		"%u packets in %lu us, %lu at the rate; at most %lu bytes at the port, %lu may\n",
		r.sent, (r.last_ns - r.begin_ns) / 1000, ideal_ns / 1000, peak, most(&r));
	cr_assert_eq(r.came, r.sent, "drops:%s", wires_drops(&r.w));
	cr_assert_eq(wires_dropped(&r.w), 0, "drops:%s", wires_drops(&r.w));
	cr_assert_leq(peak, most(&r));
	/* it did not idle: two percent, and what comes before the first packet */
	cr_assert_leq((r.last_ns - r.begin_ns) * 100, ideal_ns * 102 + 100 * 30000);
	wires_close(&r.w);
}
