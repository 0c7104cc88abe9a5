/* SPDX-License-Identifier: MIT */
/*
 * All that the agent keeps between calls: one per process, as signals, threads
 * and the code that is mapped are.  Signal handlers read what is marked as
 * theirs; everything else belongs to the agent's sampling thread, which others
 * ask through requests (sampler.h).
 */
#ifndef WICK_AGENT_STATE_H
#define WICK_AGENT_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/capture.h"
#include "agent/code.h"
#include "agent/guest.h"
#include "agent/ring.h"

enum {
	THREADS_MAX = 16384, /* watched at once; others are counted */
	FDS_MAX = THREADS_MAX + 64,
	WORKSPACES = 64,     /* handlers at work at once; others lose */
	CACHE_SLOTS = 512,   /* of each */
	DEPTH_MAX = 1024,    /* frames of a stack */
	RAW_MAX = 32 * 1024, /* bytes of stack kept where tables lack */
	RING_SIZE = 4 << 20,
	LABEL_BYTES = 1000,   /* of one thread's labels */
	LABEL_THREADS = 4096, /* that may have labels at once */
	MARKS_MAX = 256,      /* different marks that are told apart */
};

/* A thread that is watched.  The sampler's, but for tid. */
struct watched {
	_Atomic int32_t tid; /* 0: a free slot; handlers read it */
	uint32_t generation; /* of the slot's use */
	uint32_t seen;	     /* in this scan */
	int32_t timer;	     /* -1: none */
	int32_t fd;	     /* of its perf event; -1: none */
	bool checked;	     /* whether it blocks the signal is known */
	bool blocks;	     /* it does: not armed */
	char name[16];
	uint64_t since;	     /* watched, in nanoseconds */
	uint64_t named;	     /* when its name was last read */
	uint64_t cpu_last;   /* CPU time that has been given to samples */
	uint64_t cpu_seen;   /* the same when it was last asked for */
	uint64_t ticks;	     /* in the records at hand */
	uint64_t nanos;	     /* that the records at hand stand for */
	uint64_t looked;     /* when it was last looked at; 0: never */
	uint64_t looked_cpu; /* its CPU time then */
	uint64_t pending;    /* wall-clock time that no sample has yet */
	uint32_t asked;	     /* the look that it has to answer; 0: none */
};

/*
 * What a handler needs to work in: its stack may be tiny.  One handler at a
 * time; it is taken by setting busy.
 */
struct workspace {
	_Atomic uint32_t busy;
	struct unwind_cache cache;
	uint64_t regs[32];
	uint64_t pcs[DEPTH_MAX];
	struct unwind_slot slots[CACHE_SLOTS];
};

/* The labels of a thread.  The thread writes one half and then flips which. */
struct label_half {
	uint32_t used;
	char bytes[LABEL_BYTES]; /* key NUL value NUL ... */
};

struct label_block {
	_Atomic int32_t tid;	  /* 0: free */
	_Atomic uint32_t version; /* its last bit: which half counts */
	struct label_half half[2];
};

/* Counters that handlers add to. */
struct handler_counts {
	_Atomic uint64_t samples;
	_Atomic uint64_t lost;
	_Atomic uint64_t truncated;
	_Atomic uint64_t foreign;
	_Atomic uint64_t nanos;
};

struct output_job;
struct request;

struct agent {
	/* Handlers'. */
	struct ring ring;
	struct code code;
	struct watched *threads;     /* THREADS_MAX */
	_Atomic uint32_t *fd_owner;  /* by fd: index into threads, plus 1 */
	struct workspace *workspace; /* WORKSPACES */
	struct label_block *labels;  /* LABEL_THREADS; NULL: none so far */
	struct handler_counts counts;
	_Atomic uint32_t mark;	   /* index into marks; 0: none */
	_Atomic uint32_t wake;	   /* the sampler waits for it to change */
	_Atomic uint32_t hurry;	   /* the ring is half full */
	_Atomic uint32_t scan_now; /* there may be a new thread */
	_Atomic bool told;	   /* pthread_create() says so */
	uint64_t stack_low;	   /* of the first thread's stack */
	uint64_t stack_end;
	_Atomic bool sampling; /* some capture runs */

	/* Settings, before anything runs. */
	bool is_asked_for; /* by the environment, for the whole program */
	int wanted_signal; /* 0: any that is free */
	enum capture_engine wanted_engine; /* ENGINE_NONE: the best */

	/* Requests, to the sampler and to the worker. */
	_Atomic(struct request *) requests;
	_Atomic(struct output_job *) jobs;
	_Atomic uint32_t worker_wake;
	_Atomic uint32_t start_lock;
	_Atomic bool leaving; /* the agent's threads are to end */
	struct guest sampler;
	struct guest worker;
	pid_t pid; /* whose state this is; 0: nothing was started */

	/* Marks: names that stay. */
	_Atomic uint32_t mark_lock;
	uint32_t mark_count;
	char marks[MARKS_MAX][48];

	/* What others may ask for at any time. */
	_Atomic uint64_t conflicts;
	_Atomic uint64_t unsampled;
	_Atomic uint64_t bytes;
	_Atomic uint32_t captures;
	_Atomic uint32_t watched;
	_Atomic uint32_t unwatched;
	_Atomic uint32_t modules;
	_Atomic uint32_t hz;
	_Atomic uint32_t signal;
	_Atomic uint32_t engine;
};

extern struct agent agent;

/* The labels of the calling thread; NULL: it never had any. */
extern __thread struct label_block *thread_labels
	__attribute__((tls_model("initial-exec")));

#endif /* WICK_AGENT_STATE_H */
