/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names to indexes. Ports, devices and groups are read before those that refer to them (the order
 * of schema_file says so). Called by field_scalar.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/field.h"
#include "conf/hyper.h"
#include "conf/nearest.h"

#define NEAREST_NAMES_MAX 2000u /* looked at for a hint; a hundred hints must cost no second */

int
conf_port_by_name(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n_ports; i++)
		if (c->port[i].name[0] != '\0' && strcmp(c->port[i].name, name) == 0)
			return (int)i;
	return -1;
}

int
conf_hyper_by_name(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n_hypers; i++)
		if (c->hyper[i].name[0] != '\0' && strcmp(c->hyper[i].name, name) == 0)
			return (int)i;
	return -1;
}

int
conf_group_by_name(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->n_groups; i++)
		if (c->group[i].name[0] != '\0' && strcmp(c->group[i].name, name) == 0)
			return (int)i;
	return -1;
}

int
conf_device_by_name(const struct conf *c, const char *name)
{
	for (size_t i = 0; i < c->dsf.n_devices; i++)
		if (c->dsf.device[i].name[0] != '\0' && strcmp(c->dsf.device[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int
by_name(const void *pa, const void *pb, void *ctx)
{
	const struct conf *c = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int d = strcmp(c->group[a].name, c->group[b].name);

	return d != 0 ? d : (a > b) - (a < b);
}

static int
index_groups(struct decode *d)
{
	size_t n = d->conf->n_groups;
	uint32_t *index = calloc(n ? n : 1, sizeof(index[0]));

	if (index == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		index[i] = i;
	qsort_r(index, n, sizeof(index[0]), by_name, d->conf);
	d->group_by_name = index;
	return 0;
}

int
ref_port(const struct decode *d, const char *name, bool or_hyper)
{
	int i = conf_port_by_name(d->conf, name);

	if (i >= 0 || !or_hyper)
		return i;
	i = conf_hyper_by_name(d->conf, name);
	return i < 0 ? i : (int)d->conf->n_ports + i;
}

int
ref_group(struct decode *d, const char *name)
{
	size_t lo = 0, hi = d->conf->n_groups;

	if (d->group_by_name == NULL && index_groups(d) != 0) {
		d->rc = -ENOMEM;
		return -1;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint32_t i = d->group_by_name[mid];
		int cmp = strcmp(name, d->conf->group[i].name);

		if (cmp == 0)
			return name[0] ? (int)i : -1;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

int
ref_device(const struct decode *d, const char *name)
{
	return conf_device_by_name(d->conf, name);
}

static size_t
count_names(const struct conf *c, const struct field *f)
{
	return f->type == FIELD_PORT    ? c->n_ports + (f->or_hyper ? c->n_hypers : 0)
	       : f->type == FIELD_GROUP ? c->n_groups
					: c->dsf.n_devices;
}

static const char *
name_at(const struct conf *c, enum field_type type, size_t i)
{
	return type == FIELD_PORT ? i < c->n_ports ? c->port[i].name : c->hyper[i - c->n_ports].name
	       : type == FIELD_GROUP ? c->group[i].name
				     : c->dsf.device[i].name;
}

const char *
ref_nearest(const struct decode *d, const struct field *f, const char *name)
{
	size_t n = count_names(d->conf, f);
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; i < n && i < NEAREST_NAMES_MAX; i++)
		nearest_offer(&near, name_at(d->conf, f->type, i));
	return near.best;
}
