/* SPDX-License-Identifier: BSD-3-Clause */
/* The last step of a parse: what only the whole file shows. */
#ifndef CONF_CHECK_H
#define CONF_CHECK_H

#include "conf/field.h"

/* Adds an error for each thing amiss across items. Returns 0 or -ENOMEM. */
int check_file(struct decode *d);

#endif
