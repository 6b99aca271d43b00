/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Was a signal meant for us alone, or for our whole process group? The kernel does not
 * tell the receiver. The program is in our group, so a signal for the group has reached
 * it already and must not be handed on, while one for us alone must be. A witness
 * process in the same group tells: what it received as well was for all.
 */
#ifndef TW_WITNESS_H
#define TW_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct tw_witness {
	pid_t pid;
	int line; /* -1: no witness; every signal counts as ours alone */
};

/* Forks the witness for these signals, which must be blocked. Never fails. */
void tw_witness_fork(struct tw_witness *witness, const sigset_t *signals);

/* Did the witness receive this signal as well, from the same sender? */
bool tw_witness_saw(struct tw_witness *witness, const siginfo_t *info);

/* Ends the witness. */
void tw_witness_end(struct tw_witness *witness);

#endif
