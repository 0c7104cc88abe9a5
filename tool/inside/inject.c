/* SPDX-License-Identifier: MIT */
/*
 * See inject.h.  In order: find a thread at a safe moment; have it map memory;
 * put code there, send the thread through it and let go of it; wait until the
 * agent answers; let the agent unmap the memory.
 */
#include "inside/inject.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "inside/block.h"
#include "inside/borrow.h"
#include "inside/envoy.h"
#include "inside/target.h"

enum {
	CREATE_MS = 2000, /* until the thread is there, or it is taken back */
	LOAD_MS = 20000,  /* until the loader has done its work */
	LEAVE_MS = 2000,
};

static void sleep_ms(unsigned ms)
{
	const struct timespec t = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&t, NULL);
}

/* An envoy on its way. */
struct sent {
	struct target *target;
	uint64_t block;
	struct borrowed thread; /* with what it was borrowed */
	bool is_over;		/* it is known to be out of the block */
};

static uint64_t data_at(const struct sent *s)
{
	return s->block + ENVOY_DATA;
}

static struct range place_of(const struct sent *s)
{
	return (struct range){ s->block, ENVOY_SIZE };
}

/* What the process has answered so far; false: it is no more. */
static bool read_answer(const struct sent *s, struct envoy *ret)
{
	return target_read(s->target, data_at(s), ret, sizeof(*ret));
}

static bool put_envoy(const struct sent *s, const struct injection *i)
{
	const struct target *t = s->target;
	struct envoy e = {
		.resume = envoy_pc(&s->thread.regs),
		.thread = s->block + envoy_thread_offset(),
		.call = t->calls,
		.dlopen_mode = t->dlopen_mode,
		.visit = { .hz = i->hertz,
			   .block = s->block,
			   .block_size = ENVOY_SIZE },
		.thread_name = VISIT_THREAD,
		.soname = VISIT_LIBRARY,
		.function = VISIT_FUNCTION,
	};
	size_t size;
	const void *code = envoy_code(&size);

	fmt_text(e.library, sizeof(e.library), "%s", i->library);
	fmt_text(e.visit.folder, sizeof(e.visit.folder), "%s", i->folder);
	return target_write(t, s->block, code, size) &&
	       target_write(t, data_at(s), &e, sizeof(e));
}

/* Waits while the visit is in a state; -ETIMEDOUT: it stays there. */
static int wait_while(const struct sent *s, uint32_t state, unsigned ms)
{
	struct envoy e;

	for (unsigned i = 0; i < ms; i++) {
		if (!read_answer(s, &e))
			return -ESRCH;
		if (e.visit.state != state)
			return 0;
		sleep_ms(1);
	}
	return -ETIMEDOUT;
}

/* Waits until the borrowed thread has left the block. */
static void wait_left(struct sent *s)
{
	struct envoy e;

	for (unsigned i = 0; i < LEAVE_MS && !s->is_over; i++) {
		if (!read_answer(s, &e))
			return;
		s->is_over = e.left && borrow_is_over(s->target, s->thread.tid,
						      place_of(s));
		if (!s->is_over)
			sleep_ms(1);
	}
}

static int explain(pid_t pid, const struct visit *v, struct error *err)
{
	if (v->result == -EALREADY)
		return error_set(err, v->result,
				 "process %d is being recorded from inside "
				 "already",
				 (int)pid);
	if (v->result < 0)
		return error_set_errno(err, v->result,
				       "process %d cannot be recorded from "
				       "inside",
				       (int)pid);
	return error_set(err, -ELIBACC,
			 "process %d cannot load the agent: %.*s", (int)pid,
			 (int)sizeof(v->text) - 1, v->text);
}

/* The agent unmaps the block if it is there, else we do. */
static void give_back(const struct sent *s, const struct visit *v)
{
	const uint64_t at = data_at(s) + offsetof(struct envoy, visit.released);
	const uint32_t released = 1;

	if (!s->is_over)
		return;
	if (v->state == VISIT_RUNS || v->result < 0)
		/* If it fails, the process has ended. */
		(void)target_write(s->target, at, &released, sizeof(released));
	else if (borrow_wait_end(s->target, v->tid))
		block_unmap(s->target, s->block);
}

/*
 * Waits until the agent runs, or cannot.  A thread that is late, for it has no
 * processor or the loader is busy, finds nobody there when it comes, and ends;
 * the block is left to it.
 */
static int wait_agent(struct sent *s, struct error *err)
{
	const int pid = (int)s->target->pid;
	int r = wait_while(s, VISIT_CALLED, CREATE_MS);

	if (r == -ETIMEDOUT &&
	    borrow_undo(s->target, &s->thread, place_of(s)) == 0)
		return error_set(err, r, "process %d cannot start a thread now",
				 pid);
	if (r == -ETIMEDOUT)
		r = wait_while(s, VISIT_CALLED, LOAD_MS);
	if (r == 0)
		r = wait_while(s, VISIT_STARTED, LOAD_MS);
	if (r == -ETIMEDOUT)
		return error_set(err, r, "process %d is too slow to enter it",
				 pid);
	return r < 0 ? error_set(err, r, "process %d has ended", pid) : 0;
}

static int await(struct sent *s, struct error *err)
{
	const pid_t pid = s->target->pid;
	struct envoy e;
	int r = wait_agent(s, err);

	if (r < 0)
		return r;
	wait_left(s);
	if (!read_answer(s, &e))
		return error_set(err, -ESRCH, "process %d has ended", (int)pid);
	if (e.visit.state != VISIT_RUNS)
		r = explain(pid, &e.visit, err);
	give_back(s, &e.visit);
	return r;
}

/* Sends a thread through the block. */
static int send_thread(struct sent *s, const struct injection *i,
		       struct error *err)
{
	struct borrowed b;
	int r = borrow_safely(s->target, &s->thread, err);

	if (r < 0)
		return r;
	if (!put_envoy(s, i)) {
		borrow_return(&s->thread);
		return error_set(err, -EFAULT,
				 "cannot write to the memory of process %d",
				 (int)i->pid);
	}
	b = s->thread;
	envoy_set_pc(&b.regs, s->block + envoy_entry_offset());
	r = borrow_send(&b);
	return r < 0 ? error_set_errno(err, r, "process %d cannot be entered",
				       (int)i->pid)
		     : 0;
}

static int enter(struct target *t, const struct injection *i, struct error *err)
{
	struct sent s = { .target = t };
	int r = block_map(t, &s.block, err);

	if (r < 0)
		return r;
	r = send_thread(&s, i, err);
	if (r < 0) {
		block_unmap(t, s.block);
		return r;
	}
	return await(&s, err);
}

/* One command at a time: a name that nobody else can have while we run. */
static int lock(pid_t pid, struct error *err)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* It begins with a NUL: it is no file's. */
	fmt_text(name.sun_path + 1, sizeof(name.sun_path) - 1, "wick-%d",
		 (int)pid);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return error_set(err, -EBUSY,
			 "process %d is being entered by somebody else already",
			 (int)pid);
}

int inject(const struct injection *i, struct error *err)
{
	struct target t;
	int fd = lock(i->pid, err);
	int r;

	if (fd < 0)
		return fd;
	r = target_open(&t, i->pid, err);
	if (r == 0)
		r = enter(&t, i, err);
	target_close(&t);
	close(fd);
	return r;
}
