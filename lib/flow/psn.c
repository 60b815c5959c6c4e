/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What psn_take() does not do in three lines: holes that open, late packets that fill them, READ
 * requests of many numbers, beginnings. qp.c comes before.
 */
#include "flow/psn.h"

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"

#define PSN_MTUS   5u /* 256, 512, 1024, 2048, 4096 (IBTA volume 1, chapter 9) */
#define PSN_NO_MTU 0x1fu

typedef unsigned __int128 window; /* a bit a number, the newest lowest */

static unsigned int
count_bits(window w)
{
	return (unsigned int)(__builtin_popcountll((uint64_t)w) +
			      __builtin_popcountll((uint64_t)(w >> 64)));
}

/* The lowest n bits, n 0..128. */
static window
low_bits(uint32_t n)
{
	return n >= PSN_WINDOW ? ~(window)0 : ((window)1 << n) - 1;
}

/* a - b as numbers of 24 bits: -2^23 .. 2^23 - 1. */
static int32_t
distance(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static unsigned int
extent_bin(uint32_t extent)
{
	unsigned int bin = extent <= 1 ? 0 : 32u - (unsigned int)__builtin_clz(extent - 1);

	return bin < PSN_EXTENTS ? bin : PSN_EXTENTS - 1;
}

/* The run of late packets was overtaken, and no more. */
static void
book_reordered(struct psn_stats *s, uint32_t first_extent, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t extent = first_extent + k;

		s->reordered++;
		s->extent_sum += extent;
		s->extent_max = extent > s->extent_max ? extent : s->extent_max;
		s->extent[extent_bin(extent)]++;
	}
}

/* What follows a run of late packets has come: `again` says whether they were sent again. */
static void
judge(struct psn *p, bool again)
{
	if (again) {
		p->stats.repeated += p->n_late;
		p->stats.lost += p->late_lost;
	} else {
		book_reordered(&p->stats, p->late_extent, p->n_late);
	}
	p->n_late = 0;
	p->late_lost = 0;
}

/* `next` moves by n. The numbers that enter are open or have come; of the open, some are missing.
 */
static void
move(struct psn *p, uint32_t n, window open, window missing)
{
	window leaving = n >= PSN_WINDOW ? ~(window)0 : ~(~(window)0 >> n);

	if (n == 0)
		return;
	p->stats.lost += count_bits(p->missing & leaving);
	p->open = n >= PSN_WINDOW ? 0 : p->open << n;
	p->missing = n >= PSN_WINDOW ? 0 : p->missing << n;
	p->open |= open;
	p->missing |= missing;
	p->next = (p->next + n) & PSN_MASK;
}

/*
 * Of n numbers that a packet overtakes: those that are missing if they do not come. What lies
 * before the window is lost at once.
 */
static window
proven(struct psn *p, uint32_t n, uint8_t what)
{
	uint32_t beyond = n > PSN_WINDOW ? n - PSN_WINDOW : 0;

	if ((what & PSN_ANEW) && !p->more)
		return 0;
	if (what & PSN_ANEW) { /* the message before it had not ended: its next number */
		p->stats.lost += beyond != 0;
		return beyond != 0 ? 0 : (window)1 << (n - 1);
	}
	if ((what & PSN_INNER) && !p->more)
		return 1;
	p->stats.lost += beyond;
	return low_bits(n);
}

/* The n numbers from `next` on were overtaken by the packet that arrives now. */
static void
open_hole(struct psn *p, uint32_t n, uint8_t what)
{
	uint32_t len = n < PSN_WINDOW ? n : PSN_WINDOW;
	uint32_t at = (p->next + n - len) % PSN_WINDOW;
	uint32_t head = len < PSN_WINDOW - at ? len : PSN_WINDOW - at;
	window missing = proven(p, n, what);

	memset(p->opened + at, p->arrival, head);
	memset(p->opened, p->arrival, len - head);
	move(p, n, low_bits(n), missing);
}

/* Numbers that a READ request of `len` bytes takes with an MTU of 256 << k. */
static uint32_t
read_numbers(uint32_t len, unsigned int k)
{
	uint64_t packets = ((uint64_t)len + (256u << k) - 1) >> (8 + k);

	return packets < PSN_JUMP_MAX ? (uint32_t)packets : PSN_JUMP_MAX;
}

/*
 * A READ request is followed by `room` numbers that did not pass, and then a packet. How many of
 * these are its own? A path MTU that asks for more than that cannot be. Of those that can, the
 * smallest takes the most, and what is left beyond is missing.
 */
static uint32_t
read_takes(struct psn *p, uint32_t len, uint32_t room)
{
	uint32_t own = 0;

	for (unsigned int k = 0; k < PSN_MTUS; k++) {
		uint32_t more = read_numbers(len, k) - 1;

		if (p->not_mtu >> k & 1)
			continue;
		if (more > room)
			p->not_mtu |= (uint8_t)(1u << k);
		else if (more > own)
			own = more;
	}
	if (p->not_mtu != PSN_NO_MTU)
		return own;
	p->not_mtu = 0; /* contradicts what was before: nothing is proven */
	return room;
}

/*
 * The newest packet is a READ request, and this one asks for the rest of its response: from
 * `room` + 1 packets on, as a requester may that missed one.
 */
static bool
is_rest(const struct psn *p, uint32_t room, uint32_t len)
{
	bool rest = false;

	if (p->read_len == 0 || len == 0 || len >= p->read_len)
		return false;
	for (unsigned int k = 0; k < PSN_MTUS; k++) {
		if (p->not_mtu >> k & 1)
			continue;
		if (read_numbers(p->read_len, k) - 1 == room)
			return false; /* it is simply the next request */
		rest |= (uint64_t)(room + 1) << (8 + k) == p->read_len - len;
	}
	return rest;
}

/* The packet is newer than all before it, and n numbers are between. */
static void
take_newer(struct psn *p, uint32_t n, uint8_t what)
{
	if (p->read_len != 0) {
		uint32_t own = read_takes(p, p->read_len, n);

		move(p, own, 0, 0);
		n -= own;
	}
	if (n != 0)
		open_hole(p, n, what);
	move(p, 1, 0, 0);
	p->more = what & PSN_MORE;
	p->arrival++;
}

/* A late READ request: numbers behind it that are open may be its own. */
static void
close_read(struct psn *p, uint32_t back, uint32_t read_len)
{
	uint32_t room = 0, own;

	while (room + 1 < back && (p->open >> (back - 2 - room) & 1))
		room++;
	own = read_takes(p, read_len, room);
	if (own != 0) {
		window mask = low_bits(own) << (back - 1 - own);

		p->open &= ~mask;
		p->missing &= ~mask;
	}
	p->late_end = (p->late_end + own) & PSN_MASK;
}

/* The number next - back has not come before: it was overtaken, or it is sent again. */
static void
take_late(struct psn *p, uint32_t psn, uint32_t back, uint8_t what, uint32_t read_len)
{
	window bit = (window)1 << (back - 1);

	if (p->n_late == 0)
		p->late_extent = (uint8_t)(p->arrival - p->opened[psn % PSN_WINDOW]);
	p->n_late++;
	p->late_lost += (p->missing & bit) != 0;
	p->late_end = (psn + 1) & PSN_MASK;
	p->open &= ~bit;
	p->missing &= ~bit;
	p->arrival++;
	if (what & PSN_READ)
		close_read(p, back, read_len);
}

/* Nothing is known of what was before: all of the window is open and nothing in it missing. */
static void
begin(struct psn *p, uint32_t psn, uint8_t what)
{
	judge(p, false);
	p->stats.lost += count_bits(p->missing);
	p->stats.restarts += p->begun;
	p->begun = 1;
	p->next = (psn + 1) & PSN_MASK;
	p->open = ~(window)0 << 1;
	p->missing = 0;
	p->arrival = 1;
	p->more = what & PSN_MORE;
	p->not_mtu = 0;
	memset(p->opened, 0, sizeof(p->opened));
}

static bool
is_open(const struct psn *p, uint32_t back)
{
	return back <= PSN_WINDOW && (p->open >> (back - 1) & 1);
}

void
psn_take_any(struct psn *p, uint32_t psn, uint8_t what, uint32_t read_len)
{
	int32_t ahead = distance(psn, p->next);
	uint32_t back = (uint32_t)-ahead;

	if (!p->begun || ahead > PSN_JUMP_MAX || ahead < -PSN_JUMP_MAX) {
		begin(p, psn, what);
		p->read_len = what & PSN_READ ? read_len : 0;
	} else if (ahead >= 0 && (what & PSN_READ) && is_rest(p, (uint32_t)ahead, read_len)) {
		move(p, (uint32_t)ahead + 1, 0, 0);
		p->stats.repeated++;
		p->read_len = read_len;
	} else if (ahead >= 0) {
		judge(p, false);
		take_newer(p, (uint32_t)ahead, what);
		p->read_len = what & PSN_READ ? read_len : 0;
	} else {
		bool late = is_open(p, back);

		if (p->n_late != 0 && (psn != p->late_end || !late))
			judge(p, !late && distance(psn, p->late_end) >= 0);
		if (late)
			take_late(p, psn, back, what, read_len);
		else
			p->stats.repeated++;
	}
	if (p->missing != 0 || p->n_late != 0 || p->read_len != 0)
		p->quick = PSN_SLOW;
	else
		p->quick = p->open != 0 ? PSN_SHIFT : PSN_QUICK;
}

void
psn_mtu(struct psn *p, uint32_t mtu)
{
	if (bits_is_pow2(mtu) && mtu >= 256 && mtu <= 4096)
		p->not_mtu = (uint8_t) ~(mtu >> 8) & PSN_NO_MTU;
}

void
psn_read(const struct psn *p, struct psn_stats *ret_stats)
{
	*ret_stats = p->stats;
	ret_stats->lost += count_bits(p->missing);
	book_reordered(ret_stats, p->late_extent, p->n_late);
}

void
psn_stats_add(struct psn_stats *sum, const struct psn_stats *s)
{
	sum->lost += s->lost;
	sum->reordered += s->reordered;
	sum->repeated += s->repeated;
	sum->restarts += s->restarts;
	sum->extent_sum += s->extent_sum;
	sum->extent_max = s->extent_max > sum->extent_max ? s->extent_max : sum->extent_max;
	for (unsigned int k = 0; k < PSN_EXTENTS; k++)
		sum->extent[k] += s->extent[k];
}
