/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files: what a right one gives, field by field; and all errors of a wrong one in one run. */
#include <errno.h>
#include <sys/socket.h>

#include "conf_test.h"

static struct parsed
load_data(const char *name)
{
	const char *root = getenv("SOFTBAG_ROOT");
	struct parsed p = {0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/conf/%s", root ? root : ".", name);
	p.rc = conf_load(path, &p.c, &p.e);
	if (p.rc != 0)
		conf_errors_print(&p.e, path, stderr);
	cr_assert_eq(p.rc, 0, "%s", path);
	cr_assert_eq(p.e.n, 0);
	cr_assert_str_eq(p.c->file, path);
	return p;
}

static void
expect_addr(const struct conf_addr *a, int family, unsigned int len, const char *hex)
{
	char got[33];

	for (unsigned int i = 0; i < 16; i++)
		snprintf(got + 2 * i, 3, "%02x", a->byte[i]);
	cr_expect_eq(a->family, family);
	cr_expect_eq(a->prefix_len, len);
	cr_expect_str_eq(got, hex);
}

#define V4(hex) hex "000000000000000000000000"

Test(conf, whole_file_gives_node_and_runtime)
{
	struct parsed p = load_data("whole.yaml");
	const struct conf *c = p.c;

	cr_expect_str_eq(c->node_name, "bag-east-1");
	cr_expect_eq(c->node_id, 11);
	cr_expect_eq(c->main_lcore, 3);
	cr_assert_eq(c->n_workers, 2);
	cr_expect_eq(c->worker[0].lcore, 1);
	cr_assert_eq(c->worker[0].n_rx, 2);
	cr_expect_eq(c->worker[0].rx[0], 0);
	cr_expect_eq(c->worker[0].rx[1], 2);
	cr_expect_eq(c->worker[1].lcore, 2);
	cr_assert_eq(c->worker[1].n_rx, 3);
	cr_expect_eq(c->worker[1].rx[2], 3);
	cr_expect_eq(c->worker[1].pos.line, 12);
	cr_expect_eq(c->worker[1].pos.col, 7);
	cr_expect_eq(c->memory, UINT64_C(1) << 30);
	cr_expect_eq(c->mbufs, 65536);
	cr_expect_eq(c->idle, CONF_IDLE_POLL);
	cr_expect_eq(c->burst, 64);
	cr_assert_eq(c->n_eal, 2);
	cr_expect_str_eq(c->eal[0], "--log-level=lib.eal:8");
	cr_expect_str_eq(c->eal[1], "--file-prefix=a b");
	cr_expect(c->has_hash_seed);
	cr_expect_eq(c->hash_seed, UINT64_MAX);
	cr_expect_eq(conf_seed(c), UINT64_MAX);
	parsed_fini(&p);
}

Test(conf, whole_file_gives_ports)
{
	static const uint8_t digits[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
	static const uint8_t tens[6] = {0x10, 0x10, 0x10, 0x10, 0x10, 0x10};
	struct parsed p = load_data("whole.yaml");
	const struct conf_port *port = p.c->port;

	cr_assert_eq(p.c->n_ports, 4);
	cr_expect_str_eq(port[0].name, "nsf0");
	cr_expect_str_eq(port[0].device, "net_af_packet0,iface=nsf0");
	cr_expect_eq(port[0].role, CONF_ROLE_NSF);
	cr_expect_not(port[0].has_mac);
	cr_expect_not(port[0].promiscuous);
	cr_expect_eq(port[0].mtu, 4200);
	cr_expect_eq(port[0].pace_pps, 0);
	cr_expect_eq(port[0].pos.line, 20);
	cr_expect_eq(port[0].pos.col, 5);
	cr_assert_eq(port[0].n_addresses, 2);
	expect_addr(&port[0].address[0], AF_INET, 31, V4("0a010001"));
	expect_addr(&port[0].address[1], AF_INET6, 127, "20010db8000100000000000000000001");
	cr_expect_eq(port[0].address_pos[0].line, 20);
	cr_expect_eq(port[0].address_pos[0].col, 89);
	cr_expect_eq(port[0].address_pos[1].col, 102);
	cr_expect(port[1].has_mac);
	cr_expect_arr_eq(port[1].mac, digits, 6);
	cr_expect(port[1].promiscuous);
	cr_expect_eq(port[1].mtu, 1500);
	cr_expect_eq(port[1].pace_pps, 20000);
	cr_expect_eq(port[2].role, CONF_ROLE_LONGHAUL);
	cr_expect_str_eq(port[2].device, "0000:3b:00.0");
	cr_expect_arr_eq(port[2].mac, tens, 6);
	cr_expect_eq(port[2].mtu, 9600);
	cr_expect_eq(port[2].pace_pps, 3000000);
	expect_addr(&port[2].address[0], AF_INET6, 64, "00100010000000000000000000000001");
	cr_expect_eq(port[3].mtu, 1280);
	cr_expect_eq(port[3].n_addresses, 0);
	cr_expect_eq(conf_port_by_name(p.c, "lh1"), 3);
	cr_expect_eq(conf_port_by_name(p.c, "lh2"), -1);
	cr_expect_eq(conf_port_by_name(p.c, ""), -1);
	parsed_fini(&p);
}

Test(conf, whole_file_gives_classes)
{
	struct parsed p = load_data("whole.yaml");
	const struct conf_class *k = p.c->class_;

	cr_expect(k[3].present);
	cr_expect_str_eq(k[3].name, "rdma");
	cr_expect_eq(k[3].dscps, UINT64_C(0xff) << 24 | UINT64_C(1) << 34);
	cr_expect_eq(k[3].pos.line, 57);
	cr_expect_eq(k[6].dscps, UINT64_C(1) << 48);
	cr_expect_str_eq(k[7].name, "7");
	cr_expect_eq(k[7].dscps, UINT64_C(1) << 56 | UINT64_C(1) << 63);
	cr_expect(k[0].present);
	cr_expect_eq(k[0].dscps, 0);
	cr_expect_not(k[1].present);
	cr_expect_not(k[5].present);
	parsed_fini(&p);
}

static void
expect_curve(const struct conf_curve *c, uint64_t kmin, uint64_t kmax, uint32_t pmax_ppm)
{
	cr_expect_eq(c->kmin, kmin, "kmin %lu", c->kmin);
	cr_expect_eq(c->kmax, kmax, "kmax %lu", c->kmax);
	cr_expect_eq(c->pmax_ppm, pmax_ppm, "pmax %u", c->pmax_ppm);
}

Test(conf, whole_file_gives_rate_and_delay)
{
	struct parsed p = load_data("whole.yaml");
	const struct conf_port *port = &p.c->port[3];

	cr_expect_eq(port->rate_bps, 2500000000);
	cr_expect(port->rate_l2);
	cr_expect_eq(port->distance_m, 80500);
	cr_expect(port->delay_emulate);
	cr_expect_eq(port->delay_ns, 402500);
	for (unsigned int dscp = 0; dscp < CONF_DSCPS; dscp++) {
		bool mapped = (dscp >= 24 && dscp <= 26) || dscp == 30;

		cr_expect_eq(port->dscp_class[dscp], mapped ? 4 : dscp == 63 ? 0 : 0xff);
		cr_expect_eq(port->dscp_rewrite[dscp], dscp == 24                 ? 26
						       : dscp == 32 || dscp == 33 ? 0
										  : 0xff);
	}
	parsed_fini(&p);
}

/* RTT 805 us at 2.5 Gbit/s: a BDP of 251,562.5 bytes. */
Test(conf, whole_file_gives_marking)
{
	struct parsed p = load_data("whole.yaml");
	const struct conf_port *port = &p.c->port[3];
	const struct conf_ecn *e = port->class_ecn;

	cr_expect(port->ecn.is_auto);
	cr_expect_eq(port->ecn.mode, CONF_ECN_RED);
	expect_curve(&port->ecn.mark, 27671, 57859, 50000);
	expect_curve(&port->ecn.drop, 2000000, 3000000, 1000000);
	cr_expect(port->ecn.control);
	cr_expect(port->ecn.not_ect_drop);
	expect_curve(&e[1].mark, 27671, 57859, 50000);
	expect_curve(&e[1].drop, 2000000, 3000000, 1000000);
	expect_curve(&e[3].mark, 27671, 57859, 50000); /* before the class's phantom */
	cr_expect_eq(e[3].mode, CONF_ECN_RED);
	expect_curve(&e[3].drop, 0, 0, 0); /* lossless */
	cr_expect_not(e[3].not_ect_drop);
	cr_expect(e[1].not_ect_drop);
	expect_curve(&e[0].mark, 100000, 400000, 200000);
	cr_expect_eq(e[0].mode, CONF_ECN_RED);
	cr_expect_not(e[0].is_auto);
	expect_curve(&e[6].mark, 10000, 40000, 5000);
	cr_expect_eq(e[6].mode, CONF_ECN_PHANTOM);
	cr_expect_eq(e[6].phantom_permille, 905);
	cr_expect_eq(e[7].mode, CONF_ECN_OFF);
	cr_expect_neq(e[7].pos.line, 0);
	cr_expect_eq(p.c->class_[3].ecn.mode, CONF_ECN_PHANTOM);
	cr_expect_eq(p.c->port[0].class_ecn[3].mode, CONF_ECN_OFF); /* it has no rate */
	parsed_fini(&p);
}

Test(conf, whole_file_gives_pauses_and_impairments)
{
	struct parsed p = load_data("whole.yaml");
	const struct conf_pfc *f = &p.c->port[3].pfc;
	const struct conf_impair *in = &p.c->port[3].impair_in, *out = &p.c->port[3].impair_out;

	cr_expect_eq(f->classes, 1u << 3 | 1u << 4);
	cr_expect(f->hardware);
	cr_expect_not(f->headroom_auto);
	cr_expect_eq(f->headroom, 2000000);
	cr_expect_eq(f->xoff, 700000);
	cr_expect_eq(f->xon, 600000);
	cr_expect_eq(f->quanta, 32768);
	cr_expect_eq(f->storm, CONF_STORM_FORWARD);
	cr_expect_eq(f->detect_ms, 300);
	cr_expect_eq(f->restore_ms, 500);
	cr_expect_eq(in->loss_ppb, 1000);
	cr_expect_eq(in->corrupt_ppb, 2);
	cr_expect_eq(in->duplicate_ppb, 5000000);
	cr_expect_eq(in->seed, 8);
	cr_expect_eq(out->loss_ppb, 1000000);
	cr_expect_eq(out->corrupt_ppb, 1000);
	cr_expect_eq(out->duplicate_ppb, 10000000);
	cr_expect_eq(out->jitter_ns, 10000);
	cr_expect_eq(out->reorder_ppb, 20000000);
	cr_expect_eq(out->reorder_ns, 1000000);
	cr_expect_eq(out->seed, 9);
	parsed_fini(&p);
}

Test(conf, whole_file_gives_limits_and_schedulers)
{
	struct parsed p = load_data("whole.yaml");
	const struct conf_class *k = p.c->class_;

	cr_expect_eq(k[3].limit, 128000000);
	cr_expect(k[3].lossless);
	cr_expect_not(k[3].strict);
	cr_expect_eq(k[3].dwrr, 50);
	cr_expect_eq(k[6].dwrr, 255);
	cr_expect_not(k[6].strict);
	cr_expect(k[0].strict);
	cr_expect_eq(k[0].dwrr, 0);
	cr_expect_eq(k[4].limit, 32000000);
	cr_expect_not(k[4].has_limit);
	cr_expect(k[3].has_limit);
	parsed_fini(&p);
}

Test(conf, whole_file_gives_groups_and_routes)
{
	static const uint8_t nine[6] = {0x02, 0, 0, 0, 0, 0x09};
	static const uint8_t sixes[6] = {0x06, 0x60, 0x66, 0x06, 0x60, 0x66};
	struct parsed p = load_data("whole.yaml");
	const struct conf_group *g = p.c->group;
	const struct conf_route *r = p.c->route;

	cr_assert_eq(p.c->n_groups, 2);
	cr_expect_str_eq(g[0].name, "to-west");
	cr_expect_eq(g[0].hash_fields, CONF_HASH_5TUPLE | CONF_HASH_DEST_QP);
	cr_expect_eq(g[0].buckets, 4096);
	cr_assert_eq(g[0].n_members, 2);
	cr_expect_eq(g[0].member[0].port_idx, 2);
	expect_addr(&g[0].member[0].via, AF_INET6, 128, "00100010000000000000000000000002");
	cr_expect_eq(g[0].member[0].weight, 3);
	cr_expect_not(g[0].member[0].has_mac);
	cr_expect_eq(g[0].member[0].pos.line, 71);
	cr_expect_eq(g[0].member[1].port_idx, 3);
	expect_addr(&g[0].member[1].via, AF_INET, 32, V4("0a090003"));
	cr_expect_eq(g[0].member[1].weight, 65535);
	cr_expect_arr_eq(g[0].member[1].mac, nine, 6);
	cr_expect_eq(g[1].hash_fields, CONF_HASH_5TUPLE);
	cr_expect_eq(g[1].buckets, 512);
	cr_expect_eq(g[1].member[0].weight, 1);
	cr_expect_eq(g[1].member[1].weight, 0);
	cr_expect_eq(g[1].member[1].via.family, 0);
	cr_expect_arr_eq(g[1].member[1].mac, sixes, 6);
	cr_expect_eq(conf_group_by_name(p.c, "to-nsf"), 1);
	cr_expect_eq(conf_group_by_name(p.c, "to"), -1);
	cr_assert_eq(p.c->n_routes, 4);
	expect_addr(&r[0].prefix, AF_INET, 16, V4("0a020000"));
	cr_expect_eq(r[0].group_idx, 0);
	cr_expect_eq(r[0].pos.line, 81);
	cr_expect_eq(r[0].pos.col, 7);
	expect_addr(&r[1].prefix, AF_INET6, 32, "00100010000000000000000000000000");
	cr_expect_eq(r[1].group_idx, 1);
	expect_addr(&r[2].prefix, AF_INET, 0, V4("00000000"));
	expect_addr(&r[3].prefix, AF_INET6, 128, "20010db8000000000000000000000007");
	parsed_fini(&p);
}

static void
expect_queue_defaults(const struct conf *c)
{
	const struct conf_port *p = &c->port[0];

	cr_expect_eq(p->rate_bps, 0);
	cr_expect_not(p->rate_l2);
	cr_expect_eq(p->distance_m, 0);
	cr_expect_eq(p->delay_ns, 0);
	cr_expect_not(p->delay_emulate);
	cr_expect_eq(p->ecn.pos.line, 0);
	cr_expect_eq(p->pfc.pos.line, 0);
	cr_expect_eq(p->pfc.classes, 0);
	cr_expect_eq(p->impair_in.pos.line, 0);
	cr_expect_eq(p->impair_out.pos.line, 0);
	cr_expect_eq(p->impair_out.seed, 0);
	for (unsigned int n = 0; n < CONF_CLASSES; n++) {
		cr_expect_eq(p->class_ecn[n].mode, CONF_ECN_OFF);
		cr_expect_eq(c->class_[n].limit, 16000000);
		cr_expect_not(c->class_[n].lossless);
		cr_expect_eq(c->class_[n].strict, n >= 6);
		cr_expect_eq(c->class_[n].dwrr, n < 6);
	}
	for (unsigned int dscp = 0; dscp < CONF_DSCPS; dscp++) {
		cr_expect_eq(p->dscp_class[dscp], 0xff);
		cr_expect_eq(p->dscp_rewrite[dscp], 0xff);
	}
}

static void
expect_defaults(const char *yaml)
{
	struct parsed p = parse(yaml);
	const struct conf *c = p.c;

	cr_assert_eq(p.rc, 0, "%s", yaml);
	cr_expect_eq(c->main_lcore, -1);
	cr_expect_eq(c->n_workers, 0);
	cr_expect_eq(c->memory, 512000000);
	cr_expect_eq(c->mbufs, 0);
	cr_expect_eq(c->idle, CONF_IDLE_ADAPTIVE);
	cr_expect_eq(c->burst, 64);
	cr_expect_eq(c->n_eal, 0);
	cr_expect_eq(c->port[0].mtu, 1500);
	cr_expect_not(c->port[0].promiscuous);
	cr_expect_not(c->has_hash_seed);
	cr_expect_eq(c->n_groups, 1);
	cr_expect_eq(c->group[0].hash_fields, CONF_HASH_5TUPLE | CONF_HASH_DEST_QP);
	cr_expect_eq(c->group[0].buckets, 512);
	cr_expect_eq(c->group[0].member[0].weight, 1);
	expect_queue_defaults(c);
	parsed_fini(&p);
}

Test(conf, defaults_hold_with_and_without_their_section)
{
	expect_defaults(GROUP);
	expect_defaults(GROUP "runtime: {}\nhash: {}\nroutes: {}\nclasses: []\n");
	expect_defaults(GROUP "runtime: {mbufs: auto}\nroutes: {static: []}\n");
}

Test(conf, sections_come_in_any_order_after_version)
{
	static const char yaml[] = "version: 1\n"
				   "routes: {static: [{prefix: 10.0.0.0/8, group: g0}]}\n"
				   "groups: [{name: g0, members: [" WAY "]}]\n"
				   "runtime: {workers: [{lcore: 1, rx: [p0]}]}\n"
				   "ports: [{name: p0, device: d0, role: nsf}]\n"
				   "node: {name: a, id: 1}\n";

	expect_errors(yaml, strlen(yaml), "");
}

/* One a line, in parts of the file that are read in another order than they stand. */
Test(conf, thirty_errors_come_in_one_run_in_the_order_of_their_lines)
{
	char *yaml;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);
	struct parsed p;

	fputs("version: 1\nroutes:\n  static:\n", out);
	for (unsigned int i = 0; i < 10; i++) /* lines 4 to 13 */
		fprintf(out, "    - {prefix: 10.%u.0.1/16, group: g0}\n", i);
	fputs("groups:\n", out);
	for (unsigned int i = 0; i < 10; i++) /* 15 to 24 */
		fprintf(out, "  - {name: g%u, buckets: 65, members: [" WAY "]}\n", i);
	fputs("ports:\n", out);
	for (unsigned int i = 0; i < 9; i++) /* 26 to 34 */
		fprintf(out, "  - {name: p%u, device: d%u, role: nsf, mtu: 010}\n", i, i);
	fputs("node: {name: a, id: 0}\n", out); /* 35 */
	fclose(out);
	p = parse(yaml);
	cr_assert_eq(p.rc, -EINVAL);
	cr_assert_eq(p.e.n, 30);
	cr_expect_eq(p.e.n_left_out, 0);
	for (unsigned int i = 0; i < 30; i++)
		cr_expect_eq(p.e.error[i].pos.line, i < 10 ? 4 + i : i < 20 ? 5 + i : 6 + i);
	cr_expect_str_eq(p.e.error[9].text,
		"routes.static[9].prefix: got 10.9.0.1/16, want a prefix such "
		"as 10.2.0.0/16 (host bits are set: 10.9.0.0/16)");
	cr_expect_str_eq(p.e.error[10].text, "groups.g0.buckets: got 65, want a power of two from "
					     "64 to 32768 (this one is no power "
					     "of two)");
	cr_expect_str_eq(p.e.error[20].text,
		"ports.p0.mtu: got 010, want a number from 1280 to 9600 "
		"(no leading zeros: 10)");
	cr_expect_str_eq(p.e.error[29].text, "node.id: got 0, want a number from 1 to 65534");
	free(yaml);
	parsed_fini(&p);
}

Test(conf, errors_past_a_hundred_are_counted)
{
	char *yaml, *text;
	size_t len;
	FILE *out = open_memstream(&yaml, &len);
	struct parsed p;

	fputs(GROUP "routes:\n  static:\n", out);
	for (unsigned int i = 0; i < 250; i++)
		fprintf(out, "    - {prefix: 10.%u.0.1/16, group: g0}\n", i);
	fclose(out);
	p = parse(yaml);
	free(yaml);
	cr_assert_eq(p.e.n, CONF_ERRORS_MAX);
	cr_expect_eq(p.e.n_left_out, 150);
	cr_expect_eq(p.e.error[99].pos.line, 7 + 99);
	out = open_memstream(&text, &len);
	conf_errors_print(&p.e, "x.yaml", out);
	fclose(out);
	cr_expect_eq(
		strncmp(text, "x.yaml:7:16: routes.static[0].prefix: got 10.0.0.1/16, ", 54), 0);
	cr_expect_str_eq(text + len - strlen("x.yaml: and 150 more\n"), "x.yaml: and 150 more\n");
	free(text);
	parsed_fini(&p);
}

Test(conf, refused_file_leaves_the_callers_conf_alone)
{
	struct conf *c = (struct conf *)8;
	struct conf_errors e;

	cr_expect_eq(conf_parse("t.yaml", "x", 1, &c, &e), -EINVAL);
	cr_expect_eq(c, (struct conf *)8);
	conf_errors_fini(&e);
	conf_free(NULL);
}

#define MILLION 1000000u

static char *
million_routes(size_t *ret_len)
{
	char *yaml;
	FILE *out = open_memstream(&yaml, ret_len);

	fputs(PORTS "groups:\n", out);
	for (unsigned int i = 0; i < 1000; i++)
		fprintf(out, "  - {name: g%u, members: [" WAY "]}\n", i);
	fputs("routes:\n  static:\n", out);
	for (unsigned int i = 0; i < MILLION; i++) {
		unsigned int n = (i * 2654435761u) & 0xffffff; /* an odd factor: each n once */

		fprintf(out, "    - {prefix: %u.%u.%u.0/24, group: g%u}\n", n >> 16, (n >> 8) & 255,
			n & 255, i % 1000);
	}
	fclose(out);
	return yaml;
}

Test(conf, a_million_routes_load, .timeout = 120)
{
	size_t len, n_wrong = 0;
	char *yaml = million_routes(&len);
	struct parsed p = parse_bytes(yaml, len);

	cr_assert_eq(p.rc, 0);
	cr_assert_eq(p.c->n_routes, MILLION);
	for (unsigned int i = 0; i < MILLION; i++) {
		const struct conf_route *r = &p.c->route[i];

		n_wrong += r->group_idx != i % 1000 || r->prefix.prefix_len != 24 ||
			   r->pos.line != 1007 + i;
	}
	cr_expect_eq(n_wrong, 0);
	free(yaml);
	parsed_fini(&p);
}

Test(conf, group_names_cap_at_32000)
{
	char *yaml;
	size_t len;

	for (unsigned int n = CONF_GROUPS_MAX; n <= CONF_GROUPS_MAX + 1; n++) {
		FILE *out = open_memstream(&yaml, &len);

		fputs(PORTS "groups:\n", out);
		for (unsigned int i = 0; i < n; i++)
			fprintf(out, "- {name: g%u, members: [" WAY "]}\n", i);
		fclose(out);
		expect_errors(yaml, len,
			n == CONF_GROUPS_MAX
				? ""
				: "5:1: groups: got 32001 items, want a list of at most 32000");
		free(yaml);
	}
}

/* nhg_seed_from_id() of lib/nhg/hash_inl.h, which a node without a seed hashes with. */
static uint64_t
seed_from_id(uint32_t node_id)
{
	uint64_t z = (node_id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

Test(conf, seed_comes_from_the_id_unless_given)
{
	struct conf c = {0};

	for (uint32_t id = 1; id < 65535; id += 13) {
		c.node_id = (uint16_t)id;
		cr_assert_eq(conf_seed(&c), seed_from_id(id));
	}
	c.has_hash_seed = true;
	cr_expect_eq(conf_seed(&c), 0);
}
