/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways out of a node, from its configuration: policies, what workers share, their queues. */
#ifndef CTL_EGRESS_H
#define CTL_EGRESS_H

#include "ctl/node.h"

#define EGRESS_LINE_SLACK 256u /* packets of a delay line: what a turn may bring at once */

/* Every packet of the port passes its queues; else they are for a device that takes none. Pure. */
bool egress_is_queued(const struct conf_port *p);

/*
 * Bytes that may wait at a port. Of lossless classes: their limits together. Of lossy ones: the
 * limits that the file gives, and at least the largest, which all without `limit` share. Of what is
 * paused nowhere: the lossy ones', or the limit of a lossless class that is larger. Pure.
 */
uint64_t egress_lossless_bytes(const struct conf *c);
uint64_t egress_lossy_bytes(const struct conf *c);
uint64_t egress_open_bytes(const struct conf *c);

/* What a packet counts as: three quarters of the MTU. Pure. */
uint32_t egress_frame_bytes(const struct conf_port *p);

/*
 * Packets that may wait. What came by ports that pause it has its room at every port, and waits at
 * one: xoff and headroom of all those ports. Besides, a port has some that are open to anything,
 * and its delay line. Bytes of the configuration as frames of three quarters of the MTU: with
 * smaller ones on average the buffers end before the bytes do, which is then counted (buffer_full,
 * lossless_drop, delay_line_full). Pure.
 */
uint32_t egress_paused_packets(const struct conf *c);
uint32_t egress_queue_packets(const struct conf *c, size_t port);
uint32_t egress_line_packets(const struct conf *c, size_t port);

/* Packets that may wait at all ports together: records that a worker has. Pure. */
uint32_t egress_records(const struct conf *c);
/* The same for a worker that may have to take another configuration: a record a packet buffer. */
uint32_t egress_records_room(const struct conf *c);

/* Commons of all ports, and their policies as n->conf has them. -ENOMEM; -EINVAL; said in the log.
 */
int egress_create(struct node *n);
void egress_free(struct node *n);

/*
 * The policies of a configuration for a node that has its ports, and behind them the one of all
 * virtual output queues of the fabric. *ret_policy is the caller's to free(). -ENOMEM; -EINVAL,
 * said in the log.
 */
int egress_policies(const struct node *n, const struct conf *c, struct egress_policy **ret_policy);

/*
 * Before policies are published: all that they promise is there, and nothing of what stands now is
 * lost. After it, and after a grace period: exactly what they say, as far as it is control's.
 */
void egress_prepare(struct node *n, const struct conf *c, const struct egress_policy *policy);
void egress_settle(struct node *n);

/* Keeps times that nobody uses from coming round (ps_touch()); now and then, an hour is often. */
void egress_touch(struct node *n, uint64_t now_ps);

/* How long quanta are that the port or hyper port sends, on a link of so many bits/s. */
void egress_pause_speed(struct node *n, uint16_t out, uint64_t bps);

/*
 * The speed of the port's link, bits/s; 0: not known, all stays as it is. Quanta are bit times of
 * the link, whatever the shaper's rate is: of those that come, and of those that are sent, which
 * are repeated before they run out at the peer. Says once in the log when the port's rate fills
 * such a link, or its quanta are too few on it.
 */
void egress_set_speed(struct node *n, uint16_t port_idx, uint64_t bps);

#endif
