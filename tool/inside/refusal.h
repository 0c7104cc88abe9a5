/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_REFUSAL_H
#define WICK_INSIDE_REFUSAL_H

#include <sys/types.h>

struct error;

/*
 * Whether the agent can be loaded into a process that runs, as far as that can
 * be told without looking at its libraries.  Returns 0 and its memory, open for
 * reading and writing, or a negative errno with a sentence: why not.
 */
int refusal(pid_t pid, int *ret_memory, struct error *err);

#endif /* WICK_INSIDE_REFUSAL_H */
