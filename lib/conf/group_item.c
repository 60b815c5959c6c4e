/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of a group that belong to some policies only; schema.c has them all in one table. */
#include "conf/group_item.h"

/* `key` stands there: says what it wants instead of the policy. */
static void
refuse(struct decode *d, uint32_t map, const struct path *p, const char *key, const char *want)
{
	uint32_t v = tree_get(d->tree, map, key);
	struct path here = path_key(p, key);

	if (v != TREE_NONE)
		path_error(d->errors, &here, tree_pos(d->tree, v),
			"got it in a group of another policy, want it with %s", want);
}

void
group_policy_check(struct decode *d, uint32_t map, const struct path *p, const struct conf_group *g)
{
	if (g->policy != CONF_POLICY_ADAPTIVE)
		refuse(d, map, p, "per", "`policy: adaptive`");
	if (!conf_group_sprays(g))
		refuse(d, map, p, "spray_if",
			"`policy: spray`, or with `adaptive` and `per: packet`");
	if (!conf_group_flowlets(g))
		refuse(d, map, p, "gap",
			"`policy: flowlet`, or with `adaptive` and `per: flowlet`");
}
