/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric: its links, and the devices that they lead to. */
#include <stdlib.h>

#include "conf/value.h"
#include "tele/fabric_view.h"
#include "tele/since.h"
#include "tele/table.h"
#include "tele/way.h"

static void
neighbour_cells(struct table *t, const struct node *n, const struct view_link *v)
{
	char name[WAY_TEXT_LEN], ago[AMOUNT_LEN];

	table_text(t, "%s",
		v->told && v->reach.neighbour != 0 ? device_text(n, v->reach.neighbour, name)
						   : "-");
	if (!v->told || !v->reach.heard) {
		table_text(t, "-");
		table_text(t, "-");
		return;
	}
	table_text(t, "%u", v->reach.n_devices);
	table_text(
		t, "%s", amount_round(AMOUNT_TIME, view_silence_ps(n, &v->reach) / PS_PER_NS, ago));
}

static void
link_table(const struct node *n, const struct counters *sum, FILE *out)
{
	struct table *t =
		table_create("link|state|neighbour|>devices|>heard ago|>cells in|>cells out");

	for (uint16_t l = 0; l < n->fabric->dp.n_links; l++) {
		struct view_link v = view_link(n, l);
		uint16_t p = n->fabric->dp.link[l];

		table_text(t, "%s", n->port[p]->name);
		table_text(t, "%s", v.state);
		neighbour_cells(t, n, &v);
		table_count(t, sum->port_in[p].packets);
		table_count(t, sum->port_out[p].packets);
	}
	table_print(t, out);
	table_free(t);
}

/* Names of the ports that have as much as `first`, which are then done; how many they are. */
static unsigned int
print_alike(const struct node *n, unsigned int *part, size_t first, FILE *out)
{
	unsigned int want = part[first], alike = 0;

	for (size_t p = first; p < n->n_ports; p++) {
		if (part[p] != want)
			continue;
		fprintf(out, "%s ", n->port[p]->name);
		part[p] = 0;
		alike++;
	}
	return alike;
}

/* `fab0 fab1 25.0 % each, fab2 50.0 %`: links of one share stand together. */
static void
share_cell(struct table *t, const struct node *n, uint16_t device)
{
	unsigned int part[DP_PORTS_MAX], total = view_shares(n, device, part);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *between = "";
	unsigned int alike;

	for (size_t p = 0; out != NULL && total != 0 && p < n->n_ports; p++) {
		double percent = 100.0 * part[p] / total;

		if (part[p] == 0)
			continue;
		fputs(between, out);
		between = ", ";
		alike = print_alike(n, part, p, out);
		fprintf(out, "%.1f %%%s", percent, alike > 1 ? " each" : "");
	}
	if (out != NULL)
		fclose(out);
	table_text(t, "%s", total == 0 || text == NULL ? "-" : text);
	free(text);
}

static void
device_table(const struct node *n, FILE *out)
{
	struct table *t = table_create(">device|name|state|>hops|>links|shares");
	struct view_device *device;
	size_t n_devices = view_devices(n, &device);

	for (size_t i = 0; i < n_devices; i++) {
		const struct view_device *d = &device[i];
		const char *name = device_name(n, d->id);

		table_text(t, "%u", d->id);
		table_text(t, "%s", name != NULL ? name : "-");
		table_text(t, "%s", d->reachable ? "reachable" : "unreachable");
		if (d->known && d->reachable)
			table_text(t, "%u", d->hops);
		else
			table_text(t, "-");
		table_text(t, "%u", d->n_links);
		share_cell(t, n, d->id);
	}
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
	free(device);
}

/* What neighbours told that cannot be, by fault; nothing where there was none. */
static void
fault_table(const struct node *n, FILE *out)
{
	struct table *t = table_create("REACH fault|>times|meaning");
	struct reach_stats stats;

	reach_stats(n->fabric->reach, &stats);
	for (unsigned int f = REACH_OK + 1; f < REACH_FAULT_N; f++) {
		if (stats.fault[f] == 0)
			continue;
		table_text(t, "%s", reach_fault_name((enum reach_fault)f));
		table_count(t, stats.fault[f]);
		table_text(t, "%s", reach_fault_text((enum reach_fault)f));
	}
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

void
show_fabric(const struct node *n, const struct show_base *base, FILE *out)
{
	struct counters sum;
	struct counter *member;

	if (view_no_fabric(n, out))
		return;
	since(n, base, &sum, &member);
	link_table(n, &sum, out);
	device_table(n, out);
	if (n->fabric->reach != NULL)
		fault_table(n, out);
	else
		fputs("A replay hears of no device: each one that the file lists is behind every "
		      "link.\n",
			out);
	free(member);
}
