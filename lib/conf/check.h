/* SPDX-License-Identifier: BSD-3-Clause */
/* The last step of a parse: what only the whole file shows. */
#ifndef CONF_CHECK_H
#define CONF_CHECK_H

#include "conf/field.h"

/* Adds an error for each thing amiss across items. Returns 0 or -ENOMEM. */
int check_file(struct decode *d);

/* The part of it that is about what repeats, addresses left out. Returns 0 or -ENOMEM. */
int check_uniques(struct decode *d);

/*
 * The part of it that is about queues: fills in the classes' defaults and what holds for each class
 * at each port, and adds an error for buffers that are too small.
 */
void check_queues(struct decode *d);

/*
 * The part of it that is about hyper ports: fills in what their members come to as one port, and
 * adds an error where a member is used beside it or the timeout is within the skew.
 */
void check_hypers(struct decode *d);

/*
 * The part of it that is about the fabric: fills in what `auto` and a missing key come to, and adds
 * an error where links, cells and destinations do not fit.
 */
void check_dsf(struct decode *d);

#endif
