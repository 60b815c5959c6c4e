/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses:  what the parser sent to the exits.
 * Sets:  the pause state of the port, by priority pause frames that came in.
 * Next:  stage_route.
 * Drops: nothing: such frames stay at the exits as `pfc`, none leaves by a port.
 */
#include "dp/pfc.h"
#include "dp/stage.h"

void
stage_ingress(struct worker *w, struct burst *b)
{
	for (uint16_t i = 0; i < b->n_out; i++)
		if (b->out_verdict[i] == verdict_drop(DROP_pfc))
			pfc_receive(w, b->in_port_idx, b->out_mbuf[i]);
}
