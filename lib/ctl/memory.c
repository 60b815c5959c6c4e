/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the control thread makes and workers read, or write relaxed. */
#include <stdlib.h>
#include <string.h>

#include "ctl/build.h"

void *
build_zalloc(size_t n, size_t size)
{
	size_t want = RTE_MAX(n * size, (size_t)1);
	size_t len = RTE_ALIGN_CEIL(want, (size_t)RTE_CACHE_LINE_SIZE);
	void *mem = aligned_alloc(RTE_CACHE_LINE_SIZE, len);

	if (mem != NULL)
		memset(mem, 0, len);
	return mem;
}
