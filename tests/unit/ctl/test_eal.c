/* SPDX-License-Identifier: BSD-3-Clause */
/* The EAL's command line: a table of configurations and machines. No EAL is started. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "ctl/eal.h"

static char said[2048];

static void
remember(void *ctx, enum node_severity severity, const char *sentence)
{
	size_t len = strlen(said);

	(void)ctx;
	snprintf(said + len, sizeof(said) - len, "%s%s\n", severity == NODE_ERROR ? "error: " : "",
		sentence);
}

/* Behind version, node and ports. */
#define PORT(device) "ports: [{name: p, device: \"" device "\", role: nsf}]\n"

static int
make(const char *yaml, const struct eal_machine *m, bool replay, char **ret_line)
{
	struct node_log log = {.say = remember};
	struct eal_args *a = malloc(sizeof(*a));
	struct conf_errors errors;
	struct conf *c = NULL;
	char *text, *line;
	size_t len;
	FILE *f;
	int rc;

	cr_assert_geq(asprintf(&text, "version: 1\nnode: {name: n, id: 1}\n%s", yaml), 0);
	rc = conf_parse("t.yaml", text, strlen(text), &c, &errors);
	conf_errors_print(&errors, "t.yaml", stderr);
	cr_assert_eq(rc, 0);
	conf_errors_fini(&errors);
	said[0] = '\0';
	rc = eal_args_make(c, m, replay, &log, a);
	f = open_memstream(&line, &len);
	for (int i = 1; rc == 0 && i < a->argc; i++)
		fprintf(f, "%s ", a->argv[i]);
	if (rc == 0)
		cr_assert_null(a->argv[a->argc]);
	fclose(f);
	conf_free(c);
	free(text);
	free(a);
	*ret_line = line;
	return rc;
}

static const struct eal_machine two = {.n_cpus = 2, .cpu = {0, 1}};
static const struct eal_machine four = {.n_cpus = 4, .cpu = {2, 3, 8, 9}};
static const struct eal_machine huge = {.huge_free = UINT64_C(1) << 30, .n_cpus = 2, .cpu = {0, 1}};

/* `has` and `lacks`: options, separated by '|'. */
static const struct row {
	const char *what, *yaml;
	const struct eal_machine *machine;
	bool replay;
	const char *has, *lacks;
} rows[] = {
	{"no hugepages: plain memory, the default amount", PORT("net_null0"), &two, false,
		"--no-huge |--no-shconf |-m 489 |--no-pci |-l 0,1 |--main-lcore 0 |--no-telemetry ",
		"--in-memory"},
	{"enough hugepages are taken", PORT("net_null0"), &huge, false, "--in-memory |-m 489 ",
		"--no-huge"},
	{"too few hugepages are left alone", PORT("net_null0") "runtime: {memory: 2GB}\n", &huge,
		false, "--no-huge |-m 1908 ", "--in-memory"},
	{"all lcores, the first is control's", PORT("net_null0"), &four, false,
		"-l 2,3,8,9 |--main-lcore 2 ", NULL},
	{"listed lcores only, and control where no worker is",
		PORT("net_null0") "runtime: {workers: [{lcore: 2, rx: [p]}, {lcore: 9, rx: "
				  "[p]}]}\n",
		&four, false, "-l 3,2,9 |--main-lcore 3 ", NULL},
	{"a main lcore as configured",
		PORT("net_null0") "runtime: {main_lcore: 9, workers: [{lcore: 8, rx: [p]}]}\n",
		&four, false, "-l 9,8 |--main-lcore 9 ", NULL},
	{"one CPU: control and worker share it",
		PORT("net_null0") "runtime: {workers: [{lcore: 5, rx: [p]}]}\n",
		&(struct eal_machine){.n_cpus = 1, .cpu = {5}}, false, "-l 5 |--main-lcore 5 ",
		NULL},
	{"a PCI device is allowed, and it alone", PORT("0000:3b:00.0,arg=1"), &two, false,
		"-a 0000:3b:00.0,arg=1 ", "--no-pci"},
	{"a PCI device in short", PORT("3b:00.1"), &two, false, "-a 3b:00.1 ", "--no-pci"},
	{"a vdev with colons is no PCI device", PORT("net_memif0,mac=02:00:00:00:00:01"), &two,
		false, "--no-pci ", "-a "},
	{"a replay has one lcore and no PCI",
		PORT("0000:3b:00.0") "runtime: {workers: [{lcore: 77, rx: [p]}]}\n", &four, true,
		"-l 2 |--no-pci ", "-a |--main-lcore| 77|,77"},
	{"the user's options come last", PORT("net_null0") "runtime: {eal: [\"--log-level=8\"]}\n",
		&two, false, "--log-level=warning |--no-huge |--log-level=8 ", NULL},
	{"--no-huge keeps the configured memory, on a machine with hugepages",
		PORT("net_null0") "runtime: {memory: 256MB, eal: [\"--no-huge\"]}\n", &huge, false,
		"-m 245 |--no-shconf |--no-huge ", "--in-memory"},
	{"--huge-dir is no --in-memory, and keeps the memory",
		PORT("net_null0") "runtime: {eal: [\"--huge-dir=/mnt\"]}\n", &huge, false,
		"--huge-dir=/mnt |-m 489 ", "--in-memory|--no-huge"},
	{"the user's amount of memory wins", PORT("net_null0") "runtime: {eal: [\"-m\", \"99\"]}\n",
		&two, false, "--no-huge |-m 99 ", "-m 489"},
	{"the user's sockets win", PORT("net_null0") "runtime: {eal: [\"--socket-mem=64,64\"]}\n",
		&huge, false, "--in-memory |--socket-mem=64,64 ", "-m "},
	{"the user's core list is the only one",
		PORT("net_null0") "runtime: {eal: [\"-l\", \"0-1\"]}\n", &two, false, "-l 0-1 ",
		"-l 0,1|--main-lcore"},
	{"--lcores is one, too", PORT("net_null0") "runtime: {eal: [\"--lcores=(0-3)@0\"]}\n", &two,
		true, "--lcores=(0-3)@0 ", "-l "},
	{"the user's PCI device is reached",
		PORT("net_null0") "runtime: {eal: [\"-a\", \"01:00.0\"]}\n", &two, false,
		"-a 01:00.0 ", "--no-pci"},
};

static void
expect_words(const struct row *r, const char *line)
{
	char words[512], *save, *w;

	snprintf(words, sizeof(words), "%s", r->has);
	for (w = strtok_r(words, "|", &save); w != NULL; w = strtok_r(NULL, "|", &save))
		cr_assert_not_null(strstr(line, w), "%s: no `%s` in: %s", r->what, w, line);
	snprintf(words, sizeof(words), "%s", r->lacks != NULL ? r->lacks : "");
	for (w = strtok_r(words, "|", &save); w != NULL; w = strtok_r(NULL, "|", &save))
		cr_assert_null(strstr(line, w), "%s: `%s` in: %s", r->what, w, line);
}

Test(eal, arguments_follow_configuration_and_machine)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *line;
		int rc = make(rows[i].yaml, rows[i].machine, rows[i].replay, &line);

		cr_assert_eq(rc, 0, "%s: %s: %s", rows[i].what, strerror(-rc), said);
		expect_words(&rows[i], line);
		free(line);
	}
}

Test(eal, plain_memory_is_said_aloud_with_the_cure)
{
	char *line;

	cr_assert_eq(make(PORT("net_null0"), &two, false, &line), 0);
	cr_assert_not_null(strstr(said, "nr_hugepages"), "%s", said);
	cr_assert_null(strstr(said, "error"));
	free(line);
	cr_assert_eq(make(PORT("net_null0"), &huge, false, &line), 0);
	cr_assert_str_empty(said);
	free(line);
}

Test(eal, lcores_that_are_not_ours_are_refused_by_number)
{
	char *line;

	cr_assert_eq(make(PORT("net_null0") "runtime: {workers: [{lcore: 7, rx: [p]}]}\n", &four,
			     false, &line),
		-EINVAL);
	cr_assert_not_null(strstr(said, "lcore 7"), "%s", said);
	free(line);
	cr_assert_eq(
		make(PORT("net_null0") "runtime: {main_lcore: 1}\n", &four, false, &line), -EINVAL);
	cr_assert_not_null(strstr(said, "lcore 1"), "%s", said);
	free(line);
}

Test(eal, a_machine_of_128_cpus_fits)
{
	struct eal_machine m = {.n_cpus = 128};
	char *line;

	for (uint16_t i = 0; i < 128; i++)
		m.cpu[i] = i;
	cr_assert_eq(make(PORT("net_null0"), &m, false, &line), 0, "%s", said);
	cr_assert_not_null(strstr(line, ",126,127 "), "%s", line);
	free(line);
}

Test(eal, sixty_four_options_and_thirty_two_pci_ports_fit)
{
	char *yaml, *line;
	size_t len;
	FILE *f = open_memstream(&yaml, &len);

	fputs("ports:\n", f);
	for (unsigned int i = 0; i < 32; i++)
		fprintf(f, "  - {name: p%u, device: \"0000:%02x:00.0\", role: nsf}\n", i, i);
	fputs("runtime:\n  eal:\n", f);
	for (unsigned int i = 0; i < 64; i++)
		fprintf(f, "    - --vdev=net_null%u\n", i);
	fclose(f);
	cr_assert_eq(make(yaml, &two, false, &line), 0, "%s", said);
	cr_assert_not_null(strstr(line, "-a 0000:1f:00.0 "));
	cr_assert_not_null(strstr(line, "--vdev=net_null63 "));
	free(yaml);
	free(line);
}

Test(eal, an_option_that_does_not_fit_is_refused_and_never_cut)
{
	char *yaml, *line;

	cr_assert_geq(
		asprintf(&yaml, PORT("net_null0") "runtime: {eal: [\"--vdev=%0600u\"]}\n", 1), 0);
	cr_assert_eq(make(yaml, &two, false, &line), -E2BIG);
	cr_assert_not_null(strstr(said, "error: "), "%s", said);
	free(yaml);
	free(line);
}

Test(eal, the_machine_tells_its_cpus)
{
	struct eal_machine m;

	eal_machine_read(&m);
	cr_assert_geq(m.n_cpus, 1);
	for (unsigned int i = 1; i < m.n_cpus; i++)
		cr_assert_gt(m.cpu[i], m.cpu[i - 1], "ascending");
}
