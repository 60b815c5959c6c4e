/* SPDX-License-Identifier: BSD-3-Clause */
/* The EAL of the tests. Comes before the rings, ports and nodes that a test builds on it. */
#include "eal.h"

#include <stdio.h>
#include <stdlib.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>

void
test_eal(unsigned int mb)
{
	static bool up;
	char mem[16];
	char *argv[] = {(char *)(uintptr_t) "test", (char *)(uintptr_t) "--no-huge",
		(char *)(uintptr_t) "--no-shconf", (char *)(uintptr_t) "--no-pci",
		(char *)(uintptr_t) "--no-telemetry", (char *)(uintptr_t) "--log-level=error",
		(char *)(uintptr_t) "-l", (char *)(uintptr_t) "0", (char *)(uintptr_t) "-m", mem,
		NULL};

	if (up)
		return;
	snprintf(mem, sizeof(mem), "%u", mb);
	if (rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) < 0) {
		fprintf(stderr, "tests: no EAL: %s\n", rte_strerror(rte_errno));
		abort();
	}
	up = true;
}

void *
test_heap_take(void)
{
	void *last = NULL;

	for (size_t len = 64u << 20; len >= 64; len /= 2) {
		void **piece;

		/* each points to the one before */
		while ((piece = rte_malloc("taken", len, 0)) != NULL) {
			*piece = last;
			last = piece;
		}
	}
	return last;
}

void
test_heap_give(void *taken)
{
	while (taken != NULL) {
		void *before = *(void **)taken;

		rte_free(taken);
		taken = before;
	}
}

struct rte_mempool *
test_pool(const char *name, unsigned int n, uint16_t room)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		name, n, 0, 0, (uint16_t)(room + RTE_PKTMBUF_HEADROOM), SOCKET_ID_ANY);

	if (pool == NULL) {
		fprintf(stderr, "tests: no pool %s of %u mbufs: %s\n", name, n,
			rte_strerror(rte_errno));
		abort();
	}
	return pool;
}

unsigned int
test_pool_used(const struct rte_mempool *pool)
{
	return rte_mempool_in_use_count(pool);
}
