/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bad line, at the way out and at the way in: how often it does harm and that it does no other.
 * Each packet has its number three times, so that a wrong bit does not hide which one it is.
 */
#include "longhaul.h"

#define N      20000u
#define COPIES 3u
#define LEN    1514u

static uint8_t frame[2048];

static void
put_number(struct node_test *t, uint32_t number, size_t len)
{
	struct packet p = longhaul_udp(len);
	uint32_t payload[512];

	for (unsigned int i = 0; i < 512; i++)
		payload[i] = i < COPIES ? number : number * 2654435761u + i;
	p.payload = (const uint8_t *)payload;
	longhaul_put_frame(t, 0, frame, packet_write(&p, frame, sizeof(frame), NULL));
}

/* What two of the three say. */
static uint32_t
number_of(const struct rte_mbuf *m)
{
	uint32_t n[COPIES];

	memcpy(n, rte_pktmbuf_mtod_offset(m, const uint8_t *, 42), sizeof(n));
	return n[0] == n[1] ? n[0] : n[2];
}

static unsigned int
bits_that_differ(const struct rte_mbuf *m, size_t want_len)
{
	const uint8_t *got = rte_pktmbuf_mtod(m, const uint8_t *);
	struct packet p = longhaul_udp(want_len);
	uint32_t number = number_of(m), payload[512];
	unsigned int n = 0;

	for (unsigned int i = 0; i < 512; i++)
		payload[i] = i < COPIES ? number : number * 2654435761u + i;
	p.payload = (const uint8_t *)payload;
	packet_write(&p, frame, sizeof(frame), NULL);
	longhaul_forwarded(frame);
	cr_assert_eq(rte_pktmbuf_pkt_len(m), want_len);
	for (size_t i = 0; i < want_len; i++)
		n += (unsigned int)__builtin_popcount(got[i] ^ frame[i]);
	return n;
}

/* What came out of N numbered packets. */
struct seen {
	uint8_t times[N];
	uint64_t left, lost, again, wrong, wrong_bits, disorder;
	uint64_t hash; /* FNV-1a of all bytes and of when they came */
	uint32_t last;
};

static void
look(struct seen *s, const struct rte_mbuf *m, uint64_t now, size_t len)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t number = number_of(m);
	unsigned int differ = bits_that_differ(m, len);

	cr_assert_lt(number, N);
	s->left++;
	/* a copy at the way in goes behind its burst; the first of each keeps its place */
	s->disorder += s->times[number] == 0 && number < s->last;
	s->again += s->times[number]++ != 0;
	s->wrong += differ != 0;
	s->wrong_bits += differ;
	s->last = RTE_MAX(s->last, number);
	for (uint32_t i = 0; i < rte_pktmbuf_pkt_len(m); i++)
		s->hash = (s->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	s->hash = (s->hash ^ now) * UINT64_C(0x100000001b3);
}

/* N packets in, `burst` each 10 us, and 10 ms for the last ones to leave. */
static struct seen
run(struct node_test *t, unsigned int burst, size_t len)
{
	struct seen s = {.hash = UINT64_C(0xcbf29ce484222325)};

	for (uint32_t i = 0; i < N + 1000 * burst; i += burst) {
		struct rte_mbuf *m;

		for (uint32_t k = i; k < i + burst && k < N; k++)
			put_number(t, k, len);
		node_test_step(t, 10 * LONGHAUL_US);
		while ((m = node_test_take_mbuf(t, LONGHAUL_OUT)) != NULL) {
			look(&s, m, t->ticks, len);
			rte_pktmbuf_free(m);
		}
	}
	cr_assert_eq(node_waiting(t->node), 0);
	cr_assert_eq(node_test_sums(t).in, N);
	for (uint32_t i = 0; i < N; i++)
		s.lost += s.times[i] == 0;
	return s;
}

Test(longhaul_impair, at_the_way_out_as_often_as_asked)
{
	struct node_test t;
	struct seen s;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){
			.out = "impair: {loss: 5%, corrupt: 3%, duplicate: 2%, seed: 9}"});
	s = run(&t, 32, 590);
	longhaul_expect_3_sigma(s.lost, N, 0.05, "lost");
	longhaul_expect_3_sigma(s.again, N, 0.95 * 0.02, "duplicated");
	/* a copy has the wrong bit of its original */
	longhaul_expect_3_sigma(s.wrong, (double)s.left, 0.03, "corrupted");
	cr_assert_eq(s.wrong_bits, s.wrong, "%lu bits in %lu frames", s.wrong_bits, s.wrong);
	cr_assert_eq(s.disorder, 0);
	cr_assert_eq(node_test_drops(&t, DROP_impair_loss), s.lost);
	cr_assert_eq(longhaul_counters(&t).duplicated, s.again);
	cr_assert_eq(node_test_sums(&t).out, s.left);
	/* what the port took, the lost ones too, and no copy */
	cr_assert_eq(longhaul_counters(&t).class_[0].packets, N);
	cr_assert_eq(longhaul_counters(&t).class_[0].bytes, N * 590);
	cr_assert_eq(node_test_member(&t, 0, 0), N);
	node_test_close(&t);
}

/*
 * What was flipped in a header mostly loses the packet, and what was flipped in a source MAC is
 * not seen.
 */
Test(longhaul_impair, at_the_way_in_as_often_as_asked)
{
	struct node_test t;
	struct node_test_sums sums;
	struct seen s;
	uint64_t refused;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){
			.in = "impair: {in: {loss: 5%, corrupt: 3%, duplicate: 2%, seed: 9}}"});
	s = run(&t, 32, LEN);
	sums = node_test_sums(&t);
	refused = sums.dropped - node_test_drops(&t, DROP_impair_loss) + sums.punted;
	longhaul_expect_3_sigma(node_test_drops(&t, DROP_impair_loss), N, 0.05, "lost");
	longhaul_expect_3_sigma(longhaul_counters(&t).duplicated, N, 0.95 * 0.02, "duplicated");
	longhaul_expect_3_sigma(s.wrong + refused, (double)(s.left + refused),
		0.03 * (LEN - 6.0) / LEN, "corrupted");
	cr_assert_gt(refused, 0);
	cr_assert_gt(s.wrong, refused);
	cr_assert_eq(s.wrong_bits, s.wrong);
	cr_assert_eq(s.disorder, 0);
	cr_assert_eq(s.left, N + longhaul_counters(&t).duplicated - sums.dropped - sums.punted);
	node_test_close(&t);
}

/* A poll that finds one packet, and that one is lost, has nothing left to forward. */
Test(longhaul_impair, a_burst_of_which_nothing_is_left_is_counted_and_freed)
{
	struct node_test t;

	for (unsigned int burst = 1; burst <= 64; burst *= 8) {
		longhaul_open(&t, 128,
			&(struct longhaul_conf){.in = "impair: {in: {loss: 100%, seed: 1}}"});
		for (unsigned int i = 0; i < 20; i++) {
			for (uint32_t k = 0; k < burst; k++)
				put_number(&t, k, 60);
			node_test_step(&t, 1000);
		}
		node_test_run(&t);
		cr_assert_eq(node_test_sums(&t).in, 20 * burst);
		cr_assert_eq(node_test_drops(&t, DROP_impair_loss), 20 * burst);
		cr_assert_eq(node_mbufs_out(t.node), 0);
		node_test_close(&t);
	}
}

Test(longhaul_impair, all_packets_twice_and_each_with_one_wrong_bit)
{
	uint64_t times = 2;

	for (unsigned int i = 0; i < 2; i++, times = 4) {
		struct node_test t;
		struct seen s;

		longhaul_open(&t, 128,
			&(struct longhaul_conf){
				.in = i == 0 ? NULL : "impair: {in: {duplicate: 100%}}",
				.out = "impair: {corrupt: 100%, duplicate: 100%, seed: 3}"});
		s = run(&t, 32, 128);
		cr_assert_eq(s.left, times * N);
		cr_assert_eq(s.wrong, times * N);
		cr_assert_eq(s.wrong_bits, times * N);
		cr_assert_eq(s.disorder, 0);
		cr_assert_eq(longhaul_counters(&t).duplicated, (times - 1) * N);
		node_test_close(&t);
	}
}

#define ALL_HARM                                                                                   \
	"rate: 10Gbit, delay: 1ms, impair: {loss: 1%%, corrupt: 2%%, duplicate: 3%%, jitter: "     \
	"200us, reorder: 4%%, reorder_delay: 300us, seed: %u}"

static uint64_t
hash_of(unsigned int seed_in, unsigned int seed_out)
{
	char in[128], out[256];
	struct node_test t;
	struct seen s;

	snprintf(in, sizeof(in),
		"impair: {in: {loss: 1%%, corrupt: 1%%, duplicate: 1%%, seed: %u}}", seed_in);
	snprintf(out, sizeof(out), ALL_HARM, seed_out);
	longhaul_open(&t, 128, &(struct longhaul_conf){.in = in, .out = out});
	s = run(&t, 8, 128);
	node_test_close(&t);
	return s.hash;
}

Test(longhaul_impair, a_seed_repeats_byte_for_byte_and_another_does_not)
{
	uint64_t first = hash_of(5, 6);

	cr_assert_eq(hash_of(5, 6), first);
	cr_assert_neq(hash_of(4, 6), first);
	cr_assert_neq(hash_of(5, 7), first);
}

/* One packet a step, so the number says when it came in. Returns how long it took, in ticks. */
static uint64_t
latency(const struct rte_mbuf *m, const struct node_test *t, uint64_t step_ns)
{
	return t->ticks - (number_of(m) + 1) * step_ns;
}

Test(longhaul_impair, jitter_spreads_the_latency_and_keeps_the_order)
{
	const uint64_t step = 10 * LONGHAUL_US, delay = LONGHAUL_MS, jitter = 100 * LONGHAUL_US;
	uint64_t sum = 0, least = UINT64_MAX, most = 0, n = 0, before = 0;
	struct node_test t;
	struct rte_mbuf *m;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){
			.out = "rate: 10Gbit, delay: 1ms, impair: {jitter: 100us, seed: 2}"});
	for (uint32_t i = 0; n < N; i++) {
		if (i < N)
			put_number(&t, i, 60);
		node_test_step(&t, step);
		for (; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL; n++) {
			uint64_t took = latency(m, &t, step);

			cr_assert_eq(number_of(m), n, "%u comes after %lu", number_of(m), before);
			least = RTE_MIN(least, took);
			most = RTE_MAX(most, took);
			sum += took;
			rte_pktmbuf_free(m);
		}
		cr_assert_lt(i, N + 1000);
	}
	/* a packet waits for those before it, at most until the last of them: never longer */
	cr_assert_geq(least, delay);
	cr_assert_leq(most, delay + jitter);
	cr_assert_gt(most - least, jitter * 8 / 10);
	cr_assert_gt(sum / n, delay + jitter / 2);
	node_test_close(&t);
}

/* Nothing else on the line holds a packet back, so each takes one of two times. */
Test(longhaul_impair, reordering_holds_back_by_what_was_asked_and_nothing_else)
{
	const uint64_t step = 10 * LONGHAUL_US, delay = LONGHAUL_MS, late = 250 * LONGHAUL_US;
	uint64_t n = 0, n_late = 0, passed = 0;
	uint32_t highest = 0;
	struct node_test t;
	struct rte_mbuf *m;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){.out = "rate: 10Gbit, delay: 1ms, impair: {reorder: 10%, "
					       "reorder_delay: 250us, seed: 2}"});
	for (uint32_t i = 0; n < N; i++) {
		if (i < N)
			put_number(&t, i, 60);
		node_test_step(&t, step);
		for (; (m = node_test_take_mbuf(&t, LONGHAUL_OUT)) != NULL; n++) {
			uint64_t took = latency(m, &t, step);

			cr_assert(took == delay || took == delay + late, "%u took %lu",
				number_of(m), took);
			n_late += took != delay;
			/* overtaken by those that came in the 250 us behind it, unless all of
			 * those are late, too */
			passed += number_of(m) < highest;
			highest = RTE_MAX(highest, number_of(m));
			rte_pktmbuf_free(m);
		}
		cr_assert_lt(i, N + 1000);
	}
	longhaul_expect_3_sigma(n_late, N, 0.1, "reordered");
	cr_assert_geq(passed, n_late - 25);
	cr_assert_leq(passed, n_late);
	node_test_close(&t);
}

/* Without any delay, the held back one goes alone by the line. */
Test(longhaul_impair, reordering_needs_no_delay)
{
	struct node_test t;
	struct seen s;

	longhaul_open(&t, 128,
		&(struct longhaul_conf){.out = "rate: 10Gbit, impair: {reorder: 1%, seed: 2}"});
	s = run(&t, 4, 128);
	cr_assert_eq(s.left, N);
	longhaul_expect_3_sigma(s.disorder, N, 0.01, "reordered");
	node_test_close(&t);
}
