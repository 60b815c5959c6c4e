/* SPDX-License-Identifier: BSD-3-Clause */
/* From values to texts, by the same tables that read them. Called by dump.c and diff.c. */
#include "conf/field_text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#define NONE "none"

static uint64_t
load(const void *at, uint8_t size)
{
	uint64_t v64 = 0;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		memcpy(&v16, at, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, at, sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, at, sizeof(v64));
		return v64;
	default:
		return 0;
	}
}

static bool
is_number(const struct field *f)
{
	return f->type == FIELD_INT || f->type == FIELD_AMOUNT || f->type == FIELD_ENUM ||
	       f->type == FIELD_FLAGS || f->type == FIELD_DSCPS;
}

/* What a field of numbers holds, in base units. */
static uint64_t
number(const struct field *f, const void *in)
{
	uint64_t v = load(field_at(f, in), f->size);

	return f->type == FIELD_AMOUNT && f->scale != 0 ? v * f->scale : v;
}

static bool
has(const struct field *f, const void *in)
{
	bool is;

	memcpy(&is, (const char *)in + f->has_offset, sizeof(is));
	return is;
}

static const struct field_word *
word_of(const struct field *f, uint64_t value)
{
	for (const struct field_word *w = f->words; w != NULL && w->word != NULL; w++)
		if (w->refused == NULL && w->value == value)
			return w;
	return NULL;
}

static size_t
n_named(const struct field *f, const struct conf *c)
{
	return f->type == FIELD_PORT    ? c->n_ports + (f->or_hyper ? c->n_hypers : 0)
	       : f->type == FIELD_GROUP ? c->n_groups
					: c->dsf.n_devices;
}

/* The name that a reference stands for, or NULL. */
static const char *
name_of(const struct field *f, const struct conf *c, const void *in)
{
	uint64_t idx = load(field_at(f, in), f->size);

	if (idx >= n_named(f, c))
		return NULL;
	if (f->type == FIELD_PORT && idx >= c->n_ports)
		return c->hyper[idx - c->n_ports].name;
	return f->type == FIELD_PORT    ? c->port[idx].name
	       : f->type == FIELD_GROUP ? c->group[idx].name
					: c->dsf.device[idx].name;
}

static bool
is_reference(const struct field *f)
{
	return f->type == FIELD_PORT || f->type == FIELD_GROUP || f->type == FIELD_DEVICE;
}

static bool
is_address(const struct field *f)
{
	return f->type == FIELD_ADDR || f->type == FIELD_IFADDR || f->type == FIELD_PREFIX;
}

static const char *
string(const struct field *f, const void *in)
{
	const char *s;

	memcpy(&s, field_at(f, in), sizeof(s));
	return s;
}

bool
field_is_said(const struct field *f, const void *in)
{
	if (f->has && !has(f, in))
		return false;
	if (is_address(f))
		return ((const struct conf_addr *)field_at(f, in))->family != 0;
	if (is_reference(f))
		return load(field_at(f, in), f->size) !=
		       (f->size == sizeof(uint16_t) ? UINT16_MAX : UINT32_MAX);
	if (f->type == FIELD_STRING)
		return string(f, in) != NULL;
	if (f->type == FIELD_INT || f->type == FIELD_AMOUNT)
		return f->size == 0 || (number(f, in) >= f->min && number(f, in) <= f->max) ||
		       word_of(f, load(field_at(f, in), f->size)) != NULL;
	return true;
}

bool
field_is_default(const struct field *f, const void *in)
{
	uint64_t mask = f->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * f->size) - 1;

	if (!field_is_said(f, in))
		return true;
	if (f->size == 0 && is_number(f)) /* checked and not stored */
		return true;
	if (f->required || f->has)
		return false;
	if (f->type == FIELD_BOOL)
		return load(field_at(f, in), sizeof(bool)) == f->def;
	if (f->type == FIELD_AMOUNT)
		return number(f, in) == f->def;
	return is_number(f) && number(f, in) == (f->def & mask);
}

/* Bytes of a value that memcmp() may compare. */
static size_t
value_len(const struct field *f)
{
	return f->type == FIELD_BOOL   ? sizeof(bool)
	       : f->type == FIELD_MAC  ? 6
	       : is_address(f)         ? sizeof(struct conf_addr)
	       : f->type == FIELD_NAME ? 0
				       : f->size;
}

static bool
same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool
field_same(const struct field *f, const struct conf *ca, const void *a, const struct conf *cb,
	const void *b)
{
	if (field_is_said(f, a) != field_is_said(f, b))
		return false;
	if (!field_is_said(f, a))
		return true;
	if (is_reference(f))
		return same_text(name_of(f, ca, a), name_of(f, cb, b));
	if (f->type == FIELD_STRING)
		return same_text(string(f, a), string(f, b));
	if (f->type == FIELD_NAME)
		return strcmp(field_at(f, a), field_at(f, b)) == 0;
	return memcmp(field_at(f, a), field_at(f, b), value_len(f)) == 0;
}

/* Plain where nothing of YAML could take it for something else. */
static bool
is_plain(const char *s)
{
	static const char *const words[] = {
		"off", "on", "yes", "no", "y", "n", "true", "false", "null", "~"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(s, words[i]) == 0)
			return false;
	return s[0] != '\0' && s[0] != '-' &&
	       s[strspn(
		       s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%-")] ==
		       '\0';
}

static void
write_string(const char *s, FILE *out)
{
	if (is_plain(s)) {
		fputs(s, out);
		return;
	}
	fputc('"', out);
	for (const char *p = s; *p != '\0'; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
	fputc('"', out);
}

static void
write_number(const struct field *f, const void *in, FILE *out)
{
	const struct field_word *w = word_of(f, load(field_at(f, in), f->size));
	char amount[AMOUNT_LEN];

	if (f->size == 0) /* checked and not stored: there is one value */
		fprintf(out, "%" PRIu64, f->min);
	else if (w != NULL)
		write_string(w->word, out);
	else if (f->type == FIELD_AMOUNT)
		fputs(amount_show(f->amount, number(f, in), amount), out);
	else
		fprintf(out, f->hex ? "0x%04" PRIx64 : "%" PRIu64, number(f, in));
}

static void
write_flags(const struct field *f, uint64_t set, FILE *out)
{
	const char *sep = "[";

	for (const struct field_word *w = f->words; w->word != NULL; w++) {
		if ((w->value & set) == 0)
			continue;
		fprintf(out, "%s%s", sep, w->word);
		sep = ", ";
	}
	fputs(set == 0 ? "[]" : "]", out);
}

/* `[26, 32-39]`. */
static void
write_dscps(uint64_t set, FILE *out)
{
	const char *sep = "[";

	for (unsigned int d = 0; d < CONF_DSCPS; d++) {
		unsigned int last = d;

		if (!(set >> d & 1))
			continue;
		while (last + 1 < CONF_DSCPS && (set >> (last + 1) & 1))
			last++;
		fprintf(out, last == d ? "%s%u" : "%s%u-%u", sep, d, last);
		sep = ", ";
		d = last;
	}
	fputs(set == 0 ? "[]" : "]", out);
}

static void
write_list(const struct field *f, const struct conf *c, const void *in, FILE *out)
{
	const void *items;
	size_t n = field_list(f, in, &items);

	fputc('[', out);
	for (size_t i = 0; i < n; i++) {
		fputs(i == 0 ? "" : ", ", out);
		field_write(f->element, c, (const char *)items + i * f->item_size, out);
	}
	fputc(']', out);
}

void
field_write(const struct field *f, const struct conf *c, const void *in, FILE *out)
{
	const uint8_t *mac = field_at(f, in);
	char addr[VALUE_ADDR_LEN];

	if (f->type != FIELD_LIST && !field_is_said(f, in)) {
		fputs(NONE, out);
		return;
	}
	switch (f->type) {
	case FIELD_BOOL:
		fputs(load(field_at(f, in), sizeof(bool)) ? "true" : "false", out);
		break;
	case FIELD_NAME:
		write_string(field_at(f, in), out);
		break;
	case FIELD_STRING:
		write_string(string(f, in), out);
		break;
	case FIELD_MAC:
		fprintf(out, "\"%02x:%02x:%02x:%02x:%02x:%02x\"", mac[0], mac[1], mac[2], mac[3],
			mac[4], mac[5]);
		break;
	case FIELD_ADDR:
	case FIELD_IFADDR:
	case FIELD_PREFIX:
		write_string(value_addr_show(field_at(f, in), f->type != FIELD_ADDR, addr), out);
		break;
	case FIELD_PORT:
	case FIELD_GROUP:
	case FIELD_DEVICE:
		write_string(name_of(f, c, in) == NULL ? NONE : name_of(f, c, in), out);
		break;
	case FIELD_FLAGS:
		write_flags(f, number(f, in), out);
		break;
	case FIELD_DSCPS:
		write_dscps(number(f, in), out);
		break;
	case FIELD_LIST:
		write_list(f, c, in, out);
		break;
	default:
		write_number(f, in, out);
	}
}

size_t
field_list(const struct field *f, const void *in, const void **ret_items)
{
	size_t n;

	memcpy(ret_items, field_at(f, in), sizeof(*ret_items));
	memcpy(&n, (const char *)in + f->n_offset, sizeof(n));
	return n;
}

bool
field_map_present(const struct field *f, const void *in)
{
	struct conf_pos pos;

	if (!f->item->with_pos || f->item->part)
		return true;
	memcpy(&pos, (const char *)field_at(f, in) + f->item->pos_offset, sizeof(pos));
	return pos.line != 0;
}
