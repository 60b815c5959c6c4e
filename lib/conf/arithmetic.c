/* SPDX-License-Identifier: BSD-3-Clause */
/* Terms with their figures, so that a reader can do the sum again. */
#include "conf/arithmetic.h"

#include <inttypes.h>

#include "conf/value.h"

const char *
arithmetic_way(const struct conf_port *p, char buf[ARITHMETIC_LEN])
{
	char distance[AMOUNT_LEN], delay[AMOUNT_LEN];
	bool fixed = p->delay_ns != 0 && !p->delay_emulate;

	amount_show(AMOUNT_DISTANCE, p->distance_m, distance);
	amount_show(AMOUNT_TIME, p->delay_ns, delay);
	if (p->distance_m == 0)
		snprintf(buf, ARITHMETIC_LEN, "%s", fixed ? delay : "0");
	else
		snprintf(buf, ARITHMETIC_LEN, "%s x %u ns/m%s%s", distance, CONF_NS_PER_M,
			fixed ? " + " : "", fixed ? delay : "");
	return buf;
}

const char *
arithmetic_flight(const struct conf_port *p, char buf[ARITHMETIC_LEN])
{
	bool sum = p->distance_m != 0 && p->delay_ns != 0 && !p->delay_emulate;
	char way[ARITHMETIC_LEN], rate[AMOUNT_LEN];

	snprintf(buf, ARITHMETIC_LEN, "2 x %s%.120s%s x %s/s", sum ? "(" : "",
		arithmetic_way(p, way), sum ? ")" : "",
		amount_show(AMOUNT_BITS, p->rate_bps, rate));
	return buf;
}

static void
headroom_terms(const struct conf_port *p, char *buf, size_t size)
{
	struct conf_headroom h = conf_headroom(p);
	char flight[ARITHMETIC_LEN], flight_is[AMOUNT_LEN], frames_is[AMOUNT_LEN];
	char response[AMOUNT_LEN], rate[AMOUNT_LEN], response_is[AMOUNT_LEN];

	snprintf(buf, size,
		"%.160s = %s, 2 x (%u + %u) B + %u B = %s, response %s x %s/s = %s; headroom ",
		arithmetic_flight(p, flight), amount_round(AMOUNT_SIZE, h.flight, flight_is),
		p->mtu, CONF_FRAME_EXTRA, CONF_PAUSE_BYTES,
		amount_round(AMOUNT_SIZE, h.frames + h.pause, frames_is),
		amount_round(AMOUNT_TIME, CONF_RESPONSE_NS, response),
		amount_show(AMOUNT_BITS, p->rate_bps, rate),
		amount_round(AMOUNT_SIZE, h.response, response_is));
}

const char *
arithmetic_pfc(const struct conf_port *p, char buf[ARITHMETIC_LEN])
{
	char terms[ARITHMETIC_LEN] = "headroom ", headroom[AMOUNT_LEN], xoff[AMOUNT_LEN];
	char sum[AMOUNT_LEN];

	if (p->pfc.headroom_auto)
		headroom_terms(p, terms, sizeof(terms));
	snprintf(buf, ARITHMETIC_LEN, "%.200s%s + xoff %s = %s", terms,
		amount_round(AMOUNT_SIZE, p->pfc.headroom, headroom),
		amount_round(AMOUNT_SIZE, p->pfc.xoff, xoff),
		amount_round(AMOUNT_SIZE, conf_pfc_bytes(p), sum));
	return buf;
}
