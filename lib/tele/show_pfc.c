/* SPDX-License-Identifier: BSD-3-Clause */
/* Priority pause: who does it, what is held, what was said and heard. */
#include <errno.h>

#include "conf/hyper.h"
#include "tele/since.h"
#include "tele/table.h"
#include "tele/waiting.h"
#include "tele/way.h"

static uint64_t
held(const struct egress_commons *m, unsigned int class)
{
	int64_t bytes = qos_xoff_held(&m->xoff[class]);

	/* a worker may have sent what another has not charged yet */
	return bytes < 0 ? 0 : (uint64_t)bytes;
}

/* Frames are counted at every port; what is done about them is the policy's. */
static void
port_row(struct table *t, const struct node *n, size_t port)
{
	const struct conf_pfc *f = &conf_out(n->conf, port)->pfc;
	const struct egress_commons *m = &n->shared.commons[port];
	char classes[20], paused[20], storm[20];

	table_text(t, "%s", conf_out(n->conf, port)->name);
	table_text(t, "%s", classes_text(f->classes, classes, sizeof(classes)));
	table_text(t, "%s",
		f->classes == 0 ? "nobody: frames are dropped"
		: f->hardware   ? "the NIC: its own counters tell"
				: "softbag");
	table_text(t, "%s", classes_text(waiting_paused(n, port), paused, sizeof(paused)));
	table_count(t, counter_read(&m->pfc_in));
	table_count(t, counter_read(&m->pfc_out));
	table_text(t, "%s", classes_text(qos_storm_mask(&m->storm), storm, sizeof(storm)));
	table_count(t, counter_read(&m->storm.n_detected));
	table_count(t, counter_read(&m->storm.n_restored));
}

static void
class_row(struct table *t, const struct node *n, size_t port, unsigned int class)
{
	const struct conf_pfc *f = &conf_out(n->conf, port)->pfc;
	const struct egress_commons *m = &n->shared.commons[port];
	char name[CONF_NAME_MAX];

	table_text(t, "%s", conf_out(n->conf, port)->name);
	table_text(t, "%u", class);
	table_text(t, "%s", class_name(n, class, name, sizeof(name)));
	table_count(t, f->xon);
	table_count(t, f->xoff);
	table_count(t, f->headroom);
	table_count(t, held(m, class));
	table_text(
		t, "%s", __atomic_load_n(&m->xoff[class].off, __ATOMIC_RELAXED) ? "stop" : "go on");
}

/* Only what softbag does itself can be told by class. */
static void
class_table(const struct node *n, int only, FILE *out)
{
	struct table *t = table_create("port|>class|name|>xon|>xoff|>headroom|>bytes held|told to");

	for (size_t p = 0; p < n->n_outs; p++)
		for (unsigned int c = 0; c < DP_CLASSES; c++)
			if ((only < 0 || p == (size_t)only) && (n->policy[p].pfc >> c & 1))
				class_row(t, n, p, c);
	if (table_rows(t) != 0) {
		fputc('\n', out);
		table_print(t, out);
	}
	table_free(t);
}

int
show_pfc(const struct node *n, const char *port, FILE *out)
{
	int only = port == NULL ? -1 : way_by_name(n, port);
	struct table *t;

	if (port != NULL && only < 0)
		return -ENOENT;
	t = table_create("port|classes|done by|paused now|>frames in|>frames out|storm in|>storms|"
			 ">restored");
	for (size_t p = 0; p < n->n_outs; p++)
		if (only < 0 ? conf_out(n->conf, p)->pfc.classes != 0 ||
					counter_read(&n->shared.commons[p].pfc_in) != 0
			     : p == (size_t)only)
			port_row(t, n, p);
	if (table_rows(t) == 0)
		fputs("No port has pfc, and no pause frame came in.\n", out);
	else
		table_print(t, out);
	table_free(t);
	class_table(n, only, out);
	return 0;
}
