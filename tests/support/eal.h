/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An EAL for tests: no hugepages, no files, no PCI, one lcore. Starting it costs a fifth of a
 * second and Criterion forks for each test, so tests that need it are few and fat.
 */
#ifndef TEST_EAL_H
#define TEST_EAL_H

#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

/* Starts the EAL with `mb` megabytes, once a process; ends the process when it cannot. */
void test_eal(unsigned int mb);

/*
 * All that the EAL's heap has left, in pieces down to its smallest: nothing more is to be had until
 * it is given back. NULL: there was none left.
 */
void *test_heap_take(void);
void test_heap_give(void *taken);

/* A pool of `n` mbufs whose data room is `room` bytes and RTE_PKTMBUF_HEADROOM; never NULL. */
struct rte_mempool *test_pool(const char *name, unsigned int n, uint16_t room);

/* Mbufs of the pool that somebody holds: 0 at the end of a test that lost none. */
unsigned int test_pool_used(const struct rte_mempool *pool);

#endif
