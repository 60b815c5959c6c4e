/* SPDX-License-Identifier: BSD-3-Clause */
/* Priority pause in software (IEEE 802.1Qbb): frames that come in, and frames that we send. */
#ifndef DP_PFC_H
#define DP_PFC_H

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct worker;

/*
 * Takes notice of a frame that the parser found to be a priority pause frame. The packet stays the
 * caller's, who counts it as dropped: no PFC frame leaves by a port. Worker.
 */
void pfc_receive(struct worker *w, uint16_t port_idx, const struct rte_mbuf *m);

/*
 * Tells neighbours to stop and to go on, as the bytes held of theirs want it, and asks the
 * watchdog. Worker 0, once a turn.
 */
void pfc_turn(struct worker *w);

/* Takes over thresholds and times from a snapshot that is new. Worker 0. */
void pfc_adopt(struct worker *w);

/*
 * Classes that the port may not send now, of those that it heeds pauses for. Of a hyper port: those
 * that no live member may send. Any worker.
 */
uint8_t pfc_paused(const struct worker *w, uint16_t port_idx, uint64_t now_ps);

/*
 * Something is held, by whatever worker, for which a neighbour may have to be stopped or is stopped
 * now: the next turn must not be late. Worker 0.
 */
bool pfc_is_busy(const struct worker *w);

#endif
