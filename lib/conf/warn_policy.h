/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of conf_warnings(). */
#ifndef CONF_WARN_POLICY_H
#define CONF_WARN_POLICY_H

#include "conf/conf.h"

/* Adds a warning for each policy of a group that will probably do something else than is meant. */
void warn_policy(const struct conf *c, const struct conf_group *g, struct conf_errors *w);

#endif
