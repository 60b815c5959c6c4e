/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology: nodes, the wires between their ports, what comes in, and what happens when. Read as a
 * node's file is (conf.h): typed, every error of the file and of the nodes' files in one run, whole
 * or not at all. Paths in it are relative to its folder. Control thread.
 */
#ifndef CONF_TOPO_H
#define CONF_TOPO_H

#include "conf/conf.h"

#define TOPO_NODES_MAX  1000u
#define TOPO_WIRES_MAX  20000u
#define TOPO_INPUTS_MAX 4096u
#define TOPO_EVENTS_MAX 100000u

/* A port, `node.port`. Node names have no dot, so the first one parts the two. */
struct topo_end {
	struct conf_pos pos;
	char port[CONF_NAME_MAX];
	uint16_t node_idx;
	uint16_t port_idx; /* of the node's configuration */
};

struct topo_node {
	struct conf_pos pos;
	char name[CONF_NAME_MAX];
	char *config;      /* as the file says */
	char *path;        /* relative to where we are */
	struct conf *conf; /* its own, also when two nodes name one file */
};

struct topo_wire {
	struct conf_pos pos;
	struct topo_end from, to; /* it carries both ways alike */
	uint64_t rate_bps;        /* bits on the wire a second: preamble, FCS and gap too */
	uint64_t delay_ns;        /* one way */
	uint64_t jitter_ns;       /* added at most, by chance; frames keep their order */
	uint64_t loss;            /* of 10^9 */
};

struct topo_input {
	struct conf_pos pos;
	struct topo_end port; /* has no wire */
	char *capture, *path;
	uint64_t rate_bps; /* 0: as captured; the same for all inputs of a port */
};

enum topo_event_kind {
	TOPO_DOWN, /* in the order of topo_event.end */
	TOPO_UP,
	TOPO_DRAIN, /* of a fabric link: the node and its neighbour stop using it */
	TOPO_UNDRAIN,
};

#define TOPO_EVENT_KINDS 4u

struct topo_event {
	struct conf_pos pos;
	uint64_t at_ns;
	enum topo_event_kind kind;
	uint32_t wire_idx;
	struct topo_end end[TOPO_EVENT_KINDS]; /* as read; that of `kind` is there */
};

struct topo {
	char *file;
	uint64_t seed;
	struct topo_node *node;
	size_t n_nodes;
	struct topo_wire *wire;
	size_t n_wires;
	struct topo_input *input;
	size_t n_inputs;
	struct topo_event *event; /* by time, then as the file has them */
	size_t n_events;
	const struct topo_source *source; /* while it is read */
	struct topo_errors *errors;
};

/* Where nodes' configurations come from; conf_load() for all but tests. */
struct topo_source {
	int (*load)(void *ctx, const char *path, struct conf **ret_conf,
		struct conf_errors *ret_errors);
	void *ctx;
};

struct topo_errors {
	struct conf_errors own; /* of the topology itself */
	struct {
		char *path;
		struct conf_errors errors;
	} * file; /* of configurations that are wrong, each once */
	size_t n_files;
};

/*
 * Reads the topology and all configurations that it names. Returns 0 and *ret_topo; or -EINVAL, or
 * -errno from the file system, with errors. `ret_errors` is always set: free it with
 * topo_errors_fini(). `source` NULL: files.
 */
int topo_load(const char *file, struct topo **ret_topo, struct topo_errors *ret_errors);
int topo_parse(const char *file, const char *yaml, size_t len, const struct topo_source *source,
	struct topo **ret_topo, struct topo_errors *ret_errors);
void topo_free(struct topo *t); /* takes NULL */

void topo_errors_fini(struct topo_errors *e);
/* As conf_errors_print(), the topology's own first. */
void topo_errors_print(const struct topo_errors *e, const char *file, FILE *out);

#endif
