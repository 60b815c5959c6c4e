/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DSF side of a node: made from the configuration, taken apart again. fabric_live.c does what
 * there is to do while it runs.
 */
#include "ctl/fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "base/rng.h"
#include "conf/fabric.h"
#include "ctl/build.h"
#include "ctl/egress.h"
#include "ctl/ports.h"
#include "ctl/say.h"
#include "wire/eth.h"

static bool
has_fabric(const struct conf *c)
{
	return conf_dsf_links(c) != 0;
}

static int
by_device(const void *a, const void *b)
{
	const struct fabric_dest *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->system_port > y->system_port) - (x->system_port < y->system_port);
}

static struct fabric_dest
dest_of(const struct conf *c, const struct conf_member *m)
{
	return (struct fabric_dest){c->dsf.device[m->device_idx].id, m->system_port};
}

/* Of all groups, sorted, each once; room for all members. */
static uint16_t
collect_dests(const struct conf *c, struct fabric_dest *dest)
{
	size_t n = 0, kept = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		for (size_t i = 0; i < c->group[g].n_members; i++)
			if (c->group[g].member[i].device_idx != UINT16_MAX)
				dest[n++] = dest_of(c, &c->group[g].member[i]);
	qsort(dest, n, sizeof(*dest), by_device);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || by_device(&dest[i], &dest[kept - 1]) != 0)
			dest[kept++] = dest[i];
	return (uint16_t)RTE_MIN(kept, (size_t)UINT16_MAX);
}

static size_t
n_members(const struct conf *c)
{
	size_t n = 0;

	for (size_t g = 0; g < c->n_groups; g++)
		n += c->group[g].n_members;
	return n;
}

int
fabric_plan(struct node *n)
{
	const struct conf *c = n->conf;
	struct node_fabric *f;

	if (!has_fabric(c))
		return 0;
	f = n->fabric = build_zalloc(1, sizeof(*f));
	if (f == NULL)
		return node_say_no_memory(&n->env.log);
	f->dest = calloc(n_members(c) + 1, sizeof(*f->dest));
	if (f->dest == NULL)
		return node_say_no_memory(&n->env.log);
	f->dp.n_dests = collect_dests(c, f->dest);
	f->dp.dest = f->dest;
	if (f->dp.n_dests <= FABRIC_DESTS_MAX && n->n_outs + f->dp.n_dests <= ALIVE_BITS)
		return 0;
	node_say(&n->env.log, NODE_ERROR,
		"%u destinations in the fabric are more than a node has (%u).", f->dp.n_dests,
		FABRIC_DESTS_MAX);
	return -E2BIG;
}

uint16_t
fabric_n_ways(const struct node *n)
{
	return (uint16_t)(n->n_outs + (n->fabric == NULL ? 0 : n->fabric->dp.n_dests));
}

uint16_t
fabric_way(const struct node *n, const struct conf *c, const struct conf_member *m)
{
	struct fabric_dest d = dest_of(c, m);

	return (uint16_t)(n->n_outs +
			  (unsigned int)fabric_dest_find(&n->fabric->dp, d.device, d.system_port));
}

bool
fabric_has_way(const struct node *n, const struct conf *c, const struct conf_member *m)
{
	struct fabric_dest d = dest_of(c, m);

	return fabric_dest_find(&n->fabric->dp, d.device, d.system_port) >= 0;
}

uint16_t
fabric_mtu(const struct conf *c)
{
	uint32_t frame = (uint32_t)c->dsf.cell_size * CELL_FRAGMENTS_MAX;

	/* two tags; an MTU of 9600 is the largest of any port */
	return (uint16_t)RTE_MIN(frame - ETH_HDR_LEN - ETH_TAGS_MAX * ETH_TAG_LEN, 9600u);
}

int
fabric_link(const struct node *n, uint16_t port_idx)
{
	for (uint16_t l = 0; n->fabric != NULL && l < n->fabric->dp.n_links; l++)
		if (n->fabric->dp.link[l] == port_idx)
			return l;
	return -1;
}

static int
create_ring(uint32_t n, unsigned int flags, struct rte_ring **ret_ring)
{
	struct rte_ring *r = build_zalloc(1, (size_t)rte_ring_get_memsize(n));
	int rc;

	if (r == NULL)
		return -ENOMEM;
	rc = rte_ring_init(r, "fabric", n, flags);
	if (rc != 0)
		free(r);
	else
		*ret_ring = r;
	return rc;
}

static int
create_rings(struct node *n, unsigned int n_workers)
{
	struct dp_fabric *f = &n->fabric->dp;
	int rc = create_ring(FABRIC_RING, RING_F_SC_DEQ, &f->to_control);

	if (rc == 0)
		rc = create_ring(FABRIC_RING, RING_F_SP_ENQ | RING_F_SC_DEQ, &f->from_control);
	f->handoff = calloc(n_workers, sizeof(*f->handoff));
	if (f->handoff == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; rc == 0 && i < n_workers; i++)
		rc = create_ring(FABRIC_RING, RING_F_SC_DEQ, &f->handoff[i]);
	return rc;
}

/* Cells that may wait in links, in their devices, and for other workers. */
static uint64_t
cells_out(const struct conf *c, unsigned int n_workers)
{
	return conf_dsf_links(c) * (FABRIC_LINK_CELLS + n_workers * (WORKER_TX_MAX + PORTS_DESC));
}

uint32_t
fabric_voq_packets(const struct conf *c)
{
	uint32_t mtu = 1500;

	if (!has_fabric(c))
		return 0;
	for (size_t p = 0; p < c->n_ports; p++)
		if (c->port[p].role != CONF_ROLE_DSF)
			mtu = RTE_MAX(mtu, c->port[p].mtu);
	/* two full VOQs, whatever their number: then senders have been told to stop */
	return (uint32_t)RTE_MIN(
		2 * c->dsf.voq_limit / (mtu * 3u / 4) + 1, (uint64_t)UINT32_MAX / 2);
}

uint64_t
fabric_mbufs(const struct conf *c, unsigned int n_workers)
{
	if (!has_fabric(c))
		return 0;
	return fabric_voq_packets(c) +
	       (uint64_t)n_workers * (c->dsf.reassembly_cells + FABRIC_RING) + 2 * FABRIC_RING +
	       cells_out(c, n_workers);
}

static struct reasm_config
reasm_config(const struct conf *c)
{
	return (struct reasm_config){
		.n_streams = FABRIC_STREAMS,
		/* each a cell at least; and what a burst makes ready before it is taken */
		.n_packets = RTE_MIN(
			c->dsf.reassembly_cells + 2 * BURST_MAX, (uint32_t)REASM_PACKETS_MAX),
		.n_cells = c->dsf.reassembly_cells,
		.window = c->dsf.reassembly_window,
		.timeout_ps = c->dsf.reassembly_timeout_ns * PS_PER_NS,
		.socket = SOCKET_ID_ANY,
	};
}

/*
 * Two mbufs a cell: its header, and a view of the packet. A burst of long packets takes and frees
 * hundreds: with half the cache 256-byte cells cost two to three times the cycles.
 */
#define SMALL_CACHE RTE_MEMPOOL_CACHE_MAX_SIZE

/* Mbufs for the headers of cells, and views. */
static uint64_t
small_mbufs(const struct conf *c, unsigned int n_workers)
{
	return 2 * cells_out(c, n_workers) + n_workers * 2 * SMALL_CACHE;
}

/* What a worker has of its own. */
static uint64_t
worker_bytes(const struct conf *c)
{
	struct reasm_config r = reasm_config(c);
	uint64_t dest = sizeof(struct worker_tx) +
			DP_CLASSES * (sizeof(struct voq) + sizeof(struct voq_count));

	return sizeof(struct worker_fabric) + reasm_bytes(&r) + n_members(c) * dest;
}

uint64_t
fabric_bytes(const struct conf *c, unsigned int n_workers)
{
	const uint64_t small = sizeof(struct rte_mbuf) + CUT_SMALL_LEN + 3 * RTE_CACHE_LINE_SIZE;

	if (!has_fabric(c))
		return 0;
	return sizeof(struct node_fabric) + sizeof(struct fabric_table) * 2 +
	       small_mbufs(c, n_workers) * small +
	       reach_bytes((uint16_t)conf_dsf_links(c), FABRIC_DEVICES_MAX) +
	       (c->dsf.n_system_ports + 1) * credit_memory(FABRIC_STREAMS) +
	       n_workers * worker_bytes(c);
}

static int
create_small(struct node *n)
{
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "cell-%s", n->tag);
	n->fabric->small =
		rte_pktmbuf_pool_create(name, (unsigned int)small_mbufs(n->conf, n->n_placed),
			SMALL_CACHE, 0, CUT_SMALL_LEN, SOCKET_ID_ANY);
	if (n->fabric->small != NULL)
		return 0;
	node_say(&n->env.log, NODE_ERROR,
		"buffers for the headers of cells cannot be had (%s); give runtime.memory more.",
		rte_strerror(rte_errno));
	return -ENOMEM;
}

static int
by_number(const void *a, const void *b)
{
	const struct fabric_system *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* The router and the ports that the file names; workers take them in turns. */
static int
create_systems(struct node *n)
{
	const struct conf_dsf *d = &n->conf->dsf;
	struct dp_fabric *f = &n->fabric->dp;

	f->system = calloc(d->n_system_ports + 1, sizeof(*f->system));
	if (f->system == NULL)
		return -ENOMEM;
	f->n_systems = (uint16_t)(d->n_system_ports + 1);
	for (size_t i = 0; i < d->n_system_ports; i++)
		f->system[i + 1] = (struct fabric_system){
			.number = d->system_port[i].number,
			.port_idx = d->system_port[i].port_idx,
			.mtu = n->port[d->system_port[i].port_idx]->mtu,
		};
	qsort(f->system + 1, d->n_system_ports, sizeof(*f->system), by_number);
	for (uint16_t s = 0; s < f->n_systems; s++) {
		f->system[s].worker = (uint16_t)(s % n->n_placed);
		if (members_take(n, &f->system[s].counter) != 0)
			return -ENOMEM;
		fabric_set_rate(n, s);
	}
	return 0;
}

static int
create_cut(struct node *n)
{
	const struct conf_dsf *d = &n->conf->dsf;
	struct cut_spec spec = {
		.small = n->fabric->small,
		.pool = n->pool,
		.cell_size = d->cell_size,
		.device = d->device_id,
		.ethertype = d->ethertype,
	};

	for (uint16_t l = 0; l < n->fabric->dp.n_links; l++)
		spec.one_segment |= n->port[n->fabric->dp.link[l]]->one_segment;
	return cut_init(&n->fabric->dp.cut, &spec);
}

static int
create_reach(struct node *n)
{
	struct node_fabric *f = n->fabric;
	const struct conf_dsf *d = &n->conf->dsf;
	uint64_t rate[FABRIC_LINKS_MAX];
	struct reach_config config = {
		.device = d->device_id,
		.transit = d->transit,
		.interval_ps = d->reach_interval_ns * PS_PER_NS,
		.missed = 3,
		.min_links_join = d->min_links_join,
		.min_links_remain = d->min_links_remain,
		.n_links = f->dp.n_links,
		.port_idx = f->dp.link,
		.rate_bps = rate,
		.n_devices = FABRIC_DEVICES_MAX,
		.seed = conf_seed(n->conf),
	};

	if (n->env.replay && !n->env.wired)
		return 0;
	for (uint16_t l = 0; l < f->dp.n_links; l++)
		rate[l] = conf_link_bps(&n->conf->port[f->dp.link[l]]);
	return reach_create(&config, 0, &f->reach);
}

static void
fill_shared(struct node *n)
{
	const struct conf_dsf *d = &n->conf->dsf;
	struct dp_fabric *f = &n->fabric->dp;

	f->device = d->device_id;
	f->ethertype = d->ethertype;
	f->push = d->scheduling == CONF_SCHEDULING_PUSH;
	f->transit = d->transit;
	f->watchdog_ps = d->credit_watchdog_ns * PS_PER_NS;
	for (uint16_t p = 0; p < n->n_ports; p++)
		if (n->conf->port[p].role == CONF_ROLE_DSF)
			f->link[f->n_links++] = p;
	f->in_port_idx = f->link[0];
}

int
fabric_create(struct node *n)
{
	int rc;

	if (n->fabric == NULL)
		return 0;
	fill_shared(n);
	n->shared.fabric = &n->fabric->dp;
	rc = create_small(n);
	if (rc != 0)
		return rc;
	rc = create_rings(n, n->n_placed);
	if (rc == 0)
		rc = create_systems(n);
	if (rc == 0)
		rc = create_cut(n);
	if (rc == 0)
		rc = create_reach(n);
	if (rc == -ENOMEM)
		return node_say_no_memory(&n->env.log);
	if (rc != 0)
		node_say(
			&n->env.log, NODE_ERROR, "the fabric cannot be set up: %s.", strerror(-rc));
	return rc;
}

static int
attach_credit(struct node *n, struct worker *w, uint16_t s)
{
	const struct conf_dsf *d = &n->conf->dsf;
	const struct fabric_system *system = &n->fabric->dp.system[s];
	struct credit_config config = {
		.rate_bps = system->rate_bps,
		.speedup_permille = d->speedup_permille,
		.credit_bytes = d->credit_bytes,
		.n_voqs = FABRIC_STREAMS,
		.strict = 0,
		.socket = SOCKET_ID_ANY,
	};

	if (system->worker != w->idx)
		return 0;
	for (unsigned int c = 0; c < DP_CLASSES; c++)
		config.strict |= (uint8_t)(n->conf->class_[c].strict << c);
	return credit_create(&config, 0, &w->fabric->credit[s]);
}

/*
 * The seed of a node is the same in each of its lives; sessions and packet ids are not, or the far
 * end would take a node that comes back for one that never went. What differs is when it began.
 */
static void
attach_voqs(struct node *n, struct worker *w)
{
	const struct dp_fabric *f = &n->fabric->dp;
	struct rng r;

	rng_init(&r, rng_next(&w->rng) ^ clock_now(&n->env.clock));
	for (unsigned int v = 0; v < f->n_dests * DP_CLASSES; v++)
		voq_init(&w->fabric->voq[v], (uint32_t)rng_next(&r), (uint32_t)rng_next(&r),
			n->conf->dsf.credit_bytes, f->push, 0);
}

int
fabric_attach(struct node *n, struct worker *w)
{
	const struct dp_fabric *f = n->fabric == NULL ? NULL : &n->fabric->dp;
	struct worker_fabric *wf;
	struct reasm_config config = reasm_config(n->conf);
	int rc;

	if (f == NULL)
		return 0;
	wf = w->fabric = build_zalloc(1, sizeof(*wf));
	if (wf == NULL)
		return node_say_no_memory(&n->env.log);
	wf->voq = calloc(f->n_dests * DP_CLASSES + 1u, sizeof(*wf->voq));
	wf->count = calloc(f->n_dests * DP_CLASSES + 1u, sizeof(*wf->count));
	wf->credit = calloc(f->n_systems, sizeof(struct credit *));
	wf->rate_bps = calloc(f->n_systems, sizeof(*wf->rate_bps));
	wf->handoff = calloc(n->n_placed, sizeof(*wf->handoff));
	if (wf->voq == NULL || wf->count == NULL || wf->credit == NULL || wf->rate_bps == NULL ||
		wf->handoff == NULL)
		return node_say_no_memory(&n->env.log);
	attach_voqs(n, w);
	config.drop = w->counters->drop;
	config.seed = rng_next(&w->rng);
	rc = reasm_create(&config, &wf->reasm);
	for (uint16_t s = 0; rc == 0 && s < f->n_systems; s++)
		rc = attach_credit(n, w, s);
	if (rc != 0)
		node_say(&n->env.log, NODE_ERROR, "the fabric of a worker cannot be set up: %s.",
			strerror(-rc));
	for (uint16_t q = 0; rc == 0 && q < w->n_rxq; q++)
		w->rxq[q].special = w->rxq[q].cells = fabric_link(n, w->rxq[q].port_idx) >= 0;
	return rc;
}

static void
detach(struct node *n, struct worker *w)
{
	struct worker_fabric *wf = w->fabric;

	if (wf == NULL)
		return;
	for (uint16_t s = 0; wf->credit != NULL && s < n->fabric->dp.n_systems; s++)
		credit_free(wf->credit[s]);
	reasm_free(wf->reasm);
	free(wf->handoff);
	free(wf->rate_bps);
	free(wf->credit);
	free(wf->count);
	free(wf->voq);
	free(wf);
	w->fabric = NULL;
}

static void
free_ring(struct rte_ring *r)
{
	void *m;

	while (r != NULL && rte_ring_dequeue(r, &m) == 0)
		rte_pktmbuf_free(m);
	free(r);
}

void
fabric_free(struct node *n)
{
	struct node_fabric *f = n->fabric;

	if (f == NULL)
		return;
	for (unsigned int i = 0; i < n->n_workers; i++)
		detach(n, n->worker[i]);
	free_ring(f->dp.to_control);
	free_ring(f->dp.from_control);
	for (unsigned int i = 0; f->dp.handoff != NULL && i < n->n_placed; i++)
		free_ring(f->dp.handoff[i]);
	reach_free(f->reach);
	free(f->dp.handoff);
	free(f->dp.system);
	free(f->dest);
	fabric_table_free(f->table);
	rte_mempool_free(f->small);
	free(f);
	n->fabric = NULL;
}
