/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nothing is lost, and the way out never idles, with senders at the end of 1 to 1000 km of fibre;
 * and others cannot change that.
 *
 * Rates are low so that the tests are quick. All thresholds are rate x time, and nothing in the
 * node knows another time than that of its clock: 1 Gbit/s over 1000 km and 100 Gbit/s over 10 km
 * are the same bytes.
 */
#include "conf/headroom.h"
#include "pfc_senders.h"

static uint64_t
drops(const struct world *w)
{
	return node_test_drops(&w->t, DROP_lossless_drop);
}

/* Most that was held of what came by a sender's port, while `ms` go by. */
static void
run(struct world *w, uint64_t ms, uint64_t turn_ns, int64_t *most)
{
	for (uint64_t end = w->t.ticks + ms * MS; w->t.ticks < end;) {
		step(w, turn_ns);
		for (unsigned int i = 0; i < SENDERS; i++)
			most[i] = RTE_MAX(most[i], w->t.node->shared.commons[i].xoff[CLASS].held);
		expect_busy(w, w->t.ticks * PS);
	}
}

#define TWO_WORKERS                                                                                \
	"  workers: [{lcore: 1, rx: [in0, in1, out]}, {lcore: 2, rx: [in2, in3, side]}]\n"

struct line {
	const char *rate;
	unsigned int km;
	uint64_t ms, turn_ns;
	bool mixed;
	bool two_workers;
	bool plain; /* the port out has no rate: its device is what is slow */
};

/* The limit is what the ports may hold together, to the byte. */
static char *
line_yaml(const struct line *l, unsigned int parts_of_headroom)
{
	struct conf_port p = {.mtu = 1500, .distance_m = UINT64_C(1000) * l->km};
	char keys[128], out[64] = ", rate: ", pfc[128] = ", pfc: {classes: [3]}", limit[64];
	char *yaml;
	struct conf *c;

	snprintf(keys, sizeof(keys), "rate: %s, distance: %ukm", l->rate, l->km);
	snprintf(out, sizeof(out), ", rate: %s", l->rate);
	yaml = world_yaml("", out, keys, pfc, ", limit: 1GB");
	c = node_test_conf(yaml);
	free(yaml);
	p = c->port[0];
	conf_free(c);
	p.pfc.headroom /= parts_of_headroom;
	if (parts_of_headroom != 1)
		snprintf(pfc, sizeof(pfc), ", pfc: {classes: [3], headroom: %luB}", p.pfc.headroom);
	snprintf(limit, sizeof(limit), ", limit: %luB", SENDERS * conf_pfc_bytes(&p));
	return world_yaml(l->two_workers ? TWO_WORKERS : "", l->plain ? "" : out, keys, pfc, limit);
}

static void
expect_lossless(const struct line *l)
{
	char *yaml = line_yaml(l, 1);
	int64_t most[SENDERS] = {0};
	struct world w;

	world_open(&w, yaml, l->km);
	w.mixed = l->mixed;
	run(&w, l->ms, l->turn_ns, most);
	cr_assert_eq(drops(&w), 0, "%u km", l->km);
	for (unsigned int i = 0; i < SENDERS; i++) {
		const struct conf_pfc *pfc = &w.t.conf->port[i].pfc;

		/* they did pause, more than once, and went on */
		cr_assert_geq(w.sender[i].n_xon, 2, "%u km: sender %u", l->km, i);
		cr_assert_leq((uint64_t)most[i], pfc->xoff + pfc->headroom);
		/* the headroom is there to be used */
		cr_assert_geq((uint64_t)most[i], pfc->xoff + pfc->headroom / 2,
			"%u km: %lu held, xoff %lu, headroom %lu", l->km, most[i], pfc->xoff,
			pfc->headroom);
	}
	world_close(&w, true);
	free(yaml);
}

static void
expect_loss(const struct line *l)
{
	char *yaml = line_yaml(l, 2);
	struct world w;

	world_open(&w, yaml, l->km);
	for (uint64_t end = l->ms * MS; w.t.ticks < end;)
		step(&w, l->turn_ns);
	cr_assert_gt(drops(&w), 0, "%u km", l->km);
	world_close(&w, false);
	free(yaml);
}

static const struct line lines[] = {
	{.rate = "10Gbit", .km = 1, .ms = 10, .turn_ns = 50 * US},
	{.rate = "10Gbit", .km = 10, .ms = 10, .turn_ns = 50 * US},
	{.rate = "10Gbit", .km = 80, .ms = 20, .turn_ns = 50 * US},
	{.rate = "1Gbit", .km = 1000, .ms = 250, .turn_ns = 50 * US},
	{.rate = "25Gbit", .km = 10, .ms = 6, .turn_ns = 50 * US, .mixed = true},
	{.rate = "10Gbit", .km = 10, .ms = 10, .turn_ns = 50 * US, .two_workers = true},
};

Test(pfc_lossless, four_senders_lose_nothing_and_the_way_out_never_idles)
{
	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		expect_lossless(&lines[i]);
}

Test(pfc_lossless, half_the_headroom_loses)
{
	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		expect_loss(&lines[i]);
}

/* A world that has nothing but the line of 10 km and what `spoil` makes of it. */
static void
expect_unharmed(const struct line *l, void (*spoil)(struct world *w), unsigned int from)
{
	char *yaml = line_yaml(l, 1);
	struct world w;

	world_open(&w, yaml, l->km);
	spoil(&w);
	for (uint64_t end = l->ms * MS; w.t.ticks < end;)
		step(&w, l->turn_ns);
	world_close(&w, false);
	for (unsigned int i = from; i < SENDERS; i++) {
		cr_assert_geq(w.sender[i].n_xoff, 1);
		cr_assert_eq(w.sender[i].n_out, w.sender[i].n_sent, "sender %u: %lu of %lu", i,
			w.sender[i].n_out, w.sender[i].n_sent);
	}
	if (from != 0) /* the one to blame pays */
		cr_assert_lt(w.sender[0].n_out, w.sender[0].n_sent);
	free(yaml);
}

static void
first_is_deaf(struct world *w)
{
	w->sender[0].deaf = true;
}

static void
side_floods_the_class(struct world *w)
{
	w->flood = 60;
	w->flood_class = CLASS;
	w->flood_len = 1514;
}

static void
side_floods_with_small_frames(struct world *w)
{
	w->flood = 1000;
	w->flood_class = 0;
	w->flood_len = 62;
}

static void
device_is_slow(struct world *w)
{
	w->taken_ps = 1;
}

static const struct line short_line = {.rate = "10Gbit", .km = 10, .ms = 10, .turn_ns = 50 * US};

Test(pfc_lossless, a_sender_that_heeds_no_pause_harms_nobody_else)
{
	expect_unharmed(&short_line, first_is_deaf, 1);
}

Test(pfc_lossless, a_port_that_pauses_nobody_harms_nobody_else)
{
	expect_unharmed(&short_line, side_floods_the_class, 0);
}

Test(pfc_lossless, small_frames_of_a_lossy_class_take_no_buffers_of_the_lossless)
{
	expect_unharmed(&short_line, side_floods_with_small_frames, 0);
}

/* No rate, no pause of its own: what its device does not take waits all the same. */
Test(pfc_lossless, a_way_out_without_a_policy_loses_nothing)
{
	struct line l = short_line;

	l.plain = true;
	expect_unharmed(&l, device_is_slow, 0);
}
