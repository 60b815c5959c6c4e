/* SPDX-License-Identifier: BSD-3-Clause */
/* The face of a port: hands each call to its kind (eth.c, mem.c). */
#include <stdlib.h>
#include <string.h>

#include <rte_hash_crc.h>

#include "port/ops.h"

int
port_configure(struct port *p, const struct port_config *config, const struct port_note *note,
	const char **ret_why)
{
	return p->ops->configure(p, config, note, ret_why);
}

int
port_start(struct port *p)
{
	return p->ops->start(p);
}

void
port_stop(struct port *p)
{
	p->ops->stop(p);
}

void
port_free(struct port *p)
{
	if (p == NULL)
		return;
	p->ops->fini(p);
	free(p);
}

bool
port_link_up(struct port *p)
{
	return p->ops->link_up(p);
}

uint64_t
port_speed(struct port *p)
{
	return p->ops->speed(p);
}

void
port_stats(struct port *p, struct port_stats *ret_stats)
{
	memset(ret_stats, 0, sizeof(*ret_stats));
	p->ops->stats(p, ret_stats);
}

void
port_default_mac(const char *name, uint8_t *ret_mac)
{
	uint32_t crc = rte_hash_crc(name, (uint32_t)strlen(name), UINT32_MAX);

	ret_mac[0] = 0x02;
	ret_mac[1] = 0x5b; /* so that all of ours look alike to a reader */
	memcpy(ret_mac + 2, &crc, sizeof(crc));
}
