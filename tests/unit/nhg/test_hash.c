/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow hash: every field counts, every bit avalanches, structured flows spread by chance. */
#include "groups.h"

#define TRIALS 20000

static void
count_flips(uint32_t diff, uint32_t *flips)
{
	for (unsigned int out = 0; out < 32; out++)
		flips[out] += (diff >> out) & 1;
}

/* Of 20,000 trials half flip, give or take 2 %: more than five standard deviations. */
static void
check_flips(const uint32_t *flips, const char *what, unsigned int in)
{
	for (unsigned int out = 0; out < 32; out++)
		cr_assert_float_eq(flips[out] / (double)TRIALS, 0.5, 0.02,
			"%s bit %u flips output bit %u in %u of %u", what, in, out, flips[out],
			TRIALS);
}

Test(hash, every_input_bit_flips_every_output_bit_half_the_time)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (unsigned int in = 0; in < 32; in++) {
		uint32_t flips[32] = {0};

		for (unsigned int t = 0; t < TRIALS; t++) {
			uint32_t h = (uint32_t)rng_next(&rng);
			uint64_t seed = nhg_seed_from_id(t);

			count_flips(nhg_hash_finish(h, seed) ^ nhg_hash_finish(h ^ 1u << in, seed),
				flips);
		}
		check_flips(flips, "hash", in);
	}
}

Test(hash, every_seed_bit_flips_every_output_bit_half_the_time)
{
	struct rng rng;

	rng_init(&rng, 2);
	for (unsigned int in = 0; in < 64; in++) {
		uint32_t flips[32] = {0};

		for (unsigned int t = 0; t < TRIALS; t++) {
			uint32_t h = (uint32_t)rng_next(&rng);
			uint64_t seed = rng_next(&rng);

			count_flips(nhg_hash_finish(h, seed) ^
					    nhg_hash_finish(h, seed ^ UINT64_C(1) << in),
				flips);
		}
		check_flips(flips, "seed", in);
	}
}

static int
by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

Test(hash, finishing_keeps_different_hashes_different)
{
	static uint32_t finished[65536];
	unsigned int twice = 0;

	/* 65,536 values in 2^32 places meet about half a time. */
	for (uint32_t h = 0; h < 65536; h++)
		finished[h] = nhg_hash_finish(h, nhg_seed_from_id(1));
	qsort(finished, 65536, sizeof(finished[0]), by_value);
	for (uint32_t i = 1; i < 65536; i++)
		twice += finished[i] == finished[i - 1];
	cr_assert_leq(twice, 5);
}

static uint32_t
flow_v6(const uint8_t *addrs, uint32_t ports, uint8_t proto)
{
	return flow_crc_l4(flow_crc_addrs6(addrs), ports, proto);
}

Test(hash, every_field_counts)
{
	uint32_t v4 = flow_v4(0x0a000001, 0x0a000002, 0xc00012b7, 17), v6;
	uint8_t room[33], *addrs = room + 1; /* not aligned, as in a frame */

	cr_assert_neq(v4, flow_v4(0x0a000003, 0x0a000002, 0xc00012b7, 17));
	cr_assert_neq(v4, flow_v4(0x0a000001, 0x0a000003, 0xc00012b7, 17));
	cr_assert_neq(v4, flow_v4(0x0a000001, 0x0a000002, 0xc00112b7, 17));
	cr_assert_neq(v4, flow_v4(0x0a000001, 0x0a000002, 0xc00012b8, 17));
	cr_assert_neq(v4, flow_v4(0x0a000001, 0x0a000002, 0xc00012b7, 6));
	cr_assert_neq(v4, flow_v4(0x0a000002, 0x0a000001, 0xc00012b7, 17));
	cr_assert_neq(v4, flow_crc_qp(v4, 17));
	cr_assert_neq(flow_crc_qp(v4, 17), flow_crc_qp(v4, 18));

	memset(room, 0x20, sizeof(room));
	v6 = flow_v6(addrs, 0xc00012b7, 17);
	for (unsigned int bit = 0; bit < 256; bit++) {
		addrs[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		cr_assert_neq(v6, flow_v6(addrs, 0xc00012b7, 17), "address bit %u", bit);
		addrs[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	cr_assert_neq(v6, flow_v6(addrs, 0xc00112b7, 17));
	cr_assert_neq(v6, flow_v6(addrs, 0xc00012b7, 6));
	cr_assert_eq(v6, flow_v6(addrs, 0xc00012b7, 17));
}

Test(hash, neighbouring_node_ids_have_seeds_far_apart)
{
	for (uint32_t id = 0; id < 4096; id++) {
		int apart = __builtin_popcountll(nhg_seed_from_id(id) ^ nhg_seed_from_id(id + 1));

		cr_assert(apart >= 10 && apart <= 54, "%u and %u differ in %d bits", id, id + 1,
			apart);
	}
}

enum kind {
	QPS_V4,
	QPS_V6,
	PORTS_V4,
	PORTS_V6,
};

static uint32_t
structured_flow(enum kind kind, uint32_t i, uint32_t stride)
{
	static const uint8_t addrs[32] = {
		0x20, 1, 0xd, 0xb8, [15] = 1, [16] = 0x20, 1, 0xd, 0xb8, [31] = 2};
	bool qps = kind == QPS_V4 || kind == QPS_V6;
	uint32_t ports = (0xc000 + (qps ? 0 : i * stride & 0x3fff)) << 16 | 4791;
	uint32_t h;

	if (kind == QPS_V4 || kind == PORTS_V4)
		h = flow_v4(0x0a000001, 0x0a000002, ports, 17);
	else
		h = flow_v6(addrs, ports, 17);
	return flow_crc_qp(h, qps ? (0x11 + i * stride) & 0xffffff : 0x11);
}

/*
 * 256 flows that differ in one number only, over each count of members: nobody is left empty, the
 * fullest is within five standard deviations, and on the whole they vary as chance would have it:
 * the mean of chi squared per degree of freedom is 1, here over some 20,000 degrees of freedom.
 */
static void
check_spread(enum kind kind)
{
	static const unsigned int members[] = {2, 3, 4, 7, 8, 16};
	static const uint32_t strides[] = {1, 2, 4, 8, 16, 64, 256};
	static struct want w;
	double chi2 = 0, freedom = 0;

	for (uint32_t node = 0; node < 100; node++)
		for (unsigned int k = 0; k < 6; k++) {
			struct nhg_group *g;

			want_init(&w, 512, nhg_seed_from_id(node), NULL, members[k]);
			g = group_up(&w, NULL);
			for (unsigned int s = 0; s < (kind >= PORTS_V4 ? 4 : 7); s++) {
				uint32_t got[16] = {0};

				for (uint32_t i = 0; i < 256; i++) {
					uint32_t h = structured_flow(kind, i, strides[s]);

					h = nhg_hash_finish(h, g->seed);
					got[g->bucket[h & g->bucket_mask]]++;
				}
				for (unsigned int m = 0; m < members[k]; m++) {
					double p = g->member[m].n_buckets / 512.0, want = 256 * p;

					cr_assert_gt(got[m], 0, "node %u, stride %u: %u of %u",
						node, strides[s], m, members[k]);
					cr_assert_leq(got[m], want + binomial_bound(256, p));
					chi2 += (got[m] - want) * (got[m] - want) / want;
				}
				freedom += members[k] - 1;
			}
			free(g);
		}
	cr_assert_float_eq(chi2 / freedom, 1, 0.05, "chi squared is %.3f of what chance gives",
		chi2 / freedom);
}

Test(hash, queue_pairs_of_one_v4_pair_use_every_member)
{
	check_spread(QPS_V4);
}

Test(hash, queue_pairs_of_one_v6_pair_use_every_member)
{
	check_spread(QPS_V6);
}

Test(hash, sequential_source_ports_use_every_member)
{
	check_spread(PORTS_V4);
	check_spread(PORTS_V6);
}
