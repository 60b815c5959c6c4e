/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the frequency of the time stamp counter in Hz: scripts/bench turns times into cycles. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define SPAN_NS UINT64_C(500000000) /* a stolen 50 us at either end is 0.01 % */

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

int
main(void)
{
	uint64_t ns = now_ns(), tsc = __rdtsc(), end;

	do {
		end = now_ns();
	} while (end - ns < SPAN_NS);
	tsc = __rdtsc() - tsc;
	printf("%.0f\n", (double)tsc * 1e9 / (double)(end - ns));
	return 0;
}
