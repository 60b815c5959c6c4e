/* SPDX-License-Identifier: BSD-3-Clause */
/* What of queues is allowed and probably not meant. A part of warn.c. */
#include "conf/warn_queue.h"

#include "conf/arithmetic.h"
#include "conf/errors.h"
#include "conf/value.h"

static void
warn_lossless(const struct conf *c, unsigned int n, struct conf_errors *w)
{
	if (!c->class_[n].lossless)
		return;
	for (size_t i = 0; i < c->n_ports; i++)
		if ((c->port[i].pfc.classes >> n & 1) != 0)
			return;
	errors_add(w, c->class_[n].pos,
		"classes.%s.lossless: got a lossless class that no port pauses, want it in a "
		"port's "
		"pfc: as it is, it drops at its limit like any other",
		c->class_[n].name);
}

static void
warn_class_ecn(const struct conf *c, unsigned int n, struct conf_errors *w)
{
	const struct conf_ecn *e = &c->class_[n].ecn;

	if (e->mode == CONF_ECN_OFF)
		return;
	for (size_t i = 0; i < c->n_ports; i++)
		if (c->port[i].class_ecn[n].mode != CONF_ECN_OFF)
			return;
	errors_add(w, e->pos,
		"classes.%s.ecn: got %s, and no port whose rate and distance give it figures, want "
		"`rate` and `distance` at a port: as it is, nothing is marked",
		c->class_[n].name, e->mode == CONF_ECN_PHANTOM ? "phantom" : "auto");
}

static void
warn_headroom(const struct conf_port *p, struct conf_errors *w)
{
	uint64_t need = conf_headroom(p).sum, bdp = conf_bdp_bytes(p);
	char is[AMOUNT_LEN], want[AMOUNT_LEN], text[ARITHMETIC_LEN];

	if (p->pfc.headroom < need)
		errors_add(w, p->pfc.pos,
			"ports.%s.pfc.headroom: got %s, want %s (auto): as it is, packets that are "
			"on "
			"their way when the port says XOFF may find no room",
			p->name, amount_show(AMOUNT_SIZE, p->pfc.headroom, is),
			amount_round(AMOUNT_SIZE, need, want));
	if (p->pfc.xon < bdp)
		errors_add(w, p->pfc.pos,
			"ports.%s.pfc.xon: got %s, want a round trip's %s = %s: as it is, the way "
			"out "
			"may run dry before the neighbour's first packet comes",
			p->name, amount_show(AMOUNT_SIZE, p->pfc.xon, is),
			arithmetic_flight(p, text), amount_round(AMOUNT_SIZE, bdp, want));
}

/* A renewal is due before half of it has run, and the loop comes round in CONF_RESPONSE_NS. */
static void
warn_pause(const struct conf_port *p, struct conf_errors *w)
{
	uint64_t pause = conf_pause_ns(p), need = UINT64_C(2) * CONF_RESPONSE_NS;
	char is[AMOUNT_LEN], want[AMOUNT_LEN];

	if (p->pfc.hardware || p->rate_bps == 0 || pause >= need)
		return;
	errors_add(w, p->pfc.pos,
		"ports.%s.pfc.quanta: got a pause of %s, want %s: as it is, it may run out before "
		"softbag comes round to renew it%s",
		p->name, amount_round(AMOUNT_TIME, pause, is), amount_show(AMOUNT_TIME, need, want),
		p->pfc.quanta == UINT16_MAX ? "; only `mode: hardware` is as fast as this rate"
					    : "");
}

static void
warn_port(const struct conf_port *p, struct conf_errors *w)
{
	if (p->role == CONF_ROLE_LONGHAUL && p->distance_m != 0 && p->rate_bps == 0)
		errors_add(w, p->pos,
			"ports.%s.distance: got it without a rate, want `rate:` beside it: as it "
			"is, "
			"nothing is computed from it",
			p->name);
	if (p->rate_l2 && p->rate_bps == 0)
		errors_add(w, p->pos, "ports.%s.rate_layer: got it without a rate, want both",
			p->name);
	if (p->pfc.pos.line == 0)
		return;
	warn_headroom(p, w);
	warn_pause(p, w);
}

void
warn_queues(const struct conf *c, struct conf_errors *w)
{
	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		warn_lossless(c, n, w);
		warn_class_ecn(c, n, w);
	}
	for (size_t i = 0; i < c->n_ports; i++)
		warn_port(&c->port[i], w);
}
