/* SPDX-License-Identifier: BSD-3-Clause */
/* softbag: runs one BAG node from one YAML file. */
#include <stdio.h>

#include "args.h"
#include "base/cpu.h"
#include "check.h"
#include "run.h"
#include "tele/output.h"

/* What was printed must have got there: a full disk is a failure. */
static int
written(int status)
{
	if (!output_is_lost(stdout))
		return status;
	fputs("softbag: error: standard output takes no more.\n", stderr);
	return status == 0 ? 1 : status;
}

int
main(int argc, char **argv)
{
	struct args args;
	struct conf *conf;
	int status;

	if (cpu_lacks() != NULL) {
		fprintf(stderr,
			"softbag: this build wants a CPU with %s; build it with meson's "
			"-Dmarch=x86-64-v2.\n",
			cpu_lacks());
		return 1;
	}
	if (args_parse(argc, argv, &args, &status) != 0)
		return written(status);
	if (args.check)
		return written(check_files(&args));
	conf = check_load(args.file[0]);
	if (conf == NULL)
		return 2;
	return written(run_node(conf, &args));
}
