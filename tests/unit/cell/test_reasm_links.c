/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells race over links. Each link keeps order and has a delay of its own that jitters; a sender
 * sprays the cells of a few streams over them. What comes out is held against what went in.
 */
#include "reasm_test.h"

#define LINKS_MAX 16u
#define LINK_ROOM 4096u
#define STREAMS   3u
#define JOURNAL   8192u /* packets of a stream that may be on their way */
#define STEP_PS   PS_PER_US

struct on_way {
	struct rte_mbuf *m;
	struct cell_header h;
	uint64_t at_ps;
};

struct link {
	uint64_t delay_ps, jitter_ps, last_ps;
	uint32_t head, tail;
	struct on_way cell[LINK_ROOM];
};

/* What is known of a packet that was sent. */
struct sent {
	uint32_t id;
	uint16_t len;
	bool broken; /* a cell of it was lost */
};

struct source {
	uint32_t first_id, next_id, expect; /* expect: no packet before it comes any more */
	struct sent sent[JOURNAL];
};

struct race {
	uint64_t seed, now;
	struct rng rng;
	uint32_t n_links, turn;
	uint32_t loss_per_million;
	uint16_t cell_size, len_max;
	uint64_t n_sent_cells, n_lost_cells, n_sent, n_came, n_broken;
	struct link link[LINKS_MAX];
	struct source source[STREAMS];
};

static struct bench b;
static struct race race;

static void
race_init(uint64_t seed, uint32_t n_links, uint16_t cell_size, uint64_t skew_ps)
{
	memset(&race, 0, sizeof(race));
	race.seed = seed;
	race.cell_size = cell_size;
	race.len_max = 9216;
	race.n_links = n_links;
	rng_init(&race.rng, seed);
	for (uint32_t i = 0; i < n_links; i++) {
		race.link[i].delay_ps = rng_below(&race.rng, skew_ps);
		race.link[i].jitter_ps = rng_below(&race.rng, skew_ps);
	}
	for (uint32_t i = 0; i < STREAMS; i++) {
		struct source *s = &race.source[i];

		s->first_id = s->next_id = s->expect = (uint32_t)(0 - rng_below(&race.rng, 1000));
	}
}

/* Returns false when the cell is lost. */
static bool
send_cell(const struct cell_header *h)
{
	struct link *l;
	struct on_way *w;

	race.turn += 1 + (rng_below(&race.rng, 8) == 0);
	l = &race.link[race.turn % race.n_links];
	race.n_sent_cells++;
	if (rng_below(&race.rng, 1000000) < race.loss_per_million) {
		race.n_lost_cells++;
		return false;
	}
	if (l->tail - l->head == LINK_ROOM)
		cr_assert_fail("seed %lu: a link is full", race.seed);
	w = &l->cell[l->tail++ % LINK_ROOM];
	w->h = *h;
	w->m = cell_frame(&b, h);
	l->last_ps = RTE_MAX(
		l->last_ps, race.now + l->delay_ps + rng_below(&race.rng, l->jitter_ps + 1));
	w->at_ps = l->last_ps;
	return true;
}

static void
send_packet(void)
{
	uint32_t i = (uint32_t)rng_below(&race.rng, STREAMS);
	struct source *s = &race.source[i];
	struct sent *sent = &s->sent[s->next_id % JOURNAL];
	uint16_t len = (uint16_t)(60 + rng_below(&race.rng, race.len_max - 59u));
	uint8_t flags = s->next_id == s->first_id ? CELL_SYNC : 0;

	*sent = (struct sent){.id = s->next_id, .len = len};
	for (uint16_t k = 0; k < n_cells_of(len, race.cell_size); k++) {
		struct cell_header h =
			cell_of((uint16_t)(i + 1), s->next_id, len, race.cell_size, k, flags);

		if (!send_cell(&h))
			sent->broken = true;
	}
	s->next_id++;
	race.n_sent++;
	race.n_broken += sent->broken;
}

static void
receive_links(void)
{
	for (uint32_t i = 0; i < race.n_links; i++) {
		struct link *l = &race.link[i];

		while (l->head != l->tail && l->cell[l->head % LINK_ROOM].at_ps <= race.now) {
			struct on_way *w = &l->cell[l->head++ % LINK_ROOM];

			bench_put_frame(&b, &w->h, w->m, race.now);
		}
	}
}

/* The packet is the next of its stream that is not broken. */
static void
check_packet(const struct reasm_packet *p)
{
	struct source *s = &race.source[p->source - 1];
	struct cell_header h;

	while (s->expect != s->next_id && s->sent[s->expect % JOURNAL].broken)
		s->expect++;
	if (s->expect == s->next_id)
		cr_assert_fail("seed %lu: a packet that was not sent", race.seed);
	h = cell_of(p->source, s->expect, s->sent[s->expect % JOURNAL].len,
		s->sent[s->expect % JOURNAL].len, 0, 0);
	if (!is_packet(&b, p->m, &h))
		cr_assert_fail(
			"seed %lu: not packet %u of source %u", race.seed, s->expect, p->source);
	s->expect++;
	race.n_came++;
}

static void
take_all(void)
{
	struct reasm_packet p[32];
	uint16_t n;

	while ((n = reasm_take(b.r, p, 32)) != 0)
		for (uint16_t i = 0; i < n; i++) {
			check_packet(&p[i]);
			rte_pktmbuf_free(p[i].m);
		}
}

static void
race_step(void)
{
	race.now += STEP_PS;
	receive_links();
	do {
		take_all();
		reasm_turn(b.r, race.now);
	} while (reasm_next_ps(b.r, race.now) == race.now);
	bench_conserves(&b);
}

/* A packet every `steps_a_packet`; then until nothing is on its way. */
static void
race_run(uint64_t n_cells, uint32_t steps_a_packet)
{
	for (uint64_t step = 0; race.n_sent_cells < n_cells; step++) {
		if (step % steps_a_packet == 0)
			send_packet();
		race_step();
	}
	for (unsigned int step = 0; step < 5000; step++)
		race_step();
}

static void
check_without_loss(void)
{
	cr_assert_eq(race.n_came, race.n_sent, "seed %lu: %lu of %lu", race.seed, race.n_came,
		race.n_sent);
	cr_assert_eq(bench_dropped(&b), 0, "seed %lu", race.seed);
	cr_assert_eq(reasm_stats(b.r)->packets_lost, 0, "seed %lu", race.seed);
	cr_assert_eq(reasm_stats(b.r)->restarts, 0, "seed %lu", race.seed);
	cr_assert_eq(reasm_cells(b.r), 0, "seed %lu", race.seed);
}

static void
without_loss(uint16_t cell_size)
{
	struct reasm_config c = bench_config(&b);

	for (uint64_t seed = 1; seed <= 5; seed++) {
		static const uint32_t links[] = {2, 3, 5, 8, 16};

		bench_open(&b, &c, cell_size > 2048 ? 4000 : 8000, cell_size);
		race_init(seed * 1000 + cell_size, links[seed - 1], cell_size, 200 * PS_PER_US);
		race_run(cell_size == 256 ? 30000 : 6000, cell_size == 256 ? 4 : 2);
		check_without_loss();
		bench_close(&b);
	}
}

Test(reasm_links, cells_of_256_make_every_packet_once_and_in_order)
{
	without_loss(256);
}

Test(reasm_links, cells_of_512_make_every_packet_once_and_in_order)
{
	without_loss(512);
}

Test(reasm_links, cells_of_2048_make_every_packet_once_and_in_order)
{
	without_loss(2048);
}

Test(reasm_links, cells_of_4096_make_every_packet_once_and_in_order)
{
	without_loss(4096);
}

Test(reasm_links, cells_of_9216_make_every_packet_once_and_in_order)
{
	without_loss(9216);
}

/* Ten million cells take 5 seconds; the sanitizers look for other faults, and get a tenth. */
#ifdef __SANITIZE_ADDRESS__
#define CELLS_OF_MANY 1000000u
#else
#define CELLS_OF_MANY 10000000u
#endif

/* One in a hundred lost: each loss costs its packet and nothing else. */
Test(reasm_links, one_percent_of_loss_costs_the_packets_it_hits_and_no_others)
{
	struct reasm_config c = bench_config(&b);
	uint64_t n_lost = 0;

	bench_open(&b, &c, 16383, 256);
	race_init(77, 4, 256, 200 * PS_PER_US);
	race.len_max = 1500;
	race.loss_per_million = 10000;
	race_run(CELLS_OF_MANY, 2);
	cr_assert_geq(race.n_sent_cells, CELLS_OF_MANY);
	cr_assert_gt(race.n_lost_cells, CELLS_OF_MANY / 125);
	cr_assert_eq(race.n_came + race.n_broken, race.n_sent,
		"seed %lu: %lu came, %lu broken of %lu", race.seed, race.n_came, race.n_broken,
		race.n_sent);
	/* all but what trailed off at the end was counted: no packet came after it */
	n_lost = reasm_stats(b.r)->packets_lost;
	cr_assert(n_lost <= race.n_broken && n_lost + 2 * STREAMS >= race.n_broken,
		"seed %lu: %lu lost, %lu broken", race.seed, n_lost, race.n_broken);
	cr_assert_eq(bench_dropped(&b), b.drop[DROP_reassembly_timeout]);
	cr_assert_eq(b.n_in, race.n_sent_cells - race.n_lost_cells);
	cr_assert_lt(reasm_stats(b.r)->peak_packets, 2 * (TIMEOUT_PS + 400 * PS_PER_US) / STEP_PS);
	cr_assert_eq(reasm_cells(b.r), 0);
	bench_close(&b);
}

/* Of cells on their way: source 1 takes half of its own with it when it dies. */
static void
lose_half_of_source_1(void)
{
	for (uint32_t i = 0; i < race.n_links; i++)
		for (struct link *l = &race.link[i]; l->head != l->tail; l->head++) {
			struct on_way *w = &l->cell[l->head % LINK_ROOM];

			if (w->h.source == 1 && (l->head % 2 == 0 || w->h.fragment == 0))
				rte_pktmbuf_free(w->m);
			else
				bench_put_frame(&b, &w->h, w->m, race.now);
		}
}

/* It comes back, at another id or at the one it began with; what was on its way may be missing. */
Test(reasm_links, a_source_that_restarts_loses_what_was_on_its_way)
{
	struct reasm_config c = bench_config(&b);

	for (uint64_t seed = 200; seed < 210; seed++) {
		bench_open(&b, &c, 8000, 512);
		race_init(seed, 4, 512, 100 * PS_PER_US);
		race_run(3000, 2);
		cr_assert_eq(race.n_came, race.n_sent, "seed %lu", seed);
		for (unsigned int i = 0; i < 50; i++)
			send_packet();
		struct source *s = &race.source[0];

		for (uint32_t id = s->expect; id != s->next_id; id++)
			s->sent[id % JOURNAL].broken = true;
		lose_half_of_source_1();
		for (unsigned int step = 0; step < 1500; step++)
			race_step();
		uint64_t n_dropped = bench_dropped(&b);

		cr_assert_eq(n_dropped, b.drop[DROP_reassembly_timeout], "seed %lu", seed);
		if (seed % 2 == 0)
			s->first_id = (uint32_t)rng_next(&race.rng);
		s->next_id = s->expect = s->first_id;
		race.n_sent = race.n_came = 0;
		race.n_sent_cells = 0;
		race_run(3000, 2);
		cr_assert_eq(race.n_came, race.n_sent, "seed %lu: %lu of %lu", seed, race.n_came,
			race.n_sent);
		cr_assert_eq(bench_dropped(&b), n_dropped, "seed %lu", seed);
		bench_close(&b);
	}
}

/* The receiver forgets everything while cells are on their way. */
Test(reasm_links, a_receiver_that_restarts_takes_up_the_streams)
{
	struct reasm_config c = bench_config(&b);

	for (uint64_t seed = 300; seed < 310; seed++) {
		bench_open(&b, &c, 16383, 512);
		race_init(seed, 4, 512, 100 * PS_PER_US);
		race.len_max = 3000;
		for (unsigned int step = 0; step < 500; step++) {
			if (step % 2 == 0)
				send_packet();
			race_step();
		}
		bench_conserves(&b);
		reasm_free(b.r);
		b.n_in = 0;
		memset(b.drop, 0, sizeof(b.drop));
		cr_assert_eq(reasm_create(&c, &b.r), 0);
		/* what was sent by now may be broken: it is where the streams are taken up */
		uint32_t mark[STREAMS];
		uint64_t n_before = 0;

		for (uint32_t i = 0; i < STREAMS; i++)
			mark[i] = race.source[i].next_id;
		for (unsigned int step = 0; step < 1500; step++) {
			struct reasm_packet p;

			send_packet();
			race.now += STEP_PS;
			receive_links();
			reasm_turn(b.r, race.now);
			while (reasm_take(b.r, &p, 1) == 1) {
				struct source *s = &race.source[p.source - 1];
				struct cell_header h;

				/* each stream's packets follow each other; before the mark some
				 * lack */
				do {
					struct sent *sent = &s->sent[s->expect % JOURNAL];

					cr_assert_neq(s->expect, s->next_id, "seed %lu", seed);
					h = cell_of(p.source, sent->id, sent->len, sent->len, 0, 0);
					s->expect++;
				} while (!is_packet(&b, p.m, &h));
				n_before += (int32_t)(h.packet_id - mark[p.source - 1]) < 0;
				race.n_came++;
				rte_pktmbuf_free(p.m);
			}
		}
		for (unsigned int step = 0; step < 3000; step++)
			race_step();
		for (uint32_t i = 0; i < STREAMS; i++)
			cr_assert_eq(
				race.source[i].expect, race.source[i].next_id, "seed %lu", seed);
		cr_assert_eq(reasm_stats(b.r)->learned, STREAMS, "seed %lu", seed);
		/* every packet sent since came */
		cr_assert_eq(reasm_stats(b.r)->packets - n_before, 1500, "seed %lu", seed);
		cr_assert_eq(bench_dropped(&b), b.drop[DROP_reassembly_timeout], "seed %lu", seed);
		bench_close(&b);
	}
}
