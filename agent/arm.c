/* SPDX-License-Identifier: MIT */
/*
 * Clocks on the CPU time of single threads.  Everything is done from the
 * agent's thread for all others, so that nothing runs in them but the handler,
 * and descriptors stay in the agent's own table.
 */
#include "agent/arm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/handler.h"
#include "agent/state.h"
#include "base/hash.h"

/* The kernel's name for the CPU time of a thread. */
static clockid_t cpu_clock_of(int32_t tid)
{
	return (clockid_t)(~(uint32_t)tid << 3 | 6);
}

bool arm_cpu_time(int32_t tid, uint64_t *nanos)
{
	struct timespec t;

	if (clock_gettime(cpu_clock_of(tid), &t) < 0)
		return false;
	*nanos = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

static struct timespec span_of_time(uint64_t nanos)
{
	return (struct timespec){ .tv_sec = (time_t)(nanos / 1000000000),
				  .tv_nsec = (long)(nanos % 1000000000) };
}

/* Where in its first period a thread starts: anywhere, so not in step. */
static uint64_t first_after(const struct watched *t, uint64_t period)
{
	uint64_t random = hash_mix(t->since,
				   (uint64_t)t->tid << 32 | t->generation);

	return 1 + hash_u64(random) * (period - 1) / UINT32_MAX;
}

static int set_timer(const struct watched *t, uint64_t period)
{
	const struct itimerspec when = {
		.it_interval = span_of_time(period),
		.it_value = span_of_time(first_after(t, period)),
	};

	return syscall(SYS_timer_settime, t->timer, 0, &when, NULL) < 0 ? -errno
									: 0;
}

static int arm_timer(struct watched *t, uint32_t number,
		     const struct arming *how)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = how->signal,
		.sigev_value.sival_ptr = handler_cookie(number, 0),
	};
	int r;

	event._sigev_un._tid = t->tid;
	if (syscall(SYS_timer_create, cpu_clock_of(t->tid), &event, &t->timer) <
	    0) {
		t->timer = -1;
		return -errno;
	}
	r = set_timer(t, how->period);
	if (r < 0)
		arm_remove(t);
	return r;
}

static int open_event(int32_t tid, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period,
		.disabled = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int direct_event(int fd, int32_t tid, int signal)
{
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };

	if (fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK | O_ASYNC) < 0 ||
	    fcntl(fd, F_SETSIG, signal) < 0 ||
	    fcntl(fd, F_SETOWN_EX, &owner) < 0 ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -errno;
	return 0;
}

static int arm_event(struct watched *t, uint32_t number,
		     const struct arming *how)
{
	int r = open_event(t->tid, how->period);

	if (r < 0)
		return r;
	if (r >= FDS_MAX) {
		close(r);
		return -EMFILE;
	}
	t->fd = r;
	atomic_store_explicit(&agent.fd_owner[t->fd], number + 1,
			      memory_order_relaxed);
	r = direct_event(t->fd, t->tid, how->signal);
	if (r < 0)
		arm_remove(t);
	return r;
}

int arm_thread(struct watched *t, uint32_t number, const struct arming *how)
{
	t->timer = -1;
	t->fd = -1;
	if (how->engine == ENGINE_PERF && arm_event(t, number, how) == 0)
		return 0;
	return arm_timer(t, number, how);
}

int arm_change(struct watched *t, const struct arming *how)
{
	uint64_t period = how->period;

	if (t->fd >= 0)
		return ioctl(t->fd, PERF_EVENT_IOC_PERIOD, &period) < 0 ? -errno
									: 0;
	return set_timer(t, period);
}

void arm_remove(struct watched *t)
{
	if (t->timer >= 0)
		syscall(SYS_timer_delete, t->timer);
	if (t->fd >= 0) {
		atomic_store_explicit(&agent.fd_owner[t->fd], 0,
				      memory_order_relaxed);
		close(t->fd);
	}
	t->timer = -1;
	t->fd = -1;
}

/* The kernel's tick, which is how finely it looks at CPU timers. */
static uint64_t tick_nanos(void)
{
	struct timespec t;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) < 0)
		return 10000000;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

enum capture_engine arm_choose(uint64_t period)
{
	int fd;

	if (period >= tick_nanos())
		return ENGINE_TIMERS;
	fd = open_event(0, period);
	if (fd < 0)
		return ENGINE_TIMERS;
	close(fd);
	return ENGINE_PERF;
}
