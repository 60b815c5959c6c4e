/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic of long lines. queue_port.c fills in `auto` with it; explain.c shows it. */
#include "conf/headroom.h"

#define NS_PER_S     UINT64_C(1000000000)
#define QUANTUM_BITS 512u /* IEEE 802.1Qbb, 802.3 31B.2 */

/* Parts of a BDP, in hundredths; pmax. */
#define AUTO_KMIN     11u
#define AUTO_KMAX     23u
#define AUTO_PMAX_PPM 50000u

#define RATE_KMIN_NS  32000u
#define RATE_KMAX_NS  128000u
#define RATE_PMAX_PPM 200000u

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t
conf_bytes(uint64_t bps, uint64_t ns)
{
	unsigned __int128 bit_ns = (unsigned __int128)bps * ns;
	unsigned __int128 bytes = (bit_ns + 8 * NS_PER_S - 1) / (8 * NS_PER_S);

	return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

uint64_t
conf_one_way_ns(const struct conf_port *p)
{
	uint64_t fibre = p->distance_m * CONF_NS_PER_M;

	return p->delay_emulate ? fibre : fibre + p->delay_ns;
}

uint64_t
conf_round_trip_ns(const struct conf_port *p)
{
	return 2 * conf_one_way_ns(p);
}

uint64_t
conf_bdp_bytes(const struct conf_port *p)
{
	return conf_bytes(p->rate_bps, conf_round_trip_ns(p));
}

uint64_t
conf_frame_bytes(const struct conf_port *p)
{
	return p->mtu + CONF_FRAME_EXTRA;
}

struct conf_headroom
conf_headroom(const struct conf_port *p)
{
	struct conf_headroom h = {
		.flight = conf_bdp_bytes(p),
		.frames = 2 * conf_frame_bytes(p),
		.pause = CONF_PAUSE_BYTES,
		.response = conf_bytes(p->rate_bps, CONF_RESPONSE_NS),
	};

	h.sum = h.flight + h.frames + h.pause + h.response;
	return h;
}

uint64_t
conf_xon_auto(const struct conf_port *p)
{
	return larger(conf_bdp_bytes(p) + 2 * conf_frame_bytes(p), CONF_XON_MIN);
}

uint64_t
conf_xoff_auto(uint64_t xon, const struct conf_port *p)
{
	return xon + 2 * conf_frame_bytes(p);
}

struct conf_curve
conf_auto_curve(const struct conf_port *p)
{
	uint64_t bdp = conf_bdp_bytes(p), frame = conf_frame_bytes(p);
	struct conf_curve c = {
		.kmin = bdp * AUTO_KMIN / 100,
		.kmax = bdp * AUTO_KMAX / 100,
		.pmax_ppm = AUTO_PMAX_PPM,
	};

	if (bdp == 0)
		c = (struct conf_curve){
			.kmin = conf_bytes(p->rate_bps, RATE_KMIN_NS),
			.kmax = conf_bytes(p->rate_bps, RATE_KMAX_NS),
			.pmax_ppm = RATE_PMAX_PPM,
		};
	c.kmin = larger(c.kmin, 2 * frame);
	c.kmax = larger(c.kmax, 4 * frame);
	c.kmax = larger(c.kmax, c.kmin);
	return c;
}

struct conf_curve
conf_curve_within(struct conf_curve c, uint64_t limit)
{
	if (c.kmax <= limit)
		return c;
	c.kmin = (uint64_t)((unsigned __int128)c.kmin * limit / c.kmax);
	c.kmax = limit;
	return c;
}

uint64_t
conf_delay_line_bytes(const struct conf_port *p)
{
	uint64_t ns = p->delay_ns + p->impair_out.jitter_ns;

	if (p->impair_out.reorder_ppb != 0)
		ns += p->impair_out.reorder_ns;
	return conf_bytes(p->rate_bps, ns);
}

uint64_t
conf_quanta_least(uint64_t bps)
{
	const uint64_t quantum = QUANTUM_BITS * NS_PER_S;
	unsigned __int128 bit_ns = (unsigned __int128)bps * 2 * CONF_XOFF_LEAST_NS;

	return larger(2 * CONF_XOFF_LEAST_QUANTA, (uint64_t)((bit_ns + quantum - 1) / quantum));
}

uint64_t
conf_quanta_ns(uint16_t quanta, uint64_t bps)
{
	return quanta * QUANTUM_BITS * NS_PER_S / bps;
}

uint64_t
conf_pause_ns(const struct conf_port *p)
{
	return p->rate_bps == 0 ? 0 : conf_quanta_ns(p->pfc.quanta, p->rate_bps);
}

uint64_t
conf_pfc_bytes(const struct conf_port *p)
{
	return p->pfc.xoff + p->pfc.headroom;
}
