/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays a corpus through a libFuzzer target, without libFuzzer: any compiler builds it, so every
 * input that was ever found runs as a test, under the sanitizers too. A child works through the
 * files; when it dies, the file at hand has failed, and a new child goes on behind it.
 */

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No input may take longer than this, in seconds; the slowest take milliseconds. */
#define INPUT_TIMEOUT 30

static const char *corpus;
static struct dirent **entries;
static int n_entries;

static int
is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The target gets a block of exactly the input's size, so that a byte too far is seen. */
static void
run_file(const char *name)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", corpus, name);
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &st) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		_exit(2);
	}
	uint8_t *data = malloc((size_t)st.st_size);
	size_t size = fread(data, 1, (size_t)st.st_size, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

/* Runs the files from first on; *at always names the one at hand. Ends with exit, for leaks. */
static void
run_from(int first, volatile int *at)
{
	for (int i = first; i < n_entries; i++) {
		*at = i;
		alarm(INPUT_TIMEOUT);
		run_file(entries[i]->d_name);
	}
	*at = n_entries;
	alarm(INPUT_TIMEOUT);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	exit(0);
}

static const char *
input_name(int at)
{
	return at < n_entries ? entries[at]->d_name : "the empty input, or a leak of one above";
}

int
main(int argc, char **argv)
{
	int n_failed = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	corpus = argv[1];
	const char *slash = strrchr(argv[0], '/');
	const char *target = slash ? slash + 1 : argv[0];

	printf("TAP version 13\n1..1\n");
	fflush(stdout);
	n_entries = scandir(corpus, &entries, is_input, alphasort);
	if (n_entries <= 0) {
		printf("not ok 1 - %s: its corpus %s holds no input\n", target, corpus);
		return 1;
	}
	volatile int *at =
		mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		printf("not ok 1 - %s: no shared page: %s\n", target, strerror(errno));
		return 1;
	}
	for (int first = 0; first <= n_entries; first = *at + 1) {
		int status = 0;
		*at = first;
		pid_t child = fork();
		if (child == 0) {
			dup2(STDERR_FILENO, STDOUT_FILENO);
			run_from(first, at);
		}
		if (child < 0 || waitpid(child, &status, 0) < 0) {
			printf("not ok 1 - %s: no child: %s\n", target, strerror(errno));
			return 1;
		}
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			break;
		if (n_failed++ == 0)
			printf("not ok 1 - %s stays clean over its corpus\n", target);
		printf("# %s: %s %d\n", input_name(*at), WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		fflush(stdout);
	}
	if (n_failed == 0)
		printf("ok 1 - %s stays clean over its corpus of %d inputs\n", target, n_entries);
	for (int i = 0; i < n_entries; i++)
		free(entries[i]);
	free(entries);
	return n_failed ? 1 : 0;
}
