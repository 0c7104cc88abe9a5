/* SPDX-License-Identifier: MIT */
/*
 * wick, the profiler, inside a program: libwick.so or libwick.a.
 *
 *	wick_cpu_start(NULL);
 *	work();
 *	wick_cpu_stop_file("work.pprof");
 *
 * Profiles are gzipped pprof with functions, lines and inlined calls in them:
 * "wick report", "wick view", "wick pprof" and "go tool pprof" read them, on
 * any machine.  See wick-agent(7) for what the library does in a process, the
 * environment variables that it knows and its HTTP endpoint.
 *
 * Every function may be called from any thread, at any time after main() has
 * begun, several at once, also where profiling is off; from a signal handler
 * only where it is said.  Functions that can fail return 0 or a negative errno
 * and never set errno, print, or end the process.  Nothing is allocated with
 * malloc(); what is returned is given back as its description says.
 *
 * After fork() the child profiles nothing, whatever its parent does, and may
 * start for itself.
 */
#ifndef WICK_H
#define WICK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this interface.  It grows when functions or fields are added
 * at the end of structures; what exists keeps its meaning.
 */
#define WICK_ABI 1

#if defined(__GNUC__)
#define WICK_API __attribute__((visibility("default")))
#else
#define WICK_API
#endif

/* The version of the library in use: the WICK_ABI that it was built with. */
WICK_API int wick_abi(void);

/* As "0.1.0"; a constant. */
WICK_API const char *wick_version(void);

/*
 * How to profile.  Set size to sizeof(struct wick_options) and the rest to
 * zero but for what is wanted; fields that a library does not know are ignored
 * if they are zero, else -E2BIG is returned.
 */
struct wick_options {
	size_t size;
	unsigned hz;	/* samples per second and thread; 0: 100 */
	int wall;	/* count all time, not only CPU time */
	int no_symbols; /* leave names to whoever reads it */
};

/*
 * Starts the profile of the whole process: all threads, those to come
 * included.  options may be NULL.  Returns 0, -EALREADY if this profile is
 * running, -EINVAL for a rate above 10000, or another negative errno.  Other
 * profiles (over HTTP, or those that CPUPROFILE starts) do not interfere.
 */
WICK_API int wick_cpu_start(const struct wick_options *options);

/*
 * Ends it.  The names are looked up in a thread of wick's own, for which the
 * caller waits: that may take seconds.  All return 0, -ESRCH if it is not
 * running, or another negative errno, and end it in either case.
 *
 * to a file, which is made anew or replaced as a whole:
 */
WICK_API int wick_cpu_stop_file(const char *path);

/* to a descriptor, which stays open and the caller's: */
WICK_API int wick_cpu_stop_fd(int fd);

/* to memory, *size bytes of it, which the caller gives back with wick_free():
 */
WICK_API int wick_cpu_stop_memory(void **data, size_t *size);

/* to nowhere: */
WICK_API int wick_cpu_cancel(void);

/*
 * A profile of the next seconds (a positive number), or until another thread
 * ends the process; as the functions above, but it needs no start, and any
 * number of them may run at once.
 */
WICK_API int wick_cpu_profile(const struct wick_options *options,
			      double seconds, void **data, size_t *size);

/*
 * The stacks that all threads have now, as a pprof profile of one sample for
 * each; *data as above.  Threads that wait are not woken.
 */
WICK_API int wick_threads(void **data, size_t *size);

/* Gives back memory; data may be NULL. */
WICK_API void wick_free(void *data, size_t size);

/*
 * Gives the calling thread a label, which its samples carry from now on and by
 * which they can be filtered: a request's endpoint, a trace id.  Replaces an
 * older one of that key.  Both are copied.  A thread's labels together may
 * take 1000 bytes: -ENOSPC beyond.  Cheap: some tens of nanoseconds, no system
 * call but for a thread's first, with which a profile that runs notices the
 * thread at once.  Not for signal handlers.
 */
WICK_API int wick_label_set(const char *key, const char *value);

/* Takes a label of the calling thread away, or (NULL) all of them. */
WICK_API void wick_label_clear(const char *key);

/*
 * Begins a phase of the whole program: samples of all threads carry the label
 * "phase" with this name until the next one; NULL: none.  At most 255
 * different names of 47 bytes are told apart.  Returns 0 or -ENOSPC.
 */
WICK_API int wick_mark(const char *phase);

/*
 * What the agent has done since the process began.  Set size to sizeof(struct
 * wick_stats); fields that the library does not know are left alone.
 */
struct wick_stats {
	size_t size;
	uint64_t samples;	  /* stacks taken */
	uint64_t lost;		  /* not taken, for want of room */
	uint64_t truncated;	  /* that do not reach the thread's start */
	uint64_t foreign;	  /* signals of others that were passed on */
	uint64_t conflicts;	  /* signals that others had, or took from us */
	uint64_t handler_nanos;	  /* spent in the signal handler */
	uint64_t agent_nanos;	  /* CPU time of wick's own threads */
	uint64_t unsampled_nanos; /* CPU time of threads too short to see */
	uint64_t bytes;		  /* memory of wick's own */
	unsigned profiles;	  /* running now */
	unsigned threads;	  /* watched now */
	unsigned unwatched;	  /* that cannot be: limits */
	unsigned hz;		  /* what clocks are set to; 0: off */
	int signal;		  /* in use; 0: none so far */
	const char *engine;	  /* "", "timers", "perf" or "look"; constant */
};

WICK_API void wick_stats(struct wick_stats *stats);

/*
 * The HTTP endpoint: Go's /debug/pprof/ (an index, profile, flame, threads,
 * cmdline, symbol) and /metrics, for "go tool pprof", curl and browsers; see
 * wick-agent(7).  It has threads of wick's own and disturbs none of the
 * program's.  Set size to the structure's and what is not wanted to zero.
 */
struct wick_http_options {
	size_t size;
	/*
	 * HOST:PORT, :PORT (on loopback) or unix:/PATH; hosts are numbers or
	 * localhost, port 0 is any that is free.  NULL: 127.0.0.1:6060.
	 */
	const char *address;
	/*
	 * A secret of at least 8 characters that requests must carry, as
	 * "Authorization: Bearer", as ?token= or as /t/TOKEN before the path.
	 * An address that other machines reach is refused without.
	 */
	const char *token;
};

/*
 * Starts it; options may be NULL.  Returns 0 when it listens, -EALREADY if it
 * does so already, -EINVAL for what is no address or token, -EACCES if a token
 * is needed, -EADDRINUSE or another negative errno.
 */
WICK_API int wick_http_start(const struct wick_http_options *options);

/* Ends it and drops what is being profiled for it.  0 or -ESRCH. */
WICK_API int wick_http_stop(void);

/* Writes its URL (or unix:PATH) to buf.  0, -ESRCH or -ENOSPC. */
WICK_API int wick_http_url(char *buf, size_t size);

/*
 * For a program with an HTTP server of its own, which mounts the pages there:
 * it passes requests for /debug/pprof and what is below, and for /metrics if it
 * likes, and sends the answer.  Who may ask is then the program's business.
 */
struct wick_http_request {
	size_t size;
	const char *method; /* NULL: GET */
	const char *target; /* path and query: "/debug/pprof/?..." */
	const char *host;   /* the field's value; NULL: unknown */
	const char *accept; /* the field's value; NULL: none */
	const void *body;   /* of a POST */
	size_t body_size;
};

struct wick_http_answer {
	size_t size;
	int status;
	const char *content_type;
	const char *fields; /* more of them: "Name: value\r\n" each */
	const void *body;
	size_t body_size;
	void *memory; /* has all of it */
	size_t memory_size;
};

/*
 * Answers a request.  Waits for a thread of wick's own, with a profile as long
 * as that takes: not for a thread that others wait for.  Returns 0, and then
 * the answer is given back with wick_http_release(); -EINVAL for what is no
 * request, -EAGAIN if four threads wait here already, or another negative
 * errno.
 */
WICK_API int wick_http_handle(const struct wick_http_request *request,
			      struct wick_http_answer *answer);
WICK_API void wick_http_release(struct wick_http_answer *answer);

#ifdef __cplusplus
}
#endif

#endif /* WICK_H */
