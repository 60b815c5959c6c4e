/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a group says how its members are chosen: the words of its keys, and its hash. The keys
 * themselves are in schema.c; group_item.c checks how they go together.
 */
#include "conf/schema.h"

const struct field_word policy_words[] = {
	{.word = "ecmp", .value = CONF_POLICY_ECMP},
	{.word = "flowlet", .value = CONF_POLICY_FLOWLET},
	{.word = "spray", .value = CONF_POLICY_SPRAY},
	{.word = "adaptive", .value = CONF_POLICY_ADAPTIVE},
	{0},
};

const struct field_word per_words[] = {
	{.word = "packet", .value = CONF_PER_PACKET},
	{.word = "flowlet", .value = CONF_PER_FLOWLET},
	{0},
};

const struct field_word spray_words[] = {
	{.word = "ar_bit", .value = CONF_SPRAY_AR_BIT},
	{.word = "write", .value = CONF_SPRAY_WRITE},
	{.word = "any", .value = CONF_SPRAY_ANY},
	{0},
};

static const struct field_word hash_words[] = {
	{.word = "5tuple", .value = CONF_HASH_5TUPLE},
	{.word = "dest_qp", .value = CONF_HASH_DEST_QP},
	{.word = "flow_label", .value = CONF_HASH_FLOW_LABEL},
	{0},
};

static const struct field_word rotate_words[] = {{.word = "off", .value = 0}, {0}};

/* Of struct conf_group itself: the mapping has no struct of its own. */
static const struct field hash_fields[] = {
	{.key = "fields",
		.live = true,
		.type = FIELD_FLAGS,
		AS_INT(conf_group, hash_fields),
		.words = hash_words,
		.must = CONF_HASH_5TUPLE,
		.min = 1,
		.max = 3,
		.def = CONF_HASH_5TUPLE | CONF_HASH_DEST_QP,
		.help = "Addresses, protocol and ports; the RoCE destination QP, without which all "
			"QPs of an address pair may share a member; the IPv6 flow label."},
	{.key = "vxlan_inner",
		.live = true,
		.type = FIELD_BOOL,
		AT(conf_group, vxlan_inner),
		.help = "Of VXLAN (UDP port 4789) the same fields of the inner packet, too."},
	{.key = "seed",
		.live = true,
		.type = FIELD_INT,
		AS_INT(conf_group, hash_seed),
		.has = true,
		.has_offset = offsetof(struct conf_group, has_hash_seed),
		.max = UINT64_MAX,
		.def_text = "the node's",
		.help = "The group's own seed."},
	{.key = "rotate",
		.live = true,
		AMOUNT(TIME),
		AS_INT(conf_group, rotate_ns),
		.words = rotate_words,
		.min = 100000,
		.max = UINT64_C(3600000000000),
		.def_text = "off",
		.help = "Another seed each time this has passed, for packets that their sender "
			"lets "
			"be reordered (as `spray_if: ar_bit`); no others ever move by it."},
};

const struct schema schema_group_hash = {TABLE(hash_fields), .title = "groups[].hash"};
