/* SPDX-License-Identifier: BSD-3-Clause */
/* Priority pause that the device makes and heeds itself. Inside lib/port only; control thread. */
#ifndef PORT_ETH_PFC_H
#define PORT_ETH_PFC_H

#include <stdint.h>

/*
 * Both directions, for each priority in `classes`; an XOFF asks for `quanta`. The thresholds are
 * those that the driver names for link pause: they are of the device's own buffer, which is not
 * ours. -ENOTSUP: the driver has no such thing; other -errno: it has, and refuses this.
 */
int eth_pfc_set(uint16_t id, uint8_t classes, uint16_t quanta);

#endif
