/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this CPU has what the program was built for; programs ask before anything else. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

/* NULL, or the name of an instruction set that the build uses and the CPU lacks. */
static inline const char *
cpu_lacks(void)
{
	__builtin_cpu_init();
#ifdef __AVX2__
	if (!__builtin_cpu_supports("avx2"))
		return "AVX2";
#endif
#ifdef __BMI2__
	if (!__builtin_cpu_supports("bmi2"))
		return "BMI2";
#endif
#ifdef __AVX512F__
	if (!__builtin_cpu_supports("avx512f"))
		return "AVX-512";
#endif
	return NULL;
}

#endif
