/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rate of a shaped port, from 10 Mbit/s to 100 Gbit/s, as its frames come out turn by turn
 * while every worker has more than the port takes. The window is 100 ms. It begins and ends with a
 * frame that leaves, because at 10 Mbit/s one of 9000 bytes is 7 % of 100 ms.
 */
#include "longhaul.h"
#include "qos/shaper.h"

#define MTU         9000u
#define FRAME_MAX   (MTU + 14u)
#define WORKERS_MAX 4u
#define MIX         0u   /* all lengths of `length`, by chance */
#define AHEAD       320u /* packets that a worker has waiting: more than one turn can send */

static const uint16_t length[] = {60, 61, 590, 1514, 4178, FRAME_MAX};

/*
 * 100 ms of 64-byte frames at 100 Gbit/s are 15 million packets: 3 seconds, and a minute under the
 * sanitizers, which look for other faults than a rate that is off. They get a tenth of it.
 */
#ifdef __SANITIZE_ADDRESS__
#define WINDOW_OF_MANY (10 * LONGHAUL_MS)
#else
#define WINDOW_OF_MANY (100 * LONGHAUL_MS)
#endif

#define N_LENGTHS (sizeof(length) / sizeof(length[0]))

struct cell {
	const char *rate;
	uint64_t bps;
	uint16_t len; /* of frames without FCS, or MIX */
	unsigned int n_workers;
	bool l2;
	bool strict;               /* packets of class 6, all of them */
	uint64_t window, step_max; /* ticks; turns come after 1 to step_max by chance */
};

struct run {
	const struct cell *cell;
	struct node_test t;
	struct rng rng;
	uint8_t head[WORKERS_MAX][N_LENGTHS][42]; /* what the pipeline changes is in there */
	uint64_t ahead[WORKERS_MAX];              /* put in and not out yet */
	uint64_t left[WORKERS_MAX];               /* packets out in the window */
	uint64_t bits;                            /* out since the last look */
	double bucket, bucket_max;                /* bits above the rate: the largest burst */
};

static unsigned int
pick_length(struct run *r)
{
	unsigned int k = 0;

	if (r->cell->len == MIX)
		return (unsigned int)rng_below(&r->rng, N_LENGTHS);
	while (length[k] != r->cell->len)
		k++;
	return k;
}

/* The worker's number is the packet's source port. */
static void
write_heads(struct run *r)
{
	static uint8_t frame[FRAME_MAX];

	for (unsigned int w = 0; w < r->cell->n_workers; w++)
		for (unsigned int k = 0; k < N_LENGTHS; k++) {
			struct packet p = longhaul_udp(length[k]);

			p.sport = (uint16_t)w;
			p.tos = r->cell->strict ? 48 << 2 : 0;
			packet_write(&p, frame, sizeof(frame), NULL);
			memcpy(r->head[w][k], frame, sizeof(r->head[w][k]));
		}
}

/* The payload is whatever the buffer had: nobody looks at it. */
static void
put(struct run *r, unsigned int w)
{
	unsigned int k = pick_length(r);
	struct rte_mbuf *m = rte_pktmbuf_alloc(r->t.node->pool);
	uint8_t *bytes;

	cr_assert_not_null(m);
	bytes = (uint8_t *)rte_pktmbuf_append(m, length[k]);
	memcpy(bytes, r->head[w][k], sizeof(r->head[w][k]));
	cr_assert(node_test_put_mbuf(&r->t, LONGHAUL_IN, (uint16_t)w, m));
	r->ahead[w]++;
}

static unsigned int
take(struct run *r)
{
	unsigned int n = 0;

	for (struct rte_mbuf *m; (m = node_test_take_mbuf(&r->t, LONGHAUL_OUT)) != NULL; n++) {
		unsigned int w = *rte_pktmbuf_mtod_offset(m, const uint8_t *, 35);
		uint32_t len = RTE_MAX(rte_pktmbuf_pkt_len(m), 60u);

		r->bits += 8 * (len + (r->cell->l2 ? 4u : 24u));
		r->ahead[w]--;
		r->left[w]++;
		rte_pktmbuf_free(m);
	}
	return n;
}

static bool
all_wait(const struct run *r)
{
	for (unsigned int w = 0; w < r->cell->n_workers; w++)
		if (queue_packets(&r->t.node->worker[w]->queue[LONGHAUL_OUT]) < AHEAD / 2)
			return false;
	return true;
}

/* All turns of one moment: until nothing leaves and everybody has something waiting. */
static uint64_t
moment(struct run *r, uint64_t ns)
{
	uint64_t bits;
	unsigned int n;

	r->t.ticks += ns;
	r->bits = 0;
	do {
		for (unsigned int w = 0; w < r->cell->n_workers; w++)
			while (r->ahead[w] < AHEAD)
				put(r, w);
		node_turn(r->t.node, r->t.ticks);
		n = take(r);
	} while (n != 0 || !all_wait(r));
	bits = r->bits;
	/* the largest sum over all intervals of (bits out - rate x time), Lindley's recursion */
	r->bucket =
		RTE_MAX(0.0, r->bucket - (double)r->cell->bps * (double)ns / 1e9) + (double)bits;
	r->bucket_max = RTE_MAX(r->bucket_max, r->bucket);
	return bits;
}

static uint64_t
step(struct run *r)
{
	return moment(r, 1 + rng_below(&r->rng, r->cell->step_max));
}

/*
 * From a moment in which something leaves to another, at least a window later: its bits a second.
 * A frame's time runs from when it leaves, so those of the last moment are not in.
 */
static double
measure(struct run *r)
{
	uint64_t begin, bits = 0, now;

	for (begin = r->t.ticks + 200 * LONGHAUL_US; (now = step(r)) == 0 || r->t.ticks < begin;)
		;
	begin = r->t.ticks;
	memset(r->left, 0, sizeof(r->left));
	do {
		bits += now;
		now = step(r);
	} while (now == 0 || r->t.ticks - begin < r->cell->window);
	return (double)bits / ((double)(r->t.ticks - begin) / 1e9);
}

static void
expect_burst(const struct run *r)
{
	double frame = 8 * (FRAME_MAX + 24);
	double bound = (double)r->cell->bps * QOS_SHAPER_TOLERANCE_PS / 1e12 + frame;

	if (r->cell->strict) /* they may run a longest frame ahead */
		bound += 8 * (QOS_FRAME_MAX + 24);

	cr_assert_leq(r->bucket_max, bound, "%s, %u bytes, %u workers: a burst of %.0f bits",
		r->cell->rate, r->cell->len, r->cell->n_workers, r->bucket_max);
}

/*
 * Who comes first in a turn takes more, and workers take turns at that; with few packets chance has
 * its part in it, too.
 */
static void
expect_shares(const struct run *r)
{
	double all = 0, part;

	for (unsigned int w = 0; w < r->cell->n_workers; w++)
		all += (double)r->left[w];
	part = all / r->cell->n_workers;
	for (unsigned int w = 0; w < r->cell->n_workers; w++)
		cr_assert_geq((double)r->left[w], part * 0.65 - 3,
			"%s, %u bytes: worker %u of %u sent %lu of %.0f packets", r->cell->rate,
			r->cell->len, w, r->cell->n_workers, r->left[w], all);
}

static void
finish(struct run *r)
{
	node_test_run(&r->t); /* what nobody has polled yet is not the node's */
	node_test_close(&r->t);
	free(r);
}

static void
expect_rate(const struct cell *cell)
{
	struct run *r = calloc(1, sizeof(*r));
	char out[64];
	double bps;

	cr_assert_not_null(r);
	snprintf(out, sizeof(out), "rate: %s, rate_layer: %s", cell->rate, cell->l2 ? "l2" : "l1");
	r->cell = cell;
	rng_init(&r->rng, cell->bps + cell->len + cell->n_workers);
	longhaul_open(&r->t, 256,
		&(struct longhaul_conf){
			.out = out, .n_workers = cell->n_workers, .mtu = MTU, .mbufs = 4096});
	write_heads(r);
	bps = measure(r);
	cr_assert_float_eq(bps / (double)cell->bps, 1, 0.005,
		"%s, frames of %u, %u workers: %.0f bit/s", cell->rate, cell->len, cell->n_workers,
		bps);
	expect_burst(r);
	expect_shares(r);
	finish(r);
}

/* Frames of 64, 1518, 9018 bytes with FCS and a mix, for 1, 2 and 4 workers. */
static void
expect_rates(const char *rate, uint64_t bps, uint64_t step_max)
{
	static const uint16_t len[] = {60, 1514, FRAME_MAX, MIX};

	for (unsigned int k = 0; k < 4; k++)
		for (unsigned int n = 1; n <= WORKERS_MAX; n *= 2) {
			bool many = len[k] == 60 && bps == 100000000000;

			expect_rate(&(struct cell){.rate = rate,
				.bps = bps,
				.len = len[k],
				.n_workers = n,
				.step_max = step_max,
				.window = many ? WINDOW_OF_MANY : 100 * LONGHAUL_MS});
		}
}

Test(longhaul_shaper, ten_megabit)
{
	expect_rates("10Mbit", 10000000, 40 * LONGHAUL_US);
}

Test(longhaul_shaper, a_hundred_megabit)
{
	expect_rates("100Mbit", 100000000, 40 * LONGHAUL_US);
}

Test(longhaul_shaper, a_gigabit)
{
	expect_rates("1Gbit", 1000000000, 40 * LONGHAUL_US);
}

Test(longhaul_shaper, ten_gigabit)
{
	expect_rates("10Gbit", 10000000000, 90 * LONGHAUL_US);
}

Test(longhaul_shaper, a_hundred_gigabit)
{
	expect_rates("100Gbit", 100000000000, 20 * LONGHAUL_US);
}

Test(longhaul_shaper, l2_counts_no_preamble_and_no_gap)
{
	static const uint16_t len[] = {60, 1514, FRAME_MAX, MIX};

	for (unsigned int k = 0; k < 4; k++)
		expect_rate(&(struct cell){.rate = "10Gbit",
			.bps = 10000000000,
			.len = len[k],
			.n_workers = 2,
			.l2 = true,
			.step_max = 30 * LONGHAUL_US,
			.window = 100 * LONGHAUL_MS});
}

Test(longhaul_shaper, strict_classes_keep_to_the_rate_too)
{
	static const uint16_t len[] = {60, FRAME_MAX, MIX};

	for (unsigned int k = 0; k < 3; k++)
		for (unsigned int n = 1; n <= 4; n *= 4)
			expect_rate(&(struct cell){.rate = "1Gbit",
				.bps = 1000000000,
				.len = len[k],
				.n_workers = n,
				.strict = true,
				.step_max = 30 * LONGHAUL_US,
				.window = 100 * LONGHAUL_MS});
}

/* After any silence: what the bound allows, and no more. */
Test(longhaul_shaper, an_hour_of_silence_earns_one_burst)
{
	static const struct cell cell = {.rate = "10Gbit",
		.bps = 10000000000,
		.len = 1514,
		.n_workers = 2,
		.step_max = 10 * LONGHAUL_US};
	struct run *r = calloc(1, sizeof(*r));
	uint64_t bits;

	r->cell = &cell;
	longhaul_open(&r->t, 256,
		&(struct longhaul_conf){
			.out = "rate: 10Gbit", .n_workers = 2, .mtu = MTU, .mbufs = 4096});
	write_heads(r);
	bits = moment(r, UINT64_C(3600000000000));
	/* frames go while what went fills at most 100 us */
	cr_assert_gt(bits, 1000000);
	cr_assert_leq(bits, 1000000 + 8 * 1538);
	bits = moment(r, 100 * LONGHAUL_US);
	cr_assert_leq(bits, 1000000 + 8 * 1538);
	expect_burst(r);
	finish(r);
}
