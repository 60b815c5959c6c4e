/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A running node's packet buffers, records and memory were counted when it began (budget.c). What a
 * reload asks for has to be within them.
 */
#include <errno.h>
#include <inttypes.h>

#include "ctl/egress.h"
#include "ctl/flows.h"
#include "ctl/ports.h"
#include "ctl/reload.h"
#include "ctl/say.h"

/* As many as they were, by auto: a delay line that is promised must not live from what others have.
 */
static int
check_buffers(const struct node *n, const struct conf *c, const struct budget *b)
{
	if (c->mbufs != 0 || b->packets.sum <= n->pool->size)
		return 0;
	node_say(&n->env.log, NODE_ERROR,
		"the node would need %" PRIu64
		" packet buffers and runs with %u; set runtime.mbufs: "
		"%" PRIu64 " or more, and start it again.",
		b->packets.sum, n->pool->size, RTE_ALIGN_CEIL(b->packets.sum, 1024));
	return -ENOSPC;
}

static int
check_records(const struct node *n, const struct conf *c)
{
	uint32_t need = RTE_MIN(egress_records(c), n->pool->size);

	if (need <= n->n_records)
		return 0;
	node_say(&n->env.log, NODE_ERROR,
		"%u packets might wait and the running node has room for %u; set runtime.mbufs: %u "
		"or more, and start it again.",
		need, n->n_records, need);
	return -ENOSPC;
}

/* Schedulers of system ports have their classes from the start. */
static int
check_credit(const struct node *n, const struct conf *c)
{
	for (unsigned int k = 0; n->fabric != NULL && k < CONF_CLASSES; k++)
		if (c->class_[k].strict != n->conf->class_[k].strict) {
			node_say(&n->env.log, NODE_ERROR,
				"class %u would %s strict, and the fabric grants credit by that: "
				"that needs a restart.",
				k, c->class_[k].strict ? "become" : "no more be");
			return -ENOTSUP;
		}
	return 0;
}

/* Workers have their tables of flows from the start, or none. */
static int
check_flows(const struct node *n, const struct conf *c)
{
	if (flows_wanted(c) == 0 || flows_wanted(n->conf) != 0)
		return 0;
	node_say(&n->env.log, NODE_ERROR,
		"a group would keep flowlets, and the running node has no table of flows: that "
		"needs a restart (with `flows: {qp_view: true}` the table is there beforehand).");
	return -ENOTSUP;
}

int
reload_room(const struct node *n, const struct conf *c)
{
	struct budget_users users = {
		.n_workers = n->n_workers, .n_queues = n->n_queues, .depth = PORTS_DESC};
	struct budget b;
	int rc;

	if (n->env.replay) { /* as ports_configure() counts: memory ports have no descriptors */
		users.n_queues = budget_users(c).n_queues;
		users.depth = RTE_MIN(users.depth, n->env.replay_depth);
	}
	rc = build_budget(c, users, &n->env.log, &b);
	if (rc == -ENOMEM)
		return node_say_no_memory(&n->env.log);
	if (rc == 0)
		rc = check_buffers(n, c, &b);
	if (rc == 0)
		rc = check_records(n, c);
	if (rc == 0)
		rc = check_credit(n, c);
	if (rc == 0)
		rc = check_flows(n, c);
	if (rc == 0 && !n->env.replay)
		rc = build_check_memory(c, &b, &n->env.log);
	return rc;
}
