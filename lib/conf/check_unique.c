/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must not repeat in a file: names, devices, MACs, lcores, prefixes, ids. Called by check.c,
 * once all is read; unique.c sorts and reports. Addresses, of which an item has several, are
 * check.c's own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "conf/check.h"
#include "conf/unique.h"

/* The bytes of item i that must be unique; false: it has none. */
typedef bool key_fn(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len);
typedef size_t count_fn(const struct conf *c);

static bool
text_key(const char *s, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = s;
	*ret_len = s ? (uint32_t)strlen(s) : 0;
	return *ret_len != 0;
}

static size_t
count_ports(const struct conf *c)
{
	return c->n_ports;
}

static bool
port_name(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return text_key(c->port[i].name, ret_key, ret_len);
}

static bool
port_device(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return text_key(c->port[i].device, ret_key, ret_len);
}

static bool
port_mac(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = c->port[i].mac;
	*ret_len = sizeof(c->port[i].mac);
	return c->port[i].has_mac;
}

static size_t
count_groups(const struct conf *c)
{
	return c->n_groups;
}

static bool
group_name(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return text_key(c->group[i].name, ret_key, ret_len);
}

static size_t
count_workers(const struct conf *c)
{
	return c->n_workers;
}

static bool
worker_lcore(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &c->worker[i].lcore;
	*ret_len = sizeof(c->worker[i].lcore);
	return c->worker[i].lcore != UINT16_MAX;
}

static size_t
count_routes(const struct conf *c)
{
	return c->n_routes;
}

static bool
route_prefix(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &c->route[i].prefix;
	*ret_len = sizeof(c->route[i].prefix);
	return c->route[i].prefix.family != 0;
}

static size_t
count_devices(const struct conf *c)
{
	return c->dsf.n_devices;
}

static bool
device_name(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	return text_key(c->dsf.device[i].name, ret_key, ret_len);
}

static bool
device_id(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &c->dsf.device[i].id;
	*ret_len = sizeof(c->dsf.device[i].id);
	return c->dsf.device[i].id != 0;
}

static size_t
count_system_ports(const struct conf *c)
{
	return c->dsf.n_system_ports;
}

static bool
system_port_number(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &c->dsf.system_port[i].number;
	*ret_len = sizeof(c->dsf.system_port[i].number);
	return c->dsf.system_port[i].number != 0;
}

static bool
system_port_port(const struct conf *c, size_t i, const void **ret_key, uint32_t *ret_len)
{
	*ret_key = &c->dsf.system_port[i].port_idx;
	*ret_len = sizeof(c->dsf.system_port[i].port_idx);
	return c->dsf.system_port[i].port_idx != UINT16_MAX;
}

static const struct {
	struct unique_kind kind;
	count_fn *count;
	key_fn *key;
} uniques[] = {
	{{NULL, "ports", "name", false, "a name of its own"}, count_ports, port_name},
	{{NULL, "ports", "device", false, "a device of its own"}, count_ports, port_device},
	{{NULL, "ports", "mac", false, "a MAC of its own"}, count_ports, port_mac},
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

static int
check_unique(struct decode *d, const struct unique_kind *k, count_fn *count, key_fn *key)
{
	size_t n = count(d->conf), n_found = 0, i = 0;
	uint32_t list = unique_list(d, k, n);
	struct unique *found;

	if (n < 2 || list == TREE_NONE)
		return 0;
	found = calloc(n, sizeof(found[0]));
	if (found == NULL)
		return -ENOMEM;
	for (uint32_t v = tree_first(d->tree, list); v != TREE_NONE;
		v = tree_next(d->tree, v), i++) {
		struct unique *u = &found[n_found];

		*u = (struct unique){.item = v, .idx = (uint32_t)i};
		u->node = tree_get(d->tree, v, k->key);
		n_found += u->node != TREE_NONE && key(d->conf, i, &u->key, &u->len);
	}
	unique_check(d, k, found, n_found);
	free(found);
	return 0;
}

int
check_uniques(struct decode *d)
{
	int rc = 0;

	for (size_t i = 0; i < BITS_ARRAY_LEN(uniques) && rc == 0; i++)
		rc = check_unique(d, &uniques[i].kind, uniques[i].count, uniques[i].key);
	return rc;
}
