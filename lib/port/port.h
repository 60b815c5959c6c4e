/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports: whatever packets come from and go to. Two kinds behind one face: a DPDK device, and a
 * memory port whose other end is the caller (softbag-replay, tests). Nothing else in softbag knows
 * rte_ethdev.
 *
 * Life: create, configure, start, (rx, tx), stop, free. All but rx and tx: control thread. rx and
 * tx of one queue: one worker at a time.
 */
#ifndef PORT_PORT_H
#define PORT_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#define PORT_NAME_MAX 32u

/* What a device can, as it says itself. */
struct port_caps {
	uint16_t max_rxq, max_txq;
	uint16_t fixed_rxq; /* RX queues that it fills whether somebody polls them or not */
	uint32_t max_mtu;   /* bytes of IP packet; 0: it does not say */
	bool rss;           /* spreads flows over RX queues */
	bool multi_seg_tx;  /* sends chained mbufs */
	bool fast_free;     /* frees bursts of one pool at once */
	bool steady_link;   /* carrier is always "up" */
	int socket;         /* NUMA node, or -1 */
	uint16_t burst;     /* packets a poll that the driver prefers; 0: any */
	const char *driver;
};

struct port_config {
	uint16_t mtu;
	uint16_t n_rxq, n_txq; /* at most what the caps say */
	uint16_t n_desc;       /* per queue; clamped to what the device takes */
	bool has_mac;
	uint8_t mac[6];
	bool promiscuous;
	bool chains; /* frames to send may be chains whose mbufs are of several pools, or shared */
	/*
	 * Priorities whose pauses the device itself is to make and to heed, and what an XOFF asks
	 * for; a device that cannot is not configured (-ENOTSUP). 0: pauses are left to packets.
	 */
	uint8_t pfc;
	uint16_t pfc_quanta;
	struct rte_mempool *pool;
};

struct port_stats {
	uint64_t missed; /* packets the device lost before we polled */
	uint64_t errors; /* bad on arrival, or no mbuf for them */
};

typedef uint16_t (*port_burst_fn)(void *ctx, uint16_t queue, struct rte_mbuf **m, uint16_t n);

/* Says aloud what the port does instead of what was asked: one sentence a call, without its name.
 */
struct port_note {
	void (*say)(void *ctx, const char *sentence);
	void *ctx;
};

struct port_ops;

struct port {
	port_burst_fn rx, tx; /* what tx does not take stays the caller's */
	void *ctx;
	const struct port_ops *ops;
	char name[PORT_NAME_MAX];
	struct port_caps caps;
	uint8_t mac[6]; /* set by configure */
	uint16_t mtu;
	bool one_segment; /* set by configure: tx takes single-segment packets only */
};

static inline uint16_t
port_rx(const struct port *p, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	return p->rx(p->ctx, queue, m, n);
}

static inline uint16_t
port_tx(const struct port *p, uint16_t queue, struct rte_mbuf **m, uint16_t n)
{
	return p->tx(p->ctx, queue, m, n);
}

/*
 * Finds or makes the DPDK device `device` (a PCI address, or a vdev string as DPDK takes it). `mtu`
 * is known early because some drivers want buffer sizes with their name. Errors: -errno, and
 * *ret_why (static or until the next call) says what helps.
 */
int port_create_eth(const char *name, const char *device, uint16_t mtu, struct port **ret_port,
	const char **ret_why);

/*
 * The device is a PCI address, `03:00.0`, with or without its domain before and `,options` behind
 * it; the domain is a part of the name that DPDK gives the device. Pure.
 */
enum port_pci {
	PORT_PCI_NONE,  /* a vdev string, or nothing at all */
	PORT_PCI_SHORT, /* without its domain */
	PORT_PCI_FULL,  /* 0000:03:00.0 */
};
enum port_pci port_device_pci(const char *device);

/*
 * A memory port with `n_rxq` receive rings of `depth` packets and one send ring.
 * -ENOMEM.
 */
int port_create_mem(const char *name, uint16_t n_rxq, uint32_t depth, struct port **ret_port);

/* The caller's end of a memory port: packets in to the node, packets out of it. Returns how many.
 */
uint16_t port_mem_put(struct port *p, uint16_t queue, struct rte_mbuf **m, uint16_t n);
uint16_t port_mem_take(struct port *p, struct rte_mbuf **m, uint16_t n);

/*
 * What port_link_up() and port_speed() say of a memory port from now on; up and 0 at first. Its
 * rings work on: whoever cuts a link takes nothing. Control thread.
 */
void port_mem_set_link(struct port *p, bool up);
void port_mem_set_speed(struct port *p, uint64_t bps);

/* Packets put and not polled yet; packets sent and not taken yet; no more can be sent. Between
 * turns. */
uint32_t port_mem_unread(const struct port *p);
uint32_t port_mem_sent(const struct port *p);
bool port_mem_full(const struct port *p);

/* Errors: -errno and *ret_why. Notes what the device does instead. */
int port_configure(struct port *p, const struct port_config *config, const struct port_note *note,
	const char **ret_why);
int port_start(struct port *p);
void port_stop(struct port *p);
void port_free(struct port *p); /* takes NULL; closes the device */

bool port_link_up(struct port *p);
/* Bits/s of the link as it is now; 0: not known (no link, a vdev: those make one up). */
uint64_t port_speed(struct port *p);
void port_stats(struct port *p, struct port_stats *ret_stats);

/* The bytes that a frame of this MTU may have: IP packet, Ethernet header, two tags, FCS. */
static inline uint32_t
port_frame_len(uint16_t mtu)
{
	return mtu + 14u + 2 * 4u + 4u;
}

/*
 * The room that a driver may ask of a packet buffer for such a frame: net_af_packet counts a part
 * of its ring's frame header in. Multiples of 256, so that 16 frames at most fill whole pages.
 */
static inline uint32_t
port_frame_room(uint16_t mtu)
{
	return RTE_ALIGN_CEIL(port_frame_len(mtu) + 128u, 256u);
}

/* A MAC for a device that has none, the same each time: locally administered, made from the name.
 */
void port_default_mac(const char *name, uint8_t *ret_mac);

#endif
