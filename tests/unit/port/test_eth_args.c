/* SPDX-License-Identifier: BSD-3-Clause */
/* Device strings: what net_af_packet gets for an MTU, and that the user's own words are kept. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "port/eth_args.h"
#include "port/port.h"

static unsigned int
number_after(const char *device, const char *key)
{
	const char *at = strstr(device, key);
	unsigned int n = 0;

	cr_assert_not_null(at, "%s has no %s", device, key);
	cr_assert_null(strstr(at + 1, key), "%s has %s twice", device, key);
	cr_assert_eq(sscanf(at + strlen(key), "%u", &n), 1);
	return n;
}

static void
check_af_packet(uint16_t mtu)
{
	char device[ETH_DEVICE_MAX];
	unsigned int frame, block, count;

	cr_assert_eq(eth_device_complete("net_af_packet3,iface=eth1,qpairs=2", port_frame_room(mtu),
			     device, sizeof(device)),
		0);
	cr_assert_eq(strncmp(device, "net_af_packet3,iface=eth1,qpairs=2,", 35), 0, "%s", device);
	frame = number_after(device, ",framesz=");
	block = number_after(device, ",blocksz=");
	count = number_after(device, ",framecnt=");
	/* packet(7): the ring's header and the frame fit, blocks are whole pages of whole frames */
	cr_assert_geq(frame, port_frame_len(mtu) + 66, "MTU %u: frames of %u", mtu, frame);
	cr_assert_eq(frame % 16, 0);
	cr_assert_eq(block % 4096, 0);
	cr_assert_geq(block, frame);
	cr_assert_eq(count % (block / frame), 0, "blocks are full");
	cr_assert(count >= 64 && (uint64_t)count * frame <= 128u << 20, "%u frames of %u", count,
		frame);
}

Test(eth_args, af_packet_frames_hold_any_mtu)
{
	for (unsigned int mtu = 68; mtu <= 65535; mtu += mtu < 20000 ? 1 : 97)
		check_af_packet((uint16_t)mtu);
	check_af_packet(65535);
}

static void
check_kept(const char *device)
{
	char out[ETH_DEVICE_MAX];

	cr_assert_eq(eth_device_complete(device, port_frame_room(9000), out, sizeof(out)), 0);
	cr_assert_str_eq(out, device);
}

Test(eth_args, frame_size_of_the_user_is_kept)
{
	check_kept("net_af_packet0,iface=eth1,framesz=4096,blocksz=8192,framecnt=64");
	check_kept("net_af_packet0,framesz=2048,iface=eth1");
	check_kept("net_af_packet0,iface=eth1,blocksz=65536");
}

Test(eth_args, other_devices_are_passed_as_they_are)
{
	static const char *const devices[] = {"0000:03:00.0", "net_tap0,iface=tap0", "net_null0",
		"", "net_af_xdp0,iface=eth1", "net_ring0",
		"net_pcap0,rx_pcap=a.pcap,tx_pcap=b.pcap"};

	for (size_t i = 0; i < BITS_ARRAY_LEN(devices); i++)
		check_kept(devices[i]);
}

Test(eth_args, pci_address_gets_its_domain)
{
	char out[ETH_DEVICE_MAX];

	cr_assert_eq(eth_device_complete("3b:00.1", 1522, out, sizeof(out)), 0);
	cr_assert_str_eq(out, "0000:3b:00.1");
	cr_assert_eq(eth_device_complete("3b:00.1,arg=1", 1522, out, sizeof(out)), 0);
	cr_assert_str_eq(out, "0000:3b:00.1,arg=1");
}

Test(eth_args, pci_addresses_are_told_from_vdev_strings)
{
	static const struct {
		const char *device;
		enum port_pci want;
	} row[] = {{"3b:00.1", PORT_PCI_SHORT}, {"03:00.0,arg=1", PORT_PCI_SHORT},
		{"0000:3b:00.1", PORT_PCI_FULL}, {"10000:3b:00.1", PORT_PCI_NONE},
		{"00ab:ff:1f.7,a=b,c=d", PORT_PCI_FULL}, {"3b:00", PORT_PCI_NONE},
		{"3b:00.12", PORT_PCI_NONE}, {"3b:00.1x", PORT_PCI_NONE},
		{"0000:3b:00.1 ", PORT_PCI_NONE}, {"net_null0", PORT_PCI_NONE},
		{"net_pcap0,rx_pcap=3b:00.1", PORT_PCI_NONE}, {"", PORT_PCI_NONE},
		{",", PORT_PCI_NONE}};

	for (size_t i = 0; i < BITS_ARRAY_LEN(row); i++)
		cr_expect_eq(port_device_pci(row[i].device), row[i].want, "%s", row[i].device);
}

Test(eth_args, string_too_long_is_an_error)
{
	char device[ETH_DEVICE_MAX + 8], out[ETH_DEVICE_MAX];

	memset(device, 'x', sizeof(device));
	device[ETH_DEVICE_MAX] = '\0';
	cr_assert_eq(eth_device_complete(device, 1522, out, sizeof(out)), -ENAMETOOLONG);
	device[ETH_DEVICE_MAX - 1] = '\0';
	cr_assert_eq(eth_device_complete(device, 1522, out, sizeof(out)), 0);
	cr_assert_str_eq(out, device);
	memcpy(device, "net_af_packet0,iface=", 21);
	cr_assert_eq(eth_device_complete(device, 1522, out, sizeof(out)), -ENAMETOOLONG,
		"with what is added");
}
