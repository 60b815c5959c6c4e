/* SPDX-License-Identifier: BSD-3-Clause */
/* From the command line to a schedule: inputs by port, queues by worker. feed.c plays it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "frame_mbuf.h"

/* Virtual time stays below this: 146 years, and sums of two times do not wrap. */
#define NS_MAX (UINT64_C(1) << 62)

static int __attribute__((format(printf, 2, 3))) refuse(char *why, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why, CAPTURE_WHY_MAX, format, list);
	va_end(list);
	return -EINVAL;
}

uint16_t
feed_queues(const struct node *n, uint16_t port_idx, uint16_t *ret_queue)
{
	uint16_t n_queues = 0;

	for (unsigned int w = 0; w < n->n_workers; w++)
		for (uint16_t q = 0; q < n->worker[w]->n_rxq; q++)
			if (n->worker[w]->rxq[q].port_idx == port_idx)
				ret_queue[n_queues++] = n->worker[w]->rxq[q].queue;
	return n_queues;
}

static int
check_segments(const struct feed *f, const struct capture *c, char *why)
{
	uint32_t most = RTE_MIN(f->node->pool->size, (uint32_t)UINT16_MAX);

	for (size_t i = 0; i < c->n; i++) {
		uint32_t need = frame_segments(c->frame[i].len, f->segment_len);

		if (need > most)
			return refuse(why,
				"%s: frame %zu of %u bytes takes %u buffers of %u bytes and %u are "
				"the most; give a larger --segment-len or more runtime.mbufs.",
				c->file, i + 1, c->frame[i].len, need, f->segment_len, most);
	}
	return 0;
}

/* As captured, the last frame must come in before the end of time. */
static int
fit_time(const struct feed *f, struct feed_input *in, bool exact, char *why)
{
	const struct capture *c = in->capture;
	uint64_t last = c->frame[c->n - 1].ns - f->origin_ns;
	uint64_t rounds;

	if (last >= NS_MAX)
		return refuse(why,
			"%s: its timestamps reach %" PRIu64
			" years beyond the first; use --timing max or a --rate.",
			c->file, last / 1000000000u / 86400u / 365u);
	rounds = (NS_MAX - last) / in->period_ns + 1;
	if (in->rounds <= rounds)
		return 0;
	if (exact)
		return refuse(why,
			"%s: %" PRIu64
			" loops take more than a century as captured; use --timing max or fewer.",
			c->file, in->rounds);
	in->rounds = rounds;
	return 0;
}

/* The same at a rate: all captures of the port, one after the other. */
static int
fit_rate(struct feed_port *p, bool exact, char *why)
{
	unsigned __int128 loop = 0;
	uint64_t rounds;

	for (size_t i = 0; i < p->n_inputs; i++)
		for (size_t k = 0; k < p->input[i].capture->n; k++)
			loop += feed_units(p->rate, p->input[i].capture->frame[k].len);
	if (loop == 0)
		return 0;
	/* a capture of 2^50 frames and the highest rate: 2^64 bits a loop, 2^41 of them a second */
	rounds = (uint64_t)RTE_MIN((unsigned __int128)NS_MAX / 1000000000u * p->rate->per_s / loop,
		(unsigned __int128)UINT64_MAX);
	for (size_t i = 0; i < p->n_inputs; i++) {
		if (p->input[i].rounds > rounds && exact)
			return refuse(why,
				"port %s: %" PRIu64 " loops take more than a century at its "
				"--rate; give a higher one or "
				"fewer.",
				p->port->name, p->input[i].rounds);
		p->input[i].rounds = RTE_MIN(p->input[i].rounds, rounds);
	}
	return 0;
}

static int
add_input(struct feed *f, const struct args *a, const struct capture *c, struct feed_port *p,
	char *why)
{
	struct feed_input *in = &p->input[p->n_inputs++];
	bool exact = a->seconds == 0;
	int rc = check_segments(f, c, why);

	*in = (struct feed_input){.capture = c, .rounds = c->n == 0 ? 0 : a->loops};
	if (rc != 0 || c->n == 0)
		return rc;
	in->period_ns = capture_period_ns(c);
	if (p->clock == FEED_CAPTURED)
		rc = fit_time(f, in, exact, why);
	f->total = exact ? f->total + c->n * in->rounds : UINT64_MAX;
	return rc;
}

static const struct args_rate *
rate_of(const struct args *a, const char *port)
{
	for (size_t i = 0; i < a->n_rates; i++)
		if (strcmp(a->rate[i].port, port) == 0)
			return &a->rate[i];
	return NULL;
}

static enum feed_clock
clock_of(const struct args *a, const char *port)
{
	if (rate_of(a, port) != NULL)
		return FEED_RATED;
	return a->timing == TIMING_ASIS ? FEED_CAPTURED : FEED_BURSTS;
}

/* One port: the inputs that name it, from *n_inputs on. */
static int
add_port(struct feed *f, const struct args *a, const struct capture *capture, uint16_t port_idx,
	size_t *n_inputs, char *why)
{
	struct feed_port *p = &f->port[f->n_ports];
	const char *name = f->node->port[port_idx]->name;
	int rc = 0;

	*p = (struct feed_port){
		.port = f->node->port[port_idx],
		.port_idx = port_idx,
		.input = &f->input[*n_inputs],
		.clock = clock_of(a, name),
		.rate = rate_of(a, name),
	};
	for (size_t i = 0; rc == 0 && i < a->n_inputs; i++)
		if (strcmp(a->input[i].port, name) == 0)
			rc = add_input(f, a, &capture[i], p, why);
	if (rc == 0 && p->rate != NULL)
		rc = fit_rate(p, a->seconds == 0, why);
	if (rc != 0 || p->n_inputs == 0)
		return rc;
	p->n_queues = feed_queues(f->node, port_idx, p->queue);
	if (p->n_queues == 0)
		return refuse(why,
			"port %s: no worker polls it; name it under runtime.workers, or name no "
			"workers.",
			name);
	*n_inputs += p->n_inputs;
	f->n_ports++;
	return 0;
}

/* Of the captures whose timestamps count. */
static uint64_t
origin_ns(const struct args *a, const struct capture *capture)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < a->n_inputs; i++)
		if (capture[i].n != 0 && clock_of(a, a->input[i].port) == FEED_CAPTURED)
			first = RTE_MIN(first, capture[i].frame[0].ns);
	return first;
}

int
feed_create(const struct args *a, const struct capture *capture, const struct node *n,
	struct feed *ret_feed, char *why)
{
	uint32_t room = rte_pktmbuf_data_room_size(n->pool) - RTE_PKTMBUF_HEADROOM;
	struct feed f = {
		.node = n,
		.port = calloc(n->n_ports, sizeof(*f.port)),
		.input = calloc(a->n_inputs + 1, sizeof(*f.input)),
		.origin_ns = origin_ns(a, capture),
		.segment_len = a->segment_len == 0 ? room : RTE_MIN(a->segment_len, room),
		.burst = (uint16_t)n->conf->burst,
	};
	size_t n_inputs = 0;
	int rc = 0;

	if (f.port == NULL || f.input == NULL) {
		refuse(why, "memory ran out.");
		rc = -ENOMEM;
	}
	for (uint16_t p = 0; rc == 0 && p < n->n_ports; p++)
		rc = add_port(&f, a, capture, p, &n_inputs, why);
	if (rc != 0)
		feed_fini(&f);
	else
		*ret_feed = f;
	return rc;
}

void
feed_fini(struct feed *f)
{
	free(f->port);
	free(f->input);
	f->port = NULL;
	f->input = NULL;
}
