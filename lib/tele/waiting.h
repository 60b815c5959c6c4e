/* SPDX-License-Identifier: BSD-3-Clause */
/* What waits at a port, of all workers, as of about now. Inside lib/tele only. */
#ifndef TELE_WAITING_H
#define TELE_WAITING_H

#include <stdbool.h>

#include "ctl/node.h"

struct waiting {
	uint64_t packets, bytes;
	uint64_t peak; /* the most bytes that there were; 0 for a delay line */
};

/* In the queues of a class; in those of all classes (its peak is 0); in the delay line. */
struct waiting waiting_class(const struct node *n, size_t port, unsigned int class);
struct waiting waiting_port(const struct node *n, size_t port);
struct waiting waiting_line(const struct node *n, size_t port);

/* The class is one that tables show where nobody asks for all: named, the default, or in use. */
bool waiting_is_shown(const struct node *n, size_t port, unsigned int class);

/* Classes of the port that its neighbour pauses now, a bit each. */
uint8_t waiting_paused(const struct node *n, size_t port);

/* `3,4` for a mask of classes, `-` for none; `buf` holds at least 20 bytes; returns it. */
const char *classes_text(uint8_t mask, char *buf, size_t size);

#endif
