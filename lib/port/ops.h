/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kind of port implements. Inside lib/port only. */
#ifndef PORT_OPS_H
#define PORT_OPS_H

#include "port/port.h"

struct port_ops {
	int (*configure)(struct port *p, const struct port_config *config,
		const struct port_note *note, const char **ret_why);
	int (*start)(struct port *p);
	void (*stop)(struct port *p);
	void (*fini)(struct port *p);
	bool (*link_up)(struct port *p);
	uint64_t (*speed)(struct port *p);
	void (*stats)(struct port *p, struct port_stats *ret_stats);
};

#endif
