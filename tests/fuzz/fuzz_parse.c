/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzes the parser. The first byte is bit 0: promiscuous, the rest: length of the segments that
 * the frame comes in, 0 for one piece; the other bytes are the frame. Whatever it is, the parser
 * reads nothing outside it, agrees with the reference parser, and says the same of it in one piece
 * and in segments; a packet that goes on has its headers inside the frame.
 */
#include <stdlib.h>
#include <string.h>

#include "eal.h"
#include "packet.h"
#include "parse_model.h"
#include "pkt/flow_inl.h"
#include "pkt/inner.h"
#include "pkt/parse.h"

#define FRAME_MAX 4096u
#define POOL_SIZE (FRAME_MAX + 64u) /* a frame in segments of one byte */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};

/* A sanitizer shows the line; the process ends without one too. */
#define must(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void
check_inside(const struct pkt_meta *meta, const uint8_t *frame, size_t len)
{
	size_t l3 = (size_t)(meta->l3 - frame);
	size_t hdr_len = meta->flags & PKT_IP6 ? 40 : 20;

	must(meta->l3 >= frame && l3 >= 14 && l3 <= 22 && l3 == 14u + 4 * meta->tags);
	must(meta->tags <= 2);
	must(l3 + hdr_len <= len && meta->l3_len >= hdr_len && l3 + meta->l3_len <= len);
	if (meta->flags & PKT_ROCE) {
		must(meta->proto == 17 && (meta->l4_ports & 0xffff) == 4791);
		must(!(meta->flags & PKT_FRAGMENT));
		must(meta->l3_len >= hdr_len + 8 + 12 + 4 && meta->dest_qp < 1u << 24);
	}
	if (meta->flags & PKT_FRAGMENT)
		must(meta->l4_ports == 0);
}

/* The flow by its definition: addresses, protocol and ports of the model; then the QP. */
static void
check_flow(const struct pkt_meta *meta, const uint8_t *frame, const struct parse_model *want)
{
	uint32_t crc = want->version == 6
			       ? flow_crc_addrs6(frame + want->l3 + 8)
			       : flow_crc_addrs4((uint64_t)want->src4 << 32 | want->dst4);

	crc = flow_crc_l4(crc, want->l4_ports, want->proto);
	must(meta->flow[0] == crc);
	must(meta->flow[1] == (want->roce ? flow_crc_qp(crc, want->dest_qp) : crc));
}

static void
check_model(const struct pkt_meta *meta, const uint8_t *frame, const struct parse_model *want)
{
	bool ip6 = meta->flags & PKT_IP6, roce = meta->flags & PKT_ROCE;

	must((size_t)(meta->l3 - frame) == want->l3 && meta->l3_len == want->l3_len);
	must(ip6 == (want->version == 6) && roce == want->roce);
	must(!(meta->flags & PKT_FRAGMENT) == !want->fragment);
	must(!(meta->flags & PKT_LINK_SCOPE) == !want->link_scope);
	must(meta->tags == want->tags && meta->tos == want->tos && meta->ttl == want->ttl);
	must(meta->proto == want->proto && meta->l4_ports == want->l4_ports);
	must(ip6 || (meta->src == want->src4 && meta->dst == want->dst4));
	must(!roce || (meta->opcode == want->opcode && meta->dest_qp == want->dest_qp));
	check_flow(meta, frame, want);
}

/* Of the packet in one piece; what its segments are held to. */
static uint32_t inner_of_whole;

static uint8_t
parse_whole(const uint8_t *bytes, size_t len, const struct parse_policy *policy)
{
	uint8_t *frame = malloc(len != 0 ? len : 1);
	struct parse_model want;
	struct pkt_meta meta;
	struct rte_mbuf m;
	uint8_t verdict;

	must(frame != NULL);
	memcpy(frame, bytes, len);
	memset(&meta, 0xa5, sizeof(meta));
	packet_wrap(&m, frame, len);
	verdict = pkt_parse(&m, policy, &meta);
	must(memcmp(frame, bytes, len) == 0);
	must(verdict < DROP_N || (verdict > VERDICT_PUNT && verdict < VERDICT_PUNT + PUNT_N));
	must(verdict == parse_model(frame, len, mac, policy->promiscuous, &want));
	if (verdict == 0) {
		check_inside(&meta, frame, len);
		check_model(&meta, frame, &want);
		inner_of_whole = pkt_inner_flow(&meta, meta.flow[0], true);
	}
	free(frame);
	return verdict;
}

static void
parse_segments(const uint8_t *bytes, size_t len, size_t seg_len, const struct parse_policy *policy,
	uint8_t want)
{
	static struct rte_mempool *pool;
	static uint8_t copy[FRAME_MAX];
	struct parse_model model;
	struct pkt_meta meta;
	struct rte_mbuf *m;

	if (pool == NULL) {
		test_eal(64);
		pool = test_pool("fuzz", POOL_SIZE, 2048);
	}
	m = packet_chain(pool, bytes, len, seg_len);
	must(m != NULL);
	memset(&meta, 0x5a, sizeof(meta));
	must(pkt_parse(m, policy, &meta) == want);
	must(packet_read(m, copy, sizeof(copy)) == len && memcmp(copy, bytes, len) == 0);
	rte_mbuf_sanity_check(m, 1);
	if (want == 0) {
		parse_model(bytes, len, mac, policy->promiscuous, &model);
		check_model(&meta, rte_pktmbuf_mtod(m, const uint8_t *), &model);
		must(pkt_inner_flow(&meta, meta.flow[0], true) == inner_of_whole);
	}
	rte_pktmbuf_free(m);
	must(test_pool_used(pool) == 0);
}

/* A mutation alone would hardly ever come past the checksum. */
static void
mend_checksum(uint8_t *frame, size_t len)
{
	size_t l3 = 14;

	while (l3 + 20 <= len && l3 < 22 &&
		(memcmp(frame + l3 - 2, "\x81", 2) == 0 ||
			memcmp(frame + l3 - 2, "\x88\xa8", 2) == 0))
		l3 += 4;
	if (l3 + 20 > len || memcmp(frame + l3 - 2, "\x08", 2) != 0)
		return;
	size_t hdr_len = (frame[l3] & 0xfu) * 4u;

	if (hdr_len >= 20 && l3 + hdr_len <= len)
		packet_fix_ip4(frame + l3);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parse_policy policy = {.mac48 = UINT64_C(0x010000000002)};
	static uint8_t frame[FRAME_MAX];
	uint8_t verdict;

	if (size < 1 || size - 1 > FRAME_MAX)
		return 0;
	memcpy(frame, data + 1, size - 1);
	policy.promiscuous = data[0] & 1;
	if (data[0] & 2)
		mend_checksum(frame, size - 1);
	verdict = parse_whole(frame, size - 1, &policy);
	if (data[0] >> 2 != 0)
		parse_segments(frame, size - 1, data[0] >> 2, &policy, verdict);
	return 0;
}
