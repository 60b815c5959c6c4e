/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands. What they print is lib/tele's. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "conf/diff.h"
#include "conf/value.h"
#include "console/command.h"
#include "tele/table.h"

#define CONFIRM_MAX  86400u /* a day */
#define QPS_SHOWN    20u
#define QPS_MAX      10000u
#define ROUTES_SHOWN 1000u /* a screenful of scrolling; `show fib` counts the rest */

static void
cmd_show_port(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_port(ctx->node, &ctx->base, out);
}

static void
cmd_show_group(struct command_ctx *ctx, const char *arg, FILE *out)
{
	if (show_group(ctx->node, &ctx->base, arg, out) != 0)
		fprintf(out, "There is no group %s; show group lists them.\n", arg);
}

static void
cmd_show_route(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_route(ctx->node, ROUTES_SHOWN, out);
}

static void
cmd_show_fib(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_fib(ctx->node, out);
}

static void
cmd_show_drops(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_drops(ctx->node, &ctx->base, out);
}

static void
no_such_port(const char *name, FILE *out)
{
	fprintf(out, "There is no port %s; show port lists them.\n", name);
}

static void
cmd_show_queue(struct command_ctx *ctx, const char *arg, FILE *out)
{
	if (show_queue(ctx->node, &ctx->base, arg, out) != 0)
		no_such_port(arg, out);
}

static void
cmd_show_ecn(struct command_ctx *ctx, const char *arg, FILE *out)
{
	if (show_ecn(ctx->node, &ctx->base, arg, out) != 0)
		no_such_port(arg, out);
}

static void
cmd_show_pfc(struct command_ctx *ctx, const char *arg, FILE *out)
{
	if (show_pfc(ctx->node, arg, out) != 0)
		no_such_port(arg, out);
}

static void
cmd_show_fabric(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_fabric(ctx->node, &ctx->base, out);
}

static void
cmd_show_voq(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_voq(ctx->node, out);
}

static void
cmd_show_credit(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_credit(ctx->node, out);
}

static void
cmd_show_reassembly(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_reassembly(ctx->node, out);
}

/* `N`, or `N ORDER`. */
static void
cmd_show_qp(struct command_ctx *ctx, const char *arg, FILE *out)
{
	const char *by = arg == NULL ? NULL : strchr(arg, ' ');
	char *end = NULL;
	unsigned long max = arg == NULL ? QPS_SHOWN : strtoul(arg, &end, 10);

	if (arg != NULL && ((*end != '\0' && end != by) || max == 0 || max > QPS_MAX)) {
		fprintf(out, "How many queue pairs? A number from 1 to %u.\n", QPS_MAX);
		return;
	}
	if (show_qp(ctx->node, max, by == NULL ? NULL : by + 1, out) == 0)
		return;
	fprintf(out, "There is no order %s; there are ", by + 1);
	show_qp_orders(out);
	fputs(".\n", out);
}

static void
cmd_show_flow(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_flow(ctx->node, out);
}

static void
cmd_show_hyper(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_hyper(ctx->node, out);
}

static void
cmd_show_worker(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_worker(ctx->node, out);
}

static void
cmd_show_hash(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_hash(ctx->node, out);
}

static void
cmd_show_version(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)ctx;
	(void)arg;
	show_version(out);
}

static void
cmd_clear_stats(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	show_base_take(&ctx->base, ctx->node, clock_now(&ctx->node->env.clock));
	fputs("Counters in this console count from now on.\n", out);
}

static void
cmd_show_config(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	if (conf_dump(ctx->node->conf, out) != 0)
		fputs("There is no memory for it.\n", out);
}

static void
cmd_reload(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	live_reload(ctx->live, 0, out);
}

static void
cmd_commit_confirm(struct command_ctx *ctx, const char *arg, FILE *out)
{
	uint64_t seconds;

	if (value_int(arg, &seconds, NULL) != 0 || seconds == 0 || seconds > CONFIRM_MAX)
		fprintf(out, "%s is no number of seconds from 1 to %u.\n", arg, CONFIRM_MAX);
	else
		live_reload(ctx->live, (unsigned int)seconds, out);
}

static void
cmd_commit(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	fputs(live_commit(ctx->live) ? "It stays.\n"
				     : "Nothing waits for a commit; commit confirm <seconds> tries "
				       "the file.\n",
		out);
}

static void
cmd_quit(struct command_ctx *ctx, const char *arg, FILE *out)
{
	(void)arg;
	(void)out;
	ctx->quit = true;
}

static void
cmd_help(struct command_ctx *ctx, const char *arg, FILE *out)
{
	struct table *t = table_create("command|what it does");

	(void)ctx;
	(void)arg;
	for (size_t i = 0; i < n_commands; i++) {
		table_text(t, "%s", commands[i].words);
		table_text(t, "%s", commands[i].help);
	}
	table_print(t, out);
	table_free(t);
}

const struct command commands[] = {
	{"help", "this list", cmd_help},
	{"show port", "ports: link, MTU, MAC, packets and bytes in and out", cmd_show_port},
	{"show group", "groups: members, buckets, shares, imbalance", cmd_show_group},
	{"show group <name>", "one group", cmd_show_group},
	{"show route", "routes: prefix, where from, group", cmd_show_route},
	{"show fib", "kind, size and memory of the route tables", cmd_show_fib},
	{"show drops", "packets dropped and punted, by reason", cmd_show_drops},
	{"show queue", "what waits and what was dropped: class queues with limits, delay lines",
		cmd_show_queue},
	{"show queue <port>", "one port, all classes", cmd_show_queue},
	{"show ecn", "marking: curves by port and class, packets marked", cmd_show_ecn},
	{"show ecn <port>", "one port, all classes", cmd_show_ecn},
	{"show pfc", "pause: who does it, what is held, frames, storms", cmd_show_pfc},
	{"show pfc <port>", "one port", cmd_show_pfc},
	{"show fabric", "the fabric: links with their neighbours, devices and shares",
		cmd_show_fabric},
	{"show voq", "queues into the fabric: what waits, credit, drops, marks", cmd_show_voq},
	{"show credit", "system ports: rate, who asks, what was granted", cmd_show_credit},
	{"show reassembly", "packets in pieces by worker, drops by reason", cmd_show_reassembly},
	{"show qp", "RoCE queue pairs: traffic, marks, loss, order", cmd_show_qp},
	{"show qp top <n>", "the first n by packets", cmd_show_qp},
	{"show qp top <n> by <order>", "by packets, bytes, ce, gaps, reorders or naks",
		cmd_show_qp},
	{"show flow", "flow tables of the workers", cmd_show_flow},
	{"show hyperport", "hyperports: members, shares, what it took to put packets in order",
		cmd_show_hyper},
	{"show worker", "workers: lcores, queues, load", cmd_show_worker},
	{"show hash", "the seed of the flow hash", cmd_show_hash},
	{"show version", "softbag's version and DPDK's", cmd_show_version},
	{"show config", "what runs, as a file that loads to the same", cmd_show_config},
	{"reload", "read the file again, and run it: all of it, or nothing", cmd_reload},
	{"commit confirm <seconds>", "the same, and take it back unless commit comes in time",
		cmd_commit_confirm},
	{"commit", "keep what commit confirm has tried", cmd_commit},
	{"clear stats", "count from now on, in this console", cmd_clear_stats},
	{"quit", "stop the node and end", cmd_quit},
	{"exit", "the same", cmd_quit},
};

const size_t n_commands = BITS_ARRAY_LEN(commands);
