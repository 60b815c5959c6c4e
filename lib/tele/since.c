/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences and sums of counters, for show_*.c and report.c. */
#include "tele/since.h"

#include <stdlib.h>

static void
subtract(uint64_t *from, const uint64_t *base, size_t n)
{
	for (size_t i = 0; i < n; i++)
		from[i] -= base[i];
}

void
since(const struct node *n, const struct show_base *base, struct counters *ret_sum,
	struct counter **ret_member)
{
	struct counter *member = calloc(n->n_members + 1, sizeof(*member));

	node_counters(n, ret_sum, member);
	if (base != NULL) {
		subtract((uint64_t *)ret_sum, (const uint64_t *)&base->sum,
			offsetof(struct counters, n_members) / sizeof(uint64_t));
		for (uint32_t i = 0; member != NULL && i < n->n_members; i++)
			if (n->counter[i].since <= base->n_reloads)
				subtract((uint64_t *)&member[i], (const uint64_t *)&base->member[i],
					sizeof(*member) / sizeof(uint64_t));
	}
	*ret_member = member;
}

struct queue_count
since_queue(const struct node *n, const struct show_base *base, size_t port, unsigned int class)
{
	struct queue_count sum = {0};

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct queue_count *c = &n->worker[i]->queue[port].count[class];

		sum.packets += counter_read(&c->packets);
		sum.bytes += counter_read(&c->bytes);
		sum.dropped += counter_read(&c->dropped);
		sum.ce_marked += counter_read(&c->ce_marked);
	}
	if (base != NULL)
		subtract((uint64_t *)&sum,
			(const uint64_t *)&base->queue[port * DP_CLASSES + class],
			sizeof(sum) / sizeof(uint64_t));
	return sum;
}

const char *
class_name(const struct node *n, unsigned int k, char *buf, size_t size)
{
	static const char *const defaults[CONF_CLASSES] = {[DP_CLASS_DEFAULT] = "default",
		[DP_CLASS_RDMA] = "rdma",
		[DP_CLASS_CNP] = "cnp",
		[DP_CLASS_ROUTING] = "routing"};

	if (n->conf->class_[k].present && n->conf->class_[k].name[0] != '\0')
		return n->conf->class_[k].name;
	if (defaults[k] != NULL)
		return defaults[k];
	snprintf(buf, size, "%u", k);
	return buf;
}

uint64_t
sum_drops(const struct counters *c)
{
	uint64_t sum = 0;

	for (unsigned int r = 1; r < DROP_N; r++)
		sum += c->drop[r];
	return sum;
}

uint64_t
sum_punts(const struct counters *c)
{
	uint64_t sum = 0;

	for (unsigned int k = 1; k < PUNT_N; k++)
		sum += c->punt[k];
	return sum;
}

uint64_t
sum_ports(const struct counter *port)
{
	uint64_t sum = 0;

	for (unsigned int p = 0; p < DP_PORTS_MAX; p++)
		sum += port[p].packets;
	return sum;
}
