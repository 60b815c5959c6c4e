/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of softbag-replay. */
#ifndef SOFTBAG_REPLAY_ARGS_H
#define SOFTBAG_REPLAY_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARGS_INPUTS_MAX 256u

/* Of the ports that have no rate. */
enum timing {
	TIMING_MAX,  /* a burst from each port every microsecond */
	TIMING_ASIS, /* as captured */
};

struct args_input {
	char port[64];
	const char *file;
};

/* The captures of a port at a rate of their own. */
struct args_rate {
	char port[64];
	uint64_t per_s; /* packets, or bits on the wire: preamble, FCS and gap too */
	bool packets;
};

struct args {
	const char *conf;
	const char *topology; /* many nodes instead of `conf`; then inputs and rates are its own */
	struct args_input input[ARGS_INPUTS_MAX];
	size_t n_inputs;
	struct args_rate rate[ARGS_INPUTS_MAX]; /* of ports that have a capture, each once */
	size_t n_rates;
	const char *out_dir; /* NULL: what leaves is only counted */
	const char *json;    /* NULL: none; "-": stdout */
	const char *series;  /* NULL: none */
	uint64_t series_ns;  /* from a row of a queue to its next */
	uint64_t loops;      /* at least 1 */
	double seconds;      /* of wall time; 0: loops decide */
	enum timing timing;
	bool has_timing;      /* it was given */
	uint16_t burst;       /* 0: the configuration's */
	uint16_t segment_len; /* 0: frames stay whole where a buffer holds them */
	bool verbose;
	bool json_only; /* json is "-" */
};

/* What main() returns but for EXIT_SUCCESS. */
enum {
	EXIT_FAILED = 1,
	EXIT_WRONG = 2,
};

enum args_verdict {
	ARGS_RUN,
	ARGS_DONE,  /* --help or --version was printed */
	ARGS_WRONG, /* one sentence on stderr */
};

/* Strings stay those of argv. */
enum args_verdict args_read(int argc, char **argv, struct args *ret_args);

/* The rest is args.c's own: says what is wrong; reads one option; holds rates to captures. */
enum args_verdict args_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum args_verdict args_rate(const char *text, struct args *a);
enum args_verdict args_series_step(const char *text, struct args *a);
enum args_verdict args_check_rates(const struct args *a);

#endif
