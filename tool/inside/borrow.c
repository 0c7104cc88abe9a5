/* SPDX-License-Identifier: MIT */
/* See borrow.h. */
#include "inside/borrow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "inside/envoy.h"
#include "inside/moment.h"
#include "inside/target.h"

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

/* A thread that will not do is let go. */
static bool will_do(struct target *t, struct borrowed *b, bool safely)
{
	return !has_signal(t->pid, b->tid) &&
	       (!safely || moment_is_safe(t, &b->regs)) &&
	       tracee_get_vectors(b->tid, &b->vectors) == 0 &&
	       tracee_get_mask(b->tid, &b->mask) == 0;
}

/* 0: it is borrowed; -EAGAIN: not now; or another negative errno. */
static int try_thread(struct target *t, struct borrowed *b, pid_t tid,
		      bool safely)
{
	int r;

	b->tid = tid;
	r = stop(t->pid, tid, &b->regs);
	if (r < 0)
		return r == -ETIMEDOUT ? r : -EAGAIN;
	if (!will_do(t, b, safely)) {
		tracee_leave(tid);
		return -EAGAIN;
	}
	envoy_restart(&b->regs);
	return 0;
}

static int try_all(struct target *t, struct borrowed *b, bool safely)
{
	struct candidates c;
	int r = target_refresh(t);

	if (r < 0)
		return r;
	find_candidates(t->pid, &c);
	r = -EAGAIN;
	for (unsigned how = LIKELIHOODS - 1; how > UNLIKELY; how--)
		for (unsigned i = 0; i < c.count[how] && r == -EAGAIN; i++)
			r = try_thread(t, b, c.tid[how][i], safely);
	return r;
}

static int borrow(struct target *t, struct borrowed *b, bool safely,
		  struct error *err)
{
	const uint64_t end = now_ms() + TRY_MS;
	int r;

	for (;;) {
		r = try_all(t, b, safely);
		if (r != -EAGAIN || now_ms() >= end)
			break;
		/* Not in step with what the program does. */
		sleep_ms(PAUSE_MS + (unsigned)(now_ms() % PAUSE_MS));
	}
	if (r == -EAGAIN)
		return error_set(err, -ETIMEDOUT,
				 "cannot find a safe moment in process %d",
				 (int)t->pid);
	if (r < 0)
		return error_set_errno(err, r, "process %d cannot be entered",
				       (int)t->pid);
	return 0;
}

int borrow_any(struct target *t, struct borrowed *b, struct error *err)
{
	return borrow(t, b, false, err);
}

int borrow_safely(struct target *t, struct borrowed *b, struct error *err)
{
	return borrow(t, b, true, err);
}

void borrow_return(struct borrowed *b)
{
	tracee_leave(b->tid);
}

int borrow_send(struct borrowed *b)
{
	int r = tracee_set(b->tid, &b->regs);

	tracee_leave(b->tid);
	return r;
}

static bool is_within(uint64_t pc, uint64_t sp, struct range in)
{
	return pc - in.lo < in.len || sp - in.lo < in.len;
}

/* Where a thread that is in a system call is; false: it runs, or has ended. */
static bool find_waiting(pid_t pid, pid_t tid, uint64_t *sp, uint64_t *pc)
{
	char line[LINE_SIZE];
	char *at;

	read_thread(pid, tid, "syscall", line, sizeof(line));
	at = strrchr(line, ' ');
	if (!at)
		return false;
	*pc = strtoull(at, NULL, 16);
	*at = '\0';
	at = strrchr(line, ' ');
	if (!at)
		return false;
	*sp = strtoull(at, NULL, 16);
	return true;
}

bool borrow_is_over(struct target *t, pid_t tid, struct range in)
{
	struct tracee_regs regs;
	uint64_t sp, pc;
	bool over;
	int r;

	if (find_waiting(t->pid, tid, &sp, &pc))
		return !is_within(pc, sp, in);
	r = stop(t->pid, tid, &regs);
	if (r < 0)
		return r == -ESRCH;
	over = !is_within(envoy_pc(&regs), envoy_sp(&regs), in);
	tracee_leave(tid);
	return over;
}

/* Whether it waits for a lock there. */
static bool is_stuck(pid_t pid, pid_t tid, struct range in)
{
	uint64_t sp, pc;

	return looks(pid, tid) == WAITING && find_waiting(pid, tid, &sp, &pc) &&
	       is_within(pc, sp, in);
}

int borrow_undo(struct target *t, const struct borrowed *original,
		struct range in)
{
	const pid_t tid = original->tid;
	struct tracee_regs regs;
	int r;

	if (!is_stuck(t->pid, tid, in))
		return -EAGAIN;
	r = stop(t->pid, tid, &regs);
	if (r < 0)
		return r;
	if (is_within(envoy_pc(&regs), envoy_sp(&regs), in)) {
		/* If these fail, it has been killed. */
		(void)tracee_set_vectors(tid, &original->vectors);
		(void)tracee_set_mask(tid, original->mask);
		(void)tracee_set(tid, &original->regs);
	} else {
		r = -EAGAIN;
	}
	tracee_leave(tid);
	return r;
}

bool borrow_wait_end(const struct target *t, pid_t tid)
{
	char line[LINE_SIZE];

	for (unsigned i = 0; i < END_MS; i++) {
		read_thread(t->pid, tid, "comm", line, sizeof(line));
		if (!*line)
			return true;
		sleep_ms(1);
	}
	return false;
}
