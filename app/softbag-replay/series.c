/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues over time. run.c calls it each turn; docs/replay.md has the columns. */
#include "series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STILL_STEPS 1000u

bool
series_has_rows(const struct node *n)
{
	for (size_t p = 0; p < n->n_ports; p++)
		if (n->policy[p].queued)
			return true;
	return false;
}

static int
say_errno(const struct series *s, int error)
{
	fprintf(stderr, "softbag-replay: %s: %s.\n", s->path, strerror(error));
	return -error;
}

int
series_open(const struct node *n, const char *path, uint64_t step_ns, struct series *ret_series)
{
	struct series *s = ret_series;

	*s = (struct series){.node = n, .path = path, .step_ns = step_ns, .next_ns = step_ns};
	if (path == NULL)
		return 0;
	s->before = calloc(n->n_ports, sizeof(*s->before));
	s->seen = calloc(n->n_ports, sizeof(*s->seen));
	if (s->before == NULL || s->seen == NULL)
		return say_errno(s, ENOMEM);
	s->file = fopen(path, "w");
	if (s->file == NULL)
		return say_errno(s, errno);
	fputs("time_ms,port,class,backlog_bytes,held_bytes,ce_marked,dropped,pfc_in,pfc_out,paused,"
	      "out_packets,out_bytes,kmin_bytes,kmax_bytes\n",
		s->file);
	return 0;
}

static struct series_count
count_now(const struct node *n, size_t port, unsigned int class)
{
	const struct egress_commons *commons = &n->shared.commons[port];
	struct series_count sum = {
		.pfc_in = commons->pfc_class_in[class],
		.pfc_out = commons->pfc_class_out[class],
	};

	for (unsigned int i = 0; i < n->n_workers; i++) {
		const struct queue_count *c = &n->worker[i]->queue[port].count[class];

		sum.packets += c->packets;
		sum.bytes += c->bytes;
		sum.dropped += c->dropped;
		sum.ce_marked += c->ce_marked;
	}
	return sum;
}

static bool
is_seen(struct series *s, size_t port, unsigned int class, const struct series_count *now)
{
	if (now->pfc_in + now->pfc_out != 0)
		s->seen[port] |= (uint8_t)(1u << class);
	for (unsigned int i = 0; i < s->node->n_workers; i++)
		s->seen[port] |= s->node->worker[i]->queue[port].used;
	return s->seen[port] >> class & 1;
}

/* As many digits behind the point as it takes. */
static void
write_time(FILE *f, uint64_t ns)
{
	uint64_t part = ns % 1000000;
	int digits = 6;

	fprintf(f, "%" PRIu64, ns / 1000000);
	if (part == 0)
		return;
	for (; part % 10 == 0; part /= 10)
		digits--;
	fprintf(f, ".%0*" PRIu64, digits, part);
}

static void
write_row(struct series *s, uint64_t ns, size_t port, unsigned int class)
{
	const struct egress_commons *commons = &s->node->shared.commons[port];
	const struct egress_policy *policy = &s->node->policy[port];
	const struct qos_red *mark = &policy->class_[class].mark;
	struct series_count now = count_now(s->node, port, class), *was = &s->before[port][class];
	uint8_t paused;
	int64_t held = __atomic_load_n(&commons->xoff[class].held, __ATOMIC_RELAXED);

	if (!is_seen(s, port, class, &now))
		return;
	paused = policy->pfc &
		 qos_pause_mask(&commons->pause, ps_from_ticks(&s->node->worker[0]->timebase, ns));
	write_time(s->file, ns);
	fprintf(s->file,
		",%s,%u,%" PRIu64 ",%" PRIi64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%d,%" PRIu64 ",%" PRIu64 ",",
		s->node->port[port]->name, class, egress_backlog(commons, class), held,
		now.ce_marked - was->ce_marked, now.dropped - was->dropped,
		now.pfc_in - was->pfc_in, now.pfc_out - was->pfc_out, paused >> class & 1,
		now.packets - was->packets, now.bytes - was->bytes);
	if (policy->class_[class].ecn && mark->kmax != 0 && mark->kmax != UINT64_MAX)
		fprintf(s->file, "%" PRIu64 ",%" PRIu64, mark->kmin, mark->kmax);
	else
		fputc(',', s->file);
	fputc('\n', s->file);
	*was = now;
}

static void
write_rows(struct series *s, uint64_t ns)
{
	for (size_t p = 0; p < s->node->n_ports; p++)
		for (unsigned int c = 0; s->node->policy[p].queued && c < DP_CLASSES; c++)
			write_row(s, ns, p, c);
	s->last_ns = ns;
}

void
series_until(struct series *s, uint64_t next_ns)
{
	while (s->file != NULL && s->next_ns < next_ns) {
		uint64_t steps = (next_ns - 1 - s->next_ns) / s->step_ns;

		write_rows(s, s->next_ns);
		s->next_ns += (steps > STILL_STEPS ? steps : 1) * s->step_ns;
	}
}

int
series_close(struct series *s, uint64_t now)
{
	int rc = 0;

	if (s->file != NULL) {
		bool bad;

		write_rows(s, now);
		errno = 0;
		bad = fflush(s->file) != 0 || ferror(s->file);
		bad |= fclose(s->file) != 0;
		if (bad)
			rc = say_errno(s, errno == 0 ? EIO : errno);
	}
	free(s->before);
	free(s->seen);
	s->file = NULL;
	s->before = NULL;
	s->seen = NULL;
	return rc;
}
