/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic of the cell fabric. check_dsf.c fills in `auto` with it; explain_dsf.c shows it. */
#include "conf/fabric.h"

#include "conf/headroom.h"

size_t
conf_dsf_links(const struct conf *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_ports; i++)
		n += c->port[i].role == CONF_ROLE_DSF;
	return n;
}

uint64_t
conf_link_bps(const struct conf_port *p)
{
	return p->rate_bps != 0 ? p->rate_bps : CONF_DSF_RATE;
}

uint64_t
conf_fabric_bps(const struct conf *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n_ports; i++)
		if (c->port[i].role == CONF_ROLE_DSF)
			sum += conf_link_bps(&c->port[i]);
	return sum;
}

uint64_t
conf_router_bps(const struct conf *c, bool *ret_known)
{
	uint64_t sum = 0;

	*ret_known = true;
	if (c->dsf.router_rate_bps != 0)
		return c->dsf.router_rate_bps;
	for (size_t i = 0; i < c->n_ports; i++) {
		if (c->port[i].role == CONF_ROLE_DSF)
			continue;
		*ret_known = *ret_known && c->port[i].rate_bps != 0;
		sum += c->port[i].rate_bps;
	}
	return sum;
}

uint32_t
conf_frame_cells(uint16_t cell_size, uint32_t len)
{
	return (len + cell_size - 1) / cell_size;
}

uint64_t
conf_frame_cell_bytes(uint16_t cell_size, uint32_t len)
{
	uint32_t n = conf_frame_cells(cell_size, len), last = len - (n - 1) * cell_size;
	uint32_t padding = last < CONF_CELL_MIN ? CONF_CELL_MIN - last : 0;

	return len + padding + (uint64_t)n * CONF_CELL_EXTRA;
}

uint64_t
conf_egress_bound(const struct conf_dsf *f, uint64_t rate_bps)
{
	uint64_t least = (uint64_t)CONF_EGRESS_CREDITS * f->credit_bytes;
	uint64_t turn = conf_bytes(rate_bps, CONF_EGRESS_NS);

	if (f->egress_bound != 0)
		return f->egress_bound;
	return turn > least ? turn : least;
}

uint32_t
conf_reassembly_auto(const struct conf *c)
{
	uint64_t bytes = conf_bytes(conf_fabric_bps(c), c->dsf.reassembly_timeout_ns);
	uint64_t cells = (bytes + c->dsf.cell_size - 1) / c->dsf.cell_size;

	if (cells < CONF_REASSEMBLY_MIN)
		return CONF_REASSEMBLY_MIN;
	return cells > CONF_REASSEMBLY_MAX ? CONF_REASSEMBLY_MAX : (uint32_t)cells;
}
