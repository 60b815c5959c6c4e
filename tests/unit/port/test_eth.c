/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports on DPDK devices that need no hardware: what they can, how they are set up, what is said of
 * what they cannot, and that each device can be taken again. One EAL for all.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_log.h>

#include <criterion/criterion.h>

#include "base/bits.h"
#include "eal.h"
#include "packet.h"
#include "pcapfile.h"
#include "port/port.h"

static struct rte_mempool *pool;

/* What was said, one sentence a line. */
struct said {
	unsigned int n;
	char text[1024];
};

static void
hear(void *ctx, const char *sentence)
{
	struct said *said = ctx;
	size_t len = strlen(said->text);

	said->n++;
	snprintf(said->text + len, sizeof(said->text) - len, "%s\n", sentence);
}

static struct port_config
plain_config(void)
{
	return (struct port_config){
		.mtu = 1500, .n_rxq = 1, .n_txq = 1, .n_desc = 512, .pool = pool};
}

static struct port *
create(const char *device)
{
	struct port *p = NULL;
	const char *why = "";

	cr_assert_eq(port_create_eth("nsf0", device, 1500, &p, &why), 0, "%s: %s", device, why);
	cr_assert_not_null(p);
	return p;
}

static struct said
configure(struct port *p, const struct port_config *config)
{
	struct said said = {0};
	struct port_note note = {.say = hear, .ctx = &said};
	const char *why = "";

	cr_assert_eq(port_configure(p, config, &note, &why), 0, "%s", why);
	return said;
}

static void
check_sentence(const struct said *said, const char *word, const char *driver)
{
	size_t len = strlen(said->text);

	cr_assert_eq(said->n, 1, "%s", said->text);
	cr_assert_not_null(strstr(said->text, word), "%s", said->text);
	cr_assert_not_null(strstr(said->text, driver), "%s", said->text);
	cr_assert_eq(strncmp(said->text + len - 2, ".\n", 2), 0, "a sentence: %s", said->text);
}

/* -errno, nothing handed out, and words that say what to do. */
static void
check_fails(const char *device, int want, const char *word)
{
	struct port *p = NULL;
	const char *why = NULL;
	int rc = port_create_eth("nsf1", device, 1500, &p, &why);

	cr_assert(want != 0 ? rc == want : rc < 0, "%s: %d", device, rc);
	cr_assert_null(p);
	cr_assert_not_null(why);
	cr_assert_not_null(strstr(why, word), "%s: %s", device, why);
}

static void
device_says_what_it_can(void)
{
	struct port *p = create("net_ring7");

	cr_assert_str_eq(p->name, "nsf0");
	cr_assert_str_eq(p->caps.driver, "net_ring");
	cr_assert(p->caps.max_rxq >= 1 && p->caps.max_txq >= 1);
	cr_assert(p->caps.multi_seg_tx && !p->caps.rss && !p->caps.steady_link);
	configure(p, &(struct port_config){
			     .mtu = 1500, .n_rxq = 1, .n_txq = 1, .n_desc = 64, .pool = pool});
	cr_assert_not(p->one_segment);
	port_free(p);
	p = create("net_null7");
	cr_assert_str_eq(p->caps.driver, "net_null");
	cr_assert(p->caps.max_rxq >= 16 && p->caps.rss);
	configure(p, &(struct port_config){
			     .mtu = 1500, .n_rxq = 4, .n_txq = 4, .n_desc = 64, .pool = pool});
	cr_assert_eq(p->one_segment, !p->caps.multi_seg_tx);
	port_free(p);
}

/* net_ring's ring is its own peer: what is sent comes back. */
static void
packets_pass(void)
{
	static uint8_t frame[512], copy[512];
	struct packet spec = packet_roce(4);
	size_t len = packet_write(&spec, frame, sizeof(frame), NULL);
	struct port_config config = plain_config();
	struct port *p = create("net_ring0");
	struct rte_mbuf *m[8];

	cr_assert_eq(configure(p, &config).n, 1, "no MAC of its own");
	cr_assert_eq(p->mac[0], 0x02);
	cr_assert_eq(port_start(p), 0);
	cr_assert(port_link_up(p));
	cr_assert_eq(port_speed(p), 0, "a speed that is none");
	for (unsigned int i = 0; i < 3; i++)
		m[i] = packet_mbuf(pool, frame, len);
	cr_assert_eq(port_tx(p, 0, m, 3), 3);
	cr_assert_eq(port_rx(p, 0, m, 8), 3);
	for (unsigned int i = 0; i < 3; i++) {
		cr_assert_eq(packet_read(m[i], copy, sizeof(copy)), len);
		cr_assert_eq(memcmp(copy, frame, len), 0);
		rte_pktmbuf_free(m[i]);
	}
	port_stop(p);
	port_stop(p); /* twice is once */
	port_free(p);
	cr_assert_eq(test_pool_used(pool), 0);
}

static void
captures_are_read(void)
{
	struct pcapfile f = pcapfile_load("sample.pcap");
	struct port_config config = plain_config();
	char device[512], path[400];
	struct rte_mbuf *m[64];
	uint8_t copy[4096];
	struct port *p;

	pcapfile_path("sample.pcap", path, sizeof(path));
	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s,tx_pcap=/dev/null", path);
	p = create(device);
	cr_assert_str_eq(p->caps.driver, "net_pcap");
	configure(p, &config);
	cr_assert_eq(port_start(p), 0);
	cr_assert_eq(port_rx(p, 0, m, 64), f.n);
	for (size_t i = 0; i < f.n; i++) {
		cr_assert_eq(packet_read(m[i], copy, sizeof(copy)), f.frame[i].len);
		cr_assert_eq(memcmp(copy, f.frame[i].bytes, f.frame[i].len), 0);
		rte_pktmbuf_free(m[i]);
	}
	port_free(p); /* without a stop */
	pcapfile_free(&f);
	cr_assert_eq(test_pool_used(pool), 0);
}

static void
missing_mtu_is_said(void)
{
	struct port_config config = plain_config();
	struct port *p = create("net_ring1");
	struct said said;

	config.has_mac = true;
	memset(config.mac, 0, sizeof(config.mac)); /* net_ring's own */
	said = configure(p, &config);
	cr_assert_eq(said.n, 0, "1500 is what any device has: %s", said.text);
	config.mtu = 9000;
	said = configure(p, &config);
	check_sentence(&said, "9000", "net_ring");
	cr_assert_eq(p->mtu, 9000);
	port_free(p);
}

static void
mac_that_cannot_be_set_is_said(void)
{
	struct port_config config = plain_config();
	struct port *p = create("net_ring2");
	struct said said;

	config.has_mac = true;
	memcpy(config.mac, (uint8_t[]){2, 0, 0, 0, 0, 9}, 6);
	said = configure(p, &config);
	check_sentence(&said, "MAC", "net_ring");
	cr_assert_eq(memcmp(p->mac, config.mac, 6), 0, "the node answers to the one configured");
	port_free(p);
	/* This one can: there is nothing to say. */
	p = create("net_null2");
	said = configure(p, &config);
	cr_assert_eq(said.n, 0, "%s", said.text);
	cr_assert_eq(memcmp(p->mac, config.mac, 6), 0);
	port_free(p);
}

static void
notes_need_no_listener(void)
{
	struct port_config config = plain_config();
	struct port_note deaf = {.say = NULL};
	struct port *p = create("net_ring3");
	const char *why = "";

	config.mtu = 9000;
	cr_assert_eq(port_configure(p, &config, NULL, &why), 0, "%s", why);
	cr_assert_eq(port_configure(p, &config, &deaf, &why), 0, "%s", why);
	port_free(p);
}

static void
too_many_queues_are_refused_by_name(void)
{
	struct port_config config = plain_config();
	struct port *p = create("net_ring4");
	const char *why = NULL;

	config.n_rxq = 99;
	cr_assert_lt(port_configure(p, &config, NULL, &why), 0);
	cr_assert_not_null(why);
	cr_assert(strstr(why, "nsf0") != NULL && strstr(why, "99") != NULL, "%s", why);
	config.n_rxq = 1;
	cr_assert_eq(port_configure(p, &config, NULL, &why), 0, "and can be set up after that");
	port_free(p);
}

static void
absent_devices_say_what_helps(void)
{
	check_fails("net_foo0", 0, "PCI address");
	check_fails("0000:99:00.0", 0, "check that");
	check_fails("net_pcap5,rx_pcap=/nonexistent/a.pcap", 0, "exists");
	check_fails("net_af_packet5,iface=nosuch0", 0, "exists");
	check_fails("", 0, "");
}

static void
taken_device_is_refused_and_free_when_given_back(void)
{
	struct port_config config = plain_config();
	static const char *const devices[] = {"net_ring5", "net_null5,size=64"};

	for (size_t i = 0; i < BITS_ARRAY_LEN(devices); i++) {
		struct port *p = create(devices[i]);

		check_fails(devices[i], -EBUSY, "already");
		configure(p, &config);
		cr_assert_eq(port_start(p), 0);
		check_fails(devices[i], -EBUSY, "already");
		port_free(p);
		for (unsigned int again = 0; again < 3; again++) {
			p = create(devices[i]);
			configure(p, &config);
			cr_assert_eq(port_start(p), 0);
			port_free(p);
		}
	}
}

static void
statistics_start_at_nothing(void)
{
	struct port_config config = plain_config();
	struct port_stats stats = {.missed = 1, .errors = 1};
	struct port *p = create("net_ring6");

	configure(p, &config);
	cr_assert_eq(port_start(p), 0);
	port_stats(p, &stats);
	cr_assert(stats.missed == 0 && stats.errors == 0);
	port_free(p);
}

/* No device without hardware makes pauses; what is asked of it is refused, and with the cure. */
static void
pauses_by_the_device_are_refused_where_it_has_none(void)
{
	static const char *const device[] = {"net_null6", "net_ring6"};

	for (unsigned int i = 0; i < 2; i++) {
		struct port_config config = plain_config();
		const char *why = "";
		struct port *p = create(device[i]);

		config.pfc = 1 << 3 | 1 << 4;
		config.pfc_quanta = 65535;
		cr_assert_eq(port_configure(p, &config, NULL, &why), -ENOTSUP, "%s", why);
		cr_assert_not_null(strstr(why, "port nsf0: net_"), "%s", why);
		cr_assert_not_null(strstr(why, "`pfc: {mode: software}`."), "%s", why);
		/* without it, it can be had */
		config.pfc = 0;
		cr_assert_eq(port_configure(p, &config, NULL, &why), 0, "%s", why);
		cr_assert_eq(port_start(p), 0);
		port_free(p);
	}
}

/* Two files are two queues: the driver reads both, and somebody has to poll both. */
static void
queues_that_a_driver_fills_by_itself_are_told(void)
{
	char device[1024], path[400];
	struct port *p;

	pcapfile_path("sample.pcap", path, sizeof(path));
	snprintf(device, sizeof(device),
		"net_pcap1,rx_pcap=%.200s,rx_pcap=%.200s,tx_pcap=/dev/null", path, path);
	p = create(device);
	cr_assert_eq(p->caps.fixed_rxq, 2, "%u", p->caps.fixed_rxq);
	cr_assert_not(p->caps.rss);
	port_free(p);
	p = create("net_ring8");
	cr_assert_eq(p->caps.fixed_rxq, 1, "%u of net_ring", p->caps.fixed_rxq);
	port_free(p);
}

Test(eth, ports_on_devices_without_hardware_hold_their_contract)
{
	test_eal(128);
	rte_log_set_level_pattern("*", RTE_LOG_EMERG); /* devices are refused on purpose */
	pool = test_pool("eth", 4095, 2048);
	device_says_what_it_can();
	packets_pass();
	captures_are_read();
	missing_mtu_is_said();
	mac_that_cannot_be_set_is_said();
	notes_need_no_listener();
	too_many_queues_are_refused_by_name();
	absent_devices_say_what_helps();
	taken_device_is_refused_and_free_when_given_back();
	statistics_start_at_nothing();
	pauses_by_the_device_are_refused_where_it_has_none();
	queues_that_a_driver_fills_by_itself_are_told();
	cr_assert_eq(test_pool_used(pool), 0);
}
