/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of ports and of classes; what they have of queues is in schema_queue.c. */
#include "conf/class_item.h"
#include "conf/queue_item.h"
#include "conf/schema.h"

#define ADDRESSES_MAX 64u /* a port has one of each family; this leaves room for renumbering */
#define PACE_MAX      UINT64_C(10000000000) /* 10 Gpps: more than any device; 1 ns still counts it */
#define RATE_MAX      UINT64_C(800000000000)
#define DELAY_MAX     UINT64_C(1000000000) /* 1 s: a satellite four times over */
#define LIMIT_MIN     10000u               /* one largest frame */

static const struct field_word role_words[] = {
	{.word = "nsf", .value = CONF_ROLE_NSF},
	{.word = "longhaul", .value = CONF_ROLE_LONGHAUL},
	{.word = "dsf", .value = CONF_ROLE_DSF},
	{0},
};

static const struct field_word layer_words[] = {
	{.word = "l1", .value = false}, {.word = "l2", .value = true}, {0}};

static const struct field_word delay_words[] = {
	{.word = "off", .value = 0}, {.word = "emulate", .value = DELAY_EMULATE}, {0}};

static const struct field address_element = {.type = FIELD_IFADDR};

static const struct field port_fields[] = {
	{.key = "name",
		.type = FIELD_NAME,
		.required = true,
		AT(conf_port, name),
		.help = "What workers, groups and metrics call the port."},
	{.key = "device",
		.type = FIELD_STRING,
		.required = true,
		AT(conf_port, device),
		.help = "DPDK's device: a PCI address, or a virtual device with its arguments."},
	{.key = "role",
		.type = FIELD_ENUM,
		.required = true,
		AS_INT(conf_port, role),
		.words = role_words,
		.help = "What the port faces: the Ethernet fabric of the site, the line to another "
			"one, or a link of the cell fabric."},
	{.key = "mac",
		.type = FIELD_MAC,
		AT(conf_port, mac),
		.has = true,
		.has_offset = offsetof(struct conf_port, has_mac),
		.def_text = "the device's own",
		.help = "The port's MAC address."},
	{.key = "promiscuous",
		.type = FIELD_BOOL,
		AT(conf_port, promiscuous),
		.help = "Take frames to any destination MAC."},
	{.key = "mtu",
		.type = FIELD_INT,
		AS_INT(conf_port, mtu),
		.min = 1280, /* RFC 8200 section 5 */
		.max = 9600,
		.def = 1500,
		.def_text = "1500; of role dsf also `dsf.cell_size` + 24, when that is more",
		.help = "Bytes of the largest IP packet; of role dsf, of the largest cell with its "
			"24-byte header."},
	{.key = "addresses",
		.live = true,
		.type = FIELD_LIST,
		AS_LIST(conf_port, address, n_addresses),
		.with_pos = true,
		.pos_offset = offsetof(struct conf_port, address_pos),
		.element = &address_element,
		.max = ADDRESSES_MAX,
		.help = "The port's addresses; packets to them are the node's own."},
	{.key = "pace",
		.live = true,
		.type = FIELD_AMOUNT,
		.amount = AMOUNT_RATE,
		AS_INT(conf_port, pace_pps),
		.min = 1,
		.max = PACE_MAX,
		.def_text = "as they come",
		.help = "Packets a second that are taken from the device at most, for a replayed "
			"capture."},
	{.key = "rate",
		.live = true,
		AMOUNT(BITS),
		AS_INT(conf_port, rate_bps),
		.min = 1000000,
		.max = RATE_MAX,
		.def_text = "as fast as the device takes",
		.help = "Bits a second that go out at most, and what the line carries. Of role "
			"dsf nothing is held back to it: it is the link's weight (else the "
			"device's own speed, else 100Gbit)."},
	{.key = "rate_layer",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_port, rate_l2),
		.words = layer_words,
		.help = "What counts: `l1` the frame with preamble and gap, 20 bytes more than "
			"`l2`, "
			"the frame with its FCS."},
	{.key = "distance",
		.live = true,
		AMOUNT(DISTANCE),
		AS_INT(conf_port, distance_m),
		.min = 1,
		.max = 20000000, /* half the equator */
		.def_text = "not known",
		.help = "Metres of fibre to the neighbour, 5 ns each."},
	{.key = "delay",
		.live = true,
		AMOUNT(TIME),
		AS_INT(conf_port, delay_ns),
		.words = delay_words,
		.min = 1,
		.max = DELAY_MAX,
		.def_text = "off",
		.help = "What goes out waits so long behind the shaper; `emulate`: as long as "
			"light takes for the distance. It takes rate x delay of memory."},
	{.key = "ecn",
		.elsewhere = true, /* ecn_by_class: what holds for each */
		.type = FIELD_MAP,
		AT(conf_port, ecn),
		.words = ecn_words,
		.on_word = ecn_word,
		.item = &schema_ecn,
		.help = "Marking of what goes out, in all classes; before what `classes` says."},
	{.key = "ecn_by_class",
		.live = true,
		.type = FIELD_PLACED,
		.item = &schema_ecn_of_class,
		.item_size = sizeof(struct class_ecn_item),
		.place = class_ecn_place,
		.placed = class_ecn_placed,
		.whole = true,
		.max = CONF_CLASSES,
		.help = "Marking of single classes; before `ecn`."},
	{.key = "pfc",
		.live = true,
		.type = FIELD_MAP,
		AT(conf_port, pfc),
		.item = &schema_pfc,
		.help = "Pauses to and from the neighbour (IEEE 802.1Qbb)."},
	{.key = "impair",
		.live = true,
		.type = FIELD_MAP,
		.item = &schema_impair,
		.help = "Faults of the line, by chance."},
	{.key = "dscp_map",
		.live = true,
		.type = FIELD_PLACED,
		AT(conf_port, dscp_class),
		.n_none = CONF_DSCPS,
		.item = &schema_dscp_map,
		.item_size = sizeof(struct dscp_item),
		.place = dscp_map_place,
		.placed = dscp_map_placed,
		.max = CONF_DSCPS,
		.help = "Classes of what comes in, where they differ from `classes`."},
	{.key = "dscp_rewrite",
		.live = true,
		.type = FIELD_PLACED,
		AT(conf_port, dscp_rewrite),
		.n_none = CONF_DSCPS,
		.item = &schema_dscp_rewrite,
		.item_size = sizeof(struct dscp_item),
		.place = dscp_rewrite_place,
		.placed = dscp_rewrite_placed,
		.max = CONF_DSCPS,
		.help = "DSCPs of what goes out."},
};

const struct schema schema_port = {TABLE(port_fields), .title = "ports[]", POS(conf_port),
	.check = port_check, .order = name_order, .fixed = port_fixed, .text = port_text};

static const struct field class_fields[] = {
	{.key = "class",
		.live = true,
		.type = FIELD_INT,
		.required = true,
		AS_INT(class_item, number),
		.max = CONF_CLASSES - 1,
		.def = CONF_CLASSES,
		.help = "The class's number, an 802.1Q priority."},
	{.key = "name",
		.live = true,
		.type = FIELD_NAME,
		.required = true,
		AT(class_item, as.name),
		.help = "What tables and metrics call the class."},
	{.key = "dscp",
		.live = true,
		.type = FIELD_DSCPS,
		AS_INT(class_item, as.dscps),
		.max = CONF_DSCPS,
		.help = "The DSCPs whose packets belong to it, single ones and ranges."},
	{.key = "limit",
		.live = true,
		AMOUNT(SIZE),
		AS_INT(class_item, as.limit),
		.min = LIMIT_MIN,
		.max = UINT64_C(1000000000000),
		.def_text = "16MB, lossless 32MB",
		.help = "Bytes of the class that may wait at one port; what comes on top is "
			"dropped."},
	{.key = "lossless",
		.live = true,
		.type = FIELD_BOOL,
		AT(class_item, as.lossless),
		.help = "Nothing of it is to be dropped: ports pause it with `pfc`."},
	{.key = "scheduler",
		.live = true,
		.type = FIELD_MAP,
		AT(class_item, as),
		.words = scheduler_words,
		.on_word = scheduler_word,
		.item = &schema_scheduler,
		.def_text = "dwrr 1; classes 6 and 7 strict",
		.help = "Strict classes go first, the higher number before the lower; the others "
			"share what is left."},
	{.key = "ecn",
		.live = true,
		.type = FIELD_MAP,
		AT(class_item, as.ecn),
		.words = ecn_words,
		.on_word = ecn_word,
		.item = &schema_ecn,
		.help = "Marking of the class at ports that say nothing themselves; `auto` and "
			"`phantom` hold at those whose rate and distance are known."},
};

const struct schema schema_class = {TABLE(class_fields), .title = "classes[]",
	AT_POS(class_item, as.pos), .check = class_check, .text = class_text};
