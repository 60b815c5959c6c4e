/* SPDX-License-Identifier: BSD-3-Clause */
/* From `runtime:` to rte_eal_init(). */
#include "ctl/eal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "base/bits.h"
#include "ctl/say.h"
#include "port/port.h"

#define HUGE_DIR   "/sys/kernel/mm/hugepages"
#define EAL_PREFIX "softbag"

static uint64_t
free_pages(const char *dir)
{
	char path[512];
	unsigned long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), HUGE_DIR "/%s/free_hugepages", dir);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%lu", &n) != 1)
		n = 0;
	fclose(f);
	return n;
}

void
eal_machine_read(struct eal_machine *ret_machine)
{
	struct eal_machine *m = ret_machine;
	DIR *dir = opendir(HUGE_DIR);
	struct dirent *e;
	unsigned long kib;
	cpu_set_t set;

	memset(m, 0, sizeof(*m));
	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (sscanf(e->d_name, "hugepages-%lukB", &kib) == 1)
			m->huge_free += free_pages(e->d_name) * kib * 1024;
	if (dir != NULL)
		closedir(dir);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (uint16_t cpu = 0; cpu < CPU_SETSIZE && m->n_cpus < BITS_ARRAY_LEN(m->cpu); cpu++)
		if (CPU_ISSET(cpu, &set))
			m->cpu[m->n_cpus++] = cpu;
}

static void __attribute__((format(printf, 2, 3))) add(struct eal_args *a, const char *format, ...)
{
	va_list args;
	int len;

	if (a->argc == (int)EAL_ARGS_MAX) {
		a->argc = (int)EAL_ARGS_MAX + 1; /* too many or too long: eal_args_make() says so */
		return;
	}
	if (a->argc > (int)EAL_ARGS_MAX)
		return;
	va_start(args, format);
	len = vsnprintf(a->text[a->argc], EAL_ARG_LEN, format, args);
	va_end(args);
	if (len >= (int)EAL_ARG_LEN) {
		a->argc = (int)EAL_ARGS_MAX + 1;
		return;
	}
	a->argv[a->argc] = a->text[a->argc];
	a->argc++;
}

static bool
may_use(const struct eal_machine *m, unsigned int cpu)
{
	for (unsigned int i = 0; i < m->n_cpus; i++)
		if (m->cpu[i] == cpu)
			return true;
	return false;
}

static bool
is_worker(const struct conf *c, unsigned int cpu)
{
	for (size_t w = 0; w < c->n_workers; w++)
		if (c->worker[w].lcore == cpu)
			return true;
	return false;
}

/* The control thread's lcore: as configured, else the first that no worker has, else the first. */
static unsigned int
main_lcore(const struct conf *c, const struct eal_machine *m)
{
	if (c->main_lcore >= 0)
		return (unsigned int)c->main_lcore;
	for (unsigned int i = 0; i < m->n_cpus; i++)
		if (!is_worker(c, m->cpu[i]))
			return m->cpu[i];
	return m->cpu[0];
}

/* The user's own word wins: ours would contradict it. */
static bool
user_has(const struct conf *c, const char *option)
{
	for (size_t i = 0; i < c->n_eal; i++)
		if (strncmp(c->eal[i], option, strlen(option)) == 0)
			return true;
	return false;
}

static int
add_lcores(const struct conf *c, const struct eal_machine *m, const struct node_log *log,
	struct eal_args *a)
{
	unsigned int main = main_lcore(c, m);
	char list[EAL_ARG_LEN];
	int len = snprintf(list, sizeof(list), "%u", main);

	if (!may_use(m, main)) {
		node_say(log, NODE_ERROR,
			"lcore %u is not a CPU that softbag may use here; see nproc and taskset "
			"-p.",
			main);
		return -EINVAL;
	}
	if (c->n_workers > 1 && is_worker(c, main))
		node_say(log, NODE_NOTE,
			"lcore %u has a worker and the control thread, which take turns: there are "
			"as "
			"many workers as CPUs.",
			main);
	for (size_t w = 0; w < c->n_workers; w++) {
		if (!may_use(m, c->worker[w].lcore)) {
			node_say(log, NODE_ERROR,
				"runtime.workers: lcore %u is not a CPU that softbag may use here; "
				"see nproc and taskset -p.",
				c->worker[w].lcore);
			return -EINVAL;
		}
		if (c->worker[w].lcore != main && len < (int)sizeof(list))
			len += snprintf(
				list + len, sizeof(list) - (size_t)len, ",%u", c->worker[w].lcore);
	}
	for (unsigned int i = 0; c->n_workers == 0 && i < m->n_cpus; i++)
		if (m->cpu[i] != main && len < (int)sizeof(list))
			len += snprintf(list + len, sizeof(list) - (size_t)len, ",%u", m->cpu[i]);
	if (len >= (int)sizeof(list))
		return -E2BIG;
	add(a, "-l");
	add(a, "%s", list);
	add(a, "--main-lcore");
	add(a, "%u", main);
	return 0;
}

static void
add_devices(const struct conf *c, bool replay, struct eal_args *a)
{
	bool pci = false;

	for (size_t p = 0; !replay && p < c->n_ports; p++) {
		if (port_device_pci(c->port[p].device) == PORT_PCI_NONE)
			continue;
		add(a, "-a");
		add(a, "%s", c->port[p].device);
		pci = true;
	}
	if (!pci && !user_has(c, "-a") && !user_has(c, "--allow"))
		add(a, "--no-pci");
}

static uint64_t
memory_mib(const struct conf *c)
{
	return (c->memory + (1u << 20) - 1) >> 20;
}

/* Hugepages or not, unless the user said which. */
static void
add_memory_kind(const struct conf *c, const struct eal_machine *m, bool replay,
	const struct node_log *log, struct eal_args *a)
{
	if (user_has(c, "--no-huge")) {
		add(a, "--no-shconf");
		return;
	}
	if (user_has(c, "--in-memory"))
		return;
	if (user_has(c, "--huge-dir")) {
		/* its files and the EAL's would stay when the node is gone, and keep the pages */
		add(a, "--no-shconf");
		add(a, "--huge-unlink");
		return;
	}
	/* replays run side by side, and would race for the same free pages */
	if (replay) {
		add(a, "--no-huge");
		add(a, "--no-shconf");
		return;
	}
	a->hugepages = m->huge_free >= c->memory;
	if (a->hugepages) {
		add(a, "--in-memory");
	} else {
		add(a, "--no-huge");
		add(a, "--no-shconf");
		node_say(log, NODE_NOTE,
			"%" PRIu64 " MB of hugepages are free and runtime.memory is %" PRIu64
			" MB: running on plain memory, slower by TLB misses (echo %" PRIu64
			" > " HUGE_DIR "/hugepages-2048kB/nr_hugepages gives them).",
			m->huge_free / 1000000, c->memory / 1000000, (memory_mib(c) + 1) / 2);
	}
}

static void
add_memory(const struct conf *c, const struct eal_machine *m, bool replay,
	const struct node_log *log, struct eal_args *a)
{
	add_memory_kind(c, m, replay, log, a);
	if (user_has(c, "-m") || user_has(c, "--socket-mem"))
		return;
	add(a, "-m");
	add(a, "%" PRIu64, memory_mib(c));
}

int
eal_args_make(const struct conf *c, const struct eal_machine *machine, bool replay,
	const struct node_log *log, struct eal_args *ret_args)
{
	struct eal_args *a = ret_args;
	int rc = 0;

	memset(a, 0, sizeof(*a));
	add(a, EAL_PREFIX);
	if (user_has(c, "-l") || user_has(c, "-c") || user_has(c, "--lcores")) {
		/* the EAL takes one core list */
	} else if (replay) {
		add(a, "-l");
		add(a, "%u", machine->cpu[0]);
	} else {
		rc = add_lcores(c, machine, log, a);
	}
	if (rc != 0)
		return rc;
	add(a, "--file-prefix=" EAL_PREFIX "-%d", (int)getpid());
	add(a, "--no-telemetry");
	add(a, "--log-level=warning");
	add(a, "--log-level=lib.eal:error"); /* it warns of page sizes that nobody asked for */
	add_devices(c, replay, a);
	add_memory(c, machine, replay, log, a);
	for (size_t i = 0; i < c->n_eal; i++)
		add(a, "%s", c->eal[i]);
	if (a->argc <= (int)EAL_ARGS_MAX)
		return 0;
	node_say(log, NODE_ERROR,
		"runtime.eal and the devices make more than %u options for DPDK, or one longer "
		"than %u bytes; shorten them.",
		EAL_ARGS_MAX, EAL_ARG_LEN - 1);
	return -E2BIG;
}

static void
say_cure(const struct conf *c, const struct eal_args *a, const struct node_log *log, int error)
{
	const char *why = error == 0 ? "see its lines above" : rte_strerror(error);

	if (c->n_eal != 0)
		node_say(log, NODE_ERROR,
			"DPDK does not start with runtime.eal as it is (%s); take the options in "
			"there away one by one, or all: softbag chooses memory by itself.",
			why);
	else if (a->hugepages)
		node_say(log, NODE_ERROR,
			"DPDK does not start on hugepages (%s); set runtime.eal: [\"--no-huge\"] "
			"to run on plain memory.",
			why);
	else
		node_say(log, NODE_ERROR,
			"DPDK does not start (%s); lower runtime.memory if it is more than the "
			"machine has.",
			why);
}

/* The EAL's runtime folder; it makes one even when it has nothing to put there. */
static void
remove_runtime_dir(void)
{
	rmdir(rte_eal_get_runtime_dir());
}

/* What programs left that were killed: empty folders, named after processes that are no more. */
static void
remove_stale_dirs(void)
{
	DIR *dir = opendir("/var/run/dpdk");
	struct dirent *e;
	char path[300];
	int pid;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (sscanf(e->d_name, EAL_PREFIX "-%d", &pid) != 1 || pid <= 0 ||
			kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "/var/run/dpdk/%s", e->d_name);
		rmdir(path);
	}
	if (dir != NULL)
		closedir(dir);
}

/*
 * rte_eal_init() without the page of usage that it prints to standard output for an option that it
 * does not like: its log on standard error says which one.
 */
static int
init_quietly(struct eal_args *a)
{
	int keep = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int rc;

	fflush(stdout);
	if (keep >= 0 && null >= 0)
		dup2(null, STDOUT_FILENO);
	rc = rte_eal_init(a->argc, a->argv) < 0 ? -EIO : 0;
	fflush(stdout);
	if (keep >= 0 && null >= 0)
		dup2(keep, STDOUT_FILENO);
	if (null >= 0)
		close(null);
	if (keep >= 0)
		close(keep);
	return rc;
}

/* The EAL is the process's, and keeps pointers into its arguments until it ends. */
static struct eal_args *eal_arguments;

int
eal_start(const struct conf *c, bool replay, const struct node_log *log)
{
	struct eal_args *a = malloc(sizeof(*a));
	struct eal_machine machine;
	int rc;

	if (a == NULL)
		return -ENOMEM;
	eal_machine_read(&machine);
	rc = eal_args_make(c, &machine, replay, log, a);
	if (rc == 0) {
		remove_stale_dirs();
		rte_errno = 0;
		rc = init_quietly(a);
		if (rc != 0) {
			say_cure(c, a, log, rte_errno);
			remove_runtime_dir();
		}
	}
	if (rc != 0)
		free(a);
	else
		eal_arguments = a;
	return rc;
}

int
eal_start_many(const struct conf *const *c, size_t n, const struct node_log *log)
{
	struct conf all = {.memory = 0};
	bool has_eal = false;

	for (size_t i = 0; i < n; i++) {
		all.memory += c[i]->memory;
		/* every replay is on plain memory, so one that asks for it loses nothing */
		for (size_t k = 0; k < c[i]->n_eal; k++)
			has_eal |= strcmp(c[i]->eal[k], "--no-huge") != 0;
	}
	if (has_eal)
		node_say(log, NODE_NOTE, "runtime.eal is not used where several nodes run.");
	return eal_start(&all, true, log);
}

void
eal_stop(void)
{
	rte_eal_cleanup();
	free(eal_arguments);
	eal_arguments = NULL;
	remove_runtime_dir();
}
