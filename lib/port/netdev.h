/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel interface under a net_af_packet or net_tap device. DPDK's drivers say that they take
 * no frame above 1522 bytes, whatever they can hold; the interface's own MTU is what counts. Inside
 * lib/port only; control thread.
 */
#ifndef PORT_NETDEV_H
#define PORT_NETDEV_H

#include <stdbool.h>
#include <stddef.h>

/* The interface that a device string names (`iface=`); false when it names none. Pure. */
bool netdev_from_device(const char *device, char *ret_name, size_t size);

int netdev_get_mtu(const char *name, int *ret_mtu); /* -errno */
int netdev_set_mtu(const char *name, int mtu);      /* -errno */

#endif
