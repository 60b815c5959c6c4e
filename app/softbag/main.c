/* SPDX-License-Identifier: BSD-3-Clause */
/* softbag: runs one BAG node from one YAML file. */
#include "args.h"
#include "check.h"
#include "run.h"

int
main(int argc, char **argv)
{
	struct args args;
	struct conf *conf;
	int status;

	if (args_parse(argc, argv, &args, &status) != 0)
		return status;
	if (args.check)
		return check_files(&args);
	conf = check_load(args.file[0]);
	if (conf == NULL)
		return 2;
	status = run_node(conf, &args);
	conf_free(conf);
	return status;
}
