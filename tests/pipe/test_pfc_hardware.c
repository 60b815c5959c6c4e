/* SPDX-License-Identifier: BSD-3-Clause */
/* `pfc: {mode: hardware}`: refused where the device has no pauses, and no pauses of ours. */
#include <errno.h>
#include <stdlib.h>

#include "ctl/egress.h"
#include "pfc.h"

#define HARDWARE_YAML(mode)                                                                        \
	PIPE_HEAD "ports:\n" PIPE_PORT("in",                                                       \
		"01") "  - {name: out, device: out, role: longhaul, mac: \"02:00:00:00:00:02\", "  \
		      "mtu: "                                                                      \
		      "1500, rate: 1Gbit, distance: 1km, pfc: {classes: [3], mode: " mode "}}\n"   \
		      "classes:\n" PFC_CLASS(                                                      \
			      3, 24, "lossless: true") "groups:\n  - {name: g, members: [{port: "  \
						       "out, mac: "                                \
						       "\"02:aa:00:00:00:01\"}]}\n"                \
						       "routes:\n  static: [{prefix: 0.0.0.0/0, "  \
						       "group: g}]\n"

Test(pfc_hardware, a_port_that_has_none_is_refused_at_the_start_by_name)
{
	struct conf *c = node_test_conf(HARDWARE_YAML("hardware"));
	struct node_test t;

	cr_assert_eq(node_test_try(&t, 128, c), -ENOTSUP);
	cr_assert_not_null(strstr(t.said, "error: port out: "), "%s", t.said);
	cr_assert_not_null(strstr(t.said, "mode: software"), "%s", t.said);
	conf_free(c);
}

/* No node of memory ports comes so far: what the workers would get, made by itself. */
Test(pfc_hardware, software_neither_makes_nor_heeds_pauses_then)
{
	struct conf *c = node_test_conf(HARDWARE_YAML("hardware"));
	struct node *n = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(sizeof(*n), (size_t)RTE_CACHE_LINE_SIZE));

	cr_assert_not_null(n);
	for (unsigned int hardware = 0; hardware <= 1; hardware++) {
		memset(n, 0, sizeof(*n));
		n->conf = c;
		n->n_ports = n->n_outs = c->n_ports;
		c->port[1].pfc.hardware = hardware;
		cr_assert_eq(egress_create(n), 0);
		cr_assert_eq(n->policy[1].pfc, hardware ? 0 : 1 << 3);
		cr_assert_eq(n->ever_pfc[1], !hardware);
		cr_assert(n->policy[1].queued && n->policy[1].shaped);
		egress_free(n);
	}
	free(n);
	conf_free(c);
}
