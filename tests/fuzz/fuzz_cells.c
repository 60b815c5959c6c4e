/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzes reassembly: cells in any order, at any time, of any content. The input is a list of
 * records, of which tests/fuzz/make_cells_corpus.py makes examples:
 *
 *   control, time step in 4 us, then 20 bytes of a cell's header as it is on the wire (control bit
 *   0 set), or 4 bytes that make a sound cell: stream, packet id, fragment, lengths.
 *
 * The header's check is mended, for a mutation would hardly ever come past it. Reassembly must say
 * of every cell what the dull one of tests/support says, deliver the same packets with the right
 * bytes, have every cell in exactly one place, and give all buffers back.
 */
#include <stdlib.h>
#include <string.h>

#include "cell/fault.h"
#include "cell/reasm.h"
#include "eal.h"
#include "packet.h"
#include "reasm_model.h"
#include "wire/cell.h"

enum {
	CONTROL_WILD = 0x01,
	CONTROL_SYNC = 0x02,
	CONTROL_TURN = 0x04,
	CONTROL_TAKE = 0x08,
	CONTROL_SEGMENTS = 0x30, /* how long they are: one of 4 */
	CONTROL_LENGTH = 0xc0,   /* of the frame: right, cut, padded, padded to the minimum */
	SOUND_LEN = 6,
	WILD_LEN = 2 + CELL_HEADER_LEN - 4,
	PAYLOAD_MAX = 1500,
	FRAME_MAX = CELL_PREFIX_LEN + PAYLOAD_MAX + 64,
	RECORDS_MAX = 120, /* at most 1 ms a step: less than a full table's 100 ms in all */
	N_PACKETS = 12,
	N_CELLS = 24,
	N_STREAMS = 3,
	POOL_SIZE = 2047,
};

#define STEP_PS    UINT64_C(4000000)
#define TIMEOUT_PS UINT64_C(200000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rte_mempool *pool;
static struct reasm *reasm;
static struct reasm_model model;
static uint64_t drop[DROP_N];
static uint64_t n_in;

#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

/* What a packet is made of begins here. */
static const uint8_t *
packet_bytes(const struct cell_header *h)
{
	static uint8_t pattern[UINT16_MAX + 256];

	if (pattern[0] == 0)
		for (uint32_t i = 0; i < sizeof(pattern); i++)
			pattern[i] = (uint8_t)((i * 2654435761u) >> 24 | 1);
	return pattern + (uint8_t)(h->source * 3 + h->pipe * 5 + h->class * 7 +
				   h->system_port * 11 + h->packet_id * 31);
}

/* Four bytes make a cell that its packet has a place for. */
static void
sound_header(uint8_t *p, uint8_t control, const uint8_t *in)
{
	static const uint16_t cell_size[] = {1, 16, 100, 256};
	uint16_t size = cell_size[in[3] & 3];
	uint16_t len = (uint16_t)(14 + (in[3] >> 2) * 13);
	uint16_t n = (uint16_t)((len + size - 1) / size);
	uint16_t fragment = in[2] & 63;
	struct cell_header h = {
		.class = in[0] >> 1 & 1,
		.pipe = in[0] >> 2 & 1,
		.source = (uint16_t)(1 + (in[0] & 1)),
		.destination = 1,
		.packet_id = (uint32_t)(int8_t)in[1] + ((uint32_t)(in[0] >> 3) << 24),
	};

	fragment = fragment < n ? fragment : (uint16_t)(n - 1);
	h.flags = (uint8_t)((control & CONTROL_SYNC ? CELL_SYNC : 0) |
			    (in[2] & 0x80 ? CELL_CONGESTION : 0) |
			    (fragment == 0 ? CELL_FIRST : 0) | (fragment == n - 1 ? CELL_LAST : 0));
	h.fragment = fragment;
	h.packet_len = len;
	h.payload_len = fragment == n - 1 ? (uint16_t)(len - fragment * size) : size;
	cell_write(p, &h);
}

/* Writes the frame of a record; returns its length. */
static size_t
make_frame(uint8_t *frame, uint8_t control, const uint8_t *in)
{
	static const size_t padding[] = {0, 0, 33, 0};
	uint8_t *p = frame + ETH_HDR_LEN;
	struct cell_header h;
	size_t len;

	memset(frame, 0, ETH_HDR_LEN);
	if (control & CONTROL_WILD) {
		memcpy(p, in, CELL_HEADER_LEN - 4);
		cell_put32(p + CELL_HEADER_LEN - 4, cell_check(p));
	} else {
		sound_header(p, control, in);
	}
	h = (struct cell_header){.payload_len = wire_get16(p + 10)};
	len = CELL_PREFIX_LEN + RTE_MIN((size_t)h.payload_len, (size_t)PAYLOAD_MAX);
	cell_read(p, UINT32_MAX, &h);
	uint32_t at = h.flags & CELL_LAST ? (uint32_t)h.packet_len - h.payload_len
					  : (uint32_t)h.fragment * h.payload_len;

	if (at + len - CELL_PREFIX_LEN <= UINT16_MAX)
		memcpy(frame + CELL_PREFIX_LEN, packet_bytes(&h) + at, len - CELL_PREFIX_LEN);
	if ((control & CONTROL_LENGTH) == 0x40)
		return len - 1 - in[0] % 3;
	memset(frame + len, 0xdd, 64);
	len += padding[control >> 6];
	return control >> 6 == 3 ? RTE_MAX(len, (size_t)CELL_FRAME_MIN) : len;
}

static void
check_packet(const struct reasm_packet *p, const struct model_packet *want)
{
	const struct model_stream *s = &model.stream[want->stream];
	struct cell_header h = {
		.source = s->source,
		.pipe = s->pipe,
		.class = s->class,
		.system_port = s->system_port,
		.packet_id = want->id,
	};
	uint32_t pos = 0, n_segs = 0;

	must(p->source == s->source && p->system_port == s->system_port && p->class == s->class);
	must(p->congestion == want->congestion && p->m->pkt_len == want->len);
	rte_mbuf_sanity_check(p->m, 1);
	for (const struct rte_mbuf *seg = p->m; seg != NULL; seg = seg->next, n_segs++) {
		must(seg->data_len != 0 && pos + seg->data_len <= want->len);
		must(memcmp(rte_pktmbuf_mtod(seg, const uint8_t *), packet_bytes(&h) + pos,
			     seg->data_len) == 0);
		pos += seg->data_len;
	}
	must(pos == want->len && n_segs == p->m->nb_segs);
}

static void
take_all(void)
{
	const struct model_packet *want;
	struct reasm_packet p;

	while (reasm_take(reasm, &p, 1) == 1) {
		want = model_take(&model);
		must(want != NULL);
		check_packet(&p, want);
		rte_pktmbuf_free(p.m);
	}
	must(model_take(&model) == NULL);
}

static void
turn(uint64_t now)
{
	/* N_PACKETS is less than what one call gives up */
	reasm_turn(reasm, now);
	model_turn(&model, now);
}

/* Of packets that nobody can take yet. */
static uint32_t
waiting_cells(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < N_PACKETS; i++)
		n += model.packet[i].used && !model.packet[i].ready ? model.packet[i].n_cells : 0;
	return n;
}

static void
check_numbers(uint64_t now)
{
	const struct reasm_stats *s = reasm_stats(reasm);
	uint64_t n_dropped = 0;

	for (unsigned int i = 0; i < DROP_N; i++)
		n_dropped += drop[i];
	must(memcmp(drop, model.drop, sizeof(drop)) == 0);
	must(n_in == n_dropped + s->cells + reasm_cells(reasm));
	must(s->cells == model.cells && s->packets == model.packets);
	must(s->packets_lost == model.packets_lost && s->streams == model.n_streams);
	must(s->n_cells == model.n_cells && s->n_packets == model.n_packets);
	must(waiting_cells() < N_CELLS + CELL_FRAGMENTS_MAX && s->n_packets <= N_PACKETS);
	must(reasm_next_ps(reasm, now) == model_next_ps(&model, now));
}

static void
put(uint8_t control, const uint8_t *in, uint64_t now)
{
	static const size_t seg_len[] = {FRAME_MAX, CELL_PREFIX_LEN, 50, 300};
	static uint8_t frame[FRAME_MAX];
	size_t len = make_frame(frame, control, in);
	enum cell_fault fault = CELL_SHORT;
	enum drop_reason reason, want;
	struct cell_header h;
	struct rte_mbuf *m;

	if (len >= ETH_HDR_LEN)
		fault = cell_read(frame + ETH_HDR_LEN, (uint32_t)(len - ETH_HDR_LEN), &h);
	if (fault != CELL_OK || h.type != CELL_DATA)
		return;
	m = packet_chain(pool, frame, len, seg_len[(control & CONTROL_SEGMENTS) >> 4]);
	must(m != NULL);
	want = model_put(&model, &h, now);
	reason = reasm_put(reasm, &h, m, now);
	must(reason == want);
	n_in++;
	if (reason != DROP_NONE) {
		drop[reason]++;
		model.drop[reason]++;
		rte_pktmbuf_free(m);
	}
}

static void
begin(void)
{
	struct reasm_config c = {
		.n_streams = N_STREAMS,
		.n_packets = N_PACKETS,
		.n_cells = N_CELLS,
		.window = REASM_WINDOW_MIN,
		.timeout_ps = TIMEOUT_PS,
		.socket = -1,
		.drop = drop,
	};

	if (pool == NULL) {
		test_eal(64);
		pool = test_pool("fuzz", POOL_SIZE, FRAME_MAX);
	}
	memset(drop, 0, sizeof(drop));
	n_in = 0;
	must(reasm_create(&c, &reasm) == 0);
	model_init(&model, N_STREAMS, N_PACKETS, N_CELLS, c.window, c.timeout_ps);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t now = 0 - 10 * TIMEOUT_PS;

	begin();
	for (unsigned int n = 0; size >= SOUND_LEN && n < RECORDS_MAX; n++) {
		uint8_t control = data[0];
		size_t len = control & CONTROL_WILD ? WILD_LEN : SOUND_LEN;

		if (size < len)
			break;
		now += data[1] % 200 * STEP_PS;
		put(control, data + 2, now);
		if (control & CONTROL_TURN)
			turn(now);
		if (control & CONTROL_TAKE)
			take_all();
		check_numbers(now);
		data += len;
		size -= len;
	}
	/* half of the inputs end by the timeout, half by the stop */
	if (size % 2 == 0) {
		take_all();
		turn(now + TIMEOUT_PS);
		take_all();
		check_numbers(now + TIMEOUT_PS);
	} else {
		reasm_drop_all(reasm, DROP_stopped);
	}
	must(reasm_cells(reasm) == 0 && test_pool_used(pool) == 0);
	reasm_free(reasm);
	return 0;
}
