/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of conf_warnings(). */
#ifndef CONF_WARN_DSF_H
#define CONF_WARN_DSF_H

#include "conf/conf.h"

/* Adds a warning for each thing of the cell fabric that is probably not meant. */
void warn_dsf(const struct conf *c, struct conf_errors *w);

#endif
