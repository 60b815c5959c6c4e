/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hyper ports among the ways out, and what their figures come to: pure arithmetic over a finished
 * configuration, as headroom.h is for long lines. Any thread.
 */
#ifndef CONF_HYPER_H
#define CONF_HYPER_H

#include "conf/conf.h"

#define CONF_HYPER_HEADER 4u /* bytes: wire/hyper.h */

/* Port `idx`, or what hyper port idx - n_ports is as one. */
static inline const struct conf_port *
conf_out(const struct conf *c, size_t idx)
{
	return idx < c->n_ports ? &c->port[idx] : &c->hyper[idx - c->n_ports].as_port;
}

/* Port `idx`, or the first member of that hyper port: whose MAC it has. */
static inline uint16_t
conf_first_port(const struct conf *c, uint16_t idx)
{
	return idx < c->n_ports ? idx : c->hyper[idx - c->n_ports].member[0];
}

/* Index of a name, or -1. */
int conf_hyper_by_name(const struct conf *c, const char *name);

/* One way by the slowest member less one by the fastest: fibre, delay line, jitter. */
uint64_t conf_hyper_skew_ns(const struct conf *c, const struct conf_hyper *h);

/*
 * Packets that come by other members while one is on the slowest: the skew at the rate of all, in
 * packets of three quarters of the MTU. 0 without a rate.
 */
uint64_t conf_hyper_frames(const struct conf *c, const struct conf_hyper *h);

/*
 * Bytes that resequencing lets go at once when a gap is over: what all members bring within the
 * timeout, and no more than a window of the largest frames.
 */
uint64_t conf_hyper_held_bytes(const struct conf *c, const struct conf_hyper *h);

/* `100 km x 5 ns/m - 10 km x 5 ns/m = 450 us`, or of delays. */
#define CONF_HYPER_TEXT 256u
const char *conf_hyper_skew_text(
	const struct conf *c, const struct conf_hyper *h, char buf[CONF_HYPER_TEXT]);

/* A part of conf_warnings(). */
void warn_hypers(const struct conf *c, struct conf_errors *w);

#endif
