/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's log: lines on standard error. */
#ifndef SOFTBAG_LOG_H
#define SOFTBAG_LOG_H

#include "ctl/node.h"

struct node_log log_stderr(void);

#endif
