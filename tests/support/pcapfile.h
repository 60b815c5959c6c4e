/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures, as frames in memory. */
#ifndef TEST_PCAPFILE_H
#define TEST_PCAPFILE_H

#include <stddef.h>
#include <stdint.h>

struct pcapfile_frame {
	uint8_t *bytes; /* a block of exactly `len` bytes, so that a byte too far is seen */
	size_t len;
};

struct pcapfile {
	size_t n;
	struct pcapfile_frame *frame;
};

/* Reads tests/data/`name`; ends the process when it cannot. */
struct pcapfile pcapfile_load(const char *name);
/* The same of any pcap or pcapng file; frames are what was caught, whatever their link type. */
struct pcapfile pcapfile_load_path(const char *path);
void pcapfile_free(struct pcapfile *f);

/* The path of tests/data/`name`: below $SOFTBAG_ROOT, or the working directory. */
void pcapfile_path(const char *name, char *ret_path, size_t size);

#endif
