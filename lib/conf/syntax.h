/* SPDX-License-Identifier: BSD-3-Clause */
/* libyaml's complaints in the house's words. */
#ifndef CONF_SYNTAX_H
#define CONF_SYNTAX_H

#include <stddef.h>

#include <yaml.h>

#include "conf/errors.h"

/*
 * Adds one error for what a parser stopped at; `s` is its input. Returns -EINVAL, or -ENOMEM when
 * it ran out of memory.
 */
int syntax_error(const yaml_parser_t *p, const char *s, size_t len, struct conf_errors *e);

#endif
