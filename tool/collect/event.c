/* SPDX-License-Identifier: MIT */
/* Chooses and opens perf events: see event.h. */
#include "collect/event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/permit.h"
#include "collect/procfile.h"
#include "collect/record.h"
#include "collect/regs.h"

/* Of so many processors, what others run may be sampled in vain. */
enum { CPUS_WORTH = 16 };

static struct perf_event_attr attributes(const struct event_choice *c,
					 const struct event_target *t)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = c->hertz,
		.sample_type = RECORD_SAMPLE_TYPE,
		.sample_regs_user = regs_mask,
		.sample_stack_user = t->stack,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.inherit = t->inherit,
		.disabled = !t->started,
		.enable_on_exec = t->on_exec,
		.exclude_kernel = !c->kernel,
		.exclude_callchain_kernel = !c->kernel,
		.exclude_hv = !c->kernel,
		.exclude_idle = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = t->wake,
		.read_format = c->counts_lost ? PERF_FORMAT_LOST : 0,
	};

	if (c->kind == EVENT_CYCLES) {
		a.type = PERF_TYPE_HARDWARE;
		a.config = PERF_COUNT_HW_CPU_CYCLES;
		a.precise_ip = c->precise & 3;
	}
	return a;
}

int event_open(const struct event_choice *c, const struct event_target *t)
{
	struct perf_event_attr a = attributes(c, t);
	long fd = syscall(SYS_perf_event_open, &a, t->thread, t->cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Whether the event can be had; a negative errno if not. */
static int try_event(const struct event_choice *c, bool whole)
{
	const struct event_target t = {
		.thread = whole ? -1 : 0,
		.cpu = whole ? 0 : -1,
		.stack = 1024,
		.inherit = !whole,
	};
	int fd = event_open(c, &t);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static bool is_forbidden(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* As try_event(), giving up what only some kernels or users have. */
static int try_variants(struct event_choice *c, bool whole)
{
	int r;

	c->kernel = true;
	c->counts_lost = true;
	r = try_event(c, whole);
	if (is_forbidden(r) && !whole) {
		c->kernel = false;
		r = try_event(c, whole);
	}
	if (r == -EINVAL) {
		c->counts_lost = false;
		r = try_event(c, whole);
	}
	return r;
}

unsigned event_max_rate(void)
{
	long rate = proc_number("/proc/sys/kernel/perf_event_max_sample_rate",
				100000);

	return rate > 0 ? (unsigned)rate : 1;
}

bool event_by_processor(const struct event_choice *c, unsigned cpus)
{
	return c->kind == EVENT_CPU_CLOCK && cpus <= CPUS_WORTH && c->kernel &&
	       try_event(c, true) == 0;
}

int event_choose(struct event_choice *c, unsigned hertz, bool whole,
		 struct error *err)
{
	int r;

	if (hertz > event_max_rate())
		return error_set(err, -EINVAL,
				 "%u samples a second are more than the kernel "
				 "permits (%u); see "
				 "kernel.perf_event_max_sample_rate",
				 hertz, event_max_rate());
	*c = (struct event_choice){ .hertz = hertz,
				    .precise = 2,
				    .nanoseconds = 1000000000 / hertz };
	r = try_variants(c, whole);
	while (r < 0 && !is_forbidden(r) && c->precise) {
		c->precise--;
		r = try_variants(c, whole);
	}
	if (r < 0) {
		c->cycles_error = r;
		c->kind = EVENT_CPU_CLOCK;
		r = try_variants(c, whole);
	}
	return r < 0 ? permit_explain(r, whole, err) : 0;
}

const char *event_name(const struct event_choice *c)
{
	static const char *const names[][2] = {
		[EVENT_CYCLES] = { "cycles:u", "cycles" },
		[EVENT_CPU_CLOCK] = { "cpu-clock:u", "cpu-clock" },
	};

	return names[c->kind][c->kernel];
}
