/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration of one node as a checked tree: what the YAML said, with every name resolved to
 * an index, every unit to base units, every default filled in. It knows nothing of running state.
 *
 * A tree comes whole or not at all: conf_load() reports every error of the file in one run and
 * returns nothing if there was one. The field tables in conf/schema.c drive parse, range, default
 * and docs/config.md.
 */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "conf/conf_dsf.h"
#include "conf/conf_qos.h"

#define CONF_PORTS_MAX         128u /* ports of one node; DPDK devices of a process are fewer (32) */
#define CONF_CLASSES           8u   /* 802.1Q priorities */
#define CONF_HYPERS_MAX        16u
#define CONF_HYPER_MEMBERS_MAX 8u
#define CONF_DSCPS             64u
#define CONF_MEMBERS_MAX       128u
#define CONF_GROUPS_MAX        32000u

struct conf_addr {
	uint8_t family;     /* AF_INET, AF_INET6; 0: none */
	uint8_t prefix_len; /* 32 or 128 for a plain address */
	uint8_t byte[16];   /* network order */
};

enum conf_role {
	CONF_ROLE_NSF,
	CONF_ROLE_LONGHAUL,
	CONF_ROLE_DSF, /* carries cells; the others carry IP */
};

enum conf_idle {
	CONF_IDLE_POLL,
	CONF_IDLE_ADAPTIVE,
};

struct conf_port {
	char name[CONF_NAME_MAX];
	struct conf_pos pos;
	char *device; /* DPDK device: PCI address or vdev string */
	enum conf_role role;
	bool has_mac;
	uint8_t mac[6];
	bool promiscuous;
	uint16_t mtu;      /* bytes behind the Ethernet header (IP packet, cell), 1280..9600 */
	uint64_t pace_pps; /* packets a second taken from the device at most; 0: as they come */
	struct conf_addr *address;
	struct conf_pos *address_pos;
	size_t n_addresses;

	uint64_t rate_bps;   /* bits a second; 0: no shaper. DSF: weighs the link; 0: not said */
	bool rate_l2;        /* counts frames with FCS; default: preamble and gap, too (20 bytes) */
	uint64_t distance_m; /* metres of fibre, one way; 0: not said */
	bool delay_emulate;  /* the delay line is the fibre */
	uint64_t delay_ns;   /* of the delay line at the way out; 0: none */
	struct conf_ecn ecn; /* what the port says for all classes */
	struct conf_ecn class_ecn[CONF_CLASSES]; /* what holds for the class at this port */
	struct conf_pfc pfc;
	struct conf_impair impair_in, impair_out;
	uint8_t dscp_class[CONF_DSCPS];   /* of what comes in; 0xff: the node's classes decide */
	uint8_t dscp_rewrite[CONF_DSCPS]; /* of what goes out; 0xff: it stays */
	uint16_t hyper; /* 1 + index of the hyper port it is a member of; 0: none */
};

/* Several long lines that are one port, in order. Its name is a port's to groups. */
struct conf_hyper {
	char name[CONF_NAME_MAX];
	struct conf_pos pos;
	uint16_t *member;    /* port indexes; each is a member of one hyper port */
	size_t n_members;    /* 2..CONF_HYPER_MEMBERS_MAX */
	uint32_t window;     /* packets that may overtake one, a power of two; default 4096 */
	uint64_t timeout_ns; /* that one is waited for; default 5 ms */
	bool require_all;    /* it is up only while all members are; default true */
	uint16_t ethertype;  /* 0x0600..0xffff; default 0x88b6 */
	/*
	 * What its members are together, as one port: the sum of their rates, curves and pauses;
	 * the least MTU less the header. Of the delay, jitter and the like, which stay theirs,
	 * none.
	 */
	struct conf_port as_port;
};

struct conf_class {
	bool present; /* the file names it; else it carries no packets but by default rules */
	char name[CONF_NAME_MAX];
	struct conf_pos pos;
	uint64_t dscps; /* bit n: DSCP n goes to this class */
	uint64_t limit; /* bytes that may wait at one port; default 16 MB, lossless 32 MB */
	bool has_limit; /* the file says so; lossy classes without share the buffers of one */
	bool lossless;
	bool strict;   /* before all DWRR classes, the higher number first; default: 6 and 7 */
	uint32_t dwrr; /* weight, 1..255; default 1; of a strict class 0 */
	struct conf_ecn ecn; /* at ports that say nothing themselves */
};

/* A way out: by a port to a neighbour, or through the fabric to a device. */
struct conf_member {
	struct conf_pos pos;
	uint16_t port_idx;    /* n_ports + index: a hyper port; UINT16_MAX: by device */
	uint16_t device_idx;  /* in dsf.device; UINT16_MAX: by port */
	uint16_t system_port; /* of the device; 0: its router */
	uint32_t weight;      /* 0..65535; default 1 */
	struct conf_addr via; /* family 0: none */
	bool has_mac;
	uint8_t mac[6]; /* of the neighbour, or of the host behind the system port */
};

enum conf_policy {
	CONF_POLICY_ECMP,
	CONF_POLICY_FLOWLET,
	CONF_POLICY_SPRAY,
	CONF_POLICY_ADAPTIVE,
};

enum conf_per {
	CONF_PER_PACKET,
	CONF_PER_FLOWLET,
};

/* As enum nhg_spray_if. */
enum conf_spray_if {
	CONF_SPRAY_AR_BIT,
	CONF_SPRAY_WRITE,
	CONF_SPRAY_ANY,
};

struct conf_group {
	char name[CONF_NAME_MAX];
	struct conf_pos pos;
	enum conf_policy policy;
	enum conf_spray_if spray_if; /* policies per packet; default ar_bit */
	enum conf_per per;           /* adaptive; default packet */
	uint64_t gap_ns;             /* of flowlets; default 50 us */
	uint8_t hash_fields;         /* CONF_HASH_* */
	bool has_hash_seed;
	uint64_t hash_seed; /* else the node's */
	bool vxlan_inner;   /* of VXLAN, the hash takes the inner flow too */
	uint64_t rotate_ns; /* 0: the seed of marked packets stays */
	uint32_t buckets;   /* power of two, 64..32768; default 512 */
	struct conf_member *member;
	size_t n_members;
};

enum {
	CONF_HASH_5TUPLE = 1u << 0,
	CONF_HASH_DEST_QP = 1u << 1,
	CONF_HASH_FLOW_LABEL = 1u << 2,
};

/* The table of flows of a worker; there is one where something needs it. */
struct conf_flows {
	uint32_t max;    /* power of two, 64..4194304; default 16384 */
	uint64_t age_ns; /* 100 ms .. 1 h; default 30 s */
	bool qp_view;
};

struct conf_route {
	struct conf_pos pos;
	struct conf_addr prefix; /* host bits are 0 */
	uint32_t group_idx;
};

struct conf_worker {
	struct conf_pos pos;
	uint16_t lcore;
	uint16_t *rx; /* port indexes; a port that several workers list has a queue for each */
	size_t n_rx;
};

struct conf {
	char *file; /* as given to conf_load() */

	struct conf_pos node_pos, runtime_pos; /* line 0: the file has no such section */
	char node_name[CONF_NAME_MAX];
	uint16_t node_id; /* 1..65534 */

	int main_lcore; /* -1: the first CPU we may use */
	struct conf_worker *worker;
	size_t n_workers; /* 0: one for each other lcore */
	uint64_t memory;  /* bytes; default 512 MB */
	uint32_t mbufs;   /* 0: auto */
	enum conf_idle idle;
	uint32_t burst; /* packets a poll takes at most, 1..64; default 64 */
	char **eal;     /* passed to the EAL as they stand */
	size_t n_eal;

	struct conf_port *port;
	size_t n_ports;
	struct conf_hyper *hyper; /* behind the ports where ways out are numbered */
	size_t n_hypers;
	struct conf_class class_[CONF_CLASSES];
	struct conf_dsf dsf;
	struct conf_group *group;
	size_t n_groups;
	struct conf_route *route;
	size_t n_routes;

	struct conf_flows flows;

	bool has_hash_seed;
	uint64_t hash_seed; /* else derived from node_id */
};

/*
 * What a file got wrong, in the order of its lines. Messages end in no newline and read
 * `path: got X, want Y`; the printed form puts `file:line:col: ` before them.
 */
struct conf_error {
	struct conf_pos pos;
	char *text;
};

struct conf_errors {
	struct conf_error *error;
	size_t n;
	size_t n_left_out; /* past CONF_ERRORS_MAX */
};

#define CONF_ERRORS_MAX 100u /* more than anybody mends in one go */

/*
 * Limits on a file, so that a hostile one costs bounded time and memory. A million routes with
 * both names are about 50 MB.
 */
#define CONF_FILE_MAX  (64u << 20)
#define CONF_NODES_MAX (8u << 20)
#define CONF_DEPTH_MAX 16u

/*
 * Reads and checks a file (or, with conf_parse(), `len` bytes that are called `file`). Returns 0
 * and *ret_conf; or -EINVAL with the errors; or -errno from the file system, also with one error
 * that says so. `ret_errors` is always set: free it with conf_errors_fini(). Control thread.
 */
int conf_load(const char *file, struct conf **ret_conf, struct conf_errors *ret_errors);
int conf_parse(const char *file, const char *yaml, size_t len, struct conf **ret_conf,
	struct conf_errors *ret_errors);
void conf_free(struct conf *c); /* takes NULL */

void conf_errors_fini(struct conf_errors *e);
/* One line an error: `file:line:col: text`, then how many were left out. */
void conf_errors_print(const struct conf_errors *e, const char *file, FILE *out);

/*
 * Things that are allowed and probably not meant, in the same shape (for `--check`): a group that
 * no route uses, a port that no worker polls, a member with a via and no MAC, a route that no
 * packet can take, and the like.
 */
int conf_warnings(const struct conf *c, struct conf_errors *ret_warnings);

/* Two nodes of one path that hash alike (polarisation). Adds a warning for each such pair. */
int conf_warn_equal_seeds(const struct conf *const *c, size_t n, struct conf_errors *ret_warnings);

/* The seed that the node's groups hash with: hash.seed, or from the id. */
uint64_t conf_seed(const struct conf *c);
/* A group's own, or the node's. */
uint64_t conf_group_seed(const struct conf *c, const struct conf_group *g);

/* Packets of a flow keep their member until a gap; packets that may be reordered go one by one. */
static inline bool
conf_group_flowlets(const struct conf_group *g)
{
	return g->policy == CONF_POLICY_FLOWLET ||
	       (g->policy == CONF_POLICY_ADAPTIVE && g->per == CONF_PER_FLOWLET);
}

static inline bool
conf_group_sprays(const struct conf_group *g)
{
	return g->policy == CONF_POLICY_SPRAY ||
	       (g->policy == CONF_POLICY_ADAPTIVE && g->per == CONF_PER_PACKET);
}

/*
 * Writes what the figures of queues are and how they come about, for `--check --explain`: a block
 * for each port with a rate, a distance, a delay, ECN or PFC, one for the fabric, then the classes.
 * Returns 0, or -EIO.
 */
int conf_explain(const struct conf *c, FILE *out);

/* Writes docs/config.md's reference tables (Markdown) from the field tables. */
void conf_schema_markdown(FILE *out);

/* Index of a name, or -1. */
int conf_port_by_name(const struct conf *c, const char *name);
int conf_group_by_name(const struct conf *c, const char *name);
int conf_device_by_name(const struct conf *c, const char *name);

/* `nsf`, `longhaul`, `dsf`. */
const char *conf_role_name(enum conf_role role);

#endif
