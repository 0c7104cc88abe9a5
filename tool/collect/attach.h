/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_ATTACH_H
#define WICK_COLLECT_ATTACH_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"

struct error;
struct pid_list;
struct rings;
struct tasks;

/* What is recorded of what was running before. */
struct attachment {
	struct arena arena;
	VEC(pid_t) processes;
	VEC(pid_t) threads;
	VEC(pid_t) unknown; /* see attach_new() */
};

/*
 * Records all threads of a process, of the processes it has started, and all
 * that those start from now on: by events of their own, or if rings is NULL by
 * choosing them among all that is sampled.  Returns 0, -ESRCH if there is no
 * such process, or another negative errno, with a sentence.
 */
int attach_process(struct attachment *a, struct rings *rings,
		   struct tasks *tasks, pid_t pid, struct error *err);

/*
 * Of the processes that a group has now, attaches to those that have joined it:
 * nobody knows them, and did not at the last call either.  In between we would
 * have heard of one that a recorded process has started, and which is recorded
 * already.
 */
void attach_new(struct attachment *a, struct rings *rings, struct tasks *tasks,
		const struct pid_list *group);

void attachment_release(struct attachment *a);

#endif /* WICK_COLLECT_ATTACH_H */
