/* SPDX-License-Identifier: BSD-3-Clause */
/* softbag-replay --topology. */
#ifndef SOFTBAG_REPLAY_LAB_MAIN_H
#define SOFTBAG_REPLAY_LAB_MAIN_H

#include <signal.h>

#include "args.h"

/* The whole run; the exit status. It ends early, and reports, once *interrupted is set. */
int lab_main(const struct args *a, const volatile sig_atomic_t *interrupted);

#endif
