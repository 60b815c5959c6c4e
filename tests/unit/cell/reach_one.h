/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of one node's reachability share: a node, and neighbours made of words. */
#ifndef TESTS_REACH_ONE_H
#define TESTS_REACH_ONE_H

#include <criterion/criterion.h>

#include "base/ps.h"
#include "cell/reach_view.h"

#define INTERVAL (10 * PS_PER_MS)
#define MISSED   3
#define GBIT     UINT64_C(1000000000)
#define SELF     100
#define PORT     7 /* port index of link 0 */
#define ANY      CELL_CAPACITY_ANY

struct one {
	struct reach *r;
	uint64_t now;
};

static inline struct reach_config
config_of(uint16_t n_links)
{
	static uint16_t port_idx[REACH_LINKS_MAX];
	static uint64_t rate_bps[REACH_LINKS_MAX];

	for (uint16_t i = 0; i < REACH_LINKS_MAX; i++) {
		port_idx[i] = PORT + i;
		rate_bps[i] = 100 * GBIT;
	}
	return (struct reach_config){
		.device = SELF,
		.transit = true,
		.interval_ps = INTERVAL,
		.missed = MISSED,
		.min_links_join = 1,
		.min_links_remain = 1,
		.n_links = n_links,
		.port_idx = port_idx,
		.rate_bps = rate_bps,
		.n_devices = 1000,
		.seed = 1,
	};
}

/* With all links up, shortly before time wraps. */
static inline struct one
make(const struct reach_config *c)
{
	struct one n = {.now = UINT64_MAX - 15 * PS_PER_MS};

	cr_assert_eq(reach_create(c, n.now, &n.r), 0);
	for (uint16_t i = 0; i < c->n_links; i++)
		reach_link(n.r, i, true, n.now);
	return n;
}

static inline struct one
make_plain(uint16_t n_links)
{
	struct reach_config c = config_of(n_links);

	return make(&c);
}

static inline enum reach_fault
hear(struct one *n, uint16_t link, uint16_t source, const struct cell_reach *e, unsigned int count)
{
	return reach_heard(n->r, link, source, e, count, n->now);
}

/* The neighbours of `links` first .. first + count - 1, devices 1 + link, say hello until alive. */
static inline void
greet(struct one *n, uint16_t count)
{
	for (unsigned int i = 0; i < REACH_IN_A_ROW; i++) {
		n->now += INTERVAL;
		for (uint16_t link = 0; link < count; link++) {
			struct cell_reach e = {link + 1, 0, ANY};

			cr_assert_eq(hear(n, link, link + 1, &e, 1), REACH_OK);
		}
		reach_turn(n->r, n->now);
	}
	for (uint16_t link = 0; link < count; link++)
		cr_assert(reach_link_alive(n->r, link));
}

static inline const struct reach_route *
route_to(const struct one *n, uint16_t device)
{
	const struct reach_table *t = reach_table(n->r);

	for (uint32_t i = 0; i < t->n_routes; i++)
		if (t->route[i].device == device)
			return &t->route[i];
	return NULL;
}

/* Over the link toward the device; 0: not sprayed over. */
static inline uint32_t
weight_over(const struct one *n, uint16_t device, uint16_t link)
{
	const struct reach_route *route = route_to(n, device);
	const struct reach_set *set;

	if (route == NULL)
		return 0;
	set = &reach_table(n->r)->set[route->set_idx];
	for (unsigned int i = 0; i < set->n; i++)
		if (set->port_idx[i] == PORT + link)
			return set->weight[i];
	return 0;
}

/* The capacity told of the device on the link in one round; -1: none is told. Counts cells. */
static inline int64_t
told_of(struct one *n, uint16_t link, uint16_t device, unsigned int max, unsigned int *ret_cells)
{
	struct cell_reach out[64];
	unsigned int count;
	uint32_t from = 0;
	int64_t found = -1;

	*ret_cells = 0;
	while (reach_advert(n->r, link, &from, out, max, &count)) {
		cr_assert_leq(count, max);
		++*ret_cells;
		for (unsigned int i = 0; i < count; i++) {
			if (out[i].device != device)
				continue;
			cr_assert_eq(found, -1, "told twice in a round");
			found = out[i].capacity;
		}
	}
	return found;
}

static inline int64_t
told(struct one *n, uint16_t link, uint16_t device)
{
	unsigned int cells;

	return told_of(n, link, device, 64, &cells);
}

#endif
