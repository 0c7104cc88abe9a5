/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_PAGES_H
#define WICK_AGENT_PAGES_H

#include <stdint.h>

struct http_exchange;
struct render_job;
struct sink;

/*
 * What /debug/pprof/ and /metrics show, whoever asks for it: Go's URLs and
 * meanings.  Serves one thread, which is one of the agent's.
 */
struct pages {
	/* Does a job, at once or in another thread; see render_run(). */
	void (*render)(struct pages *p, struct render_job *job);
	uint64_t requests; /* so far */
	unsigned jobs;	   /* being worked on */
	uint64_t cancelled;
};

/* Answers, or promises to; see http/exchange.h.  context is the pages. */
void pages_serve(void *context, struct http_exchange *x);

/* The agent's counters in the text format of Prometheus. */
void metrics_write(struct sink *out, const struct pages *p);

/* The page that links to the others, in HTML. */
void index_write(struct sink *out, const char *host);

#endif /* WICK_AGENT_PAGES_H */
