/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the command line. main.c comes before and after. */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_version.h>

#include "base/bits.h"
#include "pkt/burst.h"

#define LOOPS_MAX   UINT64_C(1000000000000) /* a century at 300 loops a second */
#define SECONDS_MAX 1e9

#define SERIES_STEP_NS UINT64_C(1000000)

enum {
	OPT_IN = 256,
	OPT_OUT,
	OPT_LOOP,
	OPT_SECONDS,
	OPT_TIMING,
	OPT_BURST,
	OPT_JSON,
	OPT_SEGMENT_LEN,
	OPT_RATE,
	OPT_SERIES,
	OPT_SERIES_STEP,
	OPT_TOPOLOGY,
	OPT_VERSION,
};

static const struct option options[] = {
	{"config", required_argument, NULL, 'c'},
	{"topology", required_argument, NULL, OPT_TOPOLOGY},
	{"in", required_argument, NULL, OPT_IN},
	{"out", required_argument, NULL, OPT_OUT},
	{"loop", required_argument, NULL, OPT_LOOP},
	{"seconds", required_argument, NULL, OPT_SECONDS},
	{"timing", required_argument, NULL, OPT_TIMING},
	{"burst", required_argument, NULL, OPT_BURST},
	{"json", required_argument, NULL, OPT_JSON},
	{"segment-len", required_argument, NULL, OPT_SEGMENT_LEN},
	{"rate", required_argument, NULL, OPT_RATE},
	{"series", required_argument, NULL, OPT_SERIES},
	{"series-step", required_argument, NULL, OPT_SERIES_STEP},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPT_VERSION},
	{NULL, 0, NULL, 0},
};

static void
print_help(void)
{
	fputs("Usage: softbag-replay -c NODE.yaml --in PORT=FILE.pcap ... [options]\n"
	      "       softbag-replay --topology TOPO.yaml [options]\n"
	      "\n"
	      "Runs the real pipeline of a node over captures, in virtual time and without a "
	      "device: what\n"
	      "it forwards, where to, what it drops and why. The same input gives the same "
	      "output.\n"
	      "\n"
	      "  -c, --config NODE.yaml  the node\n"
	      "  --topology TOPO.yaml    many nodes, the wires between them and what comes in; "
	      "with it\n"
	      "                          --out, --json, --loop, --burst, --segment-len, -v\n"
	      "  --in PORT=FILE          a capture (pcap or pcapng, Ethernet, whole frames) and "
	      "the port it\n"
	      "                          comes in by; as often as you like\n"
	      "  --out DIR               write DIR/PORT.pcap for every port: what left by it\n"
	      "  --json FILE             write the report as JSON; - is stdout, instead of the "
	      "text\n"
	      "  --loop N                play all captures N times (default 1)\n"
	      "  --seconds S             play them again and again for S seconds of wall time\n"
	      "  --timing max|asis       max (default): a burst from each port every microsecond "
	      "of virtual\n"
	      "                          time; asis: as the captures' timestamps say\n"
	      "  --rate PORT=RATE        the port's frames at 20Gbit or 3Mpps instead; as often as "
	      "you like\n"
	      "  --series FILE.csv       write backlog, marks and pauses of the queues over time\n"
	      "  --series-step TIME      from a row to the next (default 1ms)\n"
	      "  --burst N               packets a poll takes at most, 1 to 64 (default: the "
	      "node's)\n"
	      "  --segment-len N         hand frames over in segments of N bytes\n"
	      "  -v, --verbose           say what is done instead of what was asked\n"
	      "  -h, --help              this\n"
	      "  --version               the version\n",
		stdout);
}

enum args_verdict
args_wrong(const char *format, ...)
{
	va_list list;

	fputs("softbag-replay: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputs("\n", stderr);
	return ARGS_WRONG;
}

/* A plain decimal number in [low, high]. */
static bool
read_number(const char *text, uint64_t low, uint64_t high, uint64_t *ret)
{
	char *end;
	uint64_t n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end != '\0' || errno != 0 || n < low || n > high)
		return false;
	*ret = n;
	return true;
}

static enum args_verdict
read_u16(const char *option, uint16_t high, uint16_t *ret)
{
	uint64_t n;

	if (!read_number(optarg, 1, high, &n))
		return args_wrong(
			"--%s: got '%s', want a number from 1 to %u.", option, optarg, high);
	*ret = (uint16_t)n;
	return ARGS_RUN;
}

static enum args_verdict
read_input(struct args *a)
{
	const char *equals = strchr(optarg, '=');
	struct args_input *in = &a->input[a->n_inputs];

	if (equals == NULL || equals == optarg || equals[1] == '\0' ||
		equals - optarg >= (ptrdiff_t)sizeof(in->port))
		return args_wrong(
			"--in: got '%s', want PORT=FILE, such as nsf0=traffic.pcap.", optarg);
	if (a->n_inputs == ARGS_INPUTS_MAX)
		return args_wrong(
			"--in: more than %u captures; join some with mergecap.", ARGS_INPUTS_MAX);
	memcpy(in->port, optarg, (size_t)(equals - optarg));
	in->port[equals - optarg] = '\0';
	in->file = equals + 1;
	a->n_inputs++;
	return ARGS_RUN;
}

static enum args_verdict
read_loops(struct args *a)
{
	if (!read_number(optarg, 1, LOOPS_MAX, &a->loops))
		return args_wrong("--loop: got '%s', want a number from 1 to %" PRIu64 ".", optarg,
			LOOPS_MAX);
	return ARGS_RUN;
}

static enum args_verdict
read_seconds(struct args *a)
{
	char *end;
	double s = strtod(optarg, &end);

	if (optarg[0] < '0' || optarg[0] > '9' || *end != '\0' || !(s > 0 && s <= SECONDS_MAX))
		return args_wrong(
			"--seconds: got '%s', want a number above 0, such as 10 or 0.5.", optarg);
	a->seconds = s;
	return ARGS_RUN;
}

static enum args_verdict
read_timing(struct args *a)
{
	a->has_timing = true;
	if (strcmp(optarg, "max") == 0)
		a->timing = TIMING_MAX;
	else if (strcmp(optarg, "asis") == 0)
		a->timing = TIMING_ASIS;
	else
		return args_wrong("--timing: got '%s', want max or asis.", optarg);
	return ARGS_RUN;
}

static enum args_verdict
print_version(void)
{
	printf("softbag-replay %s, %s\n", SOFTBAG_VERSION, rte_version());
	return ARGS_DONE;
}

/* getopt_long() moves on after a long option, and stays in a word of short ones. */
static enum args_verdict
unknown(const char *word)
{
	if (optopt > 0 && optopt < OPT_IN && strncmp(word, "--", 2) != 0)
		return args_wrong("-%c: there is no such option; see --help.", optopt);
	return args_wrong("%s: there is no such option; see --help.", word);
}

static enum args_verdict
read_option(int option, struct args *a, char **argv)
{
	switch (option) {
	case 'c':
		a->conf = optarg;
		return ARGS_RUN;
	case OPT_TOPOLOGY:
		a->topology = optarg;
		return ARGS_RUN;
	case OPT_IN:
		return read_input(a);
	case OPT_OUT:
		a->out_dir = optarg;
		return ARGS_RUN;
	case OPT_JSON:
		a->json = optarg;
		return ARGS_RUN;
	case OPT_LOOP:
		return read_loops(a);
	case OPT_SECONDS:
		return read_seconds(a);
	case OPT_TIMING:
		return read_timing(a);
	case OPT_BURST:
		return read_u16("burst", BURST_MAX, &a->burst);
	case OPT_SEGMENT_LEN:
		return read_u16("segment-len", UINT16_MAX, &a->segment_len);
	case OPT_RATE:
		return args_rate(optarg, a);
	case OPT_SERIES:
		a->series = optarg;
		return ARGS_RUN;
	case OPT_SERIES_STEP:
		return args_series_step(optarg, a);
	case 'v':
		a->verbose = true;
		return ARGS_RUN;
	case 'h':
		print_help();
		return ARGS_DONE;
	case OPT_VERSION:
		return print_version();
	case ':':
		return args_wrong("%s: its value is missing; see --help.", argv[optind - 1]);
	default:
		return unknown(argv[optind - 1]);
	}
}

/* A topology says itself what comes in and when. */
static enum args_verdict
check_topology(const struct args *a)
{
	const struct {
		bool given;
		const char *option;
	} alone[] = {{a->conf != NULL, "-c"}, {a->n_inputs != 0, "--in"},
		{a->n_rates != 0, "--rate"}, {a->has_timing, "--timing"},
		{a->seconds > 0, "--seconds"}, {a->series != NULL, "--series"},
		{a->series_ns != 0, "--series-step"}};

	for (size_t i = 0; i < BITS_ARRAY_LEN(alone); i++)
		if (alone[i].given)
			return args_wrong(
				"--topology and %s exclude each other; give one.", alone[i].option);
	if (a->topology[0] == '\0')
		return args_wrong("--topology names no file.");
	return ARGS_RUN;
}

/* What only shows when all options are known. */
static enum args_verdict
check(struct args *a, int argc, char **argv)
{
	if (optind < argc)
		return args_wrong(
			"'%s' stands alone; captures are given as --in PORT=FILE.", argv[optind]);
	if (a->topology != NULL && check_topology(a) != ARGS_RUN)
		return ARGS_WRONG;
	if (a->conf == NULL && a->topology == NULL)
		return args_wrong("no node is given; want -c NODE.yaml.");
	if (a->n_inputs == 0 && a->topology == NULL)
		return args_wrong("no capture is given; want --in PORT=FILE.");
	if (a->loops != 0 && a->seconds > 0)
		return args_wrong("--loop and --seconds exclude each other; give one.");
	if (a->loops == 0)
		a->loops = a->seconds > 0 ? LOOPS_MAX : 1;
	if (a->out_dir != NULL && a->out_dir[0] == '\0')
		return args_wrong("--out names no folder.");
	if (a->json != NULL && a->json[0] == '\0')
		return args_wrong("--json names no file; - is standard output.");
	a->json_only = a->json != NULL && strcmp(a->json, "-") == 0;
	if (a->series != NULL && (a->series[0] == '\0' || strcmp(a->series, "-") == 0))
		return args_wrong("--series: got '%s', want the name of a file.", a->series);
	if (a->series == NULL && a->series_ns != 0)
		return args_wrong("--series-step is for --series FILE.csv; give that, too.");
	if (a->series_ns == 0)
		a->series_ns = SERIES_STEP_NS;
	return args_check_rates(a);
}

enum args_verdict
args_read(int argc, char **argv, struct args *ret_args)
{
	struct args *a = ret_args;
	enum args_verdict verdict = ARGS_RUN;
	int option;

	memset(a, 0, sizeof(*a));
	opterr = 0;
	while (verdict == ARGS_RUN &&
		(option = getopt_long(argc, argv, ":c:vh", options, NULL)) != -1)
		verdict = read_option(option, a, argv);
	return verdict == ARGS_RUN ? check(a, argc, argv) : verdict;
}
