/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_TASK_H
#define WICK_COLLECT_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/label.h"
#include "profile/profile.h"
#include "unwind/step.h"

struct binaries;
struct record;
struct space;
struct suffix;

enum { COMM_SIZE = 32, TASK_BUCKETS = 4096 };

struct process {
	struct process *next; /* in its bucket */
	pid_t pid;
	unsigned threads; /* that are known */
	struct space *space;
	char name[COMM_SIZE];
	mapping_id anonymous; /* of the profile: code in no file; 0: none yet */
	uint64_t read_time;   /* when /proc was last asked */
};

struct thread {
	struct thread *next;
	pid_t tid;
	struct process *process;
	char name[COMM_SIZE];
	/* What its samples are labelled with, by how their stacks end. */
	labels_id labels[UNWIND_REASONS];
	struct suffix *suffix; /* of its last stack; NULL: none needed */
};

/*
 * The processes and threads there are.  Those that were there before are read
 * from /proc when they are first heard of.
 */
struct tasks {
	struct binaries *binaries;
	struct process *processes[TASK_BUCKETS];
	struct thread *threads[TASK_BUCKETS];
	uint64_t threads_seen;
	uint64_t processes_seen;
	/*
	 * Only processes that were named, and those that they start, are of
	 * interest: others are not made.
	 */
	bool chosen_only;
};

void tasks_release(struct tasks *t);

/*
 * Takes note of a process that runs, with all its threads, or, if fresh, of one
 * that is about to become another program.  False: no memory.
 */
bool tasks_choose(struct tasks *t, pid_t pid, bool fresh);

/* The thread, made if it is not known; NULL: no memory, or not chosen. */
struct thread *tasks_thread(struct tasks *t, pid_t pid, pid_t tid);

/* Whether the process has been heard of. */
bool tasks_know(const struct tasks *t, pid_t pid);

/* The process, made if it is not known; NULL: as above. */
struct process *tasks_process(struct tasks *t, pid_t pid);

/* Takes note of what a record says: mappings, names, beginnings and ends. */
void tasks_note(struct tasks *t, const struct record *r);

/* Reads a process's maps again, but not more often than every second. */
bool tasks_refresh(struct tasks *t, struct process *p, uint64_t now);

#endif /* WICK_COLLECT_TASK_H */
