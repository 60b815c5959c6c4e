/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and texts of drop reasons and punt kinds, for counters and people. */
#include "pkt/drop.h"

struct word {
	const char *name, *text;
};

static const struct word drop_words[DROP_N] = {
#define X(n, t) [DROP_##n] = {#n, t},
	DROP_REASONS(X)
#undef X
};

static const struct word punt_words[PUNT_N] = {
#define X(n, t) [PUNT_##n] = {#n, t},
	PUNT_KINDS(X)
#undef X
};

const char *
drop_name(enum drop_reason reason)
{
	return drop_words[reason].name;
}

const char *
drop_text(enum drop_reason reason)
{
	return drop_words[reason].text;
}

const char *
punt_name(enum punt_kind kind)
{
	return punt_words[kind].name;
}

const char *
punt_text(enum punt_kind kind)
{
	return punt_words[kind].text;
}
