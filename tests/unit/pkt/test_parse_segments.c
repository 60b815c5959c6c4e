/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames in segments: the verdict and the metadata of the frame in one piece, and not a byte of it
 * changed; for every frame of the captures. One EAL for all.
 */
#include <dirent.h>
#include <stdlib.h>

#include "base/bits.h"
#include "eal.h"
#include "frame.h"
#include "pcapfile.h"

static const size_t seg_lens[] = {1, 2, 7, 14, 33, 64, 100};

static void
check_in_segments(
	struct rte_mempool *pool, const struct pcapfile_frame *f, const struct parse_policy *policy)
{
	static uint8_t copy[PACKET_MAX];
	struct pkt_meta whole, parts;
	uint8_t want = parse_at(f->bytes, f->len, policy, 0, &whole);

	for (size_t s = 0; s < BITS_ARRAY_LEN(seg_lens); s++) {
		struct rte_mbuf *m = packet_chain(pool, f->bytes, f->len, seg_lens[s]);
		const char *why;

		cr_assert_not_null(m);
		memset(&parts, 0xff, sizeof(parts));
		assert_verdict(pkt_parse(m, policy, &parts), want, "%zu bytes in pieces of %zu",
			f->len, seg_lens[s]);
		cr_assert_eq(rte_mbuf_check(m, 1, &why), 0, "%s", why);
		cr_assert_eq(packet_read(m, copy, sizeof(copy)), f->len);
		cr_assert_eq(memcmp(copy, f->bytes, f->len), 0, "pieces of %zu", seg_lens[s]);
		cr_assert(want != 0 || same_meta(&whole, f->bytes, &parts,
					       rte_pktmbuf_mtod(m, uint8_t *)),
			"%zu bytes in pieces of %zu", f->len, seg_lens[s]);
		rte_pktmbuf_free(m);
		cr_assert_eq(test_pool_used(pool), 0, "a segment is lost");
	}
}

/* Ethernet captures in whole frames: all of tests/data but two. */
static int
is_capture(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 5 && strcmp(e->d_name + len - 5, ".pcap") == 0 &&
	       strcmp(e->d_name, "sample_raw_ip.pcap") != 0;
}

Test(parse_segments, every_captured_frame_reads_the_same_in_pieces)
{
	struct rte_mempool *pool;
	struct dirent **entry;
	size_t n_frames = 0;
	char path[4096];
	int n;

	test_eal(64);
	pool = test_pool("segments", 6000, 2048);
	pcapfile_path("", path, sizeof(path));
	n = scandir(path, &entry, is_capture, alphasort);
	cr_assert_gt(n, 15, "%s", path);
	for (int i = 0; i < n; i++) {
		struct pcapfile f = pcapfile_load(entry[i]->d_name);

		for (size_t k = 0; k < f.n; k++) {
			check_in_segments(pool, &f.frame[k], &node_policy);
			if (k % 8 == 0)
				check_in_segments(pool, &f.frame[k], &promiscuous_policy);
		}
		n_frames += f.n;
		pcapfile_free(&f);
		free(entry[i]);
	}
	free(entry);
	cr_assert_gt(n_frames, 1000);
	rte_mempool_free(pool);
}
