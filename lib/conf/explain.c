/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `--check --explain`: the figures of queues, each with its arithmetic, for a person. Works on a
 * finished struct conf; says nothing of what the whole node's memory holds, which is ctl's.
 */
#include "conf/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "conf/arithmetic.h"
#include "conf/fabric.h"
#include "conf/hyper.h"
#include "conf/value.h"

#define LABEL_WIDTH 16
#define VALUE_WIDTH 14

void
explain_row(FILE *out, const char *label, const char *value, const char *how, ...)
{
	char text[ARITHMETIC_LEN];
	va_list ap;

	va_start(ap, how);
	vsnprintf(text, sizeof(text), how, ap);
	va_end(ap);
	if (text[0] == '\0')
		fprintf(out, "  %-*s  %s\n", LABEL_WIDTH, label, value);
	else
		fprintf(out, "  %-*s  %-*s  %s\n", LABEL_WIDTH, label, VALUE_WIDTH, value, text);
}

static const char *
size_show(uint64_t x, char buf[AMOUNT_LEN])
{
	return amount_round(AMOUNT_SIZE, x, buf);
}

static const char *
time_show(uint64_t ns, char buf[AMOUNT_LEN])
{
	return amount_round(AMOUNT_TIME, ns, buf);
}

static void
head(const struct conf_port *p, FILE *out)
{
	char rate[AMOUNT_LEN], distance[AMOUNT_LEN];

	fprintf(out, "port %s: %s", p->name, conf_role_name(p->role));
	if (p->rate_bps != 0)
		fprintf(out, ", %s/s of %s", amount_show(AMOUNT_BITS, p->rate_bps, rate),
			p->rate_l2 ? "frames (l2)" : "frames with preamble and gap (l1)");
	if (p->distance_m != 0)
		fprintf(out, ", %s", amount_show(AMOUNT_DISTANCE, p->distance_m, distance));
	fprintf(out, ", mtu %u\n", p->mtu);
}

static void
line_rows(const struct conf_port *p, FILE *out)
{
	char way[ARITHMETIC_LEN], is[AMOUNT_LEN], once[AMOUNT_LEN];

	if (conf_one_way_ns(p) == 0)
		return;
	explain_row(out, "one way", time_show(conf_one_way_ns(p), is), "%.200s",
		arithmetic_way(p, way));
	explain_row(out, "round trip", time_show(conf_round_trip_ns(p), is), "2 x %s",
		time_show(conf_one_way_ns(p), once));
	if (p->rate_bps != 0)
		explain_row(out, "BDP", size_show(conf_bdp_bytes(p), is), "%.200s",
			arithmetic_flight(p, way));
}

static void
delay_row(const struct conf_port *p, FILE *out)
{
	const struct conf_impair *i = &p->impair_out;
	char is[AMOUNT_LEN], rate[AMOUNT_LEN], delay[AMOUNT_LEN], jitter[AMOUNT_LEN];
	char held[AMOUNT_LEN];
	bool reorders = i->reorder_ppb != 0;

	if (conf_delay_line_bytes(p) == 0)
		return;
	explain_row(out, "delay line", size_show(conf_delay_line_bytes(p), is),
		"%s/s x (%s delay + %s jitter + %s of what is held back)",
		amount_show(AMOUNT_BITS, p->rate_bps, rate), time_show(p->delay_ns, delay),
		time_show(i->jitter_ns, jitter), time_show(reorders ? i->reorder_ns : 0, held));
}

/* Two classes whose marking is the same. */
static bool
same_ecn(const struct conf_ecn *a, const struct conf_ecn *b)
{
	if (a->mode == CONF_ECN_OFF || b->mode == CONF_ECN_OFF)
		return a->mode == b->mode;
	return a->mode == b->mode && a->is_auto == b->is_auto && a->mark.kmin == b->mark.kmin &&
	       a->mark.kmax == b->mark.kmax && a->mark.pmax_ppm == b->mark.pmax_ppm &&
	       a->drop.kmin == b->drop.kmin && a->drop.kmax == b->drop.kmax &&
	       a->drop.pmax_ppm == b->drop.pmax_ppm && a->control == b->control &&
	       a->not_ect_drop == b->not_ect_drop && a->phantom_permille == b->phantom_permille;
}

/* `ecn 0,1,4`: the classes from n on that mark as n does; bits of them. */
static unsigned int
name_classes(const struct conf_port *p, unsigned int n, char *buf, size_t size)
{
	unsigned int same = 0;
	size_t used = (size_t)snprintf(buf, size, "ecn");

	for (unsigned int i = n; i < CONF_CLASSES; i++)
		if (same_ecn(&p->class_ecn[n], &p->class_ecn[i]))
			same |= 1u << i;
	if (same == (1u << CONF_CLASSES) - 1) {
		snprintf(buf, size, "ecn");
		return same;
	}
	for (unsigned int i = n; i < CONF_CLASSES && used < size; i++)
		if ((same >> i & 1) != 0)
			used += (size_t)snprintf(
				buf + used, size - used, "%s%u", i == n ? " " : ",", i);
	return same;
}

static void
curve_rows(const struct conf_curve *c, const char *what, char from[2][ARITHMETIC_LEN], FILE *out)
{
	char is[AMOUNT_LEN], kmin[AMOUNT_LEN];
	char label[32];

	snprintf(label, sizeof(label), "  %s kmin", what);
	explain_row(out, label, size_show(c->kmin, is), "%.200s", from[0]);
	snprintf(label, sizeof(label), "  %s kmax", what);
	explain_row(out, label, size_show(c->kmax, is), "%.200s", from[1]);
	snprintf(label, sizeof(label), "  %s pmax", what);
	explain_row(out, label, amount_round(AMOUNT_PART, c->pmax_ppm * UINT64_C(1000), is),
		"as the backlog reaches kmax, from 0 at %s", size_show(c->kmin, kmin));
}

/* Where the marks' figures come from: for kmin at i 0, for kmax at 1. */
static void
mark_from(
	const struct conf_port *p, const struct conf_ecn *e, unsigned int i, char *buf, size_t size)
{
	static const char *const part[] = {"0.11", "0.23"}, *const time[] = {"32 us", "128 us"};
	const struct conf_curve *c = &e->mark;
	struct conf_curve full = conf_auto_curve(p);
	char bdp[AMOUNT_LEN], limit[AMOUNT_LEN], rate[AMOUNT_LEN];

	if (!e->is_auto)
		snprintf(buf, size, "as given");
	else if (c->kmax < full.kmax)
		snprintf(buf, size, "scaled down: the class's limit is %s",
			size_show(c->kmax, limit));
	else if (conf_bdp_bytes(p) == 0)
		snprintf(buf, size, "%s of %s/s; %u frames at least", time[i],
			amount_show(AMOUNT_BITS, p->rate_bps, rate), 2 + 2 * i);
	else
		snprintf(buf, size, "%s of one BDP, %s; %u frames at least", part[i],
			size_show(conf_bdp_bytes(p), bdp), 2 + 2 * i);
}

static void
ecn_rows(const struct conf_port *p, const struct conf_ecn *e, const char *label, FILE *out)
{
	static const char *const mode[] = {"off", "red", "phantom"};
	char from[2][ARITHMETIC_LEN], given[2][ARITHMETIC_LEN] = {"as given", "as given"};
	char drain[AMOUNT_LEN];

	if (e->mode == CONF_ECN_PHANTOM)
		explain_row(out, label, mode[e->mode], "the virtual queue drains at %s of the rate",
			amount_round(AMOUNT_PART, e->phantom_permille * UINT64_C(1000000), drain));
	else
		explain_row(out, label, mode[e->mode], "%s",
			e->mode == CONF_ECN_OFF ? "" : "by the backlog");
	if (e->mode == CONF_ECN_OFF)
		return;
	for (unsigned int i = 0; i < 2; i++)
		mark_from(p, e, i, from[i], sizeof(from[i]));
	curve_rows(&e->mark, "mark", from, out);
	if (e->drop.kmax != 0)
		curve_rows(&e->drop, "drop", given, out);
}

static void
all_ecn_rows(const struct conf_port *p, FILE *out)
{
	unsigned int done = 0;

	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		char label[48];

		if ((done >> n & 1) != 0)
			continue;
		done |= name_classes(p, n, label, sizeof(label));
		ecn_rows(p, &p->class_ecn[n], label, out);
	}
}

static void
headroom_rows(const struct conf_port *p, FILE *out)
{
	struct conf_headroom h = conf_headroom(p);
	char is[AMOUNT_LEN], text[ARITHMETIC_LEN], rate[AMOUNT_LEN], response[AMOUNT_LEN];

	if (!p->pfc.headroom_auto) {
		explain_row(out, "  headroom", size_show(p->pfc.headroom, is), "as given");
		explain_row(out, "  (it takes)", size_show(h.sum, is), "the sum of:");
	} else {
		explain_row(out, "  headroom", size_show(h.sum, is), "the sum of:");
	}
	explain_row(out, "    on the line", size_show(h.flight, is), "%.200s",
		arithmetic_flight(p, text));
	explain_row(out, "    frames", size_show(h.frames, is),
		"2 x (%u + %u) B: one just begun at each end", p->mtu, CONF_FRAME_EXTRA);
	explain_row(out, "    pause frame", size_show(h.pause, is), "%s", "");
	explain_row(out, "    response", size_show(h.response, is),
		"%s x %s/s: a software loop's turn", time_show(CONF_RESPONSE_NS, response),
		amount_show(AMOUNT_BITS, p->rate_bps, rate));
}

static void
pfc_rows(const struct conf_port *p, FILE *out)
{
	const struct conf_pfc *f = &p->pfc;
	char is[AMOUNT_LEN], half[AMOUNT_LEN], classes[32] = "class", bdp[AMOUNT_LEN];
	size_t n = strlen(classes);

	if (f->pos.line == 0)
		return;
	for (unsigned int i = 0; i < CONF_CLASSES; i++)
		if ((f->classes >> i & 1) != 0)
			n += (size_t)snprintf(classes + n, sizeof(classes) - n, "%s%u",
				n == strlen("class") ? " " : ",", i);
	explain_row(out, "pfc", classes,
		"%s, for each class:", f->hardware ? "by the NIC" : "by softbag");
	explain_row(out, "  xon", size_show(f->xon, is),
		"a round trip is %s; 2 frames more, 100 KB at least",
		size_show(conf_bdp_bytes(p), bdp));
	explain_row(out, "  xoff", size_show(f->xoff, is), "2 frames above xon");
	headroom_rows(p, out);
	explain_row(out, "  held at most", size_show(conf_pfc_bytes(p), is), "xoff + headroom");
	explain_row(out, "  pause", time_show(conf_pause_ns(p), is),
		"%u quanta x 512 bit; renewed within %s", f->quanta,
		time_show(conf_pause_ns(p) / 2, half));
}

static bool
has_queues(const struct conf_port *p)
{
	for (unsigned int n = 0; n < CONF_CLASSES; n++)
		if (p->class_ecn[n].mode != CONF_ECN_OFF)
			return true;
	return p->rate_bps != 0 || p->distance_m != 0 || p->delay_ns != 0 || p->pfc.pos.line != 0;
}

static void
explain_port(const struct conf_port *p, FILE *out)
{
	head(p, out);
	line_rows(p, out);
	delay_row(p, out);
	all_ecn_rows(p, out);
	pfc_rows(p, out);
	fputc('\n', out);
}

static void
explain_hyper(const struct conf *c, const struct conf_hyper *h, FILE *out)
{
	char is[AMOUNT_LEN], rate[AMOUNT_LEN], skew[CONF_HYPER_TEXT];

	fprintf(out, "hyperport %s: %zu members, %s, mtu %u\n", h->name, h->n_members,
		h->require_all ? "all or none" : "as many as there are", h->as_port.mtu);
	explain_row(out, "skew", time_show(conf_hyper_skew_ns(c, h), is), "%.200s",
		conf_hyper_skew_text(c, h, skew));
	explain_row(
		out, "timeout", time_show(h->timeout_ns, is), "no packet waits longer for others");
	snprintf(is, sizeof(is), "%u", h->window);
	explain_row(out, "window", is,
		"packets; the skew at %s/s is %" PRIu64 " of %u B (3/4 of the MTU)",
		amount_show(AMOUNT_BITS, h->as_port.rate_bps, rate), conf_hyper_frames(c, h),
		h->as_port.mtu * 3u / 4);
	all_ecn_rows(&h->as_port, out);
	fputc('\n', out);
}

static void
explain_classes(const struct conf *c, FILE *out)
{
	fputs("class  name              limit at a port  lossless  scheduler\n", out);
	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		const struct conf_class *k = &c->class_[n];
		char limit[AMOUNT_LEN];

		fprintf(out, "%5u  %-16s  %15s  %-8s  ", n, k->present ? k->name : "-",
			size_show(k->limit, limit), k->lossless ? "yes" : "no");
		if (k->strict)
			fputs("strict\n", out);
		else
			fprintf(out, "dwrr %u\n", k->dwrr);
	}
}

int
conf_explain(const struct conf *c, FILE *out)
{
	for (size_t i = 0; i < c->n_ports; i++)
		if (c->port[i].role != CONF_ROLE_DSF && has_queues(&c->port[i]))
			explain_port(&c->port[i], out);
	for (size_t i = 0; i < c->n_hypers; i++)
		explain_hyper(c, &c->hyper[i], out);
	if (conf_dsf_links(c) != 0)
		explain_dsf(c, out);
	explain_classes(c, out);
	return ferror(out) ? -EIO : 0;
}
