/* SPDX-License-Identifier: BSD-3-Clause */
/* The snapshot that build_groups() and build_fib() lead to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/hyper.h"
#include "ctl/build.h"
#include "ctl/fabric.h"
#include "ctl/flows.h"
#include "wire/eth.h"

/* What the port says of a DSCP goes before what the node's classes say. */
static void
fill_classes(const struct conf *c, const struct conf_port *p, uint8_t (*dscp_class)[CONF_DSCPS])
{
	memset(dscp_class[0], DP_CLASS_BY_RULE, CONF_DSCPS);
	memset(dscp_class[1], DP_CLASS_RDMA, CONF_DSCPS);
	for (unsigned int k = 0; k < CONF_CLASSES; k++)
		for (unsigned int d = 0; d < CONF_DSCPS; d++)
			if (c->class_[k].present && (c->class_[k].dscps >> d & 1))
				dscp_class[0][d] = dscp_class[1][d] = (uint8_t)k;
	for (unsigned int d = 0; d < CONF_DSCPS; d++)
		if (p->dscp_class[d] != 0xff)
			dscp_class[0][d] = dscp_class[1][d] = p->dscp_class[d];
}

struct snapshot *
snapshot_alloc(void)
{
	return aligned_alloc(RTE_CACHE_LINE_SIZE,
		RTE_ALIGN_CEIL(sizeof(struct snapshot), (size_t)RTE_CACHE_LINE_SIZE));
}

void
snapshot_fill(const struct node *n, uint64_t generation, struct snapshot *s)
{
	const struct fib_slot *fib = fib_slot(n->fib, n->fib_slot);

	memset(s, 0, sizeof(*s));
	s->generation = generation;
	s->fib4 = fib->v4;
	s->fib6 = fib->v6;
	s->group = n->slot;
	s->n_groups = n->n_slots;
	s->flows = flows_wanted(n->conf);
	s->plain = true;
	for (size_t g = 0; g < n->conf->n_groups; g++)
		s->plain &= build_is_plain(&n->conf->group[g]);
	s->fabric = n->fabric == NULL ? NULL : n->fabric->table;
	for (size_t p = 0; p < n->n_outs; p++) {
		fill_classes(n->conf, conf_out(n->conf, p), s->dscp_class[p]);
		s->egress[p] = &n->policy[p];
		if (n->ever_pfc[p])
			s->pfc_port[s->n_pfc_ports++] = (uint16_t)p;
		uint8_t frame[8] = {0}; /* eth_addr48() reads 8 bytes */

		memcpy(frame, n->port[conf_first_port(n->conf, (uint16_t)p)]->mac, ETH_ADDR_LEN);
		s->port[p].mac48 = eth_addr48(frame);
		/* what comes out of cells was somebody else's frame */
		s->port[p].promiscuous = conf_out(n->conf, p)->promiscuous ||
					 conf_out(n->conf, p)->role == CONF_ROLE_DSF;
	}
	s->voq = &n->policy[n->n_outs];
}

int
build_snapshot(struct node *n, uint64_t generation, struct snapshot **ret_snapshot)
{
	struct snapshot *s = snapshot_alloc();

	if (s == NULL)
		return -ENOMEM;
	snapshot_fill(n, generation, s);
	*ret_snapshot = s;
	return 0;
}
