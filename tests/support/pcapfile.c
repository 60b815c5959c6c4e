/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads captures with libpcap, for tests that want each frame of them. */
#include "pcapfile.h"

#include <pcap/pcap.h>
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

struct pcapfile
pcapfile_load(const char *name)
{
	char path[4096], why[PCAP_ERRBUF_SIZE] = "";
	struct pcapfile f = {0};
	struct pcap_pkthdr *h;
	const uint8_t *bytes;
	pcap_t *pcap;
	int rc;

	pcapfile_path(name, path, sizeof(path));
	pcap = pcap_open_offline(path, why);
	if (pcap == NULL)
		give_up(path, why);
	while ((rc = pcap_next_ex(pcap, &h, &bytes)) == 1)
		append(&f, bytes, h->caplen);
	if (rc != PCAP_ERROR_BREAK)
		give_up(path, pcap_geterr(pcap));
	pcap_close(pcap);
	return f;
}

void
pcapfile_free(struct pcapfile *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->frame[i].bytes);
	free(f->frame);
	*f = (struct pcapfile){0};
}
