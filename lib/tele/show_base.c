/* SPDX-License-Identifier: BSD-3-Clause */
/* Baselines: where `clear stats` and rates count from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tele/since.h"

int
show_base_init(struct show_base *base, const struct node *n)
{
	memset(base, 0, sizeof(*base));
	base->member = calloc(n->n_members + 1, sizeof(*base->member));
	base->queue = calloc(n->n_outs * DP_CLASSES + 1, sizeof(*base->queue));
	if (base->member != NULL && base->queue != NULL)
		return 0;
	show_base_fini(base);
	return -ENOMEM;
}

void
show_base_fini(struct show_base *base)
{
	free(base->member);
	free(base->queue);
	base->member = NULL;
	base->queue = NULL;
}

void
show_base_take(struct show_base *base, const struct node *n, uint64_t now)
{
	node_counters(n, &base->sum, base->member);
	for (size_t p = 0; p < n->n_outs; p++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			base->queue[p * DP_CLASSES + c] = since_queue(n, NULL, p, c);
	base->tsc = now;
	base->n_reloads = n->n_reloads;
}
