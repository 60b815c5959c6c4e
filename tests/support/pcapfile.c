/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads captures, for tests that want each frame of them: with libpcap, or what it refuses here. */
#include "pcapfile.h"

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
pcapfile_path(const char *name, char *ret_path, size_t size)
{
	const char *root = getenv("SOFTBAG_ROOT");

	snprintf(ret_path, size, "%s/tests/data/%s", root != NULL ? root : ".", name);
}

static void __attribute__((noreturn)) give_up(const char *path, const char *why)
{
	fprintf(stderr, "tests: %s: %s\n", path, why);
	abort();
}

static void
append(struct pcapfile *f, const uint8_t *bytes, size_t len)
{
	struct pcapfile_frame *frame = realloc(f->frame, (f->n + 1) * sizeof(*frame));

	if (frame == NULL)
		abort();
	f->frame = frame;
	frame[f->n].len = len;
	frame[f->n].bytes = malloc(len);
	if (frame[f->n].bytes == NULL)
		abort();
	memcpy(frame[f->n].bytes, bytes, len);
	f->n++;
}

static uint32_t
read_u32(FILE *in)
{
	uint32_t n = 0;

	return fread(&n, sizeof(n), 1, in) == 1 ? n : 0;
}

/*
 * Enhanced packet blocks of a pcapng file in this machine's byte order: libpcap takes none whose
 * interfaces have unlike snaplens (draft-ietf-opsawg-pcapng, 4.3).
 */
static bool
read_pcapng(const char *path, struct pcapfile *f)
{
	FILE *in = fopen(path, "rb");
	uint32_t kind, len;
	bool is_pcapng = in != NULL && read_u32(in) == 0x0a0d0d0a;

	if (is_pcapng)
		rewind(in);
	while (is_pcapng && (kind = read_u32(in), len = read_u32(in)) >= 12) {
		uint8_t *body = malloc(len);
		uint32_t frame_len;

		if (body == NULL || fread(body, 1, len - 8, in) != len - 8)
			give_up(path, "ends inside a block");
		memcpy(&frame_len, body + 12, sizeof(frame_len));
		if (kind == 6 && frame_len <= len - 32)
			append(f, body + 20, frame_len);
		free(body);
	}
	if (in != NULL)
		fclose(in);
	return f->n != 0;
}

struct pcapfile
pcapfile_load_path(const char *path)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	struct pcapfile f = {0};
	struct pcap_pkthdr *h;
	const uint8_t *bytes;
	pcap_t *pcap;
	int rc;

	pcap = pcap_open_offline(path, why);
	if (pcap == NULL && read_pcapng(path, &f))
		return f;
	if (pcap == NULL)
		give_up(path, why);
	while ((rc = pcap_next_ex(pcap, &h, &bytes)) == 1)
		append(&f, bytes, h->caplen);
	pcap_close(pcap);
	if (rc != PCAP_ERROR_BREAK) {
		pcapfile_free(&f);
		if (!read_pcapng(path, &f))
			give_up(path, "libpcap cannot read it");
	}
	return f;
}

struct pcapfile
pcapfile_load(const char *name)
{
	char path[4096];

	pcapfile_path(name, path, sizeof(path));
	return pcapfile_load_path(path);
}

void
pcapfile_free(struct pcapfile *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->frame[i].bytes);
	free(f->frame);
	*f = (struct pcapfile){0};
}
