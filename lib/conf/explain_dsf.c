/* SPDX-License-Identifier: BSD-3-Clause */
/* `--check --explain`: the cell fabric's figures. A part of explain.c. */
#include <inttypes.h>

#include "conf/explain.h"
#include "conf/fabric.h"
#include "conf/headroom.h"
#include "conf/value.h"

#define ETH_LEN 14u

static const char *
size_show(uint64_t x, char buf[AMOUNT_LEN])
{
	return amount_round(AMOUNT_SIZE, x, buf);
}

static const char *
time_show(uint64_t ns, char buf[AMOUNT_LEN])
{
	return amount_round(AMOUNT_TIME, ns, buf);
}

/* `2.5 %`: how much of the line is not packet. */
static const char *
overhead_show(uint64_t packet, uint64_t line, char buf[AMOUNT_LEN])
{
	uint64_t permille = ((line - packet) * 1000 + line / 2) / line;

	snprintf(buf, AMOUNT_LEN, "%" PRIu64 ".%" PRIu64 " %%", permille / 10, permille % 10);
	return buf;
}

static void
link_rows(const struct conf *c, FILE *out)
{
	char rate[AMOUNT_LEN], sum[AMOUNT_LEN];

	for (size_t i = 0; i < c->n_ports; i++) {
		const struct conf_port *p = &c->port[i];
		char label[CONF_NAME_MAX + 8];

		if (p->role != CONF_ROLE_DSF)
			continue;
		snprintf(label, sizeof(label), "link %s", p->name);
		explain_row(out, label, amount_show(AMOUNT_BITS, conf_link_bps(p), rate),
			"mtu %u%s", p->mtu,
			p->rate_bps != 0 ? ""
					 : "; taken for this fast where the device says nothing");
	}
	explain_row(out, "together", amount_show(AMOUNT_BITS, conf_fabric_bps(c), sum), "%s", "");
}

/* Each mtu of ports that carry IP once, as the first of them has it. */
static bool
is_first_mtu(const struct conf *c, size_t port)
{
	if (c->port[port].role == CONF_ROLE_DSF)
		return false;
	for (size_t i = 0; i < port; i++)
		if (c->port[i].role != CONF_ROLE_DSF && c->port[i].mtu == c->port[port].mtu)
			return false;
	return true;
}

static void
cell_rows(const struct conf *c, FILE *out)
{
	uint16_t cell = c->dsf.cell_size;
	char is[AMOUNT_LEN];

	snprintf(is, sizeof(is), "%u B", cell);
	explain_row(out, "cell", is, "%u B on the line: frame, preamble and gap take %u B more",
		cell + CONF_CELL_EXTRA, CONF_CELL_EXTRA);
	for (size_t i = 0; i < c->n_ports; i++) {
		uint32_t len = c->port[i].mtu + ETH_LEN, n = conf_frame_cells(cell, len);
		uint64_t line = conf_frame_cell_bytes(cell, len);
		char label[32], cells[AMOUNT_LEN];

		if (!is_first_mtu(c, i))
			continue;
		snprintf(label, sizeof(label), "  mtu %u", c->port[i].mtu);
		snprintf(cells, sizeof(cells), "%u cell%s", n, n == 1 ? "" : "s");
		explain_row(out, label, cells,
			"%u B in %" PRIu64 " B on the line: %s of it headers", len, line,
			overhead_show(len, line, is));
	}
}

static void
reach_rows(const struct conf *c, FILE *out)
{
	const struct conf_dsf *f = &c->dsf;
	char is[AMOUNT_LEN], dead[AMOUNT_LEN];

	explain_row(out, "reach", time_show(f->reach_interval_ns, is),
		"a silent link is dead after %s; a device is used from %u link%s on, given up "
		"below %u",
		time_show(3 * f->reach_interval_ns, dead), f->min_links_join,
		f->min_links_join == 1 ? "" : "s", f->min_links_remain);
}

static void
reassembly_rows(const struct conf *c, FILE *out)
{
	const struct conf_dsf *f = &c->dsf;
	char is[AMOUNT_LEN], rate[AMOUNT_LEN], time[AMOUNT_LEN];

	snprintf(is, sizeof(is), "%" PRIu32 " cells", f->reassembly_cells);
	if (f->reassembly_auto)
		explain_row(out, "reassembly", is,
			"%s x %s/s, from %u to %u cells; of a worker, at most",
			time_show(f->reassembly_timeout_ns, time),
			amount_show(AMOUNT_BITS, conf_fabric_bps(c), rate), CONF_REASSEMBLY_MIN,
			CONF_REASSEMBLY_MAX);
	else
		explain_row(out, "reassembly", is, "as given; of a worker, at most");
	explain_row(out, "  memory", size_show((uint64_t)f->reassembly_cells * f->cell_size, is),
		"%" PRIu32 " x %u B of payload; each takes a packet buffer", f->reassembly_cells,
		f->cell_size);
	explain_row(out, "  timeout", time_show(f->reassembly_timeout_ns, is),
		"then a packet with missing cells is given up");
	snprintf(is, sizeof(is), "%" PRIu32 " packets", f->reassembly_window);
	explain_row(out, "  window", is, "of a stream");
}

/* Pace and bound of one system port. */
static void
scheduler_rows(
	const struct conf_dsf *f, const char *label, const char *what, uint64_t bps, FILE *out)
{
	char rate[AMOUNT_LEN], every[AMOUNT_LEN], bound[AMOUNT_LEN], part[AMOUNT_LEN];
	uint64_t granted = bps / 1000 * f->speedup_permille;

	explain_row(out, label, amount_round(AMOUNT_BITS, granted, rate),
		"%s: %s of its rate, a credit each %s; none for a class with %s waiting", what,
		amount_round(AMOUNT_PART, f->speedup_permille * UINT64_C(1000000), part),
		time_show((uint64_t)f->credit_bytes * 8 * 1000000000 / (granted ? granted : 1),
			every),
		size_show(conf_egress_bound(f, bps), bound));
}

static void
system_port_rows(const struct conf *c, FILE *out)
{
	bool known;
	uint64_t bps = conf_router_bps(c, &known);

	if (known && bps != 0)
		scheduler_rows(&c->dsf, "  system port 0", "the router", bps, out);
	else
		explain_row(out, "  system port 0", "-",
			"the router: its rate is known when the devices say theirs");
	for (size_t i = 0; i < c->dsf.n_system_ports; i++) {
		const struct conf_port *p = &c->port[c->dsf.system_port[i].port_idx];
		char label[32];

		snprintf(label, sizeof(label), "  system port %u", c->dsf.system_port[i].number);
		if (p->rate_bps != 0)
			scheduler_rows(&c->dsf, label, p->name, p->rate_bps, out);
		else
			explain_row(out, label, "-",
				"%s: its rate is known when the device says it", p->name);
	}
}

static void
credit_rows(const struct conf *c, FILE *out)
{
	const struct conf_dsf *f = &c->dsf;
	char is[AMOUNT_LEN];

	explain_row(out, "voq", size_show(f->voq_limit, is),
		"may wait for a class of a system port of a device");
	if (f->scheduling == CONF_SCHEDULING_PUSH) {
		explain_row(out, "push", "-", "packets enter the fabric at once");
		return;
	}
	explain_row(out, "credit", size_show(f->credit_bytes, is), "at a time");
	system_port_rows(c, out);
	explain_row(out, "  watchdog",
		f->credit_watchdog_ns != 0 ? time_show(f->credit_watchdog_ns, is) : "off", "%s",
		f->credit_watchdog_ns != 0 ? "without credit, and a queue is emptied" : "");
}

void
explain_dsf(const struct conf *c, FILE *out)
{
	fprintf(out, "fabric: device %u, EtherType 0x%04x%s\n", c->dsf.device_id, c->dsf.ethertype,
		c->dsf.transit ? ", passes on cells to other devices" : "");
	link_rows(c, out);
	cell_rows(c, out);
	reach_rows(c, out);
	if (conf_dsf_links(c) != c->n_ports) { /* cells become packets here, and packets cells */
		reassembly_rows(c, out);
		credit_rows(c, out);
	}
	fputc('\n', out);
}
