/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: members of the configuration become next hops with MACs, ports and counters. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "conf/hyper.h"
#include "ctl/build.h"
#include "ctl/fabric.h"
#include "ctl/say.h"
#include "nhg/hash_inl.h"

/* The MAC of a neighbour that some member of the configuration names with this address. */
static bool
static_neighbour(const struct conf *c, const struct conf_member *m, uint8_t *ret_mac)
{
	for (size_t g = 0; g < c->n_groups; g++) {
		for (size_t i = 0; i < c->group[g].n_members; i++) {
			const struct conf_member *o = &c->group[g].member[i];

			if (o->device_idx == UINT16_MAX && o->has_mac &&
				o->port_idx == m->port_idx &&
				memcmp(&o->via, &m->via, sizeof(m->via)) == 0) {
				memcpy(ret_mac, o->mac, sizeof(o->mac));
				return true;
			}
		}
	}
	return false;
}

/*
 * A replay has no neighbours to ask: the MAC is made from the address, so that a reader of the
 * output can see which next hop was meant: 02:00 and the IPv4 address, 02:06 and the end of an IPv6
 * one.
 */
static void
made_up_neighbour(const struct conf_addr *via, uint8_t *ret_mac)
{
	bool v6 = via->family == AF_INET6;

	ret_mac[0] = 0x02;
	ret_mac[1] = v6 ? 0x06 : 0x00;
	memcpy(ret_mac + 2, via->byte + (v6 ? 12 : 0), 4);
}

static bool
resolve(const struct node *n, const struct conf *c, const struct conf_member *m, uint8_t *ret_mac)
{
	if (m->has_mac) {
		memcpy(ret_mac, m->mac, sizeof(m->mac));
		return true;
	}
	if (static_neighbour(c, m, ret_mac))
		return true;
	if (n->env.replay)
		made_up_neighbour(&m->via, ret_mac);
	return n->env.replay;
}

/*
 * A member through the fabric. The frame leaves by a system port as it is, so its destination is
 * the host behind that; the router of a device looks at no MAC. The source is the fabric port's.
 */
static void
fill_device_member(const struct node *n, const struct build_group *b, const struct conf_member *m,
	struct nhg_member *ret_member)
{
	uint16_t id = b->conf->dsf.device[m->device_idx].id;
	uint8_t *mac = ret_member->l2;

	ret_member->port_idx = fabric_way(n, b->conf, m);
	ret_member->mtu = fabric_mtu(b->conf);
	ret_member->resolved = m->has_mac || m->system_port == CELL_ROUTER_PORT || n->env.replay;
	if (m->has_mac)
		memcpy(mac, m->mac, sizeof(m->mac));
	else /* 02:0d, device, system port */
		memcpy(mac,
			(uint8_t[]){0x02, 0x0d, (uint8_t)(id >> 8), (uint8_t)id,
				(uint8_t)(m->system_port >> 8), (uint8_t)m->system_port},
			6);
	memcpy(mac + 6, n->port[n->fabric->dp.link[0]]->mac, 6);
}

static void
fill_port_member(const struct node *n, const struct build_group *b, const struct conf_member *m,
	struct nhg_member *ret_member)
{
	const struct port *port = n->port[conf_first_port(b->conf, m->port_idx)];

	ret_member->port_idx = m->port_idx;
	ret_member->mtu =
		m->port_idx < n->n_ports ? port->mtu : conf_out(b->conf, m->port_idx)->mtu;
	ret_member->resolved = resolve(n, b->conf, m, ret_member->l2);
	memcpy(ret_member->l2 + 6, port->mac, 6);
}

_Static_assert((int)CONF_SPRAY_AR_BIT == NHG_SPRAY_AR_BIT &&
		       (int)CONF_SPRAY_WRITE == NHG_SPRAY_WRITE &&
		       (int)CONF_SPRAY_ANY == NHG_SPRAY_ANY,
	"the configuration counts them alike");

static enum nhg_policy
policy_of(const struct conf_group *g)
{
	switch (g->policy) {
	case CONF_POLICY_FLOWLET:
		return NHG_FLOWLET;
	case CONF_POLICY_SPRAY:
		return NHG_SPRAY;
	case CONF_POLICY_ADAPTIVE:
		return g->per == CONF_PER_FLOWLET ? NHG_ADAPTIVE_FLOWLET : NHG_ADAPTIVE;
	default:
		return NHG_ECMP;
	}
}

static uint8_t
hash_fields(const struct conf_group *g)
{
	return (uint8_t)((g->hash_fields & CONF_HASH_5TUPLE ? NHG_HASH_5TUPLE : 0) |
			 (g->hash_fields & CONF_HASH_DEST_QP ? NHG_HASH_DEST_QP : 0) |
			 (g->hash_fields & CONF_HASH_FLOW_LABEL ? NHG_HASH_FLOW_LABEL : 0) |
			 (g->vxlan_inner ? NHG_HASH_VXLAN : 0));
}

bool
build_is_plain(const struct conf_group *g)
{
	return nhg_is_plain(policy_of(g), hash_fields(g), g->rotate_ns * PS_PER_NS);
}

void
build_members(const struct node *n, const struct build_group *b,
	struct nhg_member ret_member[NHG_MEMBERS_MAX])
{
	for (size_t i = 0; i < b->group->n_members; i++) {
		const struct conf_member *m = &b->group->member[i];

		ret_member[i] = (struct nhg_member){
			.counter = b->counter[i],
			.weight = b->weight != NULL ? b->weight[i] : m->weight,
		};
		if (m->device_idx != UINT16_MAX)
			fill_device_member(n, b, m, &ret_member[i]);
		else
			fill_port_member(n, b, m, &ret_member[i]);
		if (!ret_member[i].resolved)
			ret_member[i].mtu = 0;
	}
}

int
build_group(struct node *n, const struct build_group *b, struct nhg_group **ret_group)
{
	const struct conf_group *g = b->group;
	struct nhg_member member[NHG_MEMBERS_MAX];
	bool dead[NHG_MEMBERS_MAX];
	struct nhg_spec spec = {
		.policy = policy_of(g),
		.spray_if = (enum nhg_spray_if)g->spray_if,
		.hash_fields = hash_fields(g),
		.n_workers = (uint16_t)n->n_placed,
		.gap_ps = g->gap_ns * PS_PER_NS,
		.rotate_ps = g->rotate_ns * PS_PER_NS,
		.generation = ++n->n_built,
		.choice_counter = b->choice,
		.n_buckets = g->buckets,
		.seed = conf_group_seed(b->conf, g),
		.n_members = (uint16_t)g->n_members,
		.member = member,
		.old_idx = b->old_idx,
		.dead = dead,
	};

	build_members(n, b, member);
	for (size_t i = 0; i < g->n_members; i++)
		dead[i] = !alive_test(&n->shared.alive, member[i].port_idx);
	return nhg_group_create(&spec, b->before, -1, ret_group);
}

/* A group of the node's first configuration. */
static int
first_group(struct node *n, size_t idx)
{
	struct node_group *g = &n->group[idx];
	uint32_t counter[NHG_MEMBERS_MAX];
	struct build_group b = {.conf = n->conf, .group = &n->conf->group[idx], .counter = counter};
	int rc;

	g->conf = b.group;
	g->slot = DP_GROUP_FIRST + (uint32_t)idx;
	n->slot_group[g->slot] = (uint32_t)idx;
	for (size_t i = 0; i < b.group->n_members; i++) {
		rc = members_take(n, &counter[i]);
		if (rc != 0)
			return rc;
	}
	rc = members_take(n, &g->choice);
	b.choice = g->choice;
	return rc == 0 ? build_group(n, &b, &n->slot[g->slot]) : rc;
}

int
build_groups(struct node *n)
{
	const struct conf *c = n->conf;

	n->n_slots = DP_GROUP_FIRST + (uint32_t)c->n_groups;
	n->slot = calloc(n->n_slots, sizeof(*n->slot));
	n->slot_group = calloc(n->n_slots, sizeof(*n->slot_group));
	n->group = calloc(c->n_groups + 1, sizeof(*n->group));
	if (n->slot == NULL || n->slot_group == NULL || n->group == NULL || members_create(n) != 0)
		return node_say_no_memory(&n->env.log);
	for (size_t g = 0; g < c->n_groups; g++) {
		int rc = first_group(n, g);

		if (rc != 0) {
			node_say(&n->env.log, NODE_ERROR, "group %s cannot be built: %s.",
				c->group[g].name, strerror(-rc));
			return rc;
		}
	}
	return 0;
}
