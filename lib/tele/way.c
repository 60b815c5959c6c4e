/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of ways out, for show_*.c and report*.c. */
#include "tele/way.h"

#include "conf/hyper.h"

const struct fabric_dest *
way_dest(const struct node *n, uint16_t way)
{
	if (n->fabric == NULL || way < n->n_outs)
		return NULL;
	return &n->fabric->dp.dest[way - n->n_outs];
}

const char *
device_name(const struct node *n, uint16_t id)
{
	const struct conf_dsf *d = &n->conf->dsf;

	for (size_t i = 0; i < d->n_devices; i++)
		if (d->device[i].id == id)
			return d->device[i].name;
	return NULL;
}

const char *
device_text(const struct node *n, uint16_t id, char *buf)
{
	const char *name = device_name(n, id);

	if (name != NULL)
		snprintf(buf, WAY_TEXT_LEN, "%s", name);
	else
		snprintf(buf, WAY_TEXT_LEN, "%u", id);
	return buf;
}

const char *
system_text(uint16_t system_port, char *buf)
{
	if (system_port == CELL_ROUTER_PORT)
		snprintf(buf, WAY_TEXT_LEN, "router");
	else
		snprintf(buf, WAY_TEXT_LEN, "%u", system_port);
	return buf;
}

const char *
way_text(const struct node *n, uint16_t way, char *buf)
{
	const struct fabric_dest *d = way_dest(n, way);
	char device[WAY_TEXT_LEN];

	if (d == NULL)
		snprintf(buf, WAY_TEXT_LEN, "%s", conf_out(n->conf, way)->name);
	else if (d->system_port == CELL_ROUTER_PORT)
		snprintf(buf, WAY_TEXT_LEN, "device %.31s, router",
			device_text(n, d->device, device));
	else
		snprintf(buf, WAY_TEXT_LEN, "device %.31s, port %u",
			device_text(n, d->device, device), d->system_port);
	return buf;
}

int
way_by_name(const struct node *n, const char *name)
{
	int i = conf_port_by_name(n->conf, name);

	if (i >= 0)
		return i;
	i = conf_hyper_by_name(n->conf, name);
	return i < 0 ? i : (int)n->n_ports + i;
}
