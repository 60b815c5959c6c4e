/* SPDX-License-Identifier: BSD-3-Clause */
/* From the `device:` of a port to a DPDK device, before eth.c sets it up. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

#include "port/eth_args.h"

/*
 * The ring header that PACKET_RX_RING puts before each frame (TPACKET2_HDRLEN and the alignment of
 * the network header) stays below this.
 */
#define AF_PACKET_HEADROOM 128u
#define AF_PACKET_FRAMES 512u /* per ring: 8 bursts of 64; twice that costs 4 MB more a jumbo port */
#define PAGE_LEN 4096u

static uint32_t
pow2_from(uint32_t x)
{
	uint32_t p = 2048;

	while (p < x)
		p *= 2;
	return p;
}

int
eth_device_complete(const char *device, uint32_t frame_len, char *ret_device, size_t size)
{
	uint32_t frame = pow2_from(frame_len + AF_PACKET_HEADROOM);
	int n;

	if (strncmp(device, "net_af_packet", strlen("net_af_packet")) == 0 &&
		strstr(device, "framesz=") == NULL && strstr(device, "blocksz=") == NULL)
		n = snprintf(ret_device, size, "%s,framesz=%u,blocksz=%u,framecnt=%u", device,
			frame, frame > PAGE_LEN ? frame : PAGE_LEN, AF_PACKET_FRAMES);
	else
		n = snprintf(ret_device, size, "%s", device);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int
eth_device_probe(const char *device, uint16_t *ret_id, const char **ret_why)
{
	struct rte_devargs args = {0};
	char name[RTE_DEV_NAME_MAX_LEN];
	int rc = rte_devargs_parse(&args, device);

	if (rc != 0) {
		*ret_why = "DPDK does not know such a device; give a PCI address or a vdev string such as net_af_packet0,iface=eth1";
		return rc;
	}
	snprintf(name, sizeof(name), "%s", args.name);
	rte_devargs_reset(&args);
	if (rte_eth_dev_get_port_by_name(name, ret_id) == 0) {
		*ret_why = "another port has this device already";
		return -EBUSY;
	}
	rc = rte_dev_probe(device);
	if (rc != 0) {
		*ret_why = "the driver cannot open it; check that the interface or file exists, that softbag may use it, and the lines above from DPDK";
		return rc;
	}
	if (rte_eth_dev_get_port_by_name(name, ret_id) != 0) {
		*ret_why = "DPDK took it, and it is not an Ethernet device";
		return -ENODEV;
	}
	return 0;
}

void
eth_device_remove(const char *device)
{
	struct rte_devargs args = {0};

	if (rte_devargs_parse(&args, device) != 0)
		return;
	if (args.bus != NULL)
		rte_eal_hotplug_remove(rte_bus_name(args.bus), args.name);
	rte_devargs_reset(&args);
}
