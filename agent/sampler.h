/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_SAMPLER_H
#define WICK_AGENT_SAMPLER_H

#include <stdatomic.h>
#include <stdint.h>

struct capture;

enum request_kind {
	REQUEST_BEGIN,
	REQUEST_END,
	REQUEST_LOOK, /* at all threads, once, into the capture */
};

/* Something that the sampler is asked to do.  The asker's, who waits. */
struct request {
	struct request *next;
	enum request_kind kind;
	struct capture *capture;
	int result;
	_Atomic uint32_t done; /* a futex */
};

/*
 * Starts the agent's threads if they do not run.  0 or a negative errno.  Not
 * for signal handlers.
 */
int sampler_start(void);

/* Hands over a request and waits for its result. */
int sampler_ask(struct request *r);

/* Makes the sampler look at once; async-signal-safe, but for errno. */
void sampler_poke(void);

/* Makes it look for new threads, if anything is sampled; the same. */
void sampler_seek_threads(void);

/*
 * Ends the agent's threads; what is started later starts them again.  Only
 * where nobody else can ask them for anything meanwhile.  What handlers use
 * stays: a signal may still be on its way.
 */
void sampler_leave(void);

/* The child of a fork starts anew, with nothing running. */
void sampler_forget(void);

#endif /* WICK_AGENT_SAMPLER_H */
