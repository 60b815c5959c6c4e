/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference says what the parser does. */
#include "conf_test.h"

static char *
reference(void)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	conf_schema_markdown(out);
	fclose(out);
	return text;
}

Test(markdown, rows_give_type_range_default_and_meaning)
{
	static const char *const rows[] = {
		"\n## ports[]\n",
		"\n## groups[].members[]\n",
		"| `mtu` | integer | a number from 1280 to 9600 | 1500; of role dsf also "
		"`dsf.cell_size` + 24, when that is more | Bytes of the largest IP packet; of role "
		"dsf, of the largest cell with its 24-byte header. |\n",
		"| `ethertype` | integer | a hexadecimal number from 0x0600 to 0xffff | 0x88b5 | "
		"EtherType of cells, the same in all devices. |\n",
		"| `credit_bytes` | size (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB) | a size from 1KB "
		"to 1MB | 16KiB |",
		"| `speedup` | part (%, ppm, ppb) | a part from 50% to 200% | 102% |",
		"| `device` | device, by name | the name of a device in dsf.devices | this or "
		"`port` |",
		"| `memory` | size (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB) | a size from 64MB to "
		"1TB | 512MB |",
		"| `role` | word | nsf, longhaul or dsf | required |",
		"| `idle` | word | poll or adaptive | adaptive |",
		"| `promiscuous` | boolean | true or false | false |",
		"| `hash` | list of words, or mapping | a list of `fields`; or see "
		"[groups[].hash](#groupshash) | [5tuple, dest_qp] |",
		"| `fields` | list of words | a list of 5tuple, dest_qp, flow_label | [5tuple, "
		"dest_qp] |",
		"| `buckets` | integer | a power of two from 64 to 32768 | 512 |",
		"| `mbufs` | integer | auto or a number from 1024 to 16777216 | auto |",
		"| `rate` | bit rate (bit, kbit, Mbit, Gbit, Tbit) | a bit rate from 1Mbit to "
		"800Gbit | as fast as the device takes |",
		"| `delay` | time (ns, us, ms, s) | off, emulate or a time from 1ns to 1s | off |",
		"| `ecn` | word or mapping | auto, phantom, off; or see [ecn](#ecn) | none |",
		"| `drain` | part (%, ppm, ppb) | a part from 10% to 100% | 95% |",
		"| `main_lcore` | integer | a number from 0 to 127 | the first CPU that softbag "
		"may use |",
	};
	char *text = reference();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(strstr(text, rows[i]), "%s", rows[i]);
	free(text);
}

Test(markdown, tables_have_five_cells_a_row_and_no_refused_word)
{
	char *text = reference(), *save = NULL;

	cr_expect_null(strstr(text, "reach_ms"));
	cr_expect_null(strstr(text, "credit_watchdog_ms"));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned int bars = 0;

		for (const char *s = line; *s != '\0'; s++)
			bars += *s == '|';
		cr_expect(bars == 0 || bars == 6, "%s", line);
	}
	free(text);
}

Test(markdown, shared_tables_stand_once)
{
	char *text = reference(), *save = NULL;
	unsigned int n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		n += strcmp(line, "## ecn") == 0;
	free(text);
	cr_expect_eq(n, 1);
}

/* Each key of the schema has its row: the whole file of the tests names them all. */
Test(markdown, every_key_of_the_whole_file_has_a_row)
{
	static const char *const keys[] = {"version", "node", "runtime", "ports", "classes", "hash",
		"groups", "routes", "name", "id", "main_lcore", "workers", "memory", "mbufs",
		"idle", "burst", "eal", "lcore", "rx", "device", "role", "mac", "promiscuous",
		"mtu", "addresses", "pace", "class", "dscp", "seed", "policy", "buckets", "members",
		"port", "via", "weight", "static", "prefix", "group", "rate", "rate_layer",
		"distance", "delay", "ecn", "ecn_by_class", "pfc", "impair", "dscp_map",
		"dscp_rewrite", "limit", "lossless", "scheduler", "mode", "kmin", "kmax", "pmax",
		"drop", "control", "not_ect", "drain", "headroom", "xoff", "xon", "quanta",
		"watchdog", "action", "detect", "restore", "in", "out", "loss", "corrupt",
		"duplicate", "jitter", "reorder", "reorder_delay", "to", "dwrr", "dsf", "device_id",
		"cell_size", "scheduling", "ethertype", "transit", "reach_interval",
		"min_links_join", "min_links_remain", "reassembly_timeout", "reassembly_window",
		"reassembly_cells", "per", "spray_if", "gap", "fields", "vxlan_inner", "rotate",
		"credit_bytes", "speedup", "credit_watchdog", "router_rate", "voq_limit",
		"egress_bound", "system_ports", "devices", "number", "system_port"};
	char *text = reference();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char row[64];

		snprintf(row, sizeof(row), "\n| `%s` | ", keys[i]);
		cr_expect(strstr(text, row), "%s", keys[i]);
	}
	free(text);
}
