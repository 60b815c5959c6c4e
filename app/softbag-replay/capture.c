/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads capture files with libpcap. main.c calls it before the node is made; feed.c plays the
 * frames. */
#include "capture.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

static int
out_of_memory(const struct capture *c, char *why)
{
	snprintf(why, CAPTURE_WHY_MAX, "%s: memory ran out after %zu frames (%zu bytes).", c->file,
		c->n, c->data_len);
	return -ENOMEM;
}

static int
grow(struct capture *c, size_t len)
{
	if (c->n == c->n_max) {
		size_t max = c->n_max == 0 ? 1024 : c->n_max * 2;
		struct frame *bigger = reallocarray(c->frame, max, sizeof(*bigger));

		if (bigger == NULL)
			return -ENOMEM;
		c->frame = bigger;
		c->n_max = max;
	}
	if (c->data_max - c->data_len < len || c->data == NULL) {
		size_t max = c->data_max * 2 + len + 65536;
		uint8_t *bigger = realloc(c->data, max);

		if (bigger == NULL)
			return -ENOMEM;
		c->data = bigger;
		c->data_max = max;
	}
	return 0;
}

static int
add_frame(struct capture *c, const struct pcap_pkthdr *h, const uint8_t *bytes, char *why)
{
	/* read with nanosecond precision: tv_usec counts nanoseconds */
	uint64_t ns = (uint64_t)h->ts.tv_sec * SECOND_NS + (uint64_t)h->ts.tv_usec;
	struct frame *f;

	if (h->caplen < h->len) {
		snprintf(why, CAPTURE_WHY_MAX,
			"%s: frame %zu is cut to %u of %u bytes (snaplen); capture whole frames.",
			c->file, c->n + 1, h->caplen, h->len);
		return -EINVAL;
	}
	if (grow(c, h->caplen) != 0)
		return out_of_memory(c, why);
	f = &c->frame[c->n];
	f->ns = c->n == 0 || ns > f[-1].ns ? ns : f[-1].ns;
	f->offset = c->data_len;
	f->len = h->caplen;
	if (h->caplen != 0)
		memcpy(c->data + c->data_len, bytes, h->caplen);
	c->data_len += h->caplen;
	c->n++;
	return 0;
}

static int
read_frames(pcap_t *in, struct capture *c, char *why)
{
	struct pcap_pkthdr *h;
	const u_char *bytes;
	int rc, got;

	if (pcap_datalink(in) != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(in));

		snprintf(why, CAPTURE_WHY_MAX,
			"%s: its link type is %s (%d); softbag-replay takes Ethernet captures.",
			c->file, name == NULL ? "unknown" : name, pcap_datalink(in));
		return -EINVAL;
	}
	while ((got = pcap_next_ex(in, &h, &bytes)) == 1) {
		rc = add_frame(c, h, bytes, why);
		if (rc != 0)
			return rc;
	}
	if (got == PCAP_ERROR_BREAK)
		return 0;
	snprintf(why, CAPTURE_WHY_MAX, "%s: frame %zu cannot be read: %s.", c->file, c->n + 1,
		pcap_geterr(in));
	return -EINVAL;
}

int
capture_load(const char *file, struct capture *ret_capture, char *why)
{
	struct capture c = {.file = file};
	char error[PCAP_ERRBUF_SIZE] = "";
	pcap_t *in =
		pcap_open_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
	int rc;

	if (in == NULL) {
		/* libpcap puts the name before some of its errors and not before others */
		size_t len = strlen(file);
		const char *text = strncmp(error, file, len) == 0 && error[len] == ':'
					   ? error + len + 2
					   : error;

		snprintf(why, CAPTURE_WHY_MAX, "%s: not a capture that can be read: %s.", file,
			text);
		return -EINVAL;
	}
	rc = read_frames(in, &c, why);
	pcap_close(in);
	if (rc != 0)
		capture_fini(&c);
	else
		*ret_capture = c;
	return rc;
}

void
capture_fini(struct capture *c)
{
	free(c->data);
	free(c->frame);
	*c = (struct capture){.file = c->file};
}

uint64_t
capture_period_ns(const struct capture *c)
{
	uint64_t span = c->n < 2 ? 0 : c->frame[c->n - 1].ns - c->frame[0].ns;
	uint64_t gap = c->n < 2 ? 0 : span / (c->n - 1);

	return span + (gap == 0 ? 1 : gap);
}
