/* SPDX-License-Identifier: BSD-3-Clause */
/* Reachability (cell/reach.h) as people and metrics see it. Control thread. */
#ifndef CELL_REACH_VIEW_H
#define CELL_REACH_VIEW_H

#include "cell/reach.h"

struct reach_stats {
	uint64_t heard, entries; /* REACH cells, and entries, that were right */
	uint64_t fault[REACH_FAULT_N];
	uint64_t rounds;               /* asked for */
	uint64_t deaths, revivals;     /* of links */
	uint64_t recabled;             /* a link that was alive led to another device all at once */
	uint32_t n_alive;              /* links, now */
	uint32_t n_known, n_reachable; /* devices, now */
};

struct reach_link_view {
	uint64_t heard_ps;  /* the last REACH; if heard */
	uint32_t n_devices; /* told on it, the neighbour too */
	uint16_t port_idx;
	uint16_t neighbour; /* device; 0: none was heard yet */
	uint8_t in_a_row;   /* 0..REACH_IN_A_ROW */
	bool up, alive, drained, heard;
};

struct reach_device_view {
	uint16_t device;
	uint16_t n_links; /* sprayed over; of a device out of reach, those that told of it */
	uint8_t hops;     /* if reachable */
	bool reachable;
};

void reach_stats(const struct reach *r, struct reach_stats *ret_stats);
void reach_link_view(const struct reach *r, uint16_t link, struct reach_link_view *ret_view);

/* Known devices one by one: begin with *from = 0, until it returns false. */
bool reach_device_view(const struct reach *r, uint32_t *from, struct reach_device_view *ret_view);

/* `fault` in REACH_BAD_link..REACH_FAULT_N - 1. Static strings. */
const char *reach_fault_name(enum reach_fault fault);
const char *reach_fault_text(enum reach_fault fault);

#endif
