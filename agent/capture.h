/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_CAPTURE_H
#define WICK_AGENT_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "profile/profile.h"

struct error;

enum {
	CAPTURE_HZ_DEFAULT = 100,
	CAPTURE_HZ_MAX = 10000,
};

/* What time is counted. */
enum capture_clock {
	CAPTURE_CPU,  /* time on a processor, of each thread by itself */
	CAPTURE_WALL, /* all time, also of threads that wait */
};

/* Zeroed: CPU time at the default rate, with names. */
struct capture_options {
	enum capture_clock clock;
	uint32_t hz;	 /* samples per second and thread; 0: the default */
	bool no_symbols; /* addresses and build ids only */
	bool process;	 /* labels say of which process samples are */
};

/*
 * A profile of all threads of this process in the making.  Any number of them
 * may overlap, each at its own rate: the timers run as fast as the fastest
 * needs, and every capture counts the same nanoseconds in its own steps.  Not
 * visible to users of this header; capture_end() or capture_drop() ends it.
 */
struct capture;

/*
 * A finished profile.  The arena, anonymous memory of the agent's own, has all
 * of it: capture_release() gives it back.  It must not be copied elsewhere: its
 * tables point to the arena.  profile has the types
 * "samples"/"count" and "cpu"/"nanoseconds" (or "wall"); each sample carries
 * the labels "thread" (its name) and "tid", and those of wick_label_set().
 * What was lost is in profile.loss, and in words in profile.comments.
 */
struct capture_result {
	struct arena arena;
	struct profile profile;
	uint64_t samples; /* taken from stacks, of any weight */
	uint64_t lost;	  /* not taken: no room */
};

/*
 * Begins a capture.  Starts the agent's threads if they do not run.  Returns
 * 0, -EINVAL for a rate beyond CAPTURE_HZ_MAX, -ENOMEM, -EAGAIN if no thread
 * can be started, or another negative errno.  Any thread, never a signal
 * handler.
 */
int capture_begin(struct capture **ret, const struct capture_options *o,
		  struct error *err);

/*
 * Ends a capture and fills ret, which need not be initialised.  The names are
 * looked up here, in the calling thread, which can take seconds and half a
 * megabyte of stack: call it on a thread of the agent's (guest.h).  Returns 0
 * or a negative errno; the capture is gone in either case, and on failure
 * there is nothing to release.
 */
int capture_end(struct capture *c, struct capture_result *ret,
		struct error *err);

/* Ends a capture that nobody wants any more.  Any thread. */
void capture_drop(struct capture *c);

void capture_release(struct capture_result *r);

/*
 * The stack that each thread has now, those that wait included: one sample per
 * thread, of the one type "threads"/"count", labels as above.  Threads of the
 * agent are left out; no thread that waits is woken.  Same rules as
 * capture_end(); takes at most a second or so.
 */
int capture_threads(struct capture_result *ret, struct error *err);

/* How samples come. */
enum capture_engine {
	ENGINE_NONE,   /* nothing is running */
	ENGINE_TIMERS, /* POSIX timers on each thread's CPU time */
	ENGINE_PERF,   /* a perf event for each thread */
	ENGINE_LOOK,   /* the agent looks at each thread: wall-clock time */
};

/* The agent's own counters, since the process began, for /metrics. */
struct capture_stats {
	uint64_t samples;	/* stacks taken */
	uint64_t lost;		/* not taken: the ring was full */
	uint64_t truncated;	/* stacks that do not reach a thread's start */
	uint64_t foreign;	/* signals of others that were passed on */
	uint64_t conflicts;	/* times somebody took our signal's handler */
	uint64_t handler_nanos; /* time spent in the signal handler */
	uint64_t agent_nanos;	/* CPU time of the agent's own threads */
	uint64_t unsampled;	/* CPU nanoseconds of threads never met */
	uint64_t bytes;		/* memory of the agent's own now */
	uint32_t captures;	/* running now */
	uint32_t threads;	/* watched now */
	uint32_t unwatched;	/* that could not be watched: limits, masks */
	uint32_t modules;	/* with code, mapped now */
	uint32_t hz;		/* that the timers are set to now; 0: off */
	uint32_t signal;	/* the number in use; 0: none so far */
	enum capture_engine engine;
};

/* Any thread, also where nothing runs; never waits. */
void capture_stats(struct capture_stats *ret);

#endif /* WICK_AGENT_CAPTURE_H */
