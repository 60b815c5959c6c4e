/* SPDX-License-Identifier: BSD-3-Clause */
/* What a group's policy and hash are, in words. */
#ifndef TELE_POLICY_TEXT_H
#define TELE_POLICY_TEXT_H

#include "ctl/node.h"

#define POLICY_TEXT_LEN 128u

/* `spray`: the word of the configuration. */
const char *policy_name(const struct conf_group *g);
/* `ar_bit`, or NULL: packets do not go one by one. */
const char *policy_spray_if(const struct conf_group *g);

/* `adaptive per flowlet, gap 50us`. Returns `buf`. */
const char *policy_text(const struct conf_group *g, char buf[POLICY_TEXT_LEN]);

/* `5tuple, dest_qp, inner of VXLAN, seed 7, another each 1s for marked packets`. Returns `buf`. */
const char *policy_hash_text(const struct conf_group *g, char buf[POLICY_TEXT_LEN]);

#endif
