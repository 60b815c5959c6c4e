/* SPDX-License-Identifier: BSD-3-Clause */
/* What of the cell fabric is allowed and probably not meant. A part of warn.c. */
#include "conf/warn_dsf.h"

#include "conf/errors.h"
#include "conf/fabric.h"
#include "conf/headroom.h"
#include "conf/value.h"

/* Members that lead to device `idx`; to any with UINT16_MAX. */
static size_t
members_to(const struct conf *c, uint16_t idx)
{
	size_t n = 0;

	for (size_t g = 0; g < c->n_groups; g++) {
		for (size_t i = 0; i < c->group[g].n_members; i++) {
			uint16_t at = c->group[g].member[i].device_idx;

			n += at != UINT16_MAX && (idx == UINT16_MAX || at == idx);
		}
	}
	return n;
}

static void
warn_devices(const struct conf *c, struct conf_errors *w)
{
	for (size_t i = 0; i < c->dsf.n_devices; i++)
		if (members_to(c, (uint16_t)i) == 0)
			errors_add(w, c->dsf.device[i].pos,
				"dsf.devices.%s: got no group with a member to it, want one or no "
				"device",
				c->dsf.device[i].name);
}

static void
warn_links(const struct conf *c, struct conf_errors *w)
{
	const struct conf_dsf *f = &c->dsf;
	size_t n = conf_dsf_links(c);

	if (n == 0)
		errors_add(w, f->pos,
			"dsf: got no port of role dsf, want one: as it is, no cell comes or goes");
	else if (f->transit && n == 1)
		errors_add(w, f->pos,
			"dsf.transit: got one port of role dsf, want two at least: a cell never "
			"goes back by the link that it came by");
	else if (!f->transit && members_to(c, UINT16_MAX) == 0)
		errors_add(w, f->pos,
			"dsf: got no member with a device in any group and no `transit: true`, "
			"want one of them: as it is, cells come and none go");
	if (n != 0 && f->min_links_join > n)
		errors_add(w, f->pos,
			"dsf.min_links_join: got %u and %zu ports of role dsf, want %zu at most: "
			"as it is, no device is ever reached",
			f->min_links_join, n, n);
}

/* A host's MAC, which nothing resolves behind a fabric. */
static void
warn_macs(const struct conf_group *g, struct conf_errors *w)
{
	for (size_t i = 0; i < g->n_members; i++)
		if (g->member[i].system_port != 0 && !g->member[i].has_mac)
			errors_add(w, g->member[i].pos,
				"groups.%s.members[%zu]: got a system port and no mac, want the "
				"mac of the host behind it: without it the member's packets drop "
				"as unresolved",
				g->name, i);
}

/* What ports may still hold when they pause has to find room where it waits. */
static void
warn_lossless(const struct conf *c, unsigned int n, struct conf_errors *w)
{
	char limit[AMOUNT_LEN], need[AMOUNT_LEN];
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n_ports; i++)
		if ((c->port[i].pfc.classes >> n & 1) != 0)
			sum += conf_pfc_bytes(&c->port[i]);
	if (sum > c->dsf.voq_limit && members_to(c, UINT16_MAX) != 0)
		errors_add(w, c->dsf.pos,
			"dsf.voq_limit: got %s, want %s: that much of class %u (%s), which is "
			"lossless, may come in by ports with pfc (xoff and headroom of each) "
			"before their neighbours stop",
			amount_show(AMOUNT_SIZE, c->dsf.voq_limit, limit),
			amount_round(AMOUNT_SIZE, sum, need), n, c->class_[n].name);
}

/* A class that drops at its limit before the fabric is told to stop. The first one stands for all.
 */
static void
warn_bound(const struct conf *c, struct conf_errors *w)
{
	char limit[AMOUNT_LEN], is[AMOUNT_LEN];
	unsigned int least = 0;
	uint64_t bound = 0;

	for (size_t i = 0; i < c->n_ports; i++) {
		uint64_t at_port = conf_egress_bound(&c->dsf, c->port[i].rate_bps);

		if (c->port[i].role != CONF_ROLE_DSF && at_port > bound)
			bound = at_port;
	}
	for (unsigned int n = 1; n < CONF_CLASSES; n++)
		if (c->class_[n].limit < c->class_[least].limit)
			least = n;
	if (bound < c->class_[least].limit)
		return;
	errors_add(w, c->dsf.pos,
		"dsf.egress_bound: got %s, want less than the limit of class %u, %s: as it is, the "
		"class drops before the fabric stops sending to it",
		amount_round(AMOUNT_SIZE, bound, is), least,
		amount_show(AMOUNT_SIZE, c->class_[least].limit, limit));
}

static void
warn_credit(const struct conf *c, struct conf_errors *w)
{
	char is[AMOUNT_LEN];

	if (c->dsf.speedup_permille < 1000)
		errors_add(w, c->dsf.pos,
			"dsf.speedup: got %s, want 100%% at least: as it is, a system port waits "
			"for the fabric",
			amount_round(AMOUNT_PART, c->dsf.speedup_permille * UINT64_C(1000000), is));
	warn_bound(c, w);
}

void
warn_dsf(const struct conf *c, struct conf_errors *w)
{
	if (c->dsf.pos.line == 0)
		return;
	warn_links(c, w);
	warn_devices(c, w);
	for (size_t g = 0; g < c->n_groups; g++)
		warn_macs(&c->group[g], w);
	for (unsigned int n = 0; n < CONF_CLASSES; n++)
		warn_lossless(c, n, w);
	if (c->dsf.scheduling == CONF_SCHEDULING_CREDIT)
		warn_credit(c, w);
}
