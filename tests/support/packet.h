/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet maker for tests: take packet_roce(4), change what the test is about, packet_write() it
 * to bytes, and put those into an mbuf. Lengths, checksums and ICRC come out right; a test that
 * wants them wrong changes the bytes. It shares no code with the parser that it tests.
 */
#ifndef TEST_PACKET_H
#define TEST_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#define PACKET_MAX      65600u /* bytes: the longest IPv6 packet and its Ethernet header fit */
#define PACKET_TAGS_MAX 4u
#define PACKET_EXT_MAX  12u

struct packet_tag {
	uint16_t tpid, tci;
};

/* An IPv6 extension header: 0, 43, 60, 135, 139, 140, AH 51 or fragment 44. */
struct packet_ext {
	uint8_t type;
	uint16_t len;  /* bytes; 0: 8, and 12 for AH */
	uint16_t frag; /* 44: offset in bytes | 1 when more pieces follow */
	uint32_t id;   /* 44 */
};

struct packet {
	uint8_t dst_mac[6], src_mac[6];
	uint8_t n_tags;
	struct packet_tag tag[PACKET_TAGS_MAX];
	uint16_t ethertype; /* 0: that of the IP version */

	uint8_t version; /* 4 or 6 */
	uint8_t tos, ttl;
	uint16_t ip_id;
	uint16_t ip_frag;    /* IPv4: flags (0x4000 DF, 0x2000 MF) and offset in 8 bytes */
	uint8_t options_len; /* IPv4: bytes of NOP options, a multiple of 4, at most 40 */
	uint32_t flow_label; /* IPv6 */
	uint32_t src4, dst4; /* host order */
	uint8_t src6[16], dst6[16];
	uint8_t n_ext; /* IPv6 */
	struct packet_ext ext[PACKET_EXT_MAX];

	uint8_t proto; /* 17 UDP, 6 TCP, else the payload follows the IP headers */
	bool no_l4;    /* the payload follows the IP headers all the same: later fragments */
	uint16_t sport, dport;
	bool udp_checksum; /* else 0, as RoCEv2 NICs send it */

	bool roce; /* a BTH before the payload, padding and the ICRC behind it */
	bool bad_icrc;
	uint8_t opcode;
	uint8_t bth_byte4; /* FECN 0x80, BECN 0x40 */
	uint8_t bth_byte8; /* ack request 0x80, may be reordered 0x40 */
	uint32_t dest_qp, psn;

	const uint8_t *payload; /* NULL: bytes that count up from 0 */
	uint32_t payload_len;
	uint32_t pad_to; /* frame length that zeros fill up to, behind the IP packet; 0: none */
};

/* Offsets in the frame. */
struct packet_at {
	size_t l3, l4, payload;
	size_t l3_end; /* where Ethernet padding begins */
	size_t len;
};

/*
 * RC SEND only of 64 bytes to QP 0x123, 10.1.64.1 to 10.2.0.1 or 2001:db8:1::1 to 2001:db8:2::1,
 * from 02:00:00:00:01:01 to 02:00:00:00:00:01, TTL 64, DSCP 26, ECT(0), no tags.
 */
struct packet packet_roce(unsigned int version);

/* The same addresses, UDP 5000 to 6000 with a checksum, TOS 0, 64 bytes. */
struct packet packet_udp(unsigned int version);

/* Returns the frame's length; ends the process when `size` is too small. `ret_at` may be NULL. */
size_t packet_write(const struct packet *p, uint8_t *buf, size_t size, struct packet_at *ret_at);

/* Makes the header checksum of the IPv4 header at `ip` right again. */
void packet_fix_ip4(uint8_t *ip);

/* Over an IP packet without its ICRC, whose UDP header is at `l4` from `ip` (IBTA annex A17). */
uint32_t packet_icrc(const uint8_t *ip, size_t l4, size_t len);

/* The frame is RoCEv2 (0-4 tags, IPv4 or IPv6, extension headers) and its ICRC is right. */
bool packet_icrc_ok(const uint8_t *frame, size_t len);

/* An mbuf of the pool with the frame in it, in one segment. NULL: the pool is empty. */
struct rte_mbuf *packet_mbuf(struct rte_mempool *pool, const uint8_t *frame, size_t len);

/* The same in segments of `seg_len` bytes. */
struct rte_mbuf *packet_chain(
	struct rte_mempool *pool, const uint8_t *frame, size_t len, size_t seg_len);

/* Copies a packet of any number of segments out; returns pkt_len, and copies at most `size`. */
size_t packet_read(const struct rte_mbuf *m, uint8_t *buf, size_t size);

/* Makes `m` an mbuf without a pool around the caller's bytes: the parser needs no EAL for it. */
void packet_wrap(struct rte_mbuf *m, void *bytes, size_t len);

#endif
