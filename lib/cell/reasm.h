/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reassembly: DATA cells that are for this device become packets again, whole and in packet-id
 * order within each stream (source, pipe, system port, class). Before it: the stage that reads
 * cells from fabric links. After it: the router or the system port.
 *
 * A packet waits for its own cells, and for the packets before it, at most `timeout_ps` from its
 * first cell on; then what is missing before it is given up and it goes, or goes with them. Every
 * cell of a packet is sent before the first one of the next, so what comes later than that was
 * delayed by more than the timeout, and counts as lost.
 *
 * Where a stream begins: a SYNC cell says so. Without one (this node was started anew, or forgot
 * the stream) ids half a window either side of the first one are taken, and nothing is delivered
 * until SYNC or the timeout says where to begin.
 *
 * Owner: one worker; nothing in here is shared. No payload is copied.
 */
#ifndef CELL_REASM_H
#define CELL_REASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pkt/drop.h"
#include "wire/cell.h"

struct rte_mbuf;
struct reasm;

enum {
	REASM_PACKETS_MAX = 1 << 20,
	REASM_WINDOW_MIN = 64,
	REASM_WINDOW_MAX = 32768,
	REASM_WINDOW = 1024, /* 1 us a packet at the default timeout of 1 ms */
};

/* A stream is forgotten for the sake of another one when it was idle for this long. */
#define REASM_IDLE_MIN_PS (UINT64_C(100) * 1000000000)

struct reasm_config {
	uint32_t n_streams; /* 1..2^20 */
	uint32_t n_packets; /* 1..REASM_PACKETS_MAX: in pieces, waiting for their turn or to be
			       taken */
	/* in pieces or waiting for their turn at most, and the oldest packet's own; 1 or more */
	uint32_t n_cells;
	uint32_t window; /* packets ahead in a stream: a power of two in the range above */
	uint64_t timeout_ps;
	uint64_t seed;  /* of the hashes, so that no sender knows which cells collide */
	int socket;     /* NUMA node, or -1 */
	uint64_t *drop; /* the worker's counters by enum drop_reason; here in cells */
};

struct reasm_packet {
	struct rte_mbuf *m; /* an Ethernet frame without FCS, a chain of its cells' payloads */
	uint16_t source, system_port;
	uint8_t class;
	bool congestion; /* one of its cells says so */
};

struct reasm_stats {
	uint64_t packets, bytes; /* delivered */
	uint64_t cells;          /* of those */
	uint64_t packets_lost;   /* given up: in pieces, or never seen between others */
	uint64_t streams_new, streams_forgotten;
	uint64_t learned;  /* a stream was taken up without SYNC */
	uint64_t restarts; /* SYNC in a stream that had gone on */
	uint32_t streams;  /* known now */
	uint32_t n_cells, n_packets, peak_cells, peak_packets; /* held: now, and at most so far */
};

/* Bytes of memory that reasm_create() takes. Any thread. */
size_t reasm_bytes(const struct reasm_config *config);

/* -EINVAL: a number out of range; -ENOMEM. Control thread. */
int reasm_create(const struct reasm_config *config, struct reasm **ret_reasm);

/* Frees what is held, uncounted. Takes NULL. Control thread. */
void reasm_free(struct reasm *r);

/*
 * A DATA cell for this device. `m` is the whole frame (Ethernet, header, payload, padding), in
 * segments of which the first holds CELL_PREFIX_LEN bytes at least; `h` was read from it with
 * CELL_OK. DROP_NONE: taken. Else the reason, and `m` is the caller's, to free and to count.
 * `now_ps` never goes back. Worker.
 */
enum drop_reason reasm_put(
	struct reasm *r, const struct cell_header *h, struct rte_mbuf *m, uint64_t now_ps);

/* Up to `max` whole packets, in packet-id order within a stream. Worker. */
uint16_t reasm_take(struct reasm *r, struct reasm_packet *out, uint16_t max);

/*
 * Gives up what is too old: frees its cells, counts them as reassembly_timeout, and lets go what
 * waited for them. REASM_TURN_PACKETS a call and no more, so that a flood of pieces that all end
 * at once does not keep the worker from its queues; reasm_next_ps() then says now. Worker.
 */
void reasm_turn(struct reasm *r, uint64_t now_ps);

/* When reasm_turn() or reasm_take() has something to do next; UINT64_MAX: nothing waits. Worker. */
uint64_t reasm_next_ps(const struct reasm *r, uint64_t now_ps);

/* Cells held now: of packets in pieces, waiting, and ready to be taken. Worker. */
uint32_t reasm_cells(const struct reasm *r);

/* Frees all that is held and counts its cells as `reason`; the streams go on. Worker. */
void reasm_drop_all(struct reasm *r, enum drop_reason reason);

/* Any thread, as of about now. */
const struct reasm_stats *reasm_stats(const struct reasm *r);

#define REASM_TURN_PACKETS 64u

#endif
