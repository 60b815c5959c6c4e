/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and setting a kernel interface's MTU; eth.c comes here where DPDK cannot. */
#include "port/netdev.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

bool
netdev_from_device(const char *device, char *ret_name, size_t size)
{
	const char *p = strstr(device, ",iface=");
	size_t len;

	/* both take frames above what DPDK says of them */
	if (p == NULL || (strstr(device, "af_packet") == NULL && strstr(device, "net_tap") == NULL))
		return false;
	p += strlen(",iface=");
	len = strcspn(p, ",");
	if (len == 0 || len >= size || len >= IFNAMSIZ)
		return false;
	snprintf(ret_name, size, "%.*s", (int)len, p);
	return true;
}

static int
mtu_ioctl(const char *name, unsigned long request, int *mtu)
{
	struct ifreq ifr = {.ifr_mtu = *mtu};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc = 0;

	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (ioctl(fd, request, &ifr) != 0)
		rc = -errno;
	else
		*mtu = ifr.ifr_mtu;
	close(fd);
	return rc;
}

int
netdev_get_mtu(const char *name, int *ret_mtu)
{
	int mtu = 0, rc = mtu_ioctl(name, SIOCGIFMTU, &mtu);

	if (rc == 0)
		*ret_mtu = mtu;
	return rc;
}

int
netdev_set_mtu(const char *name, int mtu)
{
	return mtu_ioctl(name, SIOCSIFMTU, &mtu);
}
