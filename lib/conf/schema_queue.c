/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of queues: marking, pause, impairments, DSCPs, schedulers. Parts of schema_port.c's. */
#include "conf/queue_item.h"
#include "conf/schema.h"

#define BYTES_MAX  UINT64_C(1000000000000) /* 1 TB: runtime.memory's */
#define ALL        UINT64_C(1000000000)    /* a part of 100 % */
#define PPM        1000u                   /* in parts of 10^9 */
#define PERMILLE   1000000u
#define MS         UINT64_C(1000000)
#define JITTER_MAX (1000 * MS) /* as the delay's */

#define BY_MODE "computed by `auto` and `phantom`, else required"

/* A curve: kmin, kmax and pmax of a struct `st` at `in`. */
#define CURVE_FIELDS(st, in, must, otherwise, verb)                                                \
	{.key = "kmin",                                                                            \
		.live = true,                                                                      \
		AMOUNT(SIZE),                                                                      \
		.required = (must),                                                                \
		.def_text = (otherwise),                                                           \
		AS_INT(st, in kmin),                                                               \
		.max = BYTES_MAX,                                                                  \
		.help = "Backlog of a class below which none are " verb "."},                      \
		{.key = "kmax",                                                                    \
			.live = true,                                                              \
			AMOUNT(SIZE),                                                              \
			.required = (must),                                                        \
			.def_text = (otherwise),                                                   \
			AS_INT(st, in kmax),                                                       \
			.min = 1,                                                                  \
			.max = BYTES_MAX,                                                          \
			.help = "Backlog above which all are " verb "."},                          \
	{                                                                                          \
		.key = "pmax", .live = true, AMOUNT(PART), .required = (must),                     \
		.def_text = (otherwise), AS_INT(st, in pmax_ppm), .min = PPM, .max = ALL,          \
		.scale = PPM,                                                                      \
		.help = "The part of them that are " verb                                          \
			" as the backlog reaches kmax; between kmin and kmax it grows in "         \
			"proportion."                                                              \
	}

static const struct field drop_fields[] = {CURVE_FIELDS(conf_curve, , true, NULL, "dropped")};

static const struct schema schema_drop = {
	TABLE(drop_fields), .title = "ecn.drop", .check = curve_check};

static const struct field_word mode_words[] = {
	{.word = "red", .value = CONF_ECN_RED},
	{.word = "auto", .value = CONF_ECN_RED},
	{.word = "phantom", .value = CONF_ECN_PHANTOM},
	{.word = "off", .value = CONF_ECN_OFF},
	{0},
};

static const struct field_word not_ect_words[] = {
	{.word = "pass", .value = false}, {.word = "drop", .value = true}, {0}};

static const struct field ecn_fields[] = {
	{.key = "mode",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_ecn, mode),
		.words = mode_words,
		.def = CONF_ECN_RED,
		.def_text = "red",
		.help = "RED by the backlog with the figures given here; `auto`: RED with figures "
			"from rate and distance; `phantom`: by a virtual queue that drains slower "
			"than the rate, so that the real one stays short; `off`."},
	CURVE_FIELDS(conf_ecn, mark., false, BY_MODE, "marked"),
	{.key = "drop",
		.live = true,
		.type = FIELD_MAP,
		AT(conf_ecn, drop),
		.item = &schema_drop,
		.help = "A second curve, by which packets are dropped. Not in lossless classes."},
	{.key = "control",
		.live = true,
		.type = FIELD_BOOL,
		AT(conf_ecn, control),
		.help = "Mark ACK, CNP and other control packets of RoCE, too."},
	{.key = "not_ect",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_ecn, not_ect_drop),
		.words = not_ect_words,
		.help = "What happens to a packet that would be marked and says that its ends know "
			"no ECN. Lossless classes always let it pass."},
	{.key = "drain",
		.live = true,
		AMOUNT(PART),
		AS_INT(conf_ecn, phantom_permille),
		.min = 100 * (uint64_t)PERMILLE, /* of 1 Mbit/s: what a queue can drain at */
		.max = ALL,
		.scale = PERMILLE,
		.def = 950 * (uint64_t)PERMILLE,
		.help = "With `phantom`: the part of the rate that its virtual queue drains at."},
};

const struct schema schema_ecn = {
	TABLE(ecn_fields), .title = "ecn", POS(conf_ecn), .check = ecn_check, .text = ecn_text};

const struct field_word ecn_words[] = {
	{.word = "auto", .value = ECN_WORD_AUTO},
	{.word = "phantom", .value = ECN_WORD_PHANTOM},
	{.word = "off", .value = ECN_WORD_OFF},
	{0},
};

static const struct field ecn_of_class_fields[] = {
	{.key = "class",
		.live = true,
		.type = FIELD_INT,
		.required = true,
		AS_INT(class_ecn_item, number),
		.max = CONF_CLASSES - 1,
		.def = CONF_CLASSES,
		.help = "The class's number."},
	{.key = "ecn",
		.live = true,
		.type = FIELD_MAP,
		.required = true,
		AT(class_ecn_item, ecn),
		.words = ecn_words,
		.on_word = ecn_word,
		.item = &schema_ecn,
		.help = "Its marking at this port."},
};

const struct schema schema_ecn_of_class = {
	TABLE(ecn_of_class_fields), .title = "ports[].ecn_by_class[]", .text = class_ecn_text};

static const struct field_word class_words[] = {
	{"0", 1u << 0, NULL},
	{"1", 1u << 1, NULL},
	{"2", 1u << 2, NULL},
	{"3", 1u << 3, NULL},
	{"4", 1u << 4, NULL},
	{"5", 1u << 5, NULL},
	{"6", 1u << 6, NULL},
	{"7", 1u << 7, NULL},
	{0},
};

static const struct field_word auto_words[] = {{.word = "auto", .value = SIZE_AUTO}, {0}};

static const struct field_word pfc_mode_words[] = {
	{.word = "software", .value = false}, {.word = "hardware", .value = true}, {0}};

static const struct field_word storm_words[] = {
	{.word = "drop", .value = CONF_STORM_DROP},
	{.word = "forward", .value = CONF_STORM_FORWARD},
	{.word = "off", .value = CONF_STORM_OFF},
	{0},
};

static const struct field watchdog_fields[] = {
	{.key = "action",
		.live = true,
		.type = FIELD_ENUM,
		AS_INT(conf_pfc, storm),
		.words = storm_words,
		.def = CONF_STORM_DROP,
		.help = "What happens to a class that its neighbour pauses without end: `drop` "
			"empties it, `forward` sends against the pause."},
	{.key = "detect",
		.live = true,
		AMOUNT(TIME),
		AS_INT(conf_pfc, detect_ms),
		.min = MS,
		.max = 60000 * MS,
		.scale = MS,
		.def = 200 * MS,
		.help = "How long a class is paused, with something waiting and nothing sent, "
			"before that is a storm."},
	{.key = "restore",
		.live = true,
		AMOUNT(TIME),
		AS_INT(conf_pfc, restore_ms),
		.min = MS,
		.max = 60000 * MS,
		.scale = MS,
		.def = 200 * MS,
		.help = "How long without a pause ends it."},
};

static const struct schema schema_watchdog = {
	TABLE(watchdog_fields), .title = "ports[].pfc.watchdog"};

static const struct field_word watchdog_words[] = {{.word = "off", .value = CONF_STORM_OFF}, {0}};

static const struct field pfc_fields[] = {
	{.key = "classes",
		.live = true,
		.type = FIELD_FLAGS,
		.required = true,
		AS_INT(conf_pfc, classes),
		.words = class_words,
		.min = 1,
		.max = CONF_CLASSES,
		.help = "The classes that are paused and heed pauses; each is `lossless`."},
	{.key = "headroom",
		.live = true,
		AMOUNT(SIZE),
		AS_INT(conf_pfc, headroom),
		.words = auto_words,
		.max = BYTES_MAX,
		.def = SIZE_AUTO,
		.def_text = "auto",
		.help = "Bytes that may still come in after XOFF, of a class; auto: 2 x distance x "
			"5 ns/m x rate + 2 x (mtu + 38) + 64 + 100 us x rate."},
	{.key = "xoff",
		.live = true,
		AMOUNT(SIZE),
		AS_INT(conf_pfc, xoff),
		.words = auto_words,
		.min = 1,
		.max = BYTES_MAX,
		.def = SIZE_AUTO,
		.def_text = "auto",
		.help = "Bytes held of what came in by this port, of a class, above which its "
			"neighbour is paused; auto: xon and two frames."},
	{.key = "xon",
		.live = true,
		AMOUNT(SIZE),
		AS_INT(conf_pfc, xon),
		.words = auto_words,
		.max = BYTES_MAX,
		.def = SIZE_AUTO,
		.def_text = "auto",
		.help = "Bytes below which it may go on; auto: what the line sends in a round "
			"trip, and two frames, so that the way out has work until more arrives; "
			"100KB at least. Under an xoff that is given: two frames less."},
	{.key = "quanta",
		.live = true,
		.type = FIELD_INT,
		AS_INT(conf_pfc, quanta),
		.min = 1,
		.max = UINT16_MAX,
		.def = UINT16_MAX,
		.help = "How long a pause lasts unless it is renewed, in 512 bit times; with "
			"`mode: "
			"software` 264 at least, and 20 us of the rate."},
	{.key = "mode",
		.type = FIELD_ENUM,
		AS_INT(conf_pfc, hardware),
		.words = pfc_mode_words,
		.help = "Who makes and heeds pauses: softbag, or the NIC."},
	{.key = "watchdog",
		.live = true,
		.type = FIELD_MAP,
		.offset = 0,
		.words = watchdog_words,
		.on_word = watchdog_word,
		.item = &schema_watchdog,
		.with_defaults = true,
		.def_text = "drop, 200ms, 200ms",
		.help = "What ends a storm of pauses."},
};

const struct schema schema_pfc = {
	TABLE(pfc_fields), .title = "ports[].pfc", POS(conf_pfc), .fixed = pfc_fixed};

/* What can happen to a packet in either direction. */
#define IMPAIR_FIELDS(st, in, also)                                                                \
	{.key = "loss",                                                                            \
		.live = true,                                                                      \
		.elsewhere = (also),                                                               \
		AMOUNT(PART),                                                                      \
		AS_INT(st, in loss_ppb),                                                           \
		.max = ALL,                                                                        \
		.help = "Packets that are lost."},                                                 \
		{.key = "corrupt",                                                                 \
			.live = true,                                                              \
			.elsewhere = (also),                                                       \
			AMOUNT(PART),                                                              \
			AS_INT(st, in corrupt_ppb),                                                \
			.max = ALL,                                                                \
			.help = "Packets with a wrong bit."},                                      \
		{.key = "duplicate",                                                               \
			.live = true,                                                              \
			.elsewhere = (also),                                                       \
			AMOUNT(PART),                                                              \
			AS_INT(st, in duplicate_ppb),                                              \
			.max = ALL,                                                                \
			.help = "Packets that come twice."},                                       \
	{                                                                                          \
		.key = "seed", .live = true, .elsewhere = (also), .type = FIELD_INT,               \
		AS_INT(st, in seed), .min = 1, .max = UINT64_MAX,                                  \
		.def_text = "from node.id, the port and the direction",                            \
		.help = "Makes a run repeat."                                                      \
	}

/* What takes the delay line, and so stands at the way out only. */
#define IMPAIR_OUT_FIELDS(st, in, also)                                                            \
	{.key = "jitter",                                                                          \
		.live = true,                                                                      \
		.elsewhere = (also),                                                               \
		AMOUNT(TIME),                                                                      \
		AS_INT(st, in jitter_ns),                                                          \
		.max = JITTER_MAX,                                                                 \
		.help = "Extra delay, by chance from 0 to this, in order."},                       \
		{.key = "reorder",                                                                 \
			.live = true,                                                              \
			.elsewhere = (also),                                                       \
			AMOUNT(PART),                                                              \
			AS_INT(st, in reorder_ppb),                                                \
			.max = ALL,                                                                \
			.help = "Packets that are held back, so that later ones pass them."},      \
	{                                                                                          \
		.key = "reorder_delay", .live = true, .elsewhere = (also), AMOUNT(TIME),           \
		AS_INT(st, in reorder_ns), .min = 1, .max = JITTER_MAX, .def = 100000,             \
		.help = "How long they are held back."                                             \
	}

#define NOT_IN                                                                                     \
	"it under `out`: it takes the delay line, which stands at the way out (impair the "        \
	"neighbour's way out instead)"

static const struct field impair_in_fields[] = {
	IMPAIR_FIELDS(conf_impair, , false),
	{.key = "jitter", .refused = NOT_IN},
	{.key = "reorder", .refused = NOT_IN},
	{.key = "reorder_delay", .refused = NOT_IN},
};

static const struct schema schema_impair_in = {
	TABLE(impair_in_fields), .title = "ports[].impair.in", POS(conf_impair)};

static const struct field impair_out_fields[] = {
	IMPAIR_FIELDS(conf_impair, , false),
	IMPAIR_OUT_FIELDS(conf_impair, , false),
};

static const struct schema schema_impair_out = {
	TABLE(impair_out_fields), .title = "ports[].impair.out", POS(conf_impair)};

static const struct field impair_fields[] = {
	{.key = "in",
		.live = true,
		.type = FIELD_MAP,
		AT(conf_port, impair_in),
		.item = &schema_impair_in,
		.help = "What comes in."},
	{.key = "out",
		.live = true,
		.type = FIELD_MAP,
		AT(conf_port, impair_out),
		.item = &schema_impair_out,
		.help = "What goes out; its keys may also stand here, without it."},
	IMPAIR_FIELDS(conf_port, impair_out., true),
	IMPAIR_OUT_FIELDS(conf_port, impair_out., true),
};

const struct schema schema_impair = {TABLE(impair_fields), .title = "ports[].impair",
	AT_POS(conf_port, impair_out.pos), .part = true, .check = impair_check};

static const struct field dscp_map_fields[] = {
	{.key = "dscp",
		.live = true,
		.type = FIELD_DSCPS,
		.required = true,
		.or_one = true,
		AS_INT(dscp_item, dscps),
		.min = 1,
		.max = CONF_DSCPS,
		.help = "DSCPs of what comes in."},
	{.key = "class",
		.live = true,
		.type = FIELD_INT,
		.required = true,
		AS_INT(dscp_item, to),
		.max = CONF_CLASSES - 1,
		.def = DSCP_NONE,
		.help = "The class that they belong to here, whatever `classes` says."},
};

const struct schema schema_dscp_map = {TABLE(dscp_map_fields), .title = "ports[].dscp_map[]"};

static const struct field dscp_rewrite_fields[] = {
	{.key = "dscp",
		.live = true,
		.type = FIELD_DSCPS,
		.required = true,
		.or_one = true,
		AS_INT(dscp_item, dscps),
		.min = 1,
		.max = CONF_DSCPS,
		.help = "DSCPs of what goes out."},
	{.key = "to",
		.live = true,
		.type = FIELD_INT,
		.required = true,
		AS_INT(dscp_item, to),
		.max = CONF_DSCPS - 1,
		.def = DSCP_NONE,
		.help = "The DSCP that they leave with."},
};

const struct schema schema_dscp_rewrite = {
	TABLE(dscp_rewrite_fields), .title = "ports[].dscp_rewrite[]"};

const struct field_word scheduler_words[] = {{.word = "strict", .value = true}, {0}};

static const struct field scheduler_fields[] = {
	{.key = "dwrr",
		.live = true,
		.type = FIELD_INT,
		.required = true,
		AS_INT(conf_class, dwrr),
		.min = 1,
		.max = 255,
		.help = "The class's part of what the strict ones leave, by proportion."},
};

const struct schema schema_scheduler = {TABLE(scheduler_fields), .title = "classes[].scheduler"};
