/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keys of a configuration; those of ports and classes are in schema_port.c, those of the fabric
 * in schema_dsf.c, those of hyper ports in schema_hyper.c. Sections are read in the order of
 * schema_file: ports before those who refer to ports, devices before groups, groups before routes.
 */
#include "conf/schema.h"

#include <string.h>

#include "conf/class_item.h"
#include "conf/item_check.h"

#define LCORE_MAX    127u /* Debian's DPDK knows 128 lcores (RTE_MAX_LCORE) */
#define EAL_ARGS_MAX 64u
#define MBUFS_MIN    1024u /* below that one port's rings starve the next */

_Static_assert(offsetof(struct conf_port, name) == 0 && offsetof(struct conf_group, name) == 0 &&
		       offsetof(struct conf_device, name) == 0,
	"name_order()");

int
name_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const struct field node_fields[] = {
	{.key = "name",
		.live = true,
		.type = FIELD_NAME,
		.required = true,
		AT(conf, node_name),
		.help = "The node's name in tables and metrics."},
	{.key = "id",
		.type = FIELD_INT,
		.required = true,
		AS_INT(conf, node_id),
		.min = 1,
		.max = 65534,
		.help = "The node's number, unlike that of any other node; the hash is seeded from "
			"it."},
};

static const struct schema schema_node = {
	TABLE(node_fields), .title = "node", AT_POS(conf, node_pos)};

static const struct field rx_element = {
	.type = FIELD_PORT, .size = sizeof(uint16_t), .def = UINT16_MAX};

static const struct field worker_fields[] = {
	{.key = "lcore",
		.type = FIELD_INT,
		.required = true,
		AS_INT(conf_worker, lcore),
		.max = LCORE_MAX,
		.def = UINT16_MAX,
		.help = "The CPU that the worker runs on."},
	{.key = "rx",
		.type = FIELD_LIST,
		.required = true,
		AS_LIST(conf_worker, rx, n_rx),
		.element = &rx_element,
		.min = 1,
		.max = CONF_PORTS_MAX,
		.help = "The ports it polls, by name. A port that several workers list gets a "
			"receive "
			"queue for each."},
};

static const struct schema schema_worker = {TABLE(worker_fields), .title = "runtime.workers[]",
	POS(conf_worker), .check = worker_check};

static const struct field_word mbuf_words[] = {{.word = "auto", .value = 0}, {0}};

static const struct field_word idle_words[] = {
	{.word = "poll", .value = CONF_IDLE_POLL},
	{.word = "adaptive", .value = CONF_IDLE_ADAPTIVE},
	{0},
};

static const struct field eal_element = {.type = FIELD_STRING};

static const struct field runtime_fields[] = {
	{.key = "main_lcore",
		.type = FIELD_INT,
		AS_INT(conf, main_lcore),
		.max = LCORE_MAX,
		.def = UINT64_MAX, /* -1 */
		.def_text = "the first CPU that softbag may use",
		.help = "The CPU of the control thread."},
	{.key = "workers",
		.type = FIELD_LIST,
		AS_LIST(conf, worker, n_workers),
		.item = &schema_worker,
		.min = 1,
		.max = LCORE_MAX + 1,
		.def_text = "one for each other CPU",
		.help = "The threads that forward."},
	{.key = "memory",
		.type = FIELD_AMOUNT,
		.amount = AMOUNT_SIZE,
		AS_INT(conf, memory),
		.min = 64000000,
		.max = 1000000000000,
		.def = 512000000,
		.help = "Memory for packets and tables: hugepages when there are any."},
	{.key = "mbufs",
		.type = FIELD_INT,
		AS_INT(conf, mbufs),
		.words = mbuf_words,
		.min = MBUFS_MIN,
		.max = 16777216,
		.def_text = "auto",
		.help = "Packet buffers; auto counts them from the queues."},
	{.key = "idle",
		.type = FIELD_ENUM,
		AS_INT(conf, idle),
		.words = idle_words,
		.def = CONF_IDLE_ADAPTIVE,
		.help = "What a worker does when nothing comes: poll on, or back off to short "
			"sleeps."},
	{.key = "burst",
		.type = FIELD_INT,
		AS_INT(conf, burst),
		.min = 1,
		.max = 64,
		.def = 64,
		.help = "Packets that one poll takes at most."},
	{.key = "eal",
		.type = FIELD_LIST,
		AS_LIST(conf, eal, n_eal),
		.element = &eal_element,
		.max = EAL_ARGS_MAX,
		.help = "Options for DPDK's EAL, passed on as they stand."},
};

static const struct schema schema_runtime = {TABLE(runtime_fields), .title = "runtime",
	AT_POS(conf, runtime_pos), .check = runtime_check};

static const struct field hash_fields[] = {
	{.key = "seed",
		.live = true,
		.type = FIELD_INT,
		AS_INT(conf, hash_seed),
		.has = true,
		.has_offset = offsetof(struct conf, has_hash_seed),
		.max = UINT64_MAX,
		.def_text = "from node.id",
		.help = "Seeds the hash of all groups. Two nodes in a row need unlike seeds."},
};

static const struct schema schema_hash = {TABLE(hash_fields), .title = "hash"};

static int
whole_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The way out and the next hop; what a member weighs may change. */
static int
member_order(const void *pa, const void *pb)
{
	const struct conf_member *a = pa, *b = pb;
	int d = whole_order(a->port_idx, b->port_idx);

	if (d == 0)
		d = whole_order(a->device_idx, b->device_idx);
	if (d == 0)
		d = whole_order(a->system_port, b->system_port);
	if (d == 0)
		d = memcmp(&a->via, &b->via, sizeof(a->via));
	if (d == 0)
		d = whole_order(a->has_mac, b->has_mac);
	return d != 0 ? d : memcmp(a->mac, b->mac, sizeof(a->mac));
}

static int
route_order(const void *pa, const void *pb)
{
	const struct conf_route *a = pa, *b = pb;

	return memcmp(&a->prefix, &b->prefix, sizeof(a->prefix));
}

static const struct field member_fields[] = {
	{.key = "port",
		.live = true,
		.type = FIELD_PORT,
		AT(conf_member, port_idx),
		.size = sizeof(uint16_t),
		.def = UINT16_MAX,
		.def_text = "this or `device`",
		.or_hyper = true,
		.help = "The port or hyperport that leads to the next hop, by name. Not a port of "
			"role dsf, nor a member of a hyperport."},
	{.key = "device",
		.live = true,
		.type = FIELD_DEVICE,
		AT(conf_member, device_idx),
		.size = sizeof(uint16_t),
		.def = UINT16_MAX,
		.def_text = "this or `port`",
		.help = "The device behind the cell fabric that is the next hop, by name."},
	{.key = "system_port",
		.live = true,
		.type = FIELD_INT,
		AS_INT(conf_member, system_port),
		.max = UINT16_MAX,
		.help = "With `device`: the port of it that packets leave by as they are; 0, its "
			"router, looks up its own routes."},
	{.key = "via",
		.live = true,
		.type = FIELD_ADDR,
		AT(conf_member, via),
		.help = "The next hop's address. Its family may differ from the route's (RFC "
			"8950). Not with `device`."},
	{.key = "mac",
		.live = true,
		.type = FIELD_MAC,
		AT(conf_member, mac),
		.has = true,
		.has_offset = offsetof(struct conf_member, has_mac),
		.help = "The next hop's MAC address, when it is known and static. A member with "
			"`port` has `via`, `mac` or both; one with `device` and a `system_port` "
			"above 0 that of the host behind it."},
	{.key = "weight",
		.live = true,
		.type = FIELD_INT,
		AS_INT(conf_member, weight),
		.max = 65535,
		.def = 1,
		.help = "The member's part of the traffic, by proportion; 0 takes none."},
};

const struct schema schema_member = {TABLE(member_fields), .title = "groups[].members[]",
	POS(conf_member), .check = member_check, .order = member_order};

static const struct field group_fields[] = {
	{.key = "name",
		.live = true,
		.type = FIELD_NAME,
		.required = true,
		AT(conf_group, name),
		.help = "What routes and metrics call the group."},
	{.key = "policy",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_group, policy),
		.words = policy_words,
		.def = CONF_POLICY_ECMP,
		.help = "How a packet's member is chosen: by the hash of its flow (`ecmp`), for as "
			"long as its flow makes no pause (`flowlet`), one after the other "
			"(`spray`), or by what waits at the members (`adaptive`)."},
	{.key = "per",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_group, per),
		.words = per_words,
		.def = CONF_PER_PACKET,
		.help = "With `adaptive`: whether each packet that may be reordered is sent anew, "
			"or each flowlet."},
	{.key = "spray_if",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_group, spray_if),
		.words = spray_words,
		.def = CONF_SPRAY_AR_BIT,
		.help = "With `spray`, and `adaptive` per packet: which RoCE packets may be "
			"reordered. Those whose sender says so (BTH byte 8 & 0x40), RDMA WRITEs, "
			"or "
			"any; never those of [this list](balancing.md#which-packets-are-sprayed)."},
	{.key = "gap",
		.live = true,
		AMOUNT(TIME),
		AS_INT(conf_group, gap_ns),
		.min = 1000,
		.max = 1000000000,
		.def = 50000,
		.help = "With `flowlet`, and `adaptive` per flowlet: a pause of a flow after which "
			"it may take another member. Longer than what one member's way to the far "
			"end takes more than another's, or packets overtake each other."},
	{.key = "hash",
		.live = true,
		.type = FIELD_MAP,
		.item = &schema_group_hash,
		.list_is = "fields",
		.with_defaults = true,
		.def_text = "[5tuple, dest_qp]",
		.help = "The hash of the flow: what it takes, or a mapping that says more."},
	{.key = "buckets",
		.live = true,
		.type = FIELD_INT,
		AS_INT(conf_group, buckets),
		.min = 64,
		.max = 32768,
		.pow2 = true,
		.def = 512,
		.help = "Parts that the flows are divided in; more of them follow weights more "
			"closely. "
			"Not fewer than members with a weight."},
	{.key = "members",
		.live = true,
		.type = FIELD_LIST,
		.required = true,
		AS_LIST(conf_group, member, n_members),
		.item = &schema_member,
		.min = 1,
		.max = CONF_MEMBERS_MAX,
		.help = "The ways out."},
};

const struct schema schema_group = {TABLE(group_fields), .title = "groups[]", POS(conf_group),
	.check = group_check, .order = name_order};

static const struct field route_fields[] = {
	{.key = "prefix",
		.live = true,
		.type = FIELD_PREFIX,
		.required = true,
		AT(conf_route, prefix),
		.help = "Destinations, IPv4 or IPv6, without host bits."},
	{.key = "group",
		.live = true,
		.type = FIELD_GROUP,
		.required = true,
		AT(conf_route, group_idx),
		.size = sizeof(uint32_t),
		.def = UINT32_MAX,
		.help = "The group that they leave by, by name."},
};

static const struct schema schema_route = {
	TABLE(route_fields), .title = "routes.static[]", POS(conf_route), .order = route_order};

static const struct field routes_fields[] = {
	{.key = "static",
		.live = true,
		.type = FIELD_LIST,
		AS_LIST(conf, route, n_routes),
		.item = &schema_route,
		.max = CONF_NODES_MAX,
		.help = "Routes of the file."},
};

static const struct schema schema_routes = {TABLE(routes_fields), .title = "routes"};

static const struct field file_fields[] = {
	{.key = "version",
		.type = FIELD_INT,
		.required = true,
		.min = 1,
		.max = 1,
		.help = "The version of this format; the first key of the file."},
	{.key = "node",
		.type = FIELD_MAP,
		.required = true,
		.item = &schema_node,
		.help = "Who the node is."},
	{.key = "ports",
		.type = FIELD_LIST,
		.required = true,
		AS_LIST(conf, port, n_ports),
		.ordered = true,
		.item = &schema_port,
		.min = 1,
		.max = CONF_PORTS_MAX,
		.help = "The ports of the node."},
	{.key = "runtime",
		.type = FIELD_MAP,
		.item = &schema_runtime,
		.with_defaults = true,
		.help = "CPUs and memory."},
	{.key = "classes",
		.live = true,
		.type = FIELD_PLACED,
		.item = &schema_class,
		.item_size = sizeof(struct class_item),
		.place = class_place,
		.placed = class_placed,
		.max = CONF_CLASSES,
		.help = "Traffic classes, by DSCP."},
	{.key = "hyperports",
		.type = FIELD_LIST,
		AS_LIST(conf, hyper, n_hypers),
		.item = &schema_hyper,
		.max = CONF_HYPERS_MAX,
		.help = "Long lines that are one port, in order."},
	{.key = "dsf",
		.type = FIELD_MAP,
		AT(conf, dsf),
		.item = &schema_dsf,
		.with_defaults = true,
		.help = "The cell fabric; required with ports of role dsf."},
	{.key = "hash", .type = FIELD_MAP, .item = &schema_hash, .help = "The hash of all groups."},
	{.key = "flows",
		.type = FIELD_MAP,
		AT(conf, flows),
		.item = &schema_flows,
		.with_defaults = true,
		.help = "What workers remember of flows, where something needs it."},
	{.key = "groups",
		.live = true,
		.type = FIELD_LIST,
		AS_LIST(conf, group, n_groups),
		.item = &schema_group,
		.max = CONF_GROUPS_MAX,
		.help = "Sets of weighted ways out that routes point to."},
	{.key = "routes", .type = FIELD_MAP, .item = &schema_routes, .help = "Where packets go."},
};

const struct schema schema_file = {
	TABLE(file_fields), .title = "The file", .check_open = true, .check = file_check};
