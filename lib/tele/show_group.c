/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups, their members and how even the members are used. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tele/imbalance.h"
#include "tele/policy_text.h"
#include "tele/since.h"
#include "tele/table.h"
#include "tele/way.h"

double
group_imbalance(const struct nhg_group *g, const struct counter *member)
{
	uint64_t packets = 0, weight = 0;
	double worst = 0;

	for (unsigned int i = 0; i < g->n_members; i++) {
		if (g->member[i].weight == 0)
			continue;
		packets += member[i].packets;
		weight += g->member[i].weight;
	}
	if (packets == 0)
		return 0;
	for (unsigned int i = 0; i < g->n_members; i++) {
		double fair = (double)packets * g->member[i].weight / (double)weight;

		if (g->member[i].weight != 0 && (double)member[i].packets / fair > worst)
			worst = (double)member[i].packets / fair;
	}
	return worst;
}

static const char *
member_state(const struct node *n, const struct nhg_member *m)
{
	if (!alive_test(&n->shared.alive, m->port_idx))
		return way_dest(n, m->port_idx) != NULL ? "unreachable" : "link down";
	if (!m->resolved)
		return "no MAC";
	return m->weight == 0 ? "excluded" : "live";
}

static void
member_rows(struct table *t, const struct node *n, const struct nhg_group *g,
	const struct conf_group *c, const struct counter *member)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < g->n_members; i++)
		total += member[i].packets;
	for (unsigned int i = 0; i < g->n_members; i++) {
		const struct nhg_member *m = &g->member[i];
		char via[INET6_ADDRSTRLEN] = "-", way[WAY_TEXT_LEN];

		if (c->member[i].via.family != 0)
			inet_ntop(c->member[i].via.family, c->member[i].via.byte, via, sizeof(via));
		table_text(t, "%u", i);
		table_text(t, "%s", way_text(n, m->port_idx, way));
		table_text(t, "%s", via);
		if (m->resolved)
			table_text(t, "%02x:%02x:%02x:%02x:%02x:%02x", m->l2[0], m->l2[1], m->l2[2],
				m->l2[3], m->l2[4], m->l2[5]);
		else
			table_text(t, "-");
		table_text(t, "%s", member_state(n, m));
		table_text(t, "%u", m->weight);
		table_text(t, "%u", m->n_buckets);
		table_count(t, member[i].packets);
		table_count(t, member[i].bytes);
		table_text(t, "%.1f %%",
			total == 0 ? 0.0 : 100.0 * (double)member[i].packets / (double)total);
	}
}

/* How much of the traffic the policy had a say in. */
static void
group_choices(const struct conf_group *c, const struct counter *member, uint64_t choices, FILE *out)
{
	uint64_t packets = 0;
	char chosen[32], rest[32];

	for (size_t i = 0; i < c->n_members; i++)
		packets += member[i].packets;
	if (packets == 0)
		return;
	table_thousands(choices, chosen);
	if (conf_group_flowlets(c))
		fprintf(out, "  Flowlets that began: %s.\n", chosen);
	if (!conf_group_sprays(c))
		return;
	fprintf(out, "  %s packets went one by one, %s by hash.\n", chosen,
		table_thousands(packets > choices ? packets - choices : 0, rest));
	if (choices == 0 && c->spray_if == CONF_SPRAY_AR_BIT)
		fputs("  None carries the AR bit (BTH byte 8 & 0x40) in an opcode that needs no "
		      "order: adaptive routing is off at the senders, or they send no WRITEs.\n",
			out);
}

/* A sentence where the numbers say something that the user should know. */
static void
group_advice(
	const struct node *n, const struct nhg_group *g, const struct counter *member, FILE *out)
{
	unsigned int used = 0, usable = 0;
	uint64_t packets = 0, weights = 0, idle_weights = 0;

	for (unsigned int i = 0; i < g->n_members; i++) {
		bool live = strcmp(member_state(n, &g->member[i]), "live") == 0;

		used += member[i].packets != 0;
		packets += member[i].packets;
		usable += live;
		weights += live ? g->member[i].weight : 0;
		idle_weights += live && member[i].packets == 0 ? g->member[i].weight : 0;
	}
	/* 16 packets that chance would have sent elsewhere: e^-16 that it sent none */
	if (used == 1 && usable > 1 && packets * idle_weights >= 16 * weights)
		fprintf(out, "  One member of %u carries everything: all packets hash alike%s.\n",
			usable,
			g->hash_fields & NHG_HASH_DEST_QP ? ""
							  : " by 5-tuple; hash: [5tuple, dest_qp] "
							    "tells RoCE queue pairs apart");
}

static void
show_one(const struct node *n, uint32_t idx, const struct counter *member, FILE *out)
{
	const struct nhg_group *g = node_group_now(n, idx);
	const struct node_group *ng = &n->group[idx];
	struct table *t =
		table_create(">member|port|via|mac|state|>weight|>buckets|>packets|>bytes|>share");
	struct counter mine[NHG_MEMBERS_MAX];
	char policy[POLICY_TEXT_LEN], hash[POLICY_TEXT_LEN];
	double worst;

	node_group_counters(n, idx, member, mine);
	worst = group_imbalance(g, mine);
	fprintf(out, "%s: policy %s, hash %s, %u buckets, ", ng->conf->name,
		policy_text(ng->conf, policy), policy_hash_text(ng->conf, hash),
		g->bucket_mask + 1);
	if (worst > 0)
		fprintf(out, "imbalance %.3f\n", worst);
	else
		fputs("no packets yet\n", out);
	member_rows(t, n, g, ng->conf, mine);
	table_print(t, out);
	group_choices(ng->conf, mine, member[ng->choice].packets, out);
	group_advice(n, g, mine, out);
	table_free(t);
}

int
show_group(const struct node *n, const struct show_base *base, const char *name, FILE *out)
{
	struct counters sum;
	struct counter *member;
	int rc = name == NULL ? 0 : -ENOENT;

	since(n, base, &sum, &member);
	for (uint32_t g = 0; member != NULL && g < n->conf->n_groups; g++) {
		if (name != NULL && strcmp(name, n->conf->group[g].name) != 0)
			continue;
		if (name == NULL && g > 0)
			fputc('\n', out);
		show_one(n, g, member, out);
		rc = 0;
	}
	if (n->conf->n_groups == 0 && name == NULL)
		fputs("The configuration has no groups.\n", out);
	free(member);
	return rc;
}
