/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_DIRECT_H
#define WICK_AGENT_DIRECT_H

#include <stddef.h>

#include "base/span.h"

/* A request that came by the program's own server. */
struct direct_request {
	const char *method;
	const char *target;
	const char *host;   /* NULL: unknown */
	const char *accept; /* NULL: none */
	struct span body;
};

/* The answer, in one piece of memory from mmap(2). */
struct direct_answer {
	int status;
	const char *type;   /* in memory */
	const char *fields; /* "Name: value\r\n" each; in memory */
	struct span body;   /* in memory */
	void *memory;
	size_t size;
};

/*
 * Answers in a thread of the agent's own, for which the caller waits, which for
 * a profile takes as long as the profile.  Returns 0 or a negative errno:
 * -EAGAIN if four others are waiting already, -EINVAL for what could not be
 * sent as a request.
 */
int direct_serve(const struct direct_request *request,
		 struct direct_answer *answer);

#endif /* WICK_AGENT_DIRECT_H */
