/* SPDX-License-Identifier: MIT */
/*
 * See inject.h.  In order: find a thread at a safe moment; have it map memory;
 * put code there, send the thread through it and let go of it; wait until the
 * agent answers; let the agent unmap the memory.
 */
#include "collect/inject.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/fmt.h"
#include "collect/borrow.h"
#include "collect/envoy.h"
#include "collect/target.h"

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

static uint64_t data_at(const struct borrowed *b)
{
	return b->block + ENVOY_DATA;
}

/* What the process has answered so far; false: it is no more. */
static bool read_answer(const struct target *t, const struct borrowed *b,
			struct envoy *ret)
{
	return target_read(t, data_at(b), ret, sizeof(*ret));
}

static bool put_envoy(const struct target *t, const struct borrowed *b,
		      const struct injection *i)
{
	struct envoy e = {
		.resume = b->resume,
		.thread = b->block + envoy_thread_offset(),
		.call = t->calls,
		.dlopen_mode = t->dlopen_mode,
		.visit = { .hz = i->hertz,
			   .block = b->block,
			   .block_size = ENVOY_SIZE },
		.thread_name = VISIT_THREAD,
		.soname = "libwick.so",
		.function = VISIT_FUNCTION,
	};
	size_t size;
	const void *code = envoy_code(&size);

	fmt_text(e.library, sizeof(e.library), "%s", i->library);
	fmt_text(e.visit.folder, sizeof(e.visit.folder), "%s", i->folder);
	return target_write(t, b->block, code, size) &&
	       target_write(t, data_at(b), &e, sizeof(e));
}

/* Waits while the visit is in a state; -ETIMEDOUT: it stays there. */
static int wait_while(const struct target *t, const struct borrowed *b,
		      uint32_t state, unsigned ms)
{
	struct envoy e;

	for (unsigned i = 0; i < ms; i++) {
		if (!read_answer(t, b, &e))
			return -ESRCH;
		if (e.visit.state != state)
			return 0;
		sleep_ms(1);
	}
	return -ETIMEDOUT;
}

/* The borrowed thread has left the block, or does in a moment. */
static void wait_left(struct target *t, struct borrowed *b)
{
	struct envoy e;

	for (unsigned i = 0; i < LEAVE_MS; i++) {
		if (!read_answer(t, b, &e))
			return;
		if (e.left && borrow_is_over(t, b)) {
			b->is_over = true;
			return;
		}
		sleep_ms(1);
	}
}

static int explain(const struct target *t, const struct envoy *e,
		   struct error *err)
{
	const int pid = (int)t->pid;

	if (e->visit.result == -EALREADY)
		return error_set(err, -EALREADY,
				 "process %d is being recorded from inside "
				 "already",
				 pid);
	if (e->visit.result < 0)
		return error_set_errno(err, e->visit.result,
				       "process %d cannot be recorded from "
				       "inside",
				       pid);
	return error_set(err, -ELIBACC,
			 "process %d cannot load the agent: %.*s", pid,
			 (int)sizeof(e->visit.text) - 1, e->visit.text);
}

/* The agent unmaps the block if it is there, else we do. */
static void give_back(struct target *t, struct borrowed *b,
		      const struct envoy *e)
{
	const uint32_t released = 1;

	if (!b->is_over)
		return;
	if (e->visit.state == VISIT_RUNS || e->visit.result < 0)
		(void)target_write(
			t, data_at(b) + offsetof(struct envoy, visit.released),
			&released, sizeof(released));
	else
		borrow_unmap(t, b, e->visit.tid);
}

/* The thread is on its way: waits until the agent runs. */
static int await(struct target *t, struct borrowed *b, struct error *err)
{
	struct envoy e;
	int r = wait_while(t, b, VISIT_CALLED, CREATE_MS);

	if (r == -ETIMEDOUT && borrow_undo(t, b) == 0)
		return error_set(err, r, "process %d cannot start a thread now",
				 (int)t->pid);
	if (r == 0)
		r = wait_while(t, b, VISIT_STARTED, LOAD_MS);
	if (r == -ETIMEDOUT)
		return error_set(err, r,
				 "process %d does not load the agent: its "
				 "loader is busy",
				 (int)t->pid);
	wait_left(t, b);
	if (r < 0 || !read_answer(t, b, &e))
		return error_set(err, -ESRCH, "process %d has ended",
				 (int)t->pid);
	if (e.visit.state != VISIT_RUNS)
		r = explain(t, &e, err);
	give_back(t, b, &e);
	return r;
}

static int enter(struct target *t, const struct injection *i, struct error *err)
{
	struct borrowed b;
	int r = borrow(t, &b, err);

	if (r < 0)
		return r;
	if (!put_envoy(t, &b, i)) {
		borrow_return(t, &b);
		return error_set(err, -EFAULT,
				 "cannot write to the memory of process %d",
				 (int)t->pid);
	}
	r = borrow_send(t, &b);
	if (r < 0)
		return error_set_errno(err, r, "process %d cannot be entered",
				       (int)t->pid);
	return await(t, &b, err);
}

int inject(const struct injection *i, struct error *err)
{
	struct target t;
	int r = target_open(&t, i->pid, err);

	if (r == 0)
		r = enter(&t, i, err);
	target_close(&t);
	return r;
}
