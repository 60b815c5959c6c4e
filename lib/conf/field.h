/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Field tables: what keys a mapping has, and each key's type, range, default and meaning. They
 * drive parsing, defaults, unknown keys and docs/config.md alike, so these cannot disagree.
 */
#ifndef CONF_FIELD_H
#define CONF_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/path.h"
#include "conf/value.h"

enum field_type {
	/* One text. */
	FIELD_INT,    /* an unsigned integer of `size` bytes; words stand for values */
	FIELD_BOOL,   /* bool */
	FIELD_ENUM,   /* an enum or integer of `size` bytes; one of words */
	FIELD_AMOUNT, /* an integer of `size` bytes, in units of `scale`; words stand for values */
	FIELD_NAME,   /* char[CONF_NAME_MAX] */
	FIELD_STRING, /* char *, on the heap */
	FIELD_MAC,    /* uint8_t[6] */
	FIELD_ADDR,   /* struct conf_addr */
	FIELD_IFADDR, /* struct conf_addr */
	FIELD_PREFIX, /* struct conf_addr */
	FIELD_PORT,   /* uint16_t, index of the port so named */
	FIELD_GROUP,  /* uint32_t, index of the group so named */
	FIELD_DEVICE, /* uint16_t, index of the device of the DSF so named */
	FIELD_DSCP,   /* one item of DSCPS */
	FIELD_END,    /* struct topo_end, `node.port` of a topology */
	/* A list of texts that is a set; an integer of `size` bytes. */
	FIELD_FLAGS, /* bits of words; those of `must` have to be there */
	FIELD_DSCPS, /* bit n: DSCP n */
	/* More of the tree. */
	FIELD_MAP,    /* the struct at offset, by `item`; or one of words, that on_word() takes */
	FIELD_LIST,   /* an array on the heap, by `item` or `element`; min..max of them */
	FIELD_PLACED, /* a list by `item`, each of which place() puts where it belongs */
};

struct field_word {
	const char *word;
	uint64_t value;
	const char *refused; /* NULL, or why not: the word is known and not supported */
};

struct schema;
struct decode;

struct field {
	const char *key;
	enum field_type type;
	enum amount amount;  /* AMOUNT */
	const char *refused; /* NULL, or what is wanted instead: the key is known, not here */
	bool required;
	bool live;      /* a running node takes a change of it (conf/diff.h) */
	bool elsewhere; /* what it says is in other fields, too: not dumped, not compared */
	bool has;       /* a bool at has_offset says that the key is there */
	bool pow2;      /* INT: a power of two */
	bool hex;       /* INT: 0x and hex digits */
	bool or_one;    /* DSCPS: one item without a list, too */
	bool or_hyper;  /* PORT: a hyper port, too, as n_ports + its index */
	uint8_t size;   /* bytes of the integer; 0: checked and not stored */
	size_t offset;  /* in the struct that the table describes */
	size_t has_offset;
	uint64_t min, max, def;         /* AMOUNT: in base units, also for def */
	uint64_t scale;                 /* AMOUNT: base units in what is stored; 0 is 1 */
	const struct field_word *words; /* up to a NULL word */
	uint64_t must;

	void (*on_word)(void *out, uint64_t value); /* MAP: `out` is its struct, at its defaults */

	bool with_defaults; /* MAP: those of its table hold without it, too */
	/* MAP: a list in its place stands for this key of its table, which is FLAGS */
	const char *list_is;

	const struct schema *item;   /* MAP, PLACED; LIST of mappings */
	const struct field *element; /* LIST of texts */
	size_t n_offset, item_size;  /* LIST: the size_t count; also PLACED: bytes of one */
	size_t pos_offset;           /* LIST: struct conf_pos * beside it, when `with_pos` */
	bool with_pos;
	/* PLACED: puts the item that stood at `map` into the struct at `out`. */
	void (*place)(
		struct decode *d, uint32_t map, const struct path *p, const void *item, void *out);
	/* The way back: item i, up to f->max, of those in the struct at `in`; false: there is none.
	 */
	bool (*placed)(const void *in, size_t i, void *ret_item);
	size_t n_none; /* PLACED: bytes at offset that start as 0xff */
	bool whole;    /* PLACED: a dump has all items, once one is said; `placed` fills in any */
	bool ordered;  /* LIST: its order means something */

	const char *def_text; /* for the reference, when `def` does not say it */
	const char *help;
};

struct topo;

/* A parse on its way. */
struct decode {
	struct tree *tree;
	struct conf_errors *errors;
	struct conf *conf;       /* what a node's file becomes: ports and groups are named in it */
	struct topo *topo;       /* what a topology becomes: nodes are named in it */
	uint32_t *group_by_name; /* sorted; NULL until the first look */
	int rc;                  /* -ENOMEM sticks here */
};

struct schema {
	const struct field *field;
	size_t n;
	const char *title; /* in the reference */
	size_t pos_offset; /* struct conf_pos of an item, when `with_pos` */
	bool with_pos;
	bool check_open; /* check() is right of a mapping that was read in part, too */
	bool part;       /* a part of the struct around it: always there */
	/* Items of a list that are the same one, in two files; NULL: those at the same place. */
	int (*order)(const void *a, const void *b);
	/* True when nothing of a mapping is live, for what it says. */
	bool (*fixed)(const void *in);
	/* How a dump writes a key: "": not at all; NULL: by its field. */
	const char *(*text)(const void *in, const char *key);
	/* What no single field can say; runs after all of them. */
	void (*check)(struct decode *d, uint32_t map, const struct path *p, void *out);
};

/* The whole file: into struct conf. */
extern const struct schema schema_file;

/* Fills in the defaults of a table. */
void schema_defaults(const struct schema *s, void *out);

/*
 * Reads the mapping `map` into the zeroed struct at `out`; adds an error for each thing amiss and
 * goes on. `p` is NULL for the file itself.
 */
void schema_decode(
	struct decode *d, const struct schema *s, uint32_t map, const struct path *p, void *out);

/* Reads one text of type f->type into `out`; false after an error. MAP: one of its words, a
 * uint64_t. */
bool scalar_decode(
	struct decode *d, const struct field *f, uint32_t idx, const struct path *p, void *out);

/* Reads a set (FLAGS, DSCPS) into an integer at `out`. */
void set_decode(
	struct decode *d, const struct field *f, uint32_t list, const struct path *p, void *out);

/* True when the node is a list of f->min..f->max items; else adds an error. */
bool list_check(struct decode *d, const struct field *f, uint32_t list, const struct path *p);

/* Adds `path: got <what stands at idx>, want <f's type> (hint)`. */
void field_error(struct decode *d, const struct field *f, uint32_t idx, const struct path *p,
	const struct hint *h);

/* Describes what a field wants, for messages and for the reference. Returns `buf`. */
#define FIELD_WANT_LEN 192u
const char *field_want(const struct field *f, char buf[FIELD_WANT_LEN]);

/* Writes an integer of 1, 2, 4 or 8 bytes; 0 bytes: nothing. */
void field_store(void *out, uint8_t size, uint64_t value);

/* Index by name, or -1; `len` may not be that of a NUL-terminated text's. */
int ref_port(const struct decode *d, const char *name, bool or_hyper);
int ref_group(struct decode *d, const char *name);
int ref_device(const struct decode *d, const char *name);
/* The nearest name of the kind of f (FIELD_PORT, FIELD_GROUP, FIELD_DEVICE), or NULL. */
const char *ref_nearest(const struct decode *d, const struct field *f, const char *name);
/* Reads `node.port` into the struct topo_end at `out`; the node is one of d->topo. */
int ref_end(const struct decode *d, uint32_t idx, void *out, struct hint *h);

#endif
