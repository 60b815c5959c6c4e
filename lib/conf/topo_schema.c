/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a topology; nodes are read before those who name them. topo_check.c has the hooks. */
#include "conf/schema.h"
#include "conf/topo_item.h"

#define RATE_MIN  UINT64_C(1000000)
#define RATE_MAX  UINT64_C(1600000000000) /* as fast as a port is taken to be anywhere */
#define DELAY_MAX UINT64_C(1000000000)    /* 1 s, as `delay` of a port */
#define AT_MAX    UINT64_C(86400000000000)
#define ALL       UINT64_C(1000000000)

static const struct field node_fields[] = {
	{.key = "name",
		.type = FIELD_NAME,
		.required = true,
		AT(topo_node, name),
		.help = "What wires, inputs and the report call the node; without a dot."},
	{.key = "config",
		.type = FIELD_STRING,
		.required = true,
		AT(topo_node, config),
		.help = "Its configuration, a file next to this one."},
};

static const struct schema schema_topo_node = {
	TABLE(node_fields), .title = "nodes[]", POS(topo_node), .check = topo_node_check};

static const struct field wire_fields[] = {
	{.key = "from",
		.type = FIELD_END,
		.required = true,
		AT(topo_wire, from),
		.help = "One end."},
	{.key = "to",
		.type = FIELD_END,
		.required = true,
		AT(topo_wire, to),
		.help = "The other one; the wire carries both ways."},
	{.key = "rate",
		AMOUNT(BITS),
		.required = true,
		AS_INT(topo_wire, rate_bps),
		.min = RATE_MIN,
		.max = RATE_MAX,
		.help = "Bits a second, with preamble, FCS and gap."},
	{.key = "delay",
		AMOUNT(TIME),
		AS_INT(topo_wire, delay_ns),
		.max = DELAY_MAX,
		.help = "From a frame's last bit sent to its last bit received."},
	{.key = "jitter",
		AMOUNT(TIME),
		AS_INT(topo_wire, jitter_ns),
		.max = DELAY_MAX,
		.help = "Added to the delay by chance, at most; frames keep their order."},
	{.key = "loss",
		AMOUNT(PART),
		AS_INT(topo_wire, loss),
		.max = ALL,
		.help = "The part of frames that is lost by chance."},
};

static const struct schema schema_wire = {TABLE(wire_fields), .title = "wires[]", POS(topo_wire)};

static const struct field input_fields[] = {
	{.key = "port",
		.type = FIELD_END,
		.required = true,
		AT(topo_input, port),
		.help = "Where the frames come in: a port without a wire."},
	{.key = "capture",
		.type = FIELD_STRING,
		.required = true,
		AT(topo_input, capture),
		.help = "The capture, a file next to this one."},
	{.key = "rate",
		AMOUNT(BITS),
		AS_INT(topo_input, rate_bps),
		.min = RATE_MIN,
		.max = RATE_MAX,
		.def_text = "as captured",
		.help = "Bits a second on the wire, back to back."},
};

static const struct schema schema_input = {
	TABLE(input_fields), .title = "inputs[]", POS(topo_input)};

static const struct field event_fields[] = {
	{.key = "at",
		AMOUNT(TIME),
		.required = true,
		AS_INT(topo_event, at_ns),
		.max = AT_MAX,
		.help = "When, from the start."},
	{.key = "down",
		.type = FIELD_END,
		AT(topo_event, end[TOPO_DOWN]),
		.help = "The wire of this port is cut: both ends lose their link."},
	{.key = "up",
		.type = FIELD_END,
		AT(topo_event, end[TOPO_UP]),
		.help = "The wire of this port is whole again."},
	{.key = "drain",
		.type = FIELD_END,
		AT(topo_event, end[TOPO_DRAIN]),
		.help = "The node stops using this fabric link, and has its neighbour do the "
			"same."},
	{.key = "undrain",
		.type = FIELD_END,
		AT(topo_event, end[TOPO_UNDRAIN]),
		.help = "The fabric link is used again."},
};

static const struct schema schema_event = {
	TABLE(event_fields), .title = "events[]", POS(topo_event), .check = topo_event_check};

static const struct field topo_fields[] = {
	{.key = "version",
		.type = FIELD_INT,
		.required = true,
		.min = 1,
		.max = 1,
		.help = "The version of this format; the first key of the file."},
	{.key = "seed",
		.type = FIELD_INT,
		AS_INT(topo, seed),
		.max = UINT64_MAX,
		.def = 1,
		.help = "Of all chance on wires: the same seed, the same run."},
	{.key = "nodes",
		.type = FIELD_LIST,
		.required = true,
		AS_LIST(topo, node, n_nodes),
		.item = &schema_topo_node,
		.min = 1,
		.max = TOPO_NODES_MAX,
		.help = "The nodes."},
	{.key = "wires",
		.type = FIELD_LIST,
		AS_LIST(topo, wire, n_wires),
		.item = &schema_wire,
		.max = TOPO_WIRES_MAX,
		.help = "What joins their ports."},
	{.key = "inputs",
		.type = FIELD_LIST,
		AS_LIST(topo, input, n_inputs),
		.item = &schema_input,
		.max = TOPO_INPUTS_MAX,
		.help = "What comes in."},
	{.key = "events",
		.type = FIELD_LIST,
		AS_LIST(topo, event, n_events),
		.item = &schema_event,
		.max = TOPO_EVENTS_MAX,
		.help = "What happens meanwhile."},
};

const struct schema schema_topo = {TABLE(topo_fields), .title = "The file"};
