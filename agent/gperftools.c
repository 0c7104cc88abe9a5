/* SPDX-License-Identifier: MIT */
/*
 * gperftools' functions under their own names, for programs that call them:
 * weak, so that gperftools' own library, where it is linked, keeps them.
 */
#include <limits.h>
#include <stdint.h>
#include <time.h>

#include "agent/toggle.h"
#include "wick.h"

#define WEAK __attribute__((weak, visibility("default")))

/* As its <gperftools/profiler.h> declares them. */
struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};

struct ProfilerOptions;

WEAK int ProfilerStart(const char *path);
WEAK int ProfilerStartWithOptions(const char *path,
				  const struct ProfilerOptions *options);
WEAK void ProfilerStop(void);
WEAK void ProfilerFlush(void);
WEAK void ProfilerEnable(void);
WEAK void ProfilerDisable(void);
WEAK int ProfilingIsEnabledForAllThreads(void);
WEAK void ProfilerRegisterThread(void);
WEAK void ProfilerGetCurrentState(struct ProfilerState *state);

int ProfilerStart(const char *path)
{
	struct toggle_options o = toggle_environment();

	return toggle_start(path, &o) == 0;
}

/* Its filter runs in a signal handler; nobody may do that to a host here. */
int ProfilerStartWithOptions(const char *path,
			     const struct ProfilerOptions *options)
{
	(void)options;
	return ProfilerStart(path);
}

void ProfilerStop(void)
{
	(void)toggle_stop();
}

/* A profile is written as a whole, at its end. */
void ProfilerFlush(void)
{
}

void ProfilerEnable(void)
{
}

void ProfilerDisable(void)
{
}

int ProfilingIsEnabledForAllThreads(void)
{
	int64_t since;
	char path[1];

	return toggle_state(&since, path, sizeof(path));
}

/* All threads are found without. */
void ProfilerRegisterThread(void)
{
}

void ProfilerGetCurrentState(struct ProfilerState *state)
{
	struct capture_stats stats;
	int64_t since;

	*state = (struct ProfilerState){ 0 };
	state->enabled = toggle_state(&since, state->profile_name,
				      sizeof(state->profile_name));
	state->start_time = (time_t)since;
	if (!state->enabled)
		return;
	capture_stats(&stats);
	state->samples_gathered = stats.samples > INT_MAX ? INT_MAX
							  : (int)stats.samples;
}
