/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of a new configuration for a node that runs. One that is the same stays the object that it
 * is, so that no flow of it moves; one that changed is built from what it was, with the fewest
 * buckets moved; its members that stay keep their counters. A group keeps its slot while it is
 * there, so that routes to it do not change.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/diff.h"
#include "ctl/fabric.h"
#include "ctl/reload.h"
#include "ctl/say.h"

static int
by_name(const void *pa, const void *pb, void *arg)
{
	const struct conf *c = arg;

	return strcmp(c->group[*(const uint32_t *)pa].name, c->group[*(const uint32_t *)pb].name);
}

static uint32_t *
sorted_groups(const struct conf *c)
{
	uint32_t *idx = malloc((c->n_groups + 1) * sizeof(*idx));

	for (uint32_t i = 0; idx != NULL && i < c->n_groups; i++)
		idx[i] = i;
	if (idx != NULL)
		qsort_r(idx, c->n_groups, sizeof(*idx), by_name, (void *)(uintptr_t)c);
	return idx;
}

/* by new group: the slot of the old one of that name; 0: it is new. */
static int
keep_slots(struct reload *r)
{
	const struct conf *was = r->node->conf, *is = r->conf;
	uint32_t *a = sorted_groups(was), *b = sorted_groups(is);

	for (size_t i = 0, k = 0;
		a != NULL && b != NULL && i < was->n_groups && k < is->n_groups;) {
		int d = strcmp(was->group[a[i]].name, is->group[b[k]].name);

		if (d == 0)
			r->group[b[k]].slot = r->node->group[a[i]].slot;
		i += d <= 0;
		k += d >= 0;
	}
	free(a);
	free(b);
	return a == NULL || b == NULL ? -ENOMEM : 0;
}

/* New ones take the lowest that is free: workers see a slot and what leads to it together. */
static int
give_slots(struct reload *r)
{
	bool *used = calloc(r->n_slots, sizeof(*used));
	uint32_t next = DP_GROUP_FIRST;

	if (used == NULL)
		return -ENOMEM;
	for (size_t g = 0; g < r->conf->n_groups; g++)
		used[r->group[g].slot] = true;
	for (uint32_t g = 0; g < r->conf->n_groups; g++) {
		if (r->group[g].slot == 0) {
			while (used[next])
				next++;
			used[next] = true;
			r->group[g].slot = next;
		}
		r->group[g].conf = &r->conf->group[g];
		r->slot_group[r->group[g].slot] = g;
	}
	free(used);
	return 0;
}

/* Counters: a group has one of its own. */
static size_t
n_counters(const struct conf *c)
{
	size_t n = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		n += c->group[g].n_members + 1;
	return n;
}

static int
make_room(struct reload *r)
{
	const struct conf *was = r->node->conf, *is = r->conf;

	/* as many as both have: slots of the old that stay, and the lowest for the new */
	r->n_slots = DP_GROUP_FIRST + (uint32_t)(was->n_groups + is->n_groups);
	r->n_slots = RTE_MAX(r->n_slots, r->node->n_slots);
	r->group = calloc(is->n_groups + 1, sizeof(*r->group));
	r->slot = calloc(r->n_slots, sizeof(*r->slot));
	r->slot_group = calloc(r->n_slots, sizeof(*r->slot_group));
	r->built = calloc(is->n_groups + 1, sizeof(*r->built));
	r->gone = calloc(was->n_groups + 1, sizeof(*r->gone));
	r->taken = calloc(n_counters(is) + 1, sizeof(*r->taken));
	r->left = calloc(n_counters(was) + 1, sizeof(*r->left));
	return r->group == NULL || r->slot == NULL || r->slot_group == NULL || r->built == NULL ||
			       r->gone == NULL || r->taken == NULL || r->left == NULL
		       ? -ENOMEM
		       : 0;
}

/* Slots beyond the last one in use would only grow with each reload. */
static void
trim_slots(struct reload *r)
{
	while (r->n_slots > DP_GROUP_FIRST && r->slot[r->n_slots - 1] == NULL)
		r->n_slots--;
}

/* The place of a member in what the group was, or NHG_NONE. */
static uint8_t
place_before(const struct reload *r, const struct conf_group *was, const struct conf_member *m)
{
	for (size_t i = 0; i < was->n_members; i++)
		if (conf_member_same(r->node->conf, &was->member[i], r->conf, m))
			return (uint8_t)i;
	return NHG_NONE;
}

static int
no_counter(const struct reload *r)
{
	node_say(&r->node->env.log, NODE_ERROR,
		"the groups have more members than the running node has counters (%u); start it "
		"again.",
		r->node->n_members);
	return -ENOSPC;
}

static int
take_counter(struct reload *r, uint32_t *ret_idx)
{
	if (members_take(r->node, ret_idx) != 0)
		return no_counter(r);
	r->taken[r->n_taken++] = *ret_idx;
	return 0;
}

/* Members of the old group that the new one has no more. */
static void
leave_counters(struct reload *r, const struct nhg_group *before, const struct build_group *b)
{
	bool stays[NHG_MEMBERS_MAX] = {false};

	for (size_t i = 0; b != NULL && i < b->group->n_members; i++)
		if (b->old_idx[i] != NHG_NONE)
			stays[b->old_idx[i]] = true;
	for (unsigned int i = 0; i < before->n_members; i++)
		if (!stays[i])
			r->left[r->n_left++] = before->member[i].counter;
}

/* What is said of it is the same, and so is what that comes to. */
static bool
is_unchanged(const struct reload *r, const struct conf_group *was, const struct build_group *b)
{
	struct nhg_member member[NHG_MEMBERS_MAX];

	if (!conf_group_same(r->node->conf, was, r->conf, b->group) ||
		conf_group_seed(r->node->conf, was) != conf_group_seed(r->conf, b->group))
		return false;
	build_members(r->node, b, member);
	for (unsigned int i = 0; i < b->before->n_members; i++) {
		const struct nhg_member *m = &b->before->member[i];

		if (memcmp(m->l2, member[i].l2, sizeof(m->l2)) != 0 || m->mtu != member[i].mtu ||
			m->weight != member[i].weight || m->port_idx != member[i].port_idx)
			return false;
	}
	return true;
}

/* Ways through the fabric have queues from the start. */
static int
check_ways(const struct reload *r, const struct conf_group *g)
{
	for (size_t i = 0; i < g->n_members; i++) {
		const struct conf_member *m = &g->member[i];

		if (m->device_idx == UINT16_MAX || fabric_has_way(r->node, r->conf, m))
			continue;
		node_say(&r->node->env.log, NODE_ERROR,
			"%s:%u:%u: groups.%s: device %s, system port %u, which no group had, needs "
			"a restart.",
			r->conf->file, m->pos.line, m->pos.col, g->name,
			r->conf->dsf.device[m->device_idx].name, m->system_port);
		return -ENOTSUP;
	}
	return 0;
}

static int
build_one(struct reload *r, const struct build_group *b, uint32_t slot)
{
	int rc = build_group(r->node, b, &r->built[r->n_built]);

	if (rc != 0) {
		node_say(&r->node->env.log, NODE_ERROR, "group %s cannot be built: %s.",
			b->group->name, strerror(-rc));
		return rc;
	}
	r->slot[slot] = r->built[r->n_built++];
	return 0;
}

/* The group of index `idx`, in the slot that it has. */
static int
reload_group(struct reload *r, uint32_t idx)
{
	uint32_t counter[NHG_MEMBERS_MAX], slot = r->group[idx].slot;
	uint8_t old_idx[NHG_MEMBERS_MAX];
	struct node *n = r->node;
	/* a slot may be one that a group has left in this reload */
	bool is_old =
		slot < n->n_slots && n->slot[slot] != NULL &&
		strcmp(n->conf->group[n->slot_group[slot]].name, r->conf->group[idx].name) == 0;
	const struct conf_group *was = is_old ? &n->conf->group[n->slot_group[slot]] : NULL;
	struct build_group b = {
		.conf = r->conf,
		.group = &r->conf->group[idx],
		.counter = counter,
		.before = is_old ? n->slot[slot] : NULL,
		.old_idx = old_idx,
	};
	int rc = check_ways(r, b.group);

	for (size_t i = 0; i < b.group->n_members && rc == 0; i++) {
		old_idx[i] = is_old ? place_before(r, was, &b.group->member[i]) : NHG_NONE;
		if (old_idx[i] != NHG_NONE)
			counter[i] = b.before->member[old_idx[i]].counter;
		else
			rc = take_counter(r, &counter[i]);
	}
	if (is_old)
		r->group[idx].choice = n->group[n->slot_group[slot]].choice;
	else if (rc == 0)
		rc = take_counter(r, &r->group[idx].choice);
	if (rc != 0)
		return rc;
	b.choice = r->group[idx].choice;
	if (is_old && is_unchanged(r, was, &b)) {
		r->slot[slot] = n->slot[slot];
		return 0;
	}
	if (is_old) {
		leave_counters(r, b.before, &b);
		r->gone[r->n_gone++] = n->slot[slot];
	}
	return build_one(r, &b, slot);
}

/* Groups that the new configuration has no more. */
static void
drop_groups(struct reload *r)
{
	const struct node *n = r->node;

	for (size_t g = 0; g < n->conf->n_groups; g++) {
		uint32_t slot = n->group[g].slot;
		const struct nhg_group *now = r->slot[slot];
		bool stays = now != NULL && strcmp(r->conf->group[r->slot_group[slot]].name,
						    n->conf->group[g].name) == 0;

		if (stays)
			continue;
		leave_counters(r, n->slot[slot], NULL);
		r->left[r->n_left++] = n->group[g].choice;
		r->gone[r->n_gone++] = n->slot[slot];
	}
}

int
reload_groups(struct reload *r)
{
	int rc = make_room(r);

	if (rc == 0)
		rc = keep_slots(r);
	if (rc == 0)
		rc = give_slots(r);
	if (rc != 0)
		return node_say_no_memory(&r->node->env.log);
	for (uint32_t g = 0; g < r->conf->n_groups; g++) {
		rc = reload_group(r, g);
		if (rc != 0)
			return rc;
	}
	drop_groups(r);
	trim_slots(r);
	return 0;
}
