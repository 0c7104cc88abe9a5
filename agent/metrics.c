/* SPDX-License-Identifier: MIT */
/* /metrics: what the agent has done and what it costs, for Prometheus. */
#include <stdbool.h>
#include <time.h>

#include "agent/capture.h"
#include "agent/pages.h"
#include "base/sink.h"

struct metric {
	const char *name;
	const char *help;
	bool counter;
	bool nanos; /* of which Prometheus wants seconds */
	uint64_t value;
};

static void put_metric(struct sink *out, const struct metric *m)
{
	sink_format(out, "# HELP wick_%s %s\n# TYPE wick_%s %s\nwick_%s ",
		    m->name, m->help, m->name, m->counter ? "counter" : "gauge",
		    m->name);
	if (m->nanos)
		sink_format(out, "%llu.%09llu\n",
			    (unsigned long long)m->value / 1000000000,
			    (unsigned long long)m->value % 1000000000);
	else
		sink_format(out, "%llu\n", (unsigned long long)m->value);
}

static uint64_t own_nanos(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void metrics_write(struct sink *out, const struct pages *p)
{
	struct capture_stats s;

	capture_stats(&s);
	const struct metric metrics[] = {
		{ "samples_total", "Stacks taken.", true, false, s.samples },
		{ "samples_lost_total", "Stacks not taken for want of room.",
		  true, false, s.lost },
		{ "stacks_truncated_total",
		  "Stacks that do not reach their thread's start.", true, false,
		  s.truncated },
		{ "handler_seconds_total",
		  "Time that threads spent being sampled.", true, true,
		  s.handler_nanos },
		{ "agent_cpu_seconds_total",
		  "CPU time of the profiler's own threads.", true, true,
		  s.agent_nanos },
		{ "http_cpu_seconds_total", "CPU time of this endpoint.", true,
		  true, own_nanos() },
		{ "unsampled_cpu_seconds_total",
		  "CPU time of threads too short-lived to be sampled.", true,
		  true, s.unsampled },
		{ "signals_passed_on_total",
		  "Signals that were meant for the program.", true, false,
		  s.foreign },
		{ "signal_conflicts_total",
		  "Times that the program took the profiler's signal.", true,
		  false, s.conflicts },
		{ "http_requests_total", "Requests to this endpoint.", true,
		  false, p->requests },
		{ "http_cancelled_total",
		  "Profiles whose client left before they were done.", true,
		  false, p->cancelled },
		{ "http_jobs", "Answers being worked on now.", false, false,
		  p->jobs },
		{ "memory_bytes", "Memory of the profiler's own.", false, false,
		  s.bytes },
		{ "profiles_running", "Profiles being taken now.", false, false,
		  s.captures },
		{ "threads_watched", "Threads that are sampled now.", false,
		  false, s.threads },
		{ "threads_unwatched", "Threads that cannot be sampled.", false,
		  false, s.unwatched },
		{ "modules", "Files with code that are mapped now.", false,
		  false, s.modules },
		{ "sampling_hertz", "Rate of the timers; 0: off.", false, false,
		  s.hz },
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		put_metric(out, &metrics[i]);
}
