/* SPDX-License-Identifier: BSD-3-Clause */
/* Options whose values are amounts with units, as a node file has them. args.c calls it. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "args.h"
#include "conf/value.h"

#define BITS_MIN UINT64_C(1000)          /* a frame of 1500 bytes takes 12 s */
#define BITS_MAX UINT64_C(1600000000000) /* as fast as a port is taken to be anywhere */
#define PPS_MAX  UINT64_C(10000000000)   /* a pace's own bound */

#define STEP_MIN_NS UINT64_C(1000)
#define STEP_MAX_NS UINT64_C(3600000000000)

static bool
is_packets(const char *text)
{
	size_t len = strlen(text);

	return len >= 3 && strcasecmp(text + len - 3, "pps") == 0;
}

/* `text` is not an amount of that kind from `low` to `high`. */
static enum args_verdict
wrong_amount(const char *option, const char *text, enum amount kind, uint64_t low, uint64_t high,
	const struct hint *h)
{
	char from[AMOUNT_LEN], to[AMOUNT_LEN];

	return args_wrong("--%s: got '%s', want %s from %s to %s%s%s%s.", option, text,
		amount_noun(kind), amount_show(kind, low, from), amount_show(kind, high, to),
		h->text[0] == '\0' ? "" : " (", h->text, h->text[0] == '\0' ? "" : ")");
}

static bool
read_amount(enum amount kind, const char *text, uint64_t low, uint64_t high, uint64_t *ret,
	struct hint *h)
{
	uint64_t x;

	if (amount_read(kind, text, &x, h) != 0 || x < low || x > high)
		return false;
	*ret = x;
	return true;
}

enum args_verdict
args_rate(const char *text, struct args *a)
{
	const char *equals = strchr(text, '=');
	struct args_rate *r = &a->rate[a->n_rates];
	struct hint h = {""};
	enum amount kind;
	uint64_t low, high;

	if (equals == NULL || equals == text || equals[1] == '\0' ||
		equals - text >= (ptrdiff_t)sizeof(r->port))
		return args_wrong("--rate: got '%s', want PORT=RATE, such as nsf0=20Gbit or "
				  "nsf0=3Mpps.",
			text);
	if (a->n_rates == ARGS_INPUTS_MAX)
		return args_wrong(
			"--rate: more than %u; no node has as many ports.", ARGS_INPUTS_MAX);
	memcpy(r->port, text, (size_t)(equals - text));
	r->port[equals - text] = '\0';
	r->packets = is_packets(equals + 1);
	kind = r->packets ? AMOUNT_RATE : AMOUNT_BITS;
	low = r->packets ? 1 : BITS_MIN;
	high = r->packets ? PPS_MAX : BITS_MAX;
	if (!read_amount(kind, equals + 1, low, high, &r->per_s, &h))
		return wrong_amount("rate", text, kind, low, high, &h);
	a->n_rates++;
	return ARGS_RUN;
}

enum args_verdict
args_series_step(const char *text, struct args *a)
{
	struct hint h = {""};

	if (!read_amount(AMOUNT_TIME, text, STEP_MIN_NS, STEP_MAX_NS, &a->series_ns, &h))
		return wrong_amount("series-step", text, AMOUNT_TIME, STEP_MIN_NS, STEP_MAX_NS, &h);
	return ARGS_RUN;
}

static bool
has_capture(const struct args *a, const char *port)
{
	for (size_t i = 0; i < a->n_inputs; i++)
		if (strcmp(a->input[i].port, port) == 0)
			return true;
	return false;
}

enum args_verdict
args_check_rates(const struct args *a)
{
	for (size_t i = 0; i < a->n_rates; i++) {
		const char *port = a->rate[i].port;

		if (!has_capture(a, port))
			return args_wrong(
				"--rate %s: no capture comes in by %s; give --in %s=FILE.", port,
				port, port);
		for (size_t k = 0; k < i; k++)
			if (strcmp(a->rate[k].port, port) == 0)
				return args_wrong(
					"--rate %s: a port has one rate; give one.", port);
	}
	return ARGS_RUN;
}
