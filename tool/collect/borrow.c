/* SPDX-License-Identifier: MIT */
/* See borrow.h. */
#include "collect/borrow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "collect/envoy.h"
#include "collect/moment.h"
#include "collect/target.h"

enum {
	PATH_SIZE = 64,
	LINE_SIZE = 256,
	STATUS_SIZE = 4096,
	THREADS_MAX = 64, /* that are looked at in one round */
	TRY_MS = 10000,
	END_MS = 2000,
	PAUSE_MS = 3,
};

/* How good a thread looks from outside; the best are tried first. */
enum likelihood {
	UNLIKELY, /* not to be touched */
	RUNNING,
	WAITING_ANEW, /* its timeout begins anew if it is woken */
	WAITING,
	LIKELIHOODS,
};

struct candidates {
	pid_t tid[LIKELIHOODS][THREADS_MAX];
	unsigned count[LIKELIHOODS];
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void sleep_ms(unsigned ms)
{
	const struct timespec t = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&t, NULL);
}

/* A small file of a thread's in /proc; "" if there is none. */
static void read_thread(pid_t pid, pid_t tid, const char *name, char *buf,
			size_t size)
{
	char path[PATH_SIZE];
	ssize_t n = 0;
	int fd;

	fmt_text(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid,
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
}

static enum likelihood looks(pid_t pid, pid_t tid)
{
	static const enum likelihood by_wait[] = {
		[ENVOY_BUSY] = UNLIKELY,
		[ENVOY_WAITS] = WAITING,
		[ENVOY_WAITS_ANEW] = WAITING_ANEW,
	};
	char line[LINE_SIZE];
	char *end;
	long number;

	read_thread(pid, tid, "syscall", line, sizeof(line));
	if (!strncmp(line, "running", 7))
		return RUNNING;
	number = strtol(line, &end, 10);
	return end == line ? UNLIKELY : by_wait[envoy_wait_of(number)];
}

static void find_candidates(pid_t pid, struct candidates *c)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *tasks;

	*c = (struct candidates){ 0 };
	fmt_text(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		enum likelihood how = tid ? looks(pid, tid) : UNLIKELY;

		if (how != UNLIKELY && c->count[how] < THREADS_MAX)
			c->tid[how][c->count[how]++] = tid;
	}
	if (tasks)
		closedir(tasks);
}

/* Whether a handler of the program's will run as soon as the thread does. */
static bool has_signal(pid_t pid, pid_t tid)
{
	static const char *const names[] = { "\nSigPnd:\t", "\nShdPnd:\t" };
	char status[STATUS_SIZE];
	uint64_t pending = 0;
	uint64_t blocked;
	const char *at;

	read_thread(pid, tid, "status", status, sizeof(status));
	for (unsigned i = 0; i < 2; i++) {
		at = strstr(status, names[i]);
		if (at)
			pending |= strtoull(at + strlen(names[i]), NULL, 16);
	}
	return tracee_get_mask(tid, &blocked) == 0 && (pending & ~blocked);
}

/*
 * A call that says EINTR says so because of the stop, if no signal is there: it
 * is made again.  Of others the kernel knows better what to do.
 */
static int settle(pid_t pid, pid_t tid, struct tracee_regs *ret)
{
	int r = tracee_get(tid, ret);

	if (r == 0 && !has_signal(pid, tid) && envoy_repeat(ret))
		r = tracee_set(tid, ret);
	return r;
}

/* Stops a thread; what it goes on with is in ret. */
static int stop(pid_t pid, pid_t tid, struct tracee_regs *ret)
{
	int r = tracee_stop(tid);

	if (r < 0)
		return r;
	r = settle(pid, tid, ret);
	if (r < 0)
		tracee_leave(tid);
	return r;
}

/* Has a thread that is stopped make a system call, and stop again. */
static int64_t call(const struct target *t, pid_t tid,
		    const struct tracee_regs *regs, long number,
		    const uint64_t argument[6])
{
	struct tracee_regs r = *regs;
	uint64_t mask;
	int64_t result = tracee_get_mask(tid, &mask);

	if (result < 0)
		return result;
	envoy_call(&r, t->system_call, number, argument);
	/* No handler of the program's may run in the middle of it. */
	result = tracee_set_mask(tid, UINT64_MAX);
	if (result == 0)
		result = tracee_set(tid, &r);
	if (result == 0)
		result = tracee_step(tid);
	if (result == 0 && tracee_get(tid, &r) == 0)
		result = envoy_result(&r);
	/* If these fail, the thread has been killed. */
	(void)tracee_set(tid, regs);
	(void)tracee_set_mask(tid, mask);
	return result;
}

static int map_block(const struct target *t, struct borrowed *b)
{
	const uint64_t all[6] = { 0,
				  ENVOY_SIZE,
				  PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS,
				  UINT64_MAX,
				  0 };
	int64_t at = call(t, b->tid, &b->regs, SYS_mmap, all);
	uint64_t code[6] = { (uint64_t)at,
			     ENVOY_PAGE,
			     PROT_READ | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			     UINT64_MAX,
			     0 };

	if (at < 0)
		return (int)at;
	b->block = (uint64_t)at;
	/* Memory for both writing and running is refused to many. */
	at = call(t, b->tid, &b->regs, SYS_mmap, code);
	return at < 0 ? (int)at : 0;
}

static void unmap_block(const struct target *t, const struct borrowed *b,
			pid_t tid, const struct tracee_regs *regs)
{
	const uint64_t all[6] = { b->block, ENVOY_SIZE };

	(void)call(t, tid, regs, SYS_munmap, all); /* then it stays */
}

/* 0: it is borrowed; -EAGAIN: not now; or another negative errno. */
static int try_thread(struct target *t, struct borrowed *b, pid_t tid)
{
	int r;

	*b = (struct borrowed){ .tid = tid };
	r = stop(t->pid, tid, &b->regs);
	if (r < 0)
		return r == -ETIMEDOUT ? r : -EAGAIN;
	if (!has_signal(t->pid, tid) && moment_is_safe(t, &b->regs) &&
	    tracee_get_vectors(tid, &b->vectors) == 0 &&
	    tracee_get_mask(tid, &b->mask) == 0) {
		envoy_restart(&b->regs);
		b->resume = envoy_pc(&b->regs);
		return 0;
	}
	tracee_leave(tid);
	return -EAGAIN;
}

static int try_all(struct target *t, struct borrowed *b)
{
	struct candidates c;
	int r = target_refresh(t);

	if (r < 0)
		return r;
	find_candidates(t->pid, &c);
	r = -EAGAIN;
	for (unsigned how = LIKELIHOODS - 1; how > UNLIKELY; how--)
		for (unsigned i = 0; i < c.count[how] && r == -EAGAIN; i++)
			r = try_thread(t, b, c.tid[how][i]);
	return r;
}

int borrow(struct target *t, struct borrowed *b, struct error *err)
{
	const uint64_t end = now_ms() + TRY_MS;
	int r;

	for (;;) {
		r = try_all(t, b);
		if (r != -EAGAIN || now_ms() >= end)
			break;
		/* Not in step with what the program does. */
		sleep_ms(PAUSE_MS + (unsigned)(now_ms() % PAUSE_MS));
	}
	if (r == -EAGAIN)
		return error_set(err, -ETIMEDOUT,
				 "cannot find a safe moment in process %d",
				 (int)t->pid);
	if (r == 0)
		r = map_block(t, b);
	else
		return error_set_errno(err, r, "process %d cannot be entered",
				       (int)t->pid);
	if (r < 0) {
		borrow_return(t, b);
		return error_set_errno(err, r,
				       "process %d cannot map memory for code",
				       (int)t->pid);
	}
	return 0;
}

void borrow_return(struct target *t, struct borrowed *b)
{
	if (b->block)
		unmap_block(t, b, b->tid, &b->regs);
	tracee_leave(b->tid);
}

int borrow_send(struct target *t, struct borrowed *b)
{
	struct tracee_regs r = b->regs;
	int code;

	(void)t;
	envoy_set_pc(&r, b->block + envoy_entry_offset());
	code = tracee_set(b->tid, &r);
	tracee_leave(b->tid);
	return code;
}

static bool is_inside(const struct borrowed *b, uint64_t address)
{
	return address - b->block < ENVOY_SIZE;
}

bool borrow_is_over(struct target *t, struct borrowed *b)
{
	struct tracee_regs r;
	bool over;
	enum likelihood how = looks(t->pid, b->tid);

	/* On its way out of the block it waits for nothing. */
	if (how == WAITING || how == WAITING_ANEW)
		return true;
	if (stop(t->pid, b->tid, &r) < 0)
		return false;
	over = !is_inside(b, envoy_pc(&r)) && !is_inside(b, envoy_sp(&r));
	tracee_leave(b->tid);
	return over;
}

int borrow_undo(struct target *t, struct borrowed *b)
{
	struct tracee_regs r;
	int code = stop(t->pid, b->tid, &r);

	if (code < 0)
		return code;
	if (!is_inside(b, envoy_pc(&r)) && !is_inside(b, envoy_sp(&r))) {
		tracee_leave(b->tid);
		return -EAGAIN;
	}
	unmap_block(t, b, b->tid, &b->regs);
	(void)tracee_set_vectors(b->tid, &b->vectors);
	(void)tracee_set_mask(b->tid, b->mask);
	tracee_leave(b->tid);
	return 0;
}

static bool is_there(pid_t pid, pid_t tid)
{
	char line[LINE_SIZE];

	read_thread(pid, tid, "comm", line, sizeof(line));
	return *line;
}

void borrow_unmap(struct target *t, const struct borrowed *b, pid_t tid)
{
	struct tracee_regs regs;
	struct candidates c;

	for (unsigned i = 0; i < END_MS && is_there(t->pid, tid); i++)
		sleep_ms(1);
	if (is_there(t->pid, tid))
		return;
	find_candidates(t->pid, &c);
	for (unsigned how = LIKELIHOODS - 1; how > UNLIKELY; how--)
		for (unsigned i = 0; i < c.count[how]; i++) {
			if (stop(t->pid, c.tid[how][i], &regs) < 0)
				continue;
			unmap_block(t, b, c.tid[how][i], &regs);
			tracee_leave(c.tid[how][i]);
			return;
		}
}
