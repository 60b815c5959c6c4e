/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of ways out (dp/fabric.h): ports, hyper ports, and destinations in the fabric. Inside
 * lib/tele only. */
#ifndef TELE_WAY_H
#define TELE_WAY_H

#include "ctl/fabric.h"

#define WAY_TEXT_LEN (CONF_NAME_MAX + 32u)

/* Where the way leads in the fabric; NULL: it is a port or hyper port. */
const struct fabric_dest *way_dest(const struct node *n, uint16_t way);

/* What the file calls a device, or NULL: it does not list it. */
const char *device_name(const struct node *n, uint16_t id);

/* These fill `buf`, of WAY_TEXT_LEN, and return it. */
const char *device_text(const struct node *n, uint16_t id, char *buf); /* `far`, or `7` */
const char *system_text(uint16_t system_port, char *buf);              /* `router`, or `4` */
const char *way_text(const struct node *n, uint16_t way, char *buf);   /* `device far, port 4` */

/* The port or hyper port of that name, or -1. */
int way_by_name(const struct node *n, const char *name);

#endif
