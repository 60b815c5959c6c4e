/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of softbag-replay. */
#ifndef SOFTBAG_REPLAY_ARGS_H
#define SOFTBAG_REPLAY_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARGS_INPUTS_MAX 256u

enum timing {
	TIMING_MAX,  /* a burst from each port in every turn; a turn is 1 us */
	TIMING_ASIS, /* as captured */
};

struct args_input {
	char port[64];
	const char *file;
};

struct args {
	const char *conf;
	struct args_input input[ARGS_INPUTS_MAX];
	size_t n_inputs;
	const char *out_dir; /* NULL: what leaves is only counted */
	const char *json;    /* NULL: none; "-": stdout */
	uint64_t loops;      /* at least 1 */
	double seconds;      /* of wall time; 0: loops decide */
	enum timing timing;
	uint16_t burst;       /* 0: the configuration's */
	uint16_t segment_len; /* 0: frames stay whole where a buffer holds them */
	bool verbose;
	bool json_only; /* json is "-" */
};

enum args_verdict {
	ARGS_RUN,
	ARGS_DONE,  /* --help or --version was printed */
	ARGS_WRONG, /* one sentence on stderr */
};

/* Strings stay those of argv. */
enum args_verdict args_read(int argc, char **argv, struct args *ret_args);

#endif
