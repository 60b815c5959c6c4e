/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sequence of a group: its members one after the other, each as often as its weight is worth,
 * spread evenly and mixed. A worker walks it entry by entry. After each pass it leaves a few
 * entries out, so that a pass begins a prime number of packets after the one before: traffic that
 * repeats every k packets (a ring of k QPs, of which one sends the short ones) then meets each
 * entry in every phase.
 *
 * How even. A pass gives each member exactly its entries. Of equal members, a stretch of a pass
 * gives each fewer than two more or less than its share, so any number of packets in a row of one
 * worker at most three: of 10,000, less than 1 % for members with 4 % of the weight and above.
 * Unequal ones differ by that and a small part of their share.
 *
 * Built with the group by the control thread, and immutable like it.
 */
#ifndef NHG_SEQUENCE_H
#define NHG_SEQUENCE_H

#include <stdint.h>

/* With half as many a member of 1/64 would be right to 1.6 % only; twice as many are memory. */
#define NHG_SEQUENCE_MAX 8192u

struct nhg_sequence {
	uint8_t *entry; /* room for NHG_SEQUENCE_MAX; member indexes */
	uint16_t n_entries, n_skip;
};

/*
 * Fills it for `n` members, at most NHG_MEMBERS_MAX; weight 0: not in it. Shares are exact where
 * the weights, divided by what they have in common, sum up to NHG_SEQUENCE_MAX or less; else right
 * to one entry (nhg_buckets_apportion()). Control.
 */
void nhg_sequence_init(
	struct nhg_sequence *s, const uint32_t *weight, unsigned int n, uint64_t seed);

#endif
