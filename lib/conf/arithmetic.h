/* SPDX-License-Identifier: BSD-3-Clause */
/* headroom.c's arithmetic in words, for check_queue.c's errors and explain.c. */
#ifndef CONF_ARITHMETIC_H
#define CONF_ARITHMETIC_H

#include "conf/headroom.h"

#define ARITHMETIC_LEN 320u

/* `80km x 5 ns/m`, with a fixed delay `80km x 5 ns/m + 5ms`; `0` without either. Returns `buf`. */
const char *arithmetic_way(const struct conf_port *p, char buf[ARITHMETIC_LEN]);

/* `2 x 80km x 5 ns/m x 100Gbit/s`: what is on the line, both ways. Returns `buf`. */
const char *arithmetic_flight(const struct conf_port *p, char buf[ARITHMETIC_LEN]);

/* What a port may hold of a class, term by term, one line of text. Returns `buf`. */
const char *arithmetic_pfc(const struct conf_port *p, char buf[ARITHMETIC_LEN]);

#endif
