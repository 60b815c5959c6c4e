/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the workers' flow tables entry by entry. Of each it keeps 32 bytes, sorts those, and reads
 * the records again of the few that are shown, so that a million queue pairs take 40 MB for a
 * moment and not a gigabyte. A flow is one worker's by RSS; if it wanders, each worker has its
 * part, and the parts are added up here.
 */
#include "tele/qp_view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/key_inl.h"

static const char *const order_name[QP_ORDERS_N] = {
	[QP_BY_PACKETS] = "packets",
	[QP_BY_BYTES] = "bytes",
	[QP_BY_CE] = "ce",
	[QP_BY_GAPS] = "gaps",
	[QP_BY_REORDERS] = "reorders",
	[QP_BY_NAKS] = "naks",
};

const char *
qp_order_name(enum qp_order by)
{
	return order_name[by];
}

bool
qp_order_by_name(const char *word, enum qp_order *ret_by)
{
	for (unsigned int k = 0; k < QP_ORDERS_N; k++) {
		if (strcmp(word, order_name[k]) == 0) {
			*ret_by = (enum qp_order)k;
			return true;
		}
	}
	return false;
}

uint64_t
qp_lost(const struct qp_stats *s)
{
	return s->request.lost + s->response.lost;
}

uint64_t
qp_reordered(const struct qp_stats *s)
{
	return s->request.reordered + s->response.reordered;
}

uint64_t
qp_repeated(const struct qp_stats *s)
{
	return s->request.repeated + s->response.repeated;
}

uint64_t
qp_naks(const struct qp_stats *s)
{
	return s->nak_sequence + s->nak_rnr + s->nak_other;
}

static uint64_t
figure(const struct qp_stats *s, enum qp_order by)
{
	switch (by) {
	case QP_BY_BYTES:
		return s->bytes;
	case QP_BY_CE:
		return s->ce_in + s->ce_set;
	case QP_BY_GAPS:
		return qp_lost(s);
	case QP_BY_REORDERS:
		return qp_reordered(s);
	case QP_BY_NAKS:
		return qp_naks(s);
	default:
		return s->packets;
	}
}

/* A record of one worker. */
struct ref {
	uint64_t key;    /* a hash of its key: equal for the parts of one flow */
	uint64_t figure; /* that it is sorted by; of the first part: of all */
	uint32_t qp;     /* among equals the lowest first */
	uint32_t idx;
	uint16_t worker;
	uint16_t n_parts; /* it and those that follow it; 0: not the first of its flow */
};

/* FNV-1a over the key: who wants two flows to be one row of a table is welcome. */
static uint64_t
hash_key(const struct flow_key *key)
{
	const uint8_t *byte = (const uint8_t *)key;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*key); i++)
		h = (h ^ byte[i]) * UINT64_C(0x100000001b3);
	return h;
}

static int
by_key(const void *pa, const void *pb)
{
	const struct ref *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->worker < b->worker ? -1 : a->worker > b->worker;
}

/* By figure, the largest first. */
static int
by_figure(const void *pa, const void *pb)
{
	const struct ref *a = *(const struct ref *const *)pa, *b = *(const struct ref *const *)pb;

	if (a->figure != b->figure)
		return a->figure > b->figure ? -1 : 1;
	if (a->qp != b->qp)
		return a->qp < b->qp ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

bool
qp_view_is_on(const struct node *n)
{
	return n->snapshot != NULL && (n->snapshot->flows & DP_FLOWS_QP);
}

static size_t
slots(const struct node *n)
{
	size_t sum = 0;

	for (unsigned int w = 0; w < n->n_workers; w++)
		sum += n->worker[w]->flow == NULL ? 0 : flow_table_slots(n->worker[w]->flow);
	return sum;
}

/* A RoCE entry: its key and what is known of it. `copy` is room for a record. */
static bool
read_one(const struct worker *w, uint32_t idx, struct flow_qp *copy, struct flow_key *ret_key,
	struct qp_stats *ret_stats)
{
	struct flow f;

	if (!flow_table_read(w->flow, idx, &f, copy) || !(f.kind & FLOW_KEY_ROCE))
		return false;
	flow_key_of_entry(&f, ret_key);
	qp_read(copy, ret_stats);
	return true;
}

static size_t
collect(const struct node *n, enum qp_order by, struct flow_qp *copy, struct ref *ref,
	struct qp_view *v)
{
	struct qp_stats stats;
	struct flow_key key;
	size_t n_refs = 0;

	for (unsigned int w = 0; w < n->n_workers; w++) {
		const struct worker *worker = n->worker[w];

		for (uint32_t i = 0; worker->flow != NULL && i < flow_table_slots(worker->flow);
			i++) {
			if (!read_one(worker, i, copy, &key, &stats))
				continue;
			qp_stats_add(&v->live, &stats);
			ref[n_refs++] = (struct ref){
				.key = hash_key(&key),
				.figure = figure(&stats, by),
				.qp = key.l4,
				.idx = i,
				.worker = (uint16_t)w,
			};
		}
		if (worker->flow != NULL)
			qp_stats_add(&v->gone, &worker->qp_gone);
	}
	return n_refs;
}

/* Sorts by flow; the first part of each gets the sum. Returns how many flows there are. */
static size_t
join(struct ref *ref, size_t n_refs, struct ref **first)
{
	size_t n = 0;

	qsort(ref, n_refs, sizeof(*ref), by_key);
	for (size_t i = 0; i < n_refs; i++) {
		if (i == 0 || ref[i].key != ref[i - 1].key)
			first[n++] = &ref[i];
		else
			first[n - 1]->figure += ref[i].figure;
		first[n - 1]->n_parts++;
	}
	qsort(first, n, sizeof(*first), by_figure);
	return n;
}

static bool
fill_row(const struct node *n, const struct ref *ref, struct flow_qp *copy, struct qp_row *row)
{
	struct qp_stats stats;
	struct flow_key key;

	memset(row, 0, sizeof(*row));
	for (unsigned int p = 0; p < ref->n_parts; p++) {
		if (!read_one(n->worker[ref[p].worker], ref[p].idx, copy, &key, &stats) ||
			hash_key(&key) != ref->key)
			continue; /* it went meanwhile */
		row->key = key;
		qp_stats_add(&row->stats, &stats);
		row->n_workers++;
	}
	return row->n_workers != 0;
}

int
qp_view_create(const struct node *n, enum qp_order by, size_t max, struct qp_view *ret_view)
{
	size_t n_slots = slots(n), n_refs;
	struct ref *ref = calloc(n_slots + 1, sizeof(*ref));
	struct ref **first = calloc(n_slots + 1, sizeof(*first));
	struct qp_row *row = calloc(max + 1, sizeof(*row));
	struct flow_qp *copy = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*copy));
	struct qp_view v = {.row = row};
	bool ok = ref != NULL && first != NULL && row != NULL && copy != NULL;

	if (ok) {
		n_refs = collect(n, by, copy, ref, &v);
		v.n_qps = join(ref, n_refs, first);
		for (size_t i = 0; i < v.n_qps && v.n_rows < max && first[i]->figure != 0; i++)
			v.n_rows += fill_row(n, first[i], copy, &row[v.n_rows]);
		*ret_view = v;
	} else {
		free(row);
	}
	free(copy);
	free(first);
	free(ref);
	return ok ? 0 : -ENOMEM;
}

void
qp_view_fini(struct qp_view *v)
{
	free(v->row);
	v->row = NULL;
	v->n_rows = 0;
}

void
qp_addrs(const struct flow_key *key, char *src, char *dst)
{
	bool ip6 = key->kind & FLOW_KEY_IP6;
	int family = ip6 ? AF_INET6 : AF_INET;

	inet_ntop(family, key->addrs, src, INET6_ADDRSTRLEN);
	inet_ntop(family, key->addrs + (ip6 ? 16 : 4), dst, INET6_ADDRSTRLEN);
}
