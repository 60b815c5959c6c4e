/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tables of schema*.c share: ways to write a field, and each other's schemas. */
#ifndef CONF_SCHEMA_H
#define CONF_SCHEMA_H

#include "base/bits.h"
#include "conf/field.h"

#define AT(type, member)     .offset = offsetof(struct type, member)
#define AS_INT(type, member) AT(type, member), .size = sizeof(((struct type *)0)->member)
#define AS_LIST(type, member, n_member)                                                            \
	AT(type, member), .n_offset = offsetof(struct type, n_member),                             \
			  .item_size = sizeof(((struct type *)0)->member[0])
#define AMOUNT(kind)    .type = FIELD_AMOUNT, .amount = AMOUNT_##kind
#define TABLE(f)        .field = (f), .n = BITS_ARRAY_LEN(f)
#define AT_POS(type, p) .with_pos = true, .pos_offset = offsetof(struct type, p)
#define POS(type)       AT_POS(type, pos)

extern const struct schema schema_port, schema_class;   /* schema_port.c */
extern const struct schema schema_dsf;                  /* schema_dsf.c */
extern const struct schema schema_hyper;                /* schema_hyper.c */
extern const struct schema schema_flows;                /* schema_flows.c */
extern const struct schema schema_group, schema_member; /* schema.c */

/* order() of items whose struct begins with their name. */
int name_order(const void *a, const void *b);

/* schema_policy.c */
extern const struct schema schema_group_hash;
extern const struct field_word policy_words[], per_words[], spray_words[];

/* schema_queue.c */
extern const struct schema schema_ecn, schema_ecn_of_class, schema_pfc, schema_impair;
extern const struct schema schema_dscp_map, schema_dscp_rewrite, schema_scheduler;
extern const struct field_word ecn_words[], scheduler_words[];

#endif
