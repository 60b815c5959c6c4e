/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of cells: against bytes of docs/cells.md, a slow CRC, a list of all the ways a packet
 * can be cut, and captures that the second implementation (tests/support/cells_scapy.py) made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"
#include "pcapfile.h"
#include "wire/cell.h"
#include "wire/cell_ext.h"

/* The example of docs/cells.md, behind the Ethernet header. */
static const char first_hex[] =
	"10 09 30 01 00 03 00 07 00 00 01 00 00 01 2c 9a 00 00 01 2a 27 0d 63 0e";
static const char last_hex[] =
	"10 0a 30 01 00 03 00 07 00 00 00 2a 00 01 2c 9a 00 01 01 2a 38 4e 26 45";
static const char request_hex[] =
	"11 00 30 01 00 03 00 07 00 00 00 18 00 00 00 00 00 00 00 00 47 e0 43 4e "
	"5e ed 00 01 00 00 00 00 00 00 00 00 00 00 01 2a 00 00 00 00 00 00 00 00";
static const char grant_hex[] =
	"12 00 30 01 00 07 00 03 00 00 00 10 00 00 00 00 00 00 00 00 fe c8 ca 7f "
	"5e ed 00 01 00 00 00 00 00 00 00 00 00 00 01 2a";
static const char reach_hex[] =
	"13 00 00 00 00 15 00 00 00 00 00 18 00 00 00 00 00 00 00 00 ca ad 56 b0 "
	"00 15 00 00 ff ff ff ff 00 03 01 00 00 06 1a 80 00 07 01 00 00 03 0d 40";

static const struct cell_header first = {
	.flags = CELL_FIRST | CELL_SYNC,
	.class = 3,
	.pipe = 1,
	.source = 3,
	.destination = 7,
	.payload_len = 256,
	.packet_id = 76954,
	.packet_len = 298,
};

enum { ROOM = 96 };

static uint32_t
from_hex(const char *hex, uint8_t ret[ROOM])
{
	uint32_t n = 0;

	for (; *hex != '\0'; hex += hex[2] == ' ' ? 3 : 2)
		ret[n++] = (uint8_t)strtoul((char[]){hex[0], hex[1], '\0'}, NULL, 16);
	return n;
}

/* RFC 3720 12.1, a bit at a time. */
static uint32_t
slow_crc(const uint8_t *p, uint32_t len)
{
	uint32_t crc = UINT32_MAX;

	for (uint32_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void
check_same(const struct cell_header *a, const struct cell_header *b)
{
	cr_assert_eq(a->type, b->type);
	cr_assert_eq(a->flags, b->flags);
	cr_assert_eq(a->class, b->class);
	cr_assert_eq(a->pipe, b->pipe);
	cr_assert_eq(a->source, b->source);
	cr_assert_eq(a->destination, b->destination);
	cr_assert_eq(a->system_port, b->system_port);
	cr_assert_eq(a->payload_len, b->payload_len);
	cr_assert_eq(a->packet_id, b->packet_id);
	cr_assert_eq(a->fragment, b->fragment);
	cr_assert_eq(a->packet_len, b->packet_len);
}

/* The header is written as `hex` has it, and read back the same where its payload is there. */
static void
check_golden(const char *hex, const struct cell_header *h)
{
	uint8_t want[ROOM], have[CELL_HEADER_LEN + 1];
	struct cell_header back;

	from_hex(hex, want);
	memset(have, 0xee, sizeof(have));
	cell_write(have, h);
	cr_assert_arr_eq(have, want, CELL_HEADER_LEN);
	cr_assert_eq(have[CELL_HEADER_LEN], 0xee);
	cr_assert_eq(cell_read(want, CELL_HEADER_LEN + h->payload_len, &back), CELL_OK);
	check_same(&back, h);
}

Test(cell, data_has_the_bytes_of_the_page)
{
	struct cell_header last = first;

	check_golden(first_hex, &first);
	last.flags = CELL_LAST | CELL_SYNC;
	last.payload_len = 42;
	last.fragment = 1;
	check_golden(last_hex, &last);
}

Test(cell, request_has_the_bytes_of_the_page)
{
	const struct cell_request r = {.session = 0x5eed0001, .wanted = 298};
	struct cell_header h = {.type = CELL_REQUEST,
		.class = 3,
		.pipe = 1,
		.source = 3,
		.destination = 7,
		.payload_len = CELL_REQUEST_LEN};
	uint8_t want[ROOM], have[CELL_REQUEST_LEN];

	check_golden(request_hex, &h);
	cr_assert_eq(from_hex(request_hex, want), CELL_HEADER_LEN + CELL_REQUEST_LEN);
	memset(have, 0xee, sizeof(have));
	cell_write_request(have, &r);
	cr_assert_arr_eq(have, want + CELL_HEADER_LEN, sizeof(have));
}

Test(cell, grant_has_the_bytes_of_the_page)
{
	const struct cell_grant g = {.session = 0x5eed0001, .granted = 298};
	struct cell_header h = {.type = CELL_GRANT,
		.class = 3,
		.pipe = 1,
		.source = 7,
		.destination = 3,
		.payload_len = CELL_GRANT_LEN};
	uint8_t want[ROOM], have[CELL_GRANT_LEN];

	check_golden(grant_hex, &h);
	cr_assert_eq(from_hex(grant_hex, want), CELL_HEADER_LEN + CELL_GRANT_LEN);
	memset(have, 0xee, sizeof(have));
	cell_write_grant(have, &g);
	cr_assert_arr_eq(have, want + CELL_HEADER_LEN, sizeof(have));
}

Test(cell, reach_has_the_bytes_of_the_page)
{
	static const struct cell_reach entry[] = {
		{21, 0, CELL_CAPACITY_ANY}, {3, 1, 400000}, {7, 1, 200000}};
	struct cell_header h = {.type = CELL_REACH, .source = 21, .payload_len = 24};
	uint8_t want[ROOM], have[BITS_ARRAY_LEN(entry) * CELL_REACH_LEN];

	check_golden(reach_hex, &h);
	cr_assert_eq(from_hex(reach_hex, want), CELL_HEADER_LEN + sizeof(have));
	memset(have, 0xee, sizeof(have));
	for (size_t i = 0; i < BITS_ARRAY_LEN(entry); i++)
		cell_write_reach(have + i * CELL_REACH_LEN, &entry[i]);
	cr_assert_arr_eq(have, want + CELL_HEADER_LEN, sizeof(have));
}

Test(cell, extensions_are_read_as_they_were_written)
{
	const uint64_t seed = 1;
	struct rng rng;

	rng_init(&rng, seed);
	for (unsigned int i = 0; i < 1000; i++) {
		struct cell_request r = {(uint32_t)rng_next(&rng), rng_next(&rng), rng_next(&rng)};
		struct cell_grant g = {(uint32_t)rng_next(&rng), rng_next(&rng)};
		struct cell_reach e = {(uint16_t)rng_next(&rng), (uint8_t)rng_next(&rng),
			(uint32_t)rng_next(&rng)};
		uint8_t bytes[CELL_REQUEST_LEN + 1], *p = bytes + 1; /* aligned to nothing */

		cell_write_request(p, &r);
		struct cell_request r2 = cell_read_request(p);
		cr_assert(
			r2.session == r.session && r2.wanted == r.wanted && r2.granted == r.granted,
			"seed %lu, %u", seed, i);
		cell_write_grant(p, &g);
		struct cell_grant g2 = cell_read_grant(p);
		cr_assert(g2.session == g.session && g2.granted == g.granted, "seed %lu", seed);
		cell_write_reach(p, &e);
		struct cell_reach e2 = cell_read_reach(p);
		cr_assert(e2.device == e.device && e2.hops == e.hops && e2.capacity == e.capacity,
			"seed %lu, %u", seed, i);
	}
}

Test(cell, the_check_is_crc32c_wherever_the_header_lies)
{
	/* RFC 3720 B.4 says that these come of a good CRC, here of the slow one */
	static const uint8_t zeros[32];
	const uint64_t seed = 2;
	uint8_t bytes[CELL_HEADER_LEN + 8];
	struct rng rng;

	cr_assert_eq(slow_crc(zeros, 32), 0x8a9136aa);
	cr_assert_eq(slow_crc((const uint8_t *)"123456789", 9), 0xe3069283);
	rng_init(&rng, seed);
	for (unsigned int i = 0; i < 8000; i++) {
		uint8_t *p = bytes + i % 8;

		for (unsigned int j = 0; j < CELL_HEADER_LEN; j++)
			p[j] = (uint8_t)rng_next(&rng);
		cr_assert_eq(cell_check(p), slow_crc(p, 20), "seed %lu, %u", seed, i);
	}
}

/* A header that is right, of any type. */
static struct cell_header
random_header(struct rng *rng)
{
	static const uint16_t ext[] = {0, CELL_REQUEST_LEN, CELL_GRANT_LEN, 5 * CELL_REACH_LEN};
	uint8_t type = (uint8_t)rng_below(rng, 4);
	struct cell_header h = {
		.type = type,
		.flags = (uint8_t)rng_next(rng),
		.class = (uint8_t)rng_below(rng, CELL_CLASSES),
		.pipe = (uint8_t)rng_next(rng),
		.source = (uint16_t)(1 + rng_below(rng, CELL_DEVICE_MAX)),
		.destination =
			type == CELL_REACH ? 0 : (uint16_t)(1 + rng_below(rng, CELL_DEVICE_MAX)),
		.system_port = (uint16_t)rng_next(rng),
		.payload_len = ext[type],
		.packet_id = (uint32_t)rng_next(rng),
		.fragment = (uint16_t)rng_next(rng),
		.packet_len = (uint16_t)rng_next(rng),
	};

	if (type == CELL_DATA) {
		uint32_t size = 1 + (uint32_t)rng_below(rng, 9216),
			 n = 1 + (uint32_t)rng_below(rng, 64);
		uint32_t len = (n - 1) * size + 1 + (uint32_t)rng_below(rng, size);

		if (len > UINT16_MAX || len < ETH_HDR_LEN) {
			len = size < ETH_HDR_LEN ? ETH_HDR_LEN : size;
			size = len;
			n = 1;
		}
		h.fragment = (uint16_t)rng_below(rng, n);
		h.packet_len = (uint16_t)len;
		h.payload_len = (uint16_t)(h.fragment == n - 1 ? len - (n - 1) * size : size);
		h.flags &= (uint8_t) ~(CELL_FIRST | CELL_LAST);
		h.flags |= (uint8_t)((h.fragment == 0 ? CELL_FIRST : 0) |
				     (h.fragment == n - 1 ? CELL_LAST : 0));
	}
	return h;
}

Test(cell, what_is_written_is_read)
{
	const uint64_t seed = 3;
	struct rng rng;

	rng_init(&rng, seed);
	for (unsigned int i = 0; i < 200000; i++) {
		uint8_t bytes[CELL_HEADER_LEN];
		struct cell_header h = random_header(&rng), back;
		enum cell_fault fault;

		cell_write(bytes, &h);
		fault = cell_read(bytes, CELL_HEADER_LEN + h.payload_len, &back);
		cr_assert_eq(fault, CELL_OK, "seed %lu, %u: fault %u", seed, i, fault);
		check_same(&back, &h);
	}
}

Test(cell, every_truncation_is_short_and_nothing_behind_it_is_read)
{
	static const char *const all[] = {first_hex, last_hex, request_hex, grant_hex, reach_hex};

	for (size_t k = 0; k < BITS_ARRAY_LEN(all); k++) {
		uint8_t want[ROOM];
		struct cell_header h;
		uint32_t whole;

		from_hex(all[k], want);
		cr_assert_eq(cell_read(want, 1000, &h), CELL_OK);
		whole = CELL_HEADER_LEN + h.payload_len;
		for (uint32_t len = 0; len <= whole + 20; len++) {
			/* a block of its own length, so that the sanitizer sees a byte too far */
			uint8_t *bytes = calloc(1, len == 0 ? 1 : len);

			memcpy(bytes, want, len < CELL_HEADER_LEN ? len : CELL_HEADER_LEN);
			cr_assert_eq(cell_read(bytes, len, &h), len < whole ? CELL_SHORT : CELL_OK,
				"%s: %u bytes", all[k], len);
			free(bytes);
		}
	}
}

static void
flip(uint8_t *p, unsigned int bit)
{
	p[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

Test(cell, one_two_or_three_wrong_bits_anywhere_are_a_wrong_check)
{
	enum { BITS = 8 * CELL_HEADER_LEN };
	uint8_t p[ROOM];
	struct cell_header h;

	from_hex(first_hex, p);
	for (unsigned int a = 0; a < BITS; a++) {
		flip(p, a);
		cr_assert_eq(cell_read(p, 1000, &h), CELL_BAD_CHECK, "bit %u", a);
		for (unsigned int b = a + 1; b < BITS; b++) {
			flip(p, b);
			if (cell_read(p, 1000, &h) != CELL_BAD_CHECK)
				cr_assert_fail("bits %u %u", a, b);
			for (unsigned int c = b + 1; c < BITS; c++) {
				flip(p, c);
				if (cell_read(p, 1000, &h) != CELL_BAD_CHECK)
					cr_assert_fail("bits %u %u %u", a, b, c);
				flip(p, c);
			}
			flip(p, b);
		}
		flip(p, a);
	}
	cr_assert_eq(cell_read(p, 1000, &h), CELL_OK);
}

Test(cell, what_is_reserved_is_not_looked_at)
{
	uint8_t p[ROOM];
	struct cell_header h;

	for (unsigned int i = 0; i < 16; i++) {
		from_hex(first_hex, p);
		p[1] |= (uint8_t)(i << 4);
		p[2] |= (uint8_t)i;
		cell_put32(p + 20, cell_check(p));
		cr_assert_eq(cell_read(p, 1000, &h), CELL_OK);
		cr_assert_eq(h.class, 3);
	}
}

Test(cell, congestion_is_marked_and_the_check_stays_right)
{
	const uint64_t seed = 4;
	struct rng rng;

	rng_init(&rng, seed);
	for (unsigned int i = 0; i < 1000; i++) {
		uint8_t bytes[CELL_HEADER_LEN];
		struct cell_header h = random_header(&rng), back;

		cell_write(bytes, &h);
		cell_mark_congestion(bytes);
		cell_mark_congestion(bytes); /* by two nodes in a row */
		h.flags |= CELL_CONGESTION;
		cr_assert_eq(cell_read(bytes, CELL_HEADER_LEN + h.payload_len, &back), CELL_OK,
			"seed %lu, %u", seed, i);
		check_same(&back, &h);
	}
}

struct fragment_space {
	uint32_t packet_len;
	/* by fragment, payload length, and whether it is the last */
	bool may_be[CELL_FRAGMENTS_MAX][128][2];
};

/* All fragments of all ways to cut a packet. */
static void
list_fragments(struct fragment_space *s, uint32_t packet_len)
{
	memset(s, 0, sizeof(*s));
	s->packet_len = packet_len;
	for (uint32_t size = 1; size <= packet_len; size++) {
		uint32_t n = (packet_len + size - 1) / size;

		for (uint32_t i = 0; i < n && n <= CELL_FRAGMENTS_MAX; i++)
			s->may_be[i][i < n - 1 ? size : packet_len - i * size][i == n - 1] = true;
	}
}

/* Refuses a cell that is in no list; of the last ones it may let through what leaves a fraction. */
static void
check_fragment(const struct fragment_space *s, uint32_t fragment, uint32_t len, unsigned int flags)
{
	struct cell_header h = first, back;
	bool last = flags & CELL_LAST, may_be = false;
	uint8_t bytes[CELL_HEADER_LEN];
	enum cell_fault fault;

	h.flags = (uint8_t)flags;
	h.fragment = (uint16_t)fragment;
	h.payload_len = (uint16_t)len;
	h.packet_len = (uint16_t)s->packet_len;
	cell_write(bytes, &h);
	fault = cell_read(bytes, 1000, &back);
	if (fragment < CELL_FRAGMENTS_MAX && (flags & CELL_FIRST) == (fragment == 0))
		may_be = s->may_be[fragment][len][last];
	if (may_be == (fault == CELL_OK))
		return;
	if (!may_be && last && fragment > 0 && (s->packet_len - len) % fragment != 0)
		return;
	cr_assert_fail("fragment %u, %u of %u bytes, flags %x: fault %u", fragment, len,
		s->packet_len, flags, fault);
}

Test(cell, data_is_taken_where_some_cut_makes_it_and_nowhere_else)
{
	static struct fragment_space s;

	for (uint32_t packet_len = 1; packet_len <= 120; packet_len++) {
		list_fragments(&s, packet_len);
		if (packet_len < ETH_HDR_LEN)
			memset(s.may_be, 0, sizeof(s.may_be));
		for (uint32_t fragment = 0; fragment <= CELL_FRAGMENTS_MAX; fragment++)
			for (uint32_t len = 0; len < 128; len++)
				for (unsigned int flags = 0; flags < 4; flags++)
					check_fragment(&s, fragment, len, flags);
	}
}

Test(cell, cells_that_scapy_made_are_read_and_written_back)
{
	struct pcapfile f = pcapfile_load("cells/good.pcap");
	unsigned int n_types[4] = {0};

	cr_assert_gt(f.n, 500);
	for (size_t i = 0; i < f.n; i++) {
		const uint8_t *p = f.frame[i].bytes + ETH_HDR_LEN;
		uint32_t len = (uint32_t)f.frame[i].len - ETH_HDR_LEN;
		uint8_t back[CELL_HEADER_LEN];
		struct cell_header h = {0};
		uint32_t whole;

		cr_assert_eq(wire_get16(p - 2), CELL_ETHERTYPE);
		cr_assert_eq(cell_read(p, len, &h), CELL_OK, "frame %zu", i + 1);
		n_types[h.type]++;
		whole = CELL_HEADER_LEN + h.payload_len;
		cell_write(back, &h);
		if (i < f.n - 1) /* it has a reserved field that is not kept */
			cr_assert_arr_eq(back, p, sizeof(back), "frame %zu", i + 1);
		for (uint32_t cut = 0; cut < whole; cut++)
			cr_assert_eq(cell_read(p, cut, &h), CELL_SHORT, "frame %zu", i + 1);
	}
	for (unsigned int type = 0; type < 4; type++)
		cr_assert_gt(n_types[type], 50);
	pcapfile_free(&f);
}

static enum cell_fault
fault_of_reason(const char *name)
{
	static const char *const names[] = {
		[CELL_SHORT] = "cell_short",
		[CELL_BAD_CHECK] = "cell_check",
		[CELL_BAD_VERSION] = "cell_version",
		[CELL_BAD_LEN] = "cell_len",
		[CELL_BAD_FRAGMENT] = "cell_fragment",
		[CELL_BAD_DEVICE] = "cell_device",
	};

	for (unsigned int i = CELL_SHORT; i < BITS_ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return (enum cell_fault)i;
	return CELL_OK;
}

Test(cell, what_scapy_broke_has_the_fault_that_was_meant)
{
	struct pcapfile f = pcapfile_load("cells/broken.pcap");
	unsigned int seen[CELL_BAD_DEVICE + 1] = {0};
	char path[512], reason[32], what[80];
	size_t i = 0, n;
	FILE *expect;

	pcapfile_path("cells/broken.expect.txt", path, sizeof(path));
	expect = fopen(path, "r");
	cr_assert_not_null(expect);
	while (fscanf(expect, "%zu %31s %79[^\n]", &n, reason, what) == 3) {
		struct cell_header h;
		enum cell_fault fault, want = fault_of_reason(reason);

		cr_assert(i < f.n && n == i + 1);
		fault = cell_read(
			f.frame[i].bytes + ETH_HDR_LEN, (uint32_t)f.frame[i].len - ETH_HDR_LEN, &h);
		if (strcmp(reason, "not_cell") != 0)
			cr_assert_eq(fault, want, "%s: fault %u, not %u", what, fault, want);
		seen[want]++;
		i++;
	}
	cr_assert_eq(i, f.n);
	for (unsigned int k = CELL_SHORT; k <= CELL_BAD_DEVICE; k++)
		cr_assert_gt(seen[k], 0, "no frame with fault %u", k);
	fclose(expect);
	pcapfile_free(&f);
}
