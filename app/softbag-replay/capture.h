/* SPDX-License-Identifier: BSD-3-Clause */
/* A capture file in memory, whole: loops do not read it again. */
#ifndef SOFTBAG_REPLAY_CAPTURE_H
#define SOFTBAG_REPLAY_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

struct frame {
	uint64_t ns; /* since the epoch; never before the frame in front of it */
	size_t offset;
	uint32_t len;
};

struct capture {
	const char *file; /* the caller's */
	uint8_t *data;
	size_t data_len, data_max;
	struct frame *frame;
	size_t n, n_max;
};

#define CAPTURE_WHY_MAX 768u

/*
 * Reads a pcap or pcapng file of Ethernet frames, each of them whole. -EINVAL or -ENOMEM, and one
 * sentence in `why` (CAPTURE_WHY_MAX bytes) that names the file and, where it is one, the frame;
 * then *ret_capture holds nothing.
 */
int capture_load(const char *file, struct capture *ret_capture, char *why);
void capture_fini(struct capture *c);

/* The bytes of a frame. */
static inline const uint8_t *
capture_bytes(const struct capture *c, const struct frame *f)
{
	return c->data + f->offset;
}

/* Nanoseconds after which a loop begins again: the time it spans and one mean gap, at least 1. */
uint64_t capture_period_ns(const struct capture *c);

#endif
