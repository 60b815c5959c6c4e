/* SPDX-License-Identifier: BSD-3-Clause */
/* Baselines: where `clear stats` and rates count from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tele/show.h"

int
show_base_init(struct show_base *base, const struct node *n)
{
	memset(base, 0, sizeof(*base));
	base->member = calloc(n->n_members + 1, sizeof(*base->member));
	return base->member == NULL ? -ENOMEM : 0;
}

void
show_base_fini(struct show_base *base)
{
	free(base->member);
	base->member = NULL;
}

void
show_base_take(struct show_base *base, const struct node *n, uint64_t now)
{
	node_counters(n, &base->sum, base->member);
	base->tsc = now;
}
