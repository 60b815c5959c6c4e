/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hyper ports as control sees them: made from the configuration, up or down by their members.
 * ctl/node.c calls it; a node without one has n->shared.n_hypers 0, and all of these take that.
 */
#ifndef CTL_HYPER_H
#define CTL_HYPER_H

#include "ctl/node.h"

/* All but what workers have: sequences, rings. After the ports, before workers. -ENOMEM, said. */
int hyper_create(struct node *n);
/* The worker's ways in that are members. */
void hyper_attach(struct node *n, struct worker *w);
/* The workers stand still. */
void hyper_free(struct node *n);

/* The hyper port that port `port_idx` is a member of, or NULL. */
struct dp_hyper *hyper_of_port(const struct node *n, uint16_t port_idx);

/* A member's link changed: the hyper port's liveness, and the groups that use it if that is news.
 */
void hyper_set_link(struct node *n, uint16_t port_idx);
/* A member's speed is known: how long a pause is by the fastest of them. */
void hyper_set_speed(struct node *n, uint16_t port_idx);
/* Bits/s of the fastest member, as the file or its link has it. */
uint64_t hyper_fastest_bps(const struct node *n, const struct conf *c, const struct conf_hyper *h);

/* Packet buffers, and memory besides, that hyper ports take. Pure. */
uint64_t hyper_mbufs(const struct conf *c);
uint64_t hyper_bytes(const struct conf *c);

#endif
