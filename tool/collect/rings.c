/* SPDX-License-Identifier: MIT */
/* See rings.h. */
#include "collect/rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/permit.h"
#include "collect/procfile.h"

enum {
	CPUS_MAX = 4096,
	RING_TOTAL = 32 << 20, /* shared by all processors, but ... */
	RING_MAX = 8 << 20,
	RING_MIN = 512 << 10,
	/*
	 * The reader is woken soon, as a rule, so that what is past the copy
	 * of a stack can still be read where it lies.
	 */
	WAKE_SOON = 96 << 10,
};

/* Reads "0-3,8": numbers and ranges. */
static int read_cpus(struct rings *r, const char *list)
{
	while (*list) {
		char *end;
		long from = strtol(list, &end, 10);
		long to = *end == '-' ? strtol(end + 1, &end, 10) : from;

		if (end == list || from < 0 || to >= CPUS_MAX)
			return -EINVAL;
		for (; from <= to && r->count < CPUS_MAX; from++)
			r->cpu[r->count++] = (int)from;
		list = *end == ',' ? end + 1 : end + strlen(end);
	}
	return r->count ? 0 : -EINVAL;
}

int rings_init(struct rings *r, const struct event_choice *choice,
	       struct error *err)
{
	char list[1024];

	*r = (struct rings){ .choice = *choice };
	r->cpu = ARENA_ARRAY(&r->arena, int, CPUS_MAX);
	r->event = ARENA_ARRAY(&r->arena, int, CPUS_MAX);
	r->ring = ARENA_ARRAY(&r->arena, struct ring, CPUS_MAX);
	if (r->arena.failed)
		return error_set(err, -ENOMEM, "out of memory");
	proc_line("/sys/devices/system/cpu/online", list, sizeof(list));
	if (read_cpus(r, list) < 0) {
		r->count = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
		for (unsigned i = 0; i < r->count; i++)
			r->cpu[i] = (int)i;
	}
	for (unsigned i = 0; i < r->count; i++)
		r->event[i] = -1;
	return 0;
}

static size_t ring_size(const struct rings *r)
{
	size_t size = RING_MAX;

	while (size > RING_MIN && size * r->count > RING_TOTAL)
		size /= 2;
	return size;
}

/* Lets the event write to the processor's ring, which it may have to own. */
static int connect_ring(struct rings *r, unsigned i, int fd, struct error *err)
{
	int code;

	if (r->event[i] >= 0) {
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->event[i]) == 0)
			return 0;
		return error_set_errno(err, -errno, "cannot share a perf ring");
	}
	code = ring_map(&r->ring[i], fd, ring_size(r), err);
	if (code == 0)
		r->event[i] = fd;
	return code;
}

static int complain(int code, struct error *err)
{
	if (code == -EMFILE || code == -ENFILE)
		return error_set(err, code,
				 "too many threads for so many processors: "
				 "raise the limit of open files (ulimit -n)");
	return permit_explain(code, false, err);
}

/* Opens an event on one processor; 0 also if that has just gone away. */
static int add_event(struct rings *r, unsigned i, const struct event_target *t,
		     struct error *err)
{
	bool large = t->stack == STACK_LARGE;
	int fd = event_open(&r->choice, t);
	int *kept;
	int code;

	if (fd == -ENODEV)
		return 0;
	if (fd == -ESRCH)
		return fd;
	if (fd < 0)
		return complain(fd, err);
	kept = large ? VEC_PUSH(&r->large, &r->arena)
		     : VEC_PUSH(&r->small, &r->arena);
	if (!kept) {
		close(fd);
		return error_set(err, -ENOMEM, "out of memory");
	}
	*kept = fd;
	code = connect_ring(r, i, fd, err);
	return code;
}

int rings_add(struct rings *r, pid_t thread, struct error *err)
{
	for (unsigned i = 0; i < r->count; i++) {
		struct event_target t = {
			.thread = thread,
			.cpu = r->cpu[i],
			.stack = STACK_SMALL,
			.wake = r->patient ? (uint32_t)ring_size(r) / 4
					   : WAKE_SOON,
			.inherit = thread >= 0,
			.on_exec = r->on_exec && !r->deep,
			.started = r->started && !r->deep,
		};
		int code = add_event(r, i, &t, err);

		if (code < 0)
			return code;
		t.stack = STACK_LARGE;
		t.on_exec = r->on_exec && r->deep;
		t.started = r->started && r->deep;
		code = add_event(r, i, &t, err);
		if (code < 0)
			return code;
	}
	return 0;
}

static void control(const int *fd, uint32_t count, unsigned long request)
{
	/* Events of threads that are gone need neither. */
	for (uint32_t i = 0; i < count; i++)
		(void)ioctl(fd[i], request, 0);
}

void rings_start(struct rings *r)
{
	r->started = true;
	if (r->deep)
		control(r->large.at, r->large.count, PERF_EVENT_IOC_ENABLE);
	else
		control(r->small.at, r->small.count, PERF_EVENT_IOC_ENABLE);
}

void rings_stop(struct rings *r)
{
	control(r->small.at, r->small.count, PERF_EVENT_IOC_DISABLE);
	control(r->large.at, r->large.count, PERF_EVENT_IOC_DISABLE);
	r->started = false;
}

void rings_set_deep(struct rings *r, bool deep)
{
	if (r->deep == deep)
		return;
	r->deep = deep;
	if (!r->started)
		return;
	/* The new ones first: one more sample is better than none. */
	rings_start(r);
	if (deep)
		control(r->small.at, r->small.count, PERF_EVENT_IOC_DISABLE);
	else
		control(r->large.at, r->large.count, PERF_EVENT_IOC_DISABLE);
}

static uint64_t lost_of(const int *fd, uint32_t count)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t value[2]; /* the event's count, what it lost */

		if (read(fd[i], value, sizeof(value)) == sizeof(value))
			lost += value[1];
	}
	return lost;
}

uint64_t rings_lost(const struct rings *r)
{
	return lost_of(r->small.at, r->small.count) +
	       lost_of(r->large.at, r->large.count);
}

void rings_close(struct rings *r)
{
	for (unsigned i = 0; i < r->count; i++)
		ring_unmap(&r->ring[i]);
	for (uint32_t i = 0; i < r->large.count; i++)
		close(r->large.at[i]);
	for (uint32_t i = 0; i < r->small.count; i++)
		close(r->small.at[i]);
	arena_release(&r->arena);
}
