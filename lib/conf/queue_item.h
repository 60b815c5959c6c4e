/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hooks of the tables in schema_queue.c and schema_port.c: words in the place of mappings, items on
 * their way to a place, and checks within one port.
 */
#ifndef CONF_QUEUE_ITEM_H
#define CONF_QUEUE_ITEM_H

#include "conf/field.h"

#define DSCP_NONE        0xffu      /* in dscp_class and dscp_rewrite */
#define SIZE_AUTO        UINT64_MAX /* of headroom, xoff and xon, until port_check() */
#define DELAY_EMULATE    UINT64_MAX /* of delay_ns, until port_check() */
#define ECN_WORD_AUTO    1u         /* of ecn_words */
#define ECN_WORD_PHANTOM 2u
#define ECN_WORD_OFF     3u

/* One item of `ecn_by_class`. */
struct class_ecn_item {
	uint8_t number; /* CONF_CLASSES: none was read */
	struct conf_ecn ecn;
};

/* One item of `dscp_map` or `dscp_rewrite`. */
struct dscp_item {
	uint64_t dscps;
	uint8_t to; /* a class, or a DSCP; DSCP_NONE: none was read */
};

/* on_word(); `out` is a struct conf_ecn, conf_class, conf_pfc. */
void ecn_word(void *out, uint64_t word);
void scheduler_word(void *out, uint64_t word);
void watchdog_word(void *out, uint64_t word);

/* place(); `out` is a struct conf_port. */
void class_ecn_place(
	struct decode *d, uint32_t map, const struct path *p, const void *item, void *out);
void dscp_map_place(
	struct decode *d, uint32_t map, const struct path *p, const void *item, void *out);
void dscp_rewrite_place(
	struct decode *d, uint32_t map, const struct path *p, const void *item, void *out);

/* placed(); `in` is a struct conf_port. */
bool class_ecn_placed(const void *in, size_t i, void *ret_item);
bool dscp_map_placed(const void *in, size_t i, void *ret_item);
bool dscp_rewrite_placed(const void *in, size_t i, void *ret_item);

/* text(); `in` is a struct conf_ecn, class_ecn_item, conf_port. */
const char *ecn_text(const void *in, const char *key);
const char *class_ecn_text(const void *in, const char *key);
const char *port_text(const void *in, const char *key);

/* fixed(); `in` is a struct conf_pfc, conf_port. */
bool pfc_fixed(const void *in);
bool port_fixed(const void *in);

/* It neither marks nor drops. */
bool ecn_is_off(const struct conf_ecn *e);

/* check(); `out` is a struct conf_curve, conf_ecn, conf_port, conf_port. */
void curve_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void ecn_check(struct decode *d, uint32_t map, const struct path *p, void *out);
void impair_check(struct decode *d, uint32_t map, const struct path *p, void *out);
/* Also computes what `auto` and `emulate` stand for. */
void port_check(struct decode *d, uint32_t map, const struct path *p, void *out);

/* Adds an error where a curve marks later than it drops. `p` is the path of the ecn. */
void ecn_order_check(struct decode *d, const struct conf_ecn *e, const struct path *p);

#endif
