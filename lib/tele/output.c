/* SPDX-License-Identifier: BSD-3-Clause */
/* The last look at standard output before a program ends. */
#include "tele/output.h"

#include <errno.h>

bool
output_is_lost(FILE *out)
{
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return false;
	/* the error may be an old one, and its number forgotten: asks again with a line's end */
	clearerr(out);
	if (fputc('\n', out) != EOF && fflush(out) == 0)
		return true;
	return errno != EPIPE && errno != EBADF;
}
