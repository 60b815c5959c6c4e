/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes, the FIB's size, the hash, the version. */
#include <arpa/inet.h>
#include <inttypes.h>

#include <rte_version.h>

#include "nhg/hash_inl.h"
#include "tele/show.h"
#include "tele/table.h"

struct walk {
	const struct node *node;
	struct table *table;
	size_t max, n;
};

static bool
route_row(void *ctx, const struct fib_route *r)
{
	struct walk *w = ctx;
	char text[INET6_ADDRSTRLEN];

	if (w->n++ >= w->max)
		return true; /* goes on counting */
	inet_ntop(r->family, r->prefix, text, sizeof(text));
	table_text(w->table, "%s/%u", text, r->prefix_len);
	if (r->group_idx == DP_GROUP_LOCAL) {
		table_text(w->table, "local");
		table_text(w->table, "to the node's kernel");
	} else if (r->group_idx == DP_GROUP_CONNECTED) {
		table_text(w->table, "connected");
		table_text(w->table, "hosts need a route with a MAC");
	} else {
		table_text(w->table, "static");
		table_text(w->table, "%s",
			w->node->conf->group[w->node->slot_group[r->group_idx]].name);
	}
	return true;
}

void
show_route(const struct node *n, size_t max, FILE *out)
{
	struct walk w = {.node = n, .max = max, .table = table_create("prefix|from|group")};
	char total[32];

	fib_walk(n->fib, route_row, &w);
	table_print(w.table, out);
	if (w.n > max)
		fprintf(out, "... and more: %s routes in all\n", table_thousands(w.n, total));
	table_free(w.table);
}

void
show_fib(const struct node *n, FILE *out)
{
	struct table *t = table_create("family|kind|>routes|>capacity");
	struct fib_info info;

	fib_info(n->fib, &info);
	table_text(t, "ipv4");
	table_text(t, "%s", info.kind_v4);
	table_count(t, info.n_v4);
	table_count(t, info.max_v4);
	table_text(t, "ipv6");
	table_text(t, "%s", info.kind_v6);
	table_count(t, info.n_v6);
	table_count(t, info.max_v6);
	table_print(t, out);
	fprintf(out, "memory %.1f MiB, generation %" PRIu64 "\n", (double)info.bytes / (1 << 20),
		n->generation);
	table_free(t);
}

void
show_hash(const struct node *n, FILE *out)
{
	fprintf(out, "seed %" PRIu64 " (%s)\n", conf_seed(n->conf),
		n->conf->has_hash_seed ? "hash.seed" : "from node.id");
}

void
show_version(FILE *out)
{
	fprintf(out, "softbag %s, %s\n", SOFTBAG_VERSION, rte_version());
}
