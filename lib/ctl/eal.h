/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The EAL, hidden behind `runtime:` of the configuration. Process-wide by DPDK's nature: once per
 * program, before any node. Control thread.
 */
#ifndef CTL_EAL_H
#define CTL_EAL_H

#include "conf/conf.h"
#include "ctl/node.h"

#define EAL_ARGS_MAX 192u /* 64 of runtime.eal, two for each of 32 PCI ports, and ours */
#define EAL_ARG_LEN  512u /* a list of 128 lcores, a vdev string with its paths */

struct eal_args {
	int argc;
	char *argv[EAL_ARGS_MAX + 1];
	char text[EAL_ARGS_MAX][EAL_ARG_LEN];
	bool hugepages;
};

/* What the machine offers; an input, so that the choice can be tested. */
struct eal_machine {
	uint64_t huge_free; /* bytes in free hugepages of any size */
	unsigned int n_cpus;
	uint16_t cpu[128]; /* that this process may use, ascending */
};

void eal_machine_read(struct eal_machine *ret_machine);

/*
 * The EAL's command line for a configuration: lcores, memory (hugepages when enough are free, plain
 * memory otherwise: said in the log), PCI only for ports that need it, and runtime.eal behind all
 * of it; what that says of lcores or memory stands in place of ours. `replay`: one lcore, no PCI.
 * -EINVAL with a sentence when a listed lcore is not ours to use; -E2BIG with one for too many
 * arguments or one too long.
 */
int eal_args_make(const struct conf *c, const struct eal_machine *machine, bool replay,
	const struct node_log *log, struct eal_args *ret_args);

/* rte_eal_init(); on failure one sentence that says what cures it. */
int eal_start(const struct conf *c, bool replay, const struct node_log *log);
/*
 * For a process of `n` nodes in virtual time: memory is the sum of what all ask for, and what their
 * runtime.eal say is not used (noted in the log), since the EAL takes one word for all.
 */
int eal_start_many(const struct conf *const *c, size_t n, const struct node_log *log);
void eal_stop(void);

#endif
