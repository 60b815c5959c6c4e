/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet numbers counted by the words of RFC 4737, dully: every packet is kept, and each sum is
 * taken over all of them at the end. It shares nothing with lib/flow/psn.c but the window's size
 * and what a run of late packets is.
 */
#ifndef TEST_PSN_MODEL_H
#define TEST_PSN_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "flow/psn.h"

#define MODEL_MAX   4096u /* packets of a run */
#define MODEL_SPACE 16384 /* numbers around the first one */

struct model_packet {
	int64_t number; /* without the wrap */
	bool late, repeat;
};

struct model {
	struct model_packet packet[MODEL_MAX];
	unsigned int n;
	int64_t next;
	bool came[MODEL_SPACE], skipped[MODEL_SPACE];
};

static inline void
model_take(struct model *m, int64_t number)
{
	struct model_packet *p = &m->packet[m->n];

	*p = (struct model_packet){.number = number};
	if (m->n++ == 0)
		m->next = number;
	if (number >= m->next) {
		for (; m->next < number; m->next++)
			m->skipped[m->next] = true;
		m->next = number + 1;
	} else {
		p->repeat = m->came[number] || m->next - number > (int64_t)PSN_WINDOW;
		p->late = !p->repeat;
	}
	if (!p->repeat)
		m->came[number] = true;
}

/* RFC 4737 section 4.2: how many packets of the stream since the first with a higher number. */
static inline uint32_t
model_extent(const struct model *m, unsigned int i)
{
	uint32_t since = 0;
	bool overtaken = false;

	for (unsigned int j = 0; j < i; j++) {
		overtaken |= !m->packet[j].repeat && m->packet[j].number > m->packet[i].number;
		since += overtaken && !m->packet[j].repeat;
	}
	return since;
}

/* The run of late packets up to `end` is followed by a number behind it that came before. */
static inline bool
model_again(const struct model *m, unsigned int end)
{
	return end < m->n && m->packet[end].repeat &&
	       m->packet[end].number > m->packet[end - 1].number;
}

static inline void
model_late_run(const struct model *m, unsigned int i, unsigned int end, struct psn_stats *s)
{
	for (unsigned int k = i; k < end; k++) {
		uint32_t extent = model_extent(m, k), bin = 0;

		if (model_again(m, end)) {
			s->repeated++;
			s->lost += m->skipped[m->packet[k].number];
			continue;
		}
		while (bin < PSN_EXTENTS - 1 && extent > 1u << bin)
			bin++;
		s->reordered++;
		s->extent_sum += extent;
		s->extent_max = extent > s->extent_max ? extent : s->extent_max;
		s->extent[bin]++;
	}
}

static inline void
model_read(const struct model *m, struct psn_stats *s)
{
	memset(s, 0, sizeof(*s));
	for (int64_t k = 0; k < MODEL_SPACE; k++)
		s->lost += m->skipped[k] && !m->came[k];
	for (unsigned int i = 0; i < m->n;) {
		unsigned int end = i;

		while (end < m->n && m->packet[end].late &&
			(end == i || m->packet[end].number == m->packet[end - 1].number + 1))
			end++;
		model_late_run(m, i, end, s);
		s->repeated += end == i && m->packet[i].repeat;
		i = end == i ? i + 1 : end;
	}
}

#endif
