/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Typed scalars: a text in, a value out, or -EINVAL with a hint that says what about the text is
 * wrong. The parser never guesses a type: the schema asks for one. Pure, any thread.
 *
 * All take a NUL-terminated text. `h` may be NULL; without a special hint it becomes "".
 */
#ifndef CONF_VALUE_H
#define CONF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

struct hint {
	char text[128];
};

/* Plain decimal, 0..2^64-1: no sign, no leading zero, no `_`, no exponent, no unit. */
int value_int(const char *s, uint64_t *ret, struct hint *h);

/* Hexadecimal: `0x88b5`, in either case of letters. */
int value_hex(const char *s, uint64_t *ret, struct hint *h);

/* Reads `n` digits; -EINVAL for a leading zero and for what 64 bits do not hold. */
int value_digits(const char *s, size_t n, uint64_t *ret, struct hint *h);

/* Amounts: a number and one of the kind's units. */
enum amount {
	AMOUNT_SIZE,     /* `512MB`: B, KB to TB by 1000, KiB to TiB by 1024; whole. Bytes */
	AMOUNT_RATE,     /* `20kpps`: pps to Gpps; whole. Packets a second */
	AMOUNT_BITS,     /* `2.5Gbit`: bit, kbit or Kbit to Tbit. Bits a second */
	AMOUNT_DISTANCE, /* `0.5km`: m, km. Metres */
	AMOUNT_TIME,     /* `5ms`: ns to s. Nanoseconds */
	AMOUNT_PART,     /* `0.1%`: %, ppm, ppb. Of 10^9 */
};

/* Reads one; decimals only where they come to a whole number of the base unit. */
int amount_read(enum amount kind, const char *s, uint64_t *ret, struct hint *h);
int value_size(const char *s, uint64_t *ret, struct hint *h);
int value_rate(const char *s, uint64_t *ret, struct hint *h);

#define AMOUNT_LEN 32u
/* As the file could have it: in the largest decimal unit that divides it, `512MB`. Returns `buf`.
 */
const char *amount_show(enum amount kind, uint64_t x, char buf[AMOUNT_LEN]);
/* For people: `11.253 MB`, cut behind three decimals. Returns `buf`. */
const char *amount_round(enum amount kind, uint64_t x, char buf[AMOUNT_LEN]);
const char *amount_noun(enum amount kind);  /* `a size` */
const char *amount_units(enum amount kind); /* `size (B, KB, ...)` */
const char *amount_base(enum amount kind);  /* `B` */

/* `true` or `false`; YAML 1.1's other words (yes, on, ...) are refused. */
int value_bool(const char *s, bool *ret, struct hint *h);

/* `[a-z0-9][a-z0-9_.-]*`, shorter than CONF_NAME_MAX. `len` because it may hold a NUL. */
int value_name(const char *s, size_t len, struct hint *h);

/* Six pairs of hex digits with colons; unicast, not all zero. */
int value_mac(const char *s, uint8_t ret[6], struct hint *h);

/* An IPv4 or IPv6 unicast address: `10.9.0.1`. */
int value_addr(const char *s, struct conf_addr *ret, struct hint *h);

/* The same with the length of its network's prefix: `10.1.0.1/31`. */
int value_ifaddr(const char *s, struct conf_addr *ret, struct hint *h);

/* A prefix without host bits: `10.2.0.0/16`. */
int value_prefix(const char *s, struct conf_addr *ret, struct hint *h);

/* One DSCP or a range: `48`, `24-31`; at most 63 (RFC 2474). A mask, bit n for DSCP n. */
int value_dscp(const char *s, uint64_t *ret_mask, struct hint *h);

/* Writes a hint and returns -EINVAL. */
int hint_say(struct hint *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Long enough for an address and its prefix length. */
#define VALUE_ADDR_LEN 56u
/* Writes `10.2.0.0/16`, or without the length when `len_too` is false. Returns `buf`. */
const char *value_addr_show(const struct conf_addr *a, bool len_too, char buf[VALUE_ADDR_LEN]);

/* Clears the host bits. */
struct conf_addr value_network(const struct conf_addr *a);

#endif
