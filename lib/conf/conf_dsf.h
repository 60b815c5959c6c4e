/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a configuration says of the cell fabric: the node as a device of a DSF, the other devices,
 * and who is behind which system port. A part of conf.h's struct conf, in base units and with every
 * default filled in; conf/fabric.h has what follows from it.
 */
#ifndef CONF_CONF_DSF_H
#define CONF_CONF_DSF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/pos.h"

#define CONF_DSF_LINKS_MAX   64u  /* ports of role dsf: a word has a bit for each */
#define CONF_DSF_DEVICES_MAX 384u /* no more than could be destinations */
#define CONF_DSF_DESTS_MAX                                                                         \
	384u                    /* (device, system port) of all groups: a worker has 8 VOQs each   \
				 */
#define CONF_DSF_HEADER_LEN 24u /* of a cell, behind its Ethernet header (wire/cell.h) */

/* What a link weighs whose rate neither the file nor its device knows. */
#define CONF_DSF_RATE UINT64_C(100000000000)

enum conf_scheduling {
	CONF_SCHEDULING_CREDIT,
	CONF_SCHEDULING_PUSH,
};

/* A port of this node that other devices may address. 0, the router, always exists. */
struct conf_system_port {
	struct conf_pos pos;
	uint16_t number;   /* 1..65535 */
	uint16_t port_idx; /* not of role dsf */
};

struct conf_device {
	char name[CONF_NAME_MAX];
	struct conf_pos pos;
	uint16_t id; /* 1..65534, not our own */
};

struct conf_dsf {
	struct conf_pos pos; /* line 0: the file has no `dsf`, and the node no fabric port */
	uint16_t device_id;  /* 1..65534; 0 without `dsf` */
	uint16_t cell_size;  /* bytes of payload, 256..9216; default 2048 */
	uint16_t ethertype;  /* 0x0600..0xffff; default 0x88b5 */
	bool transit;        /* passes on cells to other devices */
	enum conf_scheduling scheduling;

	uint64_t reach_interval_ns;     /* between REACH cells on a link; default 10 ms */
	uint16_t min_links_join;        /* to a device, before it is used; default 1 */
	uint16_t min_links_remain;      /* below that it is given up; at most min_links_join */
	uint64_t reassembly_timeout_ns; /* default 1 ms */
	uint32_t reassembly_window;     /* packets of a stream, a power of two; default 1024 */
	uint32_t reassembly_cells;      /* held by a worker at most */
	bool reassembly_auto;           /* reassembly_cells was computed */

	uint32_t credit_bytes;       /* granted at a time; default 16 KiB */
	uint32_t speedup_permille;   /* of a port's rate, 500..2000; default 1020 */
	uint64_t credit_watchdog_ns; /* without credit, until a VOQ is flushed; 0: never */
	uint64_t router_rate_bps;    /* of system port 0; 0: the sum of the Ethernet ports' */
	uint64_t voq_limit;          /* bytes that may wait in one; default 16 MB */
	uint64_t egress_bound;       /* bytes; 0: by the port's rate, conf_egress_bound() */

	struct conf_system_port *system_port;
	size_t n_system_ports;
	struct conf_device *device;
	size_t n_devices;
};

#endif
