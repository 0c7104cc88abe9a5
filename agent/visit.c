/* SPDX-License-Identifier: MIT */
/*
 * See visit.h.  The thread is a real one of the program's libc, so it may start
 * others; in all else it behaves as guests do.
 */
#include "agent/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/capture.h"
#include "agent/guest.h"
#include "agent/pieces.h"
#include "agent/sampler.h"
#include "base/check.h"
#include "base/fmt.h"
#include "base/visit.h"

#define PUBLIC __attribute__((visibility("default")))

enum { PATH_SIZE = 300, RELEASE_MS = 10000, LEAVE_MS = 1000, TICK_MS = 10 };

bool visit_is_loading(void)
{
	char name[16] = "";

	return prctl(PR_GET_NAME, name) == 0 && !strcmp(name, VISIT_THREAD);
}

/* The process that a visit is in, so that none is in the child of a fork. */
static _Atomic int32_t visited;

static bool try_come_in(void)
{
	int32_t pid = (int32_t)getpid();
	int32_t before = atomic_load_explicit(&visited, memory_order_relaxed);

	/* Pairs with go_out(): what the visit before has left is seen. */
	return before != pid &&
	       atomic_compare_exchange_strong_explicit(&visited, &before, pid,
						       memory_order_acquire,
						       memory_order_relaxed);
}

/* One at a time; one whose recorder was killed is gone in a moment. */
static bool come_in(void)
{
	bool is_in = try_come_in();

	for (unsigned i = 0; i < LEAVE_MS && !is_in; i += TICK_MS) {
		poll(NULL, 0, TICK_MS);
		is_in = try_come_in();
	}
	return is_in;
}

static void go_out(void)
{
	atomic_store_explicit(&visited, 0, memory_order_release);
}

/* Nobody is there any more who would remove it. */
static void remove_folder(const char *folder)
{
	static const char *const names[] = { VISIT_DOOR, VISIT_LIBRARY };
	char path[PATH_SIZE];

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		fmt_text(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static int open_door(const struct visit *v)
{
	char path[PATH_SIZE], byte;
	int fd;

	fmt_text(path, sizeof(path), "%s/" VISIT_DOOR, v->folder);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Of a command that was killed before this, poll() would not tell. */
	if (read(fd, &byte, 1) != 0)
		return fd;
	close(fd);
	remove_folder(v->folder);
	return -EPIPE;
}

/* Ends when the command writes something, or is no more. */
static bool wait_at(int door)
{
	struct pollfd fd = { .fd = door, .events = POLLIN };

	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		;
	return fd.revents & POLLIN;
}

static void answer(struct visit *v, int result)
{
	v->result = result;
	/* Pairs with the command's reads, which see the result with it. */
	atomic_store_explicit(&v->state, result < 0 ? VISIT_FAILED : VISIT_RUNS,
			      memory_order_release);
}

/*
 * Gives the visit's memory back once the program's thread that came by it is
 * known to have left.  If who would say so is killed, it stays.
 */
static void give_back(struct visit *v, int door)
{
	struct pollfd fd = { .fd = door };

	for (unsigned i = 0; i < RELEASE_MS; i++) {
		if (atomic_load_explicit(&v->released, memory_order_acquire)) {
			munmap((void *)v->block, v->block_size);
			return;
		}
		if (poll(&fd, 1, 1) > 0)
			return;
	}
}

static int start(const struct visit *v)
{
	const struct capture_options o = { .hz = v->hz };
	int door = open_door(v);
	int r;

	if (door < 0)
		return door;
	r = pieces_start(v->folder, &o);
	if (r == 0)
		return door;
	close(door);
	return r;
}

/* Until the command has had enough, or is no more. */
static void stay(struct visit *v, int door)
{
	char folder[sizeof(v->folder)];
	bool is_asked;

	memcpy(folder, v->folder, sizeof(folder));
	answer(v, 0);
	give_back(v, door);
	is_asked = wait_at(door);
	pieces_stop();
	if (is_asked)
		return;
	pieces_remove();
	remove_folder(folder);
}

/* Returns the door, which is to be closed when all is done, or -errno. */
static int visit(struct visit *v)
{
	static bool is_ours; /* no call of the program's can meet us */
	int door;

	if (!come_in())
		return -EALREADY;
	is_ours = is_ours || v->is_first;
	door = start(v);
	if (door >= 0)
		stay(v, door);
	if (is_ours)
		sampler_leave();
	go_out();
	return door;
}

PUBLIC void *wick_visit_1(void *context)
{
	struct visit *v = context;
	int door;

	guest_enter();
	door = visit(v);
	if (door < 0) {
		answer(v, door);
		give_back(v, -1);
	} else {
		close(door);
	}
	guest_exit();
	return NULL;
}
