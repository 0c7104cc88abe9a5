/* SPDX-License-Identifier: MIT */
/* Processes by the group, or the container, that they are in. */
#ifndef WICK_COLLECT_CGROUP_H
#define WICK_COLLECT_CGROUP_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"

struct error;

/* Process ids; the arena owns them. */
struct pid_list {
	struct arena arena;
	VEC(pid_t) pids;
};

/*
 * Adds the processes of a control group and of the groups in it.  path is its
 * folder, or its name as /proc/PID/cgroup has it.  Returns 0, -ENOENT if there
 * is no such group, -ESRCH if it is empty, or another negative errno, with a
 * sentence.
 */
int cgroup_find(struct pid_list *list, const char *path, struct error *err);

/*
 * Adds the processes of a container by its id, the beginning of that, or its
 * name: those of the control group that is named so, or that the process is in
 * which crun, runc or docker say is its first.  As cgroup_find().
 */
int container_find(struct pid_list *list, const char *name, struct error *err);

#endif /* WICK_COLLECT_CGROUP_H */
