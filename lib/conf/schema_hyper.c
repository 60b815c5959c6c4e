/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of hyper ports. A part of schema.c's. */
#include "conf/hyper.h"
#include "conf/hyper_item.h"
#include "conf/schema.h"
#include "wire/hyper.h"

#define US     UINT64_C(1000)
#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

_Static_assert(CONF_HYPER_HEADER == HYPER_HDR_LEN, "what a member's mtu has to hold");

static const struct field member_element = {
	.type = FIELD_PORT, .size = sizeof(uint16_t), .def = UINT16_MAX};

static const struct field hyper_fields[] = {
	{.key = "name",
		.type = FIELD_NAME,
		.required = true,
		AT(conf_hyper, name),
		.help = "What groups call it, as their members' `port`; no port's name."},
	{.key = "members",
		.type = FIELD_LIST,
		.required = true,
		AS_LIST(conf_hyper, member, n_members),
		.element = &member_element,
		.min = 2,
		.max = CONF_HYPER_MEMBERS_MAX,
		.help = "Ports of role longhaul to the same far end, by name. They have one mtu, "
			"one kind of ecn and pfc and one DSCP map, are in no other hyperport and "
			"named by no group."},
	{.key = "window",
		.type = FIELD_INT,
		AS_INT(conf_hyper, window),
		.min = 64,
		.max = 16384,
		.pow2 = true,
		.def = 4096,
		.help = "Packets that may overtake one on a slower member; what is passed by more "
			"is given up."},
	{.key = "timeout",
		AMOUNT(TIME),
		AS_INT(conf_hyper, timeout_ns),
		.min = 10 * US,
		.max = SECOND,
		.def = 5 * MS,
		.help = "How long a packet is waited for, and no packet waits longer for others. "
			"More than the members' delays differ."},
	{.key = "require_all",
		.type = FIELD_BOOL,
		AT(conf_hyper, require_all),
		.def = true,
		.help = "Forward by all members or none: with one down, groups go other ways. "
			"`false`: the others carry on."},
	{.key = "ethertype",
		.type = FIELD_INT,
		AS_INT(conf_hyper, ethertype),
		.hex = true,
		.min = 0x0600, /* IEEE 802.3 3.2.6: below that it is a length */
		.max = UINT16_MAX,
		.def = HYPER_ETHERTYPE,
		.help = "EtherType of its frames, the same at both ends."},
};

const struct schema schema_hyper = {TABLE(hyper_fields), .title = "hyperports[]", POS(conf_hyper),
	.check = hyper_check, .order = name_order};
