/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `pfc: {mode: hardware}` at a DPDK device, by rte_eth_dev_priority_flow_ctrl_set(). eth.c comes
 * here. The API by queues is not used: it pauses RX and TX queues, and a queue here is a worker's,
 * not a class's.
 */
#include "port/eth_pfc.h"

#include <errno.h>

#include <rte_ethdev.h>

int
eth_pfc_set(uint16_t id, uint8_t classes, uint16_t quanta)
{
	struct rte_eth_fc_conf fc = {0};
	int rc = rte_eth_dev_flow_ctrl_get(id, &fc);

	/* a driver without link pause may have priority pause, and thresholds of its own */
	if (rc != 0 && rc != -ENOTSUP)
		return rc;
	fc.mode = RTE_ETH_FC_FULL;
	fc.pause_time = quanta;
	fc.send_xon = 1;
	fc.mac_ctrl_frame_fwd = 0;
	for (unsigned int c = 0; c < 8; c++) {
		struct rte_eth_pfc_conf pfc = {.fc = fc, .priority = (uint8_t)c};

		if (!(classes >> c & 1))
			continue;
		rc = rte_eth_dev_priority_flow_ctrl_set(id, &pfc);
		if (rc != 0)
			return rc;
	}
	return 0;
}
