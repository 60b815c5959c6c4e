/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reachability: which fabric links lead to which device, and how much each should take. A distance
 * vector of few hops (compare RIP, RFC 2453, with its split horizon and poisoned routes) over
 * REACH cells; the links' liveness falls out of it (compare BFD, RFC 5880).
 *
 * Who hears: a link lives after 3 REACH in a row and dies `missed` intervals after the last one.
 * Who tells: on a link that it does not hear, or drains, a node sends REACH without entries, and
 * such a one withdraws all that was said on the link. So a link is sprayed over only if it works
 * both ways, and a drain or a restart is understood at once.
 * What is told: a link's round is one or more cells. An entry holds until it is told anew, told
 * with capacity 0 (withdrawn; said `missed` rounds long), or not refreshed for `missed` intervals.
 * Distances beyond CELL_HOPS_MAX are not told: no device can be counted to infinity.
 *
 * Owner: the control thread, all of it. It gives what came (reach_heard(), reach_link()) before it
 * takes the turn, publishes the table, and sends the round; who does not get to it for `missed`
 * intervals is dead to his neighbours. No sockets, no clock in here.
 * Lifetime: that of the node. Memory is taken at creation, and no more.
 */
#ifndef CELL_REACH_H
#define CELL_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/cell.h"

#define REACH_LINKS_MAX  64u    /* a bitmap of links is one word */
#define REACH_WEIGHT_MAX 32768u /* of the best link of a set */
#define REACH_IN_A_ROW   3u     /* REACH heard before a link is believed */

/* What a REACH can have wrong. */
#define REACH_FAULTS(X)                                                                            \
	X(link, "on a link that is down or does not exist")                                        \
	X(own, "our own device id: a loop or a second device of that id")                          \
	X(device, "a device id that cannot be")                                                    \
	X(hops, "a distance that cannot be")                                                       \
	X(capacity, "a capacity that cannot be")                                                   \
	X(full, "more devices than the node takes")

enum reach_fault {
	REACH_OK,
#define X(name, text) REACH_BAD_##name,
	REACH_FAULTS(X)
#undef X
		REACH_FAULT_N
};

struct reach_config {
	uint16_t device;      /* ours, CELL_DEVICE_MIN..CELL_DEVICE_MAX */
	bool transit;         /* fabric node: tells what it reaches, and passes cells on to it */
	uint64_t interval_ps; /* between rounds, the same in the whole fabric; 1 us..10 s */
	uint8_t missed;       /* intervals of silence until a link is dead, 1..100 */
	/*
	 * Links with which a device becomes reachable, and below which it is no longer; 0 counts as
	 * 1, remain <= join. The least distance that has so many is taken. They are links of this
	 * node: more than 1 at a fabric node wants that many to each of its neighbours.
	 */
	uint16_t min_links_join, min_links_remain;
	uint16_t n_links;         /* 1..REACH_LINKS_MAX; links are known by index from here on */
	const uint16_t *port_idx; /* of each link, for the table; copied */
	const uint64_t *rate_bps; /* above 0; copied */
	/*
	 * Devices known at once, 1..65534; a direct neighbour finds room beyond that, so that a
	 * flood from one does not hide another.
	 * Memory: 900 bytes, and 17 a link, for each; 1000 with 64 links take a turn of
	 * milliseconds when news come.
	 */
	uint32_t n_devices;
	uint64_t seed; /* of the jitter between rounds, and of hashes */
};

/* A way to spray: as spray_set_init() takes it. Equal bytes are equal sets. */
struct reach_set {
	uint32_t weight[REACH_LINKS_MAX]; /* 1..REACH_WEIGHT_MAX; beyond n: 0 */
	uint16_t port_idx[REACH_LINKS_MAX];
	uint16_t n;
	uint16_t unused;
};

struct reach_route {
	uint32_t set_idx;
	uint16_t device;
	uint8_t hops; /* as told: 0 is a neighbour */
	uint8_t unused;
};

/* The reachable devices; those with equal links and weights share a set. */
struct reach_table {
	struct reach_set *set;
	struct reach_route *route; /* in no particular order */
	uint32_t n_sets, n_routes;
};

/* What reach_turn() asks for; bits. */
enum {
	REACH_TABLE = 1u << 0, /* reach_table() says something else than before */
	REACH_LINKS = 1u << 1, /* reach_link_alive() does, of some link */
	REACH_SEND = 1u << 2,  /* a round is due: reach_advert() for every link */
};

struct reach;

/* Bytes of memory that reach_create() takes, its numbers in range. Any thread. */
size_t reach_bytes(uint16_t n_links, uint32_t n_devices);

/*
 * All links are down until reach_link() says otherwise. -EINVAL: a number out of range; -ENOMEM.
 * *ret_reach is untouched on failure.
 */
int reach_create(const struct reach_config *config, uint64_t now, struct reach **ret_reach);

/* Takes NULL. */
void reach_free(struct reach *r);

/* Carrier. Down: dead at once, and what was learned on it is gone with the next turn. */
void reach_link(struct reach *r, uint16_t link, bool up, uint64_t now);

/* The link's speed is another; 0 is not believed. */
void reach_rate(struct reach *r, uint16_t link, uint64_t rate_bps);

/*
 * A REACH of device `source` came in on the link, with n entries. REACH_OK, or the first fault:
 * with REACH_BAD_link, or our own id as source, the cell counts for nothing; else the entries
 * without fault were taken, and the link was heard. Entries count once the link is alive.
 */
enum reach_fault reach_heard(struct reach *r, uint16_t link, uint16_t source,
	const struct cell_reach *entry, unsigned int n, uint64_t now);

/*
 * Drain: from the next turn's table on we do not use the link, and its next round tells the
 * neighbour to do the same; it stays listening, so that cells on their way arrive. Taken back, both
 * sides use it again after one round.
 */
void reach_drain(struct reach *r, uint16_t link, bool drain, uint64_t now);

/*
 * The neighbour uses the drained link no more: it has heard so, or has heard nothing for so long
 * that the link is dead to it, whatever was lost. True `missed` + 1 intervals after the drain
 * (the last one for delay and the neighbour's turn), or at once when the link is down.
 */
bool reach_drained(const struct reach *r, uint16_t link, uint64_t now);

/* What time brings, and a new table if need be. Bits REACH_*; see there what is to be done. */
unsigned int reach_turn(struct reach *r, uint64_t now);

/* When to take the next turn; not later than an interval from `now`, and `now` if it is due. */
uint64_t reach_next_ps(const struct reach *r, uint64_t now);

/*
 * A cell of the link's round, when reach_turn() has said REACH_SEND: up to `max` (1 at least)
 * entries. Begin with *from = 0 and go on until it returns false. A first cell may have 0 entries
 * and is to be sent all the same. False at once: the link is down. Each pass is a round of its own.
 */
bool reach_advert(struct reach *r, uint16_t link, uint32_t *from, struct cell_reach *out,
	unsigned int max, unsigned int *ret_n);

/* Carrier is there and the neighbour is heard, whether it is drained or not. */
bool reach_link_alive(const struct reach *r, uint16_t link);

/* The table has a route to the device; 0..65535. */
bool reach_reaches(const struct reach *r, uint16_t device);

/* As of the last turn; valid until the next one. */
const struct reach_table *reach_table(const struct reach *r);

#endif
