/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control thread's loop: signals, console, live view, and the node's own housekeeping. The node
 * itself is lib/ctl's.
 */
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "console/console.h"
#include "ctl/eal.h"
#include "live.h"
#include "log.h"
#include "tele/show.h"

struct run {
	const struct args *args;
	struct node *node;
	struct console *console;
	struct live live;
	struct show_base base; /* of the live view */
	uint64_t start_tsc;
	int signal_fd;
	int terminal; /* a stream that is one, or -1 */
	bool stop;
};

/* SIGINT, SIGTERM and SIGHUP become readable; threads made from here on inherit the mask. */
static int
open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
find_terminal(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			return fd;
	return -1;
}

/*
 * SIGHUP has two senders. One that wants the file read again; and the system, when the terminal
 * that the node was started on is gone: then it stops, so that interfaces get back what was
 * changed.
 */
static void
hang_up(struct run *r)
{
	if (r->terminal >= 0 && !isatty(r->terminal)) {
		r->stop = true;
		return;
	}
	fprintf(stderr, "softbag: SIGHUP: %s is read again.\n", r->live.file);
	live_reload(&r->live, 0, stderr);
}

static void
read_signals(struct run *r)
{
	struct signalfd_siginfo s;

	while (!r->stop && read(r->signal_fd, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo == SIGHUP)
			hang_up(r);
		else
			r->stop = true;
	}
}

/* Waits for a signal or a key, as long as nothing else has to be done. */
static void
wait_for_people(struct run *r, int timeout_ms)
{
	struct pollfd fds[2] = {{.fd = r->signal_fd, .events = POLLIN},
		{.fd = r->console != NULL ? STDIN_FILENO : -1, .events = POLLIN}};

	if (poll(fds, 2, timeout_ms) <= 0)
		return;
	if (fds[0].revents != 0)
		read_signals(r);
	if (fds[1].revents != 0 && console_read(r->console) != 0)
		r->stop = true;
}

static void
live_view(struct run *r, uint64_t now)
{
	uint64_t hz = r->node->env.clock.hz;

	if (now - r->base.tsc < hz)
		return;
	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout);
	printf("softbag %s  %.0f s\n\n", r->node->conf->node_name,
		(double)(now - r->start_tsc) / (double)hz);
	show_live(r->node, &r->base, now, stdout);
	fputc('\n', stdout);
	fflush(stdout);
	show_base_take(&r->base, r->node, now);
}

static void
loop(struct run *r)
{
	struct node *n = r->node;
	uint64_t limit = (uint64_t)r->args->seconds * n->env.clock.hz;

	while (!r->stop) {
		uint64_t now = clock_now(&n->env.clock);
		bool busy = node_poll(n, now);

		live_poll(&r->live, now);

		if (r->args->live)
			live_view(r, now);
		if (limit != 0 && now - r->start_tsc >= limit)
			break;
		wait_for_people(r, busy ? 0 : (int)NODE_POLL_MS);
	}
}

static int
run_started(struct run *r)
{
	int rc = node_start(r->node);

	if (rc != 0)
		return rc;
	r->start_tsc = r->base.tsc = clock_now(&r->node->env.clock);
	fprintf(stderr, "softbag: node %s runs: %zu ports, %u worker%s.\n",
		r->node->conf->node_name, r->node->n_ports, r->node->n_workers,
		r->node->n_workers == 1 ? "" : "s");
	if (r->args->interactive)
		rc = console_create(r->node, &r->live, &r->console);
	if (rc == 0)
		loop(r);
	node_stop(r->node);
	console_free(r->console);
	return rc;
}

static int
run_with_eal(struct run *r, struct conf *conf, const struct node_log *log)
{
	struct node_env env = {.clock = clock_tsc(rte_get_tsc_hz()), .log = *log};
	int rc = node_create(conf, &env, &r->node);

	if (rc != 0) {
		conf_free(conf);
		return 1;
	}
	live_init(&r->live, r->node, conf, r->args->file[0]);
	rc = show_base_init(&r->base, r->node);
	if (rc == 0)
		rc = run_started(r);
	if (rc == 0) {
		show_drops(r->node, NULL, stdout);
		if (!show_sum(r->node, stdout)) {
			fputs("softbag: error: the numbers do not add up.\n", stderr);
			rc = -EPROTO;
		}
	}
	show_base_fini(&r->base);
	if (node_free(r->node) != 0)
		rc = -EPROTO;
	live_fini(&r->live);
	return rc == 0 ? 0 : 1;
}

int
run_node(struct conf *conf, const struct args *args)
{
	struct node_log log = log_stderr();
	struct run r = {.args = args, .signal_fd = open_signals(), .terminal = find_terminal()};
	int status;

	if (r.signal_fd < 0) {
		fprintf(stderr, "softbag: error: signals cannot be caught: %s.\n",
			strerror(-r.signal_fd));
		conf_free(conf);
		return 1;
	}
	if (node_check(conf, &log, NULL) != 0 || eal_start(conf, false, &log) != 0) {
		close(r.signal_fd);
		conf_free(conf);
		return 1;
	}
	status = run_with_eal(&r, conf, &log);
	eal_stop();
	close(r.signal_fd);
	return status;
}
