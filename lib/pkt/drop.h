/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a packet does not go on. Every packet that comes in goes out, is punted, or is counted under
 * one of these. Names, texts and counters come from one list.
 */
#ifndef PKT_DROP_H
#define PKT_DROP_H

#include <stdint.h>

/* X(name, what it means, for people) */
#define DROP_REASONS(X)                                                                            \
	X(runt, "shorter than an Ethernet header")                                                 \
	X(src_mac_multicast, "the source MAC is a group address")                                  \
	X(dst_mac_other, "the destination MAC is not ours")                                        \
	X(l2_multicast, "a unicast IP packet in a broadcast or multicast frame")                   \
	X(mac_control, "PAUSE, broken PFC or another MAC control frame: never forwarded")          \
	X(pfc, "a priority pause frame: taken notice of here, never forwarded")                    \
	X(link_local_mac, "sent to 01:80:c2:00:00:0x: never forwarded")                            \
	X(vlan_truncated, "the frame ends inside its VLAN tags")                                   \
	X(vlan_depth, "more than two VLAN tags")                                                   \
	X(ethertype, "neither IP nor anything the node or its kernel handles")                     \
	X(ip4_truncated, "the frame ends inside the IPv4 header")                                  \
	X(ip4_version, "EtherType IPv4, and the version is not 4")                                 \
	X(ip4_header_len, "the IPv4 header length is below 20 or beyond the packet")               \
	X(ip4_total_len, "the IPv4 total length is below the header or beyond the frame")          \
	X(ip4_checksum, "the IPv4 header checksum is wrong")                                       \
	X(ip6_truncated, "the frame ends inside the IPv6 header")                                  \
	X(ip6_version, "EtherType IPv6, and the version is not 6")                                 \
	X(ip6_payload_len, "the IPv6 payload length is beyond the frame")                          \
	X(ip6_ext_truncated, "the packet ends inside an IPv6 extension header")                    \
	X(ip6_ext_chain, "more than 8 IPv6 extension headers, or beyond the first 512 bytes")      \
	X(l4_truncated, "the packet ends inside its UDP or TCP header")                            \
	X(udp_len, "the UDP length is below 8 or beyond the packet")                               \
	X(src_multicast, "the source IP address is a multicast address")                           \
	X(martian, "a loopback, unspecified or link-local address that no router forwards")        \
	X(multicast, "a multicast destination: the node has no multicast routes")                  \
	X(segments, "the headers are spread over segments without room to join them")              \
	X(ttl_zero, "TTL or hop limit 0 on arrival")                                               \
	X(no_route, "no route to the destination")                                                 \
	X(too_big, "longer than the MTU of the port it would leave by")                            \
	X(no_member, "no live member with a weight in the group")                                  \
	X(unresolved, "the MAC of the next hop is not known")                                      \
	X(red, "dropped early by the curve of its class")                                          \
	X(not_ect, "the curve would mark it, and it is not ECN-capable")                           \
	X(queue_full, "the queue of its class is at its limit")                                    \
	X(lossless_drop, "the queue of a lossless class is at its limit in spite of pause")        \
	X(buffer_full, "the memory for waiting packets is used up")                                \
	X(link_down, "the link of its port went down while it waited")                             \
	X(pfc_storm, "its class is paused without end: the watchdog empties it")                   \
	X(impair_loss, "lost on purpose: a configured impairment")                                 \
	X(delay_line_full, "the delay line is at its limit")                                       \
	X(not_cell, "no cell, on a fabric link")                                                   \
	X(cell_short, "the frame ends before the header or the payload of its cell does")          \
	X(cell_check, "the check of the cell's header is wrong")                                   \
	X(cell_version, "a version, type or class of cell that is not known here")                 \
	X(cell_len, "lengths of a cell that contradict each other")                                \
	X(cell_fragment, "a fragment number that is too high, or not as the flags say")            \
	X(cell_device, "a source or destination device that cannot be")                            \
	X(system_port, "the system port that it is for does not exist here")                       \
	X(unreachable, "no live fabric link leads to the device")                                  \
	X(voq_full, "the virtual output queue is at its limit")                                    \
	X(voq_watchdog, "no credit came for too long: its virtual output queue was emptied")       \
	X(cell_buffer, "no buffers for the cells of the packet")                                   \
	X(reassembly_timeout, "other cells of its packet did not come in time")                    \
	X(reassembly_duplicate, "a cell that is there already")                                    \
	X(reassembly_late, "a cell of a packet that is gone")                                      \
	X(reassembly_window, "a cell of a packet far ahead of its stream, or far behind")          \
	X(reassembly_mismatch, "a cell that contradicts the others of its packet")                 \
	X(reassembly_restart, "its stream began anew before the packet was whole")                 \
	X(reassembly_streams, "more streams than the node takes")                                  \
	X(reassembly_full, "the memory for packets in pieces is used up")                          \
	X(hyper_short, "the frame ends before the header of its hyper port does")                  \
	X(hyper_late, "a frame of a hyper port whose number was given up before it came")          \
	X(hyper_duplicate, "a frame of a hyper port whose number was here before")                 \
	X(hyper_room, "no room before the packet for the header of its hyper port")                \
	X(handoff_full, "the worker that the cell or packet belongs to takes no more")             \
	X(tx_full, "the port took no more packets and its buffer is full")                         \
	X(tx_segments, "the port sends one segment only and the packet does not fit one")          \
	X(stopped, "still waiting when the node was stopped")

enum drop_reason {
	DROP_NONE,
#define X(name, text) DROP_##name,
	DROP_REASONS(X)
#undef X
		DROP_N
};

/* Packets that the node hands to its kernel. Same shape. */
#define PUNT_KINDS(X)                                                                              \
	X(arp, "ARP")                                                                              \
	X(lldp, "LLDP")                                                                            \
	X(slow, "slow protocols: LACP, OAM")                                                       \
	X(link_local, "IP to a link-local address or group: ND, OSPF, IGMP, DHCP")                 \
	X(local, "to an address of the node")                                                      \
	X(ttl, "TTL or hop limit 1: traceroute")

enum punt_kind {
	PUNT_NONE,
#define X(name, text) PUNT_##name,
	PUNT_KINDS(X)
#undef X
		PUNT_N
};

/* `reason` in DROP_runt..DROP_N-1, `kind` in PUNT_arp..PUNT_N-1. Static strings. Any thread. */
const char *drop_name(enum drop_reason reason);
const char *drop_text(enum drop_reason reason);
const char *punt_name(enum punt_kind kind);
const char *punt_text(enum punt_kind kind);

#endif
