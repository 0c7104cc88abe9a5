/* SPDX-License-Identifier: MIT */
/*
 * What happens when the library is loaded and when the program ends: the
 * environment says what is wanted.  Nothing wanted: nothing is done, no thread
 * is started and no signal touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/endpoint.h"
#include "agent/init.h"
#include "agent/output.h"
#include "agent/pieces.h"
#include "agent/sampler.h"
#include "agent/state.h"
#include "agent/toggle.h"
#include "agent/visit.h"
#include "base/fmt.h"

enum { PATH_SIZE = 1024 };

const char *init_setting(const char *name)
{
	size_t len = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, name, len) && (*at)[len] == '=')
			return *at + len + 1;
	return NULL;
}

static bool is_set(const char *setting)
{
	return setting && *setting;
}

/* A number that is the whole of a setting; fallback if it is not. */
static unsigned number(const char *name, unsigned fallback)
{
	const char *at = init_setting(name);
	unsigned value = 0;

	if (!at || !*at)
		return fallback;
	for (; *at >= '0' && *at <= '9' && value < 100000; at++)
		value = value * 10 + (unsigned)(*at - '0');
	return *at ? fallback : value;
}

/*
 * Adds a setting for the programs that this one runs, without setenv(), which
 * would allocate before the program has begun.
 */
static void put_setting(char *line)
{
	size_t count = 0;
	char **copy;

	while (environ && environ[count])
		count++;
	copy = mmap(NULL, (count + 2) * sizeof(*copy), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return;
	if (count)
		memcpy(copy, environ, count * sizeof(*copy));
	copy[count] = line;
	environ = copy;
}

/*
 * The first program writes to the path as it is; those that it runs add their
 * process number, since they get the same environment.
 */
static void unique_path(char path[PATH_SIZE], const char *base)
{
	static char told[] = "CPUPROFILE_USE_PID=1";

	if (init_setting("CPUPROFILE_USE_PID")) {
		fmt_text(path, PATH_SIZE, "%s_%d", base, (int)getpid());
		return;
	}
	fmt_text(path, PATH_SIZE, "%s", base);
	put_setting(told);
}

struct toggle_options toggle_environment(void)
{
	const char *format = init_setting("WICK_FORMAT");
	struct toggle_options o = { 0 };

	o.capture.hz = number("CPUPROFILE_FREQUENCY", CAPTURE_HZ_DEFAULT);
	if (o.capture.hz > CAPTURE_HZ_MAX)
		o.capture.hz = CAPTURE_HZ_MAX;
	if (init_setting("CPUPROFILE_REALTIME"))
		o.capture.clock = CAPTURE_WALL;
	if (format && !strcmp(format, "gperftools")) {
		o.format = OUTPUT_GPERFTOOLS;
		o.capture.no_symbols = true;
	}
	return o;
}

static void read_agent_settings(void)
{
	const char *engine = init_setting("WICK_ENGINE");

	agent.wanted_signal = (int)number("CPUPROFILE_TIMER_SIGNAL", 0);
	if (engine && !strcmp(engine, "timers"))
		agent.wanted_engine = ENGINE_TIMERS;
	if (engine && !strcmp(engine, "perf"))
		agent.wanted_engine = ENGINE_PERF;
}

static void start_profile(const char *base)
{
	unsigned signal = number("CPUPROFILESIGNAL", 0);
	struct toggle_options o = toggle_environment();
	char path[PATH_SIZE];

	if (strlen(base) + 32 > PATH_SIZE)
		return;
	unique_path(path, base);
	if (!signal) {
		(void)toggle_start(path, &o);
		return;
	}
	/* A signal that the program uses itself stays the program's. */
	if (signal <= 64 && toggle_on_signal((int)signal, path, &o) == 0)
		(void)output_start();
}

/* "wick record" asks for it, where it may not look from outside. */
static void start_recording(void)
{
	const char *folder = init_setting("WICK_RECORD");
	struct capture_options o = {
		.hz = number("WICK_RECORD_HZ", CAPTURE_HZ_DEFAULT),
	};

	if (is_set(folder))
		(void)pieces_start(folder, &o);
}

/* Files of a program that runs with more rights are not for its caller. */
static bool is_trusted(void)
{
	return !getauxval(AT_SECURE) && getuid() == geteuid() &&
	       getgid() == getegid();
}

__attribute__((constructor)) static void on_load(void)
{
	const char *path = init_setting("CPUPROFILE");
	const char *address = init_setting("WICK_HTTP");
	int saved = errno;

	if (!is_trusted() || visit_is_loading())
		return;
	read_agent_settings();
	agent.is_asked_for = is_set(path) || is_set(address) ||
			     is_set(init_setting("WICK_RECORD"));
	if (is_set(path))
		start_profile(path);
	start_recording();
	/* Programs that this one runs have the same environment, and find the
	 * address taken: a failure is nothing to speak of. */
	if (is_set(address))
		(void)endpoint_start(address, init_setting("WICK_HTTP_TOKEN"));
	errno = saved;
}

__attribute__((destructor)) static void on_exit_of_program(void)
{
	int saved = errno;

	/* A child that was forked in the middle of it has nothing to write. */
	if (agent.pid == getpid()) {
		(void)toggle_stop();
		pieces_stop();
	}
	endpoint_leave();
	errno = saved;
}
