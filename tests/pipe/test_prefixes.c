/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every frame of every capture, cut to every length from 0 to its whole, through a node: each is
 * routed, punted or dropped, and counted for what the reference parser says of it. In the build
 * with sanitizers the room behind a frame is poisoned, so that a byte read too far ends the test.
 *
 * Captures are those of tests/data, and all below the folder that SOFTBAG_CAPTURES names.
 */
#include <glob.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"
#include "parse_model.h"
#include "pcapfile.h"

#define SEG_LEN 64u
#define N_MBUFS 16384u
#define IN      0u
#define OUT     1u

/* Any frame in, all of IP out by one port that takes jumbo frames. */
#define NODE                                                                                       \
	"version: 1\nnode: {name: n, id: 7}\nruntime: {mbufs: %u, memory: 512MB}\n"                \
	"ports:\n"                                                                                 \
	"  - {name: in, device: a, role: nsf, promiscuous: true, mac: \"02:00:00:00:00:01\", "     \
	"mtu: 9600}\n"                                                                             \
	"  - {name: out, device: b, role: nsf, mac: \"02:00:00:00:00:02\", mtu: 9600}\n"           \
	"groups:\n  - {name: g, members: [{port: out, mac: \"02:aa:00:00:00:01\"}]}\n"             \
	"routes: {static: [{prefix: 0.0.0.0/0, group: g}, {prefix: \"::/0\", group: g}]}\n"

static const uint8_t in_mac[6] = {2, 0, 0, 0, 0, 1};

/* Packets by what becomes of them: a verdict of pkt/burst.h, 0 for those that leave. */
struct tally {
	uint64_t n[UINT8_MAX + 1];
};

/* What the pipeline must make of a frame: the reference parser, then the rules of stage_route. */
static uint8_t
expected(const uint8_t *frame, size_t len)
{
	struct parse_model m = {0};
	uint8_t verdict = parse_model(frame, len, in_mac, true, &m);

	if (verdict != 0)
		return verdict;
	if (m.link_scope)
		return verdict_drop(DROP_martian);
	if (m.ttl == 0)
		return verdict_drop(DROP_ttl_zero);
	if (m.ttl == 1)
		return verdict_punt(PUNT_ttl);
	return m.l3_len > 9600 ? verdict_drop(DROP_too_big) : 0;
}

static void
counted(const struct node_test *t, struct tally *ret_tally)
{
	struct counters sum;

	node_counters(t->node, &sum, NULL);
	*ret_tally = (struct tally){.n[0] = sum.port_out[OUT].packets};
	for (unsigned int r = 1; r < DROP_N; r++)
		ret_tally->n[r] = sum.drop[r];
	for (unsigned int k = 1; k < PUNT_N; k++)
		ret_tally->n[verdict_punt((enum punt_kind)k)] = sum.punt[k];
}

struct run {
	struct node_test t;
	struct tally want;
	size_t seg_len;       /* 0: one piece where a buffer holds it */
	unsigned int waiting; /* frames in the port, */
	unsigned int segs;    /* and buffers that they are in */
	struct rte_mbuf *mbuf[BURST_MAX];
	uint64_t n_frames;
};

/* The room behind the frame, to the end of its buffer, may be touched by nobody. */
static void
guard(const struct rte_mbuf *m)
{
	const uint8_t *end = rte_pktmbuf_mtod_offset(m, const uint8_t *, m->data_len);

	ASAN_POISON_MEMORY_REGION(end, rte_pktmbuf_tailroom(m));
}

static void
turn(struct run *r)
{
	node_turn(r->t.node, r->t.ticks);
	/* the buffers are back in the pool, or at the port's other end */
	for (unsigned int i = 0; i < r->waiting; i++)
		ASAN_UNPOISON_MEMORY_REGION(r->mbuf[i]->buf_addr, r->mbuf[i]->buf_len);
	node_test_discard(&r->t, OUT);
	r->waiting = r->segs = 0;
}

static struct rte_mbuf *
make_mbuf(const struct run *r, const uint8_t *frame, size_t len)
{
	struct rte_mempool *pool = r->t.node->pool;
	size_t room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
	struct rte_mbuf *m;

	if (r->seg_len != 0 || len > room)
		return packet_chain(pool, frame, len, r->seg_len != 0 ? r->seg_len : room);
	m = rte_pktmbuf_alloc(pool);
	if (m == NULL)
		return NULL;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), frame, len);
	m->pkt_len = m->data_len = (uint16_t)len;
	guard(m);
	return m;
}

static void
put(struct run *r, const uint8_t *frame, size_t len)
{
	struct rte_mbuf *m = make_mbuf(r, frame, len);
	unsigned int n_segs;

	cr_assert_not_null(m, "packet buffers ran out: some did not come back");
	n_segs = m->nb_segs;
	cr_assert(node_test_put_mbuf(&r->t, IN, 0, m));
	r->want.n[expected(frame, len)]++;
	r->n_frames++;
	r->segs += n_segs;
	r->mbuf[r->waiting++] = m;
	if (r->waiting == BURST_MAX || r->segs > N_MBUFS / 2)
		turn(r);
}

static const char *
name_of(unsigned int verdict)
{
	if (verdict == 0)
		return "out";
	return verdict < VERDICT_PUNT ? drop_name((enum drop_reason)verdict)
				      : punt_name((enum punt_kind)(verdict - VERDICT_PUNT));
}

static void
expect_tally(const struct run *r, const char *path, size_t frame)
{
	struct tally got;

	counted(&r->t, &got);
	for (unsigned int v = 0; v <= UINT8_MAX; v++)
		cr_assert_eq(got.n[v], r->want.n[v], "%s, prefixes of frame %zu: %lu %s, want %lu",
			path, frame + 1, got.n[v], name_of(v), r->want.n[v]);
}

static void
play(struct run *r, const char *path)
{
	struct pcapfile f = pcapfile_load_path(path);

	for (size_t i = 0; i < f.n; i++) {
		for (size_t len = 0; len <= f.frame[i].len; len++)
			put(r, f.frame[i].bytes, len);
		turn(r);
		expect_tally(r, path, i);
	}
	node_test_balance(&r->t);
	cr_assert_eq(node_test_sums(&r->t).in, r->n_frames);
	cr_assert_eq(node_mbufs_out(r->t.node), 0, "%s: %u packet buffers are missing", path,
		node_mbufs_out(r->t.node));
	pcapfile_free(&f);
}

/* All captures of a folder and, three deep, of those in it; returns how many frames went in. */
static uint64_t
play_all(size_t seg_len, const char *folder)
{
	static const char *const below[] = {"", "/*", "/*/*", "/*/*/*"};
	struct run *r = calloc(1, sizeof(*r));
	glob_t found = {0};
	char pattern[4096];
	uint64_t n;

	cr_assert_not_null(r);
	r->seg_len = seg_len;
	node_test_open(&r->t, 512, NODE, N_MBUFS);
	for (size_t i = 0; i < RTE_DIM(below); i++) {
		snprintf(pattern, sizeof(pattern), "%s%s/*.pcap*", folder, below[i]);
		glob(pattern, i == 0 ? 0 : GLOB_APPEND, NULL, &found);
	}
	cr_assert_gt(found.gl_pathc, 0, "no capture in %s", folder);
	for (size_t i = 0; i < found.gl_pathc; i++)
		play(r, found.gl_pathv[i]);
	globfree(&found);
	n = r->n_frames;
	node_test_close(&r->t);
	free(r);
	return n;
}

static uint64_t
play_own(size_t seg_len)
{
	char folder[4096];

	pcapfile_path("", folder, sizeof(folder));
	return play_all(seg_len, folder);
}

static uint64_t
play_foreign(size_t seg_len)
{
	const char *folder = getenv("SOFTBAG_CAPTURES");

	if (folder == NULL || folder[0] == '\0')
		cr_skip_test("SOFTBAG_CAPTURES names no folder of captures");
	return play_all(seg_len, folder);
}

Test(prefixes, of_every_own_frame_are_counted_for_what_they_are, .timeout = 300)
{
	cr_assert_gt(play_own(0), 900000);
}

Test(prefixes, of_every_own_frame_in_small_segments_are_counted_alike, .timeout = 300)
{
	cr_assert_gt(play_own(SEG_LEN), 900000);
}

Test(prefixes, of_every_foreign_frame_are_counted_for_what_they_are, .timeout = 300)
{
	cr_assert_gt(play_foreign(0), 0);
}

Test(prefixes, of_every_foreign_frame_in_small_segments_are_counted_alike, .timeout = 300)
{
	cr_assert_gt(play_foreign(SEG_LEN), 0);
}
