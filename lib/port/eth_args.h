/* SPDX-License-Identifier: BSD-3-Clause */
/* Device strings and probing. Inside lib/port only; control thread. */
#ifndef PORT_ETH_ARGS_H
#define PORT_ETH_ARGS_H

#include <stddef.h>
#include <stdint.h>

#define ETH_DEVICE_MAX 512

/*
 * The device string that DPDK gets: the user's; a PCI address with its domain; for net_af_packet
 * the size of a ring's frame, `frame_room` bytes (port_frame_room()), and of its blocks, unless the
 * user gave them. -ENAMETOOLONG. Pure.
 */
int eth_device_complete(const char *device, uint32_t frame_room, char *ret_device, size_t size);

/* Makes DPDK take the device. -errno, and *ret_why says what helps. */
int eth_device_probe(const char *device, uint16_t *ret_id, const char **ret_why);

/* Gives the device back (a vdev is destroyed). */
void eth_device_remove(const char *device);

#endif
