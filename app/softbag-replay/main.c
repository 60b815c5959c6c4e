/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * softbag-replay: captures through the real pipeline, in virtual time. Exit status: 0; 2 when what
 * was given is wrong (nothing is written then); 1 when anything else fails.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "base/bits.h"
#include "base/cpu.h"
#include "ctl/eal.h"
#include "inputs.h"
#include "json_file.h"
#include "lab_main.h"
#include "paths.h"
#include "run.h"
#include "tele/output.h"

static volatile sig_atomic_t interrupted;

static void
on_signal(int signum)
{
	(void)signum;
	interrupted = 1;
}

/* The first one ends the run, which still reports; the second ends the program. */
static void
catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void
say(void *ctx, enum node_severity severity, const char *sentence)
{
	const struct args *a = ctx;

	if (severity == NODE_ERROR || a->verbose)
		fprintf(stderr, "softbag-replay: %s\n", sentence);
}

static int
load_conf(const struct args *a, struct conf **ret_conf)
{
	struct conf_errors errors;
	int rc = conf_load(a->conf, ret_conf, &errors);

	if (rc != 0)
		conf_errors_print(&errors, a->conf, stderr);
	conf_errors_fini(&errors);
	if (rc == 0 && a->burst != 0)
		(*ret_conf)->burst = a->burst;
	return rc;
}

static int
check_ports(const struct args *a, const struct conf *c)
{
	for (size_t i = 0; i < a->n_inputs; i++) {
		if (conf_port_by_name(c, a->input[i].port) >= 0)
			continue;
		fprintf(stderr, "softbag-replay: --in %s=%s: %s has no port %s; it has",
			a->input[i].port, a->input[i].file, a->conf, a->input[i].port);
		for (size_t p = 0; p < c->n_ports; p++)
			fprintf(stderr, "%s %s", p == 0 ? "" : ",", c->port[p].name);
		fputs(".\n", stderr);
		return -EINVAL;
	}
	return 0;
}

static int
check_output(const struct args *a, const char *path)
{
	const char *read[ARGS_INPUTS_MAX + 1] = {a->conf};

	for (size_t i = 0; i < a->n_inputs; i++)
		read[i + 1] = a->input[i].file;
	return path_check_output(path, read, a->n_inputs + 1);
}

/* Nothing that is written overwrites what is read, or what else is written. */
static int
check_outputs(const struct args *a, const struct conf *c)
{
	struct {
		const char *option, *path;
	} file[] = {{"--json", a->json_only ? NULL : a->json}, {"--series", a->series}};
	char path[PATH_MAX + 64];

	for (unsigned int i = 0; i < BITS_ARRAY_LEN(file); i++)
		if (file[i].path != NULL && check_output(a, file[i].path) != 0)
			return -EINVAL;
	if (file[0].path != NULL && file[1].path != NULL && path_same(file[0].path, file[1].path)) {
		fprintf(stderr,
			"softbag-replay: --json and --series name one file, %s; give two.\n",
			a->json);
		return -EINVAL;
	}
	for (size_t p = 0; a->out_dir != NULL && p < c->n_ports; p++) {
		sink_path(a->out_dir, "", c->port[p].name, path, sizeof(path));
		if (check_output(a, path) != 0)
			return -EINVAL;
		for (unsigned int i = 0; i < BITS_ARRAY_LEN(file); i++) {
			if (file[i].path == NULL || !path_same(file[i].path, path))
				continue;
			fprintf(stderr,
				"softbag-replay: %s %s is what port %s writes; give it another "
				"name.\n",
				file[i].option, file[i].path, c->port[p].name);
			return -EINVAL;
		}
	}
	return 0;
}

/* There are no neighbours to ask: who reads the output should know where its MACs come from. */
static void
say_made_up_macs(const struct node *n)
{
	unsigned int members = account_made_up_macs(n);

	if (members != 0)
		fprintf(stderr,
			"softbag-replay: %u group members have no mac; theirs are made up from "
			"their via addresses.\n",
			members);
}

static int
write_json(const struct args *a, const struct run *r, FILE *f)
{
	struct report_run report;

	run_report(r, &report);
	return json_close(a, f, report_json(r->node, &report, f));
}

/* With everything open: the run and its reports. */
static int
run_and_report(struct run *r, FILE *json)
{
	struct report_run report;
	int rc, finished;

	catch_signals();
	rc = run_turns(r);
	finished = run_finish(r);
	rc = rc != 0 ? rc : finished;
	finished = series_close(&r->series, r->now);
	rc = rc != 0 ? rc : finished;
	if (sink_close(&r->sink) != 0 || r->sink.failed) {
		fprintf(stderr,
			"softbag-replay: the captures in %s are not whole, so there is no report; "
			"give --out a place with room.\n",
			r->args->out_dir);
		json_discard(r->args, json);
		return -EIO;
	}
	if (!r->args->json_only) {
		run_report(r, &report);
		report_text(r->node, &report, stdout);
	}
	if (json != NULL && write_json(r->args, r, json) != 0 && rc == 0)
		rc = -EIO;
	return rc;
}

static int
open_and_run(struct run *r)
{
	FILE *json = NULL;
	int rc = sink_open(r->node, r->args->out_dir, "", NULL, &r->sink);

	if (rc == 0 && r->args->json != NULL) {
		json = json_open(r->args);
		rc = json == NULL ? -EIO : 0;
	}
	if (rc == 0)
		rc = series_open(r->node, r->args->series, r->args->series_ns, &r->series);
	if (rc == 0)
		rc = run_and_report(r, json);
	else
		json_discard(r->args, json);
	series_close(&r->series, r->now);
	sink_close(&r->sink);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILED;
}

/*
 * What may leave by one port in a turn: each worker's full buffer and a pause frame. A ring that is
 * shorter would make frames late.
 */
static uint32_t
ring_depth(const struct conf *conf)
{
	uint32_t n_workers = RTE_MAX((uint32_t)conf->n_workers, 1u);

	return rte_align32pow2(n_workers * (WORKER_TX_MAX + 1) + 1);
}

static int
with_node(struct args *a, struct conf *conf, const struct capture *capture)
{
	struct run r = {.args = a, .interrupted = &interrupted};
	struct node_env env = {
		.clock = clock_manual(&r.now, 1000000000),
		.log = {.say = say, .ctx = a},
		.replay = true,
		.replay_depth = ring_depth(conf),
	};
	char why[CAPTURE_WHY_MAX];
	int status;

	if (node_create(conf, &env, &r.node) != 0)
		return EXIT_FAILED;
	say_made_up_macs(r.node);
	if (a->series != NULL && !series_has_rows(r.node)) {
		fprintf(stderr,
			"softbag-replay: --series: no port of %s has queues; give one a rate, "
			"marking, a delay or pauses.\n",
			a->conf);
		status = EXIT_WRONG;
	} else if (feed_create(a, capture, r.node, &r.feed, why) == 0) {
		status = open_and_run(&r);
		feed_fini(&r.feed);
	} else {
		fprintf(stderr, "softbag-replay: %s\n", why);
		status = EXIT_WRONG;
	}
	/* says so when packets are missing */
	if (node_free(r.node) != 0 && status == EXIT_SUCCESS)
		status = EXIT_FAILED;
	return status;
}

static int
with_conf(struct args *a, struct conf *conf)
{
	struct node_log log = {.say = say, .ctx = a};
	struct capture *capture;
	int status = EXIT_FAILED;

	if (check_ports(a, conf) != 0 || check_outputs(a, conf) != 0)
		return EXIT_WRONG;
	capture = captures_load(a);
	if (capture == NULL)
		return EXIT_WRONG;
	if (eal_start(conf, true, &log) == 0) {
		status = with_node(a, conf, capture);
		eal_stop();
	}
	captures_free(capture, a->n_inputs);
	return status;
}

static int
run_what_was_asked(struct args *a)
{
	struct conf *conf = NULL;
	int status;

	if (a->topology != NULL) {
		catch_signals();
		return lab_main(a, &interrupted);
	}
	status = load_conf(a, &conf) != 0 ? EXIT_WRONG : with_conf(a, conf);
	conf_free(conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct args *a = malloc(sizeof(*a));
	int status = EXIT_FAILED;

	if (cpu_lacks() != NULL) {
		fprintf(stderr,
			"softbag-replay: this build wants a CPU with %s; build it with meson's "
			"-Dmarch=x86-64-v2.\n",
			cpu_lacks());
		free(a);
		return status;
	}
	if (a == NULL)
		return status;
	switch (args_read(argc, argv, a)) {
	case ARGS_DONE:
		status = EXIT_SUCCESS;
		break;
	case ARGS_WRONG:
		status = EXIT_WRONG;
		break;
	case ARGS_RUN:
		status = run_what_was_asked(a);
		break;
	}
	free(a);
	if (output_is_lost(stdout)) {
		fputs("softbag-replay: standard output takes no more.\n", stderr);
		status = status == EXIT_SUCCESS ? EXIT_FAILED : status;
	}
	return status;
}
