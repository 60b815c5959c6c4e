/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters since a baseline. Inside lib/tele only. */
#ifndef TELE_SINCE_H
#define TELE_SINCE_H

#include "tele/show.h"

/* The sum of the workers minus the baseline; *ret_member is the caller's to free(), or NULL. */
void since(const struct node *n, const struct show_base *base, struct counters *ret_sum,
	struct counter **ret_member);

/* The same of a class of a port. */
struct queue_count since_queue(
	const struct node *n, const struct show_base *base, size_t port, unsigned int class);

/* Name of a class: the configuration's, or its number. */
const char *class_name(const struct node *n, unsigned int k, char *buf, size_t size);

/* All drops, all punts. */
uint64_t sum_drops(const struct counters *c);
uint64_t sum_punts(const struct counters *c);
uint64_t sum_ports(const struct counter *port);

#endif
