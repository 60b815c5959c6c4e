/* SPDX-License-Identifier: BSD-3-Clause */
/* From the `device:` of a port to a DPDK device, before eth.c sets it up. */
#include "port/eth_args.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_ethdev.h>

#include "port/port.h"

#define AF_PACKET_FRAMES                                                                           \
	512u /* per ring: 8 bursts of 64; twice that costs 4 MB more a jumbo port */
#define PAGE_LEN   4096u
#define PAGE_SHIFT 12u

enum port_pci
port_device_pci(const char *device)
{
	unsigned int domain, bus, slot, function;
	enum port_pci kind = PORT_PCI_NONE;
	int n = 0;

	if (sscanf(device, "%4x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &n) == 4)
		kind = PORT_PCI_FULL;
	else if (sscanf(device, "%2x:%2x.%1x%n", &bus, &slot, &function, &n) == 3)
		kind = PORT_PCI_SHORT;
	return device[n] == '\0' || device[n] == ',' ? kind : PORT_PCI_NONE;
}

static bool
is_af_packet(const char *device)
{
	return strncmp(device, "net_af_packet", strlen("net_af_packet")) == 0 ||
	       strncmp(device, "eth_af_packet", strlen("eth_af_packet")) == 0;
}

int
eth_device_complete(const char *device, uint32_t frame_room, char *ret_device, size_t size)
{
	/* the driver takes frame i to be at i * framesz, the kernel starts each block afresh: no
	 * gaps */
	uint32_t per_block = PAGE_LEN >> RTE_MIN(rte_bsf32(frame_room), PAGE_SHIFT);
	uint32_t block = frame_room * per_block;
	int n;

	if (is_af_packet(device) && strstr(device, "framesz=") == NULL &&
		strstr(device, "blocksz=") == NULL) {
		n = snprintf(
			ret_device, size, "%s,framesz=%u,blocksz=%u", device, frame_room, block);
		if (strstr(device, "framecnt=") == NULL && n > 0 && (size_t)n < size)
			n += snprintf(ret_device + n, size - (size_t)n, ",framecnt=%u",
				(AF_PACKET_FRAMES + per_block - 1) / per_block * per_block);
	} else {
		n = snprintf(ret_device, size, "%s%s",
			port_device_pci(device) == PORT_PCI_SHORT ? "0000:" : "", device);
	}
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/*
 * DPDK's own book of who uses a device tells ports of ours apart: a PCI device is there from the
 * EAL's start on, before any port took it.
 */
static int
take_ownership(uint16_t id, const char **ret_why)
{
	struct rte_eth_dev_owner owner = {.name = "softbag"};

	if (rte_eth_dev_owner_new(&owner.id) != 0 || rte_eth_dev_owner_set(id, &owner) != 0) {
		*ret_why = "another port has this device already";
		return -EBUSY;
	}
	return 0;
}

int
eth_device_probe(const char *device, uint16_t *ret_id, const char **ret_why)
{
	struct rte_devargs args = {0};
	char name[RTE_DEV_NAME_MAX_LEN];
	int rc = rte_devargs_parse(&args, device);

	if (rc != 0) {
		*ret_why = "DPDK does not know such a device; give a PCI address or a vdev string "
			   "such as net_af_packet0,iface=eth1";
		return rc;
	}
	snprintf(name, sizeof(name), "%s", args.name);
	rte_devargs_reset(&args);
	if (rte_eth_dev_get_port_by_name(name, ret_id) == 0)
		return take_ownership(*ret_id, ret_why);
	rc = rte_dev_probe(device);
	if (rc != 0) {
		*ret_why = "the driver cannot open it; check that the interface or file exists, "
			   "that softbag may use it, and the lines above from DPDK";
		return rc;
	}
	if (rte_eth_dev_get_port_by_name(name, ret_id) != 0) {
		*ret_why = "DPDK took it, and it is not an Ethernet device";
		return -ENODEV;
	}
	return take_ownership(*ret_id, ret_why);
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
