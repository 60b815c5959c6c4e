/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow tables from the configuration. node.c comes before; what they hold is the workers'. */
#include "ctl/flows.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include <rte_lcore.h>

#include "ctl/build.h"
#include "flow/flow.h"
#include "flow/qp.h"

uint8_t
flows_wanted(const struct conf *c)
{
	uint8_t flows = c->flows.qp_view ? DP_FLOWS_QP : 0;

	for (size_t g = 0; g < c->n_groups; g++)
		if (conf_group_flowlets(&c->group[g]))
			flows |= DP_FLOWS_ALL;
	return flows;
}

static size_t
record_len(const struct conf *c)
{
	return c->flows.qp_view ? sizeof(struct flow_qp) : 0;
}

uint64_t
flows_bytes(const struct conf *c, unsigned int n_workers)
{
	if (flows_wanted(c) == 0)
		return 0;
	return n_workers * (uint64_t)flow_table_bytes(c->flows.max, record_len(c));
}

/*
 * The secret of the tables: of a replay from the node's seed, so that it repeats; else nobody's to
 * know, or senders could choose flows that fill one bucket.
 */
static void
draw_secret(const struct node *n, unsigned int idx, uint64_t secret[2])
{
	struct rng rng;

	rng_init(&rng, conf_seed(n->conf) + idx);
	if (!n->env.replay && getrandom(secret, 2 * sizeof(*secret), 0) == 2 * sizeof(*secret))
		return;
	secret[0] = rng_next(&rng);
	secret[1] = rng_next(&rng);
}

int
flows_attach(struct node *n, struct worker *w)
{
	char name[32];
	struct flow_table_config c = {
		.name = name,
		.max = n->conf->flows.max,
		.age_ps = n->conf->flows.age_ns * PS_PER_NS,
		.now_ps = ps_from_ticks(&w->timebase, clock_now(&n->env.clock)),
		.socket = n->env.replay ? SOCKET_ID_ANY : (int)rte_lcore_to_socket_id(w->lcore),
		.beside_len = record_len(n->conf),
		.end = n->conf->flows.qp_view ? qp_end : NULL,
		.end_ctx = &w->qp_gone,
	};

	if (flows_wanted(n->conf) == 0)
		return 0;
	snprintf(name, sizeof(name), "flow%s.%u", n->tag, w->idx);
	draw_secret(n, w->idx, c.seed);
	return flow_table_create(&c, &w->flow);
}
