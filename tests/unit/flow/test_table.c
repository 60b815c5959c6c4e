/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow table: what is one flow, what happens when it is full, attacked, or idle. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "flow_test.h"

#define AGE (10 * PS_PER_S)

static const struct who base = {.src = 0x0a000001, .dst = 0x0a000002, .qp = 7, .ports = 0xc00012b7};

static void
tells_flows_apart(struct flow_table *t)
{
	struct who other = base;
	uint32_t idx = meet_one(t, &base, 0);

	cr_assert_neq(idx, FLOW_NONE);
	other.ports = 0xdead12b7; /* a NIC changes its UDP source port within a QP */
	cr_assert_eq(meet_one(t, &other, 0), idx);
	other.qp = 8;
	cr_assert_neq(meet_one(t, &other, 0), idx);
	other = base;
	other.ip6 = true;
	cr_assert_neq(meet_one(t, &other, 0), idx);
	other = base;
	other.qp = 0;
	cr_assert_neq(meet_one(t, &other, 0), idx);
	other.ports++;
	cr_assert_neq(meet_one(t, &other, 0), idx);
	other = (struct who){.src = base.dst, .dst = base.src, .qp = 7};
	cr_assert_neq(meet_one(t, &other, 0), idx);
	cr_assert_eq(t->count.entries, 6);
	cr_assert_eq(meet_one(t, &base, 0), idx);
}

/* Packets of one new flow in one burst; what is no RoCE where only that is wanted. */
static void
one_burst_one_entry(struct flow_table *t)
{
	static struct flow_burst fb;
	struct who who = {.src = 1, .dst = 2, .qp = 99, .ports = 1}, ip = {.src = 1, .dst = 2};
	uint64_t before = t->count.entries;

	fb.b.n = 0;
	for (unsigned int i = 0; i < 30; i++) {
		who.ports = i; /* the front knows each by another CRC */
		burst_add(&fb, &who);
		burst_add(&fb, &ip);
	}
	flow_table_lookup_bulk(t, &fb.b, false, 0);
	for (unsigned int i = 0; i < 60; i += 2) {
		cr_assert_eq(fb.b.meta[i].flow_idx, fb.b.meta[0].flow_idx);
		cr_assert_eq(fb.b.meta[i + 1].flow_idx, FLOW_NONE);
	}
	cr_assert_eq(t->count.entries, before + 1);
	cr_assert_eq(t->count.full, 0, "what is not wanted is not refused");
}

static void
is_read(struct flow_table *t)
{
	uint32_t idx = meet_one(t, &base, 0);
	struct flow f;

	cr_assert(flow_table_read(t, idx, &f, NULL));
	cr_assert(f.l4 == 7 && f.kind == (FLOW_KEY_USED | FLOW_KEY_ROCE) && f.addrs[3] == 1);
	t->flow[idx].life++; /* changes hands */
	cr_assert(!flow_table_read(t, idx, &f, NULL));
	t->flow[idx].life++;
	cr_assert(!flow_table_read(t, flow_table_slots(t) - 1, &f, NULL), "free");
}

Test(table, tells_flows_apart_and_gives_each_one_entry)
{
	struct flow_table *t;

	test_eal(64);
	t = table_up(64, AGE, 0);
	tells_flows_apart(t);
	one_burst_one_entry(t);
	is_read(t);
	flow_table_free(t);
	flow_table_free(NULL);
}

Test(table, refuses_what_is_out_of_range)
{
	struct flow_table_config c = {.name = "x", .max = 64, .age_ps = AGE, .socket = -1};
	struct flow_table *t = NULL, *again = NULL;

	test_eal(64);
	c.max = 65;
	cr_assert_eq(flow_table_create(&c, &t), -EINVAL);
	c.max = 32;
	cr_assert_eq(flow_table_create(&c, &t), -EINVAL);
	c.max = 64;
	c.age_ps = 1;
	cr_assert_eq(flow_table_create(&c, &t), -EINVAL);
	c.age_ps = AGE;
	c.name = "a name that is longer than the ring's";
	cr_assert_eq(flow_table_create(&c, &t), -EINVAL);
	c.name = "x";
	c.beside_len = 65;
	cr_assert_eq(flow_table_create(&c, &t), -EINVAL);
	c.beside_len = 64;
	cr_assert_eq(flow_table_create(&c, &t), 0);
	cr_assert_eq(flow_table_create(&c, &again), -EEXIST);
	cr_assert_null(again);
	flow_table_free(t);
}

/* A million QPs knock at a table for 16,384: that many get in, all others are told to go on. */
Test(table, million_queue_pairs_fill_it_and_the_rest_goes_by_hash)
{
	static struct flow_burst fb;
	struct who who = base;
	struct flow_table *t;
	uint64_t none = 0;

	test_eal(256);
	t = table_up(16384, AGE, 0);
	for (uint32_t qp = 1; qp <= 1000000;) {
		fb.b.n = 0;
		for (unsigned int i = 0; i < BURST_MAX; i++) {
			who.qp = qp;
			who.src = base.src + qp++ % 1000;
			burst_add(&fb, &who);
		}
		flow_table_lookup_bulk(t, &fb.b, false, qp);
		for (unsigned int i = 0; i < BURST_MAX; i++)
			none += fb.b.meta[i].flow_idx == FLOW_NONE;
	}
	cr_assert_eq(t->count.entries, 16384);
	cr_assert_eq(t->count.inserted, 16384, "nobody is pushed out");
	cr_assert_eq(none, 1000000 - 16384);
	cr_assert_eq(t->count.full, none);
	cr_assert_eq(t->count.searches, 0, "half full: nobody looked for room in vain");
	flow_table_free(t);
}

/* Somebody knows the secret: keys whose two buckets are all the same. */
static void
colliding(const struct flow_table *t, struct who *ret_who, unsigned int n)
{
	struct flow_burst fb;
	uint32_t want = 0;
	unsigned int found = 0;

	for (struct who who = base; found < n; who.qp++) {
		uint32_t sig, both;
		struct flow_key key;

		fb.b.n = 0;
		burst_add(&fb, &who);
		flow_key_of_packet(&fb.b.meta[0], &key);
		sig = flow_signature(t, &key);
		/* rte_hash: the bucket from below, the other one by the upper half */
		both = (sig & t->bucket_mask) | (sig >> 16 & t->bucket_mask) << 16;
		if (found == 0)
			want = both;
		if (both == want)
			ret_who[found++] = who;
	}
}

Test(table, keys_of_one_bucket_cost_one_search_a_burst_and_a_millisecond)
{
	enum { N = 2000, BURSTS = 10000 };
	static struct who who[N];
	static struct flow_burst fb;
	uint64_t now = 0, in = 0;
	struct flow_table *t;

	test_eal(64);
	t = table_up(64, 3600 * PS_PER_S, 0);
	colliding(t, who, N);
	for (unsigned int k = 0; k < BURSTS; k++, now += PS_PER_US) {
		fb.b.n = 0;
		for (unsigned int i = 0; i < BURST_MAX; i++)
			burst_add(&fb, &who[(k * BURST_MAX + i) % N]);
		flow_table_lookup_bulk(t, &fb.b, false, now);
		for (unsigned int i = 0; i < BURST_MAX; i++)
			in += fb.b.meta[i].flow_idx != FLOW_NONE;
	}
	cr_assert_leq(t->count.entries, 16, "two buckets of eight");
	cr_assert_geq(t->count.entries, 8);
	cr_assert_eq(t->count.full, (uint64_t)BURSTS * BURST_MAX - in);
	/* 10 ms */
	cr_assert_leq(t->count.searches, 11);
	cr_assert_geq(t->count.searches, 1);
	cr_assert_neq(meet_one(t, &who[0], now), FLOW_NONE, "who was there first stays");
	/* the others find room as ever */
	for (uint32_t qp = 1; qp <= 40; qp++)
		meet_one(t, &(struct who){.src = 9, .dst = 9, .qp = qp}, now);
	cr_assert_geq(t->count.entries, 8 + 36);
	flow_table_free(t);
}

static void
turns(struct flow_table *t, uint64_t *now, uint64_t until, uint64_t step)
{
	for (; *now < until; *now += step)
		flow_table_age(t, *now);
}

Test(table, idle_entries_go_within_a_sixteenth_of_the_age_and_busy_ones_stay)
{
	struct who busy = base, idle = base, late = base;
	uint64_t now = 0;
	struct flow_table *t;

	test_eal(64);
	t = table_up(1024, AGE, 0);
	idle.qp = 1000;
	late.qp = 1001;
	meet_one(t, &late, 0);
	for (uint32_t k = 0; k < 500; k++, idle.qp++)
		meet_one(t, &idle, 0);
	/* up to the age nothing goes */
	turns(t, &now, AGE, 10 * PS_PER_MS);
	cr_assert_eq(t->count.entries, 500);
	cr_assert_eq(t->count.aged, 0);
	meet_one(t, &busy, now);
	turns(t, &now, AGE + AGE / 16 + 20 * PS_PER_MS, 10 * PS_PER_MS);
	cr_assert_eq(t->count.entries, 1);
	cr_assert_eq(t->count.aged, 500);
	turns(t, &now, 2 * AGE, 10 * PS_PER_MS);
	cr_assert_eq(t->count.entries, 1, "it was busy at 10 s");
	turns(t, &now, 3 * AGE, 10 * PS_PER_MS);
	cr_assert_eq(t->count.entries, 0);
	flow_table_free(t);
}

static void
note_end(void *ctx, const void *beside)
{
	uint64_t *sum = ctx;

	*sum += *(const uint64_t *)beside;
}

Test(table, flow_that_comes_back_after_its_age_begins_anew_in_its_place)
{
	uint64_t ended = 0;
	struct flow_table_config c = {
		.name = "again",
		.max = 64,
		.age_ps = AGE,
		.socket = -1,
		.beside_len = 64,
		.end = note_end,
		.end_ctx = &ended,
	};
	struct flow_table *t;
	uint32_t idx;

	test_eal(64);
	cr_assert_eq(flow_table_create(&c, &t), 0);
	idx = meet_one(t, &base, 0);
	t->flow[idx].flowlet.member = 3;
	*(uint64_t *)flow_table_beside(t, idx) = 17;
	cr_assert_eq(meet_one(t, &base, AGE), idx);
	cr_assert_eq(t->flow[idx].flowlet.member, 3);
	/* nobody had the time to let it go */
	cr_assert_eq(meet_one(t, &base, 2 * AGE + 10 * PS_PER_MS), idx);
	cr_assert_eq(t->flow[idx].flowlet.member, 0);
	cr_assert_eq(*(uint64_t *)flow_table_beside(t, idx), 0);
	cr_assert_eq(ended, 17);
	cr_assert(t->count.entries == 1 && t->count.inserted == 2 && t->count.aged == 1);
	flow_table_free(t);
}

/* Turns come once in a minute: at most FLOW_AGE_STEPS looks in each, and none is owed for long. */
Test(table, rare_turns_look_at_few_entries_and_catch_up)
{
	struct who who = base;
	uint64_t now = 0;
	struct flow_table *t;

	test_eal(64);
	t = table_up(1024, AGE, 0);
	for (uint32_t k = 0; k < 1000; k++, who.qp++)
		meet_one(t, &who, 0);
	now = 60 * PS_PER_S;
	flow_table_age(t, now);
	cr_assert_eq(t->count.aged, FLOW_AGE_STEPS);
	for (unsigned int k = 0; k < 1025 / FLOW_AGE_STEPS; k++)
		flow_table_age(t, now);
	cr_assert_eq(t->count.entries, 0);
	flow_table_age(t, now);
	flow_table_free(t);
}

/* Who had which entry; the table may forget what is idle, and nothing else. */
struct known {
	struct who who;
	uint32_t idx; /* FLOW_NONE: unknown */
	uint64_t seen;
};

Test(table, any_order_of_packets_and_turns_is_the_models)
{
	enum { FLOWS = 300, STEPS = 200000 };
	static struct known known[FLOWS];
	uint64_t now = 0, none = 0;
	struct flow_table *t;
	struct rng rng;

	test_eal(64);
	rng_init(&rng, 5);
	t = table_up(256, AGE, 64);
	for (unsigned int i = 0; i < FLOWS; i++) {
		known[i].who = base;
		known[i].who.qp = 1 + i / 2;
		known[i].who.ip6 = i % 2;
		known[i].idx = FLOW_NONE;
	}
	for (unsigned int k = 0; k < STEPS; k++) {
		/* a part of the flows is busy, another in each phase */
		struct known *f = &known[(rng_below(&rng, 100) + k / 20000 * 50) % FLOWS];
		uint32_t idx = meet_one(t, &f->who, now);
		struct flow_key key, is;
		struct flow_burst fb = {.b.n = 0};

		none += idx == FLOW_NONE;
		if (f->idx != FLOW_NONE && now - f->seen <= AGE)
			cr_assert_eq(idx, f->idx, "step %u", k);
		if (idx != FLOW_NONE) {
			burst_add(&fb, &f->who);
			flow_key_of_packet(&fb.b.meta[0], &key);
			flow_key_of_entry(&t->flow[idx], &is);
			cr_assert_eq(memcmp(&key, &is, sizeof(key)), 0);
		}
		f->idx = idx;
		f->seen = now;
		now += rng_below(&rng, 2 * AGE / 300);
		flow_table_age(t, now);
		cr_assert_eq(t->count.entries, t->count.inserted - t->count.aged);
	}
	cr_assert_eq(none, t->count.full);
	cr_assert_gt(t->count.aged, 1000);
	flow_table_free(t);
}

/* A worker whose few entries change hands all the time; each record holds its flow's QP, or 0. */
struct churn {
	struct flow_table *t;
	bool stop;
};

static void *
churn_main(void *arg)
{
	struct churn *c = arg;
	struct who who = base;
	uint64_t now = 0;

	for (uint32_t k = 0; !__atomic_load_n(&c->stop, __ATOMIC_RELAXED); k++) {
		uint32_t idx;

		who.qp = 1 + k % 4096;
		idx = meet_one(c->t, &who, now);
		if (idx != FLOW_NONE) {
			uint64_t *record = flow_table_beside(c->t, idx);

			__atomic_store_n(&record[0], who.qp, __ATOMIC_RELAXED);
			__atomic_store_n(&record[7], who.qp, __ATOMIC_RELAXED);
		}
		now += 4 * PS_PER_MS;
		flow_table_age(c->t, now);
	}
	return NULL;
}

Test(table, copy_is_of_one_flow_while_the_worker_goes_on)
{
	enum { READS = 400000 };
	struct churn c = {0};
	uint64_t record[8] __rte_cache_aligned;
	unsigned int copies = 0, refused = 0;
	pthread_t thread;

	test_eal(64);
	c.t = table_up(64, FLOW_AGE_MIN_PS, 64);
	cr_assert_eq(pthread_create(&thread, NULL, churn_main, &c), 0);
	/* the EAL has bound this thread to a CPU, and the other one is on it, too */
	for (unsigned int k = 0; k < READS || (copies < 1000 && k < 1000 * READS); k++) {
		struct flow f;

		if (k % 1024 == 0)
			sched_yield();
		if (!flow_table_read(c.t, k % flow_table_slots(c.t), &f, record)) {
			refused++;
			continue;
		}
		copies++;
		cr_assert(record[0] == 0 || record[0] == f.l4, "QP %u with the record of %lu", f.l4,
			record[0]);
		cr_assert(record[7] == 0 || record[7] == f.l4);
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	cr_assert_geq(copies, 1000);
	cr_assert_gt(refused, 0, "a free one at least");
	flow_table_free(c.t);
}
