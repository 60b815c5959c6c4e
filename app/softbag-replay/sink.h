/* SPDX-License-Identifier: BSD-3-Clause */
/* What leaves the node's ports: into capture files, or nowhere. */
#ifndef SOFTBAG_REPLAY_SINK_H
#define SOFTBAG_REPLAY_SINK_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctl/node.h"

struct sink {
	const struct node *node;
	const char *dir;    /* NULL: packets are taken and freed */
	const char *prefix; /* of the files' names */
	const bool *skip;   /* by port: somebody else takes its packets; NULL: none */
	pcap_t *format;
	pcap_dumper_t **file; /* by port */
	uint8_t *flat;        /* room for a segmented frame */
	uint32_t flat_len;
	uint64_t taken; /* packets */
	bool failed;    /* and that was said: nothing is written any more */
};

/* Path of a port's file in `dir`. */
void sink_path(const char *dir, const char *prefix, const char *port, char *buf, size_t size);

/*
 * Makes the folder and a file for each port that is not skipped. `dir` may be NULL. -errno, said on
 * stderr.
 */
int sink_open(const struct node *n, const char *dir, const char *prefix, const bool *skip,
	struct sink *ret_sink);

/* Takes all that the ports hold; `now` becomes its timestamp. -errno, said on stderr. */
int sink_turn(struct sink *s, uint64_t now);

/* -errno when what was written did not reach the disk, said on stderr. Takes one that is all 0. */
int sink_close(struct sink *s);

#endif
