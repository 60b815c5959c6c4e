/* SPDX-License-Identifier: BSD-3-Clause */
/* From bytes of a wire to metadata or a verdict. Every byte is hostile: bounds first. */
#ifndef PKT_PARSE_H
#define PKT_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "pkt/burst.h"

/*
 * Headers are looked at within this many bytes of a frame, and no further: a chain of IPv6
 * extension headers that goes beyond is dropped (ip6_ext_chain). 512 holds two tags, IPv6, eight
 * headers of 56 bytes and a BTH; a host that needs more is not one of ours, and 1024 would only be
 * more to copy when a frame comes in small segments.
 */
#define PARSE_WINDOW 512u

/* What a port accepts. */
struct parse_policy {
	uint64_t mac48;   /* ours, as eth_addr48() reads it */
	bool promiscuous; /* any destination MAC is ours */
};

/*
 * Fills `meta` for one packet and returns its verdict (0: an IP packet that goes on; see
 * struct pkt_meta). May join the first segments of `m` so that PARSE_WINDOW bytes are contiguous;
 * changes nothing else. `meta` is whole only when the verdict is 0. Any thread that owns `m`.
 *
 * Walks 802.1Q/802.1ad tags (two at most), IPv4 with options (RFC 791), IPv6 with the extension
 * headers 0, 43, 44, 51, 60, 135, 139, 140 (RFC 8200, 4302), UDP, TCP and the BTH (IBTA A17).
 */
uint8_t pkt_parse(struct rte_mbuf *m, const struct parse_policy *policy, struct pkt_meta *meta);

/*
 * By the first octet of an IPv4 address: 1 where it needs a closer look (0, 127, 169 for
 * link-local, 224 and up).
 */
extern const uint8_t pkt_ip4_special[256];

/*
 * Makes the first min(pkt_len, want) bytes of a segmented packet contiguous by moving bytes from
 * later segments into the room behind the first; emptied segments go back to their pool. -ENOSPC
 * when there is no such room or a segment is shared; the packet is then as it was.
 */
int pkt_pullup(struct rte_mbuf *m, uint16_t want);

#endif
