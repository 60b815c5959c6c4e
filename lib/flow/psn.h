/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packet sequence numbers of one direction of a queue pair, as they pass: what is missing, what
 * came late and by how much, what came again. A pure state machine over numbers, no packets, no
 * time; qp.c feeds it, two for a direction: requests and responses have numbers of their own.
 *
 * Words of RFC 4737: a packet is *reordered* when its number is below NextExp, `next` here (section
 * 3.3); the share of those is its ratio (section 4.1); its *extent* is how many packets came since
 * the first that overtook it (section 4.2). The RFC knows no density: here it is the distribution
 * of extents, in powers of two. A number that came before is no packet of the stream in this sense:
 * it is `repeated`.
 *
 * The window. Numbers up to PSN_WINDOW below `next` are known one by one. What has not come when
 * it leaves the window is *lost*; what comes later still is repeated. A path that overtakes another
 * by more packets of one QP than that therefore looks like loss and repetition.
 *
 * Sent again or overtaken? A late number may be a packet that another overtook, or the second
 * sending of one that was lost. RC senders go back: after the lost one they send those again that
 * came. So late packets are judged by what follows the run that they stand in. A number behind the
 * run that came before: the run was sent again, and what it filled was lost. Anything else:
 * reordered. A sender that repeats single packets (selective repeat) cannot be told from a network
 * that reorders them, and a duplicate right behind a reordered packet not from one sent again.
 */
#ifndef FLOW_PSN_H
#define FLOW_PSN_H

#include <stdint.h>

#include <rte_branch_prediction.h>

#define PSN_MASK 0xffffffu
/*
 * 64 would not hold the skew of two paths that differ by 20 us at 4 million packets a second; 256
 * needs two bytes where an extent has one, and a record of twice the size.
 */
#define PSN_WINDOW 128u
/*
 * A number farther off than this is a new beginning (a QP that was set up again draws one in 2^24),
 * not loss or repetition: more than a QP has on its way at 400 Gbit/s over 1,000 km (61,000 packets
 * of 4 KB), and a new beginning is taken for a far jump once in 128.
 */
#define PSN_JUMP_MAX 65536

#define PSN_EXTENTS 8u /* 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64, 65 and more */

struct psn_stats {
	uint64_t lost;       /* numbers that are missing for good */
	uint64_t reordered;  /* packets */
	uint64_t repeated;   /* packets: duplicates, and what was sent again */
	uint64_t restarts;   /* new beginnings */
	uint64_t extent_sum; /* of all that are reordered; each 1..255 */
	uint32_t extent_max;
	uint32_t extent[PSN_EXTENTS]; /* reordered packets by extent */
};

/*
 * What a packet is to its numbers; bits. Requests number their packets one by one, but for READ.
 * Responses have the numbers of the requests that they answer, and requests of other kinds are in
 * between: only what is missing within a message is proven to be missing there.
 */
enum {
	PSN_PLAIN = 0,
	PSN_MORE = 1u << 0, /* the message goes on with the next number: READ response, not last */
	PSN_ANEW = 1u << 1, /* a message begins: READ response first and only, atomic acknowledge */
	PSN_INNER = 1u << 2, /* the number before is of the same message: middle and last */
	PSN_READ = 1u << 3,  /* a READ request: takes as many numbers as its response has packets */
};

/* What the next number in order asks for. */
enum psn_quick {
	PSN_SLOW,  /* psn_take_any() */
	PSN_QUICK, /* nothing is open: it moves on */
	PSN_SHIFT, /* numbers are open, and none is missing: the window moves, too */
};

/* All zero is the beginning. */
struct psn {
	/* of every packet */
	uint32_t next;   /* NextExp */
	uint8_t quick;   /* enum psn_quick */
	uint8_t more;    /* PSN_MORE of the newest packet */
	uint8_t arrival; /* packets of the stream, modulo 256 */
	uint8_t begun;
	/* a READ request that is the newest packet: it took 1 number and some more */
	uint32_t read_len; /* bytes; 0: none */
	uint8_t not_mtu;   /* path MTUs that cannot be: bit k, 256 << k bytes */
	/* late packets in a row, not judged yet */
	uint8_t n_late, late_lost; /* and how many of them filled what was proven to be missing */
	uint8_t late_extent;       /* of the first; the others' are one more each */
	uint32_t late_end;         /* the number after the run */
	/* bit k: the number next - 1 - k has not come; and of these, what is proven to be missing
	 */
	unsigned __int128 open, missing;
	uint8_t opened[PSN_WINDOW]; /* by number: `arrival` when it was overtaken */
	struct psn_stats stats;
};

/* The dear way of psn_take(). */
void psn_take_any(struct psn *p, uint32_t psn, uint8_t what, uint32_t read_len);

/* A packet: its number, PSN_* bits, and of a READ request the bytes that it asks for. Worker. */
static inline void
psn_take(struct psn *p, uint32_t psn, uint8_t what, uint32_t read_len)
{
	if (unlikely(psn != p->next || p->quick == PSN_SLOW || (what & PSN_READ))) {
		psn_take_any(p, psn, what, read_len);
		return;
	}
	p->next = (psn + 1) & PSN_MASK;
	p->arrival++;
	p->more = what & PSN_MORE;
	if (unlikely(p->quick == PSN_SHIFT)) { /* the first packets of a QP */
		p->open <<= 1;
		p->quick = p->open != 0 ? PSN_SHIFT : PSN_QUICK;
	}
}

/* The path's MTU is known to be `mtu`, 256..4096 in powers of two; others are ignored. Worker. */
void psn_mtu(struct psn *p, uint32_t mtu);

/*
 * What came of it so far: with what is still missing as lost, and late packets that nothing has
 * followed yet as reordered. Of a copy, or by the worker.
 */
void psn_read(const struct psn *p, struct psn_stats *ret_stats);

/* Sums. */
void psn_stats_add(struct psn_stats *sum, const struct psn_stats *s);

#endif
