/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must not repeat in a file: names, devices, MACs, lcores, prefixes, ids. Called by check.c,
 * once all is read; unique.c sorts and reports. Addresses, of which an item has several, are
 * check.c's own.
 */
#include "base/bits.h"
#include "conf/check.h"
#include "conf/unique.h"

typedef size_t count_fn(const struct conf *c);

static size_t
count_ports(const struct conf *c)
{
	return c->n_ports;
}

static bool
port_name(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return unique_text(d->conf->port[i].name, ret_key, ret_len);
}

static bool
port_device(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return unique_text(d->conf->port[i].device, ret_key, ret_len);
}

static bool
port_mac(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = d->conf->port[i].mac;
	*ret_len = sizeof(d->conf->port[i].mac);
	return d->conf->port[i].has_mac;
}

static size_t
count_hypers(const struct conf *c)
{
	return c->n_hypers;
}

static bool
hyper_name(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return unique_text(d->conf->hyper[i].name, ret_key, ret_len);
}

static size_t
count_groups(const struct conf *c)
{
	return c->n_groups;
}

static bool
group_name(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return unique_text(d->conf->group[i].name, ret_key, ret_len);
}

static size_t
count_workers(const struct conf *c)
{
	return c->n_workers;
}

static bool
worker_lcore(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &d->conf->worker[i].lcore;
	*ret_len = sizeof(d->conf->worker[i].lcore);
	return d->conf->worker[i].lcore != UINT16_MAX;
}

static size_t
count_routes(const struct conf *c)
{
	return c->n_routes;
}

static bool
route_prefix(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &d->conf->route[i].prefix;
	*ret_len = sizeof(d->conf->route[i].prefix);
	return d->conf->route[i].prefix.family != 0;
}

static size_t
count_devices(const struct conf *c)
{
	return c->dsf.n_devices;
}

static bool
device_name(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return unique_text(d->conf->dsf.device[i].name, ret_key, ret_len);
}

static bool
device_id(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &d->conf->dsf.device[i].id;
	*ret_len = sizeof(d->conf->dsf.device[i].id);
	return d->conf->dsf.device[i].id != 0;
}

static size_t
count_system_ports(const struct conf *c)
{
	return c->dsf.n_system_ports;
}

static bool
system_port_number(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &d->conf->dsf.system_port[i].number;
	*ret_len = sizeof(d->conf->dsf.system_port[i].number);
	return d->conf->dsf.system_port[i].number != 0;
}

static bool
system_port_port(const struct decode *d, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &d->conf->dsf.system_port[i].port_idx;
	*ret_len = sizeof(d->conf->dsf.system_port[i].port_idx);
	return d->conf->dsf.system_port[i].port_idx != UINT16_MAX;
}

static const struct {
	struct unique_kind kind;
	count_fn *count;
	unique_key *key;
} uniques[] = {
	{{NULL, "ports", "name", false, "a name of its own"}, count_ports, port_name},
	{{NULL, "ports", "device", false, "a device of its own"}, count_ports, port_device},
	{{NULL, "ports", "mac", false, "a MAC of its own"}, count_ports, port_mac},
	{{NULL, "hyperports", "name", false, "a name of its own"}, count_hypers, hyper_name},
	{{NULL, "groups", "name", false, "a name of its own"}, count_groups, group_name},
	{{"runtime", "workers", "lcore", false, "an lcore of its own"}, count_workers,
		worker_lcore},
	{{"routes", "static", "prefix", false, "each prefix once"}, count_routes, route_prefix},
	{{"dsf", "devices", "name", false, "a name of its own"}, count_devices, device_name},
	{{"dsf", "devices", "id", false, "an id of its own"}, count_devices, device_id},
	{{"dsf", "system_ports", "number", false, "a number of its own"}, count_system_ports,
		system_port_number},
	{{"dsf", "system_ports", "port", false, "a port of its own"}, count_system_ports,
		system_port_port},
};

int
check_uniques(struct decode *d)
{
	int rc = 0;

	for (size_t i = 0; i < BITS_ARRAY_LEN(uniques) && rc == 0; i++)
		rc = unique_check_items(
			d, &uniques[i].kind, uniques[i].count(d->conf), uniques[i].key);
	return rc;
}
