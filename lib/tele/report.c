/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as JSON. Order and names of the keys are the same in every run, zeros included, so
 * that two reports can be compared line by line. The text is in report_text.c.
 */
#include "tele/report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "conf/hyper.h"
#include "tele/imbalance.h"
#include "tele/policy_text.h"
#include "tele/report_fabric.h"
#include "tele/report_hyper.h"
#include "tele/report_qp.h"
#include "tele/since.h"
#include "tele/waiting.h"
#include "tele/way.h"
#include "tele/writer.h"

static json_t *
counter_object(struct writer *w, const struct counter *c)
{
	json_t *o = json_object();

	set_count(w, o, "packets", c->packets);
	set_count(w, o, "bytes", c->bytes);
	return o;
}

static void
set_totals(struct writer *w, json_t *root, const struct node *n)
{
	struct report_totals t;

	report_totals(n, &t);
	set_count(w, root, "in", t.in);
	set_count(w, root, "out", t.out);
	set_count(w, root, "punted", t.punted);
	set_count(w, root, "dropped", t.dropped);
	set_count(w, root, "duplicated", t.duplicated);
	set_count(w, root, "made", t.made);
	set_count(w, root, "ended", t.ended);
	set_count(w, root, "waiting", t.waiting);
}

static json_t *
drops(struct writer *w, const struct counters *c)
{
	json_t *o = json_object();

	for (unsigned int r = 1; r < DROP_N; r++)
		set_count(w, o, drop_name((enum drop_reason)r), c->drop[r]);
	return o;
}

static json_t *
punts(struct writer *w, const struct counters *c)
{
	json_t *o = json_object();

	for (unsigned int k = 1; k < PUNT_N; k++)
		set_count(w, o, punt_name((enum punt_kind)k), c->punt[k]);
	return o;
}

/* The key of a class in an object that holds those before it. */
static void
set_class(struct writer *w, const struct node *n, json_t *o, unsigned int class, json_t *value)
{
	char buf[CONF_NAME_MAX], number[8];
	const char *name = class_name(n, class, buf, sizeof(buf));

	/* a class of the configuration may have another one's default name */
	snprintf(number, sizeof(number), "%u", class);
	set(w, o, json_object_get(o, name) == NULL ? name : number, value);
}

static json_t *
queues(struct writer *w, const struct node *n, size_t port)
{
	json_t *o = json_object();

	for (unsigned int k = 0; k < DP_CLASSES; k++) {
		struct waiting now = waiting_class(n, port, k);
		struct queue_count count = since_queue(n, NULL, port, k);
		json_t *queue = json_object();

		set_count(w, queue, "waiting_bytes", now.bytes);
		set_count(w, queue, "high_water", now.peak);
		set_count(w, queue, "limit", n->policy[port].class_[k].limit);
		set_count(w, queue, "dropped", count.dropped);
		set_count(w, queue, "ce_marked", count.ce_marked);
		set_class(w, n, o, k, queue);
	}
	return o;
}

static json_t *
pfc(struct writer *w, const struct node *n, size_t port)
{
	const struct egress_commons *m = &n->shared.commons[port];
	json_t *o = json_object();

	set_count(w, o, "in", counter_read(&m->pfc_in));
	set_count(w, o, "out", counter_read(&m->pfc_out));
	set_count(w, o, "storms_detected", counter_read(&m->storm.n_detected));
	set_count(w, o, "storms_restored", counter_read(&m->storm.n_restored));
	return o;
}

static json_t *
ports(struct writer *w, const struct node *n, const struct counters *c)
{
	json_t *o = json_object();

	for (size_t p = 0; p < n->n_ports; p++) {
		json_t *port = json_object();

		set(w, port, "in", counter_object(w, &c->port_in[p]));
		set(w, port, "out", counter_object(w, &c->port_out[p]));
		set(w, port, "queues", queues(w, n, p));
		set(w, port, "pfc", pfc(w, n, p));
		set(w, o, n->port[p]->name, port);
	}
	return o;
}

static json_t *
hypers(struct writer *w, const struct node *n)
{
	json_t *o = json_object();

	for (uint16_t i = 0; i < n->shared.n_hypers; i++) {
		json_t *hyper = report_hyper(w, n, i);

		set(w, hyper, "queues", queues(w, n, n->shared.hyper[i].way));
		set(w, hyper, "pfc", pfc(w, n, n->shared.hyper[i].way));
		set(w, o, n->conf->hyper[i].name, hyper);
	}
	return o;
}

static json_t *
classes(struct writer *w, const struct node *n, const struct counters *c)
{
	json_t *o = json_object();

	for (unsigned int k = 0; k < DP_CLASSES; k++)
		set_class(w, n, o, k, counter_object(w, &c->class_[k]));
	return o;
}

/* A port, or a device and its system port. */
static void
set_way(struct writer *w, json_t *o, const struct node *n, uint16_t way)
{
	const struct fabric_dest *d = way_dest(n, way);
	char name[WAY_TEXT_LEN];

	set(w, o, "port", d == NULL ? json_string(conf_out(n->conf, way)->name) : json_null());
	set(w, o, "device", d == NULL ? json_null() : json_string(device_text(n, d->device, name)));
	set(w, o, "system_port", d == NULL ? json_null() : json_integer(d->system_port));
}

static json_t *
member(struct writer *w, const struct node *n, const struct nhg_member *m,
	const struct conf_member *conf, const struct counter *c)
{
	json_t *o = json_object();
	char via[INET6_ADDRSTRLEN] = "", mac[18];

	if (conf->via.family != 0)
		inet_ntop(conf->via.family, conf->via.byte, via, sizeof(via));
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", m->l2[0], m->l2[1], m->l2[2],
		m->l2[3], m->l2[4], m->l2[5]);
	set_way(w, o, n, m->port_idx);
	set(w, o, "via", via[0] == '\0' ? json_null() : json_string(via));
	set(w, o, "mac", m->resolved ? json_string(mac) : json_null());
	set_count(w, o, "weight", m->weight);
	set_count(w, o, "packets", c->packets);
	set_count(w, o, "bytes", c->bytes);
	return o;
}

/* Keys that a policy has no use for are null. */
static void
set_policy(struct writer *w, json_t *o, const struct conf_group *g, uint64_t choices)
{
	const char *spray_if = policy_spray_if(g);
	bool flowlets = conf_group_flowlets(g);

	set(w, o, "policy", json_string(policy_name(g)));
	set(w, o, "spray_if", spray_if == NULL ? json_null() : json_string(spray_if));
	set(w, o, "gap_ns", flowlets ? json_integer((json_int_t)g->gap_ns) : json_null());
	set(w, o, "one_by_one", spray_if != NULL ? json_integer((json_int_t)choices) : json_null());
	set(w, o, "flowlets", flowlets ? json_integer((json_int_t)choices) : json_null());
}

static json_t *
group(struct writer *w, const struct node *n, uint32_t idx, const struct counter *c,
	uint64_t choices)
{
	const struct nhg_group *g = node_group_now(n, idx);
	json_t *o = json_object(), *members = json_array();
	double imbalance = group_imbalance(g, c);
	struct counter sum = {0};

	for (unsigned int i = 0; i < g->n_members; i++) {
		counter_add(&sum, c[i].packets, c[i].bytes);
		append(w, members,
			member(w, n, &g->member[i], &n->group[idx].conf->member[i], &c[i]));
	}
	set_policy(w, o, n->group[idx].conf, choices);
	set_count(w, o, "packets", sum.packets);
	set_count(w, o, "bytes", sum.bytes);
	set_real(w, o, "imbalance", imbalance > 0, imbalance, 10000);
	set(w, o, "members", members);
	return o;
}

static json_t *
groups(struct writer *w, const struct node *n, const struct counter *c)
{
	json_t *o = json_object();

	for (uint32_t g = 0; g < n->conf->n_groups; g++) {
		struct counter mine[NHG_MEMBERS_MAX];

		node_group_counters(n, g, c, mine);
		set(w, o, n->conf->group[g].name,
			group(w, n, g, mine, c[n->group[g].choice].packets));
	}
	return o;
}

static json_t *
ecn(struct writer *w, const struct counters *c)
{
	json_t *o = json_object();

	set_count(w, o, "ce_in", c->ce_in);
	set_count(w, o, "ce_marked", c->ce_marked);
	set_count(w, o, "would_mark_not_ect", c->would_mark_not_ect);
	return o;
}

static json_t *
stages(struct writer *w, const struct counters *c)
{
	json_t *o = json_object();

	for (unsigned int s = 0; s < DP_STAGES_N; s++)
		set_real(w, o, dp_stage_name((enum dp_stage)s), c->profile_packets != 0,
			(double)c->stage_tsc[s] / (double)c->profile_packets, 10);
	return o;
}

static json_t *
report(struct writer *w, const struct node *n, const struct report_run *run,
	const struct counters *c, const struct counter *members)
{
	json_t *root = json_object();
	char seed[32];

	/* as hash.seed takes it, and a string: 64 bits are more than a number of JSON holds */
	snprintf(seed, sizeof(seed), "%" PRIu64, conf_seed(n->conf));
	set(w, root, "node", json_string(n->conf->node_name));
	set(w, root, "seed", json_string(seed));
	set_count(w, root, "generation", n->generation);
	set_count(w, root, "virtual_ns", run->virtual_ns);
	set_totals(w, root, n);
	set(w, root, "drops", drops(w, c));
	set(w, root, "punts", punts(w, c));
	set(w, root, "ports", ports(w, n, c));
	set(w, root, "hyperports", hypers(w, n));
	set(w, root, "classes", classes(w, n, c));
	set(w, root, "groups", groups(w, n, members));
	set(w, root, "ecn", ecn(w, c));
	set(w, root, "fabric", report_fabric(w, n, c));
	set(w, root, "flows", report_flows(w, n));
	set(w, root, "qps", report_qps(w, n));
	set_real(w, root, "cycles_per_packet", run->packets != 0,
		(double)run->cycles / (double)run->packets, 10);
	set(w, root, "cycles_per_packet_median",
		run->packets != 0 ? json_integer(run->median) : json_null());
	set(w, root, "stages", stages(w, c));
	return root;
}

struct json_t *
report_object(const struct node *n, const struct report_run *run)
{
	struct writer w = {.ok = true};
	struct counters sum;
	struct counter *members;
	json_t *root;

	since(n, NULL, &sum, &members);
	if (members == NULL)
		return NULL;
	root = report(&w, n, run, &sum, members);
	free(members);
	if (w.ok)
		return root;
	json_decref(root);
	return NULL;
}

int
report_dump(const struct json_t *root, FILE *out)
{
	errno = 0;
	if (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
		fputc('\n', out) != EOF && fflush(out) == 0)
		return 0;
	return errno != 0 ? -errno : -EIO;
}

int
report_json(const struct node *n, const struct report_run *run, FILE *out)
{
	json_t *root = report_object(n, run);
	int rc = root == NULL ? -ENOMEM : report_dump(root, out);

	json_decref(root);
	return rc;
}
