/* SPDX-License-Identifier: MIT */
/* See attach.h. */
#include "collect/attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "collect/cgroup.h"
#include "collect/rings.h"
#include "collect/task.h"
#include "symbolize/procfs.h"

static bool has(const pid_t *at, uint32_t count, pid_t pid)
{
	for (uint32_t i = 0; i < count; i++)
		if (at[i] == pid)
			return true;
	return false;
}

static int no_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "out of memory");
}

static int add_process(struct attachment *a, pid_t pid, struct error *err)
{
	pid_t *row;

	if (has(a->processes.at, a->processes.count, pid))
		return 0;
	row = VEC_PUSH(&a->processes, &a->arena);
	if (!row)
		return no_memory(err);
	*row = pid;
	return 0;
}

/* The processes that a thread has started and that are there. */
static int add_children(struct attachment *a, pid_t pid, pid_t tid,
			struct error *err)
{
	char path[64];
	struct span text;
	int r = 0;

	fmt_text(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	if (procfs_read(path, &a->arena, &text) < 0 || !text.len)
		return 0;

	const char *at = arena_text(&a->arena, (const char *)text.at, text.len);
	char *end;

	while (at && r == 0) {
		pid_t child = (pid_t)strtol(at, &end, 10);

		if (end == at)
			break;
		r = add_process(a, child, err);
		at = end;
	}
	return r;
}

static int add_thread(struct attachment *a, struct rings *rings, pid_t pid,
		      pid_t tid, struct error *err)
{
	pid_t *row = VEC_PUSH(&a->threads, &a->arena);
	int r;

	if (!row)
		return no_memory(err);
	*row = tid;
	r = rings ? rings_add(rings, tid, err) : 0;
	if (r == -ESRCH)
		return 0;
	return r < 0 ? r : add_children(a, pid, tid, err);
}

/* Adds the threads that are not known; returns how many, or an error. */
static int add_threads(struct attachment *a, struct rings *rings, pid_t pid,
		       struct error *err)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;
	int added = 0;
	int r = 0;

	fmt_text(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return error_set(err, -ESRCH, "there is no process %d", pid);
	while (r == 0 && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0 || has(a->threads.at, a->threads.count, tid))
			continue;
		added++;
		r = add_thread(a, rings, pid, tid, err);
	}
	closedir(tasks);
	return r < 0 ? r : added;
}

int attach_process(struct attachment *a, struct rings *rings,
		   struct tasks *tasks, pid_t pid, struct error *err)
{
	uint32_t first = a->processes.count;
	int r = add_process(a, pid, err);

	for (uint32_t i = first; i < a->processes.count && r == 0; i++) {
		/* Threads may start others while we look: until none is new. */
		do
			r = add_threads(a, rings, a->processes.at[i], err);
		while (r > 0);
		if (r == -ESRCH && i > first)
			r = 0; /* a child that has just ended */
		if (r == 0 && !rings &&
		    !tasks_choose(tasks, a->processes.at[i], false))
			r = no_memory(err);
	}
	return r;
}

void attach_new(struct attachment *a, struct rings *rings, struct tasks *tasks,
		const struct pid_list *group)
{
	uint32_t before = a->unknown.count;

	if (!VEC_RESERVE(&a->unknown, &a->arena, group->pids.count))
		return;
	for (uint32_t i = 0; i < group->pids.count; i++) {
		pid_t pid = group->pids.at[i];

		if (tasks_know(tasks, pid) ||
		    has(a->processes.at, a->processes.count, pid))
			continue;
		/* Who has ended meanwhile is not recorded. */
		if (has(a->unknown.at, before, pid))
			(void)attach_process(a, rings, tasks, pid, NULL);
		else
			a->unknown.at[a->unknown.count++] = pid;
	}
	/* Only the new ones are for the next time. */
	memmove(a->unknown.at, a->unknown.at + before,
		(a->unknown.count - before) * sizeof(pid_t));
	a->unknown.count -= before;
}

void attachment_release(struct attachment *a)
{
	arena_release(&a->arena);
}
