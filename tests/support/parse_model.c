/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference parser. Slow and plain on purpose; the tests and the fuzzer compare with it. */
#include "parse_model.h"

#include <stdlib.h>
#include <string.h>

#include "pkt/burst.h"

#define DROP(reason) verdict_drop(DROP_##reason)
#define PUNT(kind)   verdict_punt(PUNT_##kind)
#define WINDOW       512u

/* The bytes that the layer at hand may look at: [at, end) of the frame. */
struct view {
	const uint8_t *frame;
	size_t at, end;
};

static size_t
left(const struct view *v)
{
	return v->end - v->at;
}

/* `n` bytes at `off` from the start of the view, as a number. Out of bounds is the model's own bug.
 */
static uint32_t
number(const struct view *v, size_t off, unsigned int n)
{
	uint32_t x = 0;

	if (off + n > left(v))
		abort();
	for (unsigned int i = 0; i < n; i++)
		x = x * 256 + v->frame[v->at + off + i];
	return x;
}

static uint8_t
model_udp(const struct view *v, struct parse_model *m)
{
	if (left(v) < 8)
		return DROP(l4_truncated);
	uint32_t len = number(v, 4, 2);

	if (len < 8 || len > left(v))
		return DROP(udp_len);
	m->l4_ports = number(v, 0, 4);
	if (number(v, 2, 2) != 4791 || len < 8 + 12 + 4)
		return 0;
	m->roce = true;
	m->opcode = number(v, 8, 1);
	m->dest_qp = number(v, 8 + 5, 3);
	return 0;
}

static uint8_t
model_l4(const struct view *v, struct parse_model *m)
{
	if (m->proto == 17)
		return model_udp(v, m);
	if (m->proto != 6)
		return 0;
	if (left(v) < 20)
		return DROP(l4_truncated);
	m->l4_ports = number(v, 0, 4);
	return 0;
}

static uint8_t
model_addrs4(struct parse_model *m)
{
	unsigned int src = m->src4 >> 24, dst = m->dst4 >> 24;

	if (m->dst4 == 0xffffffff || m->dst4 >> 8 == 0xe00000)
		return PUNT(link_local);
	if (dst >= 224 && dst <= 239)
		return DROP(multicast);
	if ((src >= 224 && src <= 239) || m->src4 == 0xffffffff)
		return DROP(src_multicast);
	if (src == 0 || src == 127 || dst == 0 || dst == 127)
		return DROP(martian);
	m->link_scope = m->src4 >> 16 == 0xa9fe || m->dst4 >> 16 == 0xa9fe;
	return 0;
}

static uint8_t
model_ip4(struct view v, struct parse_model *m)
{
	uint32_t sum = 0;

	if (left(&v) < 20)
		return DROP(ip4_truncated);
	if (number(&v, 0, 1) / 16 != 4)
		return DROP(ip4_version);
	size_t hdr_len = number(&v, 0, 1) % 16 * 4, total = number(&v, 2, 2);

	if (hdr_len < 20 || hdr_len > left(&v))
		return DROP(ip4_header_len);
	if (total < hdr_len || total > left(&v))
		return DROP(ip4_total_len);
	for (size_t i = 0; i < hdr_len; i += 2)
		sum += number(&v, i, 2);
	while (sum > 0xffff)
		sum = sum % 65536 + sum / 65536;
	if (sum != 0xffff)
		return DROP(ip4_checksum);
	m->version = 4;
	m->l3 = v.at;
	m->l3_len = total;
	m->tos = number(&v, 1, 1);
	m->ttl = number(&v, 8, 1);
	m->proto = number(&v, 9, 1);
	m->src4 = number(&v, 12, 4);
	m->dst4 = number(&v, 16, 4);
	m->fragment = number(&v, 6, 2) % 0x4000 != 0;
	uint8_t verdict = model_addrs4(m);

	if (verdict != 0 || m->fragment)
		return verdict;
	v.end = v.at + total;
	v.at += hdr_len;
	return model_l4(&v, m);
}

static bool
addr6_is(const uint8_t *addr, unsigned int last)
{
	for (unsigned int i = 0; i < 15; i++)
		if (addr[i] != 0)
			return false;
	return addr[15] == last;
}

static uint8_t
model_addrs6(const uint8_t *src, const uint8_t *dst, struct parse_model *m)
{
	if (dst[0] == 0xff)
		return dst[1] % 16 <= 2 ? PUNT(link_local) : DROP(multicast);
	if (dst[0] == 0xfe && dst[1] >= 0x80 && dst[1] <= 0xbf)
		return PUNT(link_local);
	if (src[0] == 0xff)
		return DROP(src_multicast);
	if (addr6_is(dst, 0) || addr6_is(dst, 1) || addr6_is(src, 1))
		return DROP(martian);
	m->link_scope = addr6_is(src, 0) || (src[0] == 0xfe && src[1] >= 0x80 && src[1] <= 0xbf);
	return 0;
}

static bool
is_ext(unsigned int proto)
{
	static const uint8_t exts[] = {0, 43, 44, 51, 60, 135, 139, 140};

	return memchr(exts, (int)proto, sizeof(exts)) != NULL;
}

/* Moves the view behind the chain. `window_end`: headers may not go beyond it. */
static uint8_t
model_ext(struct view *v, size_t window_end, struct parse_model *m)
{
	for (unsigned int n = 1; is_ext(m->proto); n++) {
		if (n > 8)
			return DROP(ip6_ext_chain);
		if (left(v) < 8)
			return DROP(ip6_ext_truncated);
		if (v->at + 8 > window_end)
			return DROP(ip6_ext_chain);
		if (m->proto == 44) {
			m->fragment = true;
			return 0;
		}
		size_t len = m->proto == 51 ? (number(v, 1, 1) + 2) * 4 : (number(v, 1, 1) + 1) * 8;

		if (len > left(v))
			return DROP(ip6_ext_truncated);
		m->proto = number(v, 0, 1);
		v->at += len;
	}
	return 0;
}

static uint8_t
model_ip6(struct view v, struct parse_model *m)
{
	size_t window_end = v.end < WINDOW ? v.end : WINDOW;

	if (left(&v) < 40)
		return DROP(ip6_truncated);
	if (number(&v, 0, 1) / 16 != 6)
		return DROP(ip6_version);
	size_t total = 40 + (size_t)number(&v, 4, 2);

	if (total > left(&v))
		return DROP(ip6_payload_len);
	m->version = 6;
	m->l3 = v.at;
	m->l3_len = total < 65535 ? total : 65535;
	m->tos = number(&v, 0, 2) / 16 % 256;
	m->ttl = number(&v, 7, 1);
	m->proto = number(&v, 6, 1);
	uint8_t verdict = model_addrs6(v.frame + v.at + 8, v.frame + v.at + 24, m);

	if (verdict != 0)
		return verdict;
	v.end = v.at + total;
	v.at += 40;
	verdict = model_ext(&v, window_end, m);
	if (verdict != 0 || m->fragment)
		return verdict;
	if (v.at + (left(&v) < 20 ? left(&v) : 20) > window_end)
		return DROP(ip6_ext_chain);
	return model_l4(&v, m);
}

/* Who the frame is for. */
static uint8_t
model_station(const struct view *v, unsigned int type, const uint8_t mac[6], bool promiscuous)
{
	static const uint8_t bridge[5] = {0x01, 0x80, 0xc2, 0, 0};
	const uint8_t *dst = v->frame;
	bool unicast4 = type == 0x0800 && left(v) >= 20 && number(v, 16, 1) < 224;
	bool unicast6 = type == 0x86dd && left(v) >= 40 && number(v, 24, 1) != 255;

	if (memcmp(dst, mac, 6) == 0)
		return 0;
	if (memcmp(dst, bridge, 5) == 0 && dst[5] < 16)
		return type == 0x88cc   ? PUNT(lldp)
		       : type == 0x8809 ? PUNT(slow)
					: DROP(link_local_mac);
	if (promiscuous)
		return 0;
	if (dst[0] % 2 == 0)
		return DROP(dst_mac_other);
	return unicast4 || unicast6 ? DROP(l2_multicast) : 0;
}

/* 802.3 annex 31D, byte by byte: untagged, to the MAC control address, from one station. */
static bool
model_pause(const uint8_t *frame, size_t len)
{
	static const uint8_t want[16] = {0x01, 0x80, 0xc2, 0, 0, 0x01, [12] = 0x88, 0x08, 1, 1};

	if (len < 34 || frame[6] % 2 == 1)
		return false;
	for (unsigned int i = 0; i < 16; i++)
		if ((i < 6 || i >= 12) && frame[i] != want[i])
			return false;
	return true;
}

uint8_t
parse_model(const uint8_t *frame, size_t len, const uint8_t mac[6], bool promiscuous,
	struct parse_model *ret_model)
{
	struct parse_model *m = ret_model;
	struct view v = {.frame = frame, .at = 12, .end = len};
	unsigned int type;

	memset(m, 0, sizeof(*m));
	if (len < 14)
		return DROP(runt);
	while ((type = number(&v, 0, 2)) == 0x8100 || type == 0x88a8 || type == 0x9100) {
		if (m->tags == 2)
			return DROP(vlan_depth);
		if (left(&v) < 6)
			return DROP(vlan_truncated);
		m->tags++;
		v.at += 4;
	}
	v.at += 2;
	if (type == 0x8808)
		return model_pause(frame, len) ? DROP(pfc) : DROP(mac_control);
	if (frame[6] % 2 == 1)
		return DROP(src_mac_multicast);
	uint8_t verdict = model_station(&v, type, mac, promiscuous);

	if (verdict != 0)
		return verdict;
	switch (type) {
	case 0x0800:
		return model_ip4(v, m);
	case 0x86dd:
		return model_ip6(v, m);
	case 0x0806:
		return PUNT(arp);
	case 0x88cc:
		return PUNT(lldp);
	default:
		return DROP(ethertype);
	}
}
