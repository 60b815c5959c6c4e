/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric of a node as tables and reports see it: sums over workers, lists in an order. As of
 * about now, loads are relaxed. Inside lib/tele only.
 */
#ifndef TELE_FABRIC_VIEW_H
#define TELE_FABRIC_VIEW_H

#include <stdio.h>

#include "ctl/fabric.h"

/* Says so where the node has no fabric; all below is then not to be called. */
bool view_no_fabric(const struct node *n, FILE *out);

struct view_link {
	struct reach_link_view reach; /* if `told` */
	const char *state;            /* `up`, `dead`, `drained`, `no carrier` */
	bool alive;                   /* cells go out by it */
	bool told;                    /* there is reachability: no replay without wires */
};

struct view_device {
	uint16_t id;
	bool known; /* by reachability: hops hold */
	bool reachable;
	uint8_t hops;
	uint16_t n_links;
};

/* A VOQ, of one worker or of all. */
struct view_voq {
	uint64_t packets, bytes; /* that wait */
	uint64_t peak;           /* the most bytes that waited, of a worker */
	uint64_t wanted, granted, sent;
	uint64_t cut_packets, cut_bytes; /* that left as cells */
	uint64_t dropped, marked;
	bool used; /* a packet has come to it */
};

struct view_link view_link(const struct node *n, uint16_t link);

/* Picoseconds since the last REACH of a link that was heard. */
uint64_t view_silence_ps(const struct node *n, const struct reach_link_view *link);

/* Known and listed devices by number, on the heap; the number of them, 0 when memory runs out. */
size_t view_devices(const struct node *n, struct view_device **ret_device);

/* Parts that ports get of the cells to a device, by port index; their sum, 0: there is no way. */
unsigned int view_shares(
	const struct node *n, uint16_t device, unsigned int ret_part[DP_PORTS_MAX]);

/* worker NULL: all of them. */
struct view_voq view_voq(
	const struct node *n, const struct worker *w, unsigned int dest, unsigned int class);

/* Classes that the scheduler of a system port gives no credit now, a bit each. */
uint8_t view_held(const struct node *n, const struct fabric_system *s);

/* Of the worker that schedules it. */
const struct credit_stats *view_credit(const struct node *n, uint16_t system);

#endif
