/* SPDX-License-Identifier: BSD-3-Clause */
/* How unevenly a group's members are used. */
#ifndef TELE_IMBALANCE_H
#define TELE_IMBALANCE_H

#include "dp/counters.h"
#include "nhg/group.h"

/*
 * The largest ratio, over the members with a weight, of a member's packets to its fair share by
 * weight: max/mean when the weights are equal; 1 is perfect; 0 when there were no packets.
 */
double group_imbalance(const struct nhg_group *g, const struct counter *member);

#endif
