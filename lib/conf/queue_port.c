/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One port's queues, once its keys are read: what `auto` and `emulate` stand for (headroom.c), and
 * what needs a rate or a distance. Comes after queue_item.c; check_queue.c goes on with the
 * classes.
 *
 * A key that was there and could not be read has its error: nothing is said of it here.
 */
#include <inttypes.h>

#include "conf/dsf_item.h"
#include "conf/headroom.h"
#include "conf/queue_item.h"

/* A port under check. */
struct at_port {
	struct decode *d;
	uint32_t map;
	const struct path *path;
	struct conf_port *port;
};

static bool
says(const struct at_port *at, const char *key)
{
	return tree_get(at->d->tree, at->map, key) != TREE_NONE;
}

static bool
is_word(const struct at_port *at, const char *key, const char *word)
{
	return tree_is(at->d->tree, tree_get(at->d->tree, at->map, key), word);
}

static struct conf_pos
pos_of(const struct at_port *at, const char *key)
{
	uint32_t v = tree_get(at->d->tree, at->map, key);

	return tree_pos(at->d->tree, v == TREE_NONE ? at->map : v);
}

static void
resolve_delay(const struct at_port *at)
{
	struct conf_port *p = at->port;
	struct path here = path_key(at->path, "delay");

	if (p->delay_ns == DELAY_EMULATE) {
		p->delay_emulate = true;
		p->delay_ns = p->distance_m * CONF_NS_PER_M;
		if (!says(at, "distance"))
			path_error(at->d->errors, &here, pos_of(at, "delay"),
				"got emulate on a port without a distance, want `distance:` beside "
				"it, such as 80km");
	}
	if ((p->delay_ns != 0 || p->delay_emulate) && !says(at, "rate"))
		path_error(at->d->errors, &here, pos_of(at, "delay"),
			"got a delay on a port without a rate, want `rate:` beside it: the delay "
			"line takes rate x delay of memory, which has no bound without one");
}

static void
check_impair(const struct at_port *at)
{
	const struct conf_impair *i = &at->port->impair_out;
	struct path here = path_key(at->path, "impair");

	if ((i->jitter_ns != 0 || i->reorder_ppb != 0) && !says(at, "rate"))
		path_error(at->d->errors, &here, pos_of(at, "impair"),
			"got %s on a port without a rate, want `rate:` beside it: packets that "
			"wait "
			"take rate x time of memory, which has no bound without one",
			i->jitter_ns != 0 ? "jitter" : "reordering");
}

static const char *
mode_name(const struct conf_ecn *e)
{
	return e->mode == CONF_ECN_PHANTOM ? "phantom" : "auto";
}

/* The figures of one ecn of the port. */
static void
resolve_ecn(const struct at_port *at, struct conf_ecn *e, const char *key)
{
	struct path here = path_key(at->path, key);
	bool far = says(at, "distance") || (says(at, "delay") && !is_word(at, "delay", "off"));

	if (e->mode == CONF_ECN_OFF || (!e->is_auto && e->mode != CONF_ECN_PHANTOM))
		return;
	if (e->mode == CONF_ECN_RED && !says(at, "rate") && !far)
		path_error(at->d->errors, &here, e->pos,
			"got auto on a port without a rate and a distance, want both beside it, "
			"such as `rate: 100Gbit, distance: 80km` (or kmin, kmax and pmax)");
	else if (!says(at, "rate"))
		path_error(at->d->errors, &here, e->pos,
			"got %s on a port without a rate, want `rate:` beside it, such as 100Gbit",
			mode_name(e));
	else if (e->mode == CONF_ECN_RED && !far)
		path_error(at->d->errors, &here, e->pos,
			"got auto on a port without a distance, want `distance:` beside it, such "
			"as 80km (or kmin, kmax and pmax)");
	else if (e->is_auto && at->port->rate_bps != 0) {
		e->mark = conf_auto_curve(at->port);
		ecn_order_check(at->d, e, &here);
	}
}

/* Two frames below what an xoff was set to; half of it, when it has not as much. */
static uint64_t
xon_below(uint64_t xoff, const struct conf_port *p)
{
	uint64_t step = 2 * conf_frame_bytes(p);

	return xoff > 2 * step ? xoff - step : xoff / 2;
}

static void
resolve_thresholds(struct conf_port *p)
{
	struct conf_pfc *f = &p->pfc;
	bool xoff_auto = f->xoff == SIZE_AUTO;

	f->headroom_auto = f->headroom == SIZE_AUTO;
	if (f->headroom_auto)
		f->headroom = conf_headroom(p).sum;
	if (f->xon == SIZE_AUTO)
		f->xon = xoff_auto ? conf_xon_auto(p) : xon_below(f->xoff, p);
	if (xoff_auto)
		f->xoff = conf_xoff_auto(f->xon, p);
}

/* Who renews a pause that is shorter would fill the line with it. A NIC renews its own. */
static void
check_quanta(const struct at_port *at, uint32_t map, const struct path *up)
{
	const struct conf_port *p = at->port;
	uint64_t least = conf_quanta_least(p->rate_bps);
	struct path here = path_key(up, "quanta");
	uint32_t quanta = tree_get(at->d->tree, map, "quanta");
	char rate[AMOUNT_LEN], pause[AMOUNT_LEN];

	if (p->pfc.hardware || p->rate_bps == 0 || p->pfc.quanta >= least || quanta == TREE_NONE)
		return;
	path_error(at->d->errors, &here, tree_pos(at->d->tree, quanta),
		"got %u, want %" PRIu64 " at least at %s (a pause of %s): shorter ones would be "
		"renewed so often that they fill the line",
		p->pfc.quanta, least, amount_show(AMOUNT_BITS, p->rate_bps, rate),
		amount_round(AMOUNT_TIME, conf_quanta_ns((uint16_t)least, p->rate_bps), pause));
}

static void
resolve_pfc(const struct at_port *at)
{
	struct conf_pfc *f = &at->port->pfc;
	struct path up = path_key(at->path, "pfc"), here = path_key(&up, "xon");
	uint32_t map = tree_get(at->d->tree, at->map, "pfc");
	uint32_t xon = tree_get(at->d->tree, map, "xon");
	char low[AMOUNT_LEN], high[AMOUNT_LEN];

	if (f->pos.line == 0 || tree_at(at->d->tree, map)->type != TREE_MAP)
		return;
	if (!says(at, "rate"))
		path_error(at->d->errors, &up, f->pos,
			"got pfc on a port without a rate, want `rate:` beside it, such as "
			"100Gbit: headroom and thresholds are made of it");
	check_quanta(at, map, &up);
	resolve_thresholds(at->port);
	if (f->xon >= f->xoff)
		path_error(at->d->errors, &here,
			xon == TREE_NONE ? f->pos : tree_pos(at->d->tree, xon),
			"got %s, want less than xoff, which is %s",
			amount_show(AMOUNT_SIZE, f->xon, low),
			amount_show(AMOUNT_SIZE, f->xoff, high));
}

void
port_check(struct decode *d, uint32_t map, const struct path *p, void *out)
{
	struct at_port at = {.d = d, .map = map, .path = p, .port = out};

	if (at.port->role == CONF_ROLE_DSF) {
		dsf_port_check(d, map, p, out);
		check_impair(&at);
		return;
	}
	resolve_delay(&at);
	check_impair(&at);
	resolve_ecn(&at, &at.port->ecn, "ecn");
	for (size_t i = 0; i < CONF_CLASSES; i++)
		resolve_ecn(&at, &at.port->class_ecn[i], "ecn_by_class");
	resolve_pfc(&at);
}
