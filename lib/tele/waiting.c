/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of queues over the workers, for show_*.c and report.c. Loads are relaxed. */
#include "tele/waiting.h"

#include <stdio.h>

#include "dp/queue.h"
#include "tele/since.h"

static void
add_fifo(struct waiting *sum, const struct pkt_fifo *f)
{
	sum->packets += __atomic_load_n(&f->n, __ATOMIC_RELAXED);
	sum->bytes += __atomic_load_n(&f->bytes, __ATOMIC_RELAXED);
}

struct waiting
waiting_class(const struct node *n, size_t port, unsigned int class)
{
	struct waiting sum = {0};

	for (unsigned int i = 0; i < n->n_workers; i++)
		add_fifo(&sum, &n->worker[i]->queue[port].fifo[class]);
	sum.peak = __atomic_load_n(&n->shared.commons[port].class_[class].peak, __ATOMIC_RELAXED);
	return sum;
}

struct waiting
waiting_port(const struct node *n, size_t port)
{
	struct waiting sum = {0};

	for (unsigned int i = 0; i < n->n_workers; i++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			add_fifo(&sum, &n->worker[i]->queue[port].fifo[c]);
	return sum;
}

struct waiting
waiting_line(const struct node *n, size_t port)
{
	struct waiting sum = {0};

	for (unsigned int i = 0; i < n->n_workers; i++) {
		add_fifo(&sum, &n->worker[i]->queue[port].line);
		add_fifo(&sum, &n->worker[i]->queue[port].late);
	}
	return sum;
}

bool
waiting_is_shown(const struct node *n, size_t port, unsigned int class)
{
	return class == DP_CLASS_DEFAULT || n->conf->class_[class].present ||
	       waiting_class(n, port, class).peak != 0 ||
	       since_queue(n, NULL, port, class).dropped != 0;
}

/* By none of its live members. */
static uint8_t
hyper_waiting_paused(const struct node *n, const struct dp_hyper *h)
{
	uint8_t mask = UINT8_MAX;

	for (uint16_t i = 0; i < h->n_members; i++)
		if (alive_test(&n->shared.alive, h->member[i]))
			mask &= waiting_paused(n, h->member[i]);
	return mask & n->policy[h->way].pfc;
}

uint8_t
waiting_paused(const struct node *n, size_t port)
{
	if (port >= n->n_ports)
		return hyper_waiting_paused(n, &n->shared.hyper[port - n->n_ports]);
	uint64_t now = ps_from_ticks(&n->worker[0]->timebase, clock_now(&n->env.clock));

	return qos_pause_mask(&n->shared.commons[port].pause, now) & n->policy[port].pfc;
}

const char *
classes_text(uint8_t mask, char *buf, size_t size)
{
	size_t len = 0;

	snprintf(buf, size, "-");
	for (unsigned int c = 0; c < DP_CLASSES && len < size; c++)
		if (mask >> c & 1)
			len += (size_t)snprintf(
				buf + len, size - len, "%s%u", len == 0 ? "" : ",", c);
	return buf;
}
