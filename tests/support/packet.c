/* SPDX-License-Identifier: BSD-3-Clause */
/* The packet maker: from a description to the bytes of a frame. packet_mbuf.c puts those into
 * mbufs. */
#include "packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROCE_PORT 4791
#define BTH_LEN   12
#define ICRC_LEN  4

/* Where the next byte goes. */
struct out {
	uint8_t *buf;
	size_t len, size;
};

static uint8_t *
put(struct out *o, size_t n)
{
	uint8_t *p = o->buf + o->len;

	if (n > o->size - o->len) {
		fprintf(stderr, "tests: a packet of more than %zu bytes\n", o->size);
		abort();
	}
	memset(p, 0, n);
	o->len += n;
	return p;
}

static void
set16(uint8_t *p, unsigned int v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void
set32(uint8_t *p, uint32_t v)
{
	set16(p, v >> 16);
	set16(p + 2, v & 0xffff);
}

static unsigned int
get16(const uint8_t *p)
{
	return (unsigned int)p[0] << 8 | p[1];
}

/* RFC 1071, dull: the sum of the words, `sum` carried in. */
static uint32_t
sum16(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void
packet_fix_ip4(uint8_t *ip)
{
	set16(ip + 10, 0);
	set16(ip + 10, 0xffff - sum16(0, ip, (ip[0] & 0xfu) * 4u));
}

struct packet
packet_roce(unsigned int version)
{
	struct packet p = packet_udp(version);

	p.tos = 26 << 2 | 2;
	p.ip_frag = 0x4000;
	p.sport = 49152;
	p.dport = ROCE_PORT;
	p.udp_checksum = false;
	p.roce = true;
	p.opcode = 4; /* RC SEND only */
	p.dest_qp = 0x123;
	p.psn = 1;
	return p;
}

struct packet
packet_udp(unsigned int version)
{
	return (struct packet){
		.dst_mac = {2, 0, 0, 0, 0, 1},
		.src_mac = {2, 0, 0, 0, 1, 1},
		.version = (uint8_t)version,
		.ttl = 64,
		.ip_id = 1,
		.src4 = 0x0a014001,
		.dst4 = 0x0a020001,
		.src6 = {0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 1},
		.dst6 = {0x20, 0x01, 0x0d, 0xb8, 0, 2, [15] = 1},
		.proto = 17,
		.sport = 5000,
		.dport = 6000,
		.udp_checksum = true,
		.payload_len = 64,
	};
}

static void
put_ethernet(const struct packet *p, struct out *o)
{
	unsigned int type = p->version == 4 ? 0x0800 : 0x86dd;

	memcpy(put(o, 6), p->dst_mac, 6);
	memcpy(put(o, 6), p->src_mac, 6);
	for (unsigned int i = 0; i < p->n_tags; i++) {
		uint8_t *tag = put(o, 4);

		set16(tag, p->tag[i].tpid);
		set16(tag + 2, p->tag[i].tci);
	}
	set16(put(o, 2), p->ethertype != 0 ? p->ethertype : type);
}

static void
put_ip4(const struct packet *p, struct out *o)
{
	uint8_t *ip = put(o, 20);

	ip[0] = (uint8_t)(0x40 | (20 + p->options_len) / 4);
	ip[1] = p->tos;
	set16(ip + 4, p->ip_id);
	set16(ip + 6, p->ip_frag);
	ip[8] = p->ttl;
	ip[9] = p->proto;
	set32(ip + 12, p->src4);
	set32(ip + 16, p->dst4);
	memset(put(o, p->options_len), 1, p->options_len);
}

/* One extension header; returns where its next-header byte is. */
static uint8_t *
put_ext(const struct packet_ext *e, struct out *o)
{
	size_t len = e->len != 0 ? e->len : e->type == 51 ? 12 : 8;
	uint8_t *h = put(o, len);

	if (e->type == 44) {
		set16(h + 2, e->frag);
		set32(h + 4, e->id);
	} else if (e->type == 51) {
		h[1] = (uint8_t)(len / 4 - 2);
	} else {
		h[1] = (uint8_t)(len / 8 - 1);
		for (size_t at = 2; e->type != 43 && at < len;) { /* PadN options */
			size_t n = RTE_MIN(len - at, (size_t)257);

			if (n == 1)
				break;
			h[at] = 1;
			h[at + 1] = (uint8_t)(n - 2);
			at += n;
		}
	}
	return h;
}

static void
put_ip6(const struct packet *p, struct out *o)
{
	uint8_t *ip = put(o, 40), *next = ip + 6;

	set32(ip, 6u << 28 | (uint32_t)p->tos << 20 | (p->flow_label & 0xfffff));
	ip[7] = p->ttl;
	memcpy(ip + 8, p->src6, 16);
	memcpy(ip + 24, p->dst6, 16);
	for (unsigned int i = 0; i < p->n_ext; i++) {
		*next = p->ext[i].type;
		next = put_ext(&p->ext[i], o);
	}
	*next = p->proto;
}

static void
put_payload(const struct packet *p, struct out *o)
{
	uint8_t *to = put(o, p->payload_len);

	for (uint32_t i = 0; i < p->payload_len; i++)
		to[i] = p->payload != NULL ? p->payload[i] : (uint8_t)i;
}

static void
put_l4(const struct packet *p, struct out *o, struct packet_at *at)
{
	unsigned int pad = p->roce ? -p->payload_len % 4 : 0;
	bool ports = !p->no_l4 && (p->proto == 17 || p->proto == 6);
	uint8_t *h = put(o, !ports ? 0 : p->proto == 17 ? 8 : 20);

	if (ports) {
		set16(h, p->sport);
		set16(h + 2, p->dport);
		if (p->proto == 6)
			h[12] = 5 << 4;
	}
	at->payload = o->len;
	if (p->roce && ports) {
		uint8_t *bth = put(o, BTH_LEN);

		bth[0] = p->opcode;
		bth[1] = (uint8_t)(pad << 4);
		set16(bth + 2, 0xffff);
		set32(bth + 4, p->dest_qp & 0xffffff);
		bth[4] = p->bth_byte4;
		set32(bth + 8, p->psn & 0xffffff);
		bth[8] = p->bth_byte8;
		at->payload = o->len;
	}
	put_payload(p, o);
	if (p->roce && ports)
		put(o, pad + ICRC_LEN);
}

static void
set_lengths(const struct packet *p, uint8_t *buf, const struct packet_at *at)
{
	if (p->version == 4) {
		set16(buf + at->l3 + 2, (unsigned int)(at->l3_end - at->l3));
		packet_fix_ip4(buf + at->l3);
	} else {
		set16(buf + at->l3 + 4, (unsigned int)(at->l3_end - at->l3 - 40));
	}
	if (p->proto == 17 && !p->no_l4)
		set16(buf + at->l4 + 4, (unsigned int)(at->l3_end - at->l4));
}

/* UDP or TCP, RFC 768 and 8200 section 8.1; needs the ICRC in place. */
static void
set_checksum(const struct packet *p, uint8_t *buf, const struct packet_at *at)
{
	size_t len = at->l3_end - at->l4, addrs = p->version == 4 ? 12 : 8;
	uint8_t *field = buf + at->l4 + (p->proto == 17 ? 6 : 16);
	uint32_t sum = (uint32_t)len + p->proto;

	if (p->no_l4 || !(p->proto == 6 || (p->proto == 17 && p->udp_checksum)))
		return;
	sum = sum16(sum, buf + at->l3 + addrs, p->version == 4 ? 8 : 32);
	sum = 0xffff - sum16(sum, buf + at->l4, len);
	set16(field, sum == 0 && p->proto == 17 ? 0xffff : sum);
}

static uint32_t
crc32(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len-- > 0) {
		crc ^= *p++;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

uint32_t
packet_icrc(const uint8_t *ip, size_t l4, size_t len)
{
	static const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
	uint8_t image[PACKET_MAX];

	memcpy(image, ip, len);
	if (ip[0] >> 4 == 4) {
		image[1] = image[8] = image[10] = image[11] = 0xff;
	} else {
		image[0] |= 0xf;
		image[1] = image[2] = image[3] = image[7] = 0xff;
	}
	image[l4 + 6] = image[l4 + 7] = image[l4 + 12] = 0xff;
	return ~crc32(crc32(UINT32_MAX, ones, sizeof(ones)), image, len);
}

static void
put_icrc(const struct packet *p, uint8_t *buf, const struct packet_at *at)
{
	uint32_t icrc = packet_icrc(buf + at->l3, at->l4 - at->l3, at->l3_end - at->l3 - ICRC_LEN);

	if (p->bad_icrc)
		icrc = ~icrc;
	for (unsigned int i = 0; i < ICRC_LEN; i++) /* lowest byte first, as an FCS */
		buf[at->l3_end - ICRC_LEN + i] = (uint8_t)(icrc >> 8 * i);
}

size_t
packet_write(const struct packet *p, uint8_t *buf, size_t size, struct packet_at *ret_at)
{
	struct out o = {.buf = buf, .size = size};
	struct packet_at at;

	put_ethernet(p, &o);
	at.l3 = o.len;
	if (p->version == 4)
		put_ip4(p, &o);
	else
		put_ip6(p, &o);
	at.l4 = o.len;
	put_l4(p, &o, &at);
	at.l3_end = o.len;
	set_lengths(p, buf, &at);
	if (p->roce && !p->no_l4 && p->proto == 17)
		put_icrc(p, buf, &at);
	set_checksum(p, buf, &at);
	if (o.len < p->pad_to)
		put(&o, p->pad_to - o.len);
	at.len = o.len;
	if (ret_at != NULL)
		*ret_at = at;
	return o.len;
}

/* Where the UDP header of an IPv6 packet is, from `ip`; 0: there is none. */
static size_t
find_udp6(const uint8_t *ip, size_t len)
{
	size_t at = 40;
	unsigned int next = ip[6];

	while (next != 17) {
		if (at + 8 > len ||
			(next != 0 && next != 43 && next != 44 && next != 51 && next != 60 &&
				next != 135 && next != 139 && next != 140))
			return 0;
		size_t n = next == 44   ? 8
			   : next == 51 ? (ip[at + 1] + 2u) * 4
					: (ip[at + 1] + 1u) * 8;

		next = ip[at];
		at += n;
	}
	return at;
}

bool
packet_icrc_ok(const uint8_t *frame, size_t len)
{
	size_t l3 = 14, l4, end;
	unsigned int type;

	while (l3 <= len &&
		((type = get16(frame + l3 - 2)) == 0x8100 || type == 0x88a8 || type == 0x9100))
		l3 += 4;
	if (l3 + 40 > len)
		return false;
	const uint8_t *ip = frame + l3;

	if (ip[0] >> 4 == 4) {
		l4 = ip[9] == 17 ? (ip[0] & 0xfu) * 4u : 0;
		end = get16(ip + 2);
	} else {
		end = 40u + get16(ip + 4);
		l4 = find_udp6(ip, len - l3);
	}
	if (l4 == 0 || l4 + 8 + BTH_LEN + ICRC_LEN > end || l3 + end > len ||
		get16(ip + l4 + 2) != ROCE_PORT)
		return false;
	end = l4 + get16(ip + l4 + 4);
	if (end < l4 + 8 + BTH_LEN + ICRC_LEN || l3 + end > len)
		return false;
	uint32_t icrc = packet_icrc(ip, l4, end - ICRC_LEN);
	const uint8_t *have = ip + end - ICRC_LEN;

	return icrc == ((uint32_t)have[3] << 24 | (uint32_t)have[2] << 16 | (uint32_t)have[1] << 8 |
			       have[0]);
}
