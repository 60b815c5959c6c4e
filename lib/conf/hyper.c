/* SPDX-License-Identifier: BSD-3-Clause */
/* Skew of a hyper port's members against what resequencing may hold. See hyper.h. */
#include "conf/hyper.h"

#include <inttypes.h>

#include "conf/arithmetic.h"
#include "conf/errors.h"
#include "conf/headroom.h"
#include "conf/value.h"

static uint64_t
slowest_ns(const struct conf_port *p)
{
	return conf_one_way_ns(p) + p->impair_out.jitter_ns;
}

static const struct conf_port *
slowest(const struct conf *c, const struct conf_hyper *h)
{
	const struct conf_port *most = &c->port[h->member[0]];

	for (size_t i = 1; i < h->n_members; i++)
		if (slowest_ns(&c->port[h->member[i]]) > slowest_ns(most))
			most = &c->port[h->member[i]];
	return most;
}

static const struct conf_port *
fastest(const struct conf *c, const struct conf_hyper *h)
{
	const struct conf_port *least = &c->port[h->member[0]];

	for (size_t i = 1; i < h->n_members; i++)
		if (conf_one_way_ns(&c->port[h->member[i]]) < conf_one_way_ns(least))
			least = &c->port[h->member[i]];
	return least;
}

uint64_t
conf_hyper_skew_ns(const struct conf *c, const struct conf_hyper *h)
{
	return slowest_ns(slowest(c, h)) - conf_one_way_ns(fastest(c, h));
}

uint64_t
conf_hyper_frames(const struct conf *c, const struct conf_hyper *h)
{
	uint64_t bytes = conf_bytes(h->as_port.rate_bps, conf_hyper_skew_ns(c, h));

	return bytes / (h->as_port.mtu * 3u / 4);
}

uint64_t
conf_hyper_held_bytes(const struct conf *c, const struct conf_hyper *h)
{
	uint64_t window = (uint64_t)h->window * (c->port[h->member[0]].mtu + CONF_FRAME_EXTRA);
	uint64_t timeout = conf_bytes(h->as_port.rate_bps, h->timeout_ns);

	return timeout != 0 && timeout < window ? timeout : window;
}

const char *
conf_hyper_skew_text(const struct conf *c, const struct conf_hyper *h, char buf[CONF_HYPER_TEXT])
{
	const struct conf_port *most = slowest(c, h), *least = fastest(c, h);
	char far[ARITHMETIC_LEN], near[ARITHMETIC_LEN], jitter[AMOUNT_LEN], skew[AMOUNT_LEN];

	amount_show(AMOUNT_TIME, most->impair_out.jitter_ns, jitter);
	snprintf(buf, CONF_HYPER_TEXT, "%s %.60s%s%s - %s %.60s = %s", most->name,
		arithmetic_way(most, far), most->impair_out.jitter_ns != 0 ? " + jitter " : "",
		most->impair_out.jitter_ns != 0 ? jitter : "", least->name,
		arithmetic_way(least, near),
		amount_round(AMOUNT_TIME, conf_hyper_skew_ns(c, h), skew));
	return buf;
}

void
warn_hypers(const struct conf *c, struct conf_errors *w)
{
	for (size_t i = 0; i < c->n_hypers; i++) {
		const struct conf_hyper *h = &c->hyper[i];
		uint64_t n = conf_hyper_frames(c, h);
		char skew[CONF_HYPER_TEXT], rate[AMOUNT_LEN];

		if (n <= h->window)
			continue;
		errors_add(w, h->pos,
			"hyperports.%s.window: got %" PRIu32 " packets, want %" PRIu64
			": skew %s, x %s/s / %u B (3/4 of the MTU): as it is, those by the slower "
			"members are given up at the full rate",
			h->name, h->window, n, conf_hyper_skew_text(c, h, skew),
			amount_show(AMOUNT_BITS, h->as_port.rate_bps, rate),
			h->as_port.mtu * 3u / 4);
	}
}
