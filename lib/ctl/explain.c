/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `--check --explain`: what a node needs of memory, with the arithmetic. Figures are budget.c's;
 * what queues are computed from is conf/explain.c's, which comes before it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "conf/headroom.h"
#include "conf/hyper.h"
#include "conf/value.h"
#include "ctl/build.h"
#include "ctl/egress.h"
#include "ctl/hyper.h"
#include "ctl/ports.h"

/* `  label   amount   how`, in columns. */
static void __attribute__((format(printf, 4, 5)))
row(FILE *out, const char *label, const char *amount, const char *how, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, how);
	vsnprintf(text, sizeof(text), how, ap);
	va_end(ap);
	if (text[0] == '\0')
		fprintf(out, "  %-24s  %12s\n", label, amount);
	else
		fprintf(out, "  %-24s  %12s  %s\n", label, amount, text);
}

static const char *
size(uint64_t bytes, char buf[AMOUNT_LEN])
{
	return amount_round(AMOUNT_SIZE, bytes, buf);
}

static const char *
count(uint64_t n, char buf[AMOUNT_LEN])
{
	snprintf(buf, AMOUNT_LEN, "%" PRIu64, n);
	return buf;
}

static void
port_label(const struct conf_port *p, const char *what, char *buf, size_t len)
{
	snprintf(buf, len, "    %s %s", p->name, what);
}

/* Either rule of egress_queue_packets(). */
static void
queue_row(const struct conf *c, size_t port, FILE *out)
{
	const struct conf_port *p = conf_out(c, port);
	uint32_t frame = egress_frame_bytes(p), n = egress_queue_packets(c, port);
	char label[64], is[AMOUNT_LEN], lossy[AMOUNT_LEN], lossless[AMOUNT_LEN];

	port_label(p, "queues", label, sizeof(label));
	count(n, is);
	if (n == egress_open_bytes(c) / frame + 1)
		row(out, label, is, "%s / %u B (3/4 of the MTU)", size(egress_open_bytes(c), lossy),
			frame);
	else
		row(out, label, is, "(%s lossless + %s lossy) / %u B (3/4 of the MTU) - %u paused",
			size(egress_lossless_bytes(c), lossless),
			size(egress_lossy_bytes(c), lossy), frame, egress_paused_packets(c));
}

static void
line_row(const struct conf *c, size_t port, FILE *out)
{
	const struct conf_port *p = &c->port[port];
	char label[64], is[AMOUNT_LEN], bytes[AMOUNT_LEN];

	port_label(p, "delay line", label, sizeof(label));
	row(out, label, count(egress_line_packets(c, port), is), "%s / %u B + %u of a turn",
		size(conf_delay_line_bytes(p), bytes), egress_frame_bytes(p), EGRESS_LINE_SLACK);
}

/* Ports without queues of their own come last, together. */
static void
port_rows(const struct conf *c, FILE *out)
{
	uint64_t n = 0;
	char is[AMOUNT_LEN];

	for (size_t p = 0; p < c->n_ports; p++) {
		if (egress_is_queued(&c->port[p]) && c->port[p].hyper == 0)
			queue_row(c, p, out);
		else
			n++;
		if (egress_line_packets(c, p) != 0)
			line_row(c, p, out);
	}
	for (size_t i = 0; i < c->n_hypers; i++)
		queue_row(c, c->n_ports + i, out);
	if (c->n_hypers != 0)
		row(out, "    hyperports", count(hyper_mbufs(c), is),
			"their windows, and what is between workers");
	if (n != 0)
		row(out, "    ports without queues", count(n * EGRESS_PLAIN_PACKETS, is),
			"%" PRIu64 " x %u: until the device takes more", n, EGRESS_PLAIN_PACKETS);
}

static void
packet_rows(const struct conf *c, const struct budget *b, struct budget_users u, FILE *out)
{
	char is[AMOUNT_LEN];

	row(out, "  packets", count(b->packets.sum, is), "the sum of:");
	row(out, "    rings of devices", count(b->packets.rings, is), "%u queues x %u descriptors",
		u.n_queues, PORTS_DESC);
	row(out, "    workers", count(b->packets.workers, is),
		"bursts, TX buffers and caches of %u worker%s and %zu ports", u.n_workers,
		u.n_workers == 1 ? "" : "s", c->n_ports);
	if (b->packets.held != 0)
		row(out, "    paused", count(b->packets.held, is),
			"xoff + headroom of each class at the ports with pfc, wherever it waits");
	port_rows(c, out);
	if (c->mbufs != 0)
		row(out, "  runtime.mbufs", count(c->mbufs, is), "as given, instead of these");
}

int
node_explain(const struct conf *c, const struct node_log *log, FILE *out)
{
	struct budget_users u = budget_users(c);
	char is[AMOUNT_LEN], other[AMOUNT_LEN];
	struct budget b;
	int rc = build_budget(c, u, log, &b);

	if (rc != 0)
		return rc;
	fprintf(out, "memory: %s needed, %s given\n", size(b.total, other), size(c->memory, is));
	row(out, "packet buffers", size(b.mbufs, is),
		"%u of %u B; on plain memory %" PRIu64 " B each", b.n_mbufs, b.mbuf_len,
		b.mbufs / b.n_mbufs);
	packet_rows(c, &b, u, out);
	row(out, "records", size(b.records, is),
		"of what waits, %zu B each, in each of %u worker%s", sizeof(struct pkt_rec),
		u.n_workers, u.n_workers == 1 ? "" : "s");
	if (b.flows != 0)
		row(out, "flows", size(b.flows, is), "%u, in each of %u worker%s", c->flows.max,
			u.n_workers, u.n_workers == 1 ? "" : "s");
	row(out, "workers", size(b.workers - b.records - b.flows, is), "counters, bursts, queues");
	row(out, "routes", size(b.fib, is), "room for %u IPv4 and %u IPv6", b.plan.v4.n_routes,
		b.plan.v6.n_routes);
	row(out, "groups", size(b.groups, is), "%zu, twice: one may stand beside its successor",
		c->n_groups);
	row(out, "DPDK", size(b.eal, is), "rings, devices, the heap's own");
	return ferror(out) ? -EIO : 0;
}
