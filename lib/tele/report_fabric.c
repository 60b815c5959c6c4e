/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric in the report's JSON (docs/replay.md). report.c has the rest of it. */
#include "tele/report_fabric.h"

#include <stdlib.h>

#include "tele/fabric_view.h"
#include "tele/way.h"

static json_t *
name_or_null(const char *name)
{
	return name == NULL ? json_null() : json_string(name);
}

static json_t *
links(struct writer *w, const struct node *n)
{
	json_t *o = json_object();

	for (uint16_t l = 0; l < n->fabric->dp.n_links; l++) {
		struct view_link v = view_link(n, l);
		bool met = v.told && v.reach.neighbour != 0;
		json_t *link = json_object();

		set(w, link, "alive", json_boolean(v.alive));
		set(w, link, "state", json_string(v.state));
		set(w, link, "neighbour", met ? json_integer(v.reach.neighbour) : json_null());
		set(w, o, n->port[n->fabric->dp.link[l]]->name, link);
	}
	return o;
}

/* What came and went of REACH, and of the links by it. */
static json_t *
reachability(struct writer *w, const struct node *n)
{
	struct reach_stats s;
	json_t *o, *faults;

	if (n->fabric->reach == NULL)
		return json_null();
	reach_stats(n->fabric->reach, &s);
	o = json_object();
	faults = json_object();
	for (unsigned int f = REACH_OK + 1; f < REACH_FAULT_N; f++)
		set_count(w, faults, reach_fault_name((enum reach_fault)f), s.fault[f]);
	set_count(w, o, "heard", s.heard);
	set_count(w, o, "entries", s.entries);
	set(w, o, "faults", faults);
	set_count(w, o, "rounds", s.rounds);
	set_count(w, o, "no_buffer", n->fabric->n_reach_lost);
	set_count(w, o, "links_died", s.deaths);
	set_count(w, o, "links_came", s.revivals);
	set_count(w, o, "links_led_elsewhere", s.recabled);
	return o;
}

static json_t *
shares(struct writer *w, const struct node *n, uint16_t device)
{
	unsigned int part[DP_PORTS_MAX], total = view_shares(n, device, part);
	json_t *o = json_object();

	for (size_t p = 0; p < n->n_ports; p++)
		if (part[p] != 0)
			set_real(w, o, n->port[p]->name, true, (double)part[p] / total, 10000);
	return o;
}

static json_t *
devices(struct writer *w, const struct node *n)
{
	json_t *array = json_array();
	struct view_device *device;
	size_t n_devices = view_devices(n, &device);

	w->ok &= device != NULL;
	for (size_t i = 0; i < n_devices; i++) {
		const struct view_device *d = &device[i];
		json_t *o = json_object();

		set_count(w, o, "device", d->id);
		set(w, o, "name", name_or_null(device_name(n, d->id)));
		set(w, o, "reachable", json_boolean(d->reachable));
		set(w, o, "hops", d->known && d->reachable ? json_integer(d->hops) : json_null());
		set_count(w, o, "links", d->n_links);
		set(w, o, "shares", shares(w, n, d->id));
		append(w, array, o);
	}
	free(device);
	return array;
}

static void
append_voq(struct writer *w, json_t *array, const struct node *n, unsigned int dest,
	unsigned int class)
{
	const struct fabric_dest *d = &n->fabric->dp.dest[dest];
	struct view_voq v = view_voq(n, NULL, dest, class);
	char name[WAY_TEXT_LEN];
	json_t *o;

	if (!v.used)
		return;
	o = json_object();
	set(w, o, "device", json_string(device_text(n, d->device, name)));
	set_count(w, o, "system_port", d->system_port);
	set_count(w, o, "class", class);
	set_count(w, o, "packets", v.cut_packets);
	set_count(w, o, "bytes", v.cut_bytes);
	set_count(w, o, "dropped", v.dropped);
	set_count(w, o, "ce_marked", v.marked);
	set_count(w, o, "high_water", v.peak);
	set_count(w, o, "waiting_bytes", v.bytes);
	append(w, array, o);
}

static json_t *
voqs(struct writer *w, const struct node *n)
{
	json_t *array = json_array();

	for (unsigned int d = 0; d < n->fabric->dp.n_dests; d++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			append_voq(w, array, n, d, c);
	return array;
}

static json_t *
credit(struct writer *w, const struct node *n)
{
	json_t *array = json_array();

	for (uint16_t s = 0; s < n->fabric->dp.n_systems; s++) {
		const struct fabric_system *system = &n->fabric->dp.system[s];
		const struct credit_stats *c = view_credit(n, s);
		bool router = system->number == CELL_ROUTER_PORT;
		json_t *o = json_object();

		set_count(w, o, "system_port", system->number);
		set(w, o, "port", name_or_null(router ? NULL : n->port[system->port_idx]->name));
		set_count(w, o, "rate_bps", counter_read(&system->rate_bps));
		set_count(w, o, "bound", system->bound);
		set_count(w, o, "requests", counter_read(&c->requests));
		set_count(w, o, "refused", counter_read(&c->refused));
		set_count(w, o, "grants", counter_read(&c->grants));
		set_count(w, o, "granted_bytes", counter_read(&c->granted_bytes));
		set_count(w, o, "asking", counter_read(&c->asking));
		append(w, array, o);
	}
	return array;
}

/* Sums over the workers; of the most that was held, the worker's that held most. */
static json_t *
reassembly(struct writer *w, const struct node *n)
{
	struct reasm_stats sum = {0};
	json_t *o = json_object();

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct reasm_stats *s = reasm_stats(n->worker[i]->fabric->reasm);

		sum.packets += counter_read(&s->packets);
		sum.bytes += counter_read(&s->bytes);
		sum.packets_lost += counter_read(&s->packets_lost);
		sum.streams_new += counter_read(&s->streams_new);
		sum.streams_forgotten += counter_read(&s->streams_forgotten);
		sum.learned += counter_read(&s->learned);
		sum.restarts += counter_read(&s->restarts);
		sum.peak_packets = RTE_MAX(sum.peak_packets, s->peak_packets);
		sum.peak_cells = RTE_MAX(sum.peak_cells, s->peak_cells);
	}
	set_count(w, o, "packets", sum.packets);
	set_count(w, o, "bytes", sum.bytes);
	set_count(w, o, "packets_lost", sum.packets_lost);
	set_count(w, o, "streams_new", sum.streams_new);
	set_count(w, o, "streams_forgotten", sum.streams_forgotten);
	set_count(w, o, "learned", sum.learned);
	set_count(w, o, "restarts", sum.restarts);
	set_count(w, o, "most_packets", sum.peak_packets);
	set_count(w, o, "most_cells", sum.peak_cells);
	return o;
}

static void
set_control(struct writer *w, json_t *o, const struct node *n, const struct counters *c)
{
	uint64_t requests_in = 0, requests_out = 0, grants_in = 0, grants_out = 0;

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct worker_fabric *f = n->worker[i]->fabric;

		requests_in += counter_read(&f->requests_in);
		requests_out += counter_read(&f->requests_out);
		grants_in += counter_read(&f->grants_in);
		grants_out += counter_read(&f->grants_out);
	}
	set_count(w, o, "control_in", c->control_in);
	set_count(w, o, "control_out", c->control_out);
	set_count(w, o, "reach_out", c->reach_out);
	set_count(w, o, "requests_in", requests_in);
	set_count(w, o, "requests_out", requests_out);
	set_count(w, o, "grants_in", grants_in);
	set_count(w, o, "grants_out", grants_out);
}

json_t *
report_fabric(struct writer *w, const struct node *n, const struct counters *c)
{
	json_t *o;

	if (n->fabric == NULL)
		return json_null();
	o = json_object();
	set_count(w, o, "packets_cut", c->packets_cut);
	set_count(w, o, "cells_made", c->cells_made);
	set_count(w, o, "packets_joined", c->packets_joined);
	set_count(w, o, "cells_joined", c->cells_joined);
	set_count(w, o, "cells_transit", c->cells_transit);
	set_control(w, o, n, c);
	set(w, o, "reassembly", reassembly(w, n));
	set(w, o, "links", links(w, n));
	set(w, o, "devices", devices(w, n));
	set(w, o, "reach", reachability(w, n));
	set(w, o, "voqs", voqs(w, n));
	set(w, o, "credit", credit(w, n));
	return o;
}
