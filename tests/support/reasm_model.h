/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reassembly once more, dully: arrays that are searched from one end to the other, ids that are
 * counted one by one, no mbuf. It says for each cell what reassembly must say, and which packets
 * come out in which order. Only the choice of a stream to forget is not modelled: no test with the
 * model lets a full table of streams stand for 100 ms.
 */
#ifndef TEST_REASM_MODEL_H
#define TEST_REASM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "pkt/drop.h"
#include "wire/cell.h"

enum {
	MODEL_STREAMS_MAX = 64,
	MODEL_PACKETS_MAX = 4096,
};

struct model_packet {
	bool used, ready, congestion;
	uint64_t order; /* of its first cell; once it is ready, of that */
	uint64_t first_ps;
	uint32_t stream, id;
	uint32_t len, unit_len, last_len, n_fragments, n_cells;
	bool has[CELL_FRAGMENTS_MAX];
};

struct model_stream {
	uint16_t source, system_port;
	uint8_t pipe, class;
	bool learning, synced, sure;
	uint32_t next_id, sync_id;
	uint64_t last_ps;
};

struct reasm_model {
	uint32_t n_streams_max, n_packets_max, n_cells_max, window;
	uint64_t timeout_ps;
	uint32_t n_streams, n_packets, n_cells;
	uint64_t order;
	uint64_t drop[DROP_N]; /* in cells: of what was given up */
	uint64_t packets_lost, packets, cells;
	struct model_stream stream[MODEL_STREAMS_MAX];
	struct model_packet packet[MODEL_PACKETS_MAX];
};

/* n_streams and n_packets up to the maxima. */
void model_init(struct reasm_model *m, uint32_t n_streams, uint32_t n_packets, uint32_t n_cells,
	uint32_t window, uint64_t timeout_ps);

/* What reasm_put() returns. */
enum drop_reason model_put(struct reasm_model *m, const struct cell_header *h, uint64_t now_ps);

/* What as many calls of reasm_turn() do as find something to do. */
void model_turn(struct reasm_model *m, uint64_t now_ps);

/* The packet that reasm_take() returns next, or NULL. Valid until the next call. */
const struct model_packet *model_take(struct reasm_model *m);

/* What reasm_next_ps() returns. */
uint64_t model_next_ps(const struct reasm_model *m, uint64_t now_ps);

#endif
