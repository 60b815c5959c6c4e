/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a field wants, in words: the second half of every message, and the type column of the
 * reference.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "conf/field.h"

/* `poll or adaptive`; for a set `5tuple, dest_qp`. */
static void
join_words(const struct field *f, const char *last_sep, char *buf, size_t size)
{
	const struct field_word *w = f->words;
	size_t n = 0, i = 0, supported = 0;

	for (const struct field_word *x = w; x->word != NULL; x++)
		supported += x->refused == NULL;
	buf[0] = '\0';
	for (; w->word != NULL && n < size; w++) {
		if (w->refused != NULL)
			continue;
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
			i == 0               ? ""
			: i + 1 == supported ? last_sep
					     : ", ",
			w->word);
		i++;
	}
}

static void
want_int(const struct field *f, char *buf)
{
	if (f->hex)
		snprintf(buf, FIELD_WANT_LEN,
			"a hexadecimal number from 0x%04" PRIx64 " to 0x%04" PRIx64, f->min,
			f->max);
	else if (f->min == f->max)
		snprintf(buf, FIELD_WANT_LEN, "%" PRIu64, f->min);
	else
		snprintf(buf, FIELD_WANT_LEN, "%s%s from %" PRIu64 " to %" PRIu64,
			f->words ? "auto or " : "", f->pow2 ? "a power of two" : "a number", f->min,
			f->max);
}

static void
want_list(const struct field *f, char *buf)
{
	if (f->min == 0)
		snprintf(buf, FIELD_WANT_LEN, "a list of at most %" PRIu64, f->max);
	else
		snprintf(buf, FIELD_WANT_LEN, "a list of %" PRIu64 " to %" PRIu64, f->min, f->max);
}

static void
want_amount(const struct field *f, char *buf)
{
	char lo[AMOUNT_LEN], hi[AMOUNT_LEN], words[64] = "";

	if (f->words != NULL)
		join_words(f, ", ", words, sizeof(words));
	snprintf(buf, FIELD_WANT_LEN, "%s%s%s from %s to %s", words, f->words ? " or " : "",
		amount_noun(f->amount), amount_show(f->amount, f->min, lo),
		amount_show(f->amount, f->max, hi));
}

/* `a list of 5tuple, dest_qp or `: the short form of the mapping. */
static void
want_short(const struct field *f, char *buf, size_t size)
{
	char words[128];

	for (size_t i = 0; i < f->item->n; i++) {
		if (strcmp(f->item->field[i].key, f->list_is) != 0)
			continue;
		join_words(&f->item->field[i], ", ", words, sizeof(words));
		snprintf(buf, size, "a list of %s, or ", words);
	}
}

static void
want_map(const struct field *f, char *buf)
{
	char words[64] = "", list[FIELD_WANT_LEN / 2] = "";

	if (f->list_is != NULL)
		want_short(f, list, sizeof(list));
	if (f->words != NULL)
		join_words(f, ", ", words, sizeof(words));
	snprintf(buf, FIELD_WANT_LEN, "%s%s%sa mapping", list, words, f->words ? " or " : "");
}

static void
want_words(const struct field *f, char *buf)
{
	char words[128];

	join_words(f, f->type == FIELD_FLAGS ? ", " : " or ", words, sizeof(words));
	snprintf(buf, FIELD_WANT_LEN, "%s%s", f->type == FIELD_FLAGS ? "a list of " : "", words);
}

static const char *const want_fixed[] = {
	[FIELD_BOOL] = "true or false",
	[FIELD_NAME] = "a name like [a-z0-9][a-z0-9_.-]* of at most 31 characters",
	[FIELD_STRING] = "a text that is not empty",
	[FIELD_MAC] = "a unicast MAC such as \"02:00:00:00:00:01\"",
	[FIELD_ADDR] = "an IPv4 or IPv6 unicast address",
	[FIELD_IFADDR] = "an address with its prefix length",
	[FIELD_PREFIX] = "a prefix such as 10.2.0.0/16",
	[FIELD_PORT] = "the name of a port",
	[FIELD_GROUP] = "the name of a group",
	[FIELD_DEVICE] = "the name of a device in dsf.devices",
	[FIELD_END] = "a port as NODE.PORT",
	[FIELD_DSCP] = "a DSCP or a range of them from 0 to 63",
	[FIELD_DSCPS] = "a list of DSCPs from 0 to 63 such as [24-31, 48]",
};

const char *
field_want(const struct field *f, char buf[FIELD_WANT_LEN])
{
	switch (f->type) {
	case FIELD_INT:
		want_int(f, buf);
		break;
	case FIELD_ENUM:
	case FIELD_FLAGS:
		want_words(f, buf);
		break;
	case FIELD_AMOUNT:
		want_amount(f, buf);
		break;
	case FIELD_MAP:
		want_map(f, buf);
		break;
	case FIELD_LIST:
	case FIELD_PLACED:
		want_list(f, buf);
		break;
	default:
		snprintf(buf, FIELD_WANT_LEN, "%s%s", f->or_one ? "a DSCP, a range or " : "",
			want_fixed[f->type]);
	}
	return buf;
}
