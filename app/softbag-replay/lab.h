/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lab in one process: nodes, wires between their ports, one virtual clock. lab_setup.c makes it
 * of a topology, lab.c runs it, lab_end.c stops it and holds the counters to each other,
 * lab_report.c tells. A step costs a look at each node's and each wire's next time, so that many
 * nodes are no different from few.
 */
#ifndef SOFTBAG_REPLAY_LAB_H
#define SOFTBAG_REPLAY_LAB_H

#include <signal.h>

#include "args.h"
#include "conf/topo.h"
#include "feed.h"
#include "meter.h"
#include "progress.h"
#include "sink.h"
#include "wire.h"

/* Frames that a port's ring holds before it refuses: a device's usual queue (PORTS_DESC). */
#define LAB_RING 1024u

/*
 * Fabrics come to know themselves before the captures begin: a link is believed after three REACH,
 * and news goes three hops far. Six default intervals.
 */
#define LAB_SETTLE_INTERVALS 6u

struct lab;

struct lab_node {
	const struct lab *lab;
	const struct topo_node *topo;
	char prefix[CONF_NAME_MAX + 1]; /* `a.`, before names of ports */
	struct node *node;
	struct args *args; /* its inputs, as a command line would have them */
	struct capture *capture;
	struct feed feed;
	struct sink sink; /* ports without a wire */
	struct meter meter;
	struct wire **out; /* by port; NULL: no wire */
	bool *wired;       /* by port */
	uint64_t due_ns;   /* its next turn; UINT64_MAX: when something comes in */
	uint64_t feed_ns;  /* its captures' next look */
};

struct lab {
	const struct args *args;
	const struct topo *topo;
	const volatile sig_atomic_t *interrupted;
	struct lab_node *node; /* as the topology's */
	size_t n_nodes;
	struct wire *wire; /* wire i of the topology from `from`: 2i, from `to`: 2i + 1 */
	size_t n_wires;
	size_t next_event; /* of the topology's */
	struct progress progress;
	uint64_t put;      /* frames of captures */
	uint64_t now;      /* all nodes' clock, ns */
	uint64_t start_ns; /* when captures and events begin */
	uint64_t moved_ns; /* a frame last moved, or none waited */
	bool moved;        /* in this step */
	bool failed;       /* a wire had no memory for a copy */
};

/*
 * Makes everything but files. Returns 0; EXIT_WRONG when what was given does not go together;
 * EXIT_FAILED. Said on stderr. The EAL runs; lab_fini() in any case.
 */
int lab_init(struct lab *l, const struct args *a, const struct topo *t);

/* Reads each node's captures; before the EAL is started. -EINVAL, said on stderr. */
int lab_load_captures(struct lab *l);

/* Frees it; -EPROTO when a node's packet buffers did not come back, said on stderr. */
int lab_fini(struct lab *l);

/* Steps until all is played and nothing waits. -errno, said on stderr. */
int lab_run(struct lab *l);

/* Frames that came in, left, and were lost, over all nodes and wires. */
struct lab_totals {
	uint64_t in;   /* from captures */
	uint64_t made; /* by nodes: copies, pause frames, cells, packets out of cells */
	uint64_t out;  /* by ports without a wire */
	uint64_t punted, dropped;
	uint64_t ended;     /* packets that became cells, cells that became packets, control */
	uint64_t wire_lost; /* lost, lost_down, no_buffer */
	uint64_t in_flight; /* on wires */
};

/*
 * Stops the nodes, takes what is left. -EPROTO when a node's counters, or all together (in + made =
 * out + punted + dropped + ended + wire_lost + in_flight), disagree: a fault of softbag, said on
 * stderr.
 */
int lab_end(struct lab *l, struct lab_totals *ret_totals);

void lab_text(const struct lab *l, const struct lab_totals *t, FILE *out);
/* -ENOMEM, or -errno of the file. */
int lab_json(const struct lab *l, const struct lab_totals *t, FILE *out);

#endif
