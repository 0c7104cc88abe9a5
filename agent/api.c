/* SPDX-License-Identifier: MIT */
/* The C API: see wick.h.  Errno stays as it was in every call. */
#include "wick.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/capture.h"
#include "agent/futex.h"
#include "agent/labels.h"
#include "agent/output.h"

/* The one profile that start and stop are about. */
static struct {
	_Atomic uint32_t lock;
	struct capture *capture;
	pid_t pid; /* whose it is: a child has none */
} api;

int wick_abi(void)
{
	return WICK_ABI;
}

const char *wick_version(void)
{
	return WICK_VERSION;
}

/* Fields beyond those that we know must be zero. */
static int read_options(const struct wick_options *from,
			struct capture_options *ret)
{
	struct wick_options o = { 0 };
	const char *bytes = (const char *)from;

	*ret = (struct capture_options){ 0 };
	if (!from)
		return 0;
	for (size_t i = sizeof(o); i < from->size; i++)
		if (bytes[i])
			return -E2BIG;
	memcpy(&o, from, from->size < sizeof(o) ? from->size : sizeof(o));
	ret->clock = o.wall ? CAPTURE_WALL : CAPTURE_CPU;
	ret->hz = o.hz;
	ret->no_symbols = o.no_symbols;
	return 0;
}

static void lock_api(void)
{
	/* In the child of a fork the lock may be anyone's. */
	if (api.pid && api.pid != getpid()) {
		api.lock = 0;
		api.capture = NULL;
		api.pid = 0;
	}
	futex_lock(&api.lock);
}

static int start(const struct wick_options *options)
{
	struct capture_options o;
	int r = read_options(options, &o);

	if (r < 0)
		return r;
	lock_api();
	if (api.capture)
		r = -EALREADY;
	else
		r = capture_begin(&api.capture, &o, NULL);
	if (r == 0)
		api.pid = getpid();
	futex_unlock(&api.lock);
	return r;
}

int wick_cpu_start(const struct wick_options *options)
{
	int saved = errno;
	int r = start(options);

	errno = saved;
	return r;
}

static struct capture *take(void)
{
	struct capture *c;

	lock_api();
	c = api.capture;
	api.capture = NULL;
	futex_unlock(&api.lock);
	return c;
}

/* Ends the profile; the job says where it goes. */
static int stop(struct output_job *job)
{
	job->capture = take();
	if (!job->capture)
		return -ESRCH;
	return output_make(job);
}

int wick_cpu_stop_file(const char *path)
{
	int saved = errno;
	struct output_job job = { .path = path };
	int r = stop(&job);

	errno = saved;
	return r;
}

int wick_cpu_stop_fd(int fd)
{
	int saved = errno;
	struct output_job job = { 0 };
	int r = stop(&job);

	if (r == 0)
		r = output_to_fd(&job.output, fd);
	output_release(&job.output);
	errno = saved;
	return r;
}

static int give(int r, const struct output_job *job, void **data, size_t *size)
{
	if (r < 0)
		return r;
	*data = job->output.data;
	*size = job->output.size;
	return 0;
}

int wick_cpu_stop_memory(void **data, size_t *size)
{
	int saved = errno;
	struct output_job job = { 0 };
	int r = give(stop(&job), &job, data, size);

	errno = saved;
	return r;
}

int wick_cpu_cancel(void)
{
	int saved = errno;
	struct capture *c = take();

	if (c)
		capture_drop(c);
	errno = saved;
	return c ? 0 : -ESRCH;
}

static void sleep_for(double seconds)
{
	struct timespec left = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9),
	};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static int profile(const struct wick_options *options, double seconds,
		   struct output_job *job)
{
	const double longest = 1e6;
	struct capture_options o;
	int r = read_options(options, &o);

	if (r < 0)
		return r;
	if (!(seconds > 0 && seconds <= longest))
		return -EINVAL;
	r = capture_begin(&job->capture, &o, NULL);
	if (r < 0)
		return r;
	sleep_for(seconds);
	return output_make(job);
}

int wick_cpu_profile(const struct wick_options *options, double seconds,
		     void **data, size_t *size)
{
	int saved = errno;
	struct output_job job = { 0 };
	int r = give(profile(options, seconds, &job), &job, data, size);

	errno = saved;
	return r;
}

int wick_threads(void **data, size_t *size)
{
	int saved = errno;
	struct output_job job = { 0 };
	int r = give(output_make(&job), &job, data, size);

	errno = saved;
	return r;
}

void wick_free(void *data, size_t size)
{
	struct output o = { .data = data, .size = size };

	output_release(&o);
}

int wick_label_set(const char *key, const char *value)
{
	return labels_set(key, value);
}

void wick_label_clear(const char *key)
{
	labels_clear(key);
}

int wick_mark(const char *phase)
{
	return labels_mark(phase);
}

static const char *engine_name(enum capture_engine engine)
{
	static const char *const names[] = {
		[ENGINE_NONE] = "",
		[ENGINE_TIMERS] = "timers",
		[ENGINE_PERF] = "perf",
		[ENGINE_LOOK] = "look",
	};

	return names[engine];
}

void wick_stats(struct wick_stats *stats)
{
	struct capture_stats s;
	struct wick_stats all;
	size_t size = stats->size < sizeof(all) ? stats->size : sizeof(all);

	capture_stats(&s);
	all = (struct wick_stats){
		.size = stats->size,
		.samples = s.samples,
		.lost = s.lost,
		.truncated = s.truncated,
		.foreign = s.foreign,
		.conflicts = s.conflicts,
		.handler_nanos = s.handler_nanos,
		.agent_nanos = s.agent_nanos,
		.unsampled_nanos = s.unsampled,
		.bytes = s.bytes,
		.profiles = s.captures,
		.threads = s.threads,
		.unwatched = s.unwatched,
		.hz = s.hz,
		.signal = (int)s.signal,
		.engine = engine_name(s.engine),
	};
	memcpy(stats, &all, size);
}
