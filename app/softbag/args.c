/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line to struct args. Everything else about a node is in its YAML. */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "tele/show.h"

static const char usage[] =
	"usage: softbag -c FILE [-i] [--live] [--seconds N]\n"
	"       softbag -c FILE --check [--explain] [--against FILE]\n"
	"\n"
	"  -c, --config FILE   the node's YAML; with --check it may be given several times\n"
	"      --check         check the files, say what they would need, and end\n"
	"      --explain       the same with the figures of queues and memory and their "
	"arithmetic\n"
	"      --against FILE  with --check: what is different from FILE, and what of that needs\n"
	"                      a restart\n"
	"  -i, --interactive   a console on standard input (help lists its commands)\n"
	"      --live          a table of rates, shares and drops each second\n"
	"      --seconds N     stop after N seconds\n"
	"  -h, --help          this text\n"
	"      --version       softbag's version and DPDK's\n"
	"      --reference     every key of the configuration, as Markdown\n"
	"\n"
	"SIGINT and SIGTERM stop the node cleanly; SIGHUP has it read its file again. Exit\n"
	"status: 0 stopped as asked, 1 it could not run or its numbers do not add up, 2 the\n"
	"command line or a file is wrong.\n";

enum {
	OPT_CHECK = 256,
	OPT_EXPLAIN,
	OPT_AGAINST,
	OPT_LIVE,
	OPT_SECONDS,
	OPT_VERSION,
	OPT_REFERENCE
};

static const struct option options[] = {
	{"config", required_argument, NULL, 'c'},
	{"check", no_argument, NULL, OPT_CHECK},
	{"explain", no_argument, NULL, OPT_EXPLAIN},
	{"against", required_argument, NULL, OPT_AGAINST},
	{"interactive", no_argument, NULL, 'i'},
	{"live", no_argument, NULL, OPT_LIVE},
	{"seconds", required_argument, NULL, OPT_SECONDS},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPT_VERSION},
	{"reference", no_argument, NULL, OPT_REFERENCE},
	{NULL, 0, NULL, 0},
};

static int
wrong(int *ret_status, const char *what, const char *value)
{
	fprintf(stderr, "softbag: %s%s; softbag --help says how.\n", what, value);
	*ret_status = 2;
	return -EINVAL;
}

static bool
parse_seconds(const char *text, unsigned int *ret_seconds)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno != 0 || text[0] < '0' || text[0] > '9' || *end != '\0' || n == 0 || n > 31536000)
		return false;
	*ret_seconds = (unsigned int)n;
	return true;
}

/* One option; 1: goes on, else what args_parse() returns. */
static int
one_option(int opt, struct args *a, int *ret_status)
{
	switch (opt) {
	case 'c':
		if (a->n_files == ARGS_FILES_MAX)
			return wrong(ret_status, "too many files", "");
		a->file[a->n_files++] = optarg;
		return 1;
	case OPT_CHECK:
		a->check = true;
		return 1;
	case OPT_EXPLAIN:
		a->check = a->explain = true;
		return 1;
	case OPT_AGAINST:
		a->check = true;
		a->against = optarg;
		return 1;
	case 'i':
		a->interactive = true;
		return 1;
	case OPT_LIVE:
		a->live = true;
		return 1;
	case OPT_SECONDS:
		if (!parse_seconds(optarg, &a->seconds))
			return wrong(ret_status,
				"--seconds wants a number from 1 to 31536000, not ", optarg);
		return 1;
	case 'h':
		fputs(usage, stdout);
		*ret_status = 0;
		return -ECANCELED;
	case OPT_VERSION:
		show_version(stdout);
		*ret_status = 0;
		return -ECANCELED;
	case OPT_REFERENCE:
		conf_schema_markdown(stdout);
		*ret_status = 0;
		return -ECANCELED;
	default:
		*ret_status = 2; /* getopt has said why */
		return -EINVAL;
	}
}

int
args_parse(int argc, char **argv, struct args *ret_args, int *ret_status)
{
	struct args a = {0};
	int opt;

	while ((opt = getopt_long(argc, argv, "c:ih", options, NULL)) != -1) {
		int rc = one_option(opt, &a, ret_status);

		if (rc != 1)
			return rc;
	}
	if (optind < argc)
		return wrong(ret_status, "no such argument: ", argv[optind]);
	if (a.n_files == 0)
		return wrong(ret_status, "-c FILE is missing", "");
	if (a.n_files > 1 && !a.check)
		return wrong(ret_status, "one node runs one file; several go with --check", "");
	if (a.n_files > 1 && a.against != NULL)
		return wrong(ret_status, "--against compares with one file at a time", "");
	*ret_args = a;
	return 0;
}
