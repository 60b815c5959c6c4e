/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables for people: columns as wide as their widest cell, numbers to the right with thousands
 * separated, two spaces between. Cells are collected first, so that every row fits. Control thread.
 */
#ifndef TELE_TABLE_H
#define TELE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 16u
#define TABLE_CELL_MAX    96u

struct table;

/*
 * `columns`: titles separated by '|'; a title that starts with '>' is right-aligned
 * ("port|>packets"). NULL when memory runs out; every other call takes NULL and does nothing.
 */
struct table *table_create(const char *columns);
void table_free(struct table *t);

/* Fills the next cell of the row; after the last column the next row begins. Longer text is cut,
 * and then ends in `...`. */
void table_text(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_count(struct table *t, uint64_t n); /* 1,234,567 */

void table_print(const struct table *t, FILE *out);
size_t table_rows(const struct table *t);

/* 1234567 as "1,234,567"; `buf` holds at least 32 bytes; returns it. */
const char *table_thousands(uint64_t n, char *buf);

#endif
