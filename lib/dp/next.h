/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a worker has something to do next: whether it may sleep until then (worker.c), and for a
 * caller who steps it in virtual time and would rather not take the turns in which nothing can
 * happen (ctl/node.h: node_next_ps()).
 */
#ifndef DP_NEXT_H
#define DP_NEXT_H

#include <stdint.h>

#define DP_NEVER_PS UINT64_MAX

struct worker;

/*
 * Picoseconds from `now_ps` until something of what waits in the worker may move: the head of a
 * class queue (shaper, pause), of a delay line, a pause frame that is due or to be repeated, a look
 * of the watchdog. 0: a turn may move it already. DP_NEVER_PS: nothing waits. Never too late; a
 * turn that then moves nothing (another worker took the shaper's share) is possible. Not what comes
 * in by the ports. The worker itself between two turns, or control while it stands still.
 */
uint64_t worker_next_ps(const struct worker *w, uint64_t now_ps);

#endif
