/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Empties the node's memory ports after each turn and writes DIR/PORT.pcap: classic pcap,
 * nanoseconds, timestamps in virtual time. run.c calls it.
 */
#include "sink.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SNAPLEN   262144 /* libpcap's own maximum */
#define SECOND_NS UINT64_C(1000000000)
#define BATCH     64u

void
sink_path(const char *dir, const char *prefix, const char *port, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s%s.pcap", dir, prefix, port);
}

static bool
skips(const struct sink *s, size_t port_idx)
{
	return s->skip != NULL && s->skip[port_idx];
}

static int
say_errno(const char *what)
{
	int error = errno == 0 ? EIO : errno;

	fprintf(stderr, "softbag-replay: %s: %s.\n", what, strerror(error));
	return -error;
}

/* The folder and those above it. */
static int
make_folder(const char *dir)
{
	char path[PATH_MAX];
	size_t len = strlen(dir);

	if (len >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return say_errno(dir);
	}
	memcpy(path, dir, len + 1);
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		path[i] = '\0';
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return say_errno(path);
		path[i] = dir[i];
	}
	return 0;
}

static int
open_files(struct sink *s)
{
	char path[PATH_MAX + 128];

	for (size_t p = 0; p < s->node->n_ports; p++) {
		if (skips(s, p))
			continue;
		sink_path(s->dir, s->prefix, s->node->port[p]->name, path, sizeof(path));
		s->file[p] = pcap_dump_open(s->format, path);
		if (s->file[p] == NULL) {
			fprintf(stderr, "softbag-replay: %s.\n", pcap_geterr(s->format));
			return -EIO;
		}
	}
	return 0;
}

int
sink_open(const struct node *n, const char *dir, const char *prefix, const bool *skip,
	struct sink *ret_sink)
{
	struct sink *s = ret_sink;
	int rc;

	*s = (struct sink){.node = n, .dir = dir, .prefix = prefix, .skip = skip};
	if (dir == NULL)
		return 0;
	rc = make_folder(dir);
	if (rc != 0)
		return rc;
	s->file = calloc(n->n_ports + 1, sizeof(*s->file));
	s->format = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	if (s->file == NULL || s->format == NULL) {
		errno = ENOMEM;
		return say_errno(dir);
	}
	return open_files(s);
}

/* The whole frame in one piece. NULL: no memory. */
static const uint8_t *
flatten(struct sink *s, const struct rte_mbuf *m)
{
	uint32_t len = rte_pktmbuf_pkt_len(m);

	if (m->nb_segs == 1)
		return rte_pktmbuf_mtod(m, const uint8_t *);
	if (len > s->flat_len) {
		uint8_t *bigger = realloc(s->flat, len);

		if (bigger == NULL)
			return NULL;
		s->flat = bigger;
		s->flat_len = len;
	}
	return rte_pktmbuf_read(m, 0, len, s->flat);
}

static int
write_burst(struct sink *s, size_t port_idx, struct rte_mbuf **m, uint16_t n, uint64_t now)
{
	pcap_dumper_t *file = s->file[port_idx];

	for (uint16_t i = 0; i < n; i++) {
		uint32_t len = rte_pktmbuf_pkt_len(m[i]);
		const uint8_t *bytes = flatten(s, m[i]);
		struct pcap_pkthdr h = {.caplen = len, .len = len};

		if (bytes == NULL) {
			errno = ENOMEM;
			return say_errno(s->node->port[port_idx]->name);
		}
		h.ts.tv_sec = (time_t)(now / SECOND_NS);
		h.ts.tv_usec = (suseconds_t)(now % SECOND_NS); /* of a file in nanoseconds */
		pcap_dump((u_char *)file, &h, bytes);
	}
	return ferror(pcap_dump_file(file)) ? say_errno(s->dir) : 0;
}

int
sink_turn(struct sink *s, uint64_t now)
{
	struct rte_mbuf *m[BATCH];
	uint16_t n;
	int rc = 0;

	for (size_t p = 0; p < s->node->n_ports; p++) {
		while (!skips(s, p) && (n = port_mem_take(s->node->port[p], m, BATCH)) != 0) {
			if (s->dir != NULL && !s->failed) {
				rc = write_burst(s, p, m, n, now);
				s->failed = rc != 0;
			}
			rte_pktmbuf_free_bulk(m, n);
			s->taken += n;
		}
	}
	return rc;
}

int
sink_close(struct sink *s)
{
	int rc = 0;

	for (size_t p = 0; s->file != NULL && p < s->node->n_ports; p++) {
		if (s->file[p] == NULL)
			continue;
		if (pcap_dump_flush(s->file[p]) != 0 && !s->failed) {
			rc = say_errno(s->dir);
			s->failed = true;
		}
		pcap_dump_close(s->file[p]);
	}
	if (s->format != NULL)
		pcap_close(s->format);
	free(s->file);
	free(s->flat);
	s->file = NULL;
	s->format = NULL;
	s->flat = NULL;
	return rc;
}
