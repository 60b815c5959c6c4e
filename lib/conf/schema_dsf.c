/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of the cell fabric. A part of schema.c's. */
#include "conf/dsf_item.h"
#include "conf/schema.h"
#include "wire/cell.h"

#define US       UINT64_C(1000)
#define MS       UINT64_C(1000000)
#define SECOND   UINT64_C(1000000000)
#define PERMILLE 1000000u /* in parts of 10^9 */

#define CELL_SIZE_MAX 9216u /* with its headers within the mtu's maximum, 9600 */
#define FRAME_MAX     9622u /* the largest packet of a port: mtu 9600, Ethernet, two VLAN tags */

_Static_assert(CONF_DSF_HEADER_LEN == CELL_HEADER_LEN, "what the mtu of a dsf port has to hold");
_Static_assert(CELL_FRAGMENTS_MAX *CELL_PAYLOAD_MIN >= FRAME_MAX,
	"no cell_size is too small for the largest packet, so nothing checks that");

static const struct field system_port_fields[] = {
	{.key = "number",
		.type = FIELD_INT,
		.required = true,
		AS_INT(conf_system_port, number),
		.min = 1,
		.max = UINT16_MAX,
		.help = "What other devices call it."},
	{.key = "port",
		.type = FIELD_PORT,
		.required = true,
		AT(conf_system_port, port_idx),
		.size = sizeof(uint16_t),
		.def = UINT16_MAX,
		.help = "The port, by name. Not one of role dsf."},
};

static const struct schema schema_system_port = {TABLE(system_port_fields),
	.title = "dsf.system_ports[]", POS(conf_system_port), .check = system_port_check};

static const struct field device_fields[] = {
	{.key = "name",
		.type = FIELD_NAME,
		.required = true,
		AT(conf_device, name),
		.help = "What groups and tables call it."},
	{.key = "id",
		.type = FIELD_INT,
		.required = true,
		AS_INT(conf_device, id),
		.min = CELL_DEVICE_MIN,
		.max = CELL_DEVICE_MAX,
		.help = "Its `device_id`."},
};

static const struct schema schema_device = {
	TABLE(device_fields), .title = "dsf.devices[]", POS(conf_device)};

static const struct field_word scheduling_words[] = {
	{.word = "credit", .value = CONF_SCHEDULING_CREDIT},
	{.word = "push", .value = CONF_SCHEDULING_PUSH},
	{0},
};

static const struct field_word auto_words[] = {{.word = "auto", .value = 0}, {0}};
static const struct field_word off_words[] = {{.word = "off", .value = 0}, {0}};

static const struct field dsf_fields[] = {
	{.key = "device_id",
		.type = FIELD_INT,
		.required = true,
		AS_INT(conf_dsf, device_id),
		.min = CELL_DEVICE_MIN,
		.max = CELL_DEVICE_MAX,
		.help = "The node's number in the fabric, unlike that of any other device."},
	{.key = "cell_size",
		.type = FIELD_INT,
		AS_INT(conf_dsf, cell_size),
		.min = CELL_PAYLOAD_MIN,
		.max = CELL_SIZE_MAX,
		.def_text = "2048",
		.help = "Bytes of a packet that a cell carries. All ports of role dsf take 24 "
			"more in their mtu; those of other devices have to hold it, too."},
	{.key = "scheduling",
		.type = FIELD_ENUM,
		AS_INT(conf_dsf, scheduling),
		.words = scheduling_words,
		.def = CONF_SCHEDULING_CREDIT,
		.help = "When packets enter the fabric: as the far end gives credit, so that no "
			"more comes than it can send; or at once (`push`), which loses packets "
			"where several send to one."},
	{.key = "ethertype",
		.type = FIELD_INT,
		AS_INT(conf_dsf, ethertype),
		.hex = true,
		.min = 0x0600, /* IEEE 802.3 3.2.6: below that it is a length */
		.max = UINT16_MAX,
		.def = CELL_ETHERTYPE,
		.help = "EtherType of cells, the same in all devices."},
	{.key = "transit",
		.type = FIELD_BOOL,
		AT(conf_dsf, transit),
		.help = "Pass on cells to other devices, as a fabric node does."},
	{.key = "reach_interval",
		AMOUNT(TIME),
		AS_INT(conf_dsf, reach_interval_ns),
		.min = MS,
		.max = SECOND,
		.def = 10 * MS,
		.help = "How often a link says what it leads to; one that missed three is not "
			"used."},
	{.key = "reach_ms", .refused = "`reach_interval: 10ms`"},
	{.key = "min_links_join",
		.type = FIELD_INT,
		AS_INT(conf_dsf, min_links_join),
		.min = 1,
		.max = CONF_DSF_LINKS_MAX,
		.def = 1,
		.help = "Live links to a device from which on packets go to it."},
	{.key = "min_links_remain",
		.type = FIELD_INT,
		AS_INT(conf_dsf, min_links_remain),
		.min = 1,
		.max = CONF_DSF_LINKS_MAX,
		.def = 1,
		.help = "Live links below which none go to it any more."},
	{.key = "reassembly_timeout",
		AMOUNT(TIME),
		AS_INT(conf_dsf, reassembly_timeout_ns),
		.min = 10 * US,
		.max = SECOND,
		.def = MS,
		.help = "How long a packet waits for its missing cells, and those behind it in its "
			"stream with it."},
	{.key = "reassembly_window",
		.type = FIELD_INT,
		AS_INT(conf_dsf, reassembly_window),
		.min = 64,
		.max = 16384,
		.pow2 = true,
		.def = 1024,
		.help = "Packets of a stream that may overtake one that is not whole yet."},
	{.key = "reassembly_cells",
		.type = FIELD_INT,
		AS_INT(conf_dsf, reassembly_cells),
		.words = auto_words,
		.min = CELL_FRAGMENTS_MAX,
		.max = 4194304,
		.def_text = "auto",
		.help = "Cells that a worker holds at most for packets that are not whole or wait "
			"for their turn; auto: what all links bring within the timeout, from 4096 "
			"to 32768."},
	{.key = "credit_bytes",
		AMOUNT(SIZE),
		AS_INT(conf_dsf, credit_bytes),
		.min = 1000,
		.max = 1000000,
		.def = 16384,
		.def_text = "16KiB",
		.help = "What a queue is granted at a time."},
	{.key = "speedup",
		AMOUNT(PART),
		AS_INT(conf_dsf, speedup_permille),
		.min = 500 * (uint64_t)PERMILLE,
		.max = 2000 * (uint64_t)PERMILLE,
		.scale = PERMILLE,
		.def = 1020 * (uint64_t)PERMILLE,
		.help = "The part of a system port's rate at which credit is given. Above 100%, so "
			"that the port never waits for the fabric."},
	{.key = "credit_watchdog",
		AMOUNT(TIME),
		AS_INT(conf_dsf, credit_watchdog_ns),
		.words = off_words,
		.min = MS,
		.max = 60 * SECOND,
		.def = 500 * MS,
		.help = "How long a queue waits without any credit before it is emptied."},
	{.key = "credit_watchdog_ms", .refused = "`credit_watchdog: 500ms`"},
	{.key = "router_rate",
		AMOUNT(BITS),
		AS_INT(conf_dsf, router_rate_bps),
		.min = 1000000,
		.max = UINT64_C(100000000000000),
		.def_text = "the sum of the ports of role nsf and longhaul",
		.help = "The rate of system port 0, the router."},
	{.key = "voq_limit",
		AMOUNT(SIZE),
		AS_INT(conf_dsf, voq_limit),
		.min = 10000, /* one largest frame */
		.max = UINT64_C(1000000000000),
		.def = 16000000,
		.help = "Bytes that may wait for one class of one system port of one device; what "
			"comes on top is dropped."},
	{.key = "egress_bound",
		AMOUNT(SIZE),
		AS_INT(conf_dsf, egress_bound),
		.words = auto_words,
		.min = 10000,
		.max = UINT64_C(1000000000000),
		.def_text = "auto",
		.help = "Bytes of a class that wait at a port above which no credit is given for "
			"it; auto: 20 us of the port's rate, four times `credit_bytes` at least."},
	{.key = "system_ports",
		.type = FIELD_LIST,
		AS_LIST(conf_dsf, system_port, n_system_ports),
		.item = &schema_system_port,
		.max = CONF_PORTS_MAX,
		.help = "Ports of this node that other devices send to without routing here. 0, "
			"the router, is always one."},
	{.key = "devices",
		.type = FIELD_LIST,
		AS_LIST(conf_dsf, device, n_devices),
		.item = &schema_device,
		.max = CONF_DSF_DEVICES_MAX,
		.help = "Other devices, for groups to name."},
};

const struct schema schema_dsf = {
	TABLE(dsf_fields), .title = "dsf", POS(conf_dsf), .check = dsf_check};
