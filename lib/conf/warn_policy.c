/* SPDX-License-Identifier: BSD-3-Clause */
/* What of policies is allowed and probably not meant. A part of warn.c. */
#include "conf/warn_policy.h"

#include "conf/errors.h"
#include "conf/headroom.h"
#include "conf/hyper.h"
#include "conf/value.h"

/*
 * Members that differ by more than this are far apart for a spray: 10 us at 400 Gbit/s are 500 KB
 * that have overtaken a packet, 120 of 4 KB. Half of it is what queues of one site differ by.
 */
#define SKEW_NS 10000u

/*
 * How much longer the farthest member of a group is than the nearest, one way, as far as the ports
 * say. What is behind the fabric is not known.
 */
static uint64_t
skew_ns(const struct conf *c, const struct conf_group *g)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < g->n_members; i++) {
		uint64_t ns;

		if (g->member[i].device_idx != UINT16_MAX || g->member[i].weight == 0)
			continue;
		ns = conf_one_way_ns(conf_out(c, g->member[i].port_idx));
		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	return least > most ? 0 : most - least;
}

static void
warn_skew(const struct conf *c, const struct conf_group *g, struct conf_errors *w)
{
	uint64_t skew = skew_ns(c, g);
	char is[AMOUNT_LEN], gap[AMOUNT_LEN];

	amount_round(AMOUNT_TIME, skew, is);
	if (conf_group_sprays(g) && skew > SKEW_NS)
		errors_add(w, g->pos,
			"groups.%s.policy: got members whose ways differ by %s one way, want "
			"members that are as far as each other for a policy that sends packet by "
			"packet: as it is, packets arrive that much out of order",
			g->name, is);
	if (conf_group_flowlets(g) && g->gap_ns <= skew)
		errors_add(w, g->pos,
			"groups.%s.gap: got %s, and members whose ways differ by %s, want a gap "
			"above that: as it is, a flow's packets overtake each other",
			g->name, amount_show(AMOUNT_TIME, g->gap_ns, gap), is);
}

/* The seed turns for packets that no hash sends. */
static void
warn_rotate(const struct conf_group *g, struct conf_errors *w)
{
	if (g->rotate_ns == 0)
		return;
	if (conf_group_flowlets(g))
		errors_add(w, g->pos,
			"groups.%s.hash.rotate: got it with flowlets, want it with ecmp: as it is, "
			"only packets without an entry in the flow table go by hash",
			g->name);
	else if (conf_group_sprays(g) && g->spray_if != CONF_SPRAY_WRITE)
		errors_add(w, g->pos,
			"groups.%s.hash.rotate: got it with a policy that sends the same packets "
			"one by one, want it with ecmp: as it is, it does nothing",
			g->name);
}

void
warn_policy(const struct conf *c, const struct conf_group *g, struct conf_errors *w)
{
	warn_skew(c, g, w);
	warn_rotate(g, w);
	if (conf_group_sprays(g) && g->spray_if == CONF_SPRAY_ANY)
		errors_add(w, g->pos,
			"groups.%s.spray_if: got any, want ar_bit or write: as it is, READ "
			"requests "
			"and opcodes that nobody knows are reordered, too, and a NIC that has not "
			"asked for it answers with NAKs",
			g->name);
}
