/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports that are DPDK devices: found, asked what they can, set up with what they can, and a
 * sentence for everything that they can't. Device strings are completed by eth_args.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "port/eth_args.h"
#include "port/eth_pfc.h"
#include "port/netdev.h"
#include "port/ops.h"

#define ETH_WHY_MAX 256

struct eth_port {
	struct port port; /* first: free(port) frees all */
	uint16_t id;
	char device[ETH_DEVICE_MAX];
	bool started;
	uint8_t pfc; /* by the device */
	uint16_t pfc_quanta;
	char why[ETH_WHY_MAX];
	/* what a kernel interface under the device gets back at the end */
	bool mac_changed, promiscuous;
	struct rte_ether_addr mac_before;
	char netdev[32];
	int netdev_mtu; /* 0: not changed */
};

static uint16_t
eth_rx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	return rte_eth_rx_burst((uint16_t)(uintptr_t)ctx, queue, m, n);
}

static uint16_t
eth_tx(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	return rte_eth_tx_burst((uint16_t)(uintptr_t)ctx, queue, m, n);
}

static void __attribute__((format(printf, 2, 3)))
say(const struct port_note *note, const char *format, ...)
{
	char sentence[ETH_WHY_MAX];
	va_list args;

	if (note == NULL || note->say == NULL)
		return;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	note->say(note->ctx, sentence);
}

static int __attribute__((format(printf, 4, 5)))
fail(struct eth_port *ep, int error, const char **ret_why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ep->why, sizeof(ep->why), format, args);
	va_end(args);
	*ret_why = ep->why;
	return error;
}

/* The address to live by: the configured one, else the device's, else one of our own. */
static void
choose_mac(struct eth_port *ep, const struct port_config *c, const struct port_note *note)
{
	struct rte_ether_addr addr;

	rte_eth_macaddr_get(ep->id, &addr);
	ep->mac_before = addr;
	if (c->has_mac) {
		memcpy(ep->port.mac, c->mac, sizeof(ep->port.mac));
	} else if (rte_is_zero_ether_addr(&addr)) {
		port_default_mac(ep->port.name, ep->port.mac);
		say(note, "%s has no MAC of its own; softbag makes one from the port's name.",
			ep->port.caps.driver);
	} else {
		memcpy(ep->port.mac, addr.addr_bytes, sizeof(ep->port.mac));
	}
}

static void
set_filters(struct eth_port *ep, const struct port_config *c, const struct port_note *note)
{
	struct rte_ether_addr addr;
	bool promiscuous = c->promiscuous;

	choose_mac(ep, c, note);
	memcpy(addr.addr_bytes, ep->port.mac, sizeof(addr.addr_bytes));
	if (c->has_mac && !rte_is_same_ether_addr(&addr, &ep->mac_before)) {
		if (rte_eth_dev_default_mac_addr_set(ep->id, &addr) == 0) {
			ep->mac_changed = true;
		} else {
			say(note,
				"%s cannot change its MAC; it takes all frames and softbag keeps "
				"those to the configured one.",
				ep->port.caps.driver);
			promiscuous = true;
		}
	}
	if (promiscuous && rte_eth_promiscuous_enable(ep->id) != 0)
		say(note, "%s has no promiscuous mode; frames to other MACs may not reach softbag.",
			ep->port.caps.driver);
	ep->promiscuous = promiscuous;
	/* ND, OSPF, LLDP and LACP come to groups; a device without the switch has no filter either
	 */
	if (!promiscuous)
		rte_eth_allmulticast_enable(ep->id);
}

/* The driver's limit is not the interface's: asks the kernel. */
static int
set_netdev_mtu(struct eth_port *ep, uint16_t mtu)
{
	int before, rc;

	if (!netdev_from_device(ep->device, ep->netdev, sizeof(ep->netdev)))
		return -EINVAL;
	rc = netdev_get_mtu(ep->netdev, &before);
	if (rc != 0 || before == mtu)
		return rc;
	rc = netdev_set_mtu(ep->netdev, mtu);
	if (rc == 0)
		ep->netdev_mtu = before;
	return rc;
}

static int
set_mtu(struct eth_port *ep, const struct port_config *c, const struct port_note *note,
	const char **ret_why)
{
	uint16_t before = 0;
	int rc;

	ep->port.mtu = c->mtu;
	if (netdev_from_device(ep->device, ep->netdev, sizeof(ep->netdev))) {
		rc = set_netdev_mtu(ep, c->mtu);
	} else {
		rc = rte_eth_dev_get_mtu(ep->id, &before) == 0 && before == c->mtu
			     ? 0
			     : rte_eth_dev_set_mtu(ep->id, c->mtu);
		if (rc == -ENOTSUP) {
			say(note, "%s has no MTU of its own; softbag holds packets to %u bytes.",
				ep->port.caps.driver, c->mtu);
			rc = 0;
		}
	}
	if (rc == 0)
		return 0;
	return fail(ep, rc, ret_why,
		"port %s: %s refuses an MTU of %u (%s); give the port an mtu that the device and "
		"its interface can.",
		ep->port.name, ep->port.caps.driver, c->mtu, strerror(-rc));
}

/* A kernel interface goes on living: it gets its MTU, MAC and filters back. */
static void
restore(struct eth_port *ep)
{
	if (ep->netdev_mtu != 0)
		netdev_set_mtu(ep->netdev, ep->netdev_mtu);
	if (ep->mac_changed)
		rte_eth_dev_default_mac_addr_set(ep->id, &ep->mac_before);
	if (ep->promiscuous)
		rte_eth_promiscuous_disable(ep->id);
}

/*
 * One mbuf of one pool holds any frame of the node: freeing in bulk is worth more than chains, and
 * drivers take their short path with it. Cells are no such mbufs, nor are packets out of them.
 */
static uint64_t
tx_offloads(const struct port_caps *caps, bool chains)
{
	if (caps->fast_free && !chains)
		return RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	return caps->multi_seg_tx ? RTE_ETH_TX_OFFLOAD_MULTI_SEGS : 0;
}

static int
set_queues(struct eth_port *ep, const struct port_config *c, const struct rte_eth_dev_info *info,
	const char **ret_why)
{
	uint16_t n_rxd = c->n_desc, n_txd = c->n_desc;
	struct rte_eth_txconf txconf = info->default_txconf;
	int rc = rte_eth_dev_adjust_nb_rx_tx_desc(ep->id, &n_rxd, &n_txd);
	unsigned int socket = (unsigned int)rte_eth_dev_socket_id(ep->id);

	if (rc != 0 && rc != -ENOTSUP)
		return fail(ep, rc, ret_why, "port %s: no descriptor count fits (%s).",
			ep->port.name, strerror(-rc));
	txconf.offloads = tx_offloads(&ep->port.caps, c->chains);
	for (uint16_t q = 0; q < c->n_rxq; q++) {
		rc = rte_eth_rx_queue_setup(ep->id, q, n_rxd, socket, NULL, c->pool);
		if (rc != 0)
			return fail(ep, rc, ret_why, "port %s: RX queue %u cannot be set up (%s).",
				ep->port.name, q, strerror(-rc));
	}
	for (uint16_t q = 0; q < c->n_txq; q++) {
		rc = rte_eth_tx_queue_setup(ep->id, q, n_txd, socket, &txconf);
		if (rc != 0)
			return fail(ep, rc, ret_why, "port %s: TX queue %u cannot be set up (%s).",
				ep->port.name, q, strerror(-rc));
	}
	return 0;
}

static int
set_pfc(struct eth_port *ep, const struct port_config *c, const char **ret_why)
{
	int rc = c->pfc == 0 ? 0 : eth_pfc_set(ep->id, c->pfc, c->pfc_quanta);

	ep->pfc = c->pfc;
	ep->pfc_quanta = c->pfc_quanta;
	if (rc == 0)
		return 0;
	return fail(ep, rc, ret_why,
		"port %s: %s cannot make and heed pauses itself (%s); give the port `pfc: {mode: "
		"software}`.",
		ep->port.name, ep->port.caps.driver, strerror(-rc));
}

static int
eth_configure(struct port *p, const struct port_config *c, const struct port_note *note,
	const char **ret_why)
{
	struct eth_port *ep = (struct eth_port *)p;
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	int rc = rte_eth_dev_info_get(ep->id, &info);

	if (rc != 0)
		return fail(ep, rc, ret_why, "port %s: the device does not answer (%s).", p->name,
			strerror(-rc));
	if (c->n_rxq > 1 && p->caps.rss) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf =
			info.flow_type_rss_offloads &
			(RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP);
	}
	conf.txmode.offloads = tx_offloads(&p->caps, c->chains);
	p->one_segment = (conf.txmode.offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0;
	rc = rte_eth_dev_configure(ep->id, c->n_rxq, c->n_txq, &conf);
	if (rc != 0)
		return fail(ep, rc, ret_why, "port %s: %s refuses %u RX and %u TX queues (%s).",
			p->name, p->caps.driver, c->n_rxq, c->n_txq, strerror(-rc));
	rc = set_mtu(ep, c, note, ret_why);
	if (rc == 0)
		rc = set_queues(ep, c, &info, ret_why);
	if (rc == 0)
		rc = set_pfc(ep, c, ret_why);
	if (rc == 0)
		set_filters(ep, c, note);
	return rc;
}

static int
eth_start(struct port *p)
{
	struct eth_port *ep = (struct eth_port *)p;
	int rc = rte_eth_dev_start(ep->id);

	/* some drivers reset it with the start */
	if (rc == 0 && ep->pfc != 0) {
		rc = eth_pfc_set(ep->id, ep->pfc, ep->pfc_quanta);
		if (rc != 0)
			rte_eth_dev_stop(ep->id);
	}
	ep->started = rc == 0;
	return rc;
}

static void
eth_stop(struct port *p)
{
	struct eth_port *ep = (struct eth_port *)p;

	if (ep->started)
		rte_eth_dev_stop(ep->id);
	ep->started = false;
}

static void
eth_fini(struct port *p)
{
	struct eth_port *ep = (struct eth_port *)p;

	eth_stop(p);
	restore(ep);
	rte_eth_dev_close(ep->id);
	eth_device_remove(ep->device);
}

static bool
eth_link_up(struct port *p)
{
	struct rte_eth_link link;

	if (rte_eth_link_get_nowait(((struct eth_port *)p)->id, &link) != 0)
		return true;
	return link.link_status == RTE_ETH_LINK_UP;
}

static uint64_t
eth_speed(struct port *p)
{
	struct eth_port *ep = (struct eth_port *)p;
	struct rte_eth_link link;

	if (port_device_pci(ep->device) == PORT_PCI_NONE ||
		rte_eth_link_get_nowait(ep->id, &link) != 0 ||
		link.link_status != RTE_ETH_LINK_UP || link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN)
		return 0;
	return link.link_speed * UINT64_C(1000000);
}

static void
eth_stats(struct port *p, struct port_stats *ret_stats)
{
	struct rte_eth_stats s;

	if (rte_eth_stats_get(((struct eth_port *)p)->id, &s) != 0)
		return;
	ret_stats->missed = s.imissed;
	ret_stats->errors = s.ierrors + s.rx_nombuf;
}

static const struct port_ops eth_ops = {
	.configure = eth_configure,
	.start = eth_start,
	.stop = eth_stop,
	.fini = eth_fini,
	.link_up = eth_link_up,
	.speed = eth_speed,
	.stats = eth_stats,
};

/* Devices that spread what comes over their RX queues by themselves, polled or not. */
static bool
fills_all_queues(const char *driver)
{
	return strcmp(driver, "net_af_packet") == 0 || strcmp(driver, "net_pcap") == 0;
}

static void
read_caps(struct eth_port *ep, const struct rte_eth_dev_info *info)
{
	ep->port.caps = (struct port_caps){
		.max_rxq = info->max_rx_queues,
		.max_txq = info->max_tx_queues,
		.max_mtu = info->max_mtu == UINT16_MAX ? 0 : info->max_mtu,
		.rss = info->flow_type_rss_offloads != 0,
		.multi_seg_tx = (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0,
		.fast_free = (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0,
		.fixed_rxq = fills_all_queues(info->driver_name) ? info->max_rx_queues : 1,
		.steady_link = strcmp(info->driver_name, "net_af_xdp") == 0,
		.socket = rte_eth_dev_socket_id(ep->id),
		.burst = info->default_rxportconf.burst_size,
		.driver = info->driver_name,
	};
}

int
port_create_eth(const char *name, const char *device, uint16_t mtu, struct port **ret_port,
	const char **ret_why)
{
	struct rte_eth_dev_info info;
	struct eth_port *ep = calloc(1, sizeof(*ep));
	int rc;

	*ret_why = "out of memory";
	if (ep == NULL)
		return -ENOMEM;
	snprintf(ep->port.name, sizeof(ep->port.name), "%s", name);
	*ret_why = "the device string is longer than DPDK takes";
	rc = eth_device_complete(device, port_frame_room(mtu), ep->device, sizeof(ep->device));
	if (rc == 0)
		rc = eth_device_probe(ep->device, &ep->id, ret_why);
	if (rc != 0) {
		free(ep);
		return rc;
	}
	rc = rte_eth_dev_info_get(ep->id, &info);
	if (rc != 0) {
		*ret_why = "the device does not say what it can";
		eth_device_remove(ep->device);
		free(ep);
		return rc;
	}
	ep->port.ops = &eth_ops;
	ep->port.rx = eth_rx;
	ep->port.tx = eth_tx;
	ep->port.ctx = (void *)(uintptr_t)ep->id;
	read_caps(ep, &info);
	*ret_port = &ep->port;
	return 0;
}
