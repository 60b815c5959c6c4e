/* SPDX-License-Identifier: BSD-3-Clause */
/* What a group that is not plain is made of: loose packets, seeds that turn, indexes of members. */
#include "groups.h"
#include "nhg/policy_inl.h"

static struct nhg_group *
mode_up(struct want *w, enum nhg_policy policy, enum nhg_spray_if spray_if)
{
	want_init(w, 512, 7, NULL, 4);
	w->spec.policy = policy;
	w->spec.spray_if = spray_if;
	w->spec.gap_ps = PS_PER_US;
	return group_up(w, NULL);
}

static bool
is_loose(const struct nhg_group *g, uint8_t flags, unsigned int opcode)
{
	struct pkt_meta meta = {.flags = flags, .opcode = (uint8_t)opcode};

	return nhg_is_loose(g->mode, &meta);
}

Test(policy, what_is_loose_follows_spray_if_for_each_opcode)
{
	static const enum nhg_spray_if all[] = {NHG_SPRAY_AR_BIT, NHG_SPRAY_WRITE, NHG_SPRAY_ANY};
	static struct want w;

	for (unsigned int k = 0; k < 3; k++) {
		struct nhg_group *g = mode_up(&w, NHG_SPRAY, all[k]);

		for (unsigned int op = 0; op < 256; op++) {
			enum roce_order order = roce_order((uint8_t)op);
			bool may = order != ROCE_IN_ORDER &&
				   (all[k] != NHG_SPRAY_WRITE || order == ROCE_WRITE);

			cr_assert_eq(is_loose(g, PKT_ROCE | PKT_AR | PKT_IP6, op), may);
			cr_assert_eq(is_loose(g, PKT_ROCE, op), may && all[k] != NHG_SPRAY_AR_BIT);
			/* no RoCE: what stands for an opcode is another packet's */
			cr_assert_not(is_loose(g, PKT_IP6, op));
			cr_assert_not(is_loose(g, PKT_FRAGMENT, op));
			cr_assert_not(is_loose(g, PKT_AR, op));
		}
		free(g);
	}
}

Test(policy, plain_groups_have_no_mode_and_others_do)
{
	static struct want w;
	struct nhg_group *g;

	want_init(&w, 512, 7, NULL, 4);
	g = group_up(&w, NULL);
	cr_assert_null(g->mode);
	free(g);
	w.spec.hash_fields |= NHG_HASH_VXLAN;
	g = group_up(&w, NULL);
	cr_assert_not_null(g->mode);
	free(g);
	w.spec.hash_fields = NHG_HASH_5TUPLE;
	w.spec.rotate_ps = NHG_ROTATE_MIN_PS;
	g = group_up(&w, NULL);
	cr_assert_not_null(g->mode);
	free(g);
}

static void
refused(const struct want *w, const char *what)
{
	struct nhg_group *g;

	cr_assert_eq(nhg_group_create(&w->spec, NULL, 0, &g), -EINVAL, "%s", what);
}

Test(policy, a_spec_out_of_range_is_refused)
{
	static struct want w, bad;

	want_init(&w, 512, 7, NULL, 4);
	w.spec.policy = NHG_FLOWLET;
	w.spec.gap_ps = 1;
	bad = w;
	bad.spec.gap_ps = 0;
	refused(&bad, "no gap");
	bad = w;
	bad.spec.n_workers = 0;
	refused(&bad, "no worker");
	bad = w;
	bad.spec.generation = 0;
	refused(&bad, "no generation");
	bad = w;
	bad.spec.rotate_ps = NHG_ROTATE_MIN_PS - 1;
	refused(&bad, "rotate");
	bad = w;
	bad.spec.spray_if = (enum nhg_spray_if)3;
	refused(&bad, "spray_if");
}

/* A rebuilt group keeps the indexes; one with other members says what became of the old ones. */
Test(policy, flowlets_find_their_members_again_after_a_change)
{
	struct nhg_group *a, *b, *c;
	static struct want w;

	a = mode_up(&w, NHG_FLOWLET, NHG_SPRAY_AR_BIT);
	cr_assert_eq(a->mode->generation, 1);
	w.dead[2] = true;
	w.spec.generation = 2;
	b = group_up(&w, a);
	cr_assert_eq(b->mode->generation, 1, "the same members");
	cr_assert_eq(b->mode->before_generation, 0);
	w.spec.generation = 3;
	w.spec.n_members = 3;
	memcpy(w.old_idx, (const uint8_t[]){3, NHG_NONE, 1}, 3);
	c = group_up(&w, b);
	cr_assert_eq(c->mode->generation, 3);
	cr_assert_eq(c->mode->before_generation, 1);
	cr_assert_eq(c->mode->was[3], 0);
	cr_assert_eq(c->mode->was[1], 2);
	cr_assert_eq(c->mode->was[0], NHG_NONE);
	cr_assert_eq(c->mode->was[2], NHG_NONE);
	free(b);
	/* one more rebuild of the same members still knows where the others went */
	w.spec.generation = 4;
	memcpy(w.old_idx, (const uint8_t[]){0, 1, 2}, 3);
	b = group_up(&w, c);
	cr_assert_eq(b->mode->generation, 3);
	cr_assert_eq(b->mode->before_generation, 1);
	cr_assert_eq(b->mode->was[3], 0);
	free(a);
	free(b);
	free(c);
}

Test(policy, the_seed_of_marked_packets_turns_with_time)
{
	static struct want w;
	struct nhg_cursor *c;
	struct nhg_group *g;
	uint64_t first, second;

	want_init(&w, 512, 7, NULL, 4);
	w.spec.rotate_ps = PS_PER_MS;
	g = group_up(&w, NULL);
	c = &g->mode->cursor[0];
	first = nhg_rotated_seed(g->mode, c, 5);
	cr_assert_eq(nhg_rotated_seed(g->mode, c, 5 + PS_PER_MS - 1), first);
	second = nhg_rotated_seed(g->mode, c, 5 + PS_PER_MS);
	cr_assert_neq(second, first);
	cr_assert_eq(nhg_rotated_seed(g->mode, c, 4 + 2 * PS_PER_MS), second);
	/* after a long silence it turns once */
	cr_assert_neq(nhg_rotated_seed(g->mode, c, 500 * PS_PER_S), second);
	free(g);
}

Test(policy, what_a_seed_may_move_is_marked_and_needs_no_order)
{
	for (unsigned int op = 0; op < 256; op++) {
		struct pkt_meta meta = {.flags = PKT_ROCE | PKT_AR, .opcode = (uint8_t)op};

		cr_assert_eq(nhg_is_marked(&meta), roce_order((uint8_t)op) != ROCE_IN_ORDER);
		meta.flags = PKT_ROCE;
		cr_assert_not(nhg_is_marked(&meta));
		meta.flags = PKT_AR;
		cr_assert_not(nhg_is_marked(&meta));
	}
}
