/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a long line asks of buffers: pure arithmetic over one port of a finished configuration.
 * schema_queue.c's `auto` figures come from here, `--check --explain` prints them, and who makes
 * the buffers asks here for bytes. Any thread.
 *
 * Bytes are those of the rate: rate x time / 8, rounded up. Figures are of one class at one port.
 */
#ifndef CONF_HEADROOM_H
#define CONF_HEADROOM_H

#include "conf/conf.h"

#define CONF_NS_PER_M                                                                              \
	5u /* light in fibre: 300,000 km/s / 1.47, as every cable planner rounds it                \
	    */
#define CONF_FRAME_EXTRA 38u     /* Ethernet header 14, FCS 4, preamble 8, gap 12 */
#define CONF_PAUSE_BYTES 64u     /* a PFC frame, IEEE 802.1Qbb */
#define CONF_XON_MIN     100000u /* a port without distance: some bursts of 64 frames of 1500 bytes */

/*
 * From the arrival of what lifts the buffer over xoff to the PFC frame's first bit, and from a PFC
 * frame's arrival to the last bit of the class it stops: a software loop's turn with a burst of the
 * largest frames, and what the device's ring still holds. A MAC needs about 1 us.
 */
#define CONF_RESPONSE_NS 100000u

/* Bytes that `bps` moves in `ns`, rounded up; UINT64_MAX when that is more. */
uint64_t conf_bytes(uint64_t bps, uint64_t ns);

/*
 * One way to the neighbour: the fibre, and the delay line. With `delay: emulate` the delay line is
 * the fibre; a fixed delay comes on top. The far end is taken to delay as much.
 */
uint64_t conf_one_way_ns(const struct conf_port *p);
uint64_t conf_round_trip_ns(const struct conf_port *p);

/* Rate x round trip; 0 without a rate. */
uint64_t conf_bdp_bytes(const struct conf_port *p);

/* The largest frame, with what it takes on the wire. */
uint64_t conf_frame_bytes(const struct conf_port *p);

/*
 * What still arrives after the buffer has passed xoff (IEEE 802.1Qbb; Zhu et al., Congestion
 * Control for Large-Scale RDMA Deployments, SIGCOMM 2015).
 */
struct conf_headroom {
	uint64_t flight;   /* on the line, both ways: one BDP */
	uint64_t frames;   /* two largest frames: one just begun at each end */
	uint64_t pause;    /* the PFC frame */
	uint64_t response; /* CONF_RESPONSE_NS at the rate */
	uint64_t sum;
};

struct conf_headroom conf_headroom(const struct conf_port *p);

/*
 * XON comes when this much is left: it has to last a round trip, until the neighbour's first frame
 * arrives, or the way out idles. One BDP and two frames; CONF_XON_MIN at least.
 */
uint64_t conf_xon_auto(const struct conf_port *p);

/* Two frames above xon, so that the two do not alternate with each frame. */
uint64_t conf_xoff_auto(uint64_t xon, const struct conf_port *p);

/*
 * Marking by distance: kmin 0.11 and kmax 0.23 of one BDP, 5 % (the ratios of Bai et al.,
 * Empowering Azure Storage with RDMA, NSDI 2023: 1 MB, 2 MB, 5 % at 40 Gbit/s over 80 km); kmin not
 * below two frames and kmax not below four, which is what a short line comes to.
 *
 * Without a distance (phantom only), by rate: 32 us and 128 us of it, 20 %, which are 400 KB and
 * 1600 KB at 100 Gbit/s as public HPCC configurations have them.
 */
struct conf_curve conf_auto_curve(const struct conf_port *p);

/* The same shape within `limit` bytes. */
struct conf_curve conf_curve_within(struct conf_curve c, uint64_t limit);

/*
 * The most that the delay line holds: the rate for the delay, the jitter, and the time that a
 * reordered packet is held back. 0 without any of them.
 */
uint64_t conf_delay_line_bytes(const struct conf_port *p);

/*
 * The least quanta with which an XOFF can be renewed before half of them have run, on a link of
 * `bps`, where two of its XOFFs lie CONF_XOFF_LEAST_NS and CONF_XOFF_LEAST_QUANTA apart at least
 * (qos/xoff.h has the two and the reasons; more than UINT16_MAX above 1.6 Tbit/s).
 */
#define CONF_XOFF_LEAST_NS     10000u
#define CONF_XOFF_LEAST_QUANTA 132u
uint64_t conf_quanta_least(uint64_t bps);

/* How long so many quanta are on a link of `bps`, which is not 0. */
uint64_t conf_quanta_ns(uint16_t quanta, uint64_t bps);

/* How long the quanta that the port sends hold its neighbour, at the port's rate; 0 without one. */
uint64_t conf_pause_ns(const struct conf_port *p);

/* What a port may hold of one class that came in by it: xoff and headroom. */
uint64_t conf_pfc_bytes(const struct conf_port *p);

#endif
