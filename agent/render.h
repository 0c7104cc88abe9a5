/* SPDX-License-Identifier: MIT */
/*
 * From a capture to what is sent: ending it, looking up its names and writing
 * it in the form that was asked for take time, so they are a job for a thread
 * that nobody else waits for.
 */
#ifndef WICK_AGENT_RENDER_H
#define WICK_AGENT_RENDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/span.h"

struct capture;
struct lookup;
struct pages;

/* What a profile is sent as. */
enum page_form {
	FORM_PPROF,
	FORM_SVG,
	FORM_HTML,
	FORM_FOLDED,
	FORM_TEXT,    /* the top table */
	FORM_STACKS,  /* different stacks, counted: debug=1 */
	FORM_THREADS, /* each thread's stack: debug=2 */
	FORM_SYMBOLS, /* no profile: names of addresses */
};

enum render_state {
	RENDER_WORKING,
	RENDER_DONE,	  /* whoever asked frees the job */
	RENDER_ABANDONED, /* nobody wants it: the renderer frees it */
};

/* In memory of its own: who asked may be gone before it is done. */
struct render_job {
	struct capture *capture; /* NULL: the threads as they are now */
	enum page_form form;
	struct pages *pages; /* who asked */
	int result;
	struct error err;
	struct arena arena; /* has the bytes */
	struct span bytes;
	struct lookup *lookups; /* of FORM_SYMBOLS */
	uint32_t lookup_count;
	_Atomic uint32_t state;
	struct render_job *next;
};

/* NULL: out of memory. */
struct render_job *render_new(void);

/* Frees a job that is not being worked on, and drops its capture. */
void render_free(struct render_job *job);

/*
 * Does the work, in the calling thread, which must be one of the agent's; then
 * the job is done, or freed if it was abandoned.
 */
void render_run(struct render_job *job);

/* Gives a job up that may be being worked on. */
void render_abandon(struct render_job *job);

/* Whether the bytes, or the error, are there. */
static inline bool render_is_done(struct render_job *job)
{
	/* Pairs with render_run(): the bytes are there. */
	return atomic_load_explicit(&job->state, memory_order_acquire) ==
	       RENDER_DONE;
}

#endif /* WICK_AGENT_RENDER_H */
