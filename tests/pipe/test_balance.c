/* SPDX-License-Identifier: BSD-3-Clause */
/* How flows spread over the members of a group: E-ECMP, strides, weights, fragments, two nodes. */
#include "fan.h"

static const unsigned int sizes[] = {2, 3, 4, 7, 8, 16};
#define N_SIZES 6u
#define QPS     256u

/* Groups g2 to g16 with dest_qp, f2 to f16 by 5-tuple alone; 10.N/16 and 2001:db8:N::/48 go there.
 */
static char *
ecmp_yaml(void)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fan_head(f, 7, FAN_PORTS_MAX);
	fputs("groups:\n", f);
	for (unsigned int i = 0; i < N_SIZES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "g%u", sizes[i]);
		fan_group(f, name, sizes[i], NULL, "    hash: [5tuple, dest_qp]\n");
		snprintf(name, sizeof(name), "f%u", sizes[i]);
		fan_group(f, name, sizes[i], NULL, "    hash: [5tuple]\n");
	}
	fputs("routes:\n  static:\n", f);
	for (unsigned int i = 0; i < N_SIZES; i++)
		fprintf(f,
			"    - {prefix: 10.%u.0.0/16, group: g%u}\n"
			"    - {prefix: 11.%u.0.0/16, group: f%u}\n"
			"    - {prefix: \"2001:db8:%x::/48\", group: g%u}\n"
			"    - {prefix: \"2001:db9:%x::/48\", group: f%u}\n",
			sizes[i], sizes[i], sizes[i], sizes[i], sizes[i], sizes[i], sizes[i],
			sizes[i]);
	fclose(f);
	return text;
}

/* QPs base, base + stride, ... of one address pair and one UDP source port; counts per member. */
static void
send_qps(struct node_test *t, unsigned int version, bool by_qp, unsigned int members,
	uint32_t stride, uint32_t *ret_count)
{
	struct packet p = packet_roce(version);

	p.dst4 = (by_qp ? 10u : 11u) << 24 | members << 16 | 1;
	p.dst6[3] = by_qp ? 0xb8 : 0xb9;
	p.dst6[5] = (uint8_t)members;
	memset(ret_count, 0, FAN_PORTS_MAX * sizeof(*ret_count));
	for (uint32_t q = 0; q < QPS; q++) {
		p.dest_qp = 0x11 + q * stride;
		ret_count[fan_member(t, &p)]++;
	}
}

Test(balance, queue_pairs_of_one_address_pair_use_every_member)
{
	uint32_t count[FAN_PORTS_MAX];
	struct node_test t;
	char *yaml = ecmp_yaml();

	node_test_open(&t, 256, "%s", yaml);
	for (unsigned int version = 4; version <= 6; version += 2) {
		for (unsigned int i = 0; i < N_SIZES; i++) {
			send_qps(&t, version, true, sizes[i], 1, count);
			for (unsigned int m = 0; m < sizes[i]; m++) {
				cr_assert_gt(count[m], 0, "%u members: none to %u", sizes[i], m);
				fan_expect_binomial(count[m], QPS, 1.0 / sizes[i], "member");
			}
		}
	}
	node_test_close(&t);
	free(yaml);
}

Test(balance, the_five_tuple_alone_uses_exactly_one_member)
{
	uint32_t count[FAN_PORTS_MAX];
	struct node_test t;
	char *yaml = ecmp_yaml();

	node_test_open(&t, 256, "%s", yaml);
	for (unsigned int version = 4; version <= 6; version += 2) {
		for (unsigned int i = 0; i < N_SIZES; i++) {
			unsigned int used = 0;

			send_qps(&t, version, false, sizes[i], 1, count);
			for (unsigned int m = 0; m < FAN_PORTS_MAX; m++)
				used += count[m] != 0;
			cr_assert_eq(used, 1);
		}
	}
	node_test_close(&t);
	free(yaml);
}

Test(balance, strides_of_queue_pair_numbers_leave_no_member_empty)
{
	static const uint32_t strides[] = {1, 2, 4, 8, 16, 64, 256, 4096, 65536};
	uint32_t count[FAN_PORTS_MAX];
	struct node_test t;
	char *yaml = ecmp_yaml();

	node_test_open(&t, 256, "%s", yaml);
	for (unsigned int version = 4; version <= 6; version += 2) {
		for (unsigned int s = 0; s < sizeof(strides) / sizeof(strides[0]); s++) {
			send_qps(&t, version, true, 16, strides[s], count);
			for (unsigned int m = 0; m < 16; m++)
				cr_assert_gt(
					count[m], 0, "stride %u: none to member %u", strides[s], m);
		}
	}
	node_test_close(&t);
	free(yaml);
}

/* A packet that is no RoCE is never told apart by what stands where a QP would be. */
Test(balance, the_payload_of_other_packets_is_not_hashed)
{
	struct node_test t;
	unsigned int first, used = 0;
	struct packet p = packet_udp(4);
	uint8_t payload[64] = {0};

	fan_open(&t, 7, 16, NULL);
	p.payload = payload;
	first = fan_member(&t, &p);
	for (unsigned int i = 1; i < 256; i++) {
		memset(payload, (int)i, sizeof(payload));
		p.udp_checksum = i % 2;
		p.tos = p.ttl = (uint8_t)i;
		p.ttl |= 2;
		p.ip_id = (uint16_t)i;
		p.src_mac[5] = (uint8_t)i;
		used += fan_member(&t, &p) != first;
	}
	cr_assert_eq(used, 0);
	node_test_close(&t);
}

static void
expect_weights(unsigned int n, const uint32_t *weight)
{
	uint64_t count[FAN_PORTS_MAX] = {0}, sum = 0;
	struct node_test t;
	struct rng r;

	rng_init(&r, 1);
	fan_open(&t, 7, n, weight);
	for (unsigned int i = 0; i < 50000; i++) {
		struct packet p = fan_flow(&r, i % 4 == 0 ? 6 : 4);

		count[fan_member(&t, &p)]++;
	}
	for (unsigned int m = 0; m < n; m++)
		sum += weight[m];
	for (unsigned int m = 0; m < n; m++) {
		if (weight[m] == 0)
			cr_assert_eq(count[m], 0, "weight 0 is excluded");
		else
			fan_expect_binomial(
				count[m], 50000, (double)weight[m] / (double)sum, "member");
		cr_assert_eq(node_test_member(&t, 0, m), count[m], "the member's own counter");
	}
	node_test_close(&t);
}

Test(balance, weights_3_to_1)
{
	expect_weights(2, (uint32_t[]){3, 1});
}

Test(balance, weights_6_to_4)
{
	expect_weights(2, (uint32_t[]){6, 4});
}

Test(balance, weights_1_to_255)
{
	expect_weights(2, (uint32_t[]){1, 255});
}

Test(balance, weight_0_is_excluded)
{
	expect_weights(4, (uint32_t[]){2, 0, 5, 0});
}

/* The second node gets what the first sends to one of its members: 10,000 flows, even to 10 %. */
Test(balance, two_nodes_in_a_row_do_not_split_alike)
{
	static const unsigned int ids[][2] = {{1, 2}, {7, 8}, {1, 65534}, {11, 4096}};
	struct rng r;

	rng_init(&r, 2);
	for (unsigned int k = 0; k < 4; k++) {
		struct node_test first, second;
		unsigned int n = 0, count[4] = {0};

		fan_open(&first, ids[k][0], 4, NULL);
		fan_open(&second, ids[k][1], 4, NULL);
		while (n < 10000) {
			struct packet p = fan_flow(&r, 4);

			if (fan_member(&first, &p) != 2)
				continue;
			count[fan_member(&second, &p)]++;
			n++;
		}
		for (unsigned int m = 0; m < 4; m++)
			cr_assert(count[m] > 2250 && count[m] < 2750, "member %u: %u of 10000", m,
				count[m]);
		node_test_close(&first);
		node_test_close(&second);
	}
}

/* Piece `k` of four of datagram `d`, the first with its ports, RoCEv2 for every second datagram. */
static struct packet
piece(unsigned int version, uint32_t d, unsigned int k)
{
	struct packet p = d % 2 ? packet_roce(version) : packet_udp(version);

	p.src4 += d;
	p.src6[14] = (uint8_t)d;
	p.sport = (uint16_t)(1000 + d * 7);
	p.dest_qp = d * 13;
	p.payload_len = 512;
	p.no_l4 = k > 0;
	if (version == 4) {
		p.ip_id = (uint16_t)d;
		p.ip_frag = (uint16_t)(k * 64 | (k < 3 ? 0x2000 : 0));
		return p;
	}
	/* what comes before the fragment header is in each piece; what comes after, in the first */
	p.ext[p.n_ext++] = (struct packet_ext){.type = 60};
	p.ext[p.n_ext++] =
		(struct packet_ext){.type = 44, .frag = (uint16_t)(k * 512 | (k < 3)), .id = d};
	if (k > 0)
		p.proto = d % 3 == 0 ? 59 : p.proto; /* RFC 8200 4.5: only the first one's counts */
	return p;
}

#define DATAGRAMS 200u

Test(balance, all_pieces_of_a_datagram_leave_by_one_port)
{
	struct node_test t;
	struct rng r;

	rng_init(&r, 3);
	fan_open(&t, 7, 7, NULL);
	for (unsigned int version = 4; version <= 6; version += 2) {
		unsigned int port[DATAGRAMS], used[7] = {0};

		/* first to last, then last to first, other traffic in between */
		for (unsigned int k = 0; k < 8; k++) {
			for (uint32_t d = 0; d < DATAGRAMS; d++) {
				struct packet p = piece(version, d, k < 4 ? k : 7 - k);
				struct packet other = fan_flow(&r, version);
				unsigned int by = fan_member(&t, &p);

				fan_member(&t, &other);
				if (k == 0)
					port[d] = by;
				cr_assert_eq(
					by, port[d], "v%u datagram %u piece %u", version, d, k);
				used[by]++;
			}
		}
		for (unsigned int m = 0; m < 7; m++)
			cr_assert_gt(used[m], 0, "the datagrams all went one way");
	}
	node_test_close(&t);
}
