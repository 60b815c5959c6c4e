/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a configuration says of queues: marking, pause, impairments. Parts of conf.h's struct
 * conf_port and struct conf_class, in base units and with every `auto` computed (conf/headroom.h).
 */
#ifndef CONF_CONF_QOS_H
#define CONF_CONF_QOS_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/pos.h"

enum conf_ecn_mode {
	CONF_ECN_OFF,
	CONF_ECN_RED,
	CONF_ECN_PHANTOM,
};

/* RED's curve: never below kmin bytes, linear to pmax at kmax, always above. */
struct conf_curve {
	uint64_t kmin, kmax; /* bytes; kmax 0: no curve */
	uint32_t pmax_ppm;
};

struct conf_ecn {
	struct conf_pos pos; /* line 0: the file does not say */
	enum conf_ecn_mode mode;
	bool is_auto; /* the figures come from rate and distance */
	struct conf_curve mark, drop;
	bool control;      /* ACK, CNP and other control opcodes are marked too; default false */
	bool not_ect_drop; /* what would be marked and is Not-ECT is dropped; default: it passes */
	uint32_t phantom_permille; /* PHANTOM: the virtual queue drains at this much of the rate */
};

enum conf_storm {
	CONF_STORM_OFF,
	CONF_STORM_DROP,
	CONF_STORM_FORWARD,
};

struct conf_pfc {
	struct conf_pos pos; /* line 0: none */
	uint8_t classes;     /* bit n: class n is paused and honours pauses */
	bool hardware;
	bool headroom_auto;
	uint64_t xoff, xon;             /* bytes held, per (ingress port, class) */
	uint64_t headroom;              /* bytes beyond xoff */
	uint16_t quanta;                /* of 512 bit times, sent; default 65535 */
	enum conf_storm storm;          /* what the watchdog does; default drop */
	uint32_t detect_ms, restore_ms; /* 200 each */
};

struct conf_impair {
	struct conf_pos pos;                                        /* line 0: none */
	uint32_t loss_ppb, corrupt_ppb, duplicate_ppb, reorder_ppb; /* of 10^9 packets */
	uint64_t jitter_ns;  /* extra delay, uniform 0..jitter, without reordering */
	uint64_t reorder_ns; /* how long a reordered packet is held back; default 100 us */
	uint64_t seed;       /* default: from the node's id, the port's index and the direction */
};

#endif
