/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many VOQs and one egress scheduler in virtual time: sources that together offer four times the
 * rate of a port, links with delay and jitter that lose control cells by chance, and the port,
 * which sends what has come at its rate. Events happen in the order of their times; the bytes that
 * the test counts are its own.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/rng.h"
#include "cell/credit.h"
#include "cell/voq.h"
#include "eal.h"

#define N_MAX     64u
#define CREDIT    16384u
#define QUEUE_MAX (512u * 1024) /* of a VOQ: what comes beyond is lost before the fabric */
#define TURN_PS   (2 * PS_PER_US)
#define LOG_N     4096u /* grants of one VOQ that its packets have not used up */
#define EVENTS    (1u << 16)

struct scenario {
	/* given */
	unsigned int n;
	uint64_t rate;     /* of the port and of each source's own link, bit/s */
	uint32_t lo, hi;   /* packet lengths */
	uint64_t delay_ps; /* one way: that of source 0; the last is twice as far */
	uint64_t jitter_ps;
	uint32_t loss_ppm; /* of control cells */
	uint64_t hold;     /* bytes in the egress queue */
	uint64_t warm_ps, run_ps;
	uint64_t seed;
	unsigned int n_pipes;   /* VOQs of a device */
	bool zero_never_sends;  /* source 0 */
	uint64_t restart_ps;    /* of half of the sources, and 1 ms later of the port; 0: none */
	uint64_t stop_ps;       /* nothing is offered any more, from then on; 0: never */
	uint32_t load_permille; /* of the port's rate, offered by all; 0: 4000 */
	/* found */
	double busy;                     /* of the run, after the warm-up */
	double jain;                     /* over the run */
	uint64_t bytes[N_MAX];           /* arrived in the run */
	uint64_t held_max;               /* in flight and in the egress queue */
	uint64_t longest_ps;             /* from a grant to the arrival */
	uint64_t packets_in, packets;    /* taken in by VOQs, arrived */
	uint64_t left;                   /* packets still in VOQs */
	uint64_t requests, grants, lost; /* control cells */
	uint64_t n_held;                 /* turns that granted nothing to the class */
};

enum event_kind {
	EVENT_PACKET, /* the source has a packet */
	EVENT_ASK,    /* the VOQ wants to be looked at */
	EVENT_REQUEST,
	EVENT_GRANT,
	EVENT_ARRIVAL,
	EVENT_TURN,
	EVENT_RESTART,
	EVENT_FORGET,
};

struct event {
	uint64_t at;
	uint64_t order; /* of those at one time */
	enum event_kind kind;
	unsigned int i; /* source */
	uint32_t len;   /* of a packet, on the wire */
	uint64_t granted_ps;
	struct cell_request request;
	struct cell_grant grant;
};

struct grant_log {
	uint64_t granted, at;
};

struct source {
	struct voq v;
	uint64_t delay_ps, gap_bytes, link_free, ask_at;
	struct grant_log log[LOG_N];
	uint32_t log_head, log_n;
};

struct sim {
	struct scenario *sc;
	struct credit *s;
	struct source src[N_MAX];
	struct pkt_chunks pool;
	struct event *heap;
	uint32_t n_heap;
	uint64_t now, order, end;
	struct rng rng;
	uint64_t port_free;  /* when all that has arrived is sent */
	uint64_t flying;     /* bytes */
	uint64_t busy_ps;    /* after the warm-up */
	uint64_t ps_per_64k; /* bytes at the rate of the port */
};

static bool
before(const struct event *a, const struct event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static struct event *
add(struct sim *m, uint64_t at, enum event_kind kind, unsigned int i)
{
	struct event e = {.at = at, .order = m->order++, .kind = kind, .i = i};
	uint32_t k = m->n_heap++;

	cr_assert_lt(m->n_heap, EVENTS);
	for (; k > 0 && before(&e, &m->heap[(k - 1) / 2]); k = (k - 1) / 2)
		m->heap[k] = m->heap[(k - 1) / 2];
	m->heap[k] = e;
	return &m->heap[k];
}

static struct event
take(struct sim *m)
{
	struct event top = m->heap[0], last = m->heap[--m->n_heap];
	uint32_t k = 0, child;

	for (; (child = 2 * k + 1) < m->n_heap; k = child) {
		if (child + 1 < m->n_heap && before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!before(&m->heap[child], &last))
			break;
		m->heap[k] = m->heap[child];
	}
	m->heap[k] = last;
	return top;
}

static uint64_t
wire_ps(const struct sim *m, uint64_t bytes)
{
	return bytes * m->ps_per_64k >> 16;
}

static uint64_t
backlog(const struct sim *m)
{
	return m->port_free <= m->now ? 0 : ((m->port_free - m->now) << 16) / m->ps_per_64k;
}

/* When a cell that leaves now is there. */
static uint64_t
trip(struct sim *m, unsigned int i)
{
	return m->now + m->src[i].delay_ps + rng_below(&m->rng, m->sc->jitter_ps + 1);
}

static bool
is_lost(struct sim *m)
{
	bool lost = rng_below(&m->rng, 1000000) < m->sc->loss_ppm;

	m->sc->lost += lost;
	return lost;
}

/* When the first byte of credit that a packet from `sent` on uses was granted. */
static uint64_t
granted_at(struct source *x, uint64_t sent)
{
	while (x->log_n > 1 && x->log[x->log_head % LOG_N].granted <= sent) {
		x->log_head++;
		x->log_n--;
	}
	return x->log[x->log_head % LOG_N].at;
}

static void
send(struct sim *m, unsigned int i)
{
	struct source *x = &m->src[i];

	if (i == 0 && m->sc->zero_never_sends)
		return;
	while (voq_head(&x->v) != NULL) {
		uint64_t granted_ps = granted_at(x, x->v.sent);
		struct pkt_rec rec;
		struct event *e;
		uint32_t len;

		voq_pop(&m->pool, &x->v, &rec);
		len = RTE_MAX(rec.len, 60u) + 24;
		x->link_free = RTE_MAX(x->link_free, m->now) + wire_ps(m, len);
		e = add(m, trip(m, i) + (x->link_free - m->now), EVENT_ARRIVAL, i);
		e->len = len;
		e->granted_ps = granted_ps;
		m->flying += len;
	}
}

static void
look(struct sim *m, unsigned int i)
{
	struct source *x = &m->src[i];
	struct cell_request q;
	uint64_t next;

	send(m, i);
	if (voq_ask(&x->v, m->now, &q)) {
		m->sc->requests++;
		if (!is_lost(m))
			add(m, trip(m, i), EVENT_REQUEST, i)->request = q;
	}
	next = voq_next_ps(&x->v, m->now);
	if (next < x->ask_at) {
		x->ask_at = next;
		add(m, next, EVENT_ASK, i);
	}
}

static void
packet(struct sim *m, unsigned int i)
{
	struct scenario *sc = m->sc;
	struct source *x = &m->src[i];
	struct pkt_rec rec = {
		.len = sc->lo + (uint32_t)rng_below(&m->rng, sc->hi - sc->lo + 1),
		.at_ps = m->now,
	};
	uint64_t gap;

	if (sc->stop_ps != 0 && m->now >= sc->stop_ps)
		return;
	if (x->v.fifo.bytes + rec.len <= QUEUE_MAX || (i == 0 && sc->zero_never_sends)) {
		cr_assert(voq_push(&m->pool, &x->v, &rec));
		sc->packets_in++;
		look(m, i);
	}
	/* load x rate between all, half of the gap by chance */
	gap = wire_ps(m, voq_bytes(rec.len)) * sc->n * 1000 / sc->load_permille;
	add(m, m->now + gap / 2 + rng_below(&m->rng, gap + 1), EVENT_PACKET, i);
}

static struct cell_header
header_of(const struct sim *m, unsigned int i)
{
	return (struct cell_header){
		.type = CELL_REQUEST,
		.source = (uint16_t)(1 + i / m->sc->n_pipes),
		.pipe = (uint8_t)(i % m->sc->n_pipes),
		.class = 3,
	};
}

static void
turn(struct sim *m)
{
	uint8_t held = backlog(m) > m->sc->hold ? 1u << 3 : 0;
	struct credit_grant_out out[32];
	uint32_t n = credit_turn(m->s, m->now, held, out, 32);

	m->sc->n_held += held != 0;
	for (uint32_t k = 0; k < n; k++) {
		unsigned int i = (out[k].source - 1u) * m->sc->n_pipes + out[k].pipe;
		struct source *x = &m->src[i];

		if (x->log_n < LOG_N)
			x->log[(x->log_head + x->log_n++) % LOG_N] =
				(struct grant_log){out[k].grant.granted, m->now};
		m->sc->grants++;
		if (!is_lost(m))
			add(m, trip(m, i), EVENT_GRANT, i)->grant = out[k].grant;
	}
	/* a worker's turn takes longer now and shorter then */
	add(m, m->now + TURN_PS / 2 + rng_below(&m->rng, TURN_PS + 1), EVENT_TURN, 0);
}

static void
arrival(struct sim *m, const struct event *e)
{
	struct scenario *sc = m->sc;
	uint64_t from = RTE_MAX(m->port_free, m->now), to = from + wire_ps(m, e->len);

	m->port_free = to;
	m->flying -= e->len;
	sc->packets++;
	sc->longest_ps = RTE_MAX(sc->longest_ps, m->now - e->granted_ps);
	from = RTE_MAX(from, sc->warm_ps);
	to = RTE_MIN(to, m->end);
	m->busy_ps += to > from ? to - from : 0;
	if (m->now >= sc->warm_ps)
		sc->bytes[e->i] += e->len;
}

static void
restart(struct sim *m, unsigned int i)
{
	struct source *x = &m->src[i];
	struct pkt_rec rec;

	while (voq_drop(&m->pool, &x->v, &rec))
		m->sc->packets_in--;
	voq_init(&x->v, (uint32_t)rng_next(&m->rng), 0, CREDIT, false, m->now);
	x->log_head = x->log_n = 0;
}

static void
create(struct sim *m)
{
	struct credit_config c = {
		.rate_bps = m->sc->rate,
		.speedup_permille = 1020,
		.credit_bytes = CREDIT,
		.n_voqs = N_MAX,
		.socket = SOCKET_ID_ANY,
	};

	cr_assert_eq(credit_create(&c, m->now, &m->s), 0);
}

static void
happen(struct sim *m, const struct event *e)
{
	struct cell_header h = header_of(m, e->i);

	switch (e->kind) {
	case EVENT_PACKET:
		packet(m, e->i);
		break;
	case EVENT_ASK:
		if (e->at != m->src[e->i].ask_at)
			break; /* an earlier one has been since */
		m->src[e->i].ask_at = UINT64_MAX;
		look(m, e->i);
		break;
	case EVENT_REQUEST:
		cr_assert_eq(credit_request(m->s, &h, &e->request, m->now), 0);
		break;
	case EVENT_GRANT:
		voq_grant(&m->src[e->i].v, &e->grant, m->now);
		look(m, e->i);
		break;
	case EVENT_ARRIVAL:
		arrival(m, e);
		break;
	case EVENT_TURN:
		turn(m);
		break;
	case EVENT_RESTART:
		for (unsigned int i = 0; i < m->sc->n; i += 2)
			restart(m, i);
		break;
	case EVENT_FORGET:
		credit_free(m->s);
		create(m);
		break;
	}
}

static void
begin(struct sim *m)
{
	struct scenario *sc = m->sc;

	rng_init(&m->rng, sc->seed);
	m->ps_per_64k = (8 * PS_PER_S << 16) / sc->rate;
	m->end = sc->warm_ps + sc->run_ps;
	sc->load_permille = sc->load_permille == 0 ? 4000 : sc->load_permille;
	sc->n_pipes = sc->n_pipes == 0 ? 1 : sc->n_pipes;
	create(m);
	for (unsigned int i = 0; i < sc->n; i++) {
		struct source *x = &m->src[i];

		x->delay_ps = sc->delay_ps + sc->delay_ps * i / sc->n;
		x->ask_at = UINT64_MAX;
		voq_init(&x->v, (uint32_t)rng_next(&m->rng), 0, CREDIT, false, 0);
		add(m, rng_below(&m->rng, PS_PER_US), EVENT_PACKET, i);
	}
	add(m, 0, EVENT_TURN, 0);
	if (sc->restart_ps != 0) {
		add(m, sc->restart_ps, EVENT_RESTART, 0);
		add(m, sc->restart_ps + PS_PER_MS, EVENT_FORGET, 0);
	}
}

static double
jain(const uint64_t *x, unsigned int n)
{
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < n; i++) {
		sum += (double)x[i];
		squares += (double)x[i] * (double)x[i];
	}
	return squares == 0 ? 0 : sum * sum / (n * squares);
}

static void
run(struct scenario *sc)
{
	size_t bytes = pkt_chunks_bytes(UINT64_C(9000) * sc->n, sc->n);
	struct sim *m = calloc(1, sizeof(*m));
	void *mem = aligned_alloc(64, bytes);
	struct pkt_rec rec;

	test_eal(64);
	m->sc = sc;
	m->heap = malloc(EVENTS * sizeof(*m->heap));
	cr_assert_eq(pkt_chunks_init(&m->pool, mem, bytes), 0);
	begin(m);
	while (m->heap[0].at < m->end) {
		struct event e = take(m);

		m->now = e.at;
		happen(m, &e);
		sc->held_max = RTE_MAX(sc->held_max, m->flying + backlog(m));
	}
	sc->busy = (double)m->busy_ps / (double)sc->run_ps;
	sc->jain = jain(sc->bytes, sc->n);
	for (unsigned int k = 0; k < m->n_heap; k++)
		sc->packets += m->heap[k].kind == EVENT_ARRIVAL;
	for (unsigned int i = 0; i < sc->n; i++) {
		sc->left += m->src[i].v.fifo.n;
		while (voq_drop(&m->pool, &m->src[i].v, &rec))
			;
	}
	cr_assert_eq(m->pool.n_free, m->pool.n);
	cr_log_info("%u sources, %lu bit/s, %u-%u bytes, %u ppm: busy %.4f, Jain %.5f, held %lu, "
		    "longest %.1f us, %lu packets, %lu requests, %lu grants, seed %lu",
		sc->n, sc->rate, sc->lo, sc->hi, sc->loss_ppm, sc->busy, sc->jain, sc->held_max,
		(double)sc->longest_ps / 1e6, sc->packets, sc->requests, sc->grants, sc->seed);
	credit_free(m->s);
	free(m->heap);
	free(mem);
	free(m);
}

/* H + r x (D + L) + C + n x P of cell/credit.h. */
static uint64_t
bound(const struct scenario *sc, uint64_t longest_ps)
{
	double r = (double)sc->rate * 1.02 / 8e12;

	return sc->hold + (uint64_t)(r * (double)(longest_ps + TURN_PS * 3 / 2)) + CREDIT +
	       (uint64_t)sc->n * (RTE_MAX(sc->hi, 60u) + 24);
}

/* The longest way of a grant and of what it lets go, when none is lost. */
static uint64_t
way_ps(const struct scenario *sc)
{
	uint64_t burst = CREDIT + sc->hi + 24 + sc->rate / 8 * (TURN_PS * 3 / 2) / PS_PER_S;

	return 2 * (2 * sc->delay_ps + sc->jitter_ps) +
	       (uint64_t)((double)burst * 8e12 / (double)sc->rate);
}

/* Enough that a hold does not let the port run dry. */
static uint64_t
hold_for(const struct scenario *sc)
{
	return (uint64_t)((double)(way_ps(sc) + 2 * TURN_PS) * (double)sc->rate / 8e12);
}

static void
check(struct scenario sc, double busy_min)
{
	sc.hold = hold_for(&sc);
	run(&sc);
	cr_assert_geq(sc.busy, busy_min, "%u sources, seed %lu: busy %f", sc.n, sc.seed, sc.busy);
	cr_assert_geq(sc.jain, 0.99, "%u sources, seed %lu: %f", sc.n, sc.seed, sc.jain);
	cr_assert_leq(sc.held_max, bound(&sc, sc.longest_ps), "%u sources, seed %lu: %lu of %lu",
		sc.n, sc.seed, sc.held_max, bound(&sc, sc.longest_ps));
	if (sc.loss_ppm == 0)
		cr_assert_leq(sc.longest_ps, way_ps(&sc), "%u sources, seed %lu: %lu", sc.n,
			sc.seed, sc.longest_ps);
	cr_assert_eq(sc.packets_in, sc.packets + sc.left, "%u sources, seed %lu", sc.n, sc.seed);
	cr_assert_gt(sc.n_held, 0, "%u sources, seed %lu: no hold, no bound", sc.n, sc.seed);
}

static const unsigned int n_sources[] = {2, 8, 64};

static struct scenario
usual(unsigned int n, uint64_t rate, uint64_t seed)
{
	return (struct scenario){
		.n = n,
		.rate = rate,
		.lo = 64,
		.hi = 9216,
		.delay_ps = 2 * PS_PER_US,
		.jitter_ps = 3 * PS_PER_US,
		.warm_ps = 100 * PS_PER_US,
		.run_ps = 20 * PS_PER_MS,
		.seed = seed,
	};
}

Test(incast, the_port_is_busy_the_shares_are_fair_and_the_fabric_queues_little)
{
	for (unsigned int k = 0; k < 3; k++) {
		for (uint64_t seed = 1; seed <= 3; seed++)
			check(usual(n_sources[k], 10000000000, seed), 0.98);
		check(usual(n_sources[k], 100000000000, 4), 0.98);
	}
}

Test(incast, short_packets_and_long_ones_alike)
{
	static const uint32_t len[][2] = {{60, 60}, {64, 300}, {1514, 1514}, {9216, 9216}};

	for (unsigned int k = 0; k < 3; k++)
		for (unsigned int l = 0; l < 4; l++) {
			struct scenario sc = usual(n_sources[k], 10000000000, 10 + l);

			sc.lo = len[l][0];
			sc.hi = len[l][1];
			check(sc, 0.98);
		}
}

Test(incast, pipes_of_a_device_are_voqs_of_their_own)
{
	struct scenario sc = usual(64, 10000000000, 20);

	sc.n_pipes = 16;
	check(sc, 0.98);
}

Test(incast, far_and_jittering_links_only_need_a_longer_hold)
{
	for (unsigned int k = 0; k < 3; k++) {
		struct scenario sc = usual(n_sources[k], 10000000000, 30);

		sc.delay_ps = 50 * PS_PER_US;
		sc.jitter_ps = 100 * PS_PER_US;
		sc.warm_ps = PS_PER_MS;
		check(sc, 0.98);
	}
}

Test(incast, a_lost_control_cell_in_a_hundred_costs_no_throughput)
{
	for (unsigned int k = 0; k < 3; k++)
		for (uint64_t seed = 40; seed < 43; seed++) {
			struct scenario sc = usual(n_sources[k], 10000000000, seed);

			sc.loss_ppm = 10000;
			check(sc, 0.97);
		}
}

/*
 * Sources that stop while cells are lost: every VOQ is empty in the end, whichever REQUEST and
 * whichever GRANT was lost, the last ones too.
 */
Test(incast, nothing_stays_behind_whatever_control_cells_are_lost)
{
	static const uint32_t loss[] = {0, 10000, 100000, 300000};

	for (unsigned int k = 0; k < 3; k++)
		for (unsigned int l = 0; l < 4; l++) {
			struct scenario sc = usual(n_sources[k], 10000000000, 50 + l);

			sc.loss_ppm = loss[l];
			sc.stop_ps = 2 * PS_PER_MS;
			sc.hold = hold_for(&sc);
			/* 64 queues of 512 KB are 27 ms of the port; and a few repeats */
			sc.run_ps = 200 * PS_PER_MS;
			run(&sc);
			cr_assert_eq(sc.left, 0, "%u sources, %u ppm, seed %lu: %lu left", sc.n,
				sc.loss_ppm, sc.seed, sc.left);
			cr_assert_eq(sc.packets, sc.packets_in);
			if (loss[l] != 0)
				cr_assert_gt(sc.lost, 0);
		}
}

/* Small VOQs that ask for little at a time: nobody waits for more than it has. */
Test(incast, a_port_that_is_not_full_delivers_what_is_offered)
{
	for (unsigned int k = 0; k < 3; k++) {
		struct scenario sc = usual(n_sources[k], 10000000000, 60);

		sc.load_permille = 900;
		sc.hold = hold_for(&sc);
		run(&sc);
		cr_assert_lt(sc.packets_in - sc.packets, sc.packets_in / 20, "%u sources: %lu left",
			sc.n, sc.left);
		cr_assert(sc.busy > 0.85 && sc.busy < 0.95, "%f", sc.busy);
	}
}

Test(incast, restarted_sources_and_a_port_that_forgot_find_each_other_again)
{
	for (unsigned int k = 0; k < 3; k++)
		for (unsigned int l = 0; l < 2; l++) {
			struct scenario sc = usual(n_sources[k], 10000000000, 70 + l);

			sc.loss_ppm = l * 10000;
			sc.restart_ps = 5 * PS_PER_MS;
			sc.warm_ps = 10 * PS_PER_MS;
			sc.hold = hold_for(&sc);
			run(&sc);
			cr_assert(sc.busy >= 0.97 && sc.jain >= 0.99,
				"%u sources, seed %lu: busy %f, Jain %f", sc.n, sc.seed, sc.busy,
				sc.jain);
			/* and those 5 ms were no more than a stumble */
			sc = usual(n_sources[k], 10000000000, 70 + l);
			sc.restart_ps = 5 * PS_PER_MS;
			sc.hold = hold_for(&sc);
			run(&sc);
			cr_assert_geq(sc.busy, 0.90, "%u sources, seed %lu: busy %f", sc.n, sc.seed,
				sc.busy);
		}
}

Test(incast, who_asks_and_never_sends_takes_its_own_share_only)
{
	for (unsigned int k = 0; k < 3; k++) {
		struct scenario sc = usual(n_sources[k], 10000000000, 80);
		double share, left;

		sc.zero_never_sends = true;
		sc.hold = hold_for(&sc);
		run(&sc);
		share = (double)sc.rate / 8 * 0.020 / sc.n;
		cr_assert_eq(sc.bytes[0], 0);
		for (unsigned int i = 1; i < sc.n; i++)
			cr_assert_geq((double)sc.bytes[i], share * 0.9, "%u sources: %u has %lu",
				sc.n, i, sc.bytes[i]);
		left = 1.0 - 1.0 / sc.n;
		cr_assert(sc.busy >= left * 0.98 && sc.busy <= left * 1.03, "%u sources: %f", sc.n,
			sc.busy);
	}
}
