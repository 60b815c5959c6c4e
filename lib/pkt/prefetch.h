/* SPDX-License-Identifier: BSD-3-Clause */
/* The prefetch of the pipeline, by name. */
#ifndef PKT_PREFETCH_H
#define PKT_PREFETCH_H

#include <rte_mbuf.h>
#include <rte_prefetch.h>

/* The headers of a packet whose mbuf is in the cache. */
static inline void
prefetch_headers(const struct rte_mbuf *m)
{
	rte_prefetch0(rte_pktmbuf_mtod(m, const void *));
}

/* A line of a worker's own table. */
static inline void
prefetch_entry(const void *entry)
{
	rte_prefetch0(entry);
}

#endif
