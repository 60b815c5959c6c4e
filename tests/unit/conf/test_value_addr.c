/* SPDX-License-Identifier: BSD-3-Clause */
/* MACs, addresses and prefixes; the network of an address against a dull reference. */
#include <arpa/inet.h>
#include <errno.h>

#include "base/rng.h"
#include "conf/value.h"
#include "conf_test.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

Test(value_addr, macs_of_digits_stay_macs)
{
	static const uint8_t digits[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
	static const uint8_t tens[6] = {0x10, 0x10, 0x10, 0x10, 0x10, 0x10};
	uint8_t mac[6];

	cr_assert_eq(value_mac("02:11:22:33:44:55", mac, NULL), 0);
	cr_expect_arr_eq(mac, digits, 6);
	cr_assert_eq(value_mac("10:10:10:10:10:10", mac, NULL), 0);
	cr_expect_arr_eq(mac, tens, 6);
}

Test(value_addr, macs_are_unicast)
{
	static const char *const bad[] = {"", "00:00:00:00:00:00", "01:00:00:00:00:00",
		"ff:ff:ff:ff:ff:ff", "02:00:00:00:00", "02:00:00:00:00:0",
		"02:00:00:00:00:00:", "02-00-00-00-00-01", "0200.0000.0001", "02:00:00:00:00:0g",
		"02:00:00:00:00:-1", "02:00:00:00:00: 1", "02:00:00:00:0001"};
	uint8_t mac[6];

	for (size_t i = 0; i < N(bad); i++)
		cr_expect_eq(value_mac(bad[i], mac, NULL), -EINVAL, "%s", bad[i]);
}

Test(value_addr, addresses)
{
	static const char *const good[] = {"10.0.0.1", "1.0.0.0", "223.255.255.255",
		"10:10::", "fe80::1", "2001:db8::10.0.0.1", "::2"};
	static const char *const bad[] = {"", ":", "10.0.0", "10.0.0.0.1", "010.0.0.1",
		"10.0.0.256", "0x0a.0.0.1", "0.0.0.0", "0.1.2.3", "127.1.1.1", "224.0.0.1",
		"239.1.1.1", "255.255.255.255", "::", "::1", "ff02::1", "1::2::3",
		"10:10:", "fe80::1%1", "10.0.0.1/32", "10.0.0.1 ", "1:2:3:4:5:6:7:8:9", "12345::"};
	struct conf_addr a;

	for (size_t i = 0; i < N(good); i++) {
		cr_expect_eq(value_addr(good[i], &a, NULL), 0, "%s", good[i]);
		cr_expect_eq(a.prefix_len, strchr(good[i], ':') ? 128 : 32);
	}
	for (size_t i = 0; i < N(bad); i++)
		cr_expect_eq(value_addr(bad[i], &a, NULL), -EINVAL, "%s", bad[i]);
}

Test(value_addr, too_long_a_text_is_no_address)
{
	char s[512];
	struct conf_addr a;

	memset(s, '1', sizeof(s) - 1);
	s[sizeof(s) - 1] = '\0';
	cr_expect_eq(value_addr(s, &a, NULL), -EINVAL);
	cr_expect_eq(value_ifaddr(s, &a, NULL), -EINVAL);
	memcpy(s + 400, "/24", 3);
	cr_expect_eq(value_prefix(s, &a, NULL), -EINVAL);
	memset(s, ':', sizeof(s) - 1);
	cr_expect_eq(value_addr(s, &a, NULL), -EINVAL);
}

/* Bit by bit: the first `len` as they are, the others 0. */
static struct conf_addr
dull_network(const struct conf_addr *a)
{
	struct conf_addr net = *a;

	for (unsigned int bit = a->prefix_len; bit < 128; bit++)
		net.byte[bit / 8] &= (uint8_t) ~(0x80u >> (bit % 8));
	return net;
}

Test(value_addr, network_clears_the_host_bits_of_every_length)
{
	struct rng r;

	rng_init(&r, 1);
	for (unsigned int i = 0; i < 10000; i++) {
		struct conf_addr a = {.family = i & 1 ? AF_INET : AF_INET6}, net, dull;
		unsigned int n = i & 1 ? 4 : 16;

		for (unsigned int j = 0; j < n; j++)
			a.byte[j] = (uint8_t)rng_next(&r);
		a.prefix_len = (uint8_t)rng_below(&r, 8 * n + 1);
		net = value_network(&a);
		dull = dull_network(&a);
		cr_assert_arr_eq(&net, &dull, sizeof(net));
	}
}

Test(value_addr, prefixes_are_shown_as_they_are_read)
{
	static const char *const good[] = {"0.0.0.0/0", "10.2.0.0/16", "10.2.0.1/32", "128.0.0.0/1",
		"224.0.0.0/4", "::/0", "10:10::/32", "2001:db8::1/128", "2001:db8:8000::/33",
		"fe80::/10"};
	static const char *const bad[] = {"10.2.0.1/16", "10.2.0.0/14", "::1/127",
		"2001:db8:4000::/33", "10.2.0.0", "10.2.0.0/33", "::/129", "10.2.0.0/-1",
		"10.2.0.0/08", "10.2.0.0/8/8", "10.2.0.0/", "/", "", "10.2.0.0/ 16",
		"10.2.0.0/18446744073709551632"};
	char text[VALUE_ADDR_LEN];
	struct conf_addr a;

	for (size_t i = 0; i < N(good); i++) {
		cr_assert_eq(value_prefix(good[i], &a, NULL), 0, "%s", good[i]);
		cr_expect_str_eq(value_addr_show(&a, true, text), good[i]);
	}
	for (size_t i = 0; i < N(bad); i++)
		cr_expect_eq(value_prefix(bad[i], &a, NULL), -EINVAL, "%s", bad[i]);
}
