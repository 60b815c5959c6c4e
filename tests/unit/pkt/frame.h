/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parser's tests share: a place for a frame with nothing readable before or behind it, and
 * a parse that also shows up what the parser reads of the packet before.
 */
#ifndef TESTS_PKT_FRAME_H
#define TESTS_PKT_FRAME_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <criterion/criterion.h>

#include "packet.h"
#include "pkt/parse.h"

#define GUARD_PAGE 4096u
#define GUARD_ROOM (17 * GUARD_PAGE) /* PACKET_MAX and a page */

static const struct parse_policy node_policy = {.mac48 = UINT64_C(0x010000000002)};
static const struct parse_policy promiscuous_policy = {
	.mac48 = UINT64_C(0x010000000002), .promiscuous = true};

/* GUARD_ROOM bytes between two pages that must not be touched; once a process. */
static inline uint8_t *
guard_room(void)
{
	static uint8_t *room;

	if (room == NULL) {
		uint8_t *map = mmap(NULL, GUARD_ROOM + 2 * GUARD_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		cr_assert_neq(map, MAP_FAILED);
		cr_assert_eq(mprotect(map, GUARD_PAGE, PROT_NONE), 0);
		cr_assert_eq(mprotect(map + GUARD_PAGE + GUARD_ROOM, GUARD_PAGE, PROT_NONE), 0);
		room = map + GUARD_PAGE;
	}
	return room;
}

/* The fields that the parser owes for a packet that goes on, and no others. */
static inline bool
same_meta(const struct pkt_meta *a, const uint8_t *frame_a, const struct pkt_meta *b,
	const uint8_t *frame_b)
{
	return a->l3 - frame_a == b->l3 - frame_b && a->l4_ports == b->l4_ports &&
	       a->l3_len == b->l3_len && a->proto == b->proto && a->flags == b->flags &&
	       a->flow[0] == b->flow[0] && a->flow[1] == b->flow[1] && a->tos == b->tos &&
	       a->ttl == b->ttl && a->tags == b->tags &&
	       ((a->flags & PKT_IP6) || (a->src == b->src && a->dst == b->dst)) &&
	       (!(a->flags & PKT_ROCE) || (a->dest_qp == b->dest_qp && a->opcode == b->opcode));
}

static inline uint8_t
parse_at(uint8_t *frame, size_t len, const struct parse_policy *policy, int stale,
	struct pkt_meta *ret_meta)
{
	struct rte_mbuf m;

	packet_wrap(&m, frame, len);
	memset(ret_meta, stale, sizeof(*ret_meta));
	return pkt_parse(&m, policy, ret_meta);
}

/*
 * Parses with the frame's last byte before a forbidden page, then with its first byte behind one,
 * with metadata of zeros and of ones left over: all must agree, and the frame be as it was.
 * ret_meta->l3 points into the copy, which lies at the end of guard_room().
 */
static inline uint8_t
parse_frame(const uint8_t *bytes, size_t len, const struct parse_policy *policy,
	struct pkt_meta *ret_meta)
{
	uint8_t *low = guard_room(), *high = low + GUARD_ROOM - len;
	struct pkt_meta other;
	uint8_t verdict;

	memcpy(low, bytes, len);
	verdict = parse_at(low, len, policy, 0, &other);
	cr_assert_eq(memcmp(low, bytes, len), 0, "the parser wrote to the frame");
	memcpy(high, bytes, len);
	cr_assert_eq(parse_at(high, len, policy, 0xff, ret_meta), verdict,
		"the verdict depends on the packet before");
	cr_assert_eq(memcmp(high, bytes, len), 0, "the parser wrote to the frame");
	cr_assert(verdict != 0 || same_meta(&other, low, ret_meta, high),
		"metadata is left over from the packet before");
	return verdict;
}

static inline size_t
l3_offset(const struct pkt_meta *meta, size_t len)
{
	return (size_t)(meta->l3 - (guard_room() + GUARD_ROOM - len));
}

static inline uint8_t
parse_packet_spec(const struct packet *p, struct pkt_meta *ret_meta)
{
	static uint8_t buf[PACKET_MAX];
	size_t len = packet_write(p, buf, sizeof(buf), NULL);

	return parse_frame(buf, len, &node_policy, ret_meta);
}

static inline const char *
verdict_name(uint8_t verdict)
{
	if (verdict == 0)
		return "goes on";
	if (verdict < VERDICT_PUNT)
		return verdict < DROP_N ? drop_name(verdict) : "no such drop reason";
	return verdict > VERDICT_PUNT && verdict < VERDICT_PUNT + PUNT_N
		       ? punt_name(verdict - VERDICT_PUNT)
		       : "no such punt kind";
}

#define assert_verdict(have, want, ...)                                                            \
	do {                                                                                       \
		uint8_t have_ = (have), want_ = (want);                                            \
		if (have_ != want_)                                                                \
			verdict_differs(have_, want_, __VA_ARGS__);                                \
	} while (0)

static inline void __attribute__((format(printf, 3, 4)))
verdict_differs(uint8_t have, uint8_t want, const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	cr_assert_fail("%s: %s, want %s", what, verdict_name(have), verdict_name(want));
}

#endif
