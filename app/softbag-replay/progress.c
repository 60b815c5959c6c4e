/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a long run. run.c calls it each turn. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "tele/table.h"

void
progress_init(struct progress *p, uint64_t tsc, uint64_t hz, uint64_t total, double seconds)
{
	*p = (struct progress){
		.hz = hz,
		.start_tsc = tsc,
		.last_tsc = tsc,
		/* a log wants no line of a run that is over at once; a person waits less gladly */
		.next_tsc = tsc + (isatty(STDERR_FILENO) ? 1 : 2) * hz,
		.total = total,
		.seconds = seconds,
	};
}

void
progress_print(struct progress *p, uint64_t tsc, uint64_t packets)
{
	double passed = (double)(tsc - p->start_tsc) / (double)p->hz;
	double since = (double)(tsc - p->last_tsc) / (double)p->hz;
	double part =
		p->total == UINT64_MAX ? passed / p->seconds : (double)packets / (double)p->total;
	char count[32];

	fprintf(stderr, "replay: %s packets, %.0f %%, %.2f Mpps\n", table_thousands(packets, count),
		100 * (part > 1 ? 1 : part), (double)(packets - p->last_packets) / since / 1e6);
	p->last_packets = packets;
	p->last_tsc = tsc;
	p->next_tsc = tsc + p->hz;
}
