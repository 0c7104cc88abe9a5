/* SPDX-License-Identifier: MIT */
/*
 * See toggle.h.  The signal's handler only counts: what it asks for is done by
 * the worker, since starting and writing are not for handlers.
 */
#include "agent/toggle.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/futex.h"
#include "agent/handler.h"
#include "base/fmt.h"

enum { PATH_SIZE = 1024 };

/* One per process, as the environment that asks for it is. */
static struct {
	_Atomic uint32_t lock;
	struct capture *capture; /* NULL: it does not run */
	enum output_format format;
	int64_t since;
	char path[PATH_SIZE];

	/* By signal. */
	_Atomic uint32_t asked; /* signals that have come */
	uint32_t served;
	uint32_t number; /* of the next file */
	struct toggle_options options;
	char base[PATH_SIZE];
} toggle;

static int start_locked(const char *path, const struct toggle_options *o)
{
	struct timespec now;
	int r;

	if (toggle.capture)
		return -EALREADY;
	if (strlen(path) >= PATH_SIZE)
		return -ENAMETOOLONG;
	r = capture_begin(&toggle.capture, &o->capture, NULL);
	if (r < 0)
		return r;
	clock_gettime(CLOCK_REALTIME, &now);
	toggle.since = now.tv_sec;
	toggle.format = o->format;
	memcpy(toggle.path, path, strlen(path) + 1);
	return 0;
}

int toggle_start(const char *path, const struct toggle_options *o)
{
	int r;

	futex_lock(&toggle.lock);
	r = start_locked(path, o);
	futex_unlock(&toggle.lock);
	return r;
}

/* Takes the capture and its settings; false: it does not run. */
static bool take(struct output_job *job, char path[PATH_SIZE])
{
	futex_lock(&toggle.lock);
	*job = (struct output_job){ .capture = toggle.capture,
				    .format = toggle.format,
				    .path = path };
	memcpy(path, toggle.path, PATH_SIZE);
	toggle.capture = NULL;
	futex_unlock(&toggle.lock);
	return job->capture;
}

int toggle_stop(void)
{
	char path[PATH_SIZE];
	struct output_job job;

	if (!take(&job, path))
		return -ESRCH;
	return output_make(&job);
}

bool toggle_state(int64_t *since, char *path, size_t size)
{
	bool runs;

	futex_lock(&toggle.lock);
	runs = toggle.capture;
	*since = runs ? toggle.since : 0;
	fmt_text(path, size, "%s", runs ? toggle.path : "");
	futex_unlock(&toggle.lock);
	return runs;
}

static void on_toggle(int signal)
{
	int saved = errno;

	(void)signal;
	atomic_fetch_add_explicit(&toggle.asked, 1, memory_order_relaxed);
	output_poke();
	errno = saved;
}

int toggle_on_signal(int signal, const char *path,
		     const struct toggle_options *o)
{
	const struct sigaction set = { .sa_handler = on_toggle,
				       .sa_flags = SA_RESTART | SA_ONSTACK };

	if (strlen(path) + 16 >= PATH_SIZE)
		return -ENAMETOOLONG;
	if (!handler_is_free(signal))
		return -EBUSY;
	toggle.options = *o;
	memcpy(toggle.base, path, strlen(path) + 1);
	return sigaction(signal, &set, NULL) < 0 ? -errno : 0;
}

static void toggle_once(void)
{
	char path[PATH_SIZE];
	struct output_job job;

	if (take(&job, path)) {
		output_run(&job);
		return;
	}
	fmt_text(path, sizeof(path), "%s.%u", toggle.base, toggle.number++);
	/* There is nobody to tell if it fails; the file will be missing. */
	(void)toggle_start(path, &toggle.options);
}

void toggle_serve(void)
{
	while (toggle.served !=
	       atomic_load_explicit(&toggle.asked, memory_order_relaxed)) {
		toggle.served++;
		toggle_once();
	}
}

void toggle_forget(void)
{
	toggle.lock = 0;
	toggle.capture = NULL;
	toggle.served = toggle.asked;
	toggle.number = 0;
}
