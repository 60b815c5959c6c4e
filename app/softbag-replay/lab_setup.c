/* SPDX-License-Identifier: BSD-3-Clause */
/* From a topology to a lab: nodes, their captures, the wires. lab_main.c calls it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "inputs.h"
#include "lab.h"

static void
say(void *ctx, enum node_severity severity, const char *sentence)
{
	const struct lab_node *n = ctx;

	if (severity == NODE_ERROR || n->lab->args->verbose)
		fprintf(stderr, "softbag-replay: node %s: %s\n", n->topo->name, sentence);
}

static int
no_memory(void)
{
	fputs("softbag-replay: memory ran out.\n", stderr);
	return EXIT_FAILED;
}

/* The inputs of node i, as a command line would have them. */
static int
node_args(struct lab *l, size_t i)
{
	struct args *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return no_memory();
	l->node[i].args = a;
	a->loops = l->args->loops;
	a->segment_len = l->args->segment_len;
	a->timing = TIMING_ASIS;
	for (size_t k = 0; k < l->topo->n_inputs; k++) {
		const struct topo_input *in = &l->topo->input[k];
		struct args_rate *rate = &a->rate[a->n_rates];

		if (in->port.node_idx != i)
			continue;
		if (a->n_inputs == ARGS_INPUTS_MAX) {
			fprintf(stderr,
				"softbag-replay: node %s has more than %u inputs; join some with "
				"mergecap.\n",
				l->topo->node[i].name, ARGS_INPUTS_MAX);
			return EXIT_WRONG;
		}
		strcpy(a->input[a->n_inputs].port, in->port.port);
		a->input[a->n_inputs++].file = in->path;
		if (in->rate_bps == 0)
			continue;
		/* the inputs of a port agree, and the first one found is taken */
		strcpy(rate->port, in->port.port);
		rate->per_s = in->rate_bps;
		a->n_rates++;
	}
	return 0;
}

int
lab_load_captures(struct lab *l)
{
	l->n_nodes = l->topo->n_nodes;
	l->node = calloc(l->n_nodes, sizeof(*l->node));
	if (l->node == NULL) {
		l->n_nodes = 0;
		return no_memory();
	}
	for (size_t i = 0; i < l->n_nodes; i++) {
		int rc = node_args(l, i);

		if (rc != 0)
			return rc;
		l->node[i].capture = captures_load(l->node[i].args);
		if (l->node[i].capture == NULL)
			return EXIT_WRONG;
	}
	return 0;
}

/* What leaves a node in a turn goes in; what a wire does not take yet stays, as in a device. */
static uint32_t
ring_depth(const struct conf *conf)
{
	uint32_t n_workers = RTE_MAX((uint32_t)conf->n_workers, 1u);

	return RTE_MAX(rte_align32pow2(n_workers * (WORKER_TX_MAX + 1) + 1), LAB_RING);
}

static int
make_node(struct lab *l, size_t i)
{
	struct lab_node *n = &l->node[i];
	const struct topo_node *t = &l->topo->node[i];
	struct node_env env = {
		.clock = clock_manual(&l->now, 1000000000),
		.log = {.say = say, .ctx = n},
		.replay = true,
		.wired = true,
		.replay_depth = ring_depth(t->conf),
	};
	char why[CAPTURE_WHY_MAX];

	n->lab = l;
	n->topo = t;
	snprintf(n->prefix, sizeof(n->prefix), "%s.", t->name);
	n->due_ns = 0;
	n->out = calloc(t->conf->n_ports, sizeof(*n->out));
	n->wired = calloc(t->conf->n_ports, sizeof(*n->wired));
	if (n->out == NULL || n->wired == NULL)
		return no_memory();
	if (l->args->burst != 0)
		t->conf->burst = l->args->burst;
	if (node_create(t->conf, &env, &n->node) != 0)
		return EXIT_FAILED;
	if (feed_create(n->args, n->capture, n->node, &n->feed, why) == 0)
		return 0;
	fprintf(stderr, "softbag-replay: node %s: %s\n", t->name, why);
	return EXIT_WRONG;
}

static struct wire_end
end_of(const struct lab *l, const struct topo_end *e)
{
	struct node *node = l->node[e->node_idx].node;

	return (struct wire_end){
		.node = node,
		.port = node->port[e->port_idx],
		.node_idx = e->node_idx,
		.port_idx = e->port_idx,
	};
}

static int
make_wire(struct lab *l, size_t i, const struct topo_end *from, const struct topo_end *to)
{
	const struct topo_wire *t = &l->topo->wire[i / 2];
	struct wire *w = &l->wire[i];
	struct lab_node *n = &l->node[from->node_idx];
	struct rng seeds;

	*w = (struct wire){
		.from = end_of(l, from),
		.to = end_of(l, to),
		.rate_bps = t->rate_bps,
		.delay_ns = t->delay_ns,
		.jitter_ns = t->jitter_ns,
		.loss = t->loss,
	};
	wire_init(w);
	w->segment_len = rte_pktmbuf_data_room_size(w->to.node->pool) - RTE_PKTMBUF_HEADROOM;
	if (l->args->segment_len != 0)
		w->segment_len = RTE_MIN(w->segment_len, (uint32_t)l->args->segment_len);
	/* SplitMix64's numbers are far apart for neighbouring seeds */
	rng_init(&seeds, l->topo->seed + i);
	rng_init(&w->luck, rng_next(&seeds));
	rng_init(&w->late, rng_next(&seeds));
	w->n_queues = feed_queues(w->to.node, w->to.port_idx, w->queue);
	if (w->n_queues == 0) {
		fprintf(stderr,
			"softbag-replay: node %s: port %s: no worker polls it; name it under "
			"runtime.workers, or name no workers.\n",
			l->topo->node[to->node_idx].name, to->port);
		return EXIT_WRONG;
	}
	n->out[from->port_idx] = w;
	n->wired[from->port_idx] = true;
	port_mem_set_speed(w->from.port, t->rate_bps);
	return 0;
}

/* The earliest timestamp of all captures that are played as captured is 0. */
static void
set_origin(struct lab *l)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < l->n_nodes; i++)
		first = RTE_MIN(first, l->node[i].feed.origin_ns);
	for (size_t i = 0; i < l->n_nodes; i++)
		l->node[i].feed.origin_ns = first;
}

/* There are no neighbours to ask: who reads the output should know where its MACs come from. */
static void
say_made_up_macs(const struct lab *l)
{
	unsigned int members = 0;

	for (size_t i = 0; i < l->n_nodes; i++)
		members += account_made_up_macs(l->node[i].node);
	if (members != 0)
		fprintf(stderr,
			"softbag-replay: %u group members have no mac; theirs are made up from "
			"their via addresses.\n",
			members);
}

static void
set_start(struct lab *l)
{
	for (size_t i = 0; i < l->n_nodes; i++)
		if (l->node[i].node->fabric != NULL)
			l->start_ns =
				RTE_MAX(l->start_ns, l->topo->node[i].conf->dsf.reach_interval_ns *
							     LAB_SETTLE_INTERVALS);
}

int
lab_init(struct lab *l, const struct args *a, const struct topo *t)
{
	int rc = 0;

	l->args = a;
	l->topo = t;
	for (size_t i = 0; rc == 0 && i < l->n_nodes; i++)
		rc = make_node(l, i);
	if (rc != 0)
		return rc;
	l->wire = calloc(2 * t->n_wires + 1, sizeof(*l->wire));
	if (l->wire == NULL)
		return no_memory();
	for (size_t i = 0; rc == 0 && i < t->n_wires; i++) {
		rc = make_wire(l, l->n_wires++, &t->wire[i].from, &t->wire[i].to);
		if (rc == 0)
			rc = make_wire(l, l->n_wires++, &t->wire[i].to, &t->wire[i].from);
	}
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < l->n_nodes; i++)
		node_look_at_links(l->node[i].node);
	set_origin(l);
	set_start(l);
	say_made_up_macs(l);
	return 0;
}

int
lab_fini(struct lab *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_wires; i++)
		wire_fini(&l->wire[i]);
	for (size_t i = 0; i < l->n_nodes; i++) {
		struct lab_node *n = &l->node[i];
		int one = node_free(n->node); /* says so when packets are missing */

		rc = rc == 0 ? one : rc;
		feed_fini(&n->feed);
		if (n->capture != NULL)
			captures_free(n->capture, n->args->n_inputs);
		free(n->args);
		free(n->out);
		free(n->wired);
	}
	free(l->wire);
	free(l->node);
	return rc;
}
