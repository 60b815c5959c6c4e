/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MACs, addresses and prefixes. They are texts until here: a MAC of digits that YAML 1.1 would read
 * as a number to base 60 stays a MAC.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "conf/value.h"

#define MAC_TEXT_LEN 17u /* 01:23:45:67:89:ab */

static unsigned int
addr_bits(uint8_t family)
{
	return family == AF_INET ? 32 : 128;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int
mac_hint(const char *s, struct hint *h)
{
	if (strlen(s) == MAC_TEXT_LEN && strchr(s, '-') != NULL)
		return hint_say(h, "colons between the pairs");
	return hint_say(h, "six pairs of hex digits with colons");
}

int
value_mac(const char *s, uint8_t ret[6], struct hint *h)
{
	uint8_t mac[6], any = 0;

	hint_say(h, "%s", "");
	if (strlen(s) != MAC_TEXT_LEN)
		return mac_hint(s, h);
	for (unsigned int i = 0; i < 6; i++) {
		int hi = hex_digit(s[3 * i]), lo = hex_digit(s[3 * i + 1]);

		if (hi < 0 || lo < 0 || (i < 5 && s[3 * i + 2] != ':'))
			return mac_hint(s, h);
		mac[i] = (uint8_t)(hi << 4 | lo);
		any |= mac[i];
	}
	if (any == 0)
		return hint_say(h, "this one is all zeros");
	if (mac[0] & 1)
		return hint_say(h, "this one is multicast: its first byte is odd");
	memcpy(ret, mac, sizeof(mac));
	return 0;
}

/* The bare address, of any kind. */
static int
parse_ip(const char *s, struct conf_addr *ret, struct hint *h)
{
	struct conf_addr a = {0};

	a.family = strchr(s, ':') ? AF_INET6 : AF_INET;
	a.prefix_len = (uint8_t)addr_bits(a.family);
	if (inet_pton(a.family, s, a.byte) == 1) {
		*ret = a;
		return 0;
	}
	if (strchr(s, '%') != NULL)
		return hint_say(h, "without a zone");
	if (a.family == AF_INET6 && s[strlen(s) - 1] == ':' && s[0] != ':')
		return hint_say(h, "an address that ends in '::' needs quotes");
	if (a.family == AF_INET && s[0] != '\0' && strspn(s, "0123456789.") == strlen(s))
		return hint_say(h, "four numbers from 0 to 255 without leading zeros");
	return -EINVAL;
}

static const char *
not_unicast(const struct conf_addr *a)
{
	static const uint8_t zero[16], one[16] = {[15] = 1};

	if (memcmp(a->byte, zero, sizeof(zero)) == 0)
		return "this one is the unspecified address";
	if (a->family == AF_INET6 ? a->byte[0] == 0xff : a->byte[0] >= 224 && a->byte[0] < 240)
		return "this one is multicast";
	if (a->family == AF_INET ? a->byte[0] == 127 : memcmp(a->byte, one, sizeof(one)) == 0)
		return "this one is loopback";
	if (a->family == AF_INET && (a->byte[0] == 0 || a->byte[0] >= 240))
		return "this one is reserved";
	return NULL;
}

int
value_addr(const char *s, struct conf_addr *ret, struct hint *h)
{
	struct conf_addr a;
	const char *why;

	hint_say(h, "%s", "");
	if (strchr(s, '/') != NULL)
		return hint_say(h, "without a prefix length");
	if (parse_ip(s, &a, h) != 0)
		return -EINVAL;
	why = not_unicast(&a);
	if (why != NULL)
		return hint_say(h, "%s", why);
	*ret = a;
	return 0;
}

/* `address/length`, with any address. */
static int
parse_with_len(const char *s, struct conf_addr *ret, struct hint *h)
{
	const char *slash = strchr(s, '/');
	char bare[VALUE_ADDR_LEN];
	struct conf_addr a;
	uint64_t len;
	size_t n = slash ? (size_t)(slash - s) : strlen(s);

	if (n >= sizeof(bare))
		return -EINVAL;
	memcpy(bare, s, n);
	bare[n] = '\0';
	if (parse_ip(bare, &a, h) != 0)
		return -EINVAL;
	if (slash == NULL)
		return hint_say(h, "with its prefix length, such as %s/%u", bare, a.prefix_len);
	if (value_int(slash + 1, &len, h) != 0 || len > addr_bits(a.family))
		return hint_say(h, "a prefix length from 0 to %u", addr_bits(a.family));
	a.prefix_len = (uint8_t)len;
	*ret = a;
	return 0;
}

int
value_ifaddr(const char *s, struct conf_addr *ret, struct hint *h)
{
	struct conf_addr a;
	const char *why;

	hint_say(h, "%s", "");
	if (parse_with_len(s, &a, h) != 0)
		return -EINVAL;
	why = not_unicast(&a);
	if (why != NULL)
		return hint_say(h, "%s", why);
	if (a.prefix_len == 0)
		return hint_say(h, "a prefix length from 1 to %u", addr_bits(a.family));
	*ret = a;
	return 0;
}

struct conf_addr
value_network(const struct conf_addr *a)
{
	struct conf_addr net = *a;

	for (unsigned int i = 0; i < sizeof(net.byte); i++) {
		unsigned int keep = a->prefix_len > 8 * i ? a->prefix_len - 8 * i : 0;

		if (keep < 8)
			net.byte[i] &= (uint8_t)(0xff00u >> keep);
	}
	return net;
}

int
value_prefix(const char *s, struct conf_addr *ret, struct hint *h)
{
	char right[VALUE_ADDR_LEN];
	struct conf_addr a, net;

	hint_say(h, "%s", "");
	if (parse_with_len(s, &a, h) != 0)
		return -EINVAL;
	net = value_network(&a);
	if (memcmp(&net, &a, sizeof(a)) != 0)
		return hint_say(h, "host bits are set: %s", value_addr_show(&net, true, right));
	*ret = a;
	return 0;
}

const char *
value_addr_show(const struct conf_addr *a, bool len_too, char buf[VALUE_ADDR_LEN])
{
	size_t n;

	if (inet_ntop(a->family, a->byte, buf, VALUE_ADDR_LEN) == NULL)
		buf[0] = '\0';
	n = strlen(buf);
	if (len_too)
		snprintf(buf + n, VALUE_ADDR_LEN - n, "/%u", a->prefix_len);
	return buf;
}
