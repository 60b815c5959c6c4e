/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edit distance with swaps of neighbours (optimal string alignment; Damerau, CACM 7(3), 1964).
 * Serves the messages for unknown keys and unknown names.
 */
#include "conf/nearest.h"

#include <string.h>

#define WORD_MAX 40u /* names end at 31, keys earlier; longer ones resemble nothing */

static unsigned int
min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

static unsigned int
edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int row[3][WORD_MAX + 1]; /* the row before the last, the last, this one */

	for (size_t j = 0; j <= nb; j++)
		row[1][j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		row[2][0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned int swap = a[i - 1] != b[j - 1];

			row[2][j] = min3(row[1][j] + 1, row[2][j - 1] + 1, row[1][j - 1] + swap);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				row[0][j - 2] + 1 < row[2][j])
				row[2][j] = row[0][j - 2] + 1;
		}
		memcpy(row[0], row[1], sizeof(row[0]));
		memcpy(row[1], row[2], sizeof(row[1]));
	}
	return row[1][nb];
}

void
nearest_init(struct nearest *n, const char *word)
{
	size_t len = strlen(word);
	unsigned int allowed = len < 6 ? 1 : (unsigned int)(len / 3);

	*n = (struct nearest){.word = word, .distance = allowed + 1};
}

void
nearest_offer(struct nearest *n, const char *candidate)
{
	size_t na = strlen(n->word), nb = strlen(candidate);
	size_t apart = na > nb ? na - nb : nb - na;
	unsigned int d;

	if (na > WORD_MAX || nb > WORD_MAX || apart >= n->distance)
		return;
	d = edit_distance(n->word, na, candidate, nb);
	if (d < n->distance && d < nb) {
		n->distance = d;
		n->best = candidate;
	}
}
