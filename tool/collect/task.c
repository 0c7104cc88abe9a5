/* SPDX-License-Identifier: MIT */
/* See task.h. */
#include "collect/task.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "collect/binary.h"
#include "collect/procfile.h"
#include "collect/record.h"
#include "collect/space.h"
#include "collect/suffix.h"

#define SECOND 1000000000ull

static void free_thread(struct thread *one)
{
	suffix_free(one->suffix);
	free(one);
}

static void free_process(struct process *one)
{
	space_drop(one->space);
	free(one);
}

void tasks_release(struct tasks *t)
{
	for (unsigned i = 0; i < TASK_BUCKETS; i++) {
		while (t->threads[i]) {
			struct thread *one = t->threads[i];

			t->threads[i] = one->next;
			free_thread(one);
		}
		while (t->processes[i]) {
			struct process *one = t->processes[i];

			t->processes[i] = one->next;
			free_process(one);
		}
	}
}

static struct process *find_process(const struct tasks *t, pid_t pid)
{
	struct process *p = t->processes[(unsigned)pid % TASK_BUCKETS];

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

bool tasks_know(const struct tasks *t, pid_t pid)
{
	return find_process(t, pid) != NULL;
}

static struct thread *find_thread(const struct tasks *t, pid_t tid)
{
	struct thread *one = t->threads[(unsigned)tid % TASK_BUCKETS];

	while (one && one->tid != tid)
		one = one->next;
	return one;
}

static struct process *add_process(struct tasks *t, pid_t pid,
				   struct space *space)
{
	struct process **bucket = &t->processes[(unsigned)pid % TASK_BUCKETS];
	struct process *p = calloc(1, sizeof(*p));

	if (!p || !space) {
		free(p);
		space_drop(space);
		return NULL;
	}
	*p = (struct process){ .next = *bucket, .pid = pid, .space = space };
	*bucket = p;
	t->processes_seen++;
	return p;
}

static struct thread *add_thread(struct tasks *t, struct process *p, pid_t tid)
{
	struct thread **bucket = &t->threads[(unsigned)tid % TASK_BUCKETS];
	struct thread *one = calloc(1, sizeof(*one));

	if (!one)
		return NULL;
	*one = (struct thread){ .next = *bucket, .tid = tid, .process = p };
	*bucket = one;
	p->threads++;
	t->threads_seen++;
	return one;
}

static void remove_process(struct tasks *t, struct process *p)
{
	struct process **at = &t->processes[(unsigned)p->pid % TASK_BUCKETS];

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	free_process(p);
}

static void remove_thread(struct tasks *t, struct thread *one)
{
	struct thread **at = &t->threads[(unsigned)one->tid % TASK_BUCKETS];
	struct process *p = one->process;

	while (*at != one)
		at = &(*at)->next;
	*at = one->next;
	free_thread(one);
	if (!--p->threads)
		remove_process(t, p);
}

/* A process that was there before. */
static struct process *read_process(struct tasks *t, pid_t pid)
{
	struct process *p;
	char path[64];

	p = add_process(t, pid, space_new());
	if (!p)
		return NULL;
	fmt_text(path, sizeof(path), "/proc/%d/comm", pid);
	proc_line(path, p->name, sizeof(p->name));
	/* A kernel thread has none, and who is gone has them no more. */
	(void)space_read(&p->space, pid, t->binaries);
	return p;
}

struct process *tasks_process(struct tasks *t, pid_t pid)
{
	struct process *p = find_process(t, pid);

	return p || t->chosen_only ? p : read_process(t, pid);
}

struct thread *tasks_thread(struct tasks *t, pid_t pid, pid_t tid)
{
	struct thread *one = find_thread(t, tid);
	struct process *p;
	char path[64];

	if (one && one->process->pid == pid)
		return one;
	if (one) /* the number has been used again */
		remove_thread(t, one);
	p = tasks_process(t, pid);
	one = p ? add_thread(t, p, tid) : NULL;
	if (!one)
		return NULL;
	fmt_text(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	proc_line(path, one->name, sizeof(one->name));
	if (!*one->name)
		memcpy(one->name, p->name, sizeof(one->name));
	return one;
}

bool tasks_choose(struct tasks *t, pid_t pid, bool fresh)
{
	char path[64];
	struct dirent *entry;
	DIR *threads;
	struct process *p = find_process(t, pid);

	if (!p)
		p = fresh ? add_process(t, pid, space_new())
			  : read_process(t, pid);
	if (!p)
		return false;
	/* The process is forgotten with its last thread, so all must count. */
	fmt_text(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			(void)tasks_thread(t, pid, (pid_t)atoi(entry->d_name));
	if (threads)
		closedir(threads);
	return true;
}

/* A new thread has its parent's name, a new process its maps as well. */
static void note_fork(struct tasks *t, const struct record *r)
{
	struct thread *parent = tasks_thread(t, (pid_t)r->task.parent,
					     (pid_t)r->task.parent_thread);
	struct thread *one = find_thread(t, (pid_t)r->tid);
	struct process *p;

	if (!parent)
		return;
	if (one && one->process->pid == (pid_t)r->pid)
		return; /* said by two events */
	if (one)
		remove_thread(t, one);
	p = find_process(t, (pid_t)r->pid);
	if (!p) {
		p = add_process(t, (pid_t)r->pid,
				space_share(parent->process->space));
		if (!p)
			return;
		memcpy(p->name, parent->name, sizeof(p->name));
	}
	one = add_thread(t, p, (pid_t)r->tid);
	if (one)
		memcpy(one->name, parent->name, sizeof(one->name));
}

static void set_name(char to[COMM_SIZE], struct span name)
{
	size_t len = name.len < COMM_SIZE - 1 ? name.len : COMM_SIZE - 1;

	memcpy(to, name.at, len);
	to[len] = '\0';
}

static void note_name(struct tasks *t, const struct record *r)
{
	struct thread *one = tasks_thread(t, (pid_t)r->pid, (pid_t)r->tid);
	struct space *space;

	if (!one)
		return;
	set_name(one->name, r->name);
	memset(one->labels, 0, sizeof(one->labels));
	if (r->pid == r->tid)
		set_name(one->process->name, r->name);
	if (!(r->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	/* Another program: nothing of the old one is left. */
	space = space_new();
	if (space) {
		space_drop(one->process->space);
		one->process->space = space;
	}
	one->process->anonymous = 0;
	suffix_free(one->suffix);
	one->suffix = NULL;
}

static void note_mapping(struct tasks *t, const struct record *r)
{
	const struct record_mapping *m = &r->mapping;
	struct process *p = tasks_process(t, (pid_t)r->pid);
	const struct binary_place place = {
		.pid = (pid_t)r->pid,
		.lo = m->lo,
		.hi = m->lo + m->len,
		.major = m->major,
		.minor = m->minor,
		.inode = m->inode,
		.path = m->name,
	};
	struct space_map map = { .lo = place.lo,
				 .hi = place.hi,
				 .offset = m->offset };

	if (!p || !m->executable)
		return;
	map.binary = binary_get(t->binaries, &place);
	/* Without memory a library is missing, and its stacks are cut. */
	(void)space_add(&p->space, &map);
}

void tasks_note(struct tasks *t, const struct record *r)
{
	struct thread *one;

	switch (r->type) {
	case PERF_RECORD_FORK:
		note_fork(t, r);
		break;
	case PERF_RECORD_EXIT:
		one = find_thread(t, (pid_t)r->tid);
		if (one)
			remove_thread(t, one);
		break;
	case PERF_RECORD_COMM:
		note_name(t, r);
		break;
	case PERF_RECORD_MMAP2:
		note_mapping(t, r);
		break;
	default:
		break;
	}
}

bool tasks_refresh(struct tasks *t, struct process *p, uint64_t now)
{
	if (now - p->read_time < SECOND)
		return false;
	p->read_time = now;
	return space_read(&p->space, p->pid, t->binaries) == 0;
}
