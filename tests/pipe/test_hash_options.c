/* SPDX-License-Identifier: BSD-3-Clause */
/* What a group's hash may take besides: inner headers, flow labels, a seed of its own or of the
 * hour. */
#include "fan.h"

#define MEMBERS 8u

static void
open_hash(struct node_test *t, const char *hash)
{
	char keys[128], *yaml;

	snprintf(keys, sizeof(keys), "    hash: %s\n", hash);
	yaml = fan_yaml(7, MEMBERS, NULL, keys);
	node_test_open(t, 256, "%s", yaml);
	free(yaml);
}

#define FLOWS 500u

static void
map_flows(struct node_test *t, uint8_t *ret_member)
{
	struct rng r;

	rng_init(&r, 5);
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct packet p =
			i % 3 == 0 ? packet_roce(i % 2 ? 4 : 6) : fan_flow(&r, i % 2 ? 4 : 6);

		p.src4 += i;
		p.src6[15] = (uint8_t)i;
		p.src6[14] = (uint8_t)(i >> 8);
		ret_member[i] = (uint8_t)fan_member(t, &p);
	}
}

/* VXLAN from one tunnel end to another with a fixed source port; the inner flow is number `i`. */
static unsigned int
tunnelled(struct node_test *t, unsigned int i, bool dest_qp_only)
{
	static uint8_t payload[512];
	struct packet inner = packet_roce(i % 2 ? 4 : 6), outer = packet_udp(4);

	if (dest_qp_only) {
		inner = packet_roce(4);
		inner.dest_qp += i;
	} else {
		inner.src4 += i;
		inner.src6[15] = (uint8_t)i;
	}
	memset(payload, 0, 8);
	payload[0] = 0x08;
	outer.dport = 4789;
	outer.udp_checksum = false;
	outer.payload = payload;
	outer.payload_len =
		(uint32_t)(8 + packet_write(&inner, payload + 8, sizeof(payload) - 8, NULL));
	return fan_member(t, &outer);
}

static uint32_t
tunnels(struct node_test *t, bool dest_qp_only)
{
	uint32_t used = 0;

	for (unsigned int i = 0; i < 128; i++)
		used |= 1u << tunnelled(t, i, dest_qp_only);
	return used;
}

Test(hash_options, vxlan_inner_spreads_inner_flows_and_leaves_plain_ones)
{
	uint8_t plain[FLOWS], with[FLOWS];
	struct node_test t;

	open_hash(&t, "[5tuple, dest_qp]");
	map_flows(&t, plain);
	cr_assert_eq(__builtin_popcount(tunnels(&t, false)), 1, "one outer flow");
	node_test_close(&t);
	open_hash(&t, "{fields: [5tuple, dest_qp], vxlan_inner: true}");
	map_flows(&t, with);
	cr_assert_arr_eq(plain, with, FLOWS, "plain flows changed their bucket");
	cr_assert_eq(__builtin_popcount(tunnels(&t, false)), MEMBERS);
	cr_assert_eq(__builtin_popcount(tunnels(&t, true)), MEMBERS, "inner QPs");
	/* each of them keeps its way */
	for (unsigned int i = 0; i < 32; i++)
		cr_assert_eq(tunnelled(&t, i, false), tunnelled(&t, i, false));
	node_test_close(&t);
	open_hash(&t, "{fields: [5tuple], vxlan_inner: true}");
	cr_assert_eq(__builtin_popcount(tunnels(&t, true)), 1, "without dest_qp they are one flow");
	node_test_close(&t);
}

Test(hash_options, the_flow_label_counts_where_it_is_asked_for)
{
	struct packet p = packet_roce(6), p4 = packet_roce(4);

	for (unsigned int asked = 0; asked < 2; asked++) {
		struct node_test t;
		uint32_t used = 0, fragments = 0;

		open_hash(&t, asked ? "[5tuple, dest_qp, flow_label]" : "[5tuple, dest_qp]");
		for (uint32_t label = 0; label < 64; label++) {
			struct packet f = p;

			p.flow_label = f.flow_label = label;
			p.tos = (uint8_t)(label << 2);
			used |= 1u << fan_member(&t, &p);
			/* the second piece of a datagram may have lost it */
			f.ext[f.n_ext++] = (struct packet_ext){.type = 44, .frag = 1, .id = 9};
			fragments |= 1u << fan_member(&t, &f);
		}
		cr_assert_eq(__builtin_popcount(used), asked ? MEMBERS : 1);
		cr_assert_eq(__builtin_popcount(fragments), 1);
		fan_member(&t, &p4);
		node_test_close(&t);
	}
}

Test(hash_options, a_groups_own_seed_takes_the_place_of_the_nodes)
{
	uint8_t node[FLOWS], own[FLOWS], same[FLOWS];
	struct node_test t;
	unsigned int moved = 0;

	open_hash(&t, "[5tuple, dest_qp]");
	map_flows(&t, node);
	node_test_close(&t);
	open_hash(&t, "{seed: 12345}");
	map_flows(&t, own);
	node_test_close(&t);
	for (unsigned int i = 0; i < FLOWS; i++)
		moved += node[i] != own[i];
	/* seven of eight by chance */
	cr_assert_gt(moved, FLOWS * 3 / 4);
	open_hash(&t, "{seed: 12345, fields: [5tuple, dest_qp]}");
	map_flows(&t, same);
	cr_assert_arr_eq(same, own, FLOWS);
	node_test_close(&t);
}

/* 200 periods of the seed: where packets of one flow went. */
static void
turn_seeds(struct node_test *t, const struct packet *p, uint32_t *ret_count)
{
	memset(ret_count, 0, MEMBERS * sizeof(*ret_count));
	for (unsigned int i = 0; i < 400; i++) {
		t->ticks += 500000; /* half a period */
		ret_count[fan_member(t, p)]++;
	}
}

static unsigned int
n_used(const uint32_t *count)
{
	unsigned int used = 0;

	for (unsigned int m = 0; m < MEMBERS; m++)
		used += count[m] != 0;
	return used;
}

Test(hash_options, a_seed_that_turns_moves_marked_packets_and_no_others)
{
	uint32_t count[MEMBERS];
	struct node_test t;

	open_hash(&t, "{rotate: 1ms}");
	for (unsigned int version = 4; version <= 6; version += 2) {
		struct packet p = packet_roce(version);

		p.opcode = 0x07;
		p.bth_byte8 = 0x40;
		turn_seeds(&t, &p, count);
		cr_assert_eq(n_used(count), MEMBERS);
		for (unsigned int m = 0; m < MEMBERS; m++) /* 200 draws of 1/8, two packets each */
			cr_assert(count[m] > 20 && count[m] < 90, "%u", count[m]);
		p.bth_byte8 = 0x80;
		turn_seeds(&t, &p, count);
		cr_assert_eq(n_used(count), 1, "not marked");
		p.bth_byte8 = 0x40;
		p.opcode = 0x04;
		turn_seeds(&t, &p, count);
		cr_assert_eq(n_used(count), 1, "a SEND");
		p = packet_udp(version);
		turn_seeds(&t, &p, count);
		cr_assert_eq(n_used(count), 1, "no RoCE");
	}
	node_test_close(&t);
}

/* Within a period all packets of a flow take one way, marked or not. */
Test(hash_options, within_a_period_a_marked_flow_has_one_way)
{
	struct packet p = packet_roce(4);
	struct node_test t;
	unsigned int first;

	open_hash(&t, "{rotate: 1s}");
	p.opcode = 0x07;
	p.bth_byte8 = 0x40;
	first = fan_member(&t, &p);
	for (unsigned int i = 0; i < 100; i++) {
		t.ticks += 9999999;
		cr_assert_eq(fan_member(&t, &p), first);
	}
	node_test_close(&t);
}

/* All the others are where a node without it has them. */
Test(hash_options, a_seed_that_turns_leaves_plain_flows_where_they_were)
{
	uint8_t plain[FLOWS], with[FLOWS];
	struct node_test t;

	open_hash(&t, "[5tuple, dest_qp]");
	map_flows(&t, plain);
	node_test_close(&t);
	open_hash(&t, "{rotate: 100us}");
	t.ticks += 12345678;
	map_flows(&t, with);
	cr_assert_arr_eq(plain, with, FLOWS);
	node_test_close(&t);
}
