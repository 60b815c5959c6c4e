/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly against the dull one of tests/support/reasm_model.h: the same answer to every cell,
 * the same packets in the same order, the same numbers, whatever comes. */
#include "reasm_model.h"
#include "reasm_test.h"

static struct bench b;
static struct reasm_model model;

/* How wild a run is; each in percent. */
struct mood {
	uint32_t lost, odd, far, sync, restart, jump;
	uint32_t n_sources, n_packets, n_cells, n_streams;
	uint32_t spread; /* packets that are on their way at once, in each stream */
};

struct sender {
	uint32_t next_id;
	uint32_t sync_id;
};

static uint32_t
chance(struct rng *rng, uint32_t percent)
{
	return rng_below(rng, 100) < percent;
}

/* The length of a packet and its cells follow from its id: all cells tell one story. */
static struct cell_header
cell_of_sender(struct rng *rng, const struct sender *s, uint16_t source, uint32_t spread)
{
	static const uint16_t cell_size[] = {16, 100, 256};
	uint32_t id = s->next_id - (uint32_t)rng_below(rng, spread);
	uint16_t len = (uint16_t)(60 + id * 2654435761u % 400);
	uint16_t size = cell_size[id % 3];

	return cell_of(source, id, len, size, (uint16_t)rng_below(rng, n_cells_of(len, size)),
		id == s->sync_id ? CELL_SYNC : 0);
}

static void
make_odd(struct rng *rng, struct cell_header *h)
{
	switch (rng_below(rng, 8)) {
	case 0:
		h->packet_len++;
		break;
	case 1:
		h->payload_len = (uint16_t)(1 + rng_below(rng, 200));
		break;
	case 2:
		h->fragment = (uint16_t)rng_below(rng, CELL_FRAGMENTS_MAX);
		break;
	case 3:
		h->flags ^= CELL_LAST;
		break;
	case 4:
		h->flags |= CELL_CONGESTION;
		break;
	case 5:
		h->packet_id += (uint32_t)rng_below(rng, 400) - 200;
		break;
	case 6:
		h->class ^= 1;
		break;
	default:
		h->packet_id = (uint32_t)rng_next(rng);
	}
	h->flags = (uint8_t)((h->flags & ~CELL_FIRST) | (h->fragment == 0 ? CELL_FIRST : 0));
}

static void
check_packets(uint64_t seed, unsigned int step)
{
	const struct model_packet *want;
	struct reasm_packet p;

	while (reasm_take(b.r, &p, 1) == 1) {
		want = model_take(&model);
		if (want == NULL)
			cr_assert_fail("seed %lu, step %u: a packet too many", seed, step);
		const struct model_stream *s = &model.stream[want->stream];
		struct cell_header h = {
			.source = s->source,
			.system_port = s->system_port,
			.pipe = s->pipe,
			.class = s->class,
			.packet_id = want->id,
			.packet_len = (uint16_t)want->len,
		};

		if (!is_packet(&b, p.m, &h) || p.source != s->source ||
			p.system_port != s->system_port || p.class != s->class ||
			p.congestion != want->congestion)
			cr_assert_fail("seed %lu, step %u: not packet %u of %u", seed, step,
				want->id, s->source);
		rte_pktmbuf_free(p.m);
	}
	if (model_take(&model) != NULL)
		cr_assert_fail("seed %lu, step %u: a packet is missing", seed, step);
}

static void
check_numbers(uint64_t seed, unsigned int step, uint64_t now)
{
	const struct reasm_stats *s = reasm_stats(b.r);

	if (s->n_cells != model.n_cells || s->n_packets != model.n_packets ||
		s->packets != model.packets || s->cells != model.cells ||
		s->packets_lost != model.packets_lost || s->streams != model.n_streams ||
		reasm_next_ps(b.r, now) != model_next_ps(&model, now) ||
		memcmp(b.drop, model.drop, sizeof(b.drop)) != 0)
		cr_assert_fail("seed %lu, step %u: %lu lost (want %lu), %u cells held (want %u)",
			seed, step, s->packets_lost, model.packets_lost, s->n_cells, model.n_cells);
	bench_conserves(&b);
}

static void
step_cell(struct rng *rng, const struct mood *mood, struct sender *sender, uint64_t seed,
	unsigned int step, uint64_t now)
{
	uint16_t source = (uint16_t)(1 + rng_below(rng, mood->n_sources));
	struct sender *s = &sender[source];

	s->next_id += chance(rng, 30);
	if (rng_below(rng, 100000) < mood->restart)
		s->next_id = s->sync_id = (uint32_t)rng_next(rng) >> rng_below(rng, 32);
	if (rng_below(rng, 100000) < mood->jump)
		s->next_id += (uint32_t)rng_below(rng, 1000);
	struct cell_header h = cell_of_sender(rng, s, source, mood->spread);

	if (chance(rng, mood->lost))
		return;
	if (chance(rng, mood->odd))
		make_odd(rng, &h);
	if (rng_below(rng, 10000) < mood->sync)
		h.flags |= CELL_SYNC;
	if (cell_check_data(&h) != CELL_OK)
		return;
	enum drop_reason want = model_put(&model, &h, now);

	model.drop[want] += want != DROP_NONE;
	enum drop_reason have = bench_put(&b, &h, now);

	if (have != want)
		cr_assert_fail("seed %lu, step %u: %s, want %s", seed, step,
			have ? drop_name(have) : "taken", want ? drop_name(want) : "taken");
}

static void
run(uint64_t seed, const struct mood *mood, unsigned int n_steps)
{
	struct reasm_config c = bench_config(&b);
	struct sender sender[MODEL_STREAMS_MAX];
	struct rng rng;
	uint64_t now = 0 - 20 * PS_PER_MS; /* and comes round */

	rng_init(&rng, seed);
	c.window = 64;
	c.n_packets = mood->n_packets;
	c.n_cells = mood->n_cells;
	c.n_streams = mood->n_streams;
	c.seed = seed;
	bench_open(&b, &c, 4095, 256);
	model_init(&model, c.n_streams, c.n_packets, c.n_cells, c.window, c.timeout_ps);
	for (unsigned int i = 0; i < MODEL_STREAMS_MAX; i++)
		sender[i].next_id = sender[i].sync_id = (uint32_t)rng_next(&rng);
	for (unsigned int step = 0; step < n_steps; step++) {
		now += rng_below(&rng, 4 * PS_PER_US);
		if (rng_below(&rng, 5000) == 0)
			now += 2 * TIMEOUT_PS; /* 20,000 steps take 50 ms on the average */
		step_cell(&rng, mood, sender, seed, step, now);
		check_packets(seed, step);
		if (chance(&rng, 20)) {
			reasm_turn(b.r, now);
			model_turn(&model, now);
			while (reasm_next_ps(b.r, now) == now && reasm_cells(b.r) > model.n_cells)
				reasm_turn(b.r, now);
			check_packets(seed, step);
		}
		check_numbers(seed, step, now);
	}
	bench_close(&b);
}

Test(reasm_model, agrees_on_streams_in_good_order)
{
	static const struct mood mood = {.n_sources = 3,
		.n_packets = 512,
		.n_cells = 4000,
		.n_streams = 64,
		.restart = 20,
		.spread = 3};

	for (uint64_t seed = 1; seed <= 4; seed++)
		run(seed, &mood, 20000);
}

Test(reasm_model, agrees_when_cells_are_lost_and_ids_jump)
{
	static const struct mood mood = {.n_sources = 5,
		.n_packets = 512,
		.n_cells = 4000,
		.n_streams = 64,
		.lost = 3,
		.sync = 2,
		.restart = 50,
		.jump = 300,
		.spread = 20};

	for (uint64_t seed = 11; seed <= 14; seed++)
		run(seed, &mood, 20000);
}

Test(reasm_model, agrees_on_cells_that_nobody_in_his_right_mind_sends)
{
	static const struct mood mood = {.n_sources = 8,
		.n_packets = 256,
		.n_cells = 4000,
		.n_streams = 64,
		.lost = 1,
		.odd = 20,
		.sync = 50,
		.restart = 100,
		.jump = 1000,
		.spread = 90};

	for (uint64_t seed = 21; seed <= 24; seed++)
		run(seed, &mood, 20000);
}

Test(reasm_model, agrees_when_packets_cells_and_streams_are_used_up)
{
	static const struct mood mood = {.n_sources = 12,
		.n_packets = 40,
		.n_cells = 90,
		.n_streams = 10,
		.lost = 2,
		.odd = 5,
		.sync = 10,
		.restart = 100,
		.jump = 300,
		.spread = 10};

	for (uint64_t seed = 31; seed <= 36; seed++)
		run(seed, &mood, 20000);
}
